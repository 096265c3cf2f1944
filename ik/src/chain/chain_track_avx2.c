// SPDX-License-Identifier: MIT
// Compiles the lane headers (lane_*.h) for one lane, with each 3-vector in one AVX2 vector. A
// tracking step takes two thirds of its time in chain_scalar.c.
#define CHAIN_LANES 1
#define CHAIN_PACKED
#define CHAIN_STEP poise__chain_step_packed

#include "lane_track.h"
