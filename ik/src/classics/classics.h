// SPDX-License-Identifier: MIT
// Functions that leg.c and arm7.c share: the triangle of the links, the choice of answers.
#ifndef POISE_CLASSICS_H
#define POISE_CLASSICS_H

#include "euler.h"
#include "poise/limb.h"

enum { LIMB_JOINTS = POISE_ARM_JOINTS };

/// The data of one solve of a limb: the numbers of its def, the goal and the reference.
typedef struct Limb {
    int joints;
    double near_link; ///< length of the link nearer to the root, m
    double far_link;
    const double* lower;
    const double* upper;
    PoisePose goal; ///< goal of the last joint; its rotation has length 1
    double reference[LIMB_JOINTS];
    bool same_turn; ///< joints may not change by whole turns, even within their ranges
    // the triangle of root, middle joint and goal
    double distance; ///< distance from the root to the goal, m
    PoiseLimbReason reason;
    double bend; ///< angle at the joint between the links, rad: 0 (straight) to pi
} Limb;

/// An answer, and how good it is.
typedef struct Choice {
    double outside; ///< sum of the violations of the ranges, rad
    double square;  ///< squared distance from the reference, rad^2
    double angles[LIMB_JOINTS];
} Choice;

/// Returns the error in the links or ranges of a def, in words, or NULL.
const char* poise__limb_problem(double near_link, double far_link, const double* lower,
                                const double* upper, int joints);
/// Fills goal, reference (NULL: all 0) and triangle of the limb. False if a number is invalid.
bool poise__limb_begin(Limb* limb, PoisePose goal, const double* reference);
/// Returns the answer with these angles, its violation and its distance. Each angle is changed by
/// whole turns to the value inside its range that is nearest to the reference.
Choice poise__limb_judge(const Limb* limb, const double* angles);
/// True if `a` violates the ranges less than `b`, or equally but is nearer to the reference.
bool poise__limb_is_better(const Choice* a, const Choice* b);
/// Writes the angles of the choice, clamped to the ranges.
void poise__limb_write(const Limb* limb, const Choice* choice, double* angles);
/// Fills the report (NULL: not wanted) from the pose `reached` of the written angles. Returns the
/// status of the solve.
PoiseStatus poise__limb_end(const Limb* limb, const Choice* choice, PoisePose reached,
                            PoiseLimbReport* report);

#endif
