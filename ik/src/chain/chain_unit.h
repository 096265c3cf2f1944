// SPDX-License-Identifier: MIT
// Quaternions of a posture that a user wrote, brought to length 1.
#ifndef POISE_CHAIN_UNIT_H
#define POISE_CHAIN_UNIT_H

#include <math.h>

#include "poise/math.h"

/// To length 1; false where that cannot be done.
bool poise__chain_normalize(PoiseQuat* q, double length2);
/// The same, except that a quaternion whose length is 1 to rounding keeps its bits.
static inline bool poise__chain_make_unit(PoiseQuat* q) {
    const double length2 = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    return fabs(length2 - 1.0) < 1e-15 || poise__chain_normalize(q, length2);
}

#endif
