// SPDX-License-Identifier: MIT
// Goals of a scene's control points: their values at each time, which of them are active, and those
// that a hand holds.
#include <math.h>

#include "running.h"

bool poise__point_wants_position(const PoiseScenePoint* point) {
    return point->position.kind != POISE_GOAL_NONE;
}

bool poise__point_wants_orientation(const PoiseScenePoint* point) {
    return point->orientation.kind == POISE_GOAL_FIXED ||
           point->orientation.kind == POISE_GOAL_PATH;
}

// Computes the scene's goals at a time. A goal that the caller holds stays.
void poise__point_evaluate(const RunningPoint* point, double time, PoisePose* goal,
                           PoiseVec3* velocity, PoiseVec3* turning) {
    const PoiseScenePoint* scene = &point->scene;
    *goal = point->goal;
    *velocity = poise_vec3(0.0, 0.0, 0.0);
    *turning = *velocity;
    if (!point->held && poise__point_wants_position(scene)) {
        goal->p = poise_position_goal_at(&scene->position, time, velocity);
    }
    if (!point->turn_held && poise__point_wants_orientation(scene)) {
        goal->q = poise_orientation_goal_at(&scene->orientation, time, turning);
    }
}

// Converts the goal to the tree's goal frame.
PoisePose poise__point_goal_in_tree(const RunningPoint* point) {
    return point->framed ? poise_pose_mul(point->goal_to_tree, point->goal) : point->goal;
}

// --------------------------------------------------------------------------------------- each step

// Enables the tree's points of the goals that are active at the time: `rest` replaces `whole` once
// one of two goals has ended (`until`).
static PoiseStatus switch_goals(PoiseSimulation* simulation, RunningPoint* point, double time) {
    const PoiseScenePoint* scene = &point->scene;
    PoiseStatus status = POISE_OK;
    bool aim = poise__point_aims(scene) && time < scene->orientation.until;
    if (aim != point->has_aim) {
        point->has_aim = aim;
        status =
            poise_point_set_enabled(simulation->tree, point->aim, point->scene.def.enabled && aim);
    }
    bool position =
        poise__point_wants_position(scene) && (point->held || time < scene->position.until);
    bool orientation = poise__point_wants_orientation(scene) &&
                       (point->turn_held || time < scene->orientation.until);
    if (position == point->has_position && orientation == point->has_orientation) {
        return status;
    }
    bool whole = position == poise__point_wants_position(scene) &&
                 orientation == poise__point_wants_orientation(scene);
    point->has_position = position;
    point->has_orientation = orientation;
    status = poise__first_error(status,
                                poise_point_set_enabled(simulation->tree, point->current, false));
    if (whole) {
        point->current = point->whole;
    } else if (point->rest.index1 != 0) {
        point->current = point->rest;
    }
    bool enabled = point->scene.def.enabled && (position || orientation);
    return poise__first_error(status,
                              poise_point_set_enabled(simulation->tree, point->current, enabled));
}

static PoiseStatus set_force(PoiseSimulation* simulation, const RunningPoint* point, double time) {
    const PoiseScenePoint* scene = &point->scene;
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    bool now = time >= scene->force_after;
    if (!point->has_force) {
        return POISE_OK;
    }
    PoiseTree* tree = simulation->tree;
    PoiseStatus status = POISE_OK;
    if (point->pushes) {
        status = poise_point_set_enabled(tree, point->current, point->scene.def.enabled && now);
    }
    status = poise__first_error(
        status, poise_point_set_force(tree, point->current, now ? scene->force : none));
    return poise__first_error(
        status, poise_point_set_torque(tree, point->current, now ? scene->torque : none));
}

