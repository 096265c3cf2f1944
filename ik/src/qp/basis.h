// SPDX-License-Identifier: MIT
// The constraints that hold, as an orthonormal basis over the free columns, in the metric
// in which the damping is the same for all.
#ifndef POISE_QP_BASIS_H
#define POISE_QP_BASIS_H

#include "problem.h"

/// Makes the basis of the ground, or of the active constraints, over the free columns, equations
/// first.
void poise__basis_make(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// Adds a constraint, unless the others imply it.
void poise__basis_append(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state,
                         int constraint);
/// Leaves a column out. False, and nothing done, if the constraints already fix the column.
bool poise__basis_hold(const PoiseQp* qp, PoiseQpWork* work, int column);
/// direction = the step from x to the least f over the free columns and along the active
/// constraints. If x is off these, the step returns to them.
void poise__basis_step(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// gradient = -f', by column, as the free columns follow a held one along the constraints that
/// hold; their multipliers mu, by axis, into parts.
void poise__basis_pulls(const PoiseQp* qp, PoiseQpWork* work, const double* x);

/// a x of one constraint, and what its rounding is a part of: |a| |x| + |bound|, number by number.
double poise__constraint_at(const PoiseQp* qp, int constraint, const double* x, double* size);

#endif
