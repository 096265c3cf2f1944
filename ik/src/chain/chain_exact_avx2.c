// SPDX-License-Identifier: MIT
// The lane headers for four lanes without fused operations, in AVX2 vectors: the same bits as
// chain_exact.c, in less time. Empty without AVX2.
#if defined(__AVX2__)
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define CHAIN_KERNEL poise__chain_exact_avx2

#include "lane_search.h"

#else
typedef int poise__chain_exact_avx2_is_empty;
#endif
