// SPDX-License-Identifier: MIT
// Reads and sets the posture, applies the step omega to it (poise_advance), and fills the frames by
// forward kinematics or from a simulation's measurement.
#include "shared/clones.h"
#include "shared/node_numbers.h"
#include "tree.h"

// ------------------------------------------------------------------------------ posture as numbers

static PoiseStatus set_posture(PoiseTree* tree, Node* node, const double* q, int count,
                               const char* call) {
    const PoiseJointType* type = poise__joint_type(&node->joint);
    const char* wrong = poise__coordinates_problem(type, q, count);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: node %d, a %s of %d coordinates: %s", call,
                           poise__node_slot(tree, node) + 1, type->name, type->nq, wrong);
    }
    poise__coordinates_set(type, node->joint.q, q);
    poise__make_stale(tree);
    return POISE_OK;
}

PoiseStatus poise_node_set_posture(PoiseTree* tree, PoiseNodeId id, const double* posture,
                                   int count) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_posture");
    return node ? set_posture(tree, node, posture, count, "poise_node_set_posture")
                : poise__no_handle(tree);
}

PoiseStatus poise_node_set_angle(PoiseTree* tree, PoiseNodeId id, double angle) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_angle");
    if (!node) {
        return poise__no_handle(tree);
    }
    const PoiseJointType* type = poise__joint_type(&node->joint);
    if (type->nq != 1) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_angle: node %u is a %s; use poise_node_set_posture with "
                           "its %d coordinates",
                           (unsigned)id.index1, type->name, type->nq);
    }
    return set_posture(tree, node, &angle, 1, "poise_node_set_angle");
}

int poise_node_posture(const PoiseTree* tree, PoiseNodeId id, double out[POISE_MAX_POSTURE]) {
    const Node* node = poise__node(tree, id);
    if (!node || !out) {
        return 0;
    }
    const int count = poise__joint_type(&node->joint)->nq;
    out[0] = node->joint.q[0]; // hinges and sliders, the most frequent joints, have one number only
    for (int i = 1; i < count; i++) {
        out[i] = node->joint.q[i];
    }
    return count;
}

double poise_node_angle(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && !poise__joint_is_vector(poise__joint_type(&node->joint)) ? node->joint.q[0]
                                                                            : 0.0;
}

PoisePose poise_node_pose(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    PoisePose pose = poise_pose_identity();
    if (node) {
        poise__joint_apply(&node->joint, &pose);
    }
    return pose;
}

// --------------------------------------------------------------------------------------- the base

PoiseStatus poise_node_set_base(PoiseTree* tree, PoiseNodeId id, PoisePose base) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_base");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->parent != NO_SLOT) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_base: node %u stands on another node, not on the base",
                           (unsigned)id.index1);
    }
    if (!poise__is_frame(base)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_base: the base of node %u is not finite, or its "
                           "rotation 0",
                           (unsigned)id.index1);
    }
    node->base = poise_pose(base.p, poise_quat_normalize(base.q));
    poise__make_stale(tree);
    return POISE_OK;
}

PoiseStatus poise_node_set_base_velocity(PoiseTree* tree, PoiseNodeId id, PoiseVec3 velocity,
                                         PoiseVec3 angular) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_base_velocity");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->parent != NO_SLOT) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_base_velocity: node %u stands on another node, not on "
                           "the base",
                           (unsigned)id.index1);
    }
    if (!poise_is_finite3(velocity) || !poise_is_finite3(angular)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_base_velocity: a velocity of the base of node %u is not "
                           "finite",
                           (unsigned)id.index1);
    }
    node->base_velocity = velocity;
    node->base_spin = angular;
    tree->state.bases_move = tree->state.bases_move || poise_dot(velocity, velocity) > 0.0 ||
                             poise_dot(angular, angular) > 0.0;
    return POISE_OK;
}

PoisePose poise_node_base(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->parent == NO_SLOT ? node->base : poise_pose_identity();
}

// -------------------------------------------------------------------------------------- the frames

