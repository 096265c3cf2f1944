// SPDX-License-Identifier: MIT
// Coupled joints: geared fingers, coupled wheels, URDF's mimic joints. A hinge or slider follows
// another one, its leader. The solvers have one coordinate for both, that of the leader.
#ifndef POISE_FOLLOW_H
#define POISE_FOLLOW_H

#include "poise/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Couples a hinge or slider to a leader: q_node = ratio * q_leader + offset (rad and m). The
/// relation holds now and after every poise_advance and poise_reach. Followers of `node` then
/// follow `leader`. A leader follows no other node: if `leader` itself is a follower, its own
/// leader is used. A null leader ends the coupling of `node`, but not that of its followers.
///
/// Leader and followers have one column of J, that of the leader: the sum of the columns of the
/// group, each times its ratio. A point that is registered with one of them has this column. The
/// range, the speed and the step range of the column are those that all nodes of the group allow.
/// The column is enabled if all are. Bias and reference are the leader's. poise_node_dof and
/// poise_jacobian of a follower are 0. poise_node_omega and poise_node_velocity of a follower
/// move it to the coordinate of the relation, also if it was elsewhere before.
/// poise_node_set_posture, poise_node_shift and poise_node_set_frames act on one node alone; a
/// simulation measures each node.
///
/// Errors, with nothing changed: POISE_ERROR_INVALID_HANDLE; POISE_ERROR_WRONG_KIND for a node that
/// is neither hinge nor slider; POISE_ERROR_INVALID_ARGUMENT for a ratio of 0, a number that is not
/// finite, a node that would follow itself, or ranges without a common value;
/// POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_node_couple(PoiseTree* tree, PoiseNodeId node, PoiseNodeId leader,
                                        double ratio, double offset);

/// The leader of the node. `ratio` and `offset` (rad, slider: m; NULL: not wanted) get the
/// relation. Null for a node that follows no other, and for a handle that is not valid.
POISE_API PoiseNodeId poise_node_leader(const PoiseTree* tree, PoiseNodeId node, double* ratio,
                                        double* offset);

/// Sets every follower to the coordinate that its leader implies, as poise_advance does. Call it
/// after the postures were set by hand. A group with a disabled node keeps its coordinates. The
/// frames become stale.
POISE_API PoiseStatus poise_follow_leaders(PoiseTree* tree);

#ifdef __cplusplus
}
#endif

#endif
