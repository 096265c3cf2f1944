// SPDX-License-Identifier: MIT
// Asks the processor for the instructions of the instances of the lane headers, of which
// body/body_dispatch.c selects one.
#include "chain.h"

bool poise__has_avx2(void) {
#if defined(POISE_CHAIN_HAS_AVX2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

const ChainKernel* poise__chain_batch_kernel(const ChainKernel* kernel) {
#if defined(POISE_CHAIN_HAS_AVX512)
    if (kernel == &poise__chain_avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq")) {
        return &poise__chain_avx512;
    }
#endif
    return kernel;
}
