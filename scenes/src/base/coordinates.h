// SPDX-License-Identifier: MIT
// A joint's coordinates: rotations among them, and those with ranges.
#ifndef POISE_COORDINATES_H
#define POISE_COORDINATES_H

#include <math.h>

#include "poise/node.h"

/// A rotation in a joint's coordinates, w first, and back; four 0 are the identity.
static inline PoiseQuat poise__quat_read(const double q[4]) {
    const bool none = q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0;
    return none ? poise_quat_identity() : poise_quat(q[0], q[1], q[2], q[3]);
}
static inline void poise__quat_write(PoiseQuat from, double q[4]) {
    q[0] = from.w;
    q[1] = from.x;
    q[2] = from.y;
    q[3] = from.z;
}

/// A coordinate of a motion that has a range of its own, or what is nearest to it inside that.
static inline double poise__limits_clamp(const PoiseLimits* limits, int velocity, double q) {
    return fmin(fmax(q, limits->lower[velocity]), limits->upper[velocity]);
}

#endif
