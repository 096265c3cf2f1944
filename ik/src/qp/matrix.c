// SPDX-License-Identifier: MIT
// Matrices of dense blocks: products with vectors and with themselves. What the other files of this
// folder know of J they know from here.
#include "matrix.h"

// a matrix of no rows may have no memory, which memset must not be given
static void clear(double* numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        numbers[i] = 0.0;
    }
}

void poise_matrix_times(const PoiseMatrix* j, const double* x, double* out) {
    clear(out, (size_t)j->rows);
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        double* rows = &out[block->first_row];
        for (int d = 0; d < block->columns; d++, column += block->rows) {
            if (x[block->first_column + d] != 0.0) {
                poise__rows_add(rows, x[block->first_column + d], column, block->rows);
            }
        }
    }
}

void poise_matrix_transpose_times(const PoiseMatrix* j, const double* y, double* out) {
    clear(out, (size_t)j->columns);
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        const double* rows = &y[block->first_row];
        for (int i = block->first_column; i < block->first_column + block->columns; i++) {
            out[i] = poise__rows_dot(out[i], column, rows, block->rows);
            column += block->rows;
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
            column += block->rows;
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
            column += block->rows;
        }
    }
}

double poise__matrix_column_square(const PoiseMatrix* j, int column) {
    double square = 0.0;
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const int d = column - block->first_column;
        if (d >= 0 && d < block->columns) {
            const double* numbers = &j->values[block->offset + d * block->rows];
            square = poise__rows_dot(square, numbers, numbers, block->rows);
        }
    }
    return square;
}

void poise__matrix_dense(const PoiseMatrix* j, const double* metric, double* rows) {
    clear(rows, (size_t)j->rows * (size_t)j->columns);
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
    int stride; ///< of the normal
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
static inline void add_panel(double* normal, const Pair* pair, const Panel panel) {
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
            normal[(panel.first + r) * pair->stride + c] += sums[r][c];
        }
    }
}

/// The rows of two blocks; `lower`: they are the same block, and of their product, which lies on
/// the diagonal, only what is on and below it is read. Passed as a constant, likewise.
typedef struct Shape {
    int ra;
    int rb;
    bool lower;
} Shape;

// how many numbers of row r are added: two at a time, as vectors are
static inline int width_of(const Shape shape, int r) {
    return shape.lower && (r | 1) + 1 < shape.ra ? (r | 1) + 1 : shape.ra;
}

// the same for one column of a pair
static inline void add_one(double* restrict normal, const Pair* pair, const Shape shape,
                           int column) {
    const double* a = &pair->a[column * shape.ra];
    const double* b = &pair->b[column * shape.rb];
    const double share = pair->share ? pair->share[column] : 1.0;
    for (int r = 0; r < shape.rb; r++, normal += pair->stride) {
        const double row = share * b[r];
        for (int c = 0; c < width_of(shape, r); c++) {
            normal[c] += row * a[c];
        }
    }
}

// and for three, as a ball has them
static inline void add_three(double* restrict normal, const Pair* pair, const Shape shape) {
    const int ra = shape.ra, rb = shape.rb;
    const double* a = pair->a;
    const double* b = pair->b;
    const double* share = pair->share;
    for (int r = 0; r < rb; r++, normal += pair->stride) {
        const double b0 = share ? share[0] * b[r] : b[r];
        const double b1 = share ? share[1] * b[rb + r] : b[rb + r];
        const double b2 = share ? share[2] * b[2 * rb + r] : b[2 * rb + r];
        for (int c = 0; c < width_of(shape, r); c++) {
            normal[c] += b0 * a[c] + b1 * a[ra + c] + b2 * a[2 * ra + c];
        }
    }
}

// the rows that points mostly have: a place, a pose
static inline void add_known(double* normal, const Pair* pair, const Shape shape) {
    const int ra = shape.ra, rb = shape.rb;
    const bool free = pair->columns == 3 && !(pair->held[0] | pair->held[1] | pair->held[2]);
    if (free) {
        add_three(normal, pair, shape);
        return;
    }
    for (int i = 0; pair->columns <= 3 && i < pair->columns; i++) {
        if (!pair->held[i]) {
            add_one(normal, pair, shape, i);
        }
    }
    if (pair->columns <= 3) {
        return;
    }
    add_panel(normal, pair, (Panel){ra, rb, 0, shape.lower ? 3 : ra});
    if (rb == 6) {
        add_panel(normal, pair, (Panel){ra, rb, 3, ra});
    }
}

// numbers of a row that are added at a time: constants, so that they are vectors
enum { MANY = 6, FEW = 2 };

static inline void add_part(double* restrict normal, const double* a, int ra, const double b[3],
                            const int width) {
    for (int c = 0; c < width; c++) {
        normal[c] += b[0] * a[c] + b[1] * a[ra + c] + b[2] * a[2 * ra + c];
    }
}

// add_three for any number of rows
static void add_three_tall(double* restrict normal, const Pair* pair, const Shape shape,
                           int column) {
    const double* a = &pair->a[column * shape.ra];
    for (int r = 0; r < shape.rb; r++, normal += pair->stride) {
        double b[3];
        for (int i = 0; i < 3; i++) {
            const double share = pair->share ? pair->share[column + i] : 1.0;
            b[i] = share * pair->b[(column + i) * shape.rb + r];
        }
        const int width = width_of(shape, r);
        int c = 0;
        for (; c + MANY <= width; c += MANY) {
            add_part(&normal[c], &a[c], shape.ra, b, MANY);
        }
        for (; c + FEW <= width; c += FEW) {
            add_part(&normal[c], &a[c], shape.ra, b, FEW);
        }
        if (c < width) {
            add_part(&normal[c], &a[c], shape.ra, b, 1);
        }
    }
}

// three columns at a time where none of them is held
static void add_tall(double* normal, const Pair* pair, const Shape shape) {
    for (int i = 0, count; i < pair->columns; i += count) {
        const unsigned char* held = &pair->held[i];
        count = i + 3 <= pair->columns && !(held[0] | held[1] | held[2]) ? 3 : 1;
        if (count == 3) {
            add_three_tall(normal, pair, shape, i);
        } else if (!held[0]) {
            add_one(normal, pair, shape, i);
        }
    }
}

static void add_pair(double* normal, const Pair* pair, int ra, int rb) {
    const bool lower = pair->a == pair->b;
    if (lower && ra == 6) {
        add_known(normal, pair, (Shape){6, 6, true});
    } else if (ra == 3 && rb == 3) {
        add_known(normal, pair, (Shape){3, 3, false});
    } else if (ra == 3 && rb == 6) {
        add_known(normal, pair, (Shape){3, 6, false});
    } else if (ra == 6 && rb == 3) {
        add_known(normal, pair, (Shape){6, 3, false});
    } else if (ra == 6 && rb == 6) {
        add_known(normal, pair, (Shape){6, 6, false});
    } else {
        add_tall(normal, pair, (Shape){ra, rb, lower});
    }
}

void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          double* normal) {
    const int m = j->rows;
    clear(normal, (size_t)m * (size_t)m);
    int first = 0; // of the blocks that share columns with this one
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        first = j->blocks[first].first_column == block->first_column ? first : b;
        for (int a = first; a <= b; a++) {
            const PoiseBlock* other = &j->blocks[a];
            const Pair pair = {&j->values[other->offset],
                               &j->values[block->offset],
                               share ? &share[block->first_column] : NULL,
                               &held[block->first_column],
                               block->columns,
                               m};
            add_pair(&normal[block->first_row * m + other->first_row], &pair, other->rows,
                     block->rows);
        }
    }
}
