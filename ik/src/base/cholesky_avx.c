// SPDX-License-Identifier: MIT
// Cholesky with vectors of four numbers, compiled for processors that have them; else empty.
#ifdef __AVX2__
#define CHOLESKY_FACTOR     poise__cholesky_factor_four
#define CHOLESKY_SOLVE      poise__cholesky_solve_four
#define CHOLESKY_SOLVE_BOTH poise__cholesky_solve_both_four

#include "cholesky_rows.h"
#else
typedef int poise__cholesky_avx_is_empty;
#endif
