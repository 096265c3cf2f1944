// SPDX-License-Identifier: MIT
// The search for an x that satisfies all constraints, as a QP without constraints (feasible.c).
#ifndef POISE_QP_FEASIBLE_H
#define POISE_QP_FEASIBLE_H

#include "problem.h"

/// The QP that finds an x satisfying all constraints, and its memory.
typedef struct PoiseFeasible {
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
} PoiseFeasible;
/// True if x satisfies the constraints within rounding.
bool poise__fits(const PoiseQp* qp, const double* x);
/// Fills the QP for the nearest x that satisfies the constraints. Its memory is work->feasible.
void poise__feasible_fill(const PoiseQp* qp, const PoiseQpWork* work, const PoiseQpState* state,
                          PoiseFeasible* feasible);
/// Copies the x that was found, and its active bounds and constraints, to the state.
void poise__feasible_take(const PoiseQp* qp, const PoiseFeasible* feasible, PoiseQpState* state);

#endif
