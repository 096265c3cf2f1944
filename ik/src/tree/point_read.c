// SPDX-License-Identifier: MIT
// Getters of a point.
#include "tree.h"

PoisePose poise_point_planned_pose(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? poise__point_world(tree, point) : poise_pose_identity();
}

PoisePose poise_point_goal(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->goal : poise_pose_identity();
}

PoiseVec3 poise_point_axis(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    if (!point || (point->kind != POISE_POINT_DIRECTION && point->kind != POISE_POINT_LOOK_AT)) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    return poise_quat_rotate(poise__point_world(tree, point).q, point->axis);
}

PoiseNodeId poise_point_frame(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point && point->frame != NO_SLOT ? poise__node_id(tree, point->frame)
                                            : poise_null_node();
}

PoiseVec3 poise_point_force(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->force : poise_vec3(0.0, 0.0, 0.0);
}

PoiseVec3 poise_point_torque(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->torque : poise_vec3(0.0, 0.0, 0.0);
}

// Returns the length of an error after removing the directions in which the point yields. Either
// `linear` or `angular` must be 0.
static double counting_length(const PoiseTree* tree, const Point* point, PoiseVec3 linear,
                              PoiseVec3 angular) {
    if (point->yields) {
        poise__yield_drop(tree, point, poise__point_world(tree, point).q, &linear, &angular);
    }
    return poise_length(poise_add(linear, angular));
}

double poise_point_planned_error(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    if (!point || !poise__point_has_position(point)) {
        return 0.0;
    }
    PoiseVec3 error =
        poise_sub(poise__point_goal(tree, point).p, poise__point_world(tree, point).p);
    return counting_length(tree, point, error, poise_vec3(0.0, 0.0, 0.0));
}

double poise_point_planned_angle_error(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    if (!point || !poise__point_has_orientation(point)) {
        return 0.0;
    }
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    if (point->kind == POISE_POINT_DIRECTION || point->kind == POISE_POINT_LOOK_AT) {
        const Aim aim = poise__aim_of(tree, point, poise__point_world(tree, point));
        return counting_length(tree, point, none, aim.angle);
    }
    PoiseQuat now = poise__point_world(tree, point).q;
    PoiseQuat target = poise__point_goal(tree, point).q;
    return counting_length(tree, point, none,
                           poise_quat_log(poise_quat_mul(target, poise_quat_conjugate(now))));
}

// Returns the length of the components of v along the row axes whose bits are set.
static double length_in_rows(PoiseQuat axes, unsigned bits, PoiseVec3 v) {
    if ((bits & 7) == 7) {
        return poise_length(v);
    }
    const PoiseVec3 along = poise_quat_unrotate(axes, v);
    return poise_length(poise_vec3((bits & 1) != 0 ? along.x : 0.0, (bits & 2) != 0 ? along.y : 0.0,
                                   (bits & 4) != 0 ? along.z : 0.0));
}

void poise_point_miss(const PoiseTree* tree, PoisePointId id, PoisePose pose, double* miss,
                      double* angle_miss) {
    const Point* point = poise__point(tree, id);
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 linear = none, angular = none;
    double lengths[2] = {0.0, 0.0};
    if (point) {
        const PoisePose goal = poise__point_goal(tree, point);
        const bool aims =
            point->kind == POISE_POINT_DIRECTION || point->kind == POISE_POINT_LOOK_AT;
        linear = poise__point_has_position(point) ? poise_sub(goal.p, pose.p) : none;
        if (aims) {
            angular = poise__aim_of(tree, point, pose).angle;
        } else if (poise__point_has_orientation(point)) {
            angular = poise_quat_log(poise_quat_mul(goal.q, poise_quat_conjugate(pose.q)));
        }
        if (point->yields) {
            poise__yield_drop(tree, point, pose.q, &linear, &angular);
        }
        const PoiseQuat axes = poise__point_row_turn(tree, point, pose.q);
        lengths[0] = length_in_rows(axes, point->rows, linear);
        lengths[1] = length_in_rows(axes, point->rows >> 3, angular);
    }
    double* const out[2] = {miss, angle_miss};
    for (int k = 0; k < 2; k++) {
        if (out[k]) {
            *out[k] = lengths[k];
        }
    }
}

PoisePose poise_point_pursued(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    if (!point) {
        return poise_pose_identity();
    }
    PoisePose pursued = point->goal;
    if (point->track.runs && poise__tracks_place(point)) {
        pursued.p = point->track.place.p;
    }
    if (point->track.runs && poise__tracks_turn(point)) {
        pursued.q = point->track.place.q;
    }
    return pursued;
}

PoiseVec3 poise__goal_velocity(const Point* point, int k) {
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    if (point->follow[k]) {
        return point->is_followed ? point->motion.velocity[k] : none;
    }
    // The caller's velocity holds at the end of the step. motion.off is its difference to the
    // velocity in the middle of the step.
    return poise_sub(k == 0 ? point->goal_velocity : point->goal_angular_velocity,
                     point->is_followed ? point->motion.off[k] : none);
}

void poise_point_goal_velocity(const PoiseTree* tree, PoisePointId id, PoiseVec3* velocity,
                               PoiseVec3* angular_velocity) {
    const Point* point = poise__point(tree, id);
    PoiseVec3* const out[2] = {velocity, angular_velocity};
    for (int k = 0; k < 2; k++) {
        if (out[k]) {
            *out[k] = point ? poise__goal_velocity(point, k) : poise_vec3(0.0, 0.0, 0.0);
        }
    }
}

double poise_point_reach(PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? poise__point_reach(tree, point) : 0.0;
}

double poise_point_tip_radius(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->tip_radius : 0.0;
}

int poise_point_priority(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->priority : 0;
}
