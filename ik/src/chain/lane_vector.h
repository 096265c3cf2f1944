// SPDX-License-Identifier: MIT
// Arithmetic in all lanes: a V has one double per lane, an M one truth value per lane. All other
// lane headers (lane_*.h) use only these. The including file defines CHAIN_LANES as 1 (plain C), 4
// (AVX2 and FMA) or 8 (AVX-512 F and DQ). Operators + - * / work on V lane by lane. CHAIN_EXACT,
// for one or four lanes, makes v_fma and v_fnma round twice, which gives the same bits on every
// processor. If AVX2 is missing, the compiler then splits the four lanes into smaller vectors.
//
//     v_set(x)           x in every lane          v_lt(a, b)  v_ge(a, b)    a < b, a >= b
//     v_load(p)          reads from memory        m_and  m_or  m_none       combine masks
//     v_store(p, a)      writes to memory         m_bits(m)                 lane k as bit k
//     v_fma(a, b, c)     a b + c                  v_select(m, a, b)         m ? a : b
//     v_fnma(a, b, c)    c - a b                  v_clear(m, a)             m ? 0 : a
//     v_sqrt v_min v_max                          v_flip(a, s)              s < 0 (or -0) ? -a : a
#ifndef POISE_LANE_VECTOR_H
#define POISE_LANE_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if CHAIN_LANES > 1 && defined(__AVX2__)
#include <immintrin.h>
#endif

/// Functions that cost up to 3 % more if the compiler finds the program too large to inline them.
#define CHAIN_INLINE static inline __attribute__((always_inline))

/// Added to a number, leaves the nearest integer in the lowest bits of the sum.
#define CHAIN_ROUNDER 0x1.8p52

#if CHAIN_LANES == 1

typedef double V;
typedef bool M;

#define v_set(x)          ((double)(x))
#define v_load(p)         (*(p))
#define v_store(p, a)     ((void)(*(p) = (a)))
#define v_sqrt            sqrt
#define v_lt(a, b)        ((a) < (b))
#define v_ge(a, b)        ((a) >= (b))
#define m_and(a, b)       ((a) && (b))
#define m_or(a, b)        ((a) || (b))
#define m_none()          false
#define m_bits(m)         ((unsigned)(m))
#define v_select(m, a, b) ((m) ? (a) : (b))
#define v_clear(m, a)     ((m) ? 0.0 : (a))
#define v_flip(a, s)      (signbit(s) ? -(a) : (a))
#if defined(__FMA__) && !defined(CHAIN_EXACT)
#define v_fma(a, b, c)  __builtin_fma(a, b, c)
#define v_fnma(a, b, c) __builtin_fma(-(a), b, c)
#else
#define v_fma(a, b, c)  ((a) * (b) + (c))
#define v_fnma(a, b, c) ((c) - (a) * (b))
#endif

static inline V v_min(V a, V b) {
    return a < b ? a : b;
}

static inline V v_max(V a, V b) {
    return a > b ? a : b;
}

static inline void v_quadrant(V rounded, M* odd, V* sine_sign, V* cosine_sign) {
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    *odd = (bits & 1) != 0;
    *sine_sign = (bits & 2) != 0 ? -0.0 : 0.0;
    *cosine_sign = ((bits + 1) & 2) != 0 ? -0.0 : 0.0;
}

#elif CHAIN_LANES == 4 && defined(__AVX2__)

typedef __m256d V;
typedef __m256d M;

#define v_set   _mm256_set1_pd
#define v_load  _mm256_load_pd
#define v_store _mm256_store_pd
#if defined(CHAIN_EXACT)
#define v_fma(a, b, c)  ((a) * (b) + (c))
#define v_fnma(a, b, c) ((c) - (a) * (b))
#else
#define v_fma  _mm256_fmadd_pd
#define v_fnma _mm256_fnmadd_pd
#endif
#define v_sqrt            _mm256_sqrt_pd
#define v_min             _mm256_min_pd
#define v_max             _mm256_max_pd
#define v_lt(a, b)        _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define v_ge(a, b)        _mm256_cmp_pd(a, b, _CMP_GE_OQ)
#define m_and             _mm256_and_pd
#define m_or              _mm256_or_pd
#define m_none            _mm256_setzero_pd
#define m_bits(m)         ((unsigned)_mm256_movemask_pd(m))
#define v_select(m, a, b) _mm256_blendv_pd(b, a, m)
#define v_clear           _mm256_andnot_pd
#define v_flip            _mm256_xor_pd

