// SPDX-License-Identifier: MIT
// One lane whose vectors of space lie in AVX2 vectors: a tracking step takes two thirds of the time
// of chain_scalar.c's. Compiled with AVX2 and FMA where the compiler has them, empty elsewhere.
#if defined(__AVX2__) && defined(__FMA__)
#define CHAIN_LANES 1
#define CHAIN_PACKED
#define CHAIN_STEP poise__chain_step_packed

#include "lane_track.h"

#else
typedef int poise__chain_packed_is_empty;
#endif
