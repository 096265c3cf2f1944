// SPDX-License-Identifier: MIT
// Matrices of dense blocks: products with vectors and with themselves. What the other files of this
// folder know of J they know from here.
#include "matrix.h"

#include <string.h>

void poise_matrix_times(const PoiseMatrix* j, const double* x, double* out) {
    memset(out, 0, (size_t)j->rows * sizeof *out);
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        double* rows = &out[block->first_row];
        for (int d = 0; d < block->columns; d++, column += block->rows) {
            poise__rows_add(rows, x[block->first_column + d], column, block->rows);
        }
    }
}

void poise_matrix_transpose_times(const PoiseMatrix* j, const double* y, double* out) {
    int seen = 0;
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        const double* rows = &y[block->first_row];
        const bool more = block->first_column < seen;
        for (int i = block->first_column; i < block->first_column + block->columns; i++) {
            out[i] = poise__rows_dot(more ? out[i] : 0.0, column, rows, block->rows);
            column += block->rows;
        }
        seen = block->first_column + block->columns;
    }
}

void poise__matrix_held(const PoiseMatrix* j, const double* y, const unsigned char* held,
                        double* products, double* squares) {
    int seen = 0;
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        const double* rows = &y[block->first_row];
        const bool more = block->first_column < seen;
        for (int i = block->first_column; i < block->first_column + block->columns; i++) {
            if (held[i]) {
                products[i] = poise__rows_dot(more ? products[i] : 0.0, column, rows, block->rows);
                squares[i] = poise__rows_dot(more ? squares[i] : 0.0, column, column, block->rows);
            }
            column += block->rows;
        }
        seen = block->first_column + block->columns;
    }
}

void poise__matrix_dense(const PoiseMatrix* j, const double* metric, double* rows) {
    memset(rows, 0, (size_t)j->rows * (size_t)j->columns * sizeof *rows);
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* number = &j->values[block->offset];
        for (int i = block->first_column; i < block->first_column + block->columns; i++) {
            for (int k = 0; k < block->rows; k++) {
                const double part = metric ? metric[i] : 1.0;
                rows[(block->first_row + k) * j->columns + i] = part * *number++;
            }
        }
    }
}

// -------------------------------------------------------------------------------------- the normal

/// Two blocks of the same columns, and what these count.
typedef struct Pair {
    const double* a;
    const double* b;
    const double* share; ///< NULL: 1
    const unsigned char* held;
    int columns;
} Pair;

/// Three rows of J_b W J_a^T, and as many of its columns.
typedef struct Panel {
    int ra;
    int rb;
    int first;
    int width;
} Panel;

// normal(rows of b, rows of a) += that panel. Called with a constant one, so that the loops unroll
// and the sums stay in registers.
static inline void add_panel(double* normal, int stride, const Pair* pair, const Panel panel) {
    double sums[3][6] = {{0.0}};
    const double* a = pair->a;
    const double* b = pair->b + panel.first;
    for (int d = 0; d < pair->columns; d++, a += panel.ra, b += panel.rb) {
        if (pair->held[d]) {
            continue;
        }
        const double share = pair->share ? pair->share[d] : 1.0;
        for (int r = 0; r < 3; r++) {
            const double row = share * b[r];
            for (int c = 0; c < panel.width; c++) {
                sums[r][c] += row * a[c];
            }
        }
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < panel.width; c++) {
            normal[(panel.first + r) * stride + c] += sums[r][c];
        }
    }
}

static void add_any(double* normal, int stride, const Pair* pair, int ra, int rb) {
    const double* a = pair->a;
    const double* b = pair->b;
    for (int d = 0; d < pair->columns; d++, a += ra, b += rb) {
        const double share = pair->share ? pair->share[d] : 1.0;
        for (int r = 0; !pair->held[d] && r < rb; r++) {
            const double row = share * b[r];
            for (int c = 0; c < ra; c++) {
                normal[r * stride + c] += row * a[c];
            }
        }
    }
}

// the rows that points mostly have: a place, a pose. What it leaves above the diagonal where a is b
// is never read.
static void add_pair(double* normal, int stride, const Pair* pair, int ra, int rb) {
    if (ra == 3 && rb == 3) {
        add_panel(normal, stride, pair, (Panel){3, 3, 0, 3});
    } else if (ra == 3 && rb == 6) {
        add_panel(normal, stride, pair, (Panel){3, 6, 0, 3});
        add_panel(normal, stride, pair, (Panel){3, 6, 3, 3});
    } else if (ra == 6 && rb == 3) {
        add_panel(normal, stride, pair, (Panel){6, 3, 0, 6});
    } else if (ra == 6 && rb == 6) {
        const bool same = pair->a == pair->b;
        if (same) {
            add_panel(normal, stride, pair, (Panel){6, 6, 0, 3});
        } else {
            add_panel(normal, stride, pair, (Panel){6, 6, 0, 6});
        }
        add_panel(normal, stride, pair, (Panel){6, 6, 3, 6});
    } else {
        add_any(normal, stride, pair, ra, rb);
    }
}

void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          double* normal) {
    const int m = j->rows;
    memset(normal, 0, (size_t)m * (size_t)m * sizeof *normal);
    int first = 0; // of the blocks that share columns with this one
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        first = j->blocks[first].first_column == block->first_column ? first : b;
        for (int a = first; a <= b; a++) {
            const PoiseBlock* other = &j->blocks[a];
            const Pair pair = {&j->values[other->offset], &j->values[block->offset],
                               share ? &share[block->first_column] : NULL,
                               &held[block->first_column], block->columns};
            add_pair(&normal[block->first_row * m + other->first_row], m, &pair, other->rows,
                     block->rows);
        }
    }
}
