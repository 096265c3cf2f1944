// SPDX-License-Identifier: MIT
// Between ODE's reals and ours. The only place where dReal arrays are taken apart.
#ifndef POISE_CONVERT_H
#define POISE_CONVERT_H

#include <ode/ode.h>

#include "poise/math.h"

static inline PoiseVec3 poise__vec3_from(const dReal* v) {
    return poise_vec3((double)v[0], (double)v[1], (double)v[2]);
}

static inline PoiseQuat poise__quat_from(const dReal* q) {
    return poise_quat((double)q[0], (double)q[1], (double)q[2], (double)q[3]);
}

/// The body's frame in the world; the identity for NULL, the static environment.
PoisePose poise__body_pose(dBodyID body);

/// A vector of the body's frame in the world's, by ODE's matrix; as it is for NULL.
PoiseVec3 poise__body_turned(dBodyID body, PoiseVec3 v);

/// Whether forces move the body: false for a kinematic one and for NULL.
bool poise__body_is_dynamic(dBodyID body);

/// Whether pose and velocities of the body are finite; true for NULL.
bool poise__body_is_finite(dBodyID body);

#endif
