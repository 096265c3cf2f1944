// SPDX-License-Identifier: MIT
// The memory of a tree, for layers built on this one that read all of it in every step: the numbers
// of all nodes where the tree keeps them, and memory that is asked for before it is read.
#ifndef POISE_NODE_NUMBERS_H
#define POISE_NODE_NUMBERS_H

#include "poise/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the functions of these names write of a node begins at poise_numbers_at in each array;
/// units and frames as there. NULL for a tree without nodes, and for NULL.
typedef struct PoiseNumbers {
    const double* posture;        ///< poise_node_posture
    const double* velocity;       ///< poise_node_velocity
    const double* gravity_torque; ///< poise_node_gravity_torque
    size_t stride;                ///< from one node to the next
} PoiseNumbers;

/// They change as the tree does, and move when a node is created or the tree is restored.
POISE_API PoiseNumbers poise_tree_numbers(const PoiseTree* tree);

/// Where in the arrays a node's numbers begin. The handle is not checked: it must be valid.
static inline size_t poise_numbers_at(const PoiseNumbers* numbers, PoiseNodeId node) {
    return (node.index1 - 1) * numbers->stride;
}

/// poise_node_measure of frames where they are, world, m, without copies of them. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, of NULL too, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_measure_at(PoiseTree* tree, PoiseNodeId node,
                                            const PoisePose* joint_world,
                                            const PoisePose* link_world);

/// Whether some point asks for a force or a torque, or yields to one; false for NULL.
POISE_API bool poise_tree_presses(const PoiseTree* tree);

/// Asks the processor for memory that is to be read soon, which then comes while it computes.
static inline void poise_fetch(const void* from, size_t size) {
    enum { CACHE_LINE = 64 };
    for (size_t at = 0; at < size; at += CACHE_LINE) {
        __builtin_prefetch((const char*)from + at, 1);
    }
}

/// poise_fetch of a part of what a step reads of a tree, 0 to 7 in turn: each is found by what
/// those before have brought. Other parts, and NULL: nothing.
POISE_API void poise_tree_fetch(const PoiseTree* tree, int part);

#ifdef __cplusplus
}
#endif

#endif