POISE_CLONES void poise__forward(PoiseTree* tree) {
    Node* nodes = tree->nodes;
    for (int i = 0; i < tree->node_count; i++) {
        Node* node = &nodes[tree->order[i]];
        const PoisePose* parent =
            node->parent == NO_SLOT ? &node->base : &nodes[node->parent].joint.link_world;
        poise__joint_forward(&node->joint, parent);
        node->frame_epoch = tree->state.frame_epoch;
    }
    tree->state.fresh_nodes = tree->node_count;
}

PoiseStatus poise_forward(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__forward(tree);
    return POISE_OK;
}

// True if the pose is finite and its rotation is not 0. Sums 0 * x: the sum is NaN if any x is not
// finite, and cannot overflow.
static bool is_frame(const PoisePose* pose) {
    if (!pose) {
        return false;
    }
    const PoiseVec3 p = pose->p;
    const PoiseQuat q = pose->q;
    const double length2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return 0.0 * p.x + 0.0 * p.y + 0.0 * p.z + 0.0 * length2 == 0.0 && length2 > 0.0;
}

// Sets the frames of one node for the public function `call`.
static inline PoiseStatus measure(PoiseTree* tree, PoiseNodeId id, const PoisePose* joint_world,
                                  const PoisePose* link_world, const char* call) {
    Node* node = poise__node_or_fail(tree, id, call);
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!is_frame(joint_world) || !is_frame(link_world)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: a frame of node %u is not finite, or its rotation 0", call,
                           (unsigned)id.index1);
    }
    node->joint.joint_world = *joint_world;
    node->joint.link_world = *link_world;
    if (node->frame_epoch != tree->state.frame_epoch) {
        node->frame_epoch = tree->state.frame_epoch;
        tree->state.fresh_nodes++;
    }
    return POISE_OK;
}

PoiseStatus poise_node_set_frames(PoiseTree* tree, PoiseNodeId id, PoisePose joint_world,
                                  PoisePose link_world) {
    return measure(tree, id, &joint_world, &link_world, "poise_node_set_frames");
}

POISE_CLONES PoiseStatus poise_node_set_frames_at(PoiseTree* tree, PoiseNodeId id,
                                                  const PoisePose* joint_world,
                                                  const PoisePose* link_world) {
    return measure(tree, id, joint_world, link_world, "poise_node_set_frames_at");
}

bool poise_tree_is_fresh(const PoiseTree* tree) {
    return tree && tree->state.fresh_nodes == tree->node_count;
}

PoisePose poise_node_joint_world(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->joint.joint_world : poise_pose_identity();
}

PoisePose poise_node_link_world(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->joint.link_world : poise_pose_identity();
}

PoiseStatus poise_node_shift(PoiseTree* tree, PoiseNodeId id, const double* omega, int count) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_shift");
    if (!node) {
        return poise__no_handle(tree);
    }
    double step[POISE_MAX_DOF] = {0.0};
    const int nv = poise__joint_type(&node->joint)->nv;
    bool finite = omega && count == nv;
    for (int d = 0; finite && d < count; d++) {
        step[d] = omega[d];
        finite = isfinite(omega[d]);
    }
    if (!finite) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_shift: node %u is a %s, its step has %d numbers, all "
                           "finite; %d were given",
                           (unsigned)id.index1, poise__kind_name(node), nv, omega ? count : 0);
    }
    poise__joint_move(&node->joint, step);
    poise__make_stale(tree);
    return POISE_OK;
}

// flatten, because poise__joint_move runs once per joint and step
__attribute__((flatten)) void poise__advance(PoiseTree* tree) {
    if (!tree->state.has_omega) {
        return;
    }
    for (int i = 0; i < tree->node_count; i++) {
        Node* node = &tree->nodes[tree->order[i]];
        if (node->has_omega) {
            poise__joint_move(&node->joint, node->omega);
        }
    }
    tree->state.has_omega = 0;
    poise__ties_follow(tree);
    poise__make_stale(tree);
}

PoiseStatus poise_advance(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__advance(tree);
    return POISE_OK;
}
