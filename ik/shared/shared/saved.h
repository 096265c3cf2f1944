// SPDX-License-Identifier: MIT
// The head of a saved state, made and checked here alone: the first bytes that poise_tree_save
// (poise/tree.h) and poise_snapshot_save (poise/snapshot.h) write. The state follows as plain
// memory. ik and the engine use it; it is not installed.
#ifndef POISE_SAVED_H
#define POISE_SAVED_H

#include <stddef.h>

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The first 32 bytes of a saved state.
typedef struct PoiseSavedHead {
    /// Eight letters that name the kind of state.
    uint64_t kind;
    /// Bytes, this head included; a multiple of 8.
    uint64_t size;
    /// FNV-1a, word by word, of all that follows it. It shows damage, not who made it.
    uint64_t sum;
    /// Version of the format, increased when the bytes that follow change their meaning.
    uint32_t version;
    /// A hash of the sizes of the structs that follow: another build may lay them out otherwise.
    uint32_t layout;
} PoiseSavedHead;

/// Returns a head for states of `kind`, whose `count` structs have these sizes, bytes. Its size and
/// sum are 0 until poise_saved_seal.
static inline PoiseSavedHead poise_saved_head(uint64_t kind, uint32_t version, const size_t* sizes,
                                              int count) {
    PoiseSavedHead head = {kind, 0, 0, version, 0};
    for (int i = 0; i < count; i++) {
        // a prime factor, so that the order of the sizes matters
        head.layout = head.layout * 1000003u + (uint32_t)sizes[i];
    }
    return head;
}

/// Writes the head into the first bytes of `memory`, of any alignment, after the rest of its `size`
/// bytes has been written. POISE_ERROR_INVALID_ARGUMENT, and nothing written: NULL, a size that is
/// no multiple of 8 or leaves no room for the head.
POISE_API PoiseStatus poise_saved_seal(const PoiseSavedHead* head, void* memory, size_t size);
/// Returns why the memory of `size` bytes is not a state with a head like `own`, or NULL if it is
/// one: another kind, version or layout, or damage. `found` (NULL: not wanted) becomes its head if
/// there is room for one. The memory may be larger than the state.
POISE_API const char* poise_saved_problem(const PoiseSavedHead* own, const void* memory,
                                          size_t size, PoiseSavedHead* found);

/// A range of adjacent bools in a struct, bytes from its start.
typedef struct PoiseSavedFlags {
    size_t first;
    size_t last;
} PoiseSavedFlags;
#define POISE_SAVED_FLAGS(type, first, last)                                                       \
    ((PoiseSavedFlags){offsetof(type, first), offsetof(type, last)})

/// True if each byte of the range is 0 or 1. A bool with another value must not be read.
static inline bool poise_saved_are_flags(const void* part, PoiseSavedFlags flags) {
    bool are = true;
    for (size_t at = flags.first; at <= flags.last; at++) {
        are = are && ((const unsigned char*)part)[at] <= 1;
    }
    return are;
}

#ifdef __cplusplus
}
#endif

#endif
