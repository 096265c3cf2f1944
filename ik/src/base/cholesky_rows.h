// SPDX-License-Identifier: MIT
// Cholesky of any size, row by row; included by a file for each width of vectors (lanes.h), which
// says how its functions are called: CHOLESKY_FACTOR, CHOLESKY_SOLVE.
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

// called with a constant width, so that the loops over it unroll
static inline void take_off_chunk(double* row, const RowsAbove* above, int at, const int width) {
    _Alignas(LANES * sizeof(double)) Lanes sums[CHUNK / LANES];
    const double* numbers = &above->numbers[at];
    const double* factors = above->factors;
    for (int c = 0; c < width / LANES; c++) {
        sums[c] = *poise__lanes(&row[at + LANES * c]);
    }
    for (int k = 0; k < above->count; k++) {
        const Lanes factor = LANES_OF(*factors);
        for (int c = 0; c < width / LANES; c++) {
            sums[c] -= factor * *poise__lanes(&numbers[LANES * c]);
        }
        numbers += above->stride;
        factors += above->stride;
    }
    for (int c = 0; c < width / LANES; c++) {
        *poise__lanes_out(&row[at + LANES * c]) = sums[c];
    }
}

static inline void take_off_two(double* row, const RowsAbove* above, int at) {
    Two sum = *poise__two(&row[at]);
    const double* numbers = &above->numbers[at];
    const double* factors = above->factors;
    for (int k = 0; k < above->count; k++) {
        sum -= (Two){*factors, *factors} * *poise__two(numbers);
        numbers += above->stride;
        factors += above->stride;
    }
    *poise__two_out(&row[at]) = sum;
}

static inline void take_off(double* row, const RowsAbove* above, const int width) {
    int at = 0;
    for (; at + CHUNK <= width; at += CHUNK) {
        take_off_chunk(row, above, at, CHUNK);
    }
    if (CHUNK > 8 && (width & 8) != 0) {
        take_off_chunk(row, above, at, 8);
        at += 8;
    }
    if ((width & 4) != 0) {
        take_off_chunk(row, above, at, 4);
        at += 4;
    }
    if ((width & 2) != 0) {
        take_off_two(row, above, at);
        at += 2;
    }
    for (int k = 0; at < width && k < above->count; k++) {
        row[at] -= above->factors[k * above->stride] * above->numbers[k * above->stride + at];
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
        int c = 1;
        for (const Two factor = {row[0], row[0]}; c + 2 <= end - i; c += 2) {
            *poise__two_out(&row[c]) *= factor;
        }
        if (c < end - i) {
            row[c] *= row[0];
        }
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
