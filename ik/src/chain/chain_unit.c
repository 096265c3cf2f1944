// SPDX-License-Identifier: MIT
// Normalisation of quaternions, see chain_unit.h.
#include "chain_unit.h"

#include "base.h"

// between these the root of a squared length and its inverse are accurate
#define LEAST_LENGTH2 1e-100
#define MOST_LENGTH2  1e100

bool poise__chain_normalize(PoiseQuat* q, double length2) {
    if (length2 > LEAST_LENGTH2 && length2 < MOST_LENGTH2) {
        const double scale = 1.0 / sqrt(length2);
        *q = poise_quat(scale * q->w, scale * q->x, scale * q->y, scale * q->z);
        return true;
    }
    const bool valid = poise__is_rotation(*q);
    *q = poise_quat_normalize(*q);
    return valid;
}
