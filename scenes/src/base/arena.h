// SPDX-License-Identifier: MIT
// Memory that is given back all at once: what a scene is read into.
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
    /// Memory was short once: what was built since is not whole.
    bool failed;
} Arena;

/// `host` NULL or all zero: malloc and free.
void poise__arena_init(Arena* arena, const PoiseHost* host);
void poise__arena_finish(Arena* arena);

/// `count` things of `size` bytes, all zero; NULL when memory is short. A count of 0 gives room for
/// one.
void* poise__arena_allocate(Arena* arena, size_t count, size_t size);

/// Makes room for one more in the array of `count` things at `*array` (the address of a pointer):
/// returns the array, moved if need be, or NULL, with nothing changed, when memory is short. Array
/// and capacity change together, so that one who then has nothing to add leaves no array behind
/// that is smaller than its capacity says.
void* poise__arena_grow(Arena* arena, void* array, int count, int* capacity, size_t size);

/// A copy of the text, with a closing 0.
char* poise__arena_copy(Arena* arena, const char* text, size_t length);
char* poise__arena_format(Arena* arena, const char* format, ...) POISE_PRINTF(2, 3);

#endif
