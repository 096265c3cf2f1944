// SPDX-License-Identifier: MIT
// Four lanes: compiled with AVX2 and FMA where the compiler has them, empty elsewhere.
#if defined(__AVX2__) && defined(__FMA__)
#define CHAIN_LANES      4
#define CHAIN_NAME(name) name##_avx2

#include "chain_drive.h"

#else
typedef int poise__chain_avx2_is_empty;
#endif
