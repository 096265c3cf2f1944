// SPDX-License-Identifier: MIT
// Compiles the lane headers (lane_*.h) for one lane that keeps a vector of space in an AVX2 vector.
// A tracking step takes two thirds of the time of chain_scalar.c.
#define CHAIN_LANES 1
#define CHAIN_PACKED
#define CHAIN_STEP poise__chain_step_packed

#include "lane_track.h"
