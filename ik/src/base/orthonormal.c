// SPDX-License-Identifier: MIT
// Orthonormal bases (shared/dense.h) by Gram-Schmidt. The components of all axes in a column are
// adjacent, so that vector instructions process several axes at once. Sums have four parts in a
// fixed order, which gives the same bits on every processor.
#include <math.h>
#include <string.h>

#include "poise/math.h"
#include "shared/clones.h"
#include "shared/dense.h"

enum { LANES = POISE_BASIS_LANES };
// A row is projected again if the first projection leaves at most this fraction of its square.
// Above it, rounding errors are at most 1e-15 of what remains.
#define AGAIN 1e-2

static inline int padded(int count) {
    return poise_basis_stride(count);
}

static inline double dot(const double* restrict a, const double* restrict b, int count) {
    double sums[LANES] = {0.0};
    for (int i = 0; i < count; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            sums[l] += a[i + l] * b[i + l];
        }
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static inline void add(double* restrict to, double by, const double* restrict from, int count) {
    for (int i = 0; i < count; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            to[i + l] += by * from[i + l];
        }
    }
}

static inline void clear(double* numbers, int count) {
    for (int i = 0; i < count; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            numbers[i + l] = 0.0;
        }
    }
}

// Computes the row's components along `width` axes from `first` on. `width` is a constant, so that
// gcc keeps the sums in registers.
static inline void sum_parts(const PoiseBasis* basis, const double* row, int first, double* parts,
                             const int width) {
    double sums[2 * LANES] = {0.0};
    const double* axes = &basis->axes[first];
    for (int i = 0; i < basis->columns; i++, axes += basis->stride) {
        for (int l = 0; l < width; l++) {
            sums[l] += row[i] * axes[l];
        }
    }
    for (int l = 0; l < width; l++) {
        parts[first + l] = sums[l];
    }
}

static inline void fill_parts(const PoiseBasis* basis, const double* row, double* parts) {
    int first = 0;
    for (; first + LANES < basis->count; first += 2 * LANES) {
        sum_parts(basis, row, first, parts, 2 * LANES);
    }
    if (first < basis->count) {
        sum_parts(basis, row, first, parts, LANES);
    }
}

static inline void subtract(const PoiseBasis* basis, const double* parts, double* row) {
    const int count = padded(basis->count);
    for (int i = 0; i < basis->columns; i++) {
        row[i] -= dot(parts, &basis->axes[i * basis->stride], count);
    }
}

// Removes the row's components along the axes, once, and leaves them in basis->parts.
static inline void project_once(const PoiseBasis* basis, double* row) {
    fill_parts(basis, row, basis->parts);
    subtract(basis, basis->parts, row);
}

static inline double square_of(const PoiseBasis* basis, const double* row) {
    double sum = 0.0;
    for (int i = 0; i < basis->columns; i++) {
        sum += row[i] * row[i];
    }
    return sum;
}

POISE_CLONES void poise_basis_project(const PoiseBasis* basis, double* row, double* parts) {
    const int count = padded(basis->count);
    const double before = count > 0 ? square_of(basis, row) : 0.0;
    // Repeats if cancellation may have left components along the axes.
    for (bool again = before > 0.0; again;) {
        project_once(basis, row);
        for (int k = 0; parts && k < basis->count; k++) {
            parts[k] += basis->parts[k];
        }
        const double taken = dot(basis->parts, basis->parts, count);
        again = taken > (1.0 - AGAIN) * before;
    }
}

POISE_CLONES void poise_basis_parts(const PoiseBasis* basis, const double* row, double* parts) {
    fill_parts(basis, row, parts);
}

// Adds an axis: the row times `by`. Sets the unused places of its group to 0.
static inline void add_axis(PoiseBasis* basis, const double* row, int step, double by) {
    const int at = basis->count++;
    double* axes = &basis->axes[at];
    if (at % LANES == 0) {
        for (int i = 0; i < basis->columns; i++) {
            clear(&axes[i * basis->stride], LANES);
        }
    }
    for (int i = 0; i < basis->columns; i++) {
        axes[i * basis->stride] = by * row[i * step];
    }
}

double poise_basis_add(PoiseBasis* basis, double* row, double zero, double* parts) {
    for (int k = 0; parts && k <= basis->count; k++) {
        parts[k] = 0.0;
    }
    const double before = square_of(basis, row);
    poise_basis_project(basis, row, parts);
    const double left = square_of(basis, row);
    if (!(left > zero * zero * before)) {
        return 0.0;
    }
    const double length = sqrt(left);
    if (parts) {
        parts[basis->count] = length;
    }
    add_axis(basis, row, 1, 1.0 / length);
    return length;
}

POISE_CLONES double poise_basis_add_unit(PoiseBasis* basis, int column, double zero, double* row,
                                         double* parts) {
    const int count = padded(basis->count);
    // the product of a unit row with an axis is the component of the axis in `column`
    memcpy(parts, &basis->axes[column * basis->stride], (size_t)count * sizeof *parts);
    memset(row, 0, (size_t)basis->columns * sizeof *row);
    row[column] = 1.0;
    subtract(basis, parts, row);
    double left = square_of(basis, row);
    if (left <= AGAIN && count > 0) {
        project_once(basis, row);
        left = square_of(basis, row);
    }
    if (!(left > zero * zero)) {
        return 0.0;
    }
    const double length = sqrt(left);
    parts[basis->count] = length;
    add_axis(basis, row, 1, 1.0 / length);
    return length;
}

// ------------------------------------------------------------------------------- rows together

/// The state while rows are added to a basis.
typedef struct Adding {
    PoiseBasis* basis;
    const PoiseAddedRows* rows;
    double* squares; ///< by row: squared length before the projection
    double* dots;    ///< by row: product with the row that becomes the next axis
    double* one;     ///< by column: copy of a row, scratch
    int room;        ///< number of rows, rounded up to a multiple of LANES
} Adding;

