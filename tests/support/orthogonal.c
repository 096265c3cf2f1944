// SPDX-License-Identifier: MIT
#include "orthogonal.h"

#include <math.h>

enum { MOST_SWEEPS = 60 };

// Largest cosine of the angle between two orthogonal columns.
#define RIGHT_ANGLE 1e-19L

typedef struct Stack {
    long double a[2 * DENSE_MOST][DENSE_MOST];
    long double b[2 * DENSE_MOST];
    int rows;
    int columns;
} Stack;

// Reflects the rows from `k` down so that column k becomes (diagonal, 0, 0, ..).
static void reflect(Stack* stack, int k) {
    long double u[2 * DENSE_MOST] = {0.0L}, norm2 = 0.0L;
    for (int r = k; r < stack->rows; r++) {
        u[r] = stack->a[r][k];
        norm2 += u[r] * u[r];
    }
    const long double diagonal = u[k] > 0.0L ? -sqrtl(norm2) : sqrtl(norm2);
    u[k] -= diagonal;
    long double u2 = 0.0L;
    for (int r = k; r < stack->rows; r++) {
        u2 += u[r] * u[r];
    }
    if (u2 == 0.0L) {
        return;
    }
    for (int c = k; c <= stack->columns; c++) {
        long double along = 0.0L;
        for (int r = k; r < stack->rows; r++) {
            along += u[r] * (c < stack->columns ? stack->a[r][c] : stack->b[r]);
        }
        along *= 2.0L / u2;
        for (int r = k; r < stack->rows; r++) {
            long double* entry = c < stack->columns ? &stack->a[r][c] : &stack->b[r];
            *entry -= along * u[r];
        }
    }
}

void orthogonal_damped_least_squares(const DenseProblem* problem, double* x) {
    const double* const j = problem->j;
    const double* const v = problem->v;
    const int rows = problem->rows;
    const int columns = problem->columns;
    const double lambda = problem->lambda;
    static Stack stack;
    stack.rows = rows + columns;
    stack.columns = columns;
    for (int r = 0; r < stack.rows; r++) {
        stack.b[r] = r < rows ? (long double)v[r] : 0.0L;
        for (int c = 0; c < columns; c++) {
            stack.a[r][c] = r < rows        ? (long double)j[r * columns + c]
                            : r - rows == c ? sqrtl((long double)lambda)
                                            : 0.0L;
        }
    }
    for (int k = 0; k < columns; k++) {
        reflect(&stack, k);
    }
    for (int k = columns - 1; k >= 0; k--) {
        long double sum = stack.b[k];
        for (int c = k + 1; c < columns; c++) {
            sum -= stack.a[k][c] * (long double)x[c];
        }
        x[k] = (double)(sum / stack.a[k][k]);
    }
}

typedef struct Svd {
    // J^T, rotated until its columns are orthogonal; accumulates the product of the rotations
    long double a[DENSE_MOST][DENSE_MOST];
    long double turns[DENSE_MOST][DENSE_MOST];
} Svd;

// Rotates columns p and q by an angle of tangent t.
static void turn_pair(long double (*m)[DENSE_MOST], int rows, int p, int q, long double t) {
    const long double c = 1.0L / sqrtl(1.0L + t * t), s = c * t;
    for (int r = 0; r < rows; r++) {
        const long double a = m[r][p], b = m[r][q];
        m[r][p] = c * a - s * b;
        m[r][q] = s * a + c * b;
    }
}

// Makes columns p and q orthogonal. False if they already are.
static bool turn(Svd* svd, int height, int width, int p, int q) {
    long double pp = 0.0L, qq = 0.0L, pq = 0.0L;
    for (int r = 0; r < height; r++) {
        pp += svd->a[r][p] * svd->a[r][p];
        qq += svd->a[r][q] * svd->a[r][q];
        pq += svd->a[r][p] * svd->a[r][q];
    }
    if (fabsl(pq) <= RIGHT_ANGLE * sqrtl(pp * qq)) {
        return false;
    }
    const long double zeta = (qq - pp) / (2.0L * pq);
    const long double t = (zeta >= 0.0L ? 1.0L : -1.0L) / (fabsl(zeta) + sqrtl(1.0L + zeta * zeta));
    turn_pair(svd->a, height, p, q, t);
    turn_pair(svd->turns, width, p, q, t);
    return true;
}

int orthogonal_least_norm(const DenseProblem* problem, double zero, double* x, double* condition) {
    const double* const j = problem->j;
    const double* const v = problem->v;
    const int rows = problem->rows;
    const int columns = problem->columns;
    static Svd svd;
    for (int c = 0; c < rows; c++) {
        for (int r = 0; r < columns; r++) {
            svd.a[r][c] = (long double)j[c * columns + r];
        }
        for (int r = 0; r < rows; r++) {
            svd.turns[r][c] = r == c ? 1.0L : 0.0L;
        }
    }
    bool turned = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && turned; sweep++) {
        turned = false;
        for (int p = 0; p < rows; p++) {
            for (int q = p + 1; q < rows; q++) {
                turned = turn(&svd, columns, rows, p, q) || turned;
            }
        }
    }
    // J^T = A turns^T, with orthogonal columns of A: x = sum of a_k (turns_k . v) / |a_k|^2
    long double square[DENSE_MOST], sum[DENSE_MOST] = {0.0L}, largest = 0.0L, smallest = HUGE_VALL;
    for (int k = 0; k < rows; k++) {
        square[k] = 0.0L;
        for (int r = 0; r < columns; r++) {
            square[k] += svd.a[r][k] * svd.a[r][k];
        }
        largest = fmaxl(largest, square[k]);
    }
    int rank = 0;
    for (int k = 0; k < rows; k++) {
        if (!(square[k] > (long double)zero * (long double)zero * largest)) {
            continue;
        }
        rank++;
        smallest = fminl(smallest, square[k]);
        long double part = 0.0L;
        for (int r = 0; r < rows; r++) {
            part += svd.turns[r][k] * (long double)v[r];
        }
        for (int r = 0; r < columns; r++) {
            sum[r] += svd.a[r][k] * part / square[k];
        }
    }
    for (int r = 0; r < columns; r++) {
        x[r] = (double)sum[r];
    }
    *condition = rank > 0 ? (double)sqrtl(largest / smallest) : 1.0;
    return rank;
}
