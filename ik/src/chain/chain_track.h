// SPDX-License-Identifier: MIT
// A tracking step's frames and error with the components of vectors side by side, for
// chain_track_avx2.c, which defines CHAIN_LANES 4.
#ifndef POISE_CHAIN_TRACK_H
#define POISE_CHAIN_TRACK_H

#include "chain_newton.h"

/// Joints in whole vectors.
enum { TRACK_JOINTS = (CHAIN_MOST_JOINTS + CHAIN_LANES - 1) / CHAIN_LANES * CHAIN_LANES };

/// A step at work. Vectors have x y z, and 0.
typedef struct Track {
    _Alignas(64) double values[TRACK_JOINTS]; ///< numbers of hinges and sliders by joint, else 0
    double sines[TRACK_JOINTS];
    double cosines[TRACK_JOINTS];
    double steps[TRACK_JOINTS];
    double axes[TRACK_JOINTS][4];
    double arms[TRACK_JOINTS][4]; ///< origins, then linear columns; ball: from it to the tip
    double carriers[CHAIN_MOST_BALLS][3][4]; ///< columns
} Track;

/// Columns of a frame, and its origin.
typedef struct Columns {
    V x;
    V y;
    V z;
    V p;
} Columns;

// of single numbers
static inline double v1_fma(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

static inline double v1_fnma(double a, double b, double c) {
    return __builtin_fma(-a, b, c);
}

static inline V vector(double x, double y, double z) {
    return _mm256_set_pd(0.0, z, y, x);
}

// y z x
static inline V turned(V a) {
    return _mm256_permute4x64_pd(a, 0xc9);
}

// the cross product as x -> z, to be turned once
static inline V cross_part(V a, V b) {
    return v_fnma(turned(a), b, a * turned(b));
}

static inline V cross(V a, V b) {
    return turned(cross_part(a, b));
}

// (a0 + a1 + a2 + a3) of each
static inline V sums(V a, V b, V c, V d) {
    const V ab = _mm256_hadd_pd(a, b);
    const V cd = _mm256_hadd_pd(c, d);
    return _mm256_blend_pd(ab, cd, 0xc) + _mm256_permute2f128_pd(ab, cd, 0x21);
}

static inline double sum(V a) {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

// ------------------------------------------------------------------------------------------ frames

static inline void pass_ball(Track* track, const ChainJoint* joint, const double* q, Columns* f) {
    v_store(track->carriers[joint->ball][0], f->x);
    v_store(track->carriers[joint->ball][1], f->y);
    v_store(track->carriers[joint->ball][2], f->z);
    const double x2 = q[1] + q[1];
    const double y2 = q[2] + q[2];
    const double z2 = q[3] + q[3];
    const double xy = q[1] * y2;
    const double xz = q[1] * z2;
    const double yz = q[2] * z2;
    const double rest_x = v1_fnma(q[1], x2, 1.0);
    const double rest_y = v1_fnma(q[2], y2, 1.0);
    const Columns before = *f;
    f->x = v_fma(
        before.z, v_set(v1_fnma(q[0], y2, xz)),
        v_fma(before.y, v_set(v1_fma(q[0], z2, xy)), before.x * v_set(v1_fnma(q[3], z2, rest_y))));
    f->y = v_fma(
        before.z, v_set(v1_fma(q[0], x2, yz)),
        v_fma(before.y, v_set(v1_fnma(q[3], z2, rest_x)), before.x * v_set(v1_fnma(q[0], z2, xy))));
    f->z = v_fma(
        before.z, v_set(v1_fnma(q[2], y2, rest_x)),
        v_fma(before.y, v_set(v1_fnma(q[0], x2, yz)), before.x * v_set(v1_fma(q[0], y2, xz))));
}

static inline void pass_hinge(V c, V s, V* a, V* b) {
    const V before = *a;
    *a = v_fma(s, *b, c * before);
    *b = v_fnma(s, before, c * *b);
}

static inline void pass_turn(const ChainJoint* joint, Columns* f) {
    const V y = f->y;
    const V z = f->z;
    switch (joint->turn) {
    case CHAIN_TURN_NONE:
        break;
    case CHAIN_TURN_QUARTER:
        f->y = z;
        f->z = -y;
        break;
    case CHAIN_TURN_QUARTER_BACK:
        f->y = -z;
        f->z = y;
        break;
    case CHAIN_TURN_X:
        pass_hinge(v_set(joint->turn_cos), v_set(joint->turn_sin), &f->y, &f->z);
        break;
    case CHAIN_TURN_ANY: {
        const double* m = joint->matrix;
        const V x = f->x;
        f->x = v_fma(z, v_set(m[6]), v_fma(y, v_set(m[3]), x * v_set(m[0])));
        f->y = v_fma(z, v_set(m[7]), v_fma(y, v_set(m[4]), x * v_set(m[1])));
        f->z = v_fma(z, v_set(m[8]), v_fma(y, v_set(m[5]), x * v_set(m[2])));
        break;
    }
    }
}

static inline void pass_joints(const PoiseChain* chain, const double* numbers, Track* track,
                               Columns* tip) {
    Columns f = {vector(1.0, 0.0, 0.0), vector(0.0, 1.0, 0.0), vector(0.0, 0.0, 1.0), v_set(0.0)};
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        v_store(track->arms[i], f.p);
        if (joint->kind == CHAIN_HINGE) {
            v_store(track->axes[i], f.z);
            pass_hinge(v_set(track->cosines[i]), v_set(track->sines[i]), &f.x, &f.y);
        } else if (joint->kind == CHAIN_SLIDER) {
            v_store(track->axes[i], f.z);
            f.p = v_fma(v_set(track->values[i]), f.z, f.p);
            pass_hinge(v_set(joint->fixed_cos), v_set(joint->fixed_sin), &f.x, &f.y);
        } else {
            pass_ball(track, joint, &numbers[joint->slot], &f);
        }
        f.p = v_fma(v_set(joint->way[0]), f.x, f.p);
        if (joint->way[1] != 0.0) {
            f.p = v_fma(v_set(joint->way[1]), f.y, f.p);
        }
        f.p = v_fma(v_set(joint->way[2]), f.z, f.p);
        pass_turn(joint, &f);
    }
    *tip = f;
}

// numbers of hinges and sliders by joint, and the hinges' sines and cosines
static inline void fill_values(const PoiseChain* chain, const double* numbers, Track* track) {
    if (chain->ball_count == chain->joint_count) {
        return;
    }
    const int whole = (chain->joint_count + CHAIN_LANES - 1) / CHAIN_LANES * CHAIN_LANES;
    for (int i = 0; i < whole; i++) {
        const bool has_value = i < chain->joint_count && chain->joints[i].kind != CHAIN_BALL;
        track->values[i] = has_value ? numbers[chain->joints[i].slot] : 0.0;
    }
    for (int i = 0; i < whole; i += CHAIN_LANES) {
        V s;
        V c;
        sine_cosine(v_load(&track->values[i]), &s, &c);
        v_store(&track->sines[i], s);
        v_store(&track->cosines[i], c);
    }
}

// ------------------------------------------------------------------------------------------- error

// as fill_turn of chain_lanes.h; false near half a turn
static inline bool find_turn(const ChainTarget* target, const Columns* f, V* turn) {
    const double* m = target->matrix;
    const V tx = vector(m[0], m[3], m[6]);
    const V ty = vector(m[1], m[4], m[7]);
    const V tz = vector(m[2], m[5], m[8]);
    const V part = cross_part(f->x, tx) + cross_part(f->y, ty) + cross_part(f->z, tz);
    const double trace = sum(v_fma(f->z, tz, v_fma(f->y, ty, f->x * tx)));
    const double half2 = 0.25 * trace + 0.25;
    if (!(half2 > HALF_TURN)) {
        return false;
    }
    *turn = v_set(0.5 / sqrt(half2)) * turned(part);
    return true;
}

#endif
