// SPDX-License-Identifier: MIT
// Dense linear algebra of the plainest kind, for oracles: long double, so that the normal equations
// do not lose the digits that the tests ask for. Matrices are row-major.
#ifndef POISE_TEST_DENSE_H
#define POISE_TEST_DENSE_H

#include <stdbool.h>

enum { DENSE_MOST = 64 };

/// A x = b by Gaussian elimination with complete pivoting; A (n x n) and b are used up, b becomes
/// x. False where A is singular. n <= DENSE_MOST.
bool dense_solve(long double* a, long double* b, int n);

/// min |J x - v|^2 + lambda |x|^2, lower <= x <= upper: J is rows x columns; bounds are lower and
/// upper of each unknown in turn, NULL: none.
typedef struct DenseProblem {
    const double* j;
    int rows;
    int columns;
    const double* v;
    double lambda;
    const double* bounds;
} DenseProblem;

/// argmin |J x - v|^2 + lambda |x|^2 by the normal equations (J^T J + lambda I) x = J^T v of
/// `columns` unknowns. lambda > 0, columns <= DENSE_MOST.
bool dense_damped_least_squares(const DenseProblem* problem, double* x);

/// The same with lower <= x <= upper: the best over all ways to hold unknowns on a bound (3^columns
/// of them, so `columns` <= 7). Returns the least value of the function.
double dense_box_least_squares(const DenseProblem* problem, double* x);

/// |J x - v|^2 + lambda |x|^2.
double dense_damped_cost(const DenseProblem* problem, const double* x);

#endif
