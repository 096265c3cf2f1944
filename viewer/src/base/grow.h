// SPDX-License-Identifier: MIT
// Growing arrays.
#ifndef POISE_GROW_H
#define POISE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/// Makes room for one more element of `size` bytes behind `count` others. `array` is the address of
/// the pointer to the first. Returns false, with the array as before, when memory is short.
bool poise__array_grow(void* array, int count, int* capacity, size_t size);

#endif
