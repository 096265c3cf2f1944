// SPDX-License-Identifier: MIT
// Frames of ODE bodies as ours.
#include "convert.h"

PoisePose poise__body_pose(dBodyID body) {
    if (!body) {
        return poise_pose_identity();
    }
    return poise_pose(poise__vec3_from(dBodyGetPosition(body)),
                      poise__quat_from(dBodyGetQuaternion(body)));
}

bool poise__body_is_dynamic(dBodyID body) {
    return body && !dBodyIsKinematic(body);
}

// 0 times a number is 0 unless it is not finite: one comparison for all of them
static inline double none_of(const dReal* v) {
    return 0.0 * (double)v[0] + 0.0 * (double)v[1] + 0.0 * (double)v[2];
}

bool poise__body_is_finite(dBodyID body) {
    if (!body) {
        return true;
    }
    const dReal* q = dBodyGetQuaternion(body);
    return none_of(dBodyGetPosition(body)) + none_of(q) + 0.0 * (double)q[3] +
               none_of(dBodyGetLinearVel(body)) + none_of(dBodyGetAngularVel(body)) ==
           0.0;
}
