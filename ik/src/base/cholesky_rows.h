// SPDX-License-Identifier: MIT
// Cholesky of any size, row by row; included by a file for each width of vectors (lanes.h), which
// says how its functions are called: CHOLESKY_FACTOR, CHOLESKY_SOLVE, CHOLESKY_SOLVE_BOTH.
#include <math.h>

#include "cholesky.h"
#include "lanes.h"
#include "poise/math.h"

/// Rows that are taken off another, one after the other, each times its factor.
typedef struct RowsAbove {
    const double* numbers; ///< of the first, where the other begins
    const double* factors; ///< the first one's
    int stride;            ///< of both
    int count;
} RowsAbove;

/// Vectors of a row that are changed at a time, their numbers in registers.
enum { MOST_VECTORS = 8 };

// `width` numbers by so many vectors, the last of which ends where they end: what two of them share
// comes out alike. Called with a constant number of vectors, so that the loops over them unroll.
static inline void take_off_vectors(double* row, const RowsAbove* above, int width,
                                    const int vectors) {
    _Alignas(LANES * sizeof(double)) Lanes sums[MOST_VECTORS];
    const int last = width - LANES;
    const double* numbers = above->numbers;
    const double* factors = above->factors;
    for (int c = 0; c < vectors; c++) {
        sums[c] = *poise__lanes(&row[c + 1 < vectors ? LANES * c : last]);
    }
    for (int k = 0; k < above->count; k++) {
        const Lanes factor = LANES_OF(*factors);
        for (int c = 0; c < vectors; c++) {
            sums[c] -= factor * *poise__lanes(&numbers[c + 1 < vectors ? LANES * c : last]);
        }
        numbers += above->stride;
        factors += above->stride;
    }
    for (int c = 0; c < vectors; c++) {
        *poise__lanes_out(&row[c + 1 < vectors ? LANES * c : last]) = sums[c];
    }
}

// fewer than a vector has
static inline void take_off_few(double* row, const RowsAbove* above, int width) {
    const double* numbers = above->numbers;
    const double* factors = above->factors;
    for (int k = 0; k < above->count; k++) {
        for (int c = 0; c < width; c++) {
            row[c] -= *factors * numbers[c];
        }
        numbers += above->stride;
        factors += above->stride;
    }
}

static inline void take_off(double* row, const RowsAbove* all, int width) {
    RowsAbove above = *all;
    for (; width > MOST_VECTORS * LANES; width -= MOST_VECTORS / 2 * LANES) {
        take_off_vectors(row, &above, MOST_VECTORS / 2 * LANES, MOST_VECTORS / 2);
        row += MOST_VECTORS / 2 * LANES;
        above.numbers += MOST_VECTORS / 2 * LANES;
    }
    if (above.count == 0) {
        return;
    }
    switch (width < LANES ? 0 : (width + LANES - 1) / LANES) {
    case 0:
        take_off_few(row, &above, width);
        break;
    case 1:
        take_off_vectors(row, &above, width, 1);
        break;
    case 2:
        take_off_vectors(row, &above, width, 2);
        break;
    case 3:
        take_off_vectors(row, &above, width, 3);
        break;
    case 4:
        take_off_vectors(row, &above, width, 4);
        break;
    case 5:
        take_off_vectors(row, &above, width, 5);
        break;
    case 6:
        take_off_vectors(row, &above, width, 6);
        break;
    case 7:
        take_off_vectors(row, &above, width, 7);
        break;
    default:
        take_off_vectors(row, &above, width, 8);
        break;
    }
}

static inline void scale(double* row, double by, int width) {
    int c = 0;
    for (const Lanes factor = LANES_OF(by); c + LANES <= width; c += LANES) {
        *poise__lanes_out(&row[c]) *= factor;
    }
    for (; c < width; c++) {
        row[c] *= by;
    }
}

static double raised(double pivot, double least) {
    if (pivot >= least) {
        return pivot;
    }
    const double lack = 1.0 - poise_max(pivot, 0.0) / least;
    return poise_max(pivot, 0.0) + least * lack * lack;
}

// whether these rows are a place alone, of the many that a tree may have
static inline bool is_place(const PoiseCholesky* shape, int i) {
    return shape->spans && shape->spans[i].first == i && shape->spans[i].end == i + 3;
}

