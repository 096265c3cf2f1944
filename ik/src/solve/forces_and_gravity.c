// SPDX-License-Identifier: MIT
// Computes joint torques by the transpose of J, from the forces that points exert (sec. 5.2) and
// from the weight of the links. Computed or measured frames must be fresh.
#include "shared/clones.h"
#include "solve.h"

// Adds a node's generalized force to `out`, from a torque and a force at its anchor.
static inline void put_torque(const Node* node, PoiseVec3 torque, PoiseVec3 force, double* out) {
    const PoiseJointType* type = poise__joint_type(&node->joint);
    if (type->nv == 1) {
        // a hinge or a slider, the most frequent joints, needs no loop
        const PoiseVec3 axis = poise_quat_rotate(node->joint.joint_world.q, node->joint.axes[0]);
        out[0] += poise_dot(axis, type->linear != 0 ? force : torque);
        return;
    }
    if (poise__joint_is_vector(type)) {
        // the axes of balls, translations and free joints are the world's
        for (int first = 0; first < type->nv; first += 3) {
            const PoiseVec3 v = (type->linear >> first & 1) != 0 ? force : torque;
            out[first] += v.x;
            out[first + 1] += v.y;
            out[first + 2] += v.z;
        }
        return;
    }
    PoiseVec3 axes[POISE_MAX_DOF];
    unsigned char linear[POISE_MAX_DOF];
    poise__joint_number_axes(&node->joint, axes, linear);
    for (int d = 0; d < type->nv; d++) {
        out[d] += poise_dot(axes[d], linear[d] ? force : torque);
    }
}

static POISE_CLONES void fill_weight(PoiseTree* tree, PoiseVec3 gravity) {
    for (int i = 0; i < tree->node_count; i++) {
        Node* node = &tree->nodes[tree->order[i]];
        double* out = node->gravity_torque;
        for (int d = 0; d < POISE_MAX_DOF; d++) {
            out[d] = 0.0;
        }
        const double mass = node->subtree_mass;
        // first moment of mass about the anchor, kg m
        const PoiseVec3 moment =
            poise_add_scaled(node->subtree_moment, -mass, poise__joint_anchor(&node->joint));
        put_torque(node, poise_scale(-1.0, poise_cross(moment, gravity)),
                   poise_scale(-mass, gravity), out);
    }
}

static PoiseStatus check_fresh(PoiseTree* tree, const char* call) {
    if (poise_tree_is_fresh(tree)) {
        return POISE_OK;
    }
    return poise__fail(tree, POISE_ERROR_STALE,
                       "%s: the frames are stale; call poise_forward, or measure every node", call);
}

// Adds J^T (F, T) to the torques of each node: e . (r x F + T). A force on a centre of mass is
// multiplied by the fraction of the mass that the node moves.
static void press_at(PoiseTree* tree, const Point* point) {
    const bool com = point->kind == POISE_POINT_COM;
    if (com) {
        poise__gather_subtrees(tree);
    }
    const double mass = com ? tree->nodes[point->link].subtree_mass : 1.0;
    PoiseVec3 place = poise__point_world(tree, point).p;
    const int* nodes = poise__point_nodes(tree, point);
    for (int n = 0; n < point->node_count && mass > 0.0; n++) {
        const int slot = nodes[n];
        const Node* node = &tree->nodes[slot];
        if (!node->enabled) {
            continue;
        }
        PoiseVec3 force = point->force;
        PoiseVec3 turn = point->torque;
        if (com) {
            const int part = poise__point_part(tree, slot, point);
            const double share = tree->nodes[part].subtree_mass / mass;
            place = share > 0.0 ? poise_scale(1.0 / tree->nodes[part].subtree_mass,
                                              tree->nodes[part].subtree_moment)
                                : place;
            force = poise_scale(share, force);
            turn = poise_vec3(0.0, 0.0, 0.0);
        } else if (poise__point_sign(tree, slot, point) < 0) {
            force = poise_scale(-1.0, force);
            turn = poise_scale(-1.0, turn);
        }
        PoiseVec3 r = poise_sub(place, poise__joint_anchor(&node->joint));
        put_torque(node, poise_add(poise_cross(r, force), turn), force,
                   tree->nodes[slot].force_torque);
    }
}

PoiseStatus poise_forces(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus status = check_fresh(tree, "poise_forces");
    if (status != POISE_OK) {
        return status;
    }
    if (tree->state.has_force_torques) {
        for (int i = 0; i < tree->node_count; i++) {
            double* torque = tree->nodes[tree->order[i]].force_torque;
            for (int d = 0; d < POISE_MAX_DOF; d++) {
                torque[d] = 0.0;
            }
        }
        tree->state.has_force_torques = false;
    }
    for (int i = 0; i < tree->point_count; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        if (!point->enabled || !poise__point_asks(point)) {
            continue;
        }
        tree->state.has_force_torques = true;
        press_at(tree, point);
    }
    return POISE_OK;
}

PoiseStatus poise_gravity(PoiseTree* tree, PoiseVec3 gravity) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise_is_finite3(gravity)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_gravity: gravity (%g %g %g) is not finite", gravity.x, gravity.y,
                           gravity.z);
    }
    PoiseStatus status = check_fresh(tree, "poise_gravity");
    if (status != POISE_OK) {
        return status;
    }
    const bool none = poise_dot(gravity, gravity) == 0.0;
    if (none && !tree->state.has_gravity_torques) {
        return POISE_OK;
    }
    tree->state.has_gravity_torques = !none;
    poise__gather_subtrees(tree);
    fill_weight(tree, gravity);
    return POISE_OK;
}
