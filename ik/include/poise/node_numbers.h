// SPDX-License-Identifier: MIT
// The numbers of all nodes where a tree keeps them, for layers built on this one that read those of
// every node in every step.
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

#ifdef __cplusplus
}
#endif

#endif
