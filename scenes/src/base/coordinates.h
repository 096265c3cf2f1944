// SPDX-License-Identifier: MIT
// Reads and writes rotations among a joint's coordinates, and clamps coordinates to their ranges.
#ifndef POISE_COORDINATES_H
#define POISE_COORDINATES_H

#include <math.h>

#include "poise/node.h"

/// Converts four coordinates (w first) to a rotation, and back. Four zeros are the identity.
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

/// Returns the smallest rotation from z to the direction; half a turn about x for a direction along
/// -z, the identity for 0.
static inline PoiseQuat poise__turn_z_to(PoiseVec3 direction) {
    const double length = poise_length(direction);
    if (!(length > 0.0)) {
        return poise_quat_identity();
    }
    const PoiseVec3 to = poise_scale(1.0 / length, direction);
    // The quaternion is (1 + cos, axis sin), normalised; all its components vanish at half a turn.
    return to.z < -1.0 + 1e-12 ? poise_quat(0.0, 1.0, 0.0, 0.0)
                               : poise_quat_normalize(poise_quat(1.0 + to.z, -to.y, to.x, 0.0));
}

/// Returns the coordinate clamped to its range. `velocity` is its index in the limits.
static inline double poise__limits_clamp(const PoiseLimits* limits, int velocity, double q) {
    return fmin(fmax(q, limits->lower[velocity]), limits->upper[velocity]);
}

#endif