// Sets the goals and their velocities in the tree.
static PoiseStatus set_tree_goals(PoiseTree* tree, const RunningPoint* point, PoiseVec3 velocity,
                                  PoiseVec3 turning) {
    const PoisePointKind kind = poise_point_kind(tree, point->current);
    const PoisePose goal = poise__point_goal_in_tree(point);
    PoiseStatus status = POISE_OK;
    if (point->framed) {
        velocity = poise_quat_rotate(point->goal_to_tree.q, velocity);
        turning = poise_quat_rotate(point->goal_to_tree.q, turning);
    }
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE || kind == POISE_POINT_COM) {
        status = poise_point_set_position(tree, point->current, goal.p);
        // The velocity of a held goal is the difference of its places in two steps.
        status = poise__first_error(
            status, point->held ? poise_point_estimate_velocity(tree, point->current, true)
                                : poise_point_set_velocity(tree, point->current, velocity));
    }
    if (kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE) {
        status =
            poise__first_error(status, poise_point_set_orientation(tree, point->current, goal.q));
        if (!point->held) {
            status = poise__first_error(
                status, poise_point_set_angular_velocity(tree, point->current, turning));
        }
    }
    return status;
}

static PoiseStatus set_goal(PoiseSimulation* simulation, RunningPoint* point, double time) {
    PoiseVec3 velocity;
    PoiseVec3 turning;
    PoiseStatus status = switch_goals(simulation, point, time);
    poise__point_evaluate(point, time, &point->goal, &velocity, &turning);
    point->goal_velocity = velocity;
    status = poise__first_error(status, set_force(simulation, point, time));
    if (point->pushes) {
        return status;
    }
    bool follows = point->scene.stance > 0.0 || point->scene.balance;
    if (follows && !point->held && !point->turn_held) {
        // The rig moves the goals of stances and balance.
        point->goal = poise_point_goal(simulation->tree, point->current);
        return status;
    }
    return poise__first_error(status, set_tree_goals(simulation->tree, point, velocity, turning));
}

PoiseStatus poise__simulation_set_goals(PoiseSimulation* simulation, double time) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < simulation->point_count; i++) {
        if (!simulation->points[i].removed) {
            status = poise__first_error(status, set_goal(simulation, &simulation->points[i], time));
        }
    }
    // Axis goals come after the points that they point at.
    for (int i = 0; i < simulation->point_count; i++) {
        if (simulation->points[i].has_aim && !simulation->points[i].removed) {
            status = poise__first_error(
                status, poise__simulation_set_aim(simulation, &simulation->points[i]));
        }
    }
    return status;
}

// Returns a point whose goal a hand may hold.
static RunningPoint* point_at(PoiseSimulation* simulation, int index) {
    if (!simulation || index < 0 || index >= simulation->point_count ||
        simulation->points[index].removed) {
        return NULL;
    }
    return &simulation->points[index];
}

PoiseStatus poise_simulation_hold_goal(PoiseSimulation* simulation, int index, PoiseVec3 place) {
    RunningPoint* point = point_at(simulation, index);
    if (!point || !poise_is_finite3(place)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise__point_wants_position(&point->scene)) {
        return POISE_ERROR_WRONG_KIND;
    }
    if (point->framed) {
        PoisePose frame = poise__simulation_goal_frame(simulation, &point->scene);
        place = poise_pose_apply(poise_pose_inverse(frame), place);
    }
    point->held = true;
    point->goal.p = place;
    return POISE_OK;
}

PoiseStatus poise_simulation_hold_turn(PoiseSimulation* simulation, int index, PoiseQuat turn) {
    RunningPoint* point = point_at(simulation, index);
    double length = sqrt(turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    if (!point || !isfinite(length) || length == 0.0) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise__point_wants_orientation(&point->scene)) {
        return POISE_ERROR_WRONG_KIND;
    }
    if (point->framed) {
        PoisePose frame = poise__simulation_goal_frame(simulation, &point->scene);
        turn = poise_quat_mul(poise_quat_conjugate(frame.q), turn);
    }
    point->turn_held = true;
    point->goal.q = poise_quat_normalize(turn);
    return POISE_OK;
}

PoiseStatus poise_simulation_release_goal(PoiseSimulation* simulation, int index) {
    RunningPoint* point = point_at(simulation, index);
    if (!point) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (point->added) {
        return POISE_OK; // An added point has no goal of the scene to return to.
    }
    point->held = false;
    point->turn_held = false;
    PoiseVec3 velocity;
    PoiseVec3 turning;
    poise__point_evaluate(point, poise__simulation_now(simulation), &point->goal, &velocity,
                          &turning);
    return POISE_OK;
}
