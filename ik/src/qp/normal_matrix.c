// SPDX-License-Identifier: MIT
// Computes J W J^T, J x and J times the axes of a basis, block by block. Sums are grouped into
// tiles of constant size, so that gcc keeps them in registers. Positions have 3 rows and poses 6.
#include "matrix.h"
#include "shared/clones.h"

enum { TILE_ROWS = 6, TILE_COLUMNS = POISE_BASIS_LANES };

/// The product b W a^T of two blocks with the same columns. It is added to the normal matrix: rows
/// as in b, columns as the rows of a.
typedef struct Pair {
    const double* a;
    const double* b;
    int a_rows;
    int b_rows;
    int a_step; ///< distance between neighbouring columns of `a`
    int b_step;
    const double* share; ///< by column; NULL if all are 1
    const unsigned char* held;
    int columns;
    double* normal;
    int stride; ///< distance between the rows of the normal matrix
} Pair;

/// The constant size of a tile. `shared` false: all shares are 1, which shortens the loop.
typedef struct Tile {
    int rows;
    int columns;
    bool shared;
} Tile;

// Adds one tile of the product, from `row` and `column` on. gcc keeps four columns of sums in
// registers, but not six.
static inline void add_tile(const Pair* pair, int row, int column, const Tile tile) {
    double sums[TILE_ROWS][TILE_COLUMNS], by[TILE_ROWS];
    double* normal = &pair->normal[row * pair->stride + column];
    const double* a = &pair->a[column];
    const double* b = &pair->b[row];
    for (int r = 0; r < tile.rows; r++) {
        for (int c = 0; c < tile.columns; c++) {
            sums[r][c] = normal[r * pair->stride + c];
        }
    }
    for (int d = 0; d < pair->columns; d++, a += pair->a_step, b += pair->b_step) {
        if (pair->held[d]) {
            continue;
        }
        for (int r = 0; r < tile.rows; r++) {
            by[r] = tile.shared ? pair->share[d] * b[r] : b[r];
        }
        for (int r = 0; r < tile.rows; r++) {
            for (int c = 0; c < tile.columns; c++) {
                sums[r][c] += by[r] * a[c];
            }
        }
    }
    for (int r = 0; r < tile.rows; r++) {
        for (int c = 0; c < tile.columns; c++) {
            normal[r * pair->stride + c] = sums[r][c];
        }
    }
}

// Adds `rows` (a constant) rows of the product, from `row` on. A block with itself lies on the
// diagonal, where only the upper triangle is read. Tiles start at the right end; the leftmost may
// extend into the lower triangle.
static inline void add_rows(const Pair* pair, int row, const int rows, const bool shared) {
    const int first = pair->a == pair->b ? row : 0;
    int end = pair->a_rows;
    for (; end > first && end >= 4; end -= 4) {
        add_tile(pair, row, end - 4, (Tile){rows, 4, shared});
    }
    if (end > first && end >= 2) {
        add_tile(pair, row, end - 2, (Tile){rows, 2, shared});
        end -= 2;
    }
    if (end > first) {
        add_tile(pair, row, 0, (Tile){rows, 1, shared});
    }
}

// Adds the product of blocks with a single column.
static inline void add_column(const Pair* pair) {
    const double share = pair->held[0] ? 0.0 : pair->share ? pair->share[0] : 1.0;
    const double* restrict a = pair->a;
    for (int r = 0; r < pair->b_rows; r++) {
        const double by = share * pair->b[r];
        double* restrict row = &pair->normal[r * pair->stride];
        int c = pair->a == pair->b ? r & ~1 : 0;
        for (; c + 4 <= pair->a_rows; c += 4) {
            for (int i = c; i < c + 4; i++) {
                row[i] += by * a[i];
            }
        }
        for (; c < pair->a_rows; c++) {
            row[c] += by * a[c];
        }
    }
}

static inline void add_all_rows(const Pair* pair, const bool shared) {
    int row = 0;
    for (; row + 6 <= pair->b_rows; row += 6) {
        add_rows(pair, row, 6, shared);
    }
    if (row + 3 <= pair->b_rows) {
        add_rows(pair, row, 3, shared);
        row += 3;
    }
    for (; row < pair->b_rows; row++) {
        add_rows(pair, row, 1, shared);
    }
}

