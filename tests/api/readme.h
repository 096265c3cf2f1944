// SPDX-License-Identifier: MIT
// Declarations that the blocks of C in the READMEs use: a world, bodies, handles, goals.
#ifndef POISE_TEST_README_H
#define POISE_TEST_README_H

#include <stdio.h>

#include "poise/body.h"
#include "poise/ik.h"
#include "poise/limb.h"
#include "poise/task.h"

extern PoiseTree* tree;
extern PoiseNodeId hand_node;
extern PoiseNodeId left_hand;
extern PoiseNodeId right_hand;
extern PoisePose left;
extern PoisePose right;
extern PoisePointId fist;
extern PoisePose wrist;
extern PoisePose target;
extern PoisePose next_target;
extern double angles_before[POISE_ARM_JOINTS];

#ifndef README_OF_ik
#include "poise/design.h"
#include "poise/forecast.h"
#include "poise/joint_spring.h"
#include "poise/rig.h"
#include "poise/stance.h"

extern dWorldID world;
extern dBodyID base_body;
extern dBodyID hand_body;
extern dBodyID pelvis_body;
extern dJointID hinge;
extern PoiseRig* rig;
extern PoiseBindDef like;
extern PoisePointId hand;
extern PoisePointId left_foot;
extern PoisePointId centre_of_mass;
extern PoiseVec3 goal;
extern double h;
#endif

#ifdef README_OF_scenes
#include "poise/report.h"
#include "poise/scene.h"
#include "poise/simulation.h"
#endif

#endif