static inline double* column_of(const Adding* a, int column) {
    return &a->rows->numbers[column * a->rows->stride];
}

static inline void add_squares(double* restrict squares, const double* restrict column, int count) {
    for (int r = 0; r < count; r += LANES) {
        for (int l = r; l < r + LANES; l++) {
            squares[l] += column[l] * column[l];
        }
    }
}

static inline void fill_squares(const Adding* a, double* squares) {
    clear(squares, a->room);
    for (int i = 0; i < a->basis->columns; i++) {
        add_squares(squares, column_of(a, i), a->room);
    }
}

// Exchanges `row` with the longest of the rows from `row` on; `dots` holds their squared lengths.
static inline void bring_longest(const Adding* a, int row) {
    int longest = row;
    for (int r = row + 1; r < a->rows->count; r++) {
        longest = a->dots[r] > a->dots[longest] ? r : longest;
    }
    for (int i = 0; longest != row && i < a->basis->columns; i++) {
        double* column = column_of(a, i);
        const double was = column[row];
        column[row] = column[longest];
        column[longest] = was;
    }
}

// Fills `dots` with the products of a row with itself and all later rows.
static inline void fill_dots(const Adding* a, int row) {
    const int first = row / LANES * LANES, count = a->room - first;
    clear(&a->dots[first], count);
    for (int i = 0; i < a->basis->columns; i++) {
        const double* column = column_of(a, i);
        if (column[row] != 0.0) {
            add(&a->dots[first], column[row], &column[first], count);
        }
    }
}

// Removes a row's components along all axes a second time.
static inline void project_again(const Adding* a, int row) {
    for (int i = 0; i < a->basis->columns; i++) {
        a->one[i] = column_of(a, i)[row];
    }
    project_once(a->basis, a->one);
    for (int i = 0; i < a->basis->columns; i++) {
        column_of(a, i)[row] = a->one[i];
    }
    fill_dots(a, row);
}

// Removes from all rows after `row` their components along `row`. Also fills the products
// of the next row, or the squares from which the longest row is chosen.
static inline void subtract_row(const Adding* a, int row) {
    const int first = (row + 1) / LANES * LANES, count = a->room - first;
    const double by = -1.0 / a->dots[row];
    double* restrict parts = &a->squares[a->room + first];
    double* restrict dots = &a->dots[first];
    for (int r = 0; r < count; r++) {
        parts[r] = by * dots[r];
    }
    clear(dots, count);
    for (int i = 0; i < a->basis->columns; i++) {
        double* restrict column = column_of(a, i);
        if (column[row] != 0.0) {
            add(&column[first], column[row], parts, count);
        }
        const double next = column[row + 1];
        if (a->rows->longest_first) {
            add_squares(dots, &column[first], count);
        } else if (next != 0.0) {
            add(dots, next, &column[first], count);
        }
    }
}

// Removes from all rows their components along the axes, which `parts` holds.
static inline void subtract_parts(const Adding* a, const double* parts) {
    const PoiseBasis* basis = a->basis;
    const int count = padded(basis->count);
    for (int i = 0; i < basis->columns; i++) {
        double* restrict column = column_of(a, i);
        const double* axes = &basis->axes[i * basis->stride];
        for (int r = 0; r < a->rows->count; r++) {
            column[r] -= dot(&parts[r * basis->stride], axes, count);
        }
    }
}

static inline void add_all_rows(PoiseBasis* basis, const PoiseAddedRows* rows, const double* parts,
                                double* scratch, const int room) {
    const Adding a = {basis, rows, scratch, &scratch[2 * room], &scratch[3 * room], room};
    double longest = 0.0;
    bool known = false; // true: `dots` already holds the products of the next row, or all squares
    fill_squares(&a, a.squares);
    for (int r = 0; r < rows->count; r++) {
        longest = poise_max(longest, a.squares[r]);
    }
    if (parts && basis->count > 0) {
        subtract_parts(&a, parts);
    }
    for (int row = 0; row < rows->count && basis->count < basis->stride; row++) {
        if (rows->longest_first) {
            if (!known) {
                fill_squares(&a, a.dots);
            }
            bring_longest(&a, row);
        }
        if (rows->longest_first || !known) {
            fill_dots(&a, row);
        }
        const double before = rows->longest_first ? longest : a.squares[row];
        if (a.dots[row] <= AGAIN * before && basis->count > 0) {
            project_again(&a, row);
        }
        known = a.dots[row] > rows->zero * rows->zero * longest;
        if (known) {
            add_axis(basis, &rows->numbers[row], rows->stride, 1.0 / sqrt(a.dots[row]));
        } else if (rows->longest_first) {
            break;
        }
        if (known && row + 1 < rows->count) {
            subtract_row(&a, row);
        }
    }
}

POISE_CLONES void poise_basis_add_rows(PoiseBasis* basis, const PoiseAddedRows* rows,
                                       const double* parts, double* scratch) {
    const int room = padded(rows->count);
    if (room == LANES) { // the rows of one point fit into one group: constant loop ends
        add_all_rows(basis, rows, parts, scratch, LANES);
    } else {
        add_all_rows(basis, rows, parts, scratch, room);
    }
}

POISE_CLONES void poise_basis_subtract_products(const PoiseBasis* basis, const double* parts,
                                                int rows, double* a) {
    const int count = padded(basis->count);
    for (int r = 0; r < rows; r++) {
        for (int c = r; c < rows; c++) {
            a[r * rows + c] -= dot(&parts[r * basis->stride], &parts[c * basis->stride], count);
        }
    }
}
