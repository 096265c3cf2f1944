// SPDX-License-Identifier: MIT
// Products of block matrices with vectors and with themselves. Other files of this folder read J
// only through these.
#include "matrix.h"

#include "shared/clones.h"

// A loop, because `numbers` may be NULL for a matrix without rows, which memset does not allow.
static void clear(double* numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        numbers[i] = 0.0;
    }
}

// Adds a block's part of J^T y. `rows` is a constant, so that gcc keeps y in registers.
static inline void add_transpose(const PoiseBlock* block, const double* column, const double* y,
                                 double* out, const int rows) {
    for (int i = 0; i < block->columns; i++, column += block->stride) {
        out[i] = poise__rows_dot(out[i], column, y, rows);
    }
}

POISE_CLONES void poise_matrix_transpose_times(const PoiseMatrix* j, const double* y, double* out) {
    clear(out, (size_t)j->columns);
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        const double* rows = &y[block->first_row];
        double* to = &out[block->first_column];
        if (block->rows == 3) {
            add_transpose(block, column, rows, to, 3);
        } else if (block->rows == 6) {
            add_transpose(block, column, rows, to, 6);
        } else {
            add_transpose(block, column, rows, to, block->rows);
        }
    }
}

void poise__matrix_held(const PoiseMatrix* j, const double* y, const unsigned char* held,
                        double* products) {
    clear(products, (size_t)j->columns);
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        const double* rows = &y[block->first_row];
        for (int i = block->first_column; i < block->first_column + block->columns; i++) {
            if (held[i]) {
                products[i] = poise__rows_dot(products[i], column, rows, block->rows);
            }
            column += block->stride;
        }
    }
}

void poise__matrix_squares(const PoiseMatrix* j, double* squares) {
    clear(squares, (size_t)j->columns);
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        for (int i = block->first_column; i < block->first_column + block->columns; i++) {
            squares[i] = poise__rows_dot(squares[i], column, column, block->rows);
            column += block->stride;
        }
    }
}

double poise__matrix_column_square(const PoiseMatrix* j, int column) {
    double square = 0.0;
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const int d = column - block->first_column;
        if (d >= 0 && d < block->columns) {
            const double* numbers = &j->values[block->offset + d * block->stride];
            square = poise__rows_dot(square, numbers, numbers, block->rows);
        }
    }
    return square;
}

void poise__matrix_by_column(const PoiseMatrix* j, double* numbers, int stride) {
    clear(numbers, (size_t)(j->columns * stride));
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        for (int i = block->first_column; i < block->first_column + block->columns; i++) {
            for (int k = 0; k < block->rows; k++) {
                numbers[i * stride + block->first_row + k] = column[k];
            }
            column += block->stride;
        }
    }
}