// Not inlined: gcc keeps the tiles of a pair in registers if the pair comes by a pointer, but not
// if it is local.
static POISE_CLONES __attribute__((noinline)) void add_pair(const Pair* pair) {
    if (pair->columns == 1) {
        add_column(pair);
    } else if (pair->share) {
        add_all_rows(pair, true);
    } else {
        add_all_rows(pair, false);
    }
}

static void clear(double* numbers, int count) {
    int at = 0;
    for (; at + 8 <= count; at += 8) {
        for (int i = at; i < at + 8; i++) {
            numbers[i] = 0.0;
        }
    }
    for (; at < count; at++) {
        numbers[at] = 0.0;
    }
}

void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          double* normal) {
    const int m = j->rows;
    clear(normal, m * m);
    int first = 0; // first of the adjacent blocks that have the columns of this one
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        first = j->blocks[first].first_column == block->first_column ? first : b;
        for (int a = first; a <= b; a++) {
            const PoiseBlock* other = &j->blocks[a];
            const Pair pair = {.a = &j->values[block->offset],
                               .b = &j->values[other->offset],
                               .a_rows = block->rows,
                               .b_rows = other->rows,
                               .a_step = block->stride,
                               .b_step = block->stride,
                               .share = share ? &share[block->first_column] : NULL,
                               .held = &held[block->first_column],
                               .columns = block->columns,
                               .normal = &normal[other->first_row * m + block->first_row],
                               .stride = m};
            add_pair(&pair);
        }
    }
}

// Adds the products of a block with the axes of a basis; each axis is a column of the result.
static POISE_CLONES __attribute__((noinline)) void add_axes(const Pair* pair) {
    for (int column = 0; column < pair->a_rows; column += TILE_COLUMNS) {
        int row = 0;
        for (; row + 3 <= pair->b_rows; row += 3) {
            add_tile(pair, row, column, (Tile){3, TILE_COLUMNS, false});
        }
        for (; row < pair->b_rows; row++) {
            add_tile(pair, row, column, (Tile){1, TILE_COLUMNS, false});
        }
    }
}

void poise__matrix_parts(const PoiseMatrix* j, const unsigned char* held, const PoiseBasis* basis,
                         double* parts) {
    const int stride = basis->stride, count = poise_basis_stride(basis->count);
    for (int r = 0; r < j->rows; r++) {
        clear(&parts[r * stride], count);
    }
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const Pair pair = {.a = &basis->axes[block->first_column * stride],
                           .b = &j->values[block->offset],
                           .a_rows = count,
                           .b_rows = block->rows,
                           .a_step = stride,
                           .b_step = block->stride,
                           .held = &held[block->first_column],
                           .columns = block->columns,
                           .normal = &parts[block->first_row * stride],
                           .stride = stride};
        add_axes(&pair);
    }
}

// Adds `count` (a constant) rows of a block's part of J x.
static inline void add_times(const PoiseBlock* block, const double* values, const double* x,
                             double* out, const int count) {
    double sums[6];
    for (int r = 0; r < count; r++) {
        sums[r] = out[r];
    }
    for (int d = 0; d < block->columns; d++, values += block->stride) {
        for (int r = 0; r < count; r++) {
            sums[r] += x[d] * values[r];
        }
    }
    for (int r = 0; r < count; r++) {
        out[r] = sums[r];
    }
}

POISE_CLONES void poise_matrix_times(const PoiseMatrix* j, const double* x, double* out) {
    for (int r = 0; r < j->rows; r++) {
        out[r] = 0.0;
    }
    for (int b = 0; b < j->block_count; b++) {
        const PoiseBlock* block = &j->blocks[b];
        const double* values = &j->values[block->offset];
        const double* by = &x[block->first_column];
        double* to = &out[block->first_row];
        int row = 0;
        for (; row + 6 <= block->rows; row += 6) {
            add_times(block, &values[row], by, &to[row], 6);
        }
        if (row + 3 <= block->rows) {
            add_times(block, &values[row], by, &to[row], 3);
            row += 3;
        }
        for (; row < block->rows; row++) {
            add_times(block, &values[row], by, &to[row], 1);
        }
    }
}
