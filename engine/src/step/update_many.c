// SPDX-License-Identifier: MIT
// Updates of many rigs. The memory of a thousand of them is more than the processor's caches hold:
// while one is updated, the memory of the next is asked for.
#include <stddef.h>

#include "rig.h"

enum { CACHE_LINE = 64, CHUNK = 7 * CACHE_LINE };
// what an update reads of ODE 0.16's structs in doubles, 64 bits: of a body its flags and the bytes
// from one on, of a joint and a motor of ours the beginning, and of that its speed
enum { BODY_FLAGS = 48, BODY_FROM = 304, BODY_END = 528, JOINT_END = 96, MOTOR_END = 104 };
enum { MOTOR_SPEED = 368 };
// the most chunks of a rig, about 30 joints: what is beyond them waits until it is read
enum { FETCH_CHUNKS = 128 };

// asks for the memory of one rig, a little at a time, while another one is updated
typedef struct Fetch {
    PoiseBeside beside; ///< first: what the other's update calls
    const PoiseRig* rig;
    int count;
    int next;    ///< the next chunk
    int binding; ///< the next one whose body and joints of ODE are asked for, after all chunks
    uintptr_t chunks[FETCH_CHUNKS + 1]; ///< two at a time: behind an odd one stands any
} Fetch;

// the lines of so many bytes from one of what lies there on, if anything: as many as they can lie
// in, so that where they lie decides no branch
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

// what is less than a line is asked for at once, a rest too
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

// with few branches: one that is told wrong costs more than what is asked for
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

// what an update reads of the bindings, of their states, and all numbers of both; and of the tree
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

// asks for what tells where the rest is, of some rigs after the first of so many
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
        // the first error, or else that some rig is degraded
        worst = worst >= 0 && status != POISE_OK ? status : worst;
    }
    return worst;
}
