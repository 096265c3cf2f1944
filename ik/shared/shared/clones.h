// SPDX-License-Identifier: MIT
// POISE_CLONES before a function compiles the function, with all that it calls inline, for AVX2 and
// for any processor. The loader chooses when the program starts. AVX2 alone has no fused
// operations, so both give the same bits.
#ifndef POISE_CLONES_H
#define POISE_CLONES_H

#include "poise/base.h"

// Needs indirect functions of the C library, which sanitizers do not support. Clang 14 gives such a
// function a name that other files do not find.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(POISE_NO_CLONES)
#define POISE_CLONES __attribute__((flatten, target_clones("avx2", "default")))
#else
#define POISE_CLONES
#endif

#endif
