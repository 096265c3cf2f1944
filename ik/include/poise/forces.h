// SPDX-License-Identifier: MIT
// Torques of the joints: for forces at the points (sec. 5.2), and against gravity.
#ifndef POISE_FORCES_H
#define POISE_FORCES_H

#include "poise/node.h"
#include "poise/point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// sec. 5.2: tau = sum over the enabled points of Cp(node) of J^T (force, torque), from the frames
/// as last filled. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_STALE.
POISE_API PoiseStatus poise_forces(PoiseTree* tree);
/// What poise_forces found: as poise_node_omega, N m (slider: N), a ball's about the world axes.
/// The numbers are those of poise_node_omega.
POISE_API int poise_node_force_torque(const PoiseTree* tree, PoiseNodeId node,
                                      double torque[POISE_MAX_DOF]);

/// The torque that holds each node's outer links up against `gravity` (m/s^2), from the frames as
/// last filled and the links' masses: M = sum m, s = sum m com over what hangs on the node; a ball
/// -(s - M a) x g with a its anchor, a hinge the part along its axis, a slider -M axis . g; the
/// other kinds likewise, all axes of a translation or free node whether free or not. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_STALE.
POISE_API PoiseStatus poise_gravity(PoiseTree* tree, PoiseVec3 gravity);
/// What poise_gravity found: as poise_node_force_torque. The numbers are those of poise_node_omega.
POISE_API int poise_node_gravity_torque(const PoiseTree* tree, PoiseNodeId node,
                                        double torque[POISE_MAX_DOF]);

#ifdef __cplusplus
}
#endif

#endif
