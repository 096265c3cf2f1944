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

enum { BASIS_COLUMNS = 14, BASIS_ROWS = 6, BASIS_STRIDE = 12 };

/// A basis with its memory.
typedef struct Spanned {
    PoiseBasis basis;
    double axes[BASIS_COLUMNS * BASIS_STRIDE], parts[BASIS_STRIDE];
    double rows[BASIS_ROWS * BASIS_COLUMNS]; ///< rows that the basis spans, row-major
} Spanned;

// Draws rows, of which every third depends on others.
static void begin(Spanned* s, Random* random) {
    memset(s, 0, sizeof *s);
    s->basis = (PoiseBasis){
        .columns = BASIS_COLUMNS, .stride = BASIS_STRIDE, .axes = s->axes, .parts = s->parts};
    random_fill(random, s->rows, BASIS_ROWS * BASIS_COLUMNS);
    for (int c = 0; c < BASIS_COLUMNS; c++) {
        double* column = &s->rows[c];
        column[2 * BASIS_COLUMNS] = 2.0 * column[0] - 3.0 * column[BASIS_COLUMNS];
        column[5 * BASIS_COLUMNS] = column[3 * BASIS_COLUMNS] + column[2 * BASIS_COLUMNS];
    }
}

static double product(const double* a, int a_step, const double* b, int b_step) {
    double sum = 0.0;
    for (int i = 0; i < BASIS_COLUMNS; i++) {
        sum += a[i * a_step] * b[i * b_step];
    }
    return sum;
}

static void expect_orthonormal(const Spanned* s, double tolerance) {
    for (int k = 0; k < BASIS_STRIDE; k++) {
        for (int l = 0; l <= k; l++) {
            const double dot = product(&s->axes[k], BASIS_STRIDE, &s->axes[l], BASIS_STRIDE);
            EXPECT_NEAR(dot, k == l && k < s->basis.count ? 1.0 : 0.0, tolerance);
        }
    }
}

static void expect_spanned(const Spanned* s, double tolerance) {
    for (int r = 0; r < BASIS_ROWS; r++) {
        double row[BASIS_COLUMNS];
        memcpy(row, &s->rows[r * BASIS_COLUMNS], sizeof row);
        poise_basis_project(&s->basis, row, NULL);
        EXPECT_NEAR(sqrt(product(row, 1, row, 1)), 0.0, tolerance);
    }
}

static void add_one_by_one(Spanned* s) {
    for (int r = 0; r < BASIS_ROWS; r++) {
        double row[BASIS_COLUMNS], parts[BASIS_ROWS];
        memcpy(row, &s->rows[r * BASIS_COLUMNS], sizeof row);
        const double length = poise_basis_add(&s->basis, row, 1e-13, parts);
        cr_expect_eq(length > 0.0, r != 2 && r != 5, "row %d", r);
        for (int c = 0; c < BASIS_COLUMNS; c++) {
            double sum = 0.0;
            for (int k = 0; k < s->basis.count; k++) {
                sum += parts[k] * s->axes[c * BASIS_STRIDE + k];
            }
            EXPECT_NEAR(sum, s->rows[r * BASIS_COLUMNS + c], 1e-14);
        }
    }
}

// Adds the rows in two blocks; the second block comes with its products with the first axes.
static void add_together(Spanned* s, bool longest_first) {
    enum { FIRST = 2, ROOM = 4 };
    double numbers[BASIS_COLUMNS * ROOM], products[ROOM * BASIS_STRIDE];
    double scratch[3 * ROOM + BASIS_COLUMNS];
    for (int first = 0; first < BASIS_ROWS; first += first ? BASIS_ROWS : FIRST) {
        const int count = first ? BASIS_ROWS - FIRST : FIRST;
        const PoiseAddedRows rows = {count, ROOM, numbers, 1e-13, longest_first};
        memset(numbers, 0, sizeof numbers);
        for (int r = 0; r < count; r++) {
            const double* row = &s->rows[(first + r) * BASIS_COLUMNS];
            poise_basis_parts(&s->basis, row, &products[r * BASIS_STRIDE]);
            for (int c = 0; c < BASIS_COLUMNS; c++) {
                numbers[c * ROOM + r] = row[c];
            }
        }
        poise_basis_add_rows(&s->basis, &rows, products, scratch);
    }
}

// Adds rows of the identity by poise_basis_add_unit, and to a copy by poise_basis_add: axes and
// parts are equal, and the basis stays orthonormal. A row that was added is then dependent.
static void add_units(Spanned* s, Random* random) {
    for (int k = 0; k < 6; k++) {
        const int column = random_index(random, BASIS_COLUMNS), count = s->basis.count;
        double axes[BASIS_COLUMNS * BASIS_STRIDE], parts[2][BASIS_STRIDE];
        double row[BASIS_COLUMNS] = {0.0};
        memcpy(axes, s->axes, sizeof axes);
        PoiseBasis basis = s->basis;
        basis.axes = axes;
        row[column] = 1.0;
        const double length = poise_basis_add(&basis, row, 1e-9, parts[0]);
        EXPECT_NEAR(poise_basis_add_unit(&s->basis, column, 1e-9, row, parts[1]), length, 1e-14);
        cr_expect_eq(s->basis.count, basis.count);
        for (int i = 0; s->basis.count > count && i <= count; i++) {
            EXPECT_NEAR(parts[1][i], parts[0][i], 1e-14);
        }
        expect_orthonormal(s, 1e-13);
        cr_expect_eq(poise_basis_add_unit(&s->basis, column, 1e-9, row, parts[1]), 0.0);
    }
}

Test(dense, basis_is_orthonormal_and_spans_the_rows) {
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(5000 + (uint64_t)i);
        Spanned s;
        begin(&s, &random);
        if (i % 3 == 0) {
            add_one_by_one(&s);
        } else {
            add_together(&s, i % 3 == 2);
        }
        cr_expect_eq(s.basis.count, 4);
        expect_orthonormal(&s, 1e-14);
        expect_spanned(&s, 1e-13);
        add_units(&s, &random);
        expect_spanned(&s, 1e-13);
    }
}

// The third row of a direction point is short near its goal, and has the rounding errors of the
// other two. If it were taken for an independent row it would block a free motion.
Test(dense, the_rounding_of_a_short_row_is_no_axis) {
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(6500 + (uint64_t)i);
        Spanned s;
        begin(&s, &random);
        for (int c = 0; c < BASIS_COLUMNS; c++) {
            s.rows[5 * BASIS_COLUMNS + c] = 1e-4 * (s.rows[c] + s.rows[3 * BASIS_COLUMNS + c]) +
                                            random_between(&random, -1e-16, 1e-16);
        }
        add_together(&s, i % 2);
        cr_expect_eq(s.basis.count, 4);
    }
}
