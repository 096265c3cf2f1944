// SPDX-License-Identifier: MIT
// The memory of a tree for layers that read all of it in every step: the numbers of all nodes, and
// the addresses of that memory. ik and the engine use it; it is not installed.
#ifndef POISE_NODE_NUMBERS_H
#define POISE_NODE_NUMBERS_H

#include "poise/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Arrays of the numbers that the named functions return, with their units and frames. A node's
/// numbers begin at poise_numbers_at. NULL for a tree without nodes, and for NULL.
typedef struct PoiseNumbers {
    const double* posture;        ///< poise_node_posture
    const double* velocity;       ///< poise_node_velocity
    const double* omega;          ///< poise_node_omega
    const double* gravity_torque; ///< poise_node_gravity_torque; NULL before there were any
    /// Mass of the links that the node carries, kg, then their first moment, world, kg m. Valid
    /// after poise_gravity, until a centre of mass is computed.
    const double* subtree;
    size_t stride; ///< distance of neighbouring nodes
} PoiseNumbers;

/// Returns the arrays of a tree. Their numbers change with the tree; their addresses change when a
/// node is created or the tree is restored.
POISE_API PoiseNumbers poise_tree_numbers(const PoiseTree* tree);

/// Returns the index of a node's first number in the arrays. The handle must be valid: it is not
/// checked.
static inline size_t poise_numbers_at(const PoiseNumbers* numbers, PoiseNodeId node) {
    return (node.index1 - 1) * numbers->stride;
}

/// Does the same as poise_node_set_reference and poise_node_set_step_range, but checks nothing. The
/// handle and the coordinates must come from the tree. The first function takes as many coordinates
/// as the node has, the second a hinge or slider and `lower` <= `upper`.
POISE_API void poise_node_put_reference(PoiseTree* tree, PoiseNodeId node, const double* posture);
POISE_API void poise_node_put_step_range(PoiseTree* tree, PoiseNodeId node, double lower,
                                         double upper);

/// Does the same as poise_node_set_frames, but reads the frames (world, m) through pointers, which
/// saves copies. Errors: POISE_ERROR_INVALID_ARGUMENT, also for NULL, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_frames_at(PoiseTree* tree, PoiseNodeId node,
                                               const PoisePose* joint_world,
                                               const PoisePose* link_world);

/// True if some point asks for a force or a torque, or yields to one. False for NULL.
POISE_API bool poise_tree_presses(const PoiseTree* tree);

/// Returns the least smoothness, 0..1, of all moving goals in the last solve with a `step`. Noise,
/// a jump or a corner has the smoothness 0. Returns 0 if no goal moves, and for NULL.
POISE_API double poise_tree_smoothness(const PoiseTree* tree);
/// Returns the largest number of all poise_node_omega, rad or m, if no goal moves and the last
/// solve found all goals met: the joints then move only towards their references. Else 0.
POISE_API double poise_tree_creep(const PoiseTree* tree);

/// Pieces of memory of one size, at equal distances.
typedef struct PoisePiece {
    const void* from; ///< the first
    size_t size;      ///< bytes of each
    int count;
    size_t stride; ///< bytes from one to the next
} PoisePiece;

/// The memory of a tree that a step reads, in pieces. The first POISE_TREE_HEADS pieces are heads,
/// which have the addresses of all other pieces. Piece 0 is the tree itself, with the addresses of
/// the other heads.
enum { POISE_TREE_HEADS = 3, POISE_TREE_PIECES = 8 };
/// Returns the k-th piece; count 0 if k is out of range, and for NULL.
POISE_API PoisePiece poise_tree_piece(const PoiseTree* tree, int k);

#ifdef __cplusplus
}
#endif

#endif
