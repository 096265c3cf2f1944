// SPDX-License-Identifier: MIT
// Stands for libfcl where it is not installed.
#include "convex_fcl.h"

bool fcl_is_there(void) {
    return false;
}

double fcl_distance(const PoiseConvex* a, PoisePose a_link, const PoiseConvex* b,
                    PoisePose b_link) {
    return a && b ? poise_length(poise_sub(a_link.p, b_link.p)) : 0.0;
}
