// SPDX-License-Identifier: MIT
// A vector of doubles, one a lane, and a mask: what chain_lanes.h is written in. The file that
// includes it defines CHAIN_LANES as 1 (plain C), 4 (AVX2 and FMA) or 8 (AVX-512 F and DQ), and is
// compiled for that processor. + - * / work on V as they do on double, lane by lane.
#ifndef POISE_CHAIN_VECTOR_H
#define POISE_CHAIN_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// adding it leaves a number's nearest integer in the lowest bits
#define CHAIN_ROUNDER 0x1.8p52

#if CHAIN_LANES == 1

typedef double V;
typedef bool M;

static inline V v_set(double x) {
    return x;
}

static inline V v_load(const double* p) {
    return *p;
}

static inline void v_store(double* p, V a) {
    *p = a;
}

#if defined(__FMA__)
/// a b + c, in one rounding where the processor has that
static inline V v_fma(V a, V b, V c) {
    return __builtin_fma(a, b, c);
}

/// c - a b
static inline V v_fnma(V a, V b, V c) {
    return __builtin_fma(-a, b, c);
}
#else
static inline V v_fma(V a, V b, V c) {
    return a * b + c;
}

static inline V v_fnma(V a, V b, V c) {
    return c - a * b;
}
#endif

static inline V v_sqrt(V a) {
    return sqrt(a);
}

static inline V v_min(V a, V b) {
    return a < b ? a : b;
}

static inline V v_max(V a, V b) {
    return a > b ? a : b;
}

static inline V v_abs(V a) {
    return fabs(a);
}

static inline M v_lt(V a, V b) {
    return a < b;
}

static inline M v_ge(V a, V b) {
    return a >= b;
}

static inline M m_and(M a, M b) {
    return a && b;
}

static inline M m_or(M a, M b) {
    return a || b;
}

static inline M m_none(void) {
    return false;
}

static inline unsigned m_bits(M a) {
    return a;
}

/// a where the mask is set, else b
static inline V v_select(M mask, V a, V b) {
    return mask ? a : b;
}

/// 0 where the mask is set, else a
static inline V v_clear(M mask, V a) {
    return mask ? 0.0 : a;
}

/// From x + CHAIN_ROUNDER: whether the integer is odd, and the signs of sine and cosine in that
/// quadrant, +-0.
static inline void v_quadrant(V rounded, M* odd, V* sine_sign, V* cosine_sign) {
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    *odd = (bits & 1) != 0;
    *sine_sign = (bits & 2) != 0 ? -0.0 : 0.0;
    *cosine_sign = ((bits + 1) & 2) != 0 ? -0.0 : 0.0;
}

/// a with its sign changed where that of `sign` is set
static inline V v_flip(V a, V sign) {
    return signbit(sign) ? -a : a;
}

#elif CHAIN_LANES == 4

#include <immintrin.h>

typedef __m256d V;
typedef __m256d M;

static inline V v_set(double x) {
    return _mm256_set1_pd(x);
}

static inline V v_load(const double* p) {
    return _mm256_load_pd(p);
}

static inline void v_store(double* p, V a) {
    _mm256_store_pd(p, a);
}

static inline V v_fma(V a, V b, V c) {
    return _mm256_fmadd_pd(a, b, c);
}

static inline V v_fnma(V a, V b, V c) {
    return _mm256_fnmadd_pd(a, b, c);
}

static inline V v_sqrt(V a) {
    return _mm256_sqrt_pd(a);
}

static inline V v_min(V a, V b) {
    return _mm256_min_pd(a, b);
}

static inline V v_max(V a, V b) {
    return _mm256_max_pd(a, b);
}

static inline V v_abs(V a) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

static inline M v_lt(V a, V b) {
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}

static inline M v_ge(V a, V b) {
    return _mm256_cmp_pd(a, b, _CMP_GE_OQ);
}

static inline M m_and(M a, M b) {
    return _mm256_and_pd(a, b);
}

static inline M m_or(M a, M b) {
    return _mm256_or_pd(a, b);
}

static inline M m_none(void) {
    return _mm256_setzero_pd();
}

static inline unsigned m_bits(M a) {
    return (unsigned)_mm256_movemask_pd(a);
}

static inline V v_select(M mask, V a, V b) {
    return _mm256_blendv_pd(b, a, mask);
}

static inline V v_clear(M mask, V a) {
    return _mm256_andnot_pd(mask, a);
}

static inline void v_quadrant(V rounded, M* odd, V* sine_sign, V* cosine_sign) {
    const __m256i bits = _mm256_castpd_si256(rounded);
    const __m256i next = _mm256_add_epi64(bits, _mm256_set1_epi64x(1));
    const V sign = _mm256_set1_pd(-0.0);
    // only the sign bit of a mask is looked at when selecting
    *odd = _mm256_castsi256_pd(_mm256_slli_epi64(bits, 63));
    *sine_sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(bits, 62)), sign);
    *cosine_sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(next, 62)), sign);
}

static inline V v_flip(V a, V sign) {
    return _mm256_xor_pd(a, sign);
}

#elif CHAIN_LANES == 8

#include <immintrin.h>

typedef __m512d V;
typedef __mmask8 M;

static inline V v_set(double x) {
    return _mm512_set1_pd(x);
}

static inline V v_load(const double* p) {
    return _mm512_load_pd(p);
}

static inline void v_store(double* p, V a) {
    _mm512_store_pd(p, a);
}

static inline V v_fma(V a, V b, V c) {
    return _mm512_fmadd_pd(a, b, c);
}

static inline V v_fnma(V a, V b, V c) {
    return _mm512_fnmadd_pd(a, b, c);
}

static inline V v_sqrt(V a) {
    return _mm512_sqrt_pd(a);
}

static inline V v_min(V a, V b) {
    return _mm512_min_pd(a, b);
}

static inline V v_max(V a, V b) {
    return _mm512_max_pd(a, b);
}

static inline V v_abs(V a) {
    return _mm512_abs_pd(a);
}

static inline M v_lt(V a, V b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

static inline M v_ge(V a, V b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ);
}

static inline M m_and(M a, M b) {
    return (M)(a & b);
}

static inline M m_or(M a, M b) {
    return (M)(a | b);
}

static inline M m_none(void) {
    return 0;
}

static inline unsigned m_bits(M a) {
    return a;
}

static inline V v_select(M mask, V a, V b) {
    return _mm512_mask_blend_pd(mask, b, a);
}

static inline V v_clear(M mask, V a) {
    return _mm512_maskz_mov_pd((M)~mask, a);
}

static inline void v_quadrant(V rounded, M* odd, V* sine_sign, V* cosine_sign) {
    const __m512i bits = _mm512_castpd_si512(rounded);
    const __m512i next = _mm512_add_epi64(bits, _mm512_set1_epi64(1));
    const V sign = _mm512_set1_pd(-0.0);
    *odd = _mm512_movepi64_mask(_mm512_slli_epi64(bits, 63));
    *sine_sign = _mm512_and_pd(_mm512_castsi512_pd(_mm512_slli_epi64(bits, 62)), sign);
    *cosine_sign = _mm512_and_pd(_mm512_castsi512_pd(_mm512_slli_epi64(next, 62)), sign);
}

static inline V v_flip(V a, V sign) {
    return _mm512_xor_pd(a, sign);
}

#endif

#endif
