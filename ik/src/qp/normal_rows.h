// SPDX-License-Identifier: MIT
// J W J^T, J x and J^T y, block by block; included by a file for each width of vectors (lanes.h),
// which says how its functions are called: MATRIX_NORMAL, MATRIX_TIMES, MATRIX_TRANSPOSE_BOTH.
#include <string.h>

#include "lanes.h"
#include "matrix.h"

/// Two blocks of the same columns, and what these count: b's rows are rows of the normal, a's its
/// columns.
typedef struct Pair {
    const double* a;
    const double* b;
    const double* share; ///< NULL: 1
    const unsigned char* held;
    int columns;
    int stride; ///< of the normal
} Pair;

/// Three rows of J_b W J_a^T from `first` on, and its columns from `left` on.
typedef struct Panel {
    int ra;
    int rb;
    int first;
    int left;
} Panel;

// normal += that panel. Called with a constant one, so that the loops unroll and the sums stay in
// registers.
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
            for (int c = panel.left; c < panel.ra; c++) {
                sums[r][c] += row * a[c];
            }
        }
    }
    for (int r = 0; r < 3; r++) {
        for (int c = panel.left; c < panel.ra; c++) {
            normal[(panel.first + r) * pair->stride + c] += sums[r][c];
        }
    }
}

/// The rows of two blocks; `upper`: they are the same block, and of their product, which lies on
/// the diagonal, only what is on and above it is read. Passed as a constant, likewise.
typedef struct Shape {
    int ra;
    int rb;
    bool upper;
} Shape;

// from which number on row r is added: two at a time, as vectors are
static inline int left_of(const Shape shape, int r) {
    return shape.upper ? r & ~1 : 0;
}

// the same for one column of a pair
static inline void add_one(double* restrict normal, const Pair* pair, const Shape shape,
                           int column) {
    const double* a = &pair->a[column * shape.ra];
    const double* b = &pair->b[column * shape.rb];
    const double share = pair->share ? pair->share[column] : 1.0;
    for (int r = 0; r < shape.rb; r++, normal += pair->stride) {
        const double row = share * b[r];
        for (int c = left_of(shape, r); c < shape.ra; c++) {
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
        for (int c = left_of(shape, r); c < ra; c++) {
            normal[c] += b0 * a[c] + b1 * a[ra + c] + b2 * a[2 * ra + c];
        }
    }
}

// the rows that points mostly have: a place, a pose; and, where it is three columns at most, two of
// a centre of mass. Each shape is code of its own
__attribute__((always_inline)) static inline void add_known(double* normal, const Pair* pair,
                                                            const Shape shape) {
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
    add_panel(normal, pair, (Panel){ra, rb, 0, 0});
    if (rb == 6) {
        add_panel(normal, pair, (Panel){ra, rb, 3, shape.upper ? 2 : 0});
    }
}

/// Columns that lie `stride` apart, each with its factor.
typedef struct Columns {
    const double* a;
    int stride;
    double by[6];
} Columns;

// row += by_0 a_0 + by_1 a_1 + ... over `width` numbers. Called with a constant count, of six
// columns at most.
static inline void add_columns(double* row, int width, const Columns* columns, const int count) {
    const double* a = columns->a;
    int at = 0;
    for (; at + LANES <= width; at += LANES) {
        Lanes sum = *poise__lanes(&row[at]);
        for (int k = 0; k < count; k++) {
            sum += LANES_OF(columns->by[k]) * *poise__lanes(&a[k * columns->stride + at]);
        }
        *poise__lanes_out(&row[at]) = sum;
    }
    if (LANES > 2 && at + 2 <= width) {
        Two sum = *poise__two(&row[at]);
        for (int k = 0; k < count; k++) {
            sum += TWO_OF(columns->by[k]) * *poise__two(&a[k * columns->stride + at]);
        }
        *poise__two_out(&row[at]) = sum;
        at += 2;
    }
    for (int k = 0; at < width && k < count; k++) {
        row[at] += columns->by[k] * a[k * columns->stride + at];
    }
}

// so many columns of a pair from `from` on; `count` is constant
static inline void add_some(double* normal, const Pair* pair, const Shape shape, int from,
                            const int count) {
    const double* b = &pair->b[from * shape.rb];
    double share[6];
    for (int k = 0; k < count; k++) {
        share[k] = pair->held[from + k] ? 0.0 : pair->share ? pair->share[from + k] : 1.0;
    }
    for (int r = 0; r < shape.rb; r++, normal += pair->stride) {
        const int left = left_of(shape, r);
        Columns columns;
        columns.a = &pair->a[from * shape.ra + left];
        columns.stride = shape.ra;
        for (int k = 0; k < count; k++) {
            columns.by[k] = share[k] * b[k * shape.rb + r];
        }
        add_columns(&normal[left], shape.ra - left, &columns, count);
    }
}

// any number of rows
static void add_tall(double* normal, const Pair* pair, const Shape shape) {
    int column = 0;
    for (; column + 6 <= pair->columns; column += 6) {
        add_some(normal, pair, shape, column, 6);
    }
    for (; column + 3 <= pair->columns; column += 3) {
        add_some(normal, pair, shape, column, 3);
    }
    for (; column < pair->columns; column++) {
        add_some(normal, pair, shape, column, 1);
    }
}

// two rows of a centre of mass, beside `rb`, a constant
static inline void add_low(double* normal, const Pair* pair, const Shape shape, const int rb) {
    if (pair->columns <= 3) {
        add_known(normal, pair, (Shape){2, rb, false});
    } else {
        add_tall(normal, pair, shape);
    }
}

static void add_pair(double* normal, const Pair* pair, int ra, int rb) {
    const bool upper = pair->a == pair->b;
    // 2 and 3 rows, say, as 23
    switch (ra < 8 && rb < 8 ? 10 * ra + rb : 0) {
    case 66:
        if (upper) {
            add_known(normal, pair, (Shape){6, 6, true});
        } else {
            add_known(normal, pair, (Shape){6, 6, false});
        }
        return;
    case 33:
        add_known(normal, pair, (Shape){3, 3, false});
        return;
    case 36:
        add_known(normal, pair, (Shape){3, 6, false});
        return;
    case 63:
        add_known(normal, pair, (Shape){6, 3, false});
        return;
    case 22:
        add_low(normal, pair, (Shape){2, 2, upper}, 2);
        return;
    case 23:
        add_low(normal, pair, (Shape){2, 3, false}, 3);
        return;
    case 26:
        add_low(normal, pair, (Shape){2, 6, false}, 6);
        return;
    default:
        add_tall(normal, pair, (Shape){ra, rb, upper});
    }
}

void MATRIX_NORMAL(const PoiseMatrix* j, const double* share, const unsigned char* held,
                   double* normal) {
    const int m = j->rows;
    // all of it: what rows may lack would take longer to leave out
    const Lanes none = {0.0};
    int at = 0;
    for (; at + 4 * LANES <= m * m; at += 4 * LANES) {
        *poise__lanes_out(&normal[at]) = none;
        *poise__lanes_out(&normal[at + LANES]) = none;
        *poise__lanes_out(&normal[at + 2 * LANES]) = none;
        *poise__lanes_out(&normal[at + 3 * LANES]) = none;
    }
    for (; at < m * m; at++) {
        normal[at] = 0.0;
    }
    int first = 0; // of the blocks that share columns with this one
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        first = j->blocks[first].first_column == block->first_column ? first : b;
        for (int a = first; a <= b; a++) {
            const PoiseBlock* other = &j->blocks[a];
            const Pair pair = {&j->values[block->offset],
                               &j->values[other->offset],
                               share ? &share[block->first_column] : NULL,
                               &held[block->first_column],
                               block->columns,
                               m};
            add_pair(&normal[other->first_row * m + block->first_row], &pair, block->rows,
                     other->rows);
        }
    }
}

