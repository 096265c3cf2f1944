// SPDX-License-Identifier: MIT
// Replaces malloc, calloc and realloc of the whole program. One chosen call fails.
#ifndef POISE_TEST_FAIL_ALLOCATION_H
#define POISE_TEST_FAIL_ALLOCATION_H

#include <stddef.h>

/// Lets only the n-th allocation from now on fail; n = 0: no allocation fails. Returns the number
/// of allocations since the last call.
long fail_allocation_in(long n);
/// Calls malloc without counting it and without making it fail.
void* allocate_always(size_t size);

#endif
