// SPDX-License-Identifier: MIT
// Joint torques by the transpose: what presses on the world at the control points (sec. 5.2), and
// what holds the links up. Both from the frames as they are, whichever filler made them.
#define WEIGHT_FILL poise__weight_fill_one

#include "lanes.h"
#include "weight_rows.h"

static void fill_weight(PoiseTree* tree, PoiseVec3 gravity) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__weight_fill_four(tree, gravity);
        return;
    }
#endif
    poise__weight_fill_one(tree, gravity);
}

static PoiseStatus check_fresh(PoiseTree* tree, const char* call) {
    if (poise_tree_is_fresh(tree)) {
        return POISE_OK;
    }
    return poise__fail(tree, POISE_ERROR_STALE,
                       "%s: the frames are stale; call poise_forward, or measure every node", call);
}

// J^T (F, T): e . (r x F + T) for each node, of which a centre of mass feels its part
static void press_at(PoiseTree* tree, const Point* point) {
    const bool com = point->kind == POISE_POINT_COM;
    if (com) {
        poise__gather_subtrees(tree);
    }
    const double mass = com ? tree->nodes[point->link].subtree_mass : 1.0;
    PoiseVec3 place = poise__point_world(tree, point).p;
    for (int n = 0; n < point->node_count && mass > 0.0; n++) {
        const int slot = point->nodes[n];
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
        put_torque(node, vec_of(poise_add(poise_cross(r, force), turn)), vec_of(force),
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
