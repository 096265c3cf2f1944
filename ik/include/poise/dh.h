// SPDX-License-Identifier: MIT
// Arms that are given as a table of modified Denavit-Hartenberg parameters (Craig's form). A row
// has the length and twist of the link before its joint, then the joint's offset and angle. The
// frame of row i in the frame of row i - 1 (row 0: in the base) is
//
//     TransX(a) RotX(alpha) TransZ(d) RotZ(theta)
//
// with the joint variable q added to theta (hinge) or to d (slider). m and rad.
#ifndef POISE_DH_H
#define POISE_DH_H

#include "poise/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A row of the table. All numbers must be finite.
typedef struct PoiseDhRow {
    /// POISE_NODE_HINGE or POISE_NODE_SLIDER.
    PoiseNodeKind kind;
    /// Translation along and rotation about the x axis of the frame before, m and rad.
    double a;
    double alpha;
    /// Translation along and rotation about the joint's z axis at q = 0, m and rad.
    double d;
    double theta;
} PoiseDhRow;

/// The frame of the row in the frame before, m, at any finite q (rad; slider: m). The identity for
/// NULL.
POISE_API PoisePose poise_dh_pose(const PoiseDhRow* row, double q);

/// Writes the frames of all rows in the base frame, m, `count` of them, for the `count` numbers of
/// q. POISE_ERROR_INVALID_ARGUMENT, with nothing written: a NULL, count < 1, a kind that is neither
/// hinge nor slider, or a number that is not finite.
POISE_API PoiseStatus poise_dh_forward(const PoiseDhRow* rows, int count, const double* q,
                                       PoisePose* frames);

/// Creates a node for every row, each on the link before; the first on the link of `parent` (null:
/// on the base). Writes their handles, `count` of them. Link frame i is frame i of the table, the
/// joint's axis its z, the posture its q, initially 0. The ranges are infinite
/// (poise_node_set_limits). Errors as poise_dh_forward and poise_node_create; then no node is made.
POISE_API PoiseStatus poise_dh_create_nodes(PoiseTree* tree, PoiseNodeId parent,
                                            const PoiseDhRow* rows, int count, PoiseNodeId* nodes);

/// Converts a table of classical Denavit-Hartenberg parameters to the form above. A classical row
/// has the joint's offset and angle, then the length and twist of the link after the joint:
///
///     RotZ(theta) TransZ(d) TransX(a) RotX(alpha)
///
/// `rows` gets `count` rows and may be `classical` itself. `tool` (NULL: not wanted) gets the
/// constant transform of the last link, m: frame `count` of the classical table is frame `count` of
/// `rows` times `tool`. Errors: POISE_ERROR_INVALID_ARGUMENT as poise_dh_forward.
POISE_API PoiseStatus poise_dh_from_classical(const PoiseDhRow* classical, int count,
                                              PoiseDhRow* rows, PoisePose* tool);

#ifdef __cplusplus
}
#endif

#endif
