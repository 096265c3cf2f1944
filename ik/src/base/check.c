// SPDX-License-Identifier: MIT
// Checks that numbers from callers are finite, and that rotations are not 0.
#include "base.h"

bool poise__is_rotation(PoiseQuat q) {
    return poise_is_finite_quat(q) && (q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0);
}

bool poise__is_frame(PoisePose pose) {
    return poise_is_finite3(pose.p) && poise__is_rotation(pose.q);
}

bool poise__is_direction(PoiseVec3 v) {
    return poise_is_finite3(v) && poise_length(v) > 0.0 && isfinite(poise_length(v));
}

bool poise__is_range(double lower, double upper) {
    return lower <= upper && lower < HUGE_VAL && upper > -HUGE_VAL;
}
