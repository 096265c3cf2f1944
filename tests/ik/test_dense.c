// SPDX-License-Identifier: MIT
// Tests the dense algebra that all solvers use (shared/dense.h), against products and elimination
// in long double.
#include <criterion/criterion.h>
#include <string.h>

#include "dense.h"
#include "near.h"
#include "random.h"
#include "shared/dense.h"
#include "size.h"

enum { MOST = 24, CASES = 400 };

// Fills a = B B^T of m rows `stride` apart, B m x n.
static void fill_positive(Random* random, double* a, int m, int stride, int n) {
    double b[MOST * MOST];
    random_fill(random, b, m * n);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++) {
            double sum = 0.0;
            for (int c = 0; c < n; c++) {
                sum += b[i * n + c] * b[k * n + c];
            }
            a[i * stride + k] = sum;
        }
    }
}

static double residual_of(const double* a, int m, int stride, const double* x, const double* b) {
    double worst = 0.0;
    for (int i = 0; i < m; i++) {
        long double sum = -(long double)b[i];
        for (int k = 0; k < m; k++) {
            sum += (long double)a[i * stride + k] * (long double)x[k];
        }
        worst = fmax(worst, fabs((double)sum));
    }
    return worst;
}

// Covers sizes with and without code of their own, packed and with a longer stride.
Test(dense, cholesky_solves) {
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(100 + (uint64_t)i);
        const int m = 1 + i % (MOST - 2);
        const int stride = i % 3 == 0 ? m + 2 : m;
        double a[MOST * MOST], factor[MOST * MOST], b[MOST], x[MOST];
        fill_positive(&random, a, m, stride, m + 4);
        memcpy(factor, a, sizeof a);
        // the lower triangle is not read
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < r; c++) {
                factor[r * stride + c] = (double)NAN;
            }
        }
        random_fill(&random, b, m);
        memcpy(x, b, sizeof b);
        const PoiseCholesky shape = {m, stride, NULL, NULL, 1e-15};
        poise_cholesky_factor(&shape, factor);
        poise_cholesky_solve(&shape, factor, x);
        EXPECT_NEAR(residual_of(a, m, stride, x, b), 0.0, 1e-13 * largest_of(x, m) * (m + 4));
    }
}

// Some rows are sums of two others; the equations are still met where they can be.
Test(dense, cholesky_leaves_implied_rows_out) {
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(900 + (uint64_t)i);
        const int m = 2 + i % 10, rank = 1 + random_index(&random, m - 1);
        double rows[MOST * MOST], a[MOST * MOST], factor[MOST * MOST], b[MOST] = {0.0}, x[MOST];
        double y[MOST];
        random_fill(&random, rows, m * MOST);
        for (int r = 0; r < m; r++) {
            // rows at large angles to each other, so that no rounding error grows
            for (int c = 0; c < MOST; c++) {
                rows[r * MOST + c] = r < rank ? 0.1 * rows[r * MOST + c] + (r == c)
                                              : rows[(r % rank) * MOST + c] + rows[c];
            }
        }
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < m; c++) {
                a[r * m + c] = 0.0;
                for (int k = 0; k < MOST; k++) {
                    a[r * m + c] += rows[r * MOST + k] * rows[c * MOST + k];
                }
            }
        }
        memcpy(factor, a, sizeof a);
        random_fill(&random, y, m);
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < m; c++) {
                b[r] += a[r * m + c] * y[c];
            }
        }
        memcpy(x, b, sizeof b);
        const PoiseCholesky shape = {m, m, NULL, NULL, 1e-13};
        poise_cholesky_factor(&shape, factor);
        poise_cholesky_solve(&shape, factor, x);
        for (int r = 0; r < m; r++) {
            cr_expect_eq(factor[r * m + r] != 0.0, r < rank, "case %d: row %d", i, r);
            cr_expect(r < rank || x[r] == 0.0);
        }
        EXPECT_NEAR(residual_of(a, m, m, x, b), 0.0, 1e-12 * m);
    }
}

