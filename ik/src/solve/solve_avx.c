// SPDX-License-Identifier: MIT
// J, and the torques that hold the links up, with vectors of four numbers, compiled for processors
// that have them; else empty.
#include "solve.h"

#ifdef __AVX2__
#define JACOBIAN_FILL poise__jacobian_fill_four
#define WEIGHT_FILL   poise__weight_fill_four

#include "jacobian_rows.h"
#include "weight_rows.h"
#endif
