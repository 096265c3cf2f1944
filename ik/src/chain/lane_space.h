// SPDX-License-Identifier: MIT
// Vectors of space and 3 x 3 matrices in all lanes. A V3 has three components of type V. If
// CHAIN_PACKED is defined, for a single lane, the components share an AVX2 vector whose fourth
// element is 0. Only this file distinguishes the two forms.
#ifndef POISE_LANE_SPACE_H
#define POISE_LANE_SPACE_H

#include "lane_vector.h"

#if defined(CHAIN_PACKED)

#include <immintrin.h>

typedef __m256d V3;
/// Number of doubles of a V3 in memory. Component k of lane l is at k * V3_STRIDE + l.
enum { V3_SIZE = 4, V3_STRIDE = 1 };

static inline V3 v3(V x, V y, V z) {
    return _mm256_set_pd(0.0, z, y, x);
}

static inline V3 v3_load(const double* p) {
    return _mm256_load_pd(p);
}

static inline void v3_store(double* p, V3 a) {
    _mm256_store_pd(p, a);
}

static inline V v3_x(V3 a) {
    return _mm256_cvtsd_f64(a);
}

static inline V v3_y(V3 a) {
    const __m128d low = _mm256_castpd256_pd128(a);
    return _mm_cvtsd_f64(_mm_unpackhi_pd(low, low));
}

static inline V v3_z(V3 a) {
    return _mm_cvtsd_f64(_mm256_extractf128_pd(a, 1));
}

static inline V3 v3_add(V3 a, V3 b) {
    return a + b;
}

static inline V3 v3_sub(V3 a, V3 b) {
    return a - b;
}

static inline V3 v3_negate(V3 a) {
    return -a;
}

static inline V3 v3_scale(V s, V3 a) {
    return _mm256_set1_pd(s) * a;
}

/// Returns s a + b.
static inline V3 v3_fma(V s, V3 a, V3 b) {
    return _mm256_fmadd_pd(_mm256_set1_pd(s), a, b);
}

/// Returns b - s a.
static inline V3 v3_fnma(V s, V3 a, V3 b) {
    return _mm256_fnmadd_pd(_mm256_set1_pd(s), a, b);
}

/// Returns a b + c, component by component.
static inline V3 v3_times(V3 a, V3 b, V3 c) {
    return _mm256_fmadd_pd(a, b, c);
}

