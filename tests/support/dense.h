// SPDX-License-Identifier: MIT
// Dense linear algebra for oracles, in long double, so that the normal equations keep the digits
// that the tests need. Matrices are row-major.
#ifndef POISE_TEST_DENSE_H
#define POISE_TEST_DENSE_H

#include <stdbool.h>

enum { DENSE_MOST = 64 };

/// Solves A x = b by Gaussian elimination with complete pivoting. Overwrites A (n x n) and b; b
/// becomes x. False if A is singular. n <= DENSE_MOST.
bool dense_solve(long double* a, long double* b, int n);

/// The problem min |J x - v|^2 + lambda |x|^2, lower <= x <= upper. J is rows x columns. `bounds`
/// has lower and upper of each unknown in turn; NULL: none.
typedef struct DenseProblem {
    const double* j;
    int rows;
    int columns;
    const double* v;
    double lambda;
    const double* bounds;
} DenseProblem;

/// Computes argmin |J x - v|^2 + lambda |x|^2 by the normal equations (J^T J + lambda I) x = J^T v.
/// lambda > 0, columns <= DENSE_MOST.
bool dense_damped_least_squares(const DenseProblem* problem, double* x);

/// Computes the same with lower <= x <= upper, as the best of all choices of unknowns on bounds.
/// There are 3^columns of them, so columns <= 7. Returns the least value of the function.
double dense_box_least_squares(const DenseProblem* problem, double* x);

/// Returns |J x - v|^2 + lambda |x|^2.
double dense_damped_cost(const DenseProblem* problem, const double* x);

#endif
