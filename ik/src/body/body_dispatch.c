// SPDX-License-Identifier: MIT
// Selects the instance of the lane headers: the fastest that this processor has.
#include "body.h"

const BodyKernel* poise__body_kernel(PoiseBodyPath path) {
#if defined(POISE_CHAIN_HAS_AVX2)
    if (path == POISE_BODY_FUSED && poise__has_avx2()) {
        return &poise__body_fused;
    }
#endif
#if defined(POISE_CHAIN_HAS_EXACT_AVX2)
    if (path != POISE_BODY_PLAIN && poise__has_avx2()) {
        return &poise__body_exact_avx2;
    }
#endif
    (void)path;
    return &poise__body_exact;
}
