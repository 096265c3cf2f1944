// SPDX-License-Identifier: MIT
// Small dense algebra (shared/dense.h). Sums run in a fixed order, the same for every size, so that
// written-out sizes give the same bits as the general loops.
#include "shared/dense.h"

#include <math.h>

#include "poise/math.h"

// projected twice a row is orthogonal to all digits
enum { PASSES = 2 };

// ------------------------------------------------------------------------------------- elimination

static void swap(double* a, double* b) {
    const double was = *a;
    *a = *b;
    *b = was;
}

// Moves the largest number of the rest to (k, k); returns the number.
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
        const double length = poise_hypot(row[i], x[i]);
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
