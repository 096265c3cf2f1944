// SPDX-License-Identifier: MIT
// Small dense algebra (poise/dense.h). Sums run in a fixed order, the same for every size, so that
// written-out sizes give the same bits as the general loops.
#include "poise/dense.h"

#include <math.h>

#include "poise/math.h"
#include "two.h"

// projected twice a row is orthogonal to all digits
enum { PASSES = 2 };

// ---------------------------------------------------------------------------------------- Cholesky

static double smallest_pivot(const double* a, int m, int stride, double zero) {
    double trace = 0.0;
    for (int i = 0; i < m; i++) {
        trace += a[i * stride + i];
    }
    return zero * trace / m;
}

// called with a constant m, so that the loops unroll
static inline void factor_small(double* a, const int m, const int stride, double smallest) {
    for (int i = 0; i < m; i++) {
        double* row = &a[i * stride];
        for (int k = 0; k < i; k++) {
            row[i] -= a[k * stride + i] * a[k * stride + i];
        }
        row[i] = row[i] > smallest ? 1.0 / sqrt(row[i]) : 0.0;
        for (int j = i + 1; j < m; j++) {
            double sum = row[j];
            for (int k = 0; k < i; k++) {
                sum -= a[k * stride + i] * a[k * stride + j];
            }
            row[j] = sum * row[i];
        }
    }
}

