// SPDX-License-Identifier: MIT
// Torques as the numbers of a node's degrees of freedom, and those that hold the links up; included
// by a file for each width of vectors (space.h), which says how its function is called:
// WEIGHT_FILL.
#include "solve.h"
#include "space.h"

// a torque and a force at the node's anchor, as the numbers of its degrees of freedom
static inline void put_torque(const Node* node, Vec torque, Vec force, double* out) {
    const PoiseJointType* type = poise__joint_type(&node->joint);
    if (type->nv == 1) {
        // a hinge or a slider, as most are: without the walk
        const Vec axis = vec_rotate(node->joint.joint_world.q, vec_of(node->joint.axes[0]));
        out[0] += vec_dot(axis, type->linear != 0 ? force : torque);
        return;
    }
    if (poise__joint_is_vector(type)) {
        // along and about the world's axes
        for (int first = 0; first < type->nv; first += 3) {
            double v[3];
            vec_put(v, (type->linear >> first & 1) != 0 ? force : torque);
            for (int k = 0; k < 3; k++) {
                out[first + k] += v[k];
            }
        }
        return;
    }
    PoiseVec3 axes[POISE_MAX_DOF];
    unsigned char linear[POISE_MAX_DOF];
    poise__joint_number_axes(&node->joint, axes, linear);
    for (int d = 0; d < type->nv; d++) {
        out[d] += vec_dot(vec_of(axes[d]), linear[d] ? force : torque);
    }
}

void WEIGHT_FILL(PoiseTree* tree, PoiseVec3 gravity) {
    const Vec g = vec_of(gravity);
    for (int i = 0; i < tree->node_count; i++) {
        Node* node = &tree->nodes[tree->order[i]];
        double* out = node->gravity_torque;
        for (int d = 0; d < POISE_MAX_DOF; d++) {
            out[d] = 0.0;
        }
        const double mass = node->subtree_mass;
        // first moment about the anchor
        const Vec moment = vec_add_scaled(vec_of(node->subtree_moment), -mass,
                                          vec_of(poise__joint_anchor(&node->joint)));
        put_torque(node, vec_scale(-1.0, vec_cross(moment, g)), vec_scale(-mass, g), out);
    }
}