static inline V v3_sum(V3 a) {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

/// Returns a vector with the sums of components of a, b, c and d.
static inline __m256d v3_sums(V3 a, V3 b, V3 c, V3 d) {
    const __m256d ab = _mm256_hadd_pd(a, b);
    const __m256d cd = _mm256_hadd_pd(c, d);
    return _mm256_blend_pd(ab, cd, 0xc) + _mm256_permute2f128_pd(ab, cd, 0x21);
}

/// Returns a . b.
static inline V v3_dot(V3 a, V3 b) {
    return v3_sum(a * b);
}

/// Returns a . b + c . d.
static inline V v3_dot2(V3 a, V3 b, V3 c, V3 d) {
    return v3_sum(_mm256_fmadd_pd(a, b, c * d));
}

// Returns the vector (y, z, x).
static inline V3 v3_shift(V3 a) {
    return _mm256_permute4x64_pd(a, 0xc9);
}

/// Returns a x b.
static inline V3 v3_cross(V3 a, V3 b) {
    return v3_shift(_mm256_fnmadd_pd(v3_shift(a), b, a * v3_shift(b)));
}

/// Returns a, and 0 in the lanes of the mask.
static inline V3 v3_clear(M mask, V3 a) {
    return mask ? _mm256_setzero_pd() : a;
}

#else

typedef struct V3 {
    V x;
    V y;
    V z;
} V3;

enum { V3_SIZE = 3 * CHAIN_LANES, V3_STRIDE = CHAIN_LANES };

#define v3_x(a) ((a).x)
#define v3_y(a) ((a).y)
#define v3_z(a) ((a).z)

static inline V3 v3(V x, V y, V z) {
    const V3 a = {x, y, z};
    return a;
}

static inline V3 v3_load(const double* p) {
    return v3(v_load(p), v_load(p + CHAIN_LANES), v_load(p + 2 * CHAIN_LANES));
}

static inline void v3_store(double* p, V3 a) {
    v_store(p, a.x);
    v_store(p + CHAIN_LANES, a.y);
    v_store(p + 2 * CHAIN_LANES, a.z);
}

static inline V3 v3_add(V3 a, V3 b) {
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline V3 v3_sub(V3 a, V3 b) {
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline V3 v3_negate(V3 a) {
    return v3(-a.x, -a.y, -a.z);
}

static inline V3 v3_scale(V s, V3 a) {
    return v3(s * a.x, s * a.y, s * a.z);
}

static inline V3 v3_fma(V s, V3 a, V3 b) {
    return v3(v_fma(s, a.x, b.x), v_fma(s, a.y, b.y), v_fma(s, a.z, b.z));
}

static inline V3 v3_fnma(V s, V3 a, V3 b) {
    return v3(v_fnma(s, a.x, b.x), v_fnma(s, a.y, b.y), v_fnma(s, a.z, b.z));
}

static inline V3 v3_times(V3 a, V3 b, V3 c) {
    return v3(v_fma(a.x, b.x, c.x), v_fma(a.y, b.y, c.y), v_fma(a.z, b.z, c.z));
}

static inline V v3_sum(V3 a) {
    return a.x + a.y + a.z;
}

static inline V v3_dot(V3 a, V3 b) {
    return v_fma(a.z, b.z, v_fma(a.y, b.y, a.x * b.x));
}

static inline V v3_dot2(V3 a, V3 b, V3 c, V3 d) {
    return v3_dot(a, b) + v3_dot(c, d);
}

static inline V3 v3_cross(V3 a, V3 b) {
    return v3(v_fnma(a.z, b.y, a.y * b.z), v_fnma(a.x, b.z, a.z * b.x),
              v_fnma(a.y, b.x, a.x * b.y));
}

static inline V3 v3_clear(M mask, V3 a) {
    return v3(v_clear(mask, a.x), v_clear(mask, a.y), v_clear(mask, a.z));
}

#endif

static inline V3 v3_zero(void) {
    return v3(v_set(0.0), v_set(0.0), v_set(0.0));
}

// ---------------------------------------------------------------------------------------- matrices

/// A 3 x 3 matrix; x, y and z are its rows.
typedef struct M3 {
    V3 x;
    V3 y;
    V3 z;
} M3;

static inline M3 m3_zero(void) {
    const M3 zero = {v3_zero(), v3_zero(), v3_zero()};
    return zero;
}

/// The six different entries of a symmetric 3 x 3 matrix.
typedef struct Entries {
    V xx;
    V xy;
    V yy;
    V xz;
    V yz;
    V zz;
} Entries;

#if defined(CHAIN_PACKED)

/// A symmetric matrix with all nine entries, by rows.
typedef M3 S3;
#define s3_zero m3_zero

/// Returns m + a b^T. `a` is in memory, because single components load without a permutation.
static inline M3 m3_add_outer(M3 m, const double* a, V3 b) {
    m.x = v3_fma(a[0], b, m.x);
    m.y = v3_fma(a[1], b, m.y);
    m.z = v3_fma(a[2], b, m.z);
    return m;
}

/// Returns s + a a^T for a vector `a` in memory.
static inline S3 s3_add(S3 s, const double* a) {
    return m3_add_outer(s, a, v3_load(a));
}

/// Returns s - a b^T. The sum of all such terms must be symmetric.
static inline S3 s3_sub(S3 s, V3 a, V3 b) {
    s.x = _mm256_fnmadd_pd(_mm256_permute4x64_pd(a, 0x00), b, s.x);
    s.y = _mm256_fnmadd_pd(_mm256_permute4x64_pd(a, 0x55), b, s.y);
    s.z = _mm256_fnmadd_pd(_mm256_permute4x64_pd(a, 0xaa), b, s.z);
    return s;
}

static inline Entries s3_entries(S3 s) {
    const Entries entries = {v3_x(s.x), v3_x(s.y), v3_y(s.y), v3_x(s.z), v3_y(s.z), v3_z(s.z)};
    return entries;
}

/// Returns m a.
static inline V3 m3_mul(M3 m, V3 a) {
    return v3_sums(m.x * a, m.y * a, m.z * a, _mm256_setzero_pd());
}

#else

/// A symmetric matrix with its six different entries.
typedef Entries S3;

static inline S3 s3_zero(void) {
    const V zero = v_set(0.0);
    const S3 s = {zero, zero, zero, zero, zero, zero};
    return s;
}

static inline M3 m3_add_outer(M3 m, const double* a, V3 b) {
    m.x = v3_fma(v_load(a), b, m.x);
    m.y = v3_fma(v_load(a + CHAIN_LANES), b, m.y);
    m.z = v3_fma(v_load(a + 2 * CHAIN_LANES), b, m.z);
    return m;
}

static inline S3 s3_add(S3 s, const double* at) {
    const V3 a = v3_load(at);
    s.xx = v_fma(a.x, a.x, s.xx);
    s.xy = v_fma(a.y, a.x, s.xy);
    s.yy = v_fma(a.y, a.y, s.yy);
    s.xz = v_fma(a.z, a.x, s.xz);
    s.yz = v_fma(a.z, a.y, s.yz);
    s.zz = v_fma(a.z, a.z, s.zz);
    return s;
}

static inline S3 s3_sub(S3 s, V3 a, V3 b) {
    s.xx = v_fnma(a.x, b.x, s.xx);
    s.xy = v_fnma(a.y, b.x, s.xy);
    s.yy = v_fnma(a.y, b.y, s.yy);
    s.xz = v_fnma(a.z, b.x, s.xz);
    s.yz = v_fnma(a.z, b.y, s.yz);
    s.zz = v_fnma(a.z, b.z, s.zz);
    return s;
}

static inline Entries s3_entries(S3 s) {
    return s;
}

static inline V3 m3_mul(M3 m, V3 a) {
    return v3(v3_dot(m.x, a), v3_dot(m.y, a), v3_dot(m.z, a));
}

#endif

/// Returns m plus the matrix whose columns are e_x x a, e_y x a and e_z x a.
static inline M3 m3_add_cross(M3 m, V3 a) {
    const V zero = v_set(0.0);
    const V x = v3_x(a);
    const V y = v3_y(a);
    const V z = v3_z(a);
    m.x = v3_add(m.x, v3(zero, z, -y));
    m.y = v3_add(m.y, v3(-z, zero, x));
    m.z = v3_add(m.z, v3(y, -x, zero));
    return m;
}

#endif
