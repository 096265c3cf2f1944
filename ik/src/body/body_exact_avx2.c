// SPDX-License-Identifier: MIT
// Compiles the lane headers (body_search.h) for AVX2 vectors without fused operations. The bits are
// those of body_exact.c.
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define BODY_KERNEL poise__body_exact_avx2
#define BODY_CHAINS poise__chain_exact_avx2

#include "body_search.h"
