// SPDX-License-Identifier: MIT
// Cholesky by written-out sizes, and the functions for any size with vectors of two and four
// numbers.
#ifndef POISE_CHOLESKY_H
#define POISE_CHOLESKY_H

#include <math.h>

#include "poise/dense.h"
#include "simd2.h"

/// Pivots up to this are 0.
static inline double smallest_pivot(const double* a, int m, int stride, double zero) {
    double trace = 0.0;
    for (int i = 0; i < m; i++) {
        trace += a[i * stride + i];
    }
    return zero * trace / m;
}

// called with a constant m, so that the loops unroll
static inline void factor_small(double* a, const int m, const int stride, double smallest) {
    for (int i = 0; i < m; i++) {
        double* row = &a[i * stride];
        for (int k = 0; k < i; k++) {
            row[i] -= a[k * stride + i] * a[k * stride + i];
        }
        row[i] = row[i] > smallest ? 1.0 / sqrt(row[i]) : 0.0;
        for (int j = i + 1; j < m; j++) {
            double sum = row[j];
            for (int k = 0; k < i; k++) {
                sum -= a[k * stride + i] * a[k * stride + j];
            }
            row[j] = sum * row[i];
        }
    }
}

static inline void solve_small(const double* a, const int m, const int stride, double* y) {
    for (int i = 0; i < m; i++) {
        double sum = y[i];
        for (int k = 0; k < i; k++) {
            sum -= a[k * stride + i] * y[k];
        }
        y[i] = sum * a[i * stride + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        double sum = y[i];
        for (int k = i + 1; k < m; k++) {
            sum -= a[i * stride + k] * y[k];
        }
        y[i] = sum * a[i * stride + i];
    }
}

void poise__cholesky_factor_two(const PoiseCholesky* shape, double* a);
void poise__cholesky_factor_four(const PoiseCholesky* shape, double* a);
void poise__cholesky_solve_two(const PoiseCholesky* shape, const double* a, double* y);
void poise__cholesky_solve_four(const PoiseCholesky* shape, const double* a, double* y);
/// poise_cholesky_solve for two right sides at once, beside each other: each to the last bit as
/// alone.
void poise__cholesky_solve_both(const PoiseCholesky* shape, const double* factor, Two* b);
void poise__cholesky_solve_both_two(const PoiseCholesky* shape, const double* a, Two* y);
void poise__cholesky_solve_both_four(const PoiseCholesky* shape, const double* a, Two* y);

#endif
