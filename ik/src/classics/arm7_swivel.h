// SPDX-License-Identifier: MIT
// The swivel of an arm of seven hinges: the rotation of elbow and upper arm about the line from
// shoulder to wrist.
#ifndef POISE_ARM7_SWIVEL_H
#define POISE_ARM7_SWIVEL_H

#include "classics.h"

/// Number of answers at one swivel, in fixed order: elbow bent to either side, shoulder turned over
/// or not, wrist turned over or not.
enum { BRANCHES = 8 };

/// The properties of the reference that the answers keep.
typedef struct Swivel {
    PoiseQuat shoulder; ///< rotation of the shoulder
    PoiseVec3 line;     ///< direction from shoulder to wrist, length 1
    PoiseVec3 axis;     ///< axis of the elbow such that its angle is positive, length 1
    bool open;          ///< shoulder and wrist coincide, so that any rotation is an answer
} Swivel;

/// Returns R = Ry(0) Rx(1) Rz(2) of the angles.
PoiseQuat poise__arm_shoulder(const double* angles);
PoiseQuat poise__arm_elbow(double angle);
/// Returns the vector from shoulder to wrist in the frame of the upper arm, m.
PoiseVec3 poise__arm_folded(double upper_arm, double forearm, double elbow);

/// Computes the line to the goal, and the elbow's axis nearest to that of the reference.
Swivel poise__swivel_of(const Limb* limb);
/// Writes the BRANCHES answers after rotating the elbow's axis by `turn` (rad) about the line.
void poise__swivel_answers(const Limb* limb, const Swivel* swivel, double turn, Choice* answers);

/// Returns the answer at the reference's swivel. If this is outside the ranges, or leaps although
/// another swivel does not, returns an answer at another swivel (arm7_choice.c).
Choice poise__arm_choose(const Limb* limb, const Swivel* swivel);

#endif
