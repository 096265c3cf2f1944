// SPDX-License-Identifier: MIT
// Setters of a point: goal, weight and priority, force.
#include "tree.h"

// Finds point `id` for the setter `call`. Error if the handle is invalid or `finite` false.
static PoiseStatus point_for(PoiseTree* tree, PoisePointId id, bool finite, const char* call,
                             Point** point) {
    *point = poise__point_or_fail(tree, id, call);
    if (!*point) {
        return poise__no_handle(tree);
    }
    if (!finite) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: the value for point %u is not finite", call, (unsigned)id.index1);
    }
    return POISE_OK;
}

static PoiseStatus wrong_rows(PoiseTree* tree, PoisePointId id, const char* call,
                              const char* rows) {
    return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                       "%s: point %u has no %s; make it with poise_default_pose_def()", call,
                       (unsigned)id.index1, rows);
}

PoiseStatus poise_point_set_position(PoiseTree* tree, PoisePointId id, PoiseVec3 position) {
    const char* call = "poise_point_set_position";
    Point* point;
    PoiseStatus status = point_for(tree, id, poise_is_finite3(position), call, &point);
    if (status != POISE_OK) {
        return status;
    }
    if (!poise__point_has_position(point) && point->kind != POISE_POINT_LOOK_AT) {
        return wrong_rows(tree, id, call, "position");
    }
    point->goal.p = position;
    return POISE_OK;
}

PoiseStatus poise_point_set_orientation(PoiseTree* tree, PoisePointId id, PoiseQuat orientation) {
    const char* call = "poise_point_set_orientation";
    Point* point;
    PoisePose frame = poise_pose(poise_vec3(0.0, 0.0, 0.0), orientation);
    PoiseStatus status = point_for(tree, id, poise__is_frame(frame), call, &point);
    if (status != POISE_OK) {
        return status;
    }
    if (point->kind != POISE_POINT_ORIENTATION && point->kind != POISE_POINT_POSE) {
        return wrong_rows(tree, id, call, "orientation");
    }
    point->goal.q = poise_quat_normalize(orientation);
    return POISE_OK;
}

PoiseStatus poise_point_set_direction(PoiseTree* tree, PoisePointId id, PoiseVec3 direction) {
    const char* call = "poise_point_set_direction";
    Point* point = poise__point_or_fail(tree, id, call);
    if (!point) {
        return poise__no_handle(tree);
    }
    if (point->kind != POISE_POINT_DIRECTION) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "%s: point %u has no direction; make it with "
                           "poise_default_direction_def()",
                           call, (unsigned)id.index1);
    }
    if (!poise__is_direction(direction)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: the direction for point %u is 0 or not finite", call,
                           (unsigned)id.index1);
    }
    point->direction = poise__normalize(direction);
    return POISE_OK;
}

PoiseStatus poise_point_set_rows(PoiseTree* tree, PoisePointId id, unsigned rows,
                                 PoiseRowAxes axes) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_rows");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!poise__are_rows(point->kind, rows, axes)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_rows: rows 0x%x of point %u must be bits of PoiseRows, "
                           "some of them its kind's, and the axes one of PoiseRowAxes",
                           rows, (unsigned)id.index1);
    }
    point->rows = rows;
    point->row_axes = axes;
    poise__sets_changed(tree);
    return POISE_OK;
}

PoiseStatus poise_point_set_max_speed(PoiseTree* tree, PoisePointId id, double speed,
                                      double turn_speed) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_max_speed");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!(speed > 0.0) || !(turn_speed > 0.0)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_max_speed: %g m/s and %g rad/s for point %u must be "
                           "above 0",
                           speed, turn_speed, (unsigned)id.index1);
    }
    point->max_speed = speed;
    point->max_turn_speed = turn_speed;
    return POISE_OK;
}

// Sets the linear and the angular bound of the acceleration, or of the jerk if `jerk`.
static PoiseStatus set_bounds(PoiseTree* tree, PoisePointId id, const char* call,
                              const double bounds[2], bool jerk) {
    Point* point = poise__point_or_fail(tree, id, call);
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!(bounds[0] > 0.0) || !(bounds[1] > 0.0)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: %g and %g for point %u must be above 0", call, bounds[0], bounds[1],
                           (unsigned)id.index1);
    }
    double* const at = jerk ? point->max_jerk : point->max_acceleration;
    at[0] = bounds[0];
    at[1] = bounds[1];
    return POISE_OK;
}

