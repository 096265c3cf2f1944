// SPDX-License-Identifier: MIT
// Joints that move as one: geared fingers, coupled wheels, URDF's mimic joints. A hinge or slider
// follows another, its leader, and the solvers see one coordinate: the leader's.
#ifndef POISE_FOLLOW_H
#define POISE_FOLLOW_H

#include "poise/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Ties a hinge or slider to another: its number is ratio times its leader's plus `offset` (rad and
/// m) after every poise_advance and poise_reach, and now. What follows `node` follows `leader`
/// then, and a leader that follows another passes it on: a leader follows nothing. A null leader
/// unties the node; those that follow it go on doing so.
///
/// Leader and followers have one column of J, the leader's: the sum of each one's own times its
/// ratio. A point that one of them is registered with has it. The range, speed and step range of
/// the column are what all of them allow; `enabled` where all of them are; bias and reference the
/// leader's. poise_node_dof and poise_jacobian of a follower are 0. poise_node_omega and _velocity
/// of a follower lead it to where the relation holds at the end of the step, wherever it was;
/// poise_node_set_posture, _shift and _measure are of one node alone (a simulation measures both).
///
/// POISE_ERROR_INVALID_HANDLE; POISE_ERROR_WRONG_KIND for a node that is no hinge or slider;
/// POISE_ERROR_INVALID_ARGUMENT for a ratio that is 0, numbers that are not finite, a node that
/// would follow itself, ranges that leave no place for all; POISE_ERROR_OUT_OF_MEMORY. Nothing is
/// changed then.
POISE_API PoiseStatus poise_node_follow(PoiseTree* tree, PoiseNodeId node, PoiseNodeId leader,
                                        double ratio, double offset);

/// What the node follows, and how (NULL: not asked for): its ratio, and its offset in rad (slider:
/// m); null for one that follows nothing, and for a handle that is not valid.
POISE_API PoiseNodeId poise_node_leader(const PoiseTree* tree, PoiseNodeId node, double* ratio,
                                        double* offset);

/// Brings every follower to where its leader has it, as poise_advance does, after postures were set
/// by hand. Followers in a group of which some node is not enabled stay. The frames become stale.
POISE_API PoiseStatus poise_follow_leaders(PoiseTree* tree);

#ifdef __cplusplus
}
#endif

#endif
