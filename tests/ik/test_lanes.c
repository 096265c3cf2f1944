// SPDX-License-Identifier: MIT
// Rows by vectors of two and of four numbers: the same bits from both, whatever a processor has.
#include <criterion/criterion.h>
#include <string.h>

#include "cholesky.h"
#include "matrix.h"
#include "random.h"

#ifdef __x86_64__

enum { MOST = 48, CASES = 200 };

static void fill_random(Random* random, double* a, int count) {
    for (int i = 0; i < count; i++) {
        a[i] = random_between(random, -1.0, 1.0);
    }
}

static void skip_without_vectors(void) {
    if (!__builtin_cpu_supports("avx")) {
        cr_skip_test("this processor has no vectors of four numbers");
    }
}

Test(lanes, factors_are_the_same) {
    skip_without_vectors();
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(900 + (uint64_t)i);
        const int m = 1 + i % (MOST - 2);
        const int stride = m + i % 3;
        double a[MOST * MOST], b[MOST * MOST], x[MOST], y[MOST], least[MOST];
        fill_random(&random, a, m * stride);
        for (int r = 0; r < m; r++) {
            a[r * stride + r] = (double)m;
            least[r] = 0.5 * (double)m;
        }
        memcpy(b, a, sizeof a);
        fill_random(&random, x, m);
        memcpy(y, x, sizeof x);
        const PoiseCholesky shape = {m, stride, NULL, i % 2 == 0 ? least : NULL, 1e-15};
        poise__cholesky_factor_two(&shape, a);
        poise__cholesky_factor_four(&shape, b);
        poise__cholesky_solve_two(&shape, a, x);
        poise__cholesky_solve_four(&shape, b, y);
        cr_expect(memcmp(a, b, (size_t)(m * stride) * sizeof *a) == 0, "factor of %d rows", m);
        cr_expect(memcmp(x, y, (size_t)m * sizeof *x) == 0, "solution of %d rows", m);
        cr_expect(x[0] == x[0] && a[0] == 1.0 / sqrt((double)m));
    }
}

Test(lanes, products_are_the_same) {
    skip_without_vectors();
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(1900 + (uint64_t)i);
        const int tall = 1 + i % 30, low = 1 + i % 7, columns = 1 + i % 11;
        const int rows = tall + low;
        double values[MOST * 12], share[12], two[MOST * MOST], four[MOST * MOST];
        unsigned char held[12] = {0};
        const PoiseBlock blocks[2] = {{0, tall, 0, columns, 0},
                                      {tall, low, 0, columns, tall * columns}};
        const PoiseMatrix j = {rows, columns, 2, blocks, values};
        fill_random(&random, values, rows * columns);
        for (int c = 0; c < columns; c++) {
            share[c] = random_between(&random, 0.5, 1.0);
            held[c] = random_between(&random, 0.0, 1.0) < 0.2;
        }
        memset(two, 0xff, sizeof two);
        memset(four, 0xff, sizeof four);
        poise__matrix_normal_two(&j, share, held, NULL, two);
        poise__matrix_normal_four(&j, share, held, NULL, four);
        cr_expect(memcmp(two, four, (size_t)(rows * rows) * sizeof *two) == 0, "%d and %d rows",
                  tall, low);
        double corner = 0.0;
        for (int c = 0; c < columns; c++) {
            corner += held[c] ? 0.0 : share[c] * values[c * tall] * values[c * tall];
        }
        cr_expect(fabs(two[0] - corner) < 1e-12);
    }
}

#endif
