// SPDX-License-Identifier: MIT
// Small dense systems, row-major, in the caller's memory.
#ifndef POISE_DENSE_H
#define POISE_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/// L L^T = a for a symmetric a >= 0 of m rows that lie `stride` apart: L in the lower triangle,
/// with 1 / L_ii on the diagonal (0 where a row is 0). The first k rows are the factor of the first
/// k rows of a. A pivot below that row's of `least` (NULL: none) is raised, smoothly, to no less
/// than 3/4 of it.
void poise__dense_factor(double* a, int m, int stride, const double* least);
/// b <- a^-1 b of the first k rows of a factor.
void poise__dense_factor_solve(const double* a, int k, int stride, double* b);

/// a x = b for a square a of n rows and `columns` right sides b (n x columns), which become x; a is
/// used up, `order` is scratch of n. By elimination with the largest pivots, those that are less
/// than `relative` of a's largest number being taken for 0: their unknowns become 0. Returns the
/// rank.
int poise__dense_eliminate(double* a, int n, double* b, int columns, double relative, int* order);

#endif
