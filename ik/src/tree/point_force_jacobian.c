// SPDX-License-Identifier: MIT
// Computes all six rows of the Jacobian of one point and one node, for forces. The rows of a solve
// are made in solve/jacobian.c.
#include "tree.h"

// Writes column d of the block: the velocity of the point and the angular velocity of its link.
static void put_column(double* block, int dof, int d, PoiseVec3 linear, PoiseVec3 angular) {
    const double numbers[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int r = 0; r < 6; r++) {
        block[r * dof + d] = numbers[r];
    }
}

int poise_point_jacobian(PoiseTree* tree, PoisePointId id, PoiseNodeId node_id,
                         double block[6 * POISE_MAX_DOF]) {
    const Point* point = poise__point(tree, id);
    const Node* node = poise__node(tree, node_id);
    const int slot = node ? poise__node_slot(tree, node) : NO_SLOT;
    const int sign = point && node ? poise__point_sign(tree, slot, point) : 0;
    if (sign == 0 || !block) {
        return 0;
    }
    PoiseVec3 place;
    double share = 1.0;
    if (point->kind == POISE_POINT_COM) {
        // Only the mass beyond the node moves. The column is that of its centre, times its fraction
        // of the whole mass.
        poise__gather_subtrees(tree);
        const int part = poise__carries(tree, point->link, slot) ? slot : point->link;
        const double mass = tree->nodes[part].subtree_mass;
        if (!(mass > 0.0)) {
            return 0;
        }
        share = mass / tree->nodes[point->link].subtree_mass;
        place = poise_scale(1.0 / mass, tree->nodes[part].subtree_moment);
    } else {
        place = poise__point_world(tree, point).p;
    }
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    const PoiseVec3 r = poise_sub(place, poise__joint_anchor(&node->joint));
    const int dof = poise__joint_type(&node->joint)->nv;
    PoiseVec3 axes[POISE_MAX_DOF];
    unsigned char linear[POISE_MAX_DOF];
    poise__joint_number_axes(&node->joint, axes, linear);
    for (int d = 0; d < dof; d++) {
        PoiseVec3 turn = linear[d] || point->kind == POISE_POINT_COM ? none : axes[d];
        PoiseVec3 move = linear[d] ? axes[d] : poise_cross(axes[d], r);
        put_column(block, dof, d, poise_scale(sign * share, move), poise_scale(sign, turn));
    }
    return dof;
}
