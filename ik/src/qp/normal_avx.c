// SPDX-License-Identifier: MIT
// J W J^T, J x and J^T y with vectors of four numbers, compiled for processors that have them; else
// empty.
#ifdef __AVX2__
#define MATRIX_NORMAL         poise__matrix_normal_four
#define MATRIX_TIMES          poise__matrix_times_four
#define MATRIX_TRANSPOSE_BOTH poise__matrix_transpose_both_four

#include "normal_rows.h"
#else
typedef int poise__normal_avx_is_empty;
#endif
