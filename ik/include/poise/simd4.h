// SPDX-License-Identifier: MIT
// Rotations and frames by vectors of four numbers, for files that are compiled for processors that
// have them (AVX2); else empty. For layers built on this one.
//
// Throughout: a place or direction is x, y, z and a fourth number that means nothing, a rotation w,
// x, y, z. The operations are those of poise/math.h in the same order, so that all bits are the
// same; frames, units and ranges are as there.
#ifndef POISE_SIMD4_H
#define POISE_SIMD4_H

#include "poise/math.h"

#ifdef __AVX2__

/// Four numbers.
typedef double PoiseFour __attribute__((vector_size(32)));
/// Among numbers in memory, wherever they begin.
typedef double PoiseFourNumbers __attribute__((vector_size(32), aligned(8), may_alias));

/// The same number four times.
#define POISE_FOUR_OF(number) ((PoiseFour){(number), (number), (number), (number)})
/// The numbers a, b, c, d of a vector, counted from 0.
#ifdef __clang__
#define POISE_FOUR_PICK(v, a, b, c, d) __builtin_shufflevector((v), (v), (a), (b), (c), (d))
#else
typedef long long PoiseFourPlaces __attribute__((vector_size(32)));
#define POISE_FOUR_PICK(v, a, b, c, d) __builtin_shuffle((v), (PoiseFourPlaces){(a), (b), (c), (d)})
#endif

/// A place, without what lies behind it: that may be a younger store, which a load of all four
/// would wait for.
static inline PoiseFour poise_four_place(const PoiseVec3* p) {
    return (PoiseFour){p->x, p->y, p->z, p->z};
}

/// The place of a frame that was not written just before, with the number behind it.
static inline PoiseFour poise_four_fixed_place(const PoisePose* frame) {
    return *(const PoiseFourNumbers*)(const void*)frame;
}

/// A rotation.
static inline PoiseFour poise_four_rotation(const PoiseQuat* q) {
    return *(const PoiseFourNumbers*)(const void*)q;
}

/// A frame of both; the place's fourth number is overwritten.
static inline void poise_four_put(PoisePose* pose, PoiseFour place, PoiseFour rotation) {
    double* numbers = (double*)(void*)pose;
    *(PoiseFourNumbers*)(void*)numbers = place;
    *(PoiseFourNumbers*)(void*)(numbers + 3) = rotation;
}

/// a x b, where a is y, z, x and z, x, y of a vector.
static inline PoiseFour poise_four_cross(PoiseFour a_yzx, PoiseFour a_zxy, PoiseFour b) {
    return a_yzx * POISE_FOUR_PICK(b, 2, 0, 1, 3) - a_zxy * POISE_FOUR_PICK(b, 1, 2, 0, 3);
}

/// poise_quat_rotate
static inline PoiseFour poise_four_rotate(PoiseFour q, PoiseFour v) {
    const PoiseFour yzx = POISE_FOUR_PICK(q, 2, 3, 1, 0), zxy = POISE_FOUR_PICK(q, 3, 1, 2, 0);
    const PoiseFour t = POISE_FOUR_OF(2.0) * poise_four_cross(yzx, zxy, v);
    return v + POISE_FOUR_OF(q[0]) * t + poise_four_cross(yzx, zxy, t);
}

/// poise_quat_mul
static inline PoiseFour poise_four_mul(PoiseFour a, PoiseFour b) {
    static const PoiseFour x_signs = {-1.0, 1.0, -1.0, 1.0};
    static const PoiseFour y_signs = {-1.0, 1.0, 1.0, -1.0};
    static const PoiseFour z_signs = {-1.0, -1.0, 1.0, 1.0};
    return POISE_FOUR_OF(a[0]) * b +
           POISE_FOUR_OF(a[1]) * x_signs * POISE_FOUR_PICK(b, 1, 0, 3, 2) +
           POISE_FOUR_OF(a[2]) * y_signs * POISE_FOUR_PICK(b, 2, 3, 0, 1) +
           POISE_FOUR_OF(a[3]) * z_signs * POISE_FOUR_PICK(b, 3, 2, 1, 0);
}

#endif
#endif
