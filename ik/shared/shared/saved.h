// SPDX-License-Identifier: MIT
// The head of a saved state, which is written and checked here only: the first bytes of what
// poise_tree_save (poise/tree.h) and poise_snapshot_save (poise/snapshot.h) write. The rest of the
// state is plain memory. ik and the engine use this header; it is not installed.
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
    /// Bytes of head and state; a multiple of 8.
    uint64_t size;
    /// FNV-1a hash of all later bytes, word by word. It detects damage, not forgery.
    uint64_t sum;
    /// Version of the format; increased whenever later bytes change their meaning.
    uint32_t version;
    /// Hash of the sizes of the saved structs, because another build may lay them out differently.
    uint32_t layout;
} PoiseSavedHead;

/// Returns a head for states of `kind` with `count` structs of these sizes, bytes. poise_saved_seal
/// fills its size and sum.
static inline PoiseSavedHead poise_saved_head(uint64_t kind, uint32_t version, const size_t* sizes,
                                              int count) {
    PoiseSavedHead head = {kind, 0, 0, version, 0};
    for (int i = 0; i < count; i++) {
        // the prime makes the hash depend on the order of the sizes
        head.layout = head.layout * 1000003u + (uint32_t)sizes[i];
    }
    return head;
}

/// Writes the head into the first bytes of `memory` (any alignment). The rest of the `size` bytes
/// must have been written. POISE_ERROR_INVALID_ARGUMENT, and nothing written: NULL, a size that is
/// no multiple of 8 or smaller than the head.
POISE_API PoiseStatus poise_saved_seal(const PoiseSavedHead* head, void* memory, size_t size);
/// Returns why `memory` does not hold a state with a head like `own`: another kind, version or
/// layout, or damage. NULL if it does. `size` may exceed the state's size. `found` (NULL: not
/// wanted) gets the head, if `size` is large enough for one.
POISE_API const char* poise_saved_problem(const PoiseSavedHead* own, const void* memory,
                                          size_t size, PoiseSavedHead* found);

/// A range of adjacent bools in a struct, as bytes from its start.
typedef struct PoiseSavedFlags {
    size_t first;
    size_t last;
} PoiseSavedFlags;
#define POISE_SAVED_FLAGS(type, first, last)                                                       \
    ((PoiseSavedFlags){offsetof(type, first), offsetof(type, last)})

/// True if each byte of the range is 0 or 1: reading a bool with another value is undefined.
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