// out += a block's part of J x; `rows` is constant where it is that of a place, a pose or a centre
// of mass
static inline void add_times(const PoiseBlock* block, const double* values, const double* by,
                             double* out, const int rows) {
    Columns columns;
    columns.a = values;
    columns.stride = rows;
    int left = block->columns;
    for (; left >= 3; left -= 3, by += 3, columns.a += 3 * rows) {
        memcpy(columns.by, by, 3 * sizeof *by);
        add_columns(out, rows, &columns, 3);
    }
    for (; left > 0; left--, by++, columns.a += rows) {
        columns.by[0] = *by;
        add_columns(out, rows, &columns, 1);
    }
}

void MATRIX_TIMES(const PoiseMatrix* j, const double* x, double* out) {
    for (int r = 0; r < j->rows; r++) {
        out[r] = 0.0;
    }
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* values = &j->values[block->offset];
        const double* by = &x[block->first_column];
        double* to = &out[block->first_row];
        switch (block->rows) {
        case 2:
            add_times(block, values, by, to, 2);
            break;
        case 3:
            add_times(block, values, by, to, 3);
            break;
        case 6:
            add_times(block, values, by, to, 6);
            break;
        default:
            add_times(block, values, by, to, block->rows);
        }
    }
}

/// Two vectors beside each other, and where J^T of them goes.
typedef struct Beside {
    const Two* y;
    double* first;
    double* second;
} Beside;

// a block's part of J^T y; `rows` is constant where it is that of a place or a pose, so that y
// stays in registers
static inline void add_transposed(const PoiseBlock* block, const double* column,
                                  const Beside* beside, const int rows) {
    const Two* y = &beside->y[block->first_row];
    for (int i = block->first_column; i < block->first_column + block->columns; i++) {
        Two sum = {beside->first[i], beside->second[i]};
        const Two* at = y;
        int left = rows;
        for (; left >= 3; left -= 3, column += 3, at += 3) {
            sum += TWO_OF(column[0]) * at[0];
            sum += TWO_OF(column[1]) * at[1];
            sum += TWO_OF(column[2]) * at[2];
        }
        for (; left > 0; left--, column++, at++) {
            sum += TWO_OF(*column) * *at;
        }
        beside->first[i] = sum[0];
        beside->second[i] = sum[1];
    }
}

void MATRIX_TRANSPOSE_BOTH(const PoiseMatrix* j, const Two* y, double* first, double* second) {
    const Beside beside = {y, first, second};
    for (int i = 0; i < j->columns; i++) {
        first[i] = 0.0;
        second[i] = 0.0;
    }
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* column = &j->values[block->offset];
        switch (block->rows) {
        case 2:
            add_transposed(block, column, &beside, 2);
            break;
        case 3:
            add_transposed(block, column, &beside, 3);
            break;
        case 6:
            add_transposed(block, column, &beside, 6);
            break;
        default:
            add_transposed(block, column, &beside, block->rows);
        }
    }
}
