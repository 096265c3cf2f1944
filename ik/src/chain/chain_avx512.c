// SPDX-License-Identifier: MIT
// The lane headers for eight lanes. Empty without AVX-512 F and DQ.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define CHAIN_LANES  8
#define CHAIN_KERNEL poise__chain_avx512
#define CHAIN_REST   poise__chain_rest_avx2
#define CHAIN_STEP   poise__chain_step_packed
#define CHAIN_ANGLES poise__chain_angles_avx2

#include "lane_search.h"

#else
typedef int poise__chain_avx512_is_empty;
#endif
