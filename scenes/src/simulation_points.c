// SPDX-License-Identifier: MIT
// A scene's control points: made, registered, and given their goals at each step.
#include <math.h>

#include "simulation_internal.h"

static bool wants_position(const PoiseScenePoint* point) {
    return point->position.kind != POISE_GOAL_NONE;
}

static bool wants_orientation(const PoiseScenePoint* point) {
    return point->orientation.kind == POISE_GOAL_FIXED ||
           point->orientation.kind == POISE_GOAL_PATH;
}

// the goals at a time; a goal that a hand holds is taken from there
static void evaluate(const RunningPoint* point, double time, PoisePose* goal, PoiseVec3* velocity,
                     PoiseVec3* turning) {
    const PoiseScenePoint* scene = point->scene;
    *goal = point->goal;
    *velocity = poise_vec3(0.0, 0.0, 0.0);
    *turning = *velocity;
    if (point->held) {
        goal->p = point->held_place;
    } else if (wants_position(scene)) {
        goal->p = poise_place_goal_at(&scene->position, time, velocity);
    }
    if (wants_orientation(scene)) {
        goal->q = poise_turn_goal_at(&scene->orientation, time, turning);
    }
}

static PoisePointDef point_def(bool position, bool orientation) {
    return position && orientation ? poise_default_pose_def()
           : position              ? poise_default_position_def()
                                   : poise_default_orientation_def();
}

static PoisePointId make_point(PoiseSimulation* simulation, const RunningPoint* point,
                               bool position, bool orientation) {
    const PoiseScenePoint* scene = point->scene;
    PoisePointDef def = point_def(position, orientation);
    def.link = point->node;
    def.in_link = point->in_link;
    def.has_goal = true;
    def.goal = point->goal;
    def.weight = scene->weight;
    def.enabled = scene->enabled;
    PoisePointId id = poise_point_create(simulation->tree, &def);
    for (int i = 0; i < scene->joint_count && id.index1 != 0; i++) {
        (void)poise_register(simulation->tree, simulation->nodes[scene->joints[i]], id);
    }
    return id;
}

static void start_point(PoiseSimulation* simulation, const PoiseScenePoint* scene) {
    const PoiseSceneBody* body = &simulation->scene->bodies[scene->body];
    RunningPoint* point = &simulation->points[simulation->point_count++];
    point->scene = scene;
    point->node = simulation->nodes[body->joint];
    // the node's link is the ODE body, which stands at the centre of mass
    point->in_link = scene->in_body;
    point->in_link.p = poise_sub(scene->in_body.p, body->com);
    point->has_position = wants_position(scene);
    point->has_orientation = wants_orientation(scene);
    point->goal = poise_pose_identity();
    PoiseVec3 velocity;
    PoiseVec3 turning;
    evaluate(point, 0.0, &point->goal, &velocity, &turning);
    point->whole = make_point(simulation, point, point->has_position, point->has_orientation);
    point->current = point->whole;
    bool both = point->has_position && point->has_orientation;
    if (both && scene->position.until != scene->orientation.until) {
        bool position = scene->position.until > scene->orientation.until;
        point->rest = make_point(simulation, point, position, !position);
        (void)poise_point_set_enabled(simulation->tree, point->rest, false);
    }
}

bool poise__simulation_make_points(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = simulation->scene;
    for (int i = 0; i < scene->point_count; i++) {
        const PoiseScenePoint* point = &scene->points[i];
        if (!wants_position(point) && !wants_orientation(point)) {
            continue;
        }
        start_point(simulation, point);
        if (poise_tree_status(simulation->tree) < 0) {
            poise__diagnose(diagnostics, POISE_ERROR, point->mark, "control point '%.60s': %s",
                            point->name, poise_tree_message(simulation->tree));
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------- each step

// which goals hold at the time; at an `until` the other point takes over
static void switch_goals(PoiseSimulation* simulation, RunningPoint* point, double time) {
    const PoiseScenePoint* scene = point->scene;
    bool position = wants_position(scene) && (point->held || time < scene->position.until);
    bool orientation = wants_orientation(scene) && time < scene->orientation.until;
    if (position == point->has_position && orientation == point->has_orientation) {
        return;
    }
    bool whole = position == wants_position(scene) && orientation == wants_orientation(scene);
    point->has_position = position;
    point->has_orientation = orientation;
    (void)poise_point_set_enabled(simulation->tree, point->current, false);
    if (whole) {
        point->current = point->whole;
    } else if (point->rest.index1 != 0) {
        point->current = point->rest;
    }
    bool enabled = scene->enabled && (position || orientation);
    (void)poise_point_set_enabled(simulation->tree, point->current, enabled);
}

static void set_goal(PoiseSimulation* simulation, RunningPoint* point, double time) {
    PoiseVec3 velocity;
    PoiseVec3 turning;
    switch_goals(simulation, point, time);
    evaluate(point, time, &point->goal, &velocity, &turning);
    PoiseTree* tree = simulation->tree;
    PoisePointKind kind = poise_point_kind(tree, point->current);
    if (kind != POISE_POINT_ORIENTATION) {
        (void)poise_point_set_position(tree, point->current, point->goal.p);
        (void)poise_point_set_velocity(tree, point->current, velocity);
    }
    if (kind != POISE_POINT_POSITION) {
        (void)poise_point_set_orientation(tree, point->current, point->goal.q);
        (void)poise_point_set_angular_velocity(tree, point->current, turning);
    }
}

void poise__simulation_set_goals(PoiseSimulation* simulation, double time) {
    for (int i = 0; i < simulation->point_count; i++) {
        set_goal(simulation, &simulation->points[i], time);
    }
}

PoiseStatus poise_simulation_hold_goal(PoiseSimulation* simulation, int index, PoiseVec3 place) {
    if (!simulation || index < 0 || index >= simulation->point_count || !poise_is_finite3(place)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    RunningPoint* point = &simulation->points[index];
    if (!wants_position(point->scene)) {
        return POISE_ERROR_WRONG_KIND;
    }
    point->held = true;
    point->held_place = place;
    point->goal.p = place;
    return POISE_OK;
}

PoiseStatus poise_simulation_release_goal(PoiseSimulation* simulation, int index) {
    if (!simulation || index < 0 || index >= simulation->point_count) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    RunningPoint* point = &simulation->points[index];
    point->held = false;
    PoiseVec3 velocity;
    PoiseVec3 turning;
    evaluate(point, poise_simulation_time(simulation), &point->goal, &velocity, &turning);
    return POISE_OK;
}
