// SPDX-License-Identifier: MIT
// The conditions that a saved state must meet before it may replace that of a tree.
#ifndef POISE_SNAPSHOT_CHECK_H
#define POISE_SNAPSHOT_CHECK_H

#include "layout.h"

/// Addresses and counts of the parts of a saved state. The parts may have any alignment.
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

/// Returns the error in the counts, indices, flags and numbers of the state, or NULL. Reads only
/// inside the parts.
const char* poise__saved_problem(const SavedState* saved);

#endif
