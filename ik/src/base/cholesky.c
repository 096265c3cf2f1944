// SPDX-License-Identifier: MIT
// Cholesky (poise/dense.h): by the sizes that most trees have, or row by row.
#define CHOLESKY_FACTOR     poise__cholesky_factor_two
#define CHOLESKY_SOLVE      poise__cholesky_solve_two
#define CHOLESKY_SOLVE_BOTH poise__cholesky_solve_both_two

#include "cholesky_rows.h"

static void factor_large(const PoiseCholesky* shape, double* a) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__cholesky_factor_four(shape, a);
        return;
    }
#endif
    poise__cholesky_factor_two(shape, a);
}

static void solve_large(const PoiseCholesky* shape, const double* a, double* y) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__cholesky_solve_four(shape, a, y);
        return;
    }
#endif
    poise__cholesky_solve_two(shape, a, y);
}

// whether it is of so many rows one behind the other that all belong together
static bool is_packed(const PoiseCholesky* shape, int rows) {
    return shape->rows == rows && shape->stride == rows &&
           (!shape->spans || shape->spans[0].end == rows);
}

void poise_cholesky_factor(const PoiseCholesky* shape, double* a) {
    if (!shape->least && is_packed(shape, 3)) {
        factor_small(a, 3, 3, smallest_pivot(a, 3, 3, shape->zero));
    } else if (!shape->least && is_packed(shape, 6)) {
        factor_small(a, 6, 6, smallest_pivot(a, 6, 6, shape->zero));
    } else {
        factor_large(shape, a);
    }
}

void poise_cholesky_solve(const PoiseCholesky* shape, const double* factor, double* b) {
    if (is_packed(shape, 3)) {
        solve_small(factor, 3, 3, b);
    } else if (is_packed(shape, 6)) {
        solve_small(factor, 6, 6, b);
    } else {
        solve_large(shape, factor, b);
    }
}

void poise__cholesky_solve_both(const PoiseCholesky* shape, const double* factor, Two* b) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__cholesky_solve_both_four(shape, factor, b);
        return;
    }
#endif
    poise__cholesky_solve_both_two(shape, factor, b);
}
