// SPDX-License-Identifier: MIT
// Products of the blocks of a matrix (poise/qp.h).
#ifndef POISE_MATRIX_H
#define POISE_MATRIX_H

#include "poise/qp.h"

/// sum + j . r over a block's rows; a place's and a pose's are written out, for a loop of unknown
/// length costs more than they do. In order, so that it is the same sum to the last bit.
static inline double poise__rows_dot(double sum, const double* j, const double* r, int rows) {
    int k = 0;
    if (rows == 3 || rows == 6) {
        sum = sum + j[0] * r[0] + j[1] * r[1] + j[2] * r[2];
        k = 3;
    }
    if (rows == 6) {
        sum = sum + j[3] * r[3] + j[4] * r[4] + j[5] * r[5];
        k = 6;
    }
    for (; k < rows; k++) {
        sum += j[k] * r[k];
    }
    return sum;
}

/// r += x j over a block's rows, likewise.
static inline void poise__rows_add(double* r, double x, const double* j, int rows) {
    int k = 0;
    if (rows == 3 || rows == 6) {
        const double first = r[0] + j[0] * x, second = r[1] + j[1] * x, third = r[2] + j[2] * x;
        r[0] = first;
        r[1] = second;
        r[2] = third;
        k = 3;
    }
    if (rows == 6) {
        const double first = r[3] + j[3] * x, second = r[4] + j[4] * x, third = r[5] + j[5] * x;
        r[3] = first;
        r[4] = second;
        r[5] = third;
        k = 6;
    }
    for (; k < rows; k++) {
        r[k] += j[k] * x;
    }
}

/// The lower triangle of J W J^T over the columns that are not held, W = diag(share), NULL for 1:
/// rows x rows.
void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          double* normal);
/// J_i^T y of the columns that are held, 0 of the others.
void poise__matrix_held(const PoiseMatrix* j, const double* y, const unsigned char* held,
                        double* products);
/// |J_i|^2 of a column; of all.
double poise__matrix_column_square(const PoiseMatrix* j, int column);
void poise__matrix_squares(const PoiseMatrix* j, double* squares);
/// J as rows x columns, times metric by column (NULL: 1).
void poise__matrix_dense(const PoiseMatrix* j, const double* metric, double* rows);

#endif
