// SPDX-License-Identifier: MIT
// Setters of postures of balls and free nodes from quaternions and poses.
#ifndef POISE_TEST_POSTURE_H
#define POISE_TEST_POSTURE_H

#include "poise/node.h"

/// Sets the posture of a ball: the child's rotation in the joint frame.
static inline PoiseStatus set_rotation(PoiseTree* tree, PoiseNodeId node, PoiseQuat q) {
    return poise_node_set_posture(tree, node, (const double[]){q.w, q.x, q.y, q.z}, 4);
}

/// Sets the posture of a free node: the child in the joint frame.
static inline PoiseStatus set_pose(PoiseTree* tree, PoiseNodeId node, PoisePose pose) {
    const PoiseVec3 p = pose.p;
    const PoiseQuat q = pose.q;
    return poise_node_set_posture(tree, node, (const double[]){p.x, p.y, p.z, q.w, q.x, q.y, q.z},
                                  7);
}

#endif
