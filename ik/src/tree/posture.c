// SPDX-License-Identifier: MIT
// The posture and its two fillers of the frames: forward kinematics, and what a simulation
// measured. After poise_solve, poise_advance moves the posture on by omega.
#include <string.h>

#include "internal.h"

// what follows poise_node_set_ in the name of the setter of a kind's posture
static const char* setter_of(PoiseNodeKind kind) {
    switch (kind) {
    case POISE_NODE_BALL:
        return "rotation";
    case POISE_NODE_UNIVERSAL:
        return "angles";
    case POISE_NODE_TRANSLATION:
        return "translation";
    case POISE_NODE_FREE:
        return "pose";
    default:
        return "angle";
    }
}

PoiseStatus poise_node_set_angle(PoiseTree* tree, PoiseNodeId id, double angle) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_angle");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->kind != POISE_NODE_HINGE && node->kind != POISE_NODE_SLIDER) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_angle: node %u is a %s, use poise_node_set_%s",
                           (unsigned)id.index1, poise__kind_name(node->kind),
                           setter_of(node->kind));
    }
    if (!isfinite(angle)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_angle: angle %g of node %u is not finite", angle,
                           (unsigned)id.index1);
    }
    node->angle = angle;
    poise__make_stale(tree);
    return POISE_OK;
}

PoiseStatus poise_node_set_rotation(PoiseTree* tree, PoiseNodeId id, PoiseQuat q) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_rotation");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->kind != POISE_NODE_BALL) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_rotation: node %u is a %s, use poise_node_set_%s",
                           (unsigned)id.index1, poise__kind_name(node->kind),
                           setter_of(node->kind));
    }
    if (!poise_is_finite_quat(q) || (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_rotation: rotation (%g %g %g %g) of node %u is 0 or not "
                           "finite",
                           q.w, q.x, q.y, q.z, (unsigned)id.index1);
    }
    node->rotation = poise_quat_normalize(q);
    poise__make_stale(tree);
    return POISE_OK;
}

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
    const PoiseQuat q = base.q;
    if (!poise_is_finite_pose(base) || (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0)) {
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
    tree->bases_move = tree->bases_move || poise_dot(velocity, velocity) > 0.0 ||
                       poise_dot(angular, angular) > 0.0;
    return POISE_OK;
}

PoisePose poise_node_base(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->parent == NO_SLOT ? node->base : poise_pose_identity();
}

double poise_node_angle(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && poise__kind_has_angle(node->kind) ? node->angle : 0.0;
}

PoiseQuat poise_node_rotation(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->kind == POISE_NODE_BALL ? node->rotation : poise_quat_identity();
}

// link = parent * joint_in_parent * motion * link_in_joint, each kind's zeros and ones left out
static void forward_node(Node* node, const PoisePose* parent) {
    node->joint_world = poise_pose_mul(*parent, node->joint_in_parent);
    PoisePose moved = node->joint_world;
    switch (node->kind) {
    case POISE_NODE_HINGE: {
        double s = sin(0.5 * node->angle);
        moved.q = poise_quat_mul(moved.q, poise_quat(cos(0.5 * node->angle), s * node->axis.x,
                                                     s * node->axis.y, s * node->axis.z));
        break;
    }
    case POISE_NODE_SLIDER:
        moved.p =
            poise_add(moved.p, poise_quat_rotate(moved.q, poise_scale(node->angle, node->axis)));
        break;
    case POISE_NODE_BALL:
        moved.q = poise_quat_mul(moved.q, node->rotation);
        break;
    default:
        moved = poise_pose_mul(moved, poise__joint_motion(node));
        break;
    }
    node->link_world = node->plain_link ? moved : poise_pose_mul(moved, node->link_in_joint);
}

PoiseStatus poise_forward(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < tree->node_count; i++) {
        Node* node = &tree->nodes[tree->order[i]];
        forward_node(node,
                     node->parent == NO_SLOT ? &node->base : &tree->nodes[node->parent].link_world);
        node->frame_epoch = tree->frame_epoch;
    }
    tree->fresh_nodes = tree->node_count;
    return POISE_OK;
}

// finite, and a rotation that is one; 0 times a number is 0 unless that is not finite
static bool is_frame(const PoisePose* pose) {
    const PoiseVec3 p = pose->p;
    const PoiseQuat q = pose->q;
    const double length2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return 0.0 * p.x + 0.0 * p.y + 0.0 * p.z + 0.0 * length2 == 0.0 && length2 > 0.0;
}

PoiseStatus poise_node_measure(PoiseTree* tree, PoiseNodeId id, PoisePose joint_world,
                               PoisePose link_world) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_measure");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!is_frame(&joint_world) || !is_frame(&link_world)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_measure: a frame of node %u is not finite, or its "
                           "rotation 0",
                           (unsigned)id.index1);
    }
    node->joint_world = joint_world;
    node->link_world = link_world;
    if (node->frame_epoch != tree->frame_epoch) {
        node->frame_epoch = tree->frame_epoch;
        tree->fresh_nodes++;
    }
    return POISE_OK;
}

bool poise_tree_is_fresh(const PoiseTree* tree) {
    return tree && tree->fresh_nodes == tree->node_count;
}

PoisePose poise_node_joint_world(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->joint_world : poise_pose_identity();
}

PoisePose poise_node_link_world(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->link_world : poise_pose_identity();
}

PoiseStatus poise_node_shift(PoiseTree* tree, PoiseNodeId id, const double* omega, int count) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_shift");
    if (!node) {
        return poise__no_handle(tree);
    }
    double step[POISE_MAX_DOF] = {0.0};
    bool finite = omega && count == poise__kind_dof(node->kind);
    for (int d = 0; finite && d < count; d++) {
        step[d] = omega[d];
        finite = isfinite(omega[d]);
    }
    if (!finite) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_shift: node %u is a %s, its step has %d numbers, all "
                           "finite; %d were given",
                           (unsigned)id.index1, poise__kind_name(node->kind),
                           poise__kind_dof(node->kind), omega ? count : 0);
    }
    poise__node_move(node, step);
    poise__make_stale(tree);
    return POISE_OK;
}

PoiseStatus poise_advance(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!tree->has_omega) {
        return POISE_OK;
    }
    const Layout* layout = &tree->layout;
    for (int i = 0; i < layout->column_count; i++) {
        int slot = layout->columns[i].node;
        poise__node_move(&tree->nodes[slot], tree->results[slot].omega);
    }
    for (int i = 0; tree->tracks && i < tree->node_count; i++) {
        int slot = tree->order[i];
        if (layout->column_of_node[slot] == NO_SLOT) {
            poise__node_move(&tree->nodes[slot], tree->results[slot].omega);
        }
    }
    tree->has_omega = false;
    poise__make_stale(tree);
    return POISE_OK;
}
