// SPDX-License-Identifier: MIT
#include "fetch.h"

#include <stddef.h>

// the most lines that are asked for at once: the processor waits for about as many at a time
enum { CACHE_LINE = 64, LINES_AT_ONCE = 12 };
// what an update reads of ODE 0.16's structs in doubles, 64 bits: of a body its flags and the bytes
// from one on, of a joint and a motor of ours the beginning, and of that its speed
enum { BODY_FLAGS = 48, BODY_FROM = 304, BODY_END = 528, JOINT_END = 96, MOTOR_END = 128 };
enum { MOTOR_SPEED = 368 };
// the last pieces are the rig's own
enum { RIG_PIECES = 3, PIECES = POISE_TREE_PIECES + RIG_PIECES };

static inline void fetch_line(uintptr_t at) {
    __builtin_prefetch((const void*)at, 1);
}

// the lines from one byte of what ODE keeps to another
static inline void fetch_bytes(const void* of, uintptr_t from, uintptr_t end) {
    for (uintptr_t at = ((uintptr_t)of + from) / CACHE_LINE * CACHE_LINE;
         of && at < (uintptr_t)of + end; at += CACHE_LINE) {
        fetch_line(at);
    }
}

static void fetch_driven(const Motor* motor) {
    fetch_bytes(motor->child, BODY_FLAGS, BODY_FLAGS + 1);
    fetch_bytes(motor->child, BODY_FROM, BODY_END);
    fetch_bytes(motor->joint, 0, JOINT_END);
    for (int sort = 0; sort < SORTS; sort++) {
        fetch_bytes(motor->parts[sort], 0, MOTOR_END);
        fetch_bytes(motor->parts[sort], MOTOR_SPEED, MOTOR_SPEED + 1);
    }
}

// what an update reads of the bindings, of their states, and all numbers of both
static PoisePiece rig_piece(const PoiseRig* rig, int k) {
    const int count = rig->binding_count;
    if (count == 0) {
        return (PoisePiece){NULL, 0, 0, 0};
    }
    if (k == 0) {
        return (PoisePiece){&rig->bindings->moved_in_link.q,
                            offsetof(Binding, joint_in_parent_body.q) -
                                offsetof(Binding, moved_in_link.q),
                            count, sizeof(Binding)};
    }
    if (k == 1) {
        return (PoisePiece){&rig->state.joints->of, sizeof(JointState) - offsetof(JointState, of),
                            count, sizeof(JointState)};
    }
    return (PoisePiece){rig->values, (size_t)rig->value_count * sizeof *rig->values, 1, 0};
}

static void take_part(Fetch* fetch) {
    PoisePiece* now = &fetch->now;
    if (now->count == 0) {
        const int k = fetch->piece++;
        *now = k < POISE_TREE_PIECES ? poise_tree_piece(fetch->rig->state.tree, k)
                                     : rig_piece(fetch->rig, k - POISE_TREE_PIECES);
        if (now->count == 0) {
            return;
        }
    }
    const uintptr_t from = (uintptr_t)now->from;
    fetch->at = from / CACHE_LINE * CACHE_LINE;
    fetch->lines = (from + now->size - fetch->at + CACHE_LINE - 1) / CACHE_LINE;
    now->from = (const void*)(from + now->stride);
    now->count--;
}

static void fetch_some(PoiseBeside* beside) {
    Fetch* fetch = (Fetch*)(void*)beside;
    for (size_t lines = LINES_AT_ONCE; lines > 0;) {
        if (fetch->lines == 0) {
            if (fetch->piece == PIECES && fetch->now.count == 0) {
                if (fetch->binding < fetch->rig->binding_count) {
                    fetch_driven(&fetch->rig->bindings[fetch->binding++].motor);
                }
                return;
            }
            take_part(fetch);
        }
        const size_t count = fetch->lines < lines ? fetch->lines : lines;
        for (size_t i = 0; i < count; i++) {
            fetch_line(fetch->at + i * CACHE_LINE);
        }
        fetch->at += count * CACHE_LINE;
        fetch->lines -= count;
        lines -= count;
    }
}

Fetch poise__fetch_of(const PoiseRig* rig) {
    return (Fetch){.beside = {fetch_some}, .rig = rig};
}

void poise__fetch_rig(const PoiseRig* rig) {
    fetch_bytes(rig, 0, sizeof *rig);
}
