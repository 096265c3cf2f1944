// SPDX-License-Identifier: MIT
// Cholesky factors (shared/dense.h), row by row inside the spans. Each number subtracts the rows
// above in their order, so every size gives the same bits.
#include <math.h>

#include "shared/dense.h"
#include "poise/math.h"

/// Rows that are subtracted from another row, each times its factor.
typedef struct RowsAbove {
    const double* numbers; ///< first row, from the column on that the other row begins at
    const double* factors; ///< factor of the first row; the next lies `stride` farther
    int stride;
    int count;
} RowsAbove;

// Subtracts the first four rows. Blocks of four numbers let compilers use vectors.
static inline void subtract_four(double* restrict row, const RowsAbove* above, int width) {
    const int stride = above->stride;
    const double *a = above->numbers, *b = a + stride, *c = b + stride, *d = c + stride;
    const double* factor = above->factors;
    const double by_a = factor[0], by_b = factor[stride];
    const double by_c = factor[2 * stride], by_d = factor[3 * stride];
    int at = 0;
    for (; at + 4 <= width; at += 4) {
        for (int i = at; i < at + 4; i++) {
            row[i] = row[i] - by_a * a[i] - by_b * b[i] - by_c * c[i] - by_d * d[i];
        }
    }
    for (; at < width; at++) {
        row[at] = row[at] - by_a * a[at] - by_b * b[at] - by_c * c[at] - by_d * d[at];
    }
}

static inline void subtract_one(double* restrict row, const double* restrict above, double by,
                                int width) {
    int at = 0;
    for (; at + 4 <= width; at += 4) {
        for (int i = at; i < at + 4; i++) {
            row[i] -= by * above[i];
        }
    }
    for (; at < width; at++) {
        row[at] -= by * above[at];
    }
}

static inline void subtract_rows(double* row, RowsAbove above, int width) {
    for (; above.count >= 4; above.count -= 4) {
        subtract_four(row, &above, width);
        above.numbers += 4 * above.stride;
        above.factors += 4 * above.stride;
    }
    for (; above.count > 0; above.count--) {
        subtract_one(row, above.numbers, *above.factors, width);
        above.numbers += above.stride;
        above.factors += above.stride;
    }
}

static inline PoiseRowSpan span_of(const PoiseCholesky* shape, int row) {
    return shape->spans ? shape->spans[row] : (PoiseRowSpan){0, shape->rows};
}

// Returns the pivot, or between 3/4 of `least` and `least` for a smaller pivot.
static double raised(double pivot, double least) {
    if (pivot >= least) {
        return pivot;
    }
    const double lack = 1.0 - poise_max(pivot, 0.0) / least;
    return poise_max(pivot, 0.0) + least * lack * lack;
}

static double smallest_pivot(const double* a, int rows, int stride, double zero) {
    double trace = 0.0;
    for (int i = 0; i < rows; i++) {
        trace += a[i * stride + i];
    }
    return zero * trace / rows;
}

// True if the matrix has this size, without gaps or spans.
static bool is_packed(const PoiseCholesky* shape, int rows) {
    return shape->rows == rows && shape->stride == rows &&
           (!shape->spans || shape->spans[0].end == rows);
}

// Factors a place or a pose, whose constant size unrolls the loops.
static inline void factor_small(double* a, const int m, double zero) {
    const double smallest = smallest_pivot(a, m, m, zero);
    for (int i = 0; i < m; i++) {
        for (int j = i; j < m; j++) {
            double sum = a[i * m + j];
            for (int k = 0; k < i; k++) {
                sum -= a[k * m + i] * a[k * m + j];
            }
            a[i * m + j] = j > i ? sum * a[i * m + i] : sum > smallest ? 1.0 / sqrt(sum) : 0.0;
        }
    }
}

static inline void solve_small(const double* a, const int m, double* b) {
    for (int i = 0; i < m; i++) {
        double sum = b[i];
        for (int k = 0; k < i; k++) {
            sum -= a[k * m + i] * b[k];
        }
        b[i] = sum * a[i * m + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        double sum = b[i];
        for (int k = i + 1; k < m; k++) {
            sum -= a[i * m + k] * b[k];
        }
        b[i] = sum * a[i * m + i];
    }
}

static void factor_large(const PoiseCholesky* shape, double* a) {
    const int m = shape->rows, stride = shape->stride;
    const double smallest = smallest_pivot(a, m, stride, shape->zero);
    for (int i = 0; i < m; i++) {
        const PoiseRowSpan span = span_of(shape, i);
        double* row = &a[i * stride + i];
        const double* above = &a[span.first * stride + i];
        subtract_rows(row, (RowsAbove){above, above, stride, i - span.first}, span.end - i);
        const double pivot = shape->least ? raised(row[0], shape->least[i]) : row[0];
        row[0] = pivot > smallest ? 1.0 / sqrt(pivot) : 0.0;
        for (int c = 1; c < span.end - i; c++) {
            row[c] *= row[0];
        }
    }
}

static void solve_large(const PoiseCholesky* shape, const double* factor, double* b) {
    for (int i = 0; i < shape->rows; i++) {
        const double* row = &factor[i * shape->stride];
        const int end = span_of(shape, i).end;
        b[i] *= row[i];
        subtract_one(&b[i + 1], &row[i + 1], b[i], end - i - 1);
    }
    for (int i = shape->rows - 1; i >= 0; i--) {
        const double* row = &factor[i * shape->stride];
        const int end = span_of(shape, i).end;
        double sum = b[i];
        for (int k = i + 1; k < end; k++) {
            sum -= row[k] * b[k];
        }
        b[i] = sum * row[i];
    }
}

void poise_cholesky_factor(const PoiseCholesky* shape, double* a) {
    if (!shape->least && is_packed(shape, 3)) {
        factor_small(a, 3, shape->zero);
    } else if (!shape->least && is_packed(shape, 6)) {
        factor_small(a, 6, shape->zero);
    } else {
        factor_large(shape, a);
    }
}

void poise_cholesky_solve(const PoiseCholesky* shape, const double* factor, double* b) {
    if (is_packed(shape, 3)) {
        solve_small(factor, 3, b);
    } else if (is_packed(shape, 6)) {
        solve_small(factor, 6, b);
    } else {
        solve_large(shape, factor, b);
    }
}
