// SPDX-License-Identifier: MIT
// Keeps active constraints and held columns as an orthonormal basis, in the variables in which all
// columns have the same damping.
#ifndef POISE_QP_BASIS_H
#define POISE_QP_BASIS_H

#include "problem.h"

/// Makes the basis of the ground, held columns and active constraints, equations first.
void poise__basis_make(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// Adds a constraint or, as ~column, the unit row of a held column, unless the others imply it.
void poise__basis_add(const PoiseQp* qp, PoiseQpWork* work, int order);
/// Fills `direction` with the step from x to the minimum of f over the free columns and along the
/// active constraints. If x is off a constraint, the step returns to it.
void poise__basis_step(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// Updates P g after x has moved by the fraction `part` of the last step.
void poise__basis_move(const PoiseQp* qp, PoiseQpWork* work, double part);
/// Computes multipliers. `gradient` (by column) gets those of held columns, in z; `parts` (by axis)
/// gets those of constraints.
void poise__basis_pulls(const PoiseQp* qp, PoiseQpWork* work, const double* x);

/// Returns a . x of a constraint. `size` gets the sum of |a_i x_i|, a scale of rounding.
double poise__constraint_at(const PoiseQp* qp, int constraint, const double* x, double* size);

#endif