static inline void v_quadrant(V rounded, M* odd, V* sine_sign, V* cosine_sign) {
    const __m256i bits = _mm256_castpd_si256(rounded);
    const __m256i next = _mm256_add_epi64(bits, _mm256_set1_epi64x(1));
    const V sign = _mm256_set1_pd(-0.0);
    // a blend reads only the sign bits of its mask
    *odd = _mm256_castsi256_pd(_mm256_slli_epi64(bits, 63));
    *sine_sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(bits, 62)), sign);
    *cosine_sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(next, 62)), sign);
}

#elif CHAIN_LANES == 4

// vector extensions of GCC and Clang, for any processor; an element of a mask is 0 or -1
typedef double V __attribute__((vector_size(32)));
typedef int64_t M __attribute__((vector_size(32)));

#define v_fma(a, b, c)  ((a) * (b) + (c))
#define v_fnma(a, b, c) ((c) - (a) * (b))
#define v_lt(a, b)      ((M)((a) < (b)))
#define v_ge(a, b)      ((M)((a) >= (b)))
#define m_and(a, b)     ((a) & (b))
#define m_or(a, b)      ((a) | (b))

static inline V v_set(double x) {
    const V a = {x, x, x, x};
    return a;
}

static inline V v_load(const double* p) {
    V a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void v_store(double* p, V a) {
    memcpy(p, &a, sizeof a);
}

static inline M m_none(void) {
    const M none = {0, 0, 0, 0};
    return none;
}

static inline unsigned m_bits(M m) {
    return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}

static inline V v_select(M m, V a, V b) {
    return (V)(((M)a & m) | ((M)b & ~m));
}

static inline V v_clear(M m, V a) {
    return (V)((M)a & ~m);
}

static inline V v_flip(V a, V s) {
    return (V)((M)a ^ (M)s);
}

static inline V v_min(V a, V b) {
    return v_select(v_lt(a, b), a, b);
}

static inline V v_max(V a, V b) {
    return v_select(v_lt(b, a), a, b);
}

static inline V v_sqrt(V a) {
    const V root = {sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
    return root;
}

static inline void v_quadrant(V rounded, M* odd, V* sine_sign, V* cosine_sign) {
    const M bits = (M)rounded;
    const M sign = (M)v_set(-0.0);
    *odd = -(bits & 1);
    *sine_sign = (V)((bits << 62) & sign);
    *cosine_sign = (V)(((bits + 1) << 62) & sign);
}

#elif CHAIN_LANES == 8

typedef __m512d V;
typedef __mmask8 M;

#define v_set             _mm512_set1_pd
#define v_load            _mm512_load_pd
#define v_store           _mm512_store_pd
#define v_fma             _mm512_fmadd_pd
#define v_fnma            _mm512_fnmadd_pd
#define v_sqrt            _mm512_sqrt_pd
#define v_min             _mm512_min_pd
#define v_max             _mm512_max_pd
#define v_lt(a, b)        _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define v_ge(a, b)        _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ)
#define m_and(a, b)       ((M)((a) & (b)))
#define m_or(a, b)        ((M)((a) | (b)))
#define m_none()          ((M)0)
#define m_bits(m)         ((unsigned)(m))
#define v_select(m, a, b) _mm512_mask_blend_pd(m, b, a)
#define v_clear(m, a)     _mm512_maskz_mov_pd((M) ~(m), a)
#define v_flip            _mm512_xor_pd

static inline void v_quadrant(V rounded, M* odd, V* sine_sign, V* cosine_sign) {
    const __m512i bits = _mm512_castpd_si512(rounded);
    const __m512i next = _mm512_add_epi64(bits, _mm512_set1_epi64(1));
    const V sign = _mm512_set1_pd(-0.0);
    *odd = _mm512_movepi64_mask(_mm512_slli_epi64(bits, 63));
    *sine_sign = _mm512_and_pd(_mm512_castsi512_pd(_mm512_slli_epi64(bits, 62)), sign);
    *cosine_sign = _mm512_and_pd(_mm512_castsi512_pd(_mm512_slli_epi64(next, 62)), sign);
}

#endif

// 2 / pi; the polynomials are accurate to 1e-16 within a quarter turn
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
// pi / 2 in three parts: two of 33 bits, exact in products with small integers, and a remainder
#define HALF_PI_1 0x1.921fb54400000p+0
#define HALF_PI_2 0x1.0b4611a600000p-34
#define HALF_PI_3 0x1.3198a2e037073p-69

static inline void v_sine_cosine(V x, V* sine, V* cosine) {
    const V rounded = v_fma(x, v_set(TWO_OVER_PI), v_set(CHAIN_ROUNDER));
    const V quarters = rounded - v_set(CHAIN_ROUNDER);
    V r = v_fnma(quarters, v_set(HALF_PI_1), x);
    r = v_fnma(quarters, v_set(HALF_PI_2), r);
    r = v_fnma(quarters, v_set(HALF_PI_3), r);
    const V z = r * r;
    V s = v_fma(z, v_set(0x1.5e0b19f8b1451p-33), v_set(-0x1.ae600b02b6262p-26));
    s = v_fma(z, s, v_set(0x1.71de37968a100p-19));
    s = v_fma(z, s, v_set(-0x1.a01a019e83aaep-13));
    s = v_fma(z, s, v_set(0x1.1111111110bb2p-7));
    s = v_fma(z, s, v_set(-0x1.5555555555555p-3));
    s = v_fma(z * r, s, r);
    V c = v_fma(z, v_set(-0x1.907da367a37cbp-37), v_set(0x1.1eeb68e93b64cp-29));
    c = v_fma(z, c, v_set(-0x1.27e4fa17da09ep-22));
    c = v_fma(z, c, v_set(0x1.a01a019f4eb01p-16));
    c = v_fma(z, c, v_set(-0x1.6c16c16c16967p-10));
    c = v_fma(z, c, v_set(0x1.5555555555555p-5));
    c = v_fma(z * z, c, v_fnma(z, v_set(0.5), v_set(1.0)));
    M odd;
    V sine_sign;
    V cosine_sign;
    v_quadrant(rounded, &odd, &sine_sign, &cosine_sign);
    *sine = v_flip(v_select(odd, c, s), sine_sign);
    *cosine = v_flip(v_select(odd, s, c), cosine_sign);
}

// tan(pi / 8); the polynomial is accurate to 1.1e-16 of the angle for smaller tangents
#define TANGENT_MOST 0x1.a827999fcef32p-2
// least length, which keeps the quotient of 0 and 0 finite
#define LENGTH_LEAST 1e-300

/// Returns the angle of the point (x, y) within 5e-16 rad; 0 for (0, 0).
static inline V v_atan2(V y, V x) {
    const V ax = v_max(x, -x);
    const V ay = v_max(y, -y);
    const M steep = v_lt(ax, ay);
    const V one = v_set(1.0);
    V t = v_min(ax, ay) / v_max(v_max(ax, ay), v_set(LENGTH_LEAST));
    const M far = v_lt(v_set(TANGENT_MOST), t);
    t = v_select(far, (t - one) / (t + one), t);
    const V z = t * t;
    V p = v_fma(z, v_set(-0x1.3a254249c2220p-6), v_set(0x1.415dac51cd10bp-5));
    p = v_fma(z, p, v_set(-0x1.a097da67e4438p-5));
    p = v_fma(z, p, v_set(0x1.dfe5f37f19c8bp-5));
    p = v_fma(z, p, v_set(-0x1.10fa72be60a88p-4));
    p = v_fma(z, p, v_set(0x1.3b1262ac559fcp-4));
    p = v_fma(z, p, v_set(-0x1.745d0b24c84b9p-4));
    p = v_fma(z, p, v_set(0x1.c71c718525179p-4));
    p = v_fma(z, p, v_set(-0x1.2492492435f94p-3));
    p = v_fma(z, p, v_set(0x1.9999999999349p-3));
    p = v_fma(z, p, v_set(-0x1.5555555555555p-2));
    V angle = v_fma(t * z, p, t);
    angle = v_select(far, angle + v_set(0.25 * POISE_PI), angle);
    angle = v_select(steep, v_set(0.5 * POISE_PI) - angle, angle);
    angle = v_select(v_lt(x, v_set(0.0)), v_set(POISE_PI) - angle, angle);
    return v_select(v_lt(y, v_set(0.0)), -angle, angle);
}

#endif
