// SPDX-License-Identifier: MIT
// Carves several arrays out of one block of memory.
#ifndef POISE_BLOCK_ARRAYS_H
#define POISE_BLOCK_ARRAYS_H

#include <stddef.h>

/// Carves `count` elements behind the first `*used` bytes of `base`, aligned for a double, and adds
/// their size to `*used`. Only counts and returns NULL if `base` is NULL.
void* poise__carve_from(char* base, size_t* used, size_t count, size_t element);

#endif
