// SPDX-License-Identifier: MIT
// Compiles the lane headers (lane_*.h) for eight lanes in AVX-512 vectors.
#define CHAIN_LANES  8
#define CHAIN_KERNEL poise__chain_avx512
#define CHAIN_REST   poise__chain_rest_avx2
#define CHAIN_STEP   poise__chain_step_packed
#define CHAIN_ANGLES poise__chain_angles_avx2

#include "lane_search.h"