// Two sets of rows share no column and alternate: the result equals that without spans to the last
// bit.
Test(dense, spans_change_nothing) {
    enum { ROWS = 10 };
    Random random = random_from(7);
    double a[ROWS * ROWS], plain[ROWS * ROWS], x[ROWS], y[ROWS];
    PoiseRowSpan spans[ROWS];
    fill_positive(&random, a, ROWS, ROWS, ROWS + 3);
    for (int r = 0; r < ROWS; r++) {
        spans[r] = r < 6 ? (PoiseRowSpan){0, 6} : (PoiseRowSpan){6, ROWS};
        for (int c = 0; c < ROWS; c++) {
            a[r * ROWS + c] = (r < 6) == (c < 6) ? a[r * ROWS + c] : 0.0;
        }
    }
    memcpy(plain, a, sizeof a);
    random_fill(&random, x, ROWS);
    memcpy(y, x, sizeof x);
    const PoiseCholesky with = {ROWS, ROWS, spans, NULL, 0.0},
                        without = {ROWS, ROWS, NULL, NULL, 0.0};
    poise_cholesky_factor(&with, a);
    poise_cholesky_factor(&without, plain);
    poise_cholesky_solve(&with, a, x);
    poise_cholesky_solve(&without, plain, y);
    for (int r = 0; r < ROWS; r++) {
        EXPECT_NEAR(x[r], y[r], 0.0);
    }
}

// The second pivot of diag(1, 1e-6) is raised to 1e-3.
Test(dense, least_pivots_are_raised) {
    double a[4] = {1.0, 0.0, 0.0, 1e-6}, b[2] = {2.0, 3.0};
    const double least[2] = {1e-3, 1e-3};
    const PoiseCholesky shape = {2, 2, NULL, least, 0.0};
    poise_cholesky_factor(&shape, a);
    poise_cholesky_solve(&shape, a, b);
    EXPECT_NEAR(b[0], 2.0, 1e-15);
    EXPECT_NEAR(b[1], 3.0 / (1e-6 + 1e-3 * pow(1.0 - 1e-3, 2.0)), 1e-9);
}

Test(dense, elimination_solves_and_returns_the_rank) {
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(2000 + (uint64_t)i);
        const int n = 1 + i % 12, columns = 1 + i % 3;
        const int rank = i % 2 == 0 ? n : 1 + random_index(&random, n);
        double left[MOST * MOST], right[MOST * MOST], a[MOST * MOST], was[MOST * MOST];
        double b[3 * MOST], x[3 * MOST], y[MOST];
        int order[MOST];
        random_fill(&random, left, n * rank);
        random_fill(&random, right, rank * n);
        for (int r = 0; r < n; r++) {
            for (int c = 0; c < n; c++) {
                a[r * n + c] = 0.0;
                for (int k = 0; k < rank; k++) {
                    a[r * n + c] += left[r * rank + k] * right[k * n + c];
                }
            }
        }
        memcpy(was, a, sizeof a);
        for (int c = 0; c < columns; c++) {
            random_fill(&random, y, n);
            for (int r = 0; r < n; r++) {
                b[r * columns + c] = 0.0;
                for (int k = 0; k < n; k++) {
                    b[r * columns + c] += a[r * n + k] * y[k];
                }
            }
        }
        memcpy(x, b, sizeof b);
        const PoiseEquations equations = {n, columns, a, x, order};
        cr_expect_eq(poise_dense_eliminate(&equations, 1e-11), rank, "case %d", i);
        for (int c = 0; c < columns; c++) {
            double one[MOST], side[MOST];
            for (int r = 0; r < n; r++) {
                one[r] = x[r * columns + c];
                side[r] = b[r * columns + c];
            }
            EXPECT_NEAR(residual_of(was, n, n, one, side), 0.0,
                        1e-9 * fmax(largest_of(one, n), 1.0));
        }
    }
}

static double counted_product(const double* counted, const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += counted[i] * a[i] * b[i];
    }
    return sum;
}

static void expect_orthonormal(const PoiseBasis* basis, double tolerance) {
    for (int k = 0; k < basis->count; k++) {
        for (int l = 0; l <= k; l++) {
            const double dot = counted_product(basis->counted, &basis->axes[k * basis->columns],
                                               &basis->axes[l * basis->columns], basis->columns);
            EXPECT_NEAR(dot, k == l ? 1.0 : 0.0, tolerance);
        }
    }
}

