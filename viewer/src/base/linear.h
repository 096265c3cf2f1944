// SPDX-License-Identifier: MIT
// Converts the simulation's doubles to the graphics card's floats. This is the only header that
// includes cglm. It switches cglm's aligned types off, because in malloc'd structs they crash if
// built with -mavx.
#ifndef POISE_LINEAR_H
#define POISE_LINEAR_H

#ifndef CGLM_ALL_UNALIGNED
#define CGLM_ALL_UNALIGNED
#endif
#include <cglm/struct.h>

#include "poise/math.h"

static inline vec3s poise__vec3s(PoiseVec3 v) {
    return (vec3s){{(float)v.x, (float)v.y, (float)v.z}};
}

/// Returns x, y, z, w: the order of shaders and of cglm.
static inline vec4s poise__quat4s(PoiseQuat q) {
    return (vec4s){{(float)q.x, (float)q.y, (float)q.z, (float)q.w}};
}

static inline vec4s poise__vec4s(PoiseVec3 v, double w) {
    return (vec4s){{(float)v.x, (float)v.y, (float)v.z, (float)w}};
}

#endif
