// SPDX-License-Identifier: MIT
// Compiles the lane headers (body_search.h) for AVX2 vectors with fused multiply-add.
#define CHAIN_LANES 4
#define BODY_KERNEL poise__body_avx2
#define BODY_CHAINS poise__chain_avx2

#include "body_search.h"
