// SPDX-License-Identifier: MIT
// Cholesky for the rows of points, elimination with full pivoting for what may be singular.
#include "dense.h"

#include "poise/math.h"

#include <math.h>

void poise__dense_factor(double* a, int m, int stride, const double* least) {
    for (int i = 0; i < m; i++) {
        double* row = &a[i * stride];
        double pivot = row[i];
        for (int j = 0; j < i; j++) {
            const double* other = &a[j * stride];
            double sum = row[j];
            for (int k = 0; k < j; k++) {
                sum -= row[k] * other[k];
            }
            row[j] = sum * other[j];
            pivot -= row[j] * row[j];
        }
        if (least && pivot < least[i]) {
            const double lack = 1.0 - poise_max(pivot, 0.0) / least[i];
            pivot = poise_max(pivot, 0.0) + least[i] * lack * lack;
        }
        row[i] = pivot > 0.0 ? 1.0 / sqrt(pivot) : 0.0;
    }
}

void poise__dense_factor_solve(const double* a, int k, int stride, double* b) {
    for (int i = 0; i < k; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++) {
            sum -= a[i * stride + j] * b[j];
        }
        b[i] = sum * a[i * stride + i];
    }
    for (int i = k - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < k; j++) {
            sum -= a[j * stride + i] * b[j];
        }
        b[i] = sum * a[i * stride + i];
    }
}

static void swap(double* a, double* b) {
    const double was = *a;
    *a = *b;
    *b = was;
}

// brings the largest number of what is left to (k, k); returns it
static double bring_pivot(double* a, int n, double* b, int columns, int k, int* order) {
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
    for (int j = 0; row != k && j < columns; j++) {
        swap(&b[row * columns + j], &b[k * columns + j]);
    }
    for (int i = 0; column != k && i < n; i++) {
        swap(&a[i * n + column], &a[i * n + k]);
    }
    const int was = order[k];
    order[k] = order[column];
    order[column] = was;
    return a[k * n + k];
}

static void eliminate_below(double* a, int n, double* b, int columns, int k) {
    for (int i = k + 1; i < n; i++) {
        const double factor = a[i * n + k] / a[k * n + k];
        for (int j = k; j < n; j++) {
            a[i * n + j] -= factor * a[k * n + j];
        }
        for (int j = 0; j < columns; j++) {
            b[i * columns + j] -= factor * b[k * columns + j];
        }
    }
}

// the unknowns of one right side, upwards, and back into their own order through the column of a
// that is free by then
static void substitute(double* a, int n, int rank, double* b, int columns, int c,
                       const int* order) {
    for (int i = n - 1; i >= 0; i--) {
        double sum = i < rank ? b[i * columns + c] : 0.0;
        for (int j = i + 1; j < rank; j++) {
            sum -= a[i * n + j] * b[j * columns + c];
        }
        b[i * columns + c] = i < rank ? sum / a[i * n + i] : 0.0;
    }
    // below the diagonal nothing is needed any more: column 0 and, of the first row, its pivot
    const double first = a[0];
    for (int i = 0; i < n; i++) {
        a[i * n] = b[i * columns + c];
    }
    for (int i = 0; i < n; i++) {
        b[order[i] * columns + c] = a[i * n];
    }
    a[0] = first;
}

int poise__dense_eliminate(double* a, int n, double* b, int columns, double relative, int* order) {
    double largest = 0.0;
    for (int i = 0; i < n * n; i++) {
        largest = poise_max(largest, fabs(a[i]));
    }
    for (int i = 0; i < n; i++) {
        order[i] = i;
    }
    int rank = 0;
    while (rank < n && fabs(bring_pivot(a, n, b, columns, rank, order)) > relative * largest) {
        eliminate_below(a, n, b, columns, rank);
        rank++;
    }
    for (int c = 0; c < columns && n > 0; c++) {
        substitute(a, n, rank, b, columns, c, order);
    }
    return rank;
}
