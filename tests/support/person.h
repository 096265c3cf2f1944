// SPDX-License-Identifier: MIT
// The article's robot (seed 001) as a tree: a trunk that floats, two arms of seven hinges, two legs
// of six, with its masses and ranges.
#ifndef POISE_TEST_PERSON_H
#define POISE_TEST_PERSON_H

#include "poise/ik.h"
#include "poise/limb.h"

/// Right, then left.
enum { PERSON_SIDES = 2 };

typedef struct Person {
    PoiseTree* tree;
    PoiseNodeId trunk;
    PoiseNodeId arms[PERSON_SIDES][POISE_ARM_JOINTS];
    PoiseNodeId legs[PERSON_SIDES][POISE_LEG_JOINTS];
    PoisePointId hands[PERSON_SIDES];
    PoisePointId feet[PERSON_SIDES];
    PoisePointId com;
} Person;

typedef struct PersonPosture {
    PoiseVec3 trunk;
    double arms[PERSON_SIDES][POISE_ARM_JOINTS];
    double legs[PERSON_SIDES][POISE_LEG_JOINTS];
} PersonPosture;

/// Ranged as the robot is, points registered with all that moves them. The trunk moves along its
/// axes and does not turn.
Person person_create(void);
/// The posture of the article's yoga pose.
PersonPosture person_yoga(void);
/// Sets it and fills the frames.
void person_set(const Person* person, const PersonPosture* posture);
PersonPosture person_get(const Person* person);

/// The same limbs for the closed forms.
PoiseArmDef person_arm(int side);
PoiseLegDef person_leg(int side);
/// Wrist in the shoulder's frame, ankle in the hip's, for a hand's or foot's pose and the trunk.
PoisePose person_wrist(int side, PoiseVec3 trunk, PoisePose hand);
PoisePose person_ankle(int side, PoiseVec3 trunk, PoisePose foot);

#endif
