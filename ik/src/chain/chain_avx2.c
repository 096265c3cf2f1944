// SPDX-License-Identifier: MIT
// Compiles the lane headers (lane_*.h) for four lanes in AVX2 vectors.
#define CHAIN_LANES     4
#define CHAIN_KERNEL    poise__chain_avx2
#define CHAIN_REST      poise__chain_rest_avx2
#define CHAIN_REST_MOST CHAIN_REST_MOST_DOF
#define CHAIN_STEP      poise__chain_step_packed
#define CHAIN_ANGLES    poise__chain_angles_avx2

#include "lane_rest.h"
#include "lane_search.h"
