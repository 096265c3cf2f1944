// SPDX-License-Identifier: MIT
// Arms given by a table of modified Denavit-Hartenberg parameters (Craig's form): a row holds the
// length and twist of the link before its joint, then the joint's own offset and angle. The frame
// of row i, seen from that of row i - 1 (row 0: from the base), is
//
//     TransX(a) RotX(alpha) TransZ(d) RotZ(theta)
//
// with the joint's variable q added to theta (hinge) or to d (slider). m and rad.
#ifndef POISE_DH_H
#define POISE_DH_H

#include "poise/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One row. Plain numbers, so that a table can be a constant; all finite.
typedef struct PoiseDhRow {
    /// POISE_NODE_HINGE or POISE_NODE_SLIDER.
    PoiseNodeKind kind;
    /// Along and about the x axis of the frame before: m, rad.
    double a;
    double alpha;
    /// Along and about the joint's z axis where q is 0: m, rad.
    double d;
    double theta;
} PoiseDhRow;

/// The row's frame in the frame before, at any finite q (rad; slider: m). The identity for NULL.
POISE_API PoisePose poise_dh_pose(const PoiseDhRow* row, double q);

/// The frames of all rows in the base's, `count` of them, at the `count` numbers of q.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing written, for a NULL, count < 1, a kind that is neither
/// or a number that is not finite.
POISE_API PoiseStatus poise_dh_forward(const PoiseDhRow* rows, int count, const double* q,
                                       PoisePose* frames);

/// A node for every row, each on the link before, the first on the link of `parent` (null: on the
/// base), and their handles, `count` of them. Joint and link axes are the row's: link frame i is
/// frame i of the table, the joint's axis its z, the posture its q, 0 at first. Ranges are open
/// (poise_node_set_limits). Errors as above, or those of poise_node_create; then no node is made.
POISE_API PoiseStatus poise_dh_create_nodes(PoiseTree* tree, PoiseNodeId parent,
                                            const PoiseDhRow* rows, int count, PoiseNodeId* nodes);

/// A table in Denavit and Hartenberg's own, classical form as one in the form above: there a row
/// holds the joint's offset and angle, then the length and twist of the link after it,
///
///     RotZ(theta) TransZ(d) TransX(a) RotX(alpha)
///
/// `rows` gets `count` rows, and may be `classical` itself. `tool` (NULL: not wanted) gets what the
/// last row's link adds: frame `count` of the classical table is frame `count` of `rows` times it.
/// POISE_ERROR_INVALID_ARGUMENT as poise_dh_forward.
POISE_API PoiseStatus poise_dh_from_classical(const PoiseDhRow* classical, int count,
                                              PoiseDhRow* rows, PoisePose* tool);

#ifdef __cplusplus
}
#endif

#endif
