// SPDX-License-Identifier: MIT
// Direction and look-at points: computes the axis, the direction it should have, and the rotation
// between the two.
#include "tree.h"

// rad; between directions that are opposite within this angle, rounding decides the axis of
// rotation
#define HALF_TURN_NEAR 1e-6
// A look-at goal nearer to its point than this fraction of (1 m + the goal's distance from the
// origin) has no direction.
#define TOO_NEAR 1e-12

PoiseVec3 poise__turn_between(PoiseVec3 from, PoiseVec3 to, PoiseVec3 at_half_turn) {
    const PoiseVec3 sum = poise_add(from, to);
    const PoiseVec3 difference = poise_sub(to, from);
    // unlike the arc cosine of the dot product, accurate near 0 and near pi
    const double angle = 2.0 * poise_atan2(poise_length(difference), poise_length(sum));
    if (poise_length(sum) < HALF_TURN_NEAR) {
        return poise_scale(angle, at_half_turn);
    }
    // The cross product is equal for `to`, to + from and to - from as second factor: the shorter
    // sum has the smaller rounding error.
    PoiseVec3 cross = poise_cross(from, poise_dot(from, to) < 0.0 ? sum : difference);
    double sine = poise_length(cross);
    return sine > 0.0 ? poise_scale(angle / sine, cross) : poise_vec3(0.0, 0.0, 0.0);
}

static PoiseVec3 across(PoiseVec3 v, PoiseVec3 axis) {
    return poise_add_scaled(v, -poise_dot(axis, v), axis);
}

PoiseVec3 poise__perpendicular(PoiseVec3 axis) {
    return poise__normalize(across(poise__least_aligned_axis(axis), axis));
}

// Returns the direction perpendicular to `axis` about which the point's nodes can rotate the point
// most. It is an eigenvector of sum(e e^T) over the nodes' axes of rotation e, restricted to the
// plane perpendicular to `axis`, and belongs to the largest eigenvalue.
static PoiseVec3 easiest_turn(const PoiseTree* tree, const Point* point, PoiseVec3 axis) {
    PoiseVec3 basis[2];
    basis[0] = poise__perpendicular(axis);
    basis[1] = poise_cross(axis, basis[0]);
    double xx = 0.0, xy = 0.0, yy = 0.0;
    const int* nodes = poise__point_nodes(tree, point);
    for (int n = 0; n < point->node_count; n++) {
        const Node* node = &tree->nodes[nodes[n]];
        PoiseVec3 axes[POISE_MAX_DOF];
        unsigned char linear[POISE_MAX_DOF];
        poise__joint_column_axes(&node->joint, axes, linear);
        for (int d = 0; node->enabled && d < poise__joint_dof(&node->joint); d++) {
            if (!linear[d]) {
                double x = poise_dot(basis[0], axes[d]);
                double y = poise_dot(basis[1], axes[d]);
                xx += x * x;
                xy += x * y;
                yy += y * y;
            }
        }
    }
    const PoiseSinCos half = poise_sincos(0.5 * poise_atan2(2.0 * xy, xx - yy));
    return poise_add(poise_scale(half.cosine, basis[0]), poise_scale(half.sine, basis[1]));
}

Aim poise__aim_of(const PoiseTree* tree, const Point* point, PoisePose pose) {
    const PoisePose frame = poise__point_frame(tree, point);
    Aim aim = {.axis = poise_quat_rotate(pose.q, point->axis)};
    PoiseVec3 wanted = poise_quat_rotate(frame.q, point->direction);
    if (point->kind == POISE_POINT_LOOK_AT) {
        const PoiseVec3 place = poise_pose_apply(frame, point->goal.p);
        const PoiseVec3 offset = poise_sub(place, pose.p);
        const double distance = poise_length(offset);
        // at the goal every direction is right
        bool near = !(distance > TOO_NEAR * (1.0 + poise_length(place)));
        wanted = near ? aim.axis : poise_scale(1.0 / distance, offset);
        aim.sight = near ? aim.sight : poise_scale(1.0 / distance, wanted);
    }
    bool opposite = poise_length(poise_add(aim.axis, wanted)) < HALF_TURN_NEAR;
    PoiseVec3 turn = opposite ? easiest_turn(tree, point, aim.axis) : poise_vec3(0.0, 0.0, 0.0);
    aim.angle = poise__turn_between(aim.axis, wanted, turn);
    return aim;
}
