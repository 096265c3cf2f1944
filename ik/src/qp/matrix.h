// SPDX-License-Identifier: MIT
// Products of the blocks of a matrix (poise/qp.h).
#ifndef POISE_MATRIX_H
#define POISE_MATRIX_H

#include "poise/qp.h"
#include "simd2.h"

/// sum + j . r over a block's rows, three at a time as places and poses have them. In order, so
/// that it is the same sum to the last bit.
static inline double poise__rows_dot(double sum, const double* j, const double* r, int rows) {
    int k = 0;
    for (; k + 3 <= rows; k += 3) {
        sum = sum + j[k] * r[k] + j[k + 1] * r[k + 1] + j[k + 2] * r[k + 2];
    }
    for (; k < rows; k++) {
        sum += j[k] * r[k];
    }
    return sum;
}

/// r += x j over a block's rows.
static inline void poise__rows_add(double* r, double x, const double* j, int rows) {
    if (rows == 3) {
        const double first = r[0] + j[0] * x, second = r[1] + j[1] * x;
        r[2] += j[2] * x;
        r[0] = first;
        r[1] = second;
        return;
    }
    int k = 0;
    for (const Two by = {x, x}; k + 2 <= rows; k += 2) {
        *poise__two_out(&r[k]) += by * *poise__two(&j[k]);
    }
    if (k < rows) {
        r[k] += j[k] * x;
    }
}

/// r += J_b x over a block of three columns, as a ball has them: one after the other, so that it is
/// the same sum to the last bit.
static inline void poise__rows_add_three(double* r, const double* x, const double* j, int rows) {
    const double *j1 = j + rows, *j2 = j1 + rows;
    int k = 0;
    for (const Two x0 = {x[0], x[0]}, x1 = {x[1], x[1]}, x2 = {x[2], x[2]}; k + 2 <= rows; k += 2) {
        const Two sum = *poise__two(&r[k]) + x0 * *poise__two(&j[k]) + x1 * *poise__two(&j1[k]);
        *poise__two_out(&r[k]) = sum + x2 * *poise__two(&j2[k]);
    }
    if (k < rows) {
        r[k] = r[k] + j[k] * x[0] + j1[k] * x[1] + j2[k] * x[2];
    }
}

/// The upper triangle of J W J^T over the columns that are not held, W = diag(share), NULL for 1:
/// rows x rows. What lies left of a row's span (NULL: none does) is not written.
void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          const PoiseRowSpan* spans, double* normal);
/// normal.c, normal_avx.c: the same with vectors of two and of four numbers.
void poise__matrix_normal_two(const PoiseMatrix* j, const double* share, const unsigned char* held,
                              const PoiseRowSpan* spans, double* normal);
void poise__matrix_normal_four(const PoiseMatrix* j, const double* share, const unsigned char* held,
                               const PoiseRowSpan* spans, double* normal);
/// J_i^T y of the columns that are held, 0 of the others.
void poise__matrix_held(const PoiseMatrix* j, const double* y, const unsigned char* held,
                        double* products);
/// |J_i|^2 of a column; of all.
double poise__matrix_column_square(const PoiseMatrix* j, int column);
void poise__matrix_squares(const PoiseMatrix* j, double* squares);
/// J as rows x columns, times metric by column (NULL: 1).
void poise__matrix_dense(const PoiseMatrix* j, const double* metric, double* rows);

#endif
