// SPDX-License-Identifier: MIT
// What legs and arms share: two links that close a triangle, and the choice among answers.
#ifndef POISE_CLASSICS_H
#define POISE_CLASSICS_H

#include "poise/limb.h"
#include "rotation.h"

enum { LIMB_JOINTS = POISE_ARM_JOINTS };

/// A limb as numbers: what the def says and what is asked for.
typedef struct Limb {
    int joints;
    double near_link; ///< from the root, m
    double far_link;
    const double* lower;
    const double* upper;
    PoisePose goal; ///< rotation of length 1
    double reference[LIMB_JOINTS];
    bool same_turn; ///< no joint goes round by a whole turn, though that were inside its range
    // the triangle
    double distance; ///< to the goal's place
    PoiseLimbReason reason;
    double bend; ///< of the joint between the links, 0..pi
} Limb;

/// One answer, and how good it is.
typedef struct Choice {
    double outside; ///< of the ranges: rad, sum over the joints
    double square;  ///< of the distance from the reference
    double angles[LIMB_JOINTS];
} Choice;

/// NULL, or what is wrong with links and ranges.
const char* poise__limb_problem(double near_link, double far_link, const double* lower,
                                const double* upper, int joints);
/// Whether pose and reference (NULL: all 0) can be worked with; fills goal, reference and triangle.
bool poise__limb_begin(Limb* limb, PoisePose goal, const double* reference);
/// The angles as an answer, whole turns put where they are nearest to the reference inside the
/// ranges.
Choice poise__limb_judge(const Limb* limb, const double* angles);
/// Whether `a` is less outside the ranges than `b`, or as much and nearer to the reference.
bool poise__limb_is_better(const Choice* a, const Choice* b);
/// Holds the choice inside the ranges, into `angles`.
void poise__limb_take(const Limb* limb, const Choice* choice, double* angles);
/// Fills the report (NULL: none) from the pose that those have, and says what the solve returns.
PoiseStatus poise__limb_end(const Limb* limb, const Choice* choice, PoisePose reached,
                            PoiseLimbReport* report);

#endif
