// SPDX-License-Identifier: MIT
// Selects the instance of the lane headers: the fastest that this processor has.
#include "chain.h"

bool poise_chain_path_available(PoiseChainPath path) {
    switch (path) {
    case POISE_CHAIN_AUTO:
    case POISE_CHAIN_SCALAR:
        return true;
    case POISE_CHAIN_AVX2:
#if defined(POISE_CHAIN_HAS_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
        return false;
#endif
    case POISE_CHAIN_AVX512:
#if defined(POISE_CHAIN_HAS_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
        return false;
#endif
    }
    return false;
}

const char* poise_chain_path_name(PoiseChainPath path) {
    static const char* const names[] = {"auto", "scalar", "avx2", "avx512"};
    return path >= POISE_CHAIN_AUTO && path <= POISE_CHAIN_AVX512 ? names[path] : "unknown path";
}

PoiseChainPath poise__chain_path_for(PoiseChainPath asked, bool batch) {
    if (asked != POISE_CHAIN_AUTO) {
        return asked;
    }
    // four lanes are enough for a single target: eight cost more time than they save
    if (batch && poise_chain_path_available(POISE_CHAIN_AVX512)) {
        return POISE_CHAIN_AVX512;
    }
    return poise_chain_path_available(POISE_CHAIN_AVX2) ? POISE_CHAIN_AVX2 : POISE_CHAIN_SCALAR;
}

const ChainKernel* poise__chain_kernel(PoiseChainPath path) {
#if defined(POISE_CHAIN_HAS_AVX512)
    if (path == POISE_CHAIN_AVX512) {
        return &poise__chain_avx512;
    }
#endif
#if defined(POISE_CHAIN_HAS_AVX2)
    if (path == POISE_CHAIN_AVX2) {
        return &poise__chain_avx2;
    }
#endif
    (void)path;
    return &poise__chain_scalar;
}
