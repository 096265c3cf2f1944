// SPDX-License-Identifier: MIT
// The article's robot (seed 001) as a tree: a floating trunk, two arms of seven hinges, two legs of
// six, with its masses and ranges.
#ifndef POISE_TEST_PERSON_H
#define POISE_TEST_PERSON_H

#include "poise/ik.h"
#include "poise/limb.h"

/// Sides: right, then left.
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

/// Makes the robot with its ranges and points; all nodes that can move a point are registered. The
/// trunk translates along its axes without rotation.
Person person_create(void);
/// Returns the posture of the article's yoga pose.
PersonPosture person_yoga(void);
/// Sets the posture and fills the frames.
void person_set(const Person* person, const PersonPosture* posture);

/// Return the defs of the person's arm and leg for the closed forms.
PoiseArmDef person_arm(int side);
PoiseLegDef person_leg(int side);

#endif
