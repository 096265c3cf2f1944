// SPDX-License-Identifier: MIT
// J W J^T with the widest vectors that the processor has.
#define MATRIX_NORMAL poise__matrix_normal_two

#include "normal_rows.h"

void poise__matrix_normal(const PoiseMatrix* j, const double* share, const unsigned char* held,
                          const PoiseRowSpan* spans, double* normal) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__matrix_normal_four(j, share, held, spans, normal);
        return;
    }
#endif
    poise__matrix_normal_two(j, share, held, spans, normal);
}