PoiseStatus poise_point_set_max_acceleration(PoiseTree* tree, PoisePointId id, double acceleration,
                                             double turn_acceleration) {
    const double bounds[2] = {acceleration, turn_acceleration};
    return set_bounds(tree, id, "poise_point_set_max_acceleration", bounds, false);
}

PoiseStatus poise_point_set_max_jerk(PoiseTree* tree, PoisePointId id, double jerk,
                                     double turn_jerk) {
    const double bounds[2] = {jerk, turn_jerk};
    return set_bounds(tree, id, "poise_point_set_max_jerk", bounds, true);
}

// Sets the velocity of the goal: angular if `turn`, else linear.
static PoiseStatus set_velocity(PoiseTree* tree, PoisePointId id, bool turn, PoiseVec3 velocity) {
    const char* call = turn ? "poise_point_set_angular_velocity" : "poise_point_set_velocity";
    Point* point;
    PoiseStatus status = point_for(tree, id, poise_is_finite3(velocity), call, &point);
    if (status != POISE_OK) {
        return status;
    }
    if (turn ? !poise__point_has_orientation(point) : !poise__point_has_position(point)) {
        return wrong_rows(tree, id, call, turn ? "orientation" : "position");
    }
    *(turn ? &point->goal_angular_velocity : &point->goal_velocity) = velocity;
    if (point->follow[turn]) {
        point->follow[turn] = false;
        point->motion.off[turn] = poise_vec3(0.0, 0.0, 0.0);
    }
    return POISE_OK;
}

PoiseStatus poise_point_set_velocity(PoiseTree* tree, PoisePointId id, PoiseVec3 velocity) {
    return set_velocity(tree, id, false, velocity);
}

PoiseStatus poise_point_set_angular_velocity(PoiseTree* tree, PoisePointId id, PoiseVec3 velocity) {
    return set_velocity(tree, id, true, velocity);
}

PoiseStatus poise_point_estimate_velocity(PoiseTree* tree, PoisePointId id, bool estimate) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_estimate_velocity");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (point->follow[0] != estimate || point->follow[1] != estimate) {
        point->follow[0] = point->follow[1] = estimate;
        point->is_followed = false;
    }
    return POISE_OK;
}

// Sets the load that the point should exert: a torque if `turn`, else a force.
static PoiseStatus set_load(PoiseTree* tree, PoisePointId id, bool turn, PoiseVec3 load) {
    const char* call = turn ? "poise_point_set_torque" : "poise_point_set_force";
    Point* point;
    PoiseStatus status = point_for(tree, id, poise_is_finite3(load), call, &point);
    if (status == POISE_OK) {
        *(turn ? &point->torque : &point->force) = load;
        poise__point_note_yield(point);
    }
    return status;
}

PoiseStatus poise_point_set_force(PoiseTree* tree, PoisePointId id, PoiseVec3 force) {
    return set_load(tree, id, false, force);
}

PoiseStatus poise_point_set_tip_radius(PoiseTree* tree, PoisePointId id, double radius) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_tip_radius");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!(radius >= 0.0) || isinf(radius)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_tip_radius: radius of point %u is %g m, it must be "
                           "finite and not negative",
                           (unsigned)id.index1, radius);
    }
    point->tip_radius = radius;
    return POISE_OK;
}

PoiseStatus poise_point_set_torque(PoiseTree* tree, PoisePointId id, PoiseVec3 torque) {
    return set_load(tree, id, true, torque);
}

PoiseStatus poise_point_set_enabled(PoiseTree* tree, PoisePointId id, bool enabled) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_enabled");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (point->enabled != enabled) {
        point->enabled = enabled;
        point->is_followed = false;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}

bool poise_point_enabled(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point && point->enabled;
}

PoiseStatus poise_point_set_weight(PoiseTree* tree, PoisePointId id, double weight) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_weight");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!(weight >= 0.0) || !isfinite(weight)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_weight: weight of point %u is %g, it must be finite "
                           "and not negative",
                           (unsigned)id.index1, weight);
    }
    const double before = point->weight;
    point->weight = weight;
    if ((weight > 0.0) != (before > 0.0)) {
        // the number of rows changes: a weight of 0 has none
        poise__sets_changed(tree);
    } else {
        tree->revision++;
    }
    return POISE_OK;
}

PoiseStatus poise_point_set_priority(PoiseTree* tree, PoisePointId id, int priority) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_priority");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (priority < POISE_PRIORITY_CLOSURE || priority >= POISE_PRIORITIES) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_priority: priority %d of point %u is not 0 (first) to "
                           "15, nor POISE_PRIORITY_CLOSURE",
                           priority, (unsigned)id.index1);
    }
    if (priority != point->priority) {
        point->priority = priority;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}
