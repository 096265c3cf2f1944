// SPDX-License-Identifier: MIT
// Allocates arrays from the host: several in one block of memory, or one that grows.
#ifndef POISE_BLOCK_ARRAYS_H
#define POISE_BLOCK_ARRAYS_H

#include "poise/base.h"

/// Returns the address of `count` elements behind the first `*used` bytes of `base`, aligned for a
/// double, and adds their size to `*used`. If `base` is NULL, only adds the size and returns NULL.
void* poise__carve_from(char* base, size_t* used, size_t count, size_t element);
/// An array to place in a block: address of the array's pointer, number and size (bytes) of its
/// elements.
typedef struct BlockArray {
    void* pointer;
    size_t count;
    size_t element;
} BlockArray;
#define BLOCK_ARRAY(pointer, count)                                                                \
    { &(pointer), (size_t)(count), sizeof *(pointer) }

/// A block of memory with several arrays, which are allocated and released together.
typedef struct Arrays {
    const PoiseHost* host;
    void* memory;
    size_t size;
} Arrays;

/// Allocates the arrays, filled with zeros, and sets their pointers. False if memory runs out.
bool poise__arrays_open(Arrays* arrays, const PoiseHost* host, const BlockArray* list,
                        size_t count);
/// Releases the block of memory, if there is one.
void poise__arrays_close(Arrays* arrays);
/// Enlarges an array to at least `needed` elements; new ones are zeros. `pointer` is the address of
/// the array's pointer. False, with nothing changed, if memory runs out.
bool poise__grow(const PoiseHost* host, void* pointer, int* capacity, int needed, size_t element);

#endif
