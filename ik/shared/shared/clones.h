// SPDX-License-Identifier: MIT
// POISE_CLONES before a function makes the compiler emit it twice, for AVX2 and for any processor,
// with all functions that it calls inline. The loader chooses one when the program starts. AVX2
// alone has no fused operations, so both versions give the same bits.
#ifndef POISE_CLONES_H
#define POISE_CLONES_H

#include "poise/base.h"

// The loader chooses a version by an indirect function, which only some C libraries support.
// Sanitizers do not support indirect functions. clang 14 gives them names that other files cannot
// find.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(POISE_NO_CLONES)
#define POISE_CLONES __attribute__((flatten, target_clones("avx2", "default")))
#else
#define POISE_CLONES
#endif

#endif
