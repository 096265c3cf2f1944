// SPDX-License-Identifier: MIT
// Torques of the joints: those of forces at the points (sec. 5.2), and those against gravity.
#ifndef POISE_FORCES_H
#define POISE_FORCES_H

#include "poise/node.h"
#include "poise/point.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the joint torques that exert the points' forces: tau = sum of J^T (force, torque) over
/// the enabled points of Cp(node) (sec. 5.2). Uses the frames as last filled. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_STALE.
POISE_API PoiseStatus poise_forces(PoiseTree* tree);
/// The torque that poise_forces computed for the node, N m (slider: N), a ball's about the world
/// axes. The number and order of the values are those of poise_node_omega. Returns the number; 0
/// for a handle that is not valid.
POISE_API int poise_node_force_torque(const PoiseTree* tree, PoiseNodeId node,
                                      double torque[POISE_MAX_DOF]);

/// Computes the joint torques that hold the links against `gravity` (m/s^2), from the frames as
/// last filled and the masses of the links. Let M = sum m and s = sum m com over all links that the
/// node carries. A ball with its anchor at a has -(s - M a) x g; a hinge has the component along
/// its axis; a slider has -M axis . g. Other kinds have one such value per motion; translation and
/// free nodes also for axes that are not free. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_STALE.
POISE_API PoiseStatus poise_gravity(PoiseTree* tree, PoiseVec3 gravity);
/// The torque that poise_gravity computed for the node, as poise_node_force_torque, N m (slider:
/// N). The shape is that of poise_node_omega. 0 for a handle that is not valid.
POISE_API int poise_node_gravity_torque(const PoiseTree* tree, PoiseNodeId node,
                                        double torque[POISE_MAX_DOF]);

#ifdef __cplusplus
}
#endif

#endif