// Every third row is implied by others; then columns are left out one after the other. The basis
// stays orthonormal and spans the same rows.
Test(dense, basis_is_orthonormal_and_spans_the_rows) {
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(5000 + (uint64_t)i);
        enum { COLUMNS = 14, ROWS = 6 };
        double axes[ROWS * COLUMNS], counted[COLUMNS], rows[ROWS * COLUMNS], scratch[COLUMNS];
        PoiseBasis basis = {COLUMNS, 0, axes, counted};
        for (int c = 0; c < COLUMNS; c++) {
            counted[c] = 1.0;
        }
        random_fill(&random, rows, ROWS * COLUMNS);
        for (int c = 0; c < COLUMNS; c++) {
            rows[2 * COLUMNS + c] = 2.0 * rows[c] - 3.0 * rows[COLUMNS + c];
            rows[5 * COLUMNS + c] = rows[3 * COLUMNS + c] + rows[2 * COLUMNS + c];
        }
        for (int r = 0; r < ROWS; r++) {
            double row[COLUMNS], parts[ROWS];
            memcpy(row, &rows[r * COLUMNS], sizeof row);
            const double length = poise_basis_add(&basis, row, 1e-13, parts);
            cr_expect_eq(length > 0.0, r != 2 && r != 5, "row %d", r);
            for (int c = 0; c < COLUMNS; c++) {
                double sum = 0.0;
                for (int k = 0; k < basis.count; k++) {
                    sum += parts[k] * axes[k * COLUMNS + c];
                }
                EXPECT_NEAR(sum, rows[r * COLUMNS + c], 1e-14);
            }
        }
        cr_expect_eq(basis.count, 4);
        expect_orthonormal(&basis, 1e-14);
        for (int out = 0; out < 6; out++) {
            const int column = random_index(&random, COLUMNS);
            if (counted[column] != 0.0 && poise_basis_leave_out(&basis, column, 1e-8, scratch)) {
                counted[column] = 0.0;
            }
            expect_orthonormal(&basis, 1e-9);
        }
        for (int r = 0; r < ROWS; r++) {
            double row[COLUMNS];
            memcpy(row, &rows[r * COLUMNS], sizeof row);
            poise_basis_project(&basis, row, NULL);
            EXPECT_NEAR(sqrt(counted_product(counted, row, row, COLUMNS)), 0.0, 1e-9);
        }
    }
}

// A column that lies in the span of the basis cannot be left out.
Test(dense, basis_keeps_a_column_that_it_spans) {
    double axes[2 * 3] = {0.0, 1.0, 0.0, 0.6, 0.0, 0.8}, counted[3] = {1.0, 1.0, 1.0}, scratch[3];
    PoiseBasis basis = {3, 2, axes, counted};
    cr_expect_not(poise_basis_leave_out(&basis, 1, 1e-8, scratch));
    cr_expect(poise_basis_leave_out(&basis, 0, 1e-8, scratch));
}

// R^T R = sum of x x^T; small rows keep their precision beside large ones.
Test(dense, triangle_sums_rows) {
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(8000 + (uint64_t)i);
        enum { COUNT = 6 };
        const int rows = 1 + i % 12;
        double r[COUNT * COUNT] = {0.0}, sum[COUNT * COUNT] = {0.0};
        for (int k = 0; k < rows; k++) {
            double x[COUNT];
            random_fill(&random, x, COUNT);
            for (int a = 0; a < COUNT; a++) {
                for (int b = 0; b < COUNT; b++) {
                    sum[a * COUNT + b] += x[a] * x[b];
                }
            }
            poise_triangle_add_row(r, x, COUNT);
        }
        for (int a = 0; a < COUNT; a++) {
            for (int b = 0; b < COUNT; b++) {
                double product = 0.0;
                for (int k = 0; k <= (a < b ? a : b); k++) {
                    product += r[k * COUNT + a] * r[k * COUNT + b];
                }
                EXPECT_NEAR(product, sum[a * COUNT + b], 1e-14 * rows);
            }
        }
    }
}
