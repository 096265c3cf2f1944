// SPDX-License-Identifier: MIT
// Code that legs and arms share: the triangle of root, middle joint and end of two links, and the
// choice among answers.
#ifndef POISE_CLASSICS_H
#define POISE_CLASSICS_H

#include "euler.h"
#include "poise/limb.h"

enum { LIMB_JOINTS = POISE_ARM_JOINTS };

/// A limb: the numbers of its def, the goal and the reference.
typedef struct Limb {
    int joints;
    double near_link; ///< length of the link at the root, m
    double far_link;
    const double* lower;
    const double* upper;
    PoisePose goal; ///< rotation of length 1
    double reference[LIMB_JOINTS];
    bool same_turn; ///< no joint may change by whole turns, even inside its range
    // the triangle
    double distance; ///< distance from the root to the goal, m
    PoiseLimbReason reason;
    double bend; ///< angle of the joint between the links, 0 (straight) to pi
} Limb;

/// An answer and its cost.
typedef struct Choice {
    double outside; ///< violation of the ranges: sum over the joints, rad
    double square;  ///< squared distance from the reference, rad^2
    double angles[LIMB_JOINTS];
} Choice;

/// Returns the error in links and ranges, in words, or NULL.
const char* poise__limb_problem(double near_link, double far_link, const double* lower,
                                const double* upper, int joints);
/// Fills goal, reference (NULL: all 0) and triangle. False if a number is invalid.
bool poise__limb_begin(Limb* limb, PoisePose goal, const double* reference);
/// Makes an answer of the angles. Each angle is changed by whole turns to the value nearest to the
/// reference inside its range.
Choice poise__limb_judge(const Limb* limb, const double* angles);
/// True if `a` violates the ranges less than `b`, or equally and is nearer to the reference.
bool poise__limb_is_better(const Choice* a, const Choice* b);
/// Writes the angles of the choice, clamped to the ranges.
void poise__limb_write(const Limb* limb, const Choice* choice, double* angles);
/// Fills the report (NULL: none) from the pose of the written angles. Returns the status of the
/// solve.
PoiseStatus poise__limb_end(const Limb* limb, const Choice* choice, PoisePose reached,
                            PoiseLimbReport* report);

#endif
