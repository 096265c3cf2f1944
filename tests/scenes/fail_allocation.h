// SPDX-License-Identifier: MIT
// malloc, calloc and realloc of the whole program, of which one fails.
#ifndef POISE_TEST_FAIL_ALLOCATION_H
#define POISE_TEST_FAIL_ALLOCATION_H

#include <stddef.h>

/// The n-th from now on fails, and that one alone; 0: none. How many there were since the last
/// call.
long fail_allocation_in(long n);
/// malloc that is neither counted nor fails.
void* allocate_always(size_t size);

#endif