// each row less its parts in the rows above
void CHOLESKY_FACTOR(const PoiseCholesky* shape, double* a) {
    const int m = shape->rows;
    const int stride = shape->stride;
    const double smallest = smallest_pivot(a, m, stride, shape->zero);
    for (int i = 0; i < m; i++) {
        const int first = shape->spans ? shape->spans[i].first : 0;
        const int end = shape->spans ? shape->spans[i].end : m;
        double* row = &a[i * stride + i];
        if (is_place(shape, i) && !shape->least) {
            factor_small(row, 3, stride, smallest);
            i += 2;
            continue;
        }
        const double* above = &a[first * stride + i];
        take_off(row, &(RowsAbove){above, above, stride, i - first}, end - i);
        const double pivot = shape->least ? raised(row[0], shape->least[i]) : row[0];
        row[0] = pivot > smallest ? 1.0 / sqrt(pivot) : 0.0;
        scale(&row[1], row[0], end - i - 1);
    }
}

void CHOLESKY_SOLVE(const PoiseCholesky* shape, const double* a, double* y) {
    for (int i = 0; i < shape->rows; i++) {
        const int end = shape->spans ? shape->spans[i].end : shape->rows;
        const double* row = &a[i * shape->stride];
        if (is_place(shape, i)) {
            solve_small(&row[i], 3, shape->stride, &y[i]);
            i += 2;
            continue;
        }
        y[i] *= row[i];
        take_off(&y[i + 1], &(RowsAbove){&row[i + 1], &y[i], 0, 1}, end - i - 1);
    }
    for (int i = shape->rows - 1; i >= 0; i--) {
        const int end = shape->spans ? shape->spans[i].end : shape->rows;
        const double* row = &a[i * shape->stride];
        if (i >= 2 && is_place(shape, i - 2)) {
            i -= 2; // it is solved
            continue;
        }
        double sum = y[i];
        int k = i + 1;
        for (; k + 3 < end; k += 4) {
            sum = sum - row[k] * y[k] - row[k + 1] * y[k + 1] - row[k + 2] * y[k + 2] -
                  row[k + 3] * y[k + 3];
        }
        for (; k < end; k++) {
            sum -= row[k] * y[k];
        }
        y[i] = sum * row[i];
    }
}

// *of less so many rows' numbers times their y; the numbers lie `stride` apart. Through a pointer:
// processors without vectors would have no register to give them back in
static inline void take_off_both(Two* of, const double* numbers, int stride, const Two* y,
                                 int count) {
    Two sum = *of;
    for (; count >= 4; count -= 4, numbers += 4 * stride, y += 4) {
        sum -= TWO_OF(numbers[0]) * y[0];
        sum -= TWO_OF(numbers[stride]) * y[1];
        sum -= TWO_OF(numbers[2 * stride]) * y[2];
        sum -= TWO_OF(numbers[3 * stride]) * y[3];
    }
    for (; count > 0; count--, numbers += stride, y++) {
        sum -= TWO_OF(*numbers) * *y;
    }
    *of = sum;
}

// called with a constant m, so that the loops unroll
static inline void solve_both_small(const double* a, const int m, Two* y) {
    for (int i = 0; i < m; i++) {
        Two sum = y[i];
        for (int k = 0; k < i; k++) {
            sum -= TWO_OF(a[k * m + i]) * y[k];
        }
        y[i] = sum * TWO_OF(a[i * m + i]);
    }
    for (int i = m - 1; i >= 0; i--) {
        Two sum = y[i];
        for (int k = i + 1; k < m; k++) {
            sum -= TWO_OF(a[i * m + k]) * y[k];
        }
        y[i] = sum * TWO_OF(a[i * m + i]);
    }
}

// two right sides beside each other: number by number as above
void CHOLESKY_SOLVE_BOTH(const PoiseCholesky* shape, const double* a, Two* y) {
    const int m = shape->rows, stride = shape->stride;
    if (m == 6 && stride == 6 && (!shape->spans || shape->spans[0].end == 6)) {
        solve_both_small(a, 6, y);
        return;
    }
    for (int i = 0; i < m; i++) {
        const int first = shape->spans ? shape->spans[i].first : 0;
        const double* above = &a[first * stride + i];
        take_off_both(&y[i], above, stride, &y[first], i - first);
        y[i] *= TWO_OF(a[i * stride + i]);
    }
    for (int i = m - 1; i >= 0; i--) {
        const int end = shape->spans ? shape->spans[i].end : m;
        const double* row = &a[i * stride];
        take_off_both(&y[i], &row[i + 1], 1, &y[i + 1], end - i - 1);
        y[i] *= TWO_OF(row[i]);
    }
}
