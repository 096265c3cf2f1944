// SPDX-License-Identifier: MIT
// Cholesky factors (shared/dense.h), row by row inside the spans. The rows above are subtracted
// from each number in a fixed order, so that all block sizes give the same bits.
#include <math.h>

#include "poise/math.h"
#include "shared/clones.h"
#include "shared/dense.h"

enum { BLOCK = 8 };

/// The rows above a row of a Cholesky factor. Each is multiplied by its number in column `factor`
/// and subtracted from that row.
typedef struct RowsAbove {
    const double* numbers; ///< the first of these rows, from column 0 on
    int stride;            ///< distance between neighbouring rows, in numbers
    int count;
    int factor; ///< column of the multipliers: the index of the row that is reduced
} RowsAbove;

// Subtracts the rows above from `width` adjacent numbers of a row. `width` is a constant, so that
// gcc keeps the sums in registers.
static inline void subtract_block(double* row, const RowsAbove* above, int column,
                                  const int width) {
    double sums[BLOCK];
    const double* numbers = above->numbers;
    for (int c = 0; c < width; c++) {
        sums[c] = row[column + c];
    }
    for (int k = 0; k < above->count; k++, numbers += above->stride) {
        for (int c = 0; c < width; c++) {
            sums[c] -= numbers[above->factor] * numbers[column + c];
        }
    }
    for (int c = 0; c < width; c++) {
        row[column + c] = sums[c];
    }
}

// Subtracts the rows above from columns `first` to `end` - 1 of a row, block by block from the end.
// The last block may extend to the left into the lower triangle, which is never read.
static inline void subtract_rows(double* row, const RowsAbove* above, int first, int end) {
    for (; end > first && end >= BLOCK; end -= BLOCK) {
        subtract_block(row, above, end - BLOCK, BLOCK);
    }
    for (; end > first && end >= 2; end -= 2) {
        subtract_block(row, above, end - 2, 2);
    }
    if (end > first) {
        subtract_block(row, above, 0, 1);
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

static inline void scale(double* row, double by, int width) {
    int at = 0;
    for (; at + 4 <= width; at += 4) {
        for (int i = at; i < at + 4; i++) {
            row[i] *= by;
        }
    }
    for (; at < width; at++) {
        row[at] *= by;
    }
}

static inline PoiseRowSpan span_of(const PoiseCholesky* shape, int row) {
    return shape->spans ? shape->spans[row] : (PoiseRowSpan){0, shape->rows};
}

// Returns the pivot; below `least`, a value from 3/4 `least` to `least`, with a smooth change.
static double raised(double pivot, double least) {
    if (!(pivot < least && least > 0.0)) {
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

// True if the matrix has `rows` adjacent rows and no spans.
static bool is_packed(const PoiseCholesky* shape, int rows) {
    return shape->rows == rows && shape->stride == rows &&
           (!shape->spans || shape->spans[0].end == rows);
}

// Factors a matrix of a size known to the compiler, 3 (position) or 6 (pose), with unrolled loops.
static inline void factor_small(double* a, const int m, double zero) {
    const double smallest = smallest_pivot(a, m, m, zero);
    const int width = m > 4 ? 4 : 2; // width of the leftmost block
    for (int i = 0; i < m; i++) {
        double* row = &a[i * m];
        const RowsAbove above = {a, m, i, i};
        subtract_block(row, &above, m - width, width);
        if (i < m - width) {
            subtract_block(row, &above, 0, m - width);
        }
        row[i] = row[i] > smallest ? 1.0 / sqrt(row[i]) : 0.0;
        for (int j = i + 1; j < m; j++) {
            row[j] *= row[i];
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
        double* row = &a[i * stride];
        const RowsAbove above = {&a[span.first * stride], stride, i - span.first, i};
        subtract_rows(row, &above, i, span.end);
        const double pivot = shape->least ? raised(row[i], shape->least[i]) : row[i];
        row[i] = pivot > smallest ? 1.0 / sqrt(pivot) : 0.0;
        scale(&row[i + 1], row[i], span.end - i - 1);
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
        int k = i + 1;
        for (; k + 4 <= end; k += 4) {
            sum = sum - row[k] * b[k] - row[k + 1] * b[k + 1] - row[k + 2] * b[k + 2] -
                  row[k + 3] * b[k + 3];
        }
        for (; k < end; k++) {
            sum -= row[k] * b[k];
        }
        b[i] = sum * row[i];
    }
}

POISE_CLONES void poise_cholesky_factor(const PoiseCholesky* shape, double* a) {
    if (!shape->least && is_packed(shape, 6)) {
        factor_small(a, 6, shape->zero);
    } else if (!shape->least && is_packed(shape, 3)) {
        factor_small(a, 3, shape->zero);
    } else {
        factor_large(shape, a);
    }
}

POISE_CLONES void poise_cholesky_solve(const PoiseCholesky* shape, const double* factor,
                                       double* b) {
    if (is_packed(shape, 6)) {
        solve_small(factor, 6, b);
    } else if (is_packed(shape, 3)) {
        solve_small(factor, 3, b);
    } else {
        solve_large(shape, factor, b);
    }
}
