// SPDX-License-Identifier: MIT
// Compiles the lane headers (lane_*.h) for four lanes without fused operations, for any processor.
// The bits are those of chain_exact_avx2.c.
#define CHAIN_LANES 4
#define CHAIN_EXACT
#define CHAIN_KERNEL    poise__chain_exact
#define CHAIN_REST      poise__chain_rest_exact
#define CHAIN_REST_MOST CHAIN_REST_MOST_DOF
#define CHAIN_STEP      poise__chain_step_scalar
#define CHAIN_ANGLES    poise__chain_angles_scalar

#include "lane_rest.h"
#include "lane_search.h"
