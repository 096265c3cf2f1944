// SPDX-License-Identifier: MIT
// Updates many rigs. The memory of a thousand rigs is larger than the caches: while one rig is
// updated, the memory of the next is prefetched.
#include <stddef.h>

#include "rig.h"

enum { CACHE_LINE = 64, CHUNK = 7 * CACHE_LINE };
// Bytes that an update reads of ODE 0.16's structs in doubles, 64 bits: a body's flags and a range
// of it, the beginning of a joint and of a motor, and a motor's speed.
enum { BODY_FLAGS = 48, BODY_FROM = 304, BODY_END = 528, JOINT_END = 96, MOTOR_END = 104 };
enum { MOTOR_SPEED = 368 };
// Largest number of chunks of a rig, about 30 joints; the rest is not prefetched.
enum { FETCH_CHUNKS = 128 };

// Prefetches the memory of one rig, a little at a time, while another one is updated.
typedef struct Fetch {
    PoiseBeside beside; ///< first member: called by the other's update
    const PoiseRig* rig;
    int count;
    int next;    ///< index of the next chunk
    int binding; ///< next binding whose body and joints of ODE are fetched, after all chunks
    uintptr_t chunks[FETCH_CHUNKS + 1]; ///< fetched in pairs: an odd last one is followed by any
} Fetch;

// Prefetches the lines of `size` bytes at `of` + from; nothing for NULL. It always fetches the
// largest number of lines that they can cover, so that alignment needs no branch.
static inline void fetch_bytes(const void* of, uintptr_t from, size_t size) {
    const uintptr_t begin = (uintptr_t)of + from;
    if (!of) {
        return;
    }
    for (size_t at = 0; at < size; at += CACHE_LINE) {
        __builtin_prefetch((const void*)(begin + at), 1);
    }
    __builtin_prefetch((const void*)(begin + size - 1), 1);
}

static void fetch_driven(const Motor* motor) {
    fetch_bytes(motor->child, BODY_FLAGS, 1);
    fetch_bytes(motor->child, BODY_FROM, BODY_END - BODY_FROM);
    fetch_bytes(motor->joint, 0, JOINT_END);
    for (int sort = 0; sort < SORTS; sort++) {
        fetch_bytes(motor->parts[sort], 0, MOTOR_END);
        fetch_bytes(motor->parts[sort], MOTOR_SPEED, 1);
    }
}

// Adds a piece of memory; parts shorter than a line are prefetched at once.
static void add_piece(Fetch* fetch, PoisePiece piece) {
    for (int i = 0; i < piece.count; i++) {
        const uintptr_t from = (uintptr_t)piece.from + (size_t)i * piece.stride;
        for (size_t at = 0; at < piece.size && fetch->count < FETCH_CHUNKS; at += CHUNK) {
            if (piece.size - at < CACHE_LINE) {
                fetch_bytes((const void*)from, at, piece.size - at);
            } else {
                fetch->chunks[fetch->count++] = from + at;
            }
        }
    }
}

// Prefetches two chunks. Few branches: a mispredicted one costs more than the prefetch.
static void fetch_some(PoiseBeside* beside) {
    Fetch* fetch = (Fetch*)(void*)beside;
    if (fetch->next < fetch->count) {
        fetch_bytes((const void*)fetch->chunks[fetch->next], 0, CHUNK);
        fetch_bytes((const void*)fetch->chunks[fetch->next + 1], 0, CHUNK);
        fetch->next += 2;
    } else if (fetch->binding < fetch->rig->binding_count) {
        fetch_driven(&fetch->rig->bindings[fetch->binding++].motor);
    }
}

// Collects the memory that an update reads: bindings, states, their doubles, and the tree.
static PoiseBeside* fetch_begin(Fetch* fetch, const PoiseRig* rig) {
    enum { FROM = offsetof(Binding, moved_in_link.q) };
    const size_t count = (size_t)rig->binding_count;
    const Binding* first = rig->bindings;
    const JointState* joints = rig->state.joints;
    fetch->beside.work = fetch_some;
    fetch->rig = rig;
    fetch->count = fetch->next = fetch->binding = 0;
    if (count > 0) {
        add_piece(fetch, (PoisePiece){&first->moved_in_link.q,
                                      offsetof(Binding, joint_in_parent_body.q.x) - FROM,
                                      rig->binding_count, sizeof *first});
        add_piece(fetch, (PoisePiece){joints, count * sizeof *joints, 1, 0});
        add_piece(fetch, (PoisePiece){&first->base_in_body, sizeof(PoisePose), 1, 0});
        add_piece(fetch,
                  (PoisePiece){rig->values, (size_t)rig->value_count * sizeof(double), 1, 0});
    }
    for (int k = POISE_TREE_HEADS; k < POISE_TREE_PIECES; k++) {
        add_piece(fetch, poise_tree_piece(rig->state.tree, k));
    }
    fetch->chunks[fetch->count] = (uintptr_t)&rig->status;
    return &fetch->beside;
}

// Prefetches the heads of the next rigs, which have the addresses of the rest.
static void fetch_ahead(PoiseRig* const* rigs, int count) {
    for (int k = 0; k < POISE_TREE_HEADS; k++) {
        const int at = k == 0 ? 3 : 2;
        const PoiseTree* tree = count > at && rigs[at] ? rigs[at]->state.tree : NULL;
        const PoisePiece piece = poise_tree_piece(tree, k);
        fetch_bytes(piece.from, 0, (size_t)(piece.count - 1) * piece.stride + piece.size);
    }
    const size_t from = offsetof(PoiseRig, state.press.points);
    fetch_bytes(count > 4 ? rigs[4] : NULL, from, sizeof(PoiseRig) - from);
}

static PoiseStatus update_before(PoiseRig* rig, const PoiseRig* next, double dt) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Fetch fetch;
    rig->beside = next ? fetch_begin(&fetch, next) : NULL;
    poise_tree_set_beside(rig->state.tree, rig->beside);
    const PoiseStatus status = poise_rig_update(rig, dt, NULL);
    poise_tree_set_beside(rig->state.tree, NULL);
    rig->beside = NULL;
    return status;
}

PoiseStatus poise_rigs_update(PoiseRig* const* rigs, int count, double dt, PoiseStatus* statuses) {
    if (count < 0 || (count > 0 && !rigs)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus worst = POISE_OK;
    for (int i = 0; i < count; i++) {
        fetch_ahead(&rigs[i], count - i);
        const PoiseStatus status = update_before(rigs[i], i + 1 < count ? rigs[i + 1] : NULL, dt);
        if (statuses) {
            statuses[i] = status;
        }
        // the first error, else POISE_DEGRADED if some rig is
        worst = worst >= 0 && status != POISE_OK ? status : worst;
    }
    return worst;
}
