// SPDX-License-Identifier: MIT
// The state of a tree as plain memory: a head and eight arrays without addresses. Clones, copies,
// saved states and restored states all use it (state.c).
#ifndef POISE_STATE_PRIVATE_H
#define POISE_STATE_PRIVATE_H

#include "layout.h"
#include "shared/saved.h"

/// The arrays of a state, in the order in which they are saved. The comments name the types of
/// their elements.
typedef enum StateArray {
    NODES,       ///< Node, by slot of the node
    ORDER,       ///< int, slots in the order of creation
    POINTS,      ///< Point, by slot of the point
    POINT_ORDER, ///< int, slots in the order of creation
    LISTS,       ///< int, the nodes of each point
    TIES,        ///< Tie, of coupled nodes
    PREVIOUS,    ///< double, Levels.previous
    HELD,        ///< unsigned char, Levels.held
    STATE_ARRAYS
} StateArray;

/// The head of a state, aligned to 8 bytes on 32-bit machines too.
typedef struct StateHead {
    _Alignas(8) PoiseSavedHead saved;
    TreeState state;
    int32_t ball_axes;
    int32_t filler;
    int32_t counts[STATE_ARRAYS]; ///< by array: number of elements
} StateHead;

/// A state; the arrays are those of a tree, or lie in memory of any alignment.
typedef struct State {
    StateHead head;
    const char* arrays[STATE_ARRAYS];
} State;

/// Returns why the state must not replace that of a tree, or NULL: a flag, index, count or number
/// that functions of a tree rely on is out of range. Reads only inside the arrays. Requires counts
/// >= 0.
const char* poise__state_problem(const State* state);

#endif
