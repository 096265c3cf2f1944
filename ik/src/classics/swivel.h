// SPDX-License-Identifier: MIT
// The swivel of an arm of seven hinges: shoulder and wrist in their places, the elbow may turn
// about the line between them.
#ifndef POISE_SWIVEL_H
#define POISE_SWIVEL_H

#include "classics.h"

/// The answers of one swivel, each always in the same place: elbow to either side, shoulder and
/// wrist turned over or not.
enum { BRANCHES = 8 };

/// What of the reference the answers keep.
typedef struct Swivel {
    PoiseQuat shoulder; ///< its rotation
    PoiseVec3 line;     ///< from shoulder to wrist, length 1
    PoiseVec3 axis;     ///< of an elbow that bends by a positive angle, across the line, length 1
    bool open;          ///< shoulder and wrist in one place: no line, any rotation does
} Swivel;

/// R = Ry(0) Rx(1) Rz(2) of the angles.
PoiseQuat poise__arm_shoulder(const double* angles);
PoiseQuat poise__arm_elbow(double angle);
/// From shoulder to wrist, in the frame of the upper arm.
PoiseVec3 poise__arm_folded(double upper_arm, double forearm, double elbow);

/// The line to the goal, and the elbow's axis that is nearest to the reference's.
Swivel poise__swivel_of(const Limb* limb);
/// The BRANCHES answers with the elbow's axis turned by `turn` (rad) about the line.
void poise__swivel_answers(const Limb* limb, const Swivel* swivel, double turn, Choice* answers);

/// The answer with the reference's own swivel; where that is outside the ranges, or leaps though
/// another swivel does not, one near to the reference.
Choice poise__arm_choose(const Limb* limb, const Swivel* swivel);

#endif
