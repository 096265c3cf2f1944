// SPDX-License-Identifier: MIT
// J W J^T, J x and J^T y with the widest vectors that the processor has.
#define MATRIX_NORMAL         poise__matrix_normal_two
#define MATRIX_TIMES          poise__matrix_times_two
#define MATRIX_TRANSPOSE_BOTH poise__matrix_transpose_both_two

#include "normal_rows.h"

void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          double* normal) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__matrix_normal_four(j, share, held, normal);
        return;
    }
#endif
    poise__matrix_normal_two(j, share, held, normal);
}

void poise_matrix_times(const PoiseMatrix* j, const double* x, double* out) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__matrix_times_four(j, x, out);
        return;
    }
#endif
    poise__matrix_times_two(j, x, out);
}

void poise__matrix_transpose_both(const PoiseMatrix* j, const Two* y, double* first,
                                  double* second) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__matrix_transpose_both_four(j, y, first, second);
        return;
    }
#endif
    poise__matrix_transpose_both_two(j, y, first, second);
}
