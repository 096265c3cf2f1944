// SPDX-License-Identifier: MIT
// Elimination with full pivoting and Givens updates (shared/dense.h). Sums run in one fixed order
// for every size: loops that are unrolled for a size give the same bits as the general ones.
#include "shared/dense.h"

#include <math.h>

#include "poise/math.h"

// ------------------------------------------------------------------------------------- elimination

static void swap(double* a, double* b) {
    const double was = *a;
    *a = *b;
    *b = was;
}

// Moves the largest number of the rows and columns from k on to (k, k), and returns it.
static double bring_pivot(const PoiseEquations* e, int k) {
    const int n = e->n;
    double* a = e->a;
    int row = k, column = k;
    double largest = fabs(a[k * n + k]);
    for (int i = k; i < n; i++) {
        for (int j = k; j < n; j++) {
            if (fabs(a[i * n + j]) > largest) {
                largest = fabs(a[i * n + j]);
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
    enum { WIDE = 4 };
    const int n = e->n;
    const double* from = &e->a[k * n];
    for (int i = k + 1; i < n; i++) {
        double* restrict row = &e->a[i * n];
        const double factor = row[k] / from[k];
        int j = k;
        for (; j + WIDE <= n; j += WIDE) {
            for (int c = j; c < j + WIDE; c++) {
                row[c] -= factor * from[c];
            }
        }
        for (; j < n; j++) {
            row[j] -= factor * from[j];
        }
        for (j = 0; j < e->columns; j++) {
            e->b[i * e->columns + j] -= factor * e->b[k * e->columns + j];
        }
    }
}

// Solves for right-hand side `c` by back substitution, and undoes the exchanges of columns.
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
    // The lower triangle is no longer needed: column 0 holds the unknowns, and (0, 0) is restored.
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

// --------------------------------------------------------------------------------------- triangles

void poise_triangle_add_row(double* r, double* x, int count) {
    for (int i = 0; i < count; i++) {
        double* row = &r[i * count];
        const double length = poise_hypot(row[i], x[i]);
        if (length == 0.0) {
            continue; // the number is already 0
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
