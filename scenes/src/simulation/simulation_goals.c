// SPDX-License-Identifier: MIT
// Sets the goals of a scene's control points in each step. Chooses the active goals, computes their
// values at the time, and keeps goals that a hand holds.
#include <math.h>
#include <string.h>

#include "poise/stance.h"
#include "running.h"

bool poise__point_wants_position(const PoiseScenePoint* point) {
    return point->position.kind != POISE_GOAL_NONE;
}

bool poise__point_wants_orientation(const PoiseScenePoint* point) {
    return point->orientation.kind == POISE_GOAL_FIXED ||
           point->orientation.kind == POISE_GOAL_PATH;
}

MovingGoal poise__point_scene_goal(const PoiseSimulation* simulation, const PoiseScenePoint* point,
                                   double time) {
    MovingGoal goal = {.pose = poise_pose_identity()};
    if (poise__point_wants_position(point)) {
        goal.pose.p = poise_position_goal_at(&point->position, time, &goal.velocity);
    }
    if (poise__point_wants_orientation(point)) {
        goal.pose.q = poise_orientation_goal_at(&point->orientation, time, &goal.turning);
    }
    const PoisePose to_tree = poise__point_to_tree(simulation, point);
    goal.pose = poise_pose_mul(to_tree, goal.pose);
    goal.velocity = poise_quat_rotate(to_tree.q, goal.velocity);
    goal.turning = poise_quat_rotate(to_tree.q, goal.turning);
    return goal;
}

// --------------------------------------------------------------------------------------- each step

// Chooses which of a control point's two points in the tree is enabled at the time: `all_goals`
// while all its goals are active, `remaining_goal` once one of them has ended (`until`).
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
        point->current = point->all_goals;
    } else if (point->remaining_goal.index1 != 0) {
        point->current = point->remaining_goal;
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

// Sets the scene's goals and their velocities in a point of the tree; goals held by a hand stay.
static PoiseStatus set_tree_goals(PoiseTree* tree, PoisePointId id, const RunningPoint* point,
                                  const MovingGoal* goal) {
    const PoisePointKind kind = poise_point_kind(tree, id);
    const bool moves =
        kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE || kind == POISE_POINT_COM;
    const bool turns = kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE;
    PoiseStatus status = POISE_OK;
    if (moves && point->held) {
        // The tree computes the velocity of a held goal from its places in two steps.
        status = poise_point_estimate_velocity(tree, id, true);
    } else if (moves) {
        status = poise__first_error(poise_point_set_position(tree, id, goal->pose.p),
                                    poise_point_set_velocity(tree, id, goal->velocity));
    }
    if (turns && !point->turn_held) {
        status = poise__first_error(status, poise_point_set_orientation(tree, id, goal->pose.q));
    }
    if (turns && !point->held) {
        const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
        status = poise__first_error(status, poise_point_set_angular_velocity(
                                                tree, id, point->turn_held ? none : goal->turning));
    }
    return status;
}

static PoiseStatus set_goal(PoiseSimulation* simulation, RunningPoint* point, double time) {
    const MovingGoal goal = poise__point_scene_goal(simulation, &point->scene, time);
    PoiseStatus status = switch_goals(simulation, point, time);
    status = poise__first_error(status, set_force(simulation, point, time));
    point->moved = false;
    point->goal_velocity = point->held ? poise_vec3(0.0, 0.0, 0.0) : goal.velocity;
    // The rig itself moves the goals of stances and of the balance.
    const bool follows = point->scene.stance > 0.0 || point->scene.balance;
    if (point->pushes || (follows && !point->held && !point->turn_held)) {
        return status;
    }
    const PoisePointId both[] = {point->all_goals, point->remaining_goal};
    for (int i = 0; i < 2; i++) {
        status =
            poise__first_error(status, set_tree_goals(simulation->tree, both[i], point, &goal));
    }
    return status;
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

PoiseStatus poise__simulation_set_support(PoiseSimulation* simulation, const RunningPoint* point) {
    const bool held = point->held || point->turn_held;
    PoiseStatus status = POISE_OK;
    const PoiseScenePoint* scene = &point->scene;
    if (scene->stance > 0.0) {
        PoiseStanceDef stance = poise_default_stance_def();
        stance.point = point->all_goals;
        stance.share = scene->stance;
        stance.sole = scene->sole;
        stance.friction = simulation->now.world.def.friction;
        stance.slide = held ? 0.0 : stance.slide;
        status = poise_rig_add_stance(simulation->rig, &stance);
    }
    if (scene->balance) {
        const PoisePointId com = held ? poise_null_point() : point->all_goals;
        status = poise__first_error(status, poise_rig_set_balance(simulation->rig, com));
    }
    return status;
}

// Returns the point at `index`; NULL past the end, and for a removed point.
static RunningPoint* point_at(PoiseSimulation* simulation, int index) {
    if (!simulation || index < 0 || index >= simulation->point_count ||
        simulation->points[index].removed) {
        return NULL;
    }
    return &simulation->points[index];
}

// Holds the goal of the scene's point at `world`, in both of its points in the tree: `all_goals`
// and `remaining_goal`. Sets the orientation if `turns`, otherwise the position.
static PoiseStatus hold(PoiseSimulation* simulation, RunningPoint* point, PoisePose world,
                        bool turns) {
    const PoisePose frame = poise__point_tree_frame(simulation, &point->scene);
    const PoisePose goal = poise_pose_mul(poise_pose_inverse(frame), world);
    const PoisePose before = poise_point_goal(simulation->tree, point->all_goals);
    const PoisePointId both[] = {point->all_goals, point->remaining_goal};
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < 2; i++) {
        const PoisePointKind kind = poise_point_kind(simulation->tree, both[i]);
        if (turns && (kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE)) {
            status = poise__first_error(
                status, poise_point_set_orientation(simulation->tree, both[i], goal.q));
        } else if (!turns && kind != 0 && kind != POISE_POINT_ORIENTATION) {
            status = poise__first_error(
                status, poise_point_set_position(simulation->tree, both[i], goal.p));
        }
    }
    const PoisePose after = poise_point_goal(simulation->tree, point->all_goals);
    point->moved = point->moved || memcmp(&before, &after, sizeof before) != 0;
    point->held = point->held || !turns;
    point->turn_held = point->turn_held || turns;
    return poise__first_error(status, poise__simulation_set_support(simulation, point));
}

PoiseStatus poise_simulation_hold_goal(PoiseSimulation* simulation, int index, PoiseVec3 place) {
    RunningPoint* point = point_at(simulation, index);
    if (!point || !poise_is_finite3(place)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise__point_wants_position(&point->scene)) {
        return POISE_ERROR_WRONG_KIND;
    }
    return hold(simulation, point, poise_pose(place, poise_quat_identity()), false);
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
    return hold(simulation, point,
                poise_pose(poise_vec3(0.0, 0.0, 0.0), poise_quat_normalize(turn)), true);
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
    const PoiseStatus status = poise__simulation_set_support(simulation, point);
    return poise__first_error(status,
                              set_goal(simulation, point, poise__simulation_now(simulation)));
}
