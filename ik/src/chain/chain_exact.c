// SPDX-License-Identifier: MIT
// The lane headers for four lanes without fused operations, for any processor: the same bits as
// chain_exact_avx2.c.
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define CHAIN_KERNEL poise__chain_exact

#include "lane_search.h"
