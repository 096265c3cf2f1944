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

PoiseVec3 poise__body_turned(dBodyID body, PoiseVec3 v) {
    if (!body) {
        return v;
    }
    const dReal* r = dBodyGetRotation(body);
    return poise_vec3((double)r[0] * v.x + (double)r[1] * v.y + (double)r[2] * v.z,
                      (double)r[4] * v.x + (double)r[5] * v.y + (double)r[6] * v.z,
                      (double)r[8] * v.x + (double)r[9] * v.y + (double)r[10] * v.z);
}

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
