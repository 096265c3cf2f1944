// SPDX-License-Identifier: MIT
// Several arrays in one block of memory.
#ifndef POISE_BLOCK_ARRAYS_H
#define POISE_BLOCK_ARRAYS_H

#include <stddef.h>

/// Room for `count` elements behind the first `*used` bytes of `base`, aligned for a double, which
/// are then used too; NULL where `base` is NULL: that only counts.
void* poise__carve_from(char* base, size_t* used, size_t count, size_t element);

#endif
