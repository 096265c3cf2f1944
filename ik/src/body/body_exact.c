// SPDX-License-Identifier: MIT
// The lane headers for any processor, without fused operations: the same bits as body_avx2.c.
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define BODY_KERNEL poise__body_exact
#define BODY_CHAINS poise__chain_exact

#include "body_search.h"
