// SPDX-License-Identifier: MIT
// A vector of space, for code that is compiled twice: four numbers, of which the last means
// nothing, in files that are compiled for processors that have such vectors (AVX2), else a
// PoiseVec3. The operations are those of poise/math.h in the same order, so that all bits are the
// same.
#ifndef POISE_SPACE_H
#define POISE_SPACE_H

#include "poise/simd4.h"
#include "simd2.h"

#ifdef __AVX2__

typedef PoiseFour Vec;

#define vec(x, y, z)  ((Vec){(x), (y), (z), 0.0})
#define vec_add(a, b) ((a) + (b))
#define vec_sub(a, b) ((a) - (b))

/// Where a frame is that was not written just before.
static inline Vec vec_place(const PoisePose* frame) {
    return poise_four_fixed_place(frame);
}

static inline Vec vec_of(PoiseVec3 v) {
    return poise_four_place(&v);
}

static inline Vec vec_scale(double s, Vec v) {
    return POISE_FOUR_OF(s) * v;
}

static inline Vec vec_rotate(PoiseQuat q, Vec v) {
    return poise_four_rotate(poise_four_rotation(&q), v);
}

static inline void vec_put(double* out, Vec v) {
    *poise__two_out(out) = (Two){v[0], v[1]};
    out[2] = v[2];
}

static inline Vec vec_cross(Vec a, Vec b) {
    return poise_four_cross(POISE_FOUR_PICK(a, 1, 2, 0, 3), POISE_FOUR_PICK(a, 2, 0, 1, 3), b);
}

static inline double vec_dot(Vec a, Vec b) {
    const Vec products = a * b;
    return products[0] + products[1] + products[2];
}

#else

typedef PoiseVec3 Vec;

#define vec_of(v)  (v)
#define vec        poise_vec3
#define vec_scale  poise_scale
#define vec_add    poise_add
#define vec_sub    poise_sub
#define vec_rotate poise_quat_rotate
#define vec_cross  poise_cross
#define vec_dot    poise_dot

static inline Vec vec_place(const PoisePose* frame) {
    return frame->p;
}

static inline void vec_put(double* out, Vec v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

#endif

static inline Vec vec_add_scaled(Vec a, double s, Vec b) {
    return vec_add(a, vec_scale(s, b));
}

#endif
