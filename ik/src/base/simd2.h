// SPDX-License-Identifier: MIT
// Two doubles beside each other, which processors add and multiply at once; number by number it is
// the same as without.
#ifndef POISE_SIMD2_H
#define POISE_SIMD2_H

typedef double Two __attribute__((vector_size(2 * sizeof(double))));
/// The same number twice. No function, as LANES_OF (lanes.h).
#define TWO_OF(number) ((Two){(number), (number)})
/// Among numbers in memory, wherever they begin.
typedef double TwoNumbers
    __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline const TwoNumbers* poise__two(const double* numbers) {
    return (const TwoNumbers*)(const void*)numbers;
}

static inline TwoNumbers* poise__two_out(double* numbers) {
    return (TwoNumbers*)(void*)numbers;
}

#endif
