// SPDX-License-Identifier: MIT
// A tree of joints: its handles, its memory, its errors.
#ifndef POISE_TREE_H
#define POISE_TREE_H

#include "poise/base.h"
#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most degrees of freedom one node has.
#define POISE_MAX_DOF 6
/// The most rows one point has.
#define POISE_MAX_ROWS 6
/// The most numbers one node's posture has.
#define POISE_MAX_POSTURE 7

/// A tree; its parts are its own.
typedef struct PoiseTree PoiseTree;

/// A node of a tree. All zero is the null handle.
typedef struct PoiseNodeId {
    uint32_t index1;
    uint16_t generation;
    uint16_t tree;
} PoiseNodeId;

/// A control point of a tree. All zero is the null handle.
typedef struct PoisePointId {
    uint32_t index1;
    uint16_t generation;
    uint16_t tree;
} PoisePointId;

/// The handle of no node.
static inline PoiseNodeId poise_null_node(void) {
    PoiseNodeId id = {0, 0, 0};
    return id;
}

/// The handle of no point.
static inline PoisePointId poise_null_point(void) {
    PoisePointId id = {0, 0, 0};
    return id;
}

/// How many axes a ball gets in the Jacobian.
typedef enum PoiseBallAxes {
    /// Three, always: right for any number of points.
    POISE_BALL_THREE_AXES = 0,
    /// Two, across the line to the point, while exactly one enabled position point and no
    /// orientation is registered with the ball (eqs. 6-11); three otherwise.
    POISE_BALL_REDUCED = 1
} PoiseBallAxes;

/// What poise_tree_create makes a tree of.
typedef struct PoiseTreeDef {
    /// Set by poise_default_tree_def.
    uint32_t cookie;
    /// Room made at once; the tree grows past it. Default 4 nodes, 1 point.
    int node_capacity;
    int point_capacity;
    /// Default POISE_BALL_THREE_AXES.
    PoiseBallAxes ball_axes;
    PoiseHost host;
} PoiseTreeDef;

/// A def with the defaults named above: no limits of memory, malloc and free.
POISE_API PoiseTreeDef poise_default_tree_def(void);

/// NULL when the def is not usable or memory is short.
POISE_API PoiseTree* poise_tree_create(const PoiseTreeDef* def);

/// Destroys the tree with its nodes and points. NULL is allowed.
POISE_API void poise_tree_destroy(PoiseTree* tree);

/// A tree without nodes and points, with room for as many as `tree` has, its ball axes and memory
/// hooks: for poise_tree_copy. NULL when memory is short, and for NULL.
POISE_API PoiseTree* poise_tree_create_like(const PoiseTree* tree);

/// A copy to try things on, with the same memory hooks; the handles of the original are good for
/// the copy too. NULL when memory is short.
POISE_API PoiseTree* poise_tree_clone(const PoiseTree* tree);

/// `to` becomes what a clone of `from` would be: the same nodes, points, posture, frames, goals and
/// results, under the handles of `from`; handles of nodes and points of its own are no good any
/// more. A state can be tried so again and again in one tree: without allocation where the
/// capacities of `to` suffice. Its memory hooks, its claim and its status stay. Refuses trees of
/// other ball axes. Errors: POISE_ERROR_INVALID_ARGUMENT; POISE_ERROR_OUT_OF_MEMORY: `to` is as
/// before, or, where points have priorities, perhaps copied, but its solver begins anew.
POISE_API PoiseStatus poise_tree_copy(PoiseTree* to, const PoiseTree* from);

/// Bytes that poise_tree_save needs for the tree as it is now; 0 for NULL.
POISE_API size_t poise_tree_save_size(const PoiseTree* tree);
/// Writes the tree's whole state into `memory` of `size` bytes (any alignment): nodes, points and
/// registrations, posture, frames, goals and settings, results, and what the solver remembers of
/// the steps before. Not the status and its message. POISE_ERROR_INVALID_ARGUMENT for NULL or too
/// little memory.
POISE_API PoiseStatus poise_tree_save(const PoiseTree* tree, void* memory, size_t size);
/// Brings the tree to the state that poise_tree_save wrote, of this tree or another with the same
/// ball axes: what it does from here on is what that one did, to the last bit. Handles are those of
/// the state; ones made after it was saved are no good any more. Takes memory only where the tree
/// has not held as much before. POISE_ERROR_INVALID_ARGUMENT, and nothing changed, where
/// poise_tree_restore_problem says why; POISE_ERROR_OUT_OF_MEMORY: restored perhaps, but the solver
/// begins anew.
POISE_API PoiseStatus poise_tree_restore(PoiseTree* tree, const void* memory, size_t size);
/// What keeps the memory from being restored into the tree, in words, or NULL when nothing does.
POISE_API const char* poise_tree_restore_problem(const PoiseTree* tree, const void* memory,
                                                 size_t size);

/// What drives a tree from outside, a rig say, holds a claim on it, so that no other does: to be
/// kept where it is until it is given back. `tree` becomes NULL when the tree is destroyed.
typedef struct PoiseTreeClaim {
    PoiseTree* tree;
} PoiseTreeClaim;
/// Takes the tree; false, and nothing changed, where somebody has it. For layers built on this one.
POISE_API bool poise_tree_claim(PoiseTree* tree, PoiseTreeClaim* claim);
/// Gives it back; one that holds nothing is allowed.
POISE_API void poise_tree_release(PoiseTreeClaim* claim);

/// A number that changes whenever the sets do: a node, a point, a registration or a switch.
POISE_API uint64_t poise_tree_revision(const PoiseTree* tree);

/// The first error any call on the tree ended with, POISE_OK if none did: a set-up of many calls is
/// checked once. POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_tree_status(const PoiseTree* tree);

/// Forgets the error that poise_tree_status keeps.
POISE_API void poise_tree_clear_status(PoiseTree* tree);

/// What the first error said, "" if there was none. Valid until the next call on the tree.
POISE_API const char* poise_tree_message(const PoiseTree* tree);

/// How many nodes the tree has; 0 for NULL.
POISE_API int poise_tree_node_count(const PoiseTree* tree);
/// How many points the tree has; 0 for NULL.
POISE_API int poise_tree_point_count(const PoiseTree* tree);

/// The node or point that stands at `index` in the order of creation; null past the end.
POISE_API PoiseNodeId poise_tree_node(const PoiseTree* tree, int index);
/// The point at `index`, in the order of creation; null past the end.
POISE_API PoisePointId poise_tree_point(const PoiseTree* tree, int index);

#ifdef __cplusplus
}
#endif

#endif
