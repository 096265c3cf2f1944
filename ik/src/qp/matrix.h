// SPDX-License-Identifier: MIT
// Products of the blocks of a matrix (shared/qp.h).
#ifndef POISE_MATRIX_H
#define POISE_MATRIX_H

#include "shared/qp.h"

/// Returns sum + j . r over a block's rows. Blocks of 3 and 6 rows (positions and poses) are
/// unrolled. The terms have the same order for any number of rows, so the bits are equal.
static inline double poise__rows_dot(double sum, const double* j, const double* r, int rows) {
    if (rows == 3) {
        return sum + j[0] * r[0] + j[1] * r[1] + j[2] * r[2];
    }
    int k = 0;
    for (; k + 3 <= rows; k += 3) {
        sum = sum + j[k] * r[k] + j[k + 1] * r[k + 1] + j[k + 2] * r[k + 2];
    }
    for (; k < rows; k++) {
        sum += j[k] * r[k];
    }
    return sum;
}

/// Computes r += x j over a block's rows.
static inline void poise__rows_add(double* r, double x, const double* j, int rows) {
    for (int k = 0; k < rows; k++) {
        r[k] += j[k] * x;
    }
}

/// Computes the upper triangle of J W J^T (rows x rows) of free columns. W: diag(share); NULL: 1.
void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          double* normal);
/// Computes J_i^T y of the held columns; 0 for the others.
void poise__matrix_held(const PoiseMatrix* j, const double* y, const unsigned char* held,
                        double* products);
/// The first function returns |J_i|^2 of one column, the second fills those of all columns.
double poise__matrix_column_square(const PoiseMatrix* j, int column);
void poise__matrix_squares(const PoiseMatrix* j, double* squares);
/// Fills `parts` (rows x stride of the basis): the products of the rows of J with the axes.
void poise__matrix_parts(const PoiseMatrix* j, const unsigned char* held, const PoiseBasis* basis,
                         double* parts);
/// Copies J by column: row r of column i to numbers[i * stride + r], with 0 beyond the last row.
void poise__matrix_by_column(const PoiseMatrix* j, double* numbers, int stride);

#endif
