// SPDX-License-Identifier: MIT
// Updates many rigs. The memory of a thousand rigs is larger than the caches: before a rig is
// updated, the memory of the next one is prefetched.
#include <stddef.h>

#include "rig.h"

enum { CACHE_LINE = 64 };
// Offsets, in bytes, of the members that an update reads in ODE 0.16's structs (double precision,
// 64 bits): in a body its flags and the range BODY_FROM to BODY_END, the beginning of a joint, the
// beginning and the speed of a motor.
enum { BODY_FLAGS = 48, BODY_FROM = 304, BODY_END = 528, JOINT_END = 96, MOTOR_END = 104 };
enum { MOTOR_SPEED = 368 };

// Prefetches the lines of `size` bytes at `of` + from; nothing for NULL. Always fetches the largest
// number of lines that `size` bytes can cover, so that alignment needs no branch.
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

static void fetch_piece(PoisePiece piece) {
    for (int i = 0; i < piece.count; i++) {
        fetch_bytes(piece.from, (size_t)i * piece.stride, piece.size);
    }
}

// Prefetches the memory that an update reads: bindings, states, their doubles, and the tree.
static void fetch_rig(const PoiseRig* rig) {
    enum { FROM = offsetof(Binding, motor) };
    const size_t count = (size_t)rig->binding_count;
    const Binding* first = rig->bindings;
    if (count > 0) {
        fetch_piece((PoisePiece){&first->motor, offsetof(Binding, joint_in_parent_body.q.x) - FROM,
                                 rig->binding_count, sizeof *first});
        fetch_bytes(rig->state.joints, 0, count * sizeof *rig->state.joints);
        fetch_bytes(&first->base_in_body, 0, sizeof(PoisePose));
        fetch_bytes(rig->values, 0, (size_t)rig->value_count * sizeof(double));
    }
    for (int k = POISE_TREE_HEADS; k < POISE_TREE_PIECES; k++) {
        fetch_piece(poise_tree_piece(rig->state.tree, k));
    }
    for (int i = 0; i < rig->binding_count; i++) {
        fetch_driven(&first[i].motor);
    }
}

// Prefetches the structs of the next rigs and trees, which contain the addresses of their arrays.
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

PoiseStatus poise_rigs_update(PoiseRig* const* rigs, int count, double dt, PoiseStatus* statuses) {
    if (count < 0 || (count > 0 && !rigs)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus worst = POISE_OK;
    for (int i = 0; i < count; i++) {
        fetch_ahead(&rigs[i], count - i);
        if (i + 1 < count && rigs[i + 1]) {
            fetch_rig(rigs[i + 1]);
        }
        const PoiseStatus status =
            rigs[i] ? poise_rig_update(rigs[i], dt, NULL) : POISE_ERROR_INVALID_ARGUMENT;
        if (statuses) {
            statuses[i] = status;
        }
        // keeps the first error, else POISE_DEGRADED if a rig returned it
        worst = worst >= 0 && status != POISE_OK ? status : worst;
    }
    return worst;
}
