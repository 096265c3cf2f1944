// SPDX-License-Identifier: MIT
// The search for an x that satisfies all constraints, as a QP without constraints (feasible.c).
#ifndef POISE_QP_FEASIBLE_H
#define POISE_QP_FEASIBLE_H

#include "problem.h"

/// The QP that finds an x satisfying all constraints, and its memory.
typedef struct PoiseInside {
    PoiseQp problem;
    PoiseQpWork work;
    PoiseQpState state;
    PoiseBlock block;
    double* values; ///< (columns + constraints) x constraints: the rows of A and the slacks
    double* target; ///< by constraint
    double* row_damping;
    double* damping; ///< by column, then constraint
    double* lower;
    double* upper;
} PoiseInside;
/// True if x satisfies the constraints within rounding.
bool poise__fits(const PoiseQp* qp, const double* x);
/// Fills the QP for the nearest x that satisfies the constraints. Its memory is work->inside.
void poise__inside_pose(const PoiseQp* qp, const PoiseQpWork* work, const PoiseQpState* state,
                        PoiseInside* inside);
/// Copies the x that was found, and its active bounds and constraints, to the state.
void poise__inside_take(const PoiseQp* qp, const PoiseInside* inside, PoiseQpState* state);

#endif
