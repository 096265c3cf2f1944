// SPDX-License-Identifier: MIT
// Normalises quaternions of a caller's posture.
#ifndef POISE_CHAIN_UNIT_H
#define POISE_CHAIN_UNIT_H

#include <math.h>

#include "poise/math.h"

/// Scales q to length 1. False if it is 0 or not finite.
bool poise__chain_normalize(PoiseQuat* q, double length2);
/// Scales q to length 1, unless its length is 1 to rounding; its bits then stay.
static inline bool poise__chain_make_unit(PoiseQuat* q) {
    const double length2 = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    return fabs(length2 - 1.0) < 1e-15 || poise__chain_normalize(q, length2);
}

#endif
