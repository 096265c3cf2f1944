// SPDX-License-Identifier: MIT
// The lane headers in AVX2 vectors, without fused operations: the same bits as body_exact.c, in
// less time. Empty without AVX2.
#if defined(__AVX2__)
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define BODY_KERNEL poise__body_exact_avx2
#define BODY_CHAINS poise__chain_exact_avx2

#include "body_search.h"

#else
typedef int poise__body_avx2_is_empty;
#endif
