// SPDX-License-Identifier: MIT
// The lane headers in AVX2 vectors, without fused operations: the same bits as body_exact.c, in
// less time.
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define BODY_KERNEL poise__body_exact_avx2
#define BODY_CHAINS poise__chain_exact_avx2

#include "body_search.h"
