// SPDX-License-Identifier: MIT
// The lane headers for one lane, with vectors of space in AVX2 vectors: a tracking step takes two
// thirds of the time of chain_scalar.c.
#define CHAIN_LANES 1
#define CHAIN_PACKED
#define CHAIN_STEP poise__chain_step_packed

#include "lane_track.h"
