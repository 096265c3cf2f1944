// SPDX-License-Identifier: MIT
// Direct access to the memory of a tree, for layers that read all of it in every step: arrays of
// the numbers of all nodes, and addresses of the memory. ik and the engine use this header; it is
// not installed.
#ifndef POISE_NODE_NUMBERS_H
#define POISE_NODE_NUMBERS_H

#include "poise/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Arrays with the results of the named functions for all nodes, in their units and frames. A
/// node's numbers begin at poise_numbers_at. All are NULL without nodes or without a tree.
typedef struct PoiseNumbers {
    const double* posture;        ///< results of poise_node_posture
    const double* velocity;       ///< results of poise_node_velocity
    const double* omega;          ///< results of poise_node_omega
    const double* gravity_torque; ///< results of poise_node_gravity_torque, or NULL
    /// Mass of the links that the node carries, kg, then their first moment, world, kg m.
    /// poise_gravity fills them; computing a centre of mass overwrites them.
    const double* subtree;
    size_t stride; ///< distance between the numbers of neighbouring nodes
} PoiseNumbers;

/// Returns the arrays of a tree. Their numbers change with the tree; their addresses change when a
/// node is created or the tree is restored.
POISE_API PoiseNumbers poise_tree_numbers(const PoiseTree* tree);

/// Returns the index of a node's first number in the arrays. Does not check the handle.
static inline size_t poise_numbers_at(const PoiseNumbers* numbers, PoiseNodeId node) {
    return (node.index1 - 1) * numbers->stride;
}

/// Same as poise_node_set_reference and poise_node_set_step_range, but without checks. The handle
/// and the coordinates must come from the tree. The first function reads as many coordinates as the
/// node has. The second needs a hinge or slider, and `lower` <= `upper`.
POISE_API void poise_node_put_reference(PoiseTree* tree, PoiseNodeId node, const double* posture);
POISE_API void poise_node_put_step_range(PoiseTree* tree, PoiseNodeId node, double lower,
                                         double upper);

/// Same as poise_node_set_frames, but reads the frames (world, m) through pointers, which saves
/// copies. Errors: POISE_ERROR_INVALID_ARGUMENT, also for NULL, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_frames_at(PoiseTree* tree, PoiseNodeId node,
                                               const PoisePose* joint_world,
                                               const PoisePose* link_world);

/// True if a force or torque is asked of some point, or some point yields. False for NULL.
POISE_API bool poise_tree_presses(const PoiseTree* tree);

/// Returns the least smoothness of all moving goals in the last solve with a `step`: 0 (noise, a
/// jump, a corner) to 1. Returns 0 if no goal moves, and for NULL.
POISE_API double poise_tree_smoothness(const PoiseTree* tree);
/// Returns how fast joints still move toward their references: the largest number of all
/// poise_node_omega, rad or m. 0 if a goal moves, or the last solve found some goal unmet.
POISE_API double poise_tree_creep(const PoiseTree* tree);

/// Equally spaced pieces of memory of one size.
typedef struct PoisePiece {
    const void* from; ///< start of the first piece
    size_t size;      ///< bytes of a piece
    int count;
    size_t stride; ///< bytes from the start of a piece to the start of the next
} PoisePiece;

/// The memory of a tree that a step reads has POISE_TREE_PIECES pieces. The first POISE_TREE_HEADS
/// are heads, which contain the addresses of all other pieces. Piece 0 is the tree itself, with the
/// addresses of the other heads.
enum { POISE_TREE_HEADS = 3, POISE_TREE_PIECES = 8 };
/// Returns piece k of the memory; count 0 if k is out of range, and for NULL.
POISE_API PoisePiece poise_tree_piece(const PoiseTree* tree, int k);

#ifdef __cplusplus
}
#endif

#endif
