// SPDX-License-Identifier: MIT
// A tree of joints: handles, memory, errors, copies and saved states.
#ifndef POISE_TREE_H
#define POISE_TREE_H

#include "poise/base.h"
#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest number of degrees of freedom of one node.
#define POISE_MAX_DOF 6
/// Largest number of rows of one point.
#define POISE_MAX_ROWS 6
/// Largest number of coordinates of one node's posture.
#define POISE_MAX_POSTURE 7

/// A tree. Its contents are private.
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

/// The null handle of a node.
static inline PoiseNodeId poise_null_node(void) {
    PoiseNodeId id = {0, 0, 0};
    return id;
}

/// The null handle of a point.
static inline PoisePointId poise_null_point(void) {
    PoisePointId id = {0, 0, 0};
    return id;
}

/// Number of axes of a ball in the Jacobian.
typedef enum PoiseBallAxes {
    /// Always three axes: right for any number of points.
    POISE_BALL_THREE_AXES = 0,
    /// Two axes, perpendicular to the line to the point, if exactly one enabled position point and
    /// no orientation is registered with the ball (eqs. 6-11). Three axes otherwise.
    POISE_BALL_REDUCED = 1
} PoiseBallAxes;

/// The settings of a new tree.
typedef struct PoiseTreeDef {
    /// Set by poise_default_tree_def.
    uint32_t cookie;
    /// Nodes and points for which memory is allocated at once. The tree grows beyond these. Default
    /// 4 nodes, 1 point.
    int node_capacity;
    int point_capacity;
    /// Default POISE_BALL_THREE_AXES.
    PoiseBallAxes ball_axes;
    PoiseHost host;
} PoiseTreeDef;

/// A def with the defaults named above, malloc and free.
POISE_API PoiseTreeDef poise_default_tree_def(void);

/// Creates a tree. NULL if the def is invalid or memory is short.
POISE_API PoiseTree* poise_tree_create(const PoiseTreeDef* def);

/// Destroys the tree with its nodes and points. NULL is allowed.
POISE_API void poise_tree_destroy(PoiseTree* tree);

/// Creates a tree without nodes and points, with the capacities, the ball axes and the memory hooks
/// of `tree`, as a target of poise_tree_copy. NULL without memory, and for NULL.
POISE_API PoiseTree* poise_tree_create_like(const PoiseTree* tree);

/// Creates a copy of the tree with the same memory hooks, for trials. The handles of the original
/// are valid for the copy too. NULL if memory is short.
POISE_API PoiseTree* poise_tree_clone(const PoiseTree* tree);

/// Makes `to` equal to a clone of `from`: nodes, points, posture, frames, goals and results. The
/// handles of `from` become valid for `to`; the earlier handles of `to` become invalid. A tree
/// can then serve for many trials, without allocation if the capacities of `to` suffice. `to` keeps
/// its memory hooks, its claim and its status. Trees of other ball axes are refused. Errors:
/// POISE_ERROR_INVALID_ARGUMENT; POISE_ERROR_OUT_OF_MEMORY: `to` is unchanged, or, if points have
/// priorities, perhaps copied with a solver that remembers no earlier step.
POISE_API PoiseStatus poise_tree_copy(PoiseTree* to, const PoiseTree* from);

/// Number of bytes that poise_tree_save needs for the tree in its present state; 0 for NULL.
POISE_API size_t poise_tree_save_size(const PoiseTree* tree);
/// Writes the whole state of the tree into `memory` of `size` bytes (any alignment): nodes, points
/// and registrations, posture and frames, goals, settings and results. The solver's memory of
/// earlier steps is part of the state; the status and its message are not.
/// POISE_ERROR_INVALID_ARGUMENT for NULL or if `size` is too small.
POISE_API PoiseStatus poise_tree_save(const PoiseTree* tree, void* memory, size_t size);
/// Sets the tree to a state that poise_tree_save wrote, from this tree or another with the same
/// ball axes. All later results equal, to the last bit, those of the saved tree. The handles are
/// those of the saved state; handles that were made later become invalid. Allocates only if the
/// tree never held as much before. POISE_ERROR_INVALID_ARGUMENT: nothing has changed, and
/// poise_tree_restore_problem says why. POISE_ERROR_OUT_OF_MEMORY: the state may be restored, but
/// the solver remembers no earlier step.
POISE_API PoiseStatus poise_tree_restore(PoiseTree* tree, const void* memory, size_t size);
/// The reason, in words, why the memory cannot be restored into the tree. NULL if it can.
POISE_API const char* poise_tree_restore_problem(const PoiseTree* tree, const void* memory,
                                                 size_t size);

/// The exclusive right of one driver, for example a rig, to drive a tree. The caller keeps the
/// struct at its address until the claim is released. `tree` becomes NULL when the tree is
/// destroyed.
typedef struct PoiseTreeClaim {
    PoiseTree* tree;
} PoiseTreeClaim;
/// Claims the tree. False, and nothing changed, if the tree is already claimed. Layers built on
/// this one use this call.
POISE_API bool poise_tree_claim(PoiseTree* tree, PoiseTreeClaim* claim);
/// Releases the claim; the tree can then be claimed again. NULL, a released claim and a claim on a
/// destroyed tree are allowed.
POISE_API void poise_tree_release(PoiseTreeClaim* claim);

/// A number that changes whenever a node, a point, a registration, an enabled flag, a limit, a
/// weight or a bias changes.
POISE_API uint64_t poise_tree_revision(const PoiseTree* tree);

/// The first error of any call on the tree, POISE_OK if there was none, so that a set-up of many
/// calls needs one check. POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_tree_status(const PoiseTree* tree);

/// Clears the error that poise_tree_status returns.
POISE_API void poise_tree_clear_status(PoiseTree* tree);

/// The message of the first error, "" if there was none. Valid until the next call on the tree.
POISE_API const char* poise_tree_message(const PoiseTree* tree);

/// Number of nodes of the tree; 0 for NULL.
POISE_API int poise_tree_node_count(const PoiseTree* tree);
/// Number of points of the tree; 0 for NULL.
POISE_API int poise_tree_point_count(const PoiseTree* tree);

/// The node at `index` in the order of creation; null past the end.
POISE_API PoiseNodeId poise_tree_node(const PoiseTree* tree, int index);
/// The point at `index` in the order of creation; null past the end.
POISE_API PoisePointId poise_tree_point(const PoiseTree* tree, int index);

#ifdef __cplusplus
}
#endif

#endif
