// SPDX-License-Identifier: MIT
// Rotations among a joint's coordinates.
#ifndef POISE_TURN_H
#define POISE_TURN_H

#include "poise/math.h"

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

#endif
