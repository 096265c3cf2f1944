// SPDX-License-Identifier: MIT
// One lane with fused multiply-add: compiled for it where the compiler has it, empty elsewhere.
#if defined(__FMA__)
#define CHAIN_LANES      1
#define CHAIN_NAME(name) name##_fma

#include "chain_step.h"

#else
typedef int poise__chain_fma_is_empty;
#endif
