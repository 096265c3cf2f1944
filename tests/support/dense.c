// SPDX-License-Identifier: MIT
#include "dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Distance by which rounding may leave a free unknown outside its bounds.
#define ON_BOUND 1e-13

static void swap(long double* a, long double* b) {
    long double t = *a;
    *a = *b;
    *b = t;
}

bool dense_solve(long double* a, long double* b, int n) {
    int column_at[DENSE_MOST];
    long double x[DENSE_MOST];
    for (int i = 0; i < n; i++) {
        column_at[i] = i;
    }
    for (int k = 0; k < n; k++) {
        int row = k, column = k;
        for (int i = k; i < n; i++) {
            for (int j = k; j < n; j++) {
                if (fabsl(a[i * n + j]) > fabsl(a[row * n + column])) {
                    row = i;
                    column = j;
                }
            }
        }
        if (a[row * n + column] == 0.0L) {
            return false;
        }
        for (int j = 0; j < n; j++) {
            swap(&a[k * n + j], &a[row * n + j]);
        }
        swap(&b[k], &b[row]);
        for (int i = 0; i < n; i++) {
            swap(&a[i * n + k], &a[i * n + column]);
        }
        int t = column_at[k];
        column_at[k] = column_at[column];
        column_at[column] = t;
        for (int i = k + 1; i < n; i++) {
            long double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        long double sum = b[k];
        for (int j = k + 1; j < n; j++) {
            sum -= a[k * n + j] * x[j];
        }
        x[k] = sum / a[k * n + k];
    }
    for (int k = 0; k < n; k++) {
        b[column_at[k]] = x[k];
    }
    return true;
}

bool dense_damped_least_squares(const DenseProblem* problem, double* x) {
    const double* const j = problem->j;
    const double* const v = problem->v;
    const int rows = problem->rows;
    const int columns = problem->columns;
    const double lambda = problem->lambda;
    long double a[DENSE_MOST * DENSE_MOST];
    long double b[DENSE_MOST];
    for (int r = 0; r < columns; r++) {
        b[r] = 0.0L;
        for (int c = 0; c < columns; c++) {
            long double sum = r == c ? (long double)lambda : 0.0L;
            for (int k = 0; k < rows; k++) {
                sum += (long double)j[k * columns + r] * (long double)j[k * columns + c];
            }
            a[r * columns + c] = sum;
        }
        for (int k = 0; k < rows; k++) {
            b[r] += (long double)j[k * columns + r] * (long double)v[k];
        }
    }
    bool solved = dense_solve(a, b, columns);
    for (int c = 0; solved && c < columns; c++) {
        x[c] = (double)b[c];
    }
    return solved;
}

double dense_damped_cost(const DenseProblem* problem, const double* x) {
    const double* const j = problem->j;
    const double* const v = problem->v;
    const int rows = problem->rows;
    const int columns = problem->columns;
    const double lambda = problem->lambda;
    double cost = 0.0;
    for (int k = 0; k < rows; k++) {
        double residual = -v[k];
        for (int c = 0; c < columns; c++) {
            residual += j[k * columns + c] * x[c];
        }
        cost += residual * residual;
    }
    for (int c = 0; c < columns; c++) {
        cost += lambda * x[c] * x[c];
    }
    return cost;
}

// Solves for the unknowns that are free, with the others at their bounds. `held`: 0 free, 1 at the
// lower bound, 2 at the upper bound.
static bool solve_held(const DenseProblem* problem, const int* held, double* x) {
    const double* const j = problem->j;
    const double* const v = problem->v;
    const int rows = problem->rows;
    const int columns = problem->columns;
    const double* const bounds = problem->bounds;
    const double lambda = problem->lambda;
    double part[DENSE_MOST * DENSE_MOST];
    double rest[DENSE_MOST];
    double free_x[DENSE_MOST];
    int free_count = 0;
    memcpy(rest, v, (size_t)rows * sizeof *rest);
    for (int c = 0; c < columns; c++) {
        free_count += held[c] == 0;
        x[c] = held[c] == 0 ? 0.0 : bounds[2 * c + held[c] - 1];
    }
    for (int k = 0; k < rows; k++) {
        int at = 0;
        for (int c = 0; c < columns; c++) {
            if (held[c] == 0) {
                part[k * free_count + at++] = j[k * columns + c];
            } else {
                rest[k] -= j[k * columns + c] * x[c];
            }
        }
    }
    if (free_count == 0) {
        return true;
    }
    if (!dense_damped_least_squares(&(DenseProblem){part, rows, free_count, rest, lambda, NULL},
                                    free_x)) {
        return false;
    }
    int at = 0;
    for (int c = 0; c < columns; c++) {
        if (held[c] == 0) {
            x[c] = free_x[at++];
            if (x[c] < bounds[2 * c] - ON_BOUND || x[c] > bounds[2 * c + 1] + ON_BOUND) {
                return false;
            }
        }
    }
    return true;
}

double dense_box_least_squares(const DenseProblem* problem, double* x) {
    const int columns = problem->columns;
    const double* const bounds = problem->bounds;
    int held[DENSE_MOST] = {0};
    double trial[DENSE_MOST];
    double best = DBL_MAX;
    for (;;) {
        bool finite = true;
        for (int c = 0; c < columns; c++) {
            finite = finite && (held[c] == 0 || isfinite(bounds[2 * c + held[c] - 1]));
        }
        if (finite && solve_held(problem, held, trial)) {
            double cost = dense_damped_cost(problem, trial);
            if (cost < best) {
                best = cost;
                memcpy(x, trial, (size_t)columns * sizeof *x);
            }
        }
        int c = 0;
        while (c < columns && ++held[c] == 3) {
            held[c++] = 0;
        }
        if (c == columns) {
            return best;
        }
    }
}
