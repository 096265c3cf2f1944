// SPDX-License-Identifier: MIT
// Selects the fastest instance of the lane headers that this processor supports.
#include "body.h"

const BodyKernel* poise__body_kernel(PoiseBodyPath path) {
#if defined(POISE_CHAIN_HAS_AVX2)
    if (path != POISE_BODY_PLAIN && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma")) {
        return path == POISE_BODY_FUSED ? &poise__body_avx2 : &poise__body_exact_avx2;
    }
#endif
    (void)path;
    return &poise__body_exact;
}

const ChainKernel* poise__batch_kernel(const ChainKernel* kernel) {
#if defined(POISE_CHAIN_HAS_AVX512)
    if (kernel == &poise__chain_avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq")) {
        return &poise__chain_avx512;
    }
#endif
    return kernel;
}
