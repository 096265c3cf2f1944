// SPDX-License-Identifier: MIT
// The lane headers in AVX2 vectors with fused multiply-add.
#define CHAIN_LANES 4
#define BODY_KERNEL poise__body_fused
#define BODY_CHAINS poise__chain_avx2

#include "body_search.h"
