// SPDX-License-Identifier: MIT
// Converts between ODE's dReal and double. No other file reads dReal arrays.
#ifndef POISE_CONVERT_H
#define POISE_CONVERT_H

#include <ode/ode.h>

#include "poise/math.h"

/// True if the linked ODE has the precision of the headers that this library was built with.
static inline bool poise__ode_fits(void) {
    return dCheckConfiguration(sizeof(dReal) == sizeof(double) ? "ODE_double_precision"
                                                               : "ODE_single_precision") != 0;
}

static inline PoiseVec3 poise__vec3_from(const dReal* v) {
    return poise_vec3((double)v[0], (double)v[1], (double)v[2]);
}

static inline PoiseQuat poise__quat_from(const dReal* q) {
    return poise_quat((double)q[0], (double)q[1], (double)q[2], (double)q[3]);
}

static inline PoiseVec3 poise__gravity(dWorldID world) {
    dVector3 g;
    dWorldGetGravity(world, g);
    return poise__vec3_from(g);
}

/// Returns the body's frame in the world; the identity for NULL, the static environment.
static inline PoisePose poise__body_pose(dBodyID body) {
    return body ? poise_pose(poise__vec3_from(dBodyGetPosition(body)),
                             poise__quat_from(dBodyGetQuaternion(body)))
                : poise_pose_identity();
}

/// Rotates a vector from the body's frame to the world's, by ODE's matrix; unchanged for NULL.
static inline PoiseVec3 poise__body_turned(dBodyID body, PoiseVec3 v) {
    if (!body) {
        return v;
    }
    const dReal* r = dBodyGetRotation(body);
    return poise_vec3((double)r[0] * v.x + (double)r[1] * v.y + (double)r[2] * v.z,
                      (double)r[4] * v.x + (double)r[5] * v.y + (double)r[6] * v.z,
                      (double)r[8] * v.x + (double)r[9] * v.y + (double)r[10] * v.z);
}

/// Returns the velocity, world, of the body's material at a position in the world, m.
static inline PoiseVec3 poise__body_velocity_at(dBodyID body, PoiseVec3 place) {
    const PoiseVec3 arm = poise_sub(place, poise__vec3_from(dBodyGetPosition(body)));
    return poise_add(poise__vec3_from(dBodyGetLinearVel(body)),
                     poise_cross(poise__vec3_from(dBodyGetAngularVel(body)), arm));
}

/// True if forces move the body; false for a kinematic body and for NULL.
static inline bool poise__body_is_dynamic(dBodyID body) {
    return body && !dBodyIsKinematic(body);
}

/// True if the body's velocities and its frame `pose` (poise__body_pose) are finite.
static inline bool poise__body_is_finite_at(dBodyID body, const PoisePose* pose) {
    const dReal* linear = dBodyGetLinearVel(body);
    const dReal* angular = dBodyGetAngularVel(body);
    // 0 times a finite sum is 0, so a single comparison checks all numbers
    return 0.0 * (pose->p.x + pose->p.y + pose->p.z + pose->q.w + pose->q.x + pose->q.y +
                  pose->q.z + (double)linear[0] + (double)linear[1] + (double)linear[2] +
                  (double)angular[0] + (double)angular[1] + (double)angular[2]) ==
           0.0;
}

/// True if pose and velocities of the body are finite, and for NULL.
static inline bool poise__body_is_finite(dBodyID body) {
    const PoisePose pose = poise__body_pose(body);
    return !body || poise__body_is_finite_at(body, &pose);
}

#endif
