// SPDX-License-Identifier: MIT
// Least squares without normal equations, for oracles: Householder reflections and Jacobi rotations
// in long double. The error grows with the condition number, not with its square. Matrices are
// row-major.
#ifndef POISE_TEST_ORTHOGONAL_H
#define POISE_TEST_ORTHOGONAL_H

#include "dense.h"

/// Computes argmin |J x - v|^2 + lambda |x|^2 by Householder's QR of J above sqrt(lambda) I. lambda
/// > 0, rows and columns <= DENSE_MOST.
void orthogonal_damped_least_squares(const DenseProblem* problem, double* x);

/// Computes the shortest x with the least |J x - v| by one-sided Jacobi rotations. Singular values
/// up to `zero` times the largest are taken for 0. Returns the rank. `*condition` gets the largest
/// singular value over the smallest of the others.
int orthogonal_least_norm(const DenseProblem* problem, double zero, double* x, double* condition);

#endif
