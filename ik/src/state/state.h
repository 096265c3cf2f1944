// SPDX-License-Identifier: MIT
// The state of a tree as plain memory: a head and eight arrays without addresses. A clone, a copy,
// a saved state and its restoration all are copies of these (state.c).
#ifndef POISE_STATE_PRIVATE_H
#define POISE_STATE_PRIVATE_H

#include "layout.h"
#include "shared/saved.h"

/// The arrays of a state, in the order in which they are saved.
typedef enum StateArray {
    NODES,       ///< Node, by slot
    ORDER,       ///< int, slots in the order of creation
    POINTS,      ///< Point, by slot
    POINT_ORDER, ///< int, slots in the order of creation
    LISTS,       ///< int, the nodes of each point
    TIES,        ///< Tie
    PREVIOUS,    ///< double, Levels.previous
    HELD,        ///< unsigned char, Levels.held
    STATE_ARRAYS
} StateArray;

/// The head of a state. Aligned to 8 bytes on 32-bit machines too.
typedef struct StateHead {
    _Alignas(8) PoiseSavedHead saved;
    TreeState state;
    int32_t ball_axes;
    int32_t filler;
    int32_t counts[STATE_ARRAYS]; ///< elements of each array
} StateHead;

/// A state, in a tree or in memory of any alignment.
typedef struct State {
    StateHead head;
    const char* arrays[STATE_ARRAYS];
} State;

/// Returns why the state may not replace that of a tree, or NULL: a flag, an index, a count or a
/// number that the functions of a tree rely on is out of its range. Reads only inside the arrays.
/// The counts are not negative.
const char* poise__state_problem(const State* state);

#endif
