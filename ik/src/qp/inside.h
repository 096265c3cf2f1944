// SPDX-License-Identifier: MIT
// An x inside all constraints, as a problem of its own.
#ifndef POISE_QP_INSIDE_H
#define POISE_QP_INSIDE_H

#include "problem.h"

/// The problem of an x inside all constraints, and its memory.
typedef struct PoiseInside {
    PoiseQp problem;
    PoiseQpWork work;
    PoiseQpState state;
    PoiseBlock block;
    double* values; ///< (columns + constraints) x constraints
    double* target; ///< a number for each constraint
    double* row_damping;
    double* damping; ///< a number for each column, then each constraint
    double* lower;
    double* upper;
} PoiseInside;
/// True if x meets the constraints within rounding.
bool poise__fits(const PoiseQp* qp, const double* x);
/// Fills the problem of the nearest x that fits, starting from x; work->inside is its memory.
void poise__inside_pose(const PoiseQp* qp, const PoiseQpWork* work, const PoiseQpState* state,
                        PoiseInside* inside);
/// Copies the x that was found, with its active bounds and constraints, to the state.
void poise__inside_take(const PoiseQp* qp, const PoiseInside* inside, PoiseQpState* state);

#endif
