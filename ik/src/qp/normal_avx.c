// SPDX-License-Identifier: MIT
// J W J^T with vectors of four numbers, compiled for processors that have them; else empty.
#ifdef __AVX2__
#define MATRIX_NORMAL poise__matrix_normal_four

#include "normal_rows.h"
#else
typedef int poise__normal_avx_is_empty;
#endif
