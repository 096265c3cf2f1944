// SPDX-License-Identifier: MIT
// An arena: memory that is released all at once.
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Least size of a block, bytes. Under AddressSanitizer each request gets a block of its own, so
// that writes past its end are reported. Tests set POISE_ARENA_BLOCK to let each request fail in
// turn.
#if defined(POISE_ARENA_BLOCK)
#define BLOCK_SIZE ((size_t)POISE_ARENA_BLOCK)
#elif defined(__SANITIZE_ADDRESS__)
#define BLOCK_SIZE ((size_t)1)
#else
#define BLOCK_SIZE ((size_t)16384)
#endif

struct ArenaBlock {
    ArenaBlock* next;
    size_t size; ///< bytes of the whole block
    size_t used; ///< bytes in use, header included
};

static size_t round_up(size_t size) {
    size_t unit = _Alignof(max_align_t);
    return (size + unit - 1) / unit * unit;
}

void poise__arena_init(Arena* arena, const PoiseHost* host) {
    memset(arena, 0, sizeof *arena);
    if (host && host->allocate && host->release) {
        arena->host = *host;
    }
}

void poise__arena_finish(Arena* arena) {
    ArenaBlock* block = arena->blocks;
    while (block) {
        ArenaBlock* next = block->next;
        if (arena->host.release) {
            arena->host.release(block, block->size, arena->host.user);
        } else {
            free(block);
        }
        block = next;
    }
    arena->blocks = NULL;
}

static ArenaBlock* add_block(Arena* arena, size_t room) {
    size_t header = round_up(sizeof(ArenaBlock));
    size_t size = header + room > BLOCK_SIZE ? header + room : BLOCK_SIZE;
    ArenaBlock* block = arena->host.allocate
                            ? arena->host.allocate(size, _Alignof(max_align_t), arena->host.user)
                            : malloc(size);
    if (!block) {
        return NULL;
    }
    block->size = size;
    block->used = header;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void* poise__arena_allocate(Arena* arena, size_t count, size_t size) {
    if (count == 0) {
        count = 1;
    }
    if (count > (SIZE_MAX / 2) / size) {
        arena->failed = true;
        return NULL;
    }
    size_t wanted = round_up(count * size);
    ArenaBlock* block = arena->blocks;
    if (!block || block->size - block->used < wanted) {
        block = add_block(arena, wanted);
    }
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    void* memory = (char*)block + block->used;
    block->used += wanted;
    memset(memory, 0, wanted);
    return memory;
}

void* poise__arena_grow(Arena* arena, void* array, int count, int* capacity, size_t size) {
    void* now;
    memcpy(&now, array, sizeof now);
    if (count < *capacity) {
        return now;
    }
    if (count > INT32_MAX / 2) {
        arena->failed = true;
        return NULL;
    }
    int grown = count < 4 ? 8 : 2 * count;
    void* moved = poise__arena_allocate(arena, (size_t)grown, size);
    if (!moved) {
        return NULL;
    }
    if (count > 0) {
        memcpy(moved, now, (size_t)count * size);
    }
    memcpy(array, &moved, sizeof moved);
    *capacity = grown;
    return moved;
}

char* poise__arena_copy(Arena* arena, const char* text, size_t length) {
    char* copy = poise__arena_allocate(arena, length + 1, 1);
    if (copy && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

char* poise__arena_format(Arena* arena, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char* text = poise__arena_allocate(arena, (size_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}
