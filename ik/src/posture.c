// SPDX-License-Identifier: MIT
// The posture and its two fillers of the frames: forward kinematics, and what a simulation
// measured. After poise_solve, poise_advance moves the posture on by omega.
#include <string.h>

#include "internal.h"

PoiseStatus poise_node_set_angle(PoiseTree* tree, PoiseNodeId id, double angle) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_angle");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->kind == POISE_NODE_BALL) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_angle: node %u is a ball, use poise_node_set_rotation",
                           (unsigned)id.index1);
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
                           "poise_node_set_rotation: node %u has one angle, use "
                           "poise_node_set_angle",
                           (unsigned)id.index1);
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

PoisePose poise_node_base(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->parent == NO_SLOT ? node->base : poise_pose_identity();
}

double poise_node_angle(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->kind != POISE_NODE_BALL ? node->angle : 0.0;
}

PoiseQuat poise_node_rotation(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->kind == POISE_NODE_BALL ? node->rotation : poise_quat_identity();
}

PoisePose poise__joint_motion(const Node* node) {
    PoisePose motion = poise_pose_identity();
    switch (node->kind) {
    case POISE_NODE_HINGE:
        motion.q = poise_quat_from_axis_angle(node->axis, node->angle);
        break;
    case POISE_NODE_SLIDER:
        motion.p = poise_scale(node->angle, node->axis);
        break;
    case POISE_NODE_BALL:
        motion.q = node->rotation;
        break;
    }
    return motion;
}

// link = parent * joint_in_parent * motion * link_in_joint, each kind's zeros and ones left out
static void forward_node(Node* node, const PoisePose* parent) {
    node->joint_world = poise_pose_mul(*parent, node->joint_in_parent);
    PoisePose moved = node->joint_world;
    if (node->kind == POISE_NODE_SLIDER) {
        moved.p =
            poise_add(moved.p, poise_quat_rotate(moved.q, poise_scale(node->angle, node->axis)));
    } else if (node->kind == POISE_NODE_HINGE) {
        double s = sin(0.5 * node->angle);
        moved.q = poise_quat_mul(moved.q, poise_quat(cos(0.5 * node->angle), s * node->axis.x,
                                                     s * node->axis.y, s * node->axis.z));
    } else {
        moved.q = poise_quat_mul(moved.q, node->rotation);
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

// theta (+) omega of one node
static void advance_node(Node* node, const double* omega) {
    if (node->kind != POISE_NODE_BALL) {
        node->angle = fmin(fmax(node->angle + omega[0], node->lower), node->upper);
        return;
    }
    // omega is about the world axes, the rotation is seen from the joint frame
    PoiseVec3 turn =
        poise_quat_unrotate(node->joint_world.q, poise_vec3(omega[0], omega[1], omega[2]));
    node->rotation = poise_quat_normalize(poise_quat_mul(poise_quat_exp(turn), node->rotation));
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
        advance_node(&tree->nodes[slot], tree->results[slot].omega);
    }
    tree->has_omega = false;
    poise__make_stale(tree);
    return POISE_OK;
}
