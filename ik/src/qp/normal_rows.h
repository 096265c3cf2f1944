// SPDX-License-Identifier: MIT
// J W J^T, block by block; included by a file for each width of vectors (lanes.h), which says how
// its function is called: MATRIX_NORMAL.
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
// a centre of mass
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
    add_panel(normal, pair, (Panel){ra, rb, 0, 0});
    if (rb == 6) {
        add_panel(normal, pair, (Panel){ra, rb, 3, shape.upper ? 2 : 0});
    }
}

enum { MOST_COLUMNS = 8 };

/// Columns of two blocks that count: where they are in both, and what b's have in one row, with the
/// share.
typedef struct Columns {
    int count;
    const double* a[MOST_COLUMNS];
    const double* b[MOST_COLUMNS];
    double share[MOST_COLUMNS];
    double by[MOST_COLUMNS];
} Columns;

static int list_columns(const Pair* pair, const Shape shape, int from, Columns* columns) {
    int count = 0;
    for (; from < pair->columns && count < MOST_COLUMNS; from++) {
        columns->a[count] = &pair->a[from * shape.ra];
        columns->b[count] = &pair->b[from * shape.rb];
        columns->share[count] = pair->share ? pair->share[from] : 1.0;
        count += !pair->held[from];
    }
    columns->count = count;
    return from;
}

// so many numbers of a row; called with a constant width, so that the sums stay in registers
static inline void add_chunk(double* row, const Columns* columns, int at, const int width) {
    _Alignas(LANES * sizeof(double)) Lanes sums[CHUNK / LANES];
    for (int i = 0; i < width / LANES; i++) {
        sums[i] = *poise__lanes(&row[at + LANES * i]);
    }
    for (int k = 0; k < columns->count; k++) {
        const Lanes by = LANES_OF(columns->by[k]);
        const double* a = &columns->a[k][at];
        for (int i = 0; i < width / LANES; i++) {
            sums[i] += by * *poise__lanes(&a[LANES * i]);
        }
    }
    for (int i = 0; i < width / LANES; i++) {
        *poise__lanes_out(&row[at + LANES * i]) = sums[i];
    }
}

static inline void add_two(double* row, const Columns* columns, int at) {
    Two sum = *poise__two(&row[at]);
    for (int k = 0; k < columns->count; k++) {
        sum += (Two){columns->by[k], columns->by[k]} * *poise__two(&columns->a[k][at]);
    }
    *poise__two_out(&row[at]) = sum;
}

// from number `at` on
static inline void add_row(double* row, const Columns* columns, int at, int end) {
    for (; at + CHUNK <= end; at += CHUNK) {
        add_chunk(row, columns, at, CHUNK);
    }
    if (CHUNK > 8 && at + 8 <= end) {
        add_chunk(row, columns, at, 8);
        at += 8;
    }
    if (at + 4 <= end) {
        add_chunk(row, columns, at, 4);
        at += 4;
    }
    if (at + 2 <= end) {
        add_two(row, columns, at);
        at += 2;
    }
    for (int k = 0; at < end && k < columns->count; k++) {
        row[at] += columns->by[k] * columns->a[k][at];
    }
}

// any number of rows
static void add_tall(double* normal, const Pair* pair, const Shape shape) {
    Columns columns;
    for (int from = 0; from < pair->columns;) {
        double* row = normal;
        from = list_columns(pair, shape, from, &columns);
        for (int r = 0; r < shape.rb; r++, row += pair->stride) {
            for (int k = 0; k < columns.count; k++) {
                columns.by[k] = columns.share[k] * columns.b[k][r];
            }
            add_row(row, &columns, left_of(shape, r), shape.ra);
        }
    }
}

static void add_pair(double* normal, const Pair* pair, int ra, int rb) {
    const bool upper = pair->a == pair->b;
    if (upper && ra == 6) {
        add_known(normal, pair, (Shape){6, 6, true});
    } else if (ra == 3 && rb == 3) {
        add_known(normal, pair, (Shape){3, 3, false});
    } else if (ra == 3 && rb == 6) {
        add_known(normal, pair, (Shape){3, 6, false});
    } else if (ra == 6 && rb == 3) {
        add_known(normal, pair, (Shape){6, 3, false});
    } else if (ra == 6 && rb == 6) {
        add_known(normal, pair, (Shape){6, 6, false});
    } else if (ra == 2 && rb == 2 && pair->columns <= 3) {
        add_known(normal, pair, (Shape){2, 2, false});
    } else if (ra == 2 && rb == 3 && pair->columns <= 3) {
        add_known(normal, pair, (Shape){2, 3, false});
    } else if (ra == 2 && rb == 6 && pair->columns <= 3) {
        add_known(normal, pair, (Shape){2, 6, false});
    } else {
        add_tall(normal, pair, (Shape){ra, rb, upper});
    }
}

void MATRIX_NORMAL(const PoiseMatrix* j, const double* share, const unsigned char* held,
                   const PoiseRowSpan* spans, double* normal) {
    const int m = j->rows;
    for (int r = 0; r < m; r++) {
        // up to the end: rows of another group may stand among those of one
        const int begin = spans ? spans[r].first : 0;
        memset(&normal[r * m + begin], 0, (size_t)(m - begin) * sizeof *normal);
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
