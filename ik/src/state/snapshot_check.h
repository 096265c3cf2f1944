// SPDX-License-Identifier: MIT
// What a saved state must hold before it may replace a tree's.
#ifndef POISE_SNAPSHOT_CHECK_H
#define POISE_SNAPSHOT_CHECK_H

#include "layout.h"

/// The parts of a saved state, where they lie in the memory, at any alignment.
typedef struct SavedState {
    const char* nodes;  ///< Node, node_slots of them
    const char* order;  ///< int, node_count
    const char* points; ///< Point, point_slots
    const char* point_order;
    const char* lists; ///< int, the nodes of each point
    const char* ties;  ///< Tie, tie_count
    int node_slots;
    int node_count;
    int point_slots;
    int point_count;
    int list_count;
    int tie_count;
    uint64_t next_sequence;
} SavedState;

/// What is wrong with the counts, indices, flags and numbers of the state, or NULL. Reads nothing
/// outside the parts.
const char* poise__saved_problem(const SavedState* saved);

#endif
