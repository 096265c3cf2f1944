// SPDX-License-Identifier: MIT
// How wide the vectors are that a file is compiled with: the rows of a matrix are changed by loops
// that exist twice, for two and for four numbers at once, of which the processor takes the wider
// ones it has. Number by number it is the same as without.
#ifndef POISE_LANES_H
#define POISE_LANES_H

#include <stdbool.h>

#include "simd2.h"

/// Numbers of a row that are changed at a time, their sums in registers.
#ifdef __AVX__
enum { LANES = 4, CHUNK = 16 };
#else
enum { LANES = 2, CHUNK = 8 };
#endif

typedef double Lanes __attribute__((vector_size(LANES * sizeof(double))));
/// Among numbers in memory, wherever they begin.
typedef double LanesNumbers
    __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline const LanesNumbers* poise__lanes(const double* numbers) {
    return (const LanesNumbers*)(const void*)numbers;
}

static inline LanesNumbers* poise__lanes_out(double* numbers) {
    return (LanesNumbers*)(void*)numbers;
}

/// The same number in all. No function: what returns vectors is called differently with and without
/// them.
#ifdef __AVX__
#define LANES_OF(number) ((Lanes){(number), (number), (number), (number)})
#else
#define LANES_OF(number) ((Lanes){(number), (number)})
#endif

/// Whether the loops for four are there, and the processor has such vectors.
static inline bool poise__has_four_lanes(void) {
#ifdef POISE_HAS_AVX2
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

#endif
