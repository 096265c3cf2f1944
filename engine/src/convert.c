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
static double none_of(const dReal* v, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += 0.0 * (double)v[i];
    }
    return sum;
}

bool poise__body_is_finite(dBodyID body) {
    return !body || none_of(dBodyGetPosition(body), 3) + none_of(dBodyGetQuaternion(body), 4) +
                            none_of(dBodyGetLinearVel(body), 3) +
                            none_of(dBodyGetAngularVel(body), 3) ==
                        0.0;
}
