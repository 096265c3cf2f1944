// SPDX-License-Identifier: MIT
// The lane headers in AVX2 vectors with fused multiply-add. Empty without AVX2 and FMA.
#if defined(__AVX2__) && defined(__FMA__)
#define CHAIN_LANES 4
#define BODY_KERNEL poise__body_fused
#define BODY_CHAINS poise__chain_avx2

#include "body_search.h"

#else
typedef int poise__body_fused_is_empty;
#endif
