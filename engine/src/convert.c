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

bool poise__body_is_finite(dBodyID body) {
    return !body || (poise_is_finite_pose(poise__body_pose(body)) &&
                     poise_is_finite3(poise__vec3_from(dBodyGetLinearVel(body))) &&
                     poise_is_finite3(poise__vec3_from(dBodyGetAngularVel(body))));
}