static inline void solve_small(const double* a, const int m, const int stride, double* y) {
    for (int i = 0; i < m; i++) {
        double sum = y[i];
        for (int k = 0; k < i; k++) {
            sum -= a[k * stride + i] * y[k];
        }
        y[i] = sum * a[i * stride + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        double sum = y[i];
        for (int k = i + 1; k < m; k++) {
            sum -= a[i * stride + k] * y[k];
        }
        y[i] = sum * a[i * stride + i];
    }
}

/// Rows that are taken off another, one after the other, each times its factor.
typedef struct RowsAbove {
    const double* numbers; ///< of the first, where the other begins
    const double* factors; ///< the first one's
    int stride;            ///< of both
    int count;
} RowsAbove;

/// Numbers of a row that are changed at a time, their sums in registers.
enum { CHUNK = 8 };

// With wider registers (-march=native) gcc 12 copies the sums of a chunk through memory that it
// takes to be aligned and has not aligned: it does where it is told.
#ifdef __AVX__
#define SUMS_ALIGNED _Alignas(32)
#else
#define SUMS_ALIGNED
#endif

// called with a constant width, so that the loops over it unroll
static inline void take_off_chunk(double* row, const RowsAbove* above, int at, const int width) {
    SUMS_ALIGNED Two sums[CHUNK / 2];
    const double* numbers = &above->numbers[at];
    const double* factors = above->factors;
    for (int c = 0; c < width / 2; c++) {
        sums[c] = *poise__two(&row[at + 2 * c]);
    }
    for (int k = 0; k < above->count; k++) {
        const Two factor = {*factors, *factors};
        for (int c = 0; c < width / 2; c++) {
            sums[c] -= factor * *poise__two(&numbers[2 * c]);
        }
        numbers += above->stride;
        factors += above->stride;
    }
    for (int c = 0; c < width / 2; c++) {
        *poise__two_out(&row[at + 2 * c]) = sums[c];
    }
}

static inline void take_off(double* row, const RowsAbove* above, const int width) {
    int at = 0;
    for (; at + CHUNK <= width; at += CHUNK) {
        take_off_chunk(row, above, at, CHUNK);
    }
    if ((width & 4) != 0) {
        take_off_chunk(row, above, at, 4);
        at += 4;
    }
    if ((width & 2) != 0) {
        take_off_chunk(row, above, at, 2);
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
static void factor_large(const PoiseCholesky* shape, double* a) {
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

static void solve_large(const PoiseCholesky* shape, const double* a, double* y) {
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

void poise_cholesky_factor(const PoiseCholesky* shape, double* a) {
    const bool packed = shape->stride == shape->rows && !shape->least;
    if (packed && shape->rows == 3) {
        factor_small(a, 3, 3, smallest_pivot(a, 3, 3, shape->zero));
    } else if (packed && shape->rows == 6) {
        factor_small(a, 6, 6, smallest_pivot(a, 6, 6, shape->zero));
    } else {
        factor_large(shape, a);
    }
}

void poise_cholesky_solve(const PoiseCholesky* shape, const double* factor, double* b) {
    if (shape->rows == 3 && shape->stride == 3) {
        solve_small(factor, 3, 3, b);
    } else if (shape->rows == 6 && shape->stride == 6) {
        solve_small(factor, 6, 6, b);
    } else {
        solve_large(shape, factor, b);
    }
}

// ------------------------------------------------------------------------------------- elimination

static void swap(double* a, double* b) {
    const double was = *a;
    *a = *b;
    *b = was;
}

// brings the largest number of what is left to (k, k); returns it
static double bring_pivot(const PoiseEquations* e, int k) {
    const int n = e->n;
    double* a = e->a;
    int row = k, column = k;
    for (int i = k; i < n; i++) {
        for (int j = k; j < n; j++) {
            if (fabs(a[i * n + j]) > fabs(a[row * n + column])) {
                row = i;
                column = j;
            }
        }
    }
    for (int j = 0; row != k && j < n; j++) {
        swap(&a[row * n + j], &a[k * n + j]);
    }
    for (int j = 0; row != k && j < e->columns; j++) {
        swap(&e->b[row * e->columns + j], &e->b[k * e->columns + j]);
    }
    for (int i = 0; column != k && i < n; i++) {
        swap(&a[i * n + column], &a[i * n + k]);
    }
    const int was = e->order[k];
    e->order[k] = e->order[column];
    e->order[column] = was;
    return a[k * n + k];
}

static void eliminate_below(const PoiseEquations* e, int k) {
    const int n = e->n;
    for (int i = k + 1; i < n; i++) {
        const double factor = e->a[i * n + k] / e->a[k * n + k];
        for (int j = k; j < n; j++) {
            e->a[i * n + j] -= factor * e->a[k * n + j];
        }
        for (int j = 0; j < e->columns; j++) {
            e->b[i * e->columns + j] -= factor * e->b[k * e->columns + j];
        }
    }
}

// the unknowns of right side `c`, upwards, and back into their own order through the column of a
// that is free by then
static void substitute(const PoiseEquations* e, int rank, int c) {
    const int n = e->n, columns = e->columns;
    double* b = &e->b[c];
    for (int i = n - 1; i >= 0; i--) {
        double sum = i < rank ? b[i * columns] : 0.0;
        for (int j = i + 1; j < rank; j++) {
            sum -= e->a[i * n + j] * b[j * columns];
        }
        b[i * columns] = i < rank ? sum / e->a[i * n + i] : 0.0;
    }
    // below the diagonal nothing is needed any more: column 0 and, of the first row, its pivot
    const double first = e->a[0];
    for (int i = 0; i < n; i++) {
        e->a[i * n] = b[i * columns];
    }
    for (int i = 0; i < n; i++) {
        b[e->order[i] * columns] = e->a[i * n];
    }
    e->a[0] = first;
}

int poise_dense_eliminate(const PoiseEquations* equations, double relative) {
    const int n = equations->n;
    double largest = 0.0;
    for (int i = 0; i < n * n; i++) {
        largest = poise_max(largest, fabs(equations->a[i]));
    }
    for (int i = 0; i < n; i++) {
        equations->order[i] = i;
    }
    int rank = 0;
    while (rank < n && fabs(bring_pivot(equations, rank)) > relative * largest) {
        eliminate_below(equations, rank);
        rank++;
    }
    for (int c = 0; c < equations->columns && n > 0; c++) {
        substitute(equations, rank, c);
    }
    return rank;
}

// ------------------------------------------------------------------------------------------- bases

static double product(const PoiseBasis* basis, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < basis->columns; i++) {
        sum += basis->counted[i] * a[i] * b[i];
    }
    return sum;
}

void poise_basis_project(const PoiseBasis* basis, double* row, double* parts) {
    for (int pass = 0; pass < PASSES; pass++) {
        for (int k = 0; k < basis->count; k++) {
            const double* axis = &basis->axes[k * basis->columns];
            const double part = product(basis, axis, row);
            for (int i = 0; i < basis->columns; i++) {
                row[i] -= part * axis[i];
            }
            if (parts) {
                parts[k] += part;
            }
        }
    }
}

double poise_basis_add(PoiseBasis* basis, double* row, double zero, double* parts) {
    for (int k = 0; parts && k <= basis->count; k++) {
        parts[k] = 0.0;
    }
    const double before = product(basis, row, row);
    poise_basis_project(basis, row, parts);
    const double left = product(basis, row, row);
    if (!(left > zero * zero * before)) {
        return 0.0;
    }
    const double length = sqrt(left);
    if (parts) {
        parts[basis->count] = length;
    }
    double* axis = &basis->axes[basis->count++ * basis->columns];
    for (int i = 0; i < basis->columns; i++) {
        axis[i] = row[i] / length;
    }
    return length;
}

// A reflection of the axes among themselves leaves the column's number in the first axis alone,
// which is made of length 1 again without it.
bool poise_basis_leave_out(PoiseBasis* basis, int column, double zero, double* scratch) {
    const int n = basis->columns;
    double square = 0.0;
    for (int k = 0; k < basis->count; k++) {
        square += basis->axes[k * n + column] * basis->axes[k * n + column];
    }
    if (!(1.0 - square > zero)) {
        return false;
    }
    if (!(square > 0.0)) {
        return true;
    }
    // v = (the column's numbers) + |them| e_0, of that sign which loses no digits
    const double first = basis->axes[column];
    const double v0 = first + (first < 0.0 ? -sqrt(square) : sqrt(square));
    const double v2 = square - first * first + v0 * v0;
    for (int i = 0; i < n; i++) {
        scratch[i] = v0 * basis->axes[i];
    }
    for (int k = 1; k < basis->count; k++) {
        const double v = basis->axes[k * n + column];
        for (int i = 0; i < n; i++) {
            scratch[i] += v * basis->axes[k * n + i];
        }
    }
    const double longer = 1.0 / sqrt(1.0 - square);
    for (int k = 0; k < basis->count; k++) {
        double* axis = &basis->axes[k * n];
        const double factor = 2.0 / v2 * (k == 0 ? v0 : axis[column]);
        for (int i = 0; i < n; i++) {
            axis[i] = (axis[i] - factor * scratch[i]) * (k == 0 ? longer : 1.0);
        }
    }
    return true;
}

// --------------------------------------------------------------------------------------- triangles

void poise_triangle_add_row(double* r, double* x, int count) {
    for (int i = 0; i < count; i++) {
        double* row = &r[i * count];
        const double length = hypot(row[i], x[i]);
        if (length == 0.0) {
            continue; // nothing to turn
        }
        const double c = row[i] / length;
        const double s = x[i] / length;
        row[i] = length;
        for (int k = i + 1; k < count; k++) {
            const double above = row[k];
            row[k] = c * above + s * x[k];
            x[k] = c * x[k] - s * above;
        }
    }
}
