// SPDX-License-Identifier: MIT
// The swivel of an arm of seven hinges: the rotation of the elbow about the line from shoulder to
// wrist.
#ifndef POISE_ARM7_SWIVEL_H
#define POISE_ARM7_SWIVEL_H

#include "classics.h"

/// Number of answers of one swivel, in fixed order: elbow to either side, shoulder and wrist turned
/// over or not.
enum { BRANCHES = 8 };

/// The part of the reference that the answers keep.
typedef struct Swivel {
    PoiseQuat shoulder; ///< rotation of the shoulder
    PoiseVec3 line;     ///< direction from shoulder to wrist, length 1
    PoiseVec3 axis;     ///< axis of an elbow with a positive angle, length 1
    bool open;          ///< shoulder and wrist coincide: any rotation fits
} Swivel;

/// Returns R = Ry(0) Rx(1) Rz(2) of the angles.
PoiseQuat poise__arm_shoulder(const double* angles);
PoiseQuat poise__arm_elbow(double angle);
/// Returns the vector from shoulder to wrist in the frame of the upper arm, m.
PoiseVec3 poise__arm_folded(double upper_arm, double forearm, double elbow);

/// Returns the line to the goal, and the elbow's axis nearest to that of the reference.
Swivel poise__swivel_of(const Limb* limb);
/// Writes the BRANCHES answers with the elbow's axis rotated by `turn` (rad) about the line.
void poise__swivel_answers(const Limb* limb, const Swivel* swivel, double turn, Choice* answers);

/// Chooses the answer at the reference's swivel. If that is outside the ranges, or leaps although
/// another swivel does not, chooses one near the reference.
Choice poise__arm_choose(const Limb* limb, const Swivel* swivel);

#endif
