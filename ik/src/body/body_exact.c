// SPDX-License-Identifier: MIT
// Compiles the lane headers (body_search.h) for any processor, without fused operations. The bits
// are those of body_exact_avx2.c.
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define BODY_KERNEL poise__body_exact
#define BODY_CHAINS poise__chain_exact

#include "body_search.h"
