// SPDX-License-Identifier: MIT
// The constraints and columns that hold, as an orthonormal basis in the metric in which the damping
// is the same for all.
#ifndef POISE_QP_BASIS_H
#define POISE_QP_BASIS_H

#include "problem.h"

/// Makes the basis of the ground, held columns and active constraints, equations first.
void poise__basis_make(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// Adds a constraint or, as ~column, the unit row of a held column, unless the others imply it.
void poise__basis_add(const PoiseQp* qp, PoiseQpWork* work, int order);
/// direction = the step from x to the least f over the free columns and along the active
/// constraints. If x is off these, the step returns to them.
void poise__basis_step(const PoiseQp* qp, PoiseQpWork* work, const PoiseQpState* state);
/// Updates P g after x has moved by this part of the last step.
void poise__basis_move(const PoiseQp* qp, PoiseQpWork* work, double part);
/// Fills the multipliers: those of held columns, in z, into `gradient`, a number for each column;
/// those of the constraints into `parts`, a number for each axis.
void poise__basis_pulls(const PoiseQp* qp, PoiseQpWork* work, const double* x);

/// Returns a x of one constraint. `size`, to scale its rounding: the sum of |a_i x_i|.
double poise__constraint_at(const PoiseQp* qp, int constraint, const double* x, double* size);

#endif
