// SPDX-License-Identifier: MIT
// Enlarges arrays.
#ifndef POISE_GROW_H
#define POISE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/// Makes room for one more element of `size` bytes after `count` elements. `array` is the address
/// of the pointer to the first. Returns false, with the array as before, if memory runs out.
bool poise__array_grow(void* array, int count, int* capacity, size_t size);

#endif
