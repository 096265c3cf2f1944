// SPDX-License-Identifier: MIT
// Frames of ODE bodies as ours.
#include "convert.h"

bool poise__body_is_dynamic(dBodyID body) {
    return body && !dBodyIsKinematic(body);
}

static inline double sum_of(const dReal* v) {
    return (double)v[0] + (double)v[1] + (double)v[2];
}

bool poise__body_is_finite(dBodyID body) {
    if (!body) {
        return true;
    }
    const dReal* q = dBodyGetQuaternion(body);
    // 0 times a sum is 0 unless it is not finite: one comparison for all numbers
    return 0.0 * (sum_of(dBodyGetPosition(body)) + sum_of(q) + (double)q[3] +
                  sum_of(dBodyGetLinearVel(body)) + sum_of(dBodyGetAngularVel(body))) ==
           0.0;
}
