// SPDX-License-Identifier: MIT
// An arena: memory that is released all at once. Scenes are read into arenas.
#ifndef POISE_ARENA_H
#define POISE_ARENA_H

#include <stdarg.h>

#include "poise/base.h"

#if defined(__GNUC__)
#define POISE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define POISE_PRINTF(text, first)
#endif

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    PoiseHost host;
    ArenaBlock* blocks;
    /// True once a request failed. Later results of the arena are incomplete.
    bool failed;
} Arena;

/// Starts an empty arena. `host` NULL or all zero: malloc and free.
void poise__arena_init(Arena* arena, const PoiseHost* host);
void poise__arena_finish(Arena* arena);

/// Returns memory for `count` objects of `size` bytes, all zero; NULL when memory is short. A count
/// of 0 is treated as 1.
void* poise__arena_allocate(Arena* arena, size_t count, size_t size);

/// Extends the array of `count` objects at `*array` (the address of a pointer) by one object if its
/// capacity is used up. Returns the array, which may have moved. Returns NULL and changes nothing
/// when memory is short. Array and capacity change together: a caller that adds nothing afterwards
/// still has an array as large as its capacity.
void* poise__arena_grow(Arena* arena, void* array, int count, int* capacity, size_t size);

/// As poise__arena_grow, for the array `items` of *owner with the members `item_count` and
/// `item_capacity`.
#define ARENA_GROW(arena, owner, items, item)                                                      \
    poise__arena_grow(arena, &(owner)->items, (owner)->item##_count, &(owner)->item##_capacity,    \
                      sizeof *(owner)->items)

/// Returns a copy of the text with a closing 0; NULL when memory is short.
char* poise__arena_copy(Arena* arena, const char* text, size_t length);
char* poise__arena_format(Arena* arena, const char* format, ...) POISE_PRINTF(2, 3);

#endif
