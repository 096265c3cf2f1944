// SPDX-License-Identifier: MIT
// A scene's control points: made, registered, and given their goals at each step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poise/stance.h"
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
    if (point->turn_held) {
        goal->q = point->held_turn;
    } else if (wants_orientation(scene)) {
        goal->q = poise_turn_goal_at(&scene->orientation, time, turning);
    }
}

// in the frame that the tree has it in
static PoisePose goal_in_tree(const RunningPoint* point) {
    return point->framed ? poise_pose_mul(point->goal_to_tree, point->goal) : point->goal;
}

static PoisePointDef point_def(const PoiseScenePoint* scene, bool position, bool orientation) {
    if (scene->com) {
        return poise_default_com_def();
    }
    return position && orientation ? poise_default_pose_def()
           : position              ? poise_default_position_def()
                                   : poise_default_orientation_def();
}

static PoisePointDef aim_def(const PoiseScenePoint* scene) {
    PoisePointDef def = scene->orientation.kind == POISE_GOAL_ALONG ? poise_default_direction_def()
                                                                    : poise_default_look_at_def();
    def.axis = scene->orientation.axis;
    return def;
}

static PoisePointId make_point(PoiseSimulation* simulation, const RunningPoint* point,
                               PoisePointDef def) {
    const PoiseScenePoint* scene = point->scene;
    def.link = point->node;
    def.in_link = point->in_link;
    if (scene->frame >= 0 && simulation->scene->bodies[scene->frame].joint >= 0) {
        def.frame = simulation->nodes[simulation->scene->bodies[scene->frame].joint];
    }
    def.rows = scene->rows;
    def.row_axes = scene->row_axes;
    def.max_speed = scene->max_speed;
    def.max_turn_speed = scene->max_turn_speed;
    def.weight = scene->weight;
    def.priority = scene->priority;
    def.enabled = scene->enabled;
    def.yield = scene->yield;
    PoisePointId id = poise_point_create(simulation->tree, &def);
    for (int i = 0; i < scene->joint_count && id.index1 != 0; i++) {
        (void)poise_register(simulation->tree, id, simulation->nodes[scene->joints[i]]);
    }
    return id;
}

// a point of the tree for these goals, its first goal set
static PoisePointId make_goal_point(PoiseSimulation* simulation, const RunningPoint* point,
                                    bool position, bool orientation) {
    PoisePointDef def = point_def(point->scene, position, orientation);
    def.has_goal = true;
    def.goal = goal_in_tree(point);
    return make_point(simulation, point, def);
}

// a point without a goal only presses: it yields in every direction
static PoisePointId make_push_point(PoiseSimulation* simulation, const RunningPoint* point) {
    const PoiseScenePoint* scene = point->scene;
    bool turns = poise_length(scene->torque) > 0.0;
    PoisePointDef def = point_def(scene, !turns || poise_length(scene->force) > 0.0, turns);
    PoisePointId id = make_point(simulation, point, def);
    (void)poise_point_set_yield(simulation->tree, id, POISE_YIELD_ROWS, scene->rows);
    (void)poise_point_set_enabled(simulation->tree, id, false);
    return id;
}

// the scene's frame of the goals in the tree's: a link's frame stands at the centre of mass
static void set_frame(const PoiseSimulation* simulation, RunningPoint* point) {
    const PoiseScenePoint* scene = point->scene;
    point->framed = scene->frame >= 0;
    point->goal_to_tree = poise_pose_identity();
    if (point->framed) {
        const PoiseSceneBody* body = &simulation->scene->bodies[scene->frame];
        PoisePose in_tree = body->joint >= 0
                                ? poise_pose(poise_scale(-1.0, body->com), poise_quat_identity())
                                : poise__simulation_body_pose(simulation, scene->frame);
        point->goal_to_tree = poise_pose_mul(in_tree, scene->frame_in_body);
    }
}

static void start_point(PoiseSimulation* simulation, const PoiseScenePoint* scene) {
    const PoiseSceneBody* body = &simulation->scene->bodies[scene->body];
    RunningPoint* point = &simulation->points[simulation->point_count++];
    point->scene = scene;
    point->weight = scene->weight;
    point->priority = scene->priority;
    point->enabled = scene->enabled;
    point->has_force = scene->has_force;
    point->force = scene->force;
    point->node = simulation->nodes[body->joint];
    // the node's link is the ODE body, which stands at the centre of mass
    point->in_link = scene->in_body;
    point->in_link.p = poise_sub(scene->in_body.p, body->com);
    point->has_position = wants_position(scene);
    point->has_orientation = wants_orientation(scene);
    point->has_aim = poise__point_aims(scene);
    point->goal = poise_pose_identity();
    set_frame(simulation, point);
    PoiseVec3 velocity;
    PoiseVec3 turning;
    evaluate(point, 0.0, &point->goal, &velocity, &turning);
    point->goal_velocity = velocity;
    if (point->has_position || point->has_orientation) {
        point->whole =
            make_goal_point(simulation, point, point->has_position, point->has_orientation);
        point->current = point->whole;
    }
    if (point->has_aim) {
        point->aim = make_point(simulation, point, aim_def(scene));
    }
    point->pushes = scene->has_force && point->current.index1 == 0;
    if (point->pushes) {
        point->whole = make_push_point(simulation, point);
        point->current = point->whole;
    }
    if (scene->stance > 0.0) {
        PoiseStanceDef stance = poise_default_stance_def();
        stance.point = point->whole;
        stance.share = scene->stance;
        stance.sole = scene->sole;
        stance.friction = simulation->scene->world.friction;
        (void)poise_rig_add_stance(simulation->rig, &stance);
    }
    if (scene->balance) {
        (void)poise_rig_set_balance(simulation->rig, point->whole);
    }
    bool both = point->has_position && point->has_orientation;
    if (both && scene->position.until != scene->orientation.until) {
        bool position = scene->position.until > scene->orientation.until;
        point->rest = make_goal_point(simulation, point, position, !position);
        (void)poise_point_set_enabled(simulation->tree, point->rest, false);
    }
}

bool poise__simulation_make_points(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = simulation->scene;
    for (int i = 0; i < scene->point_count; i++) {
        const PoiseScenePoint* point = &scene->points[i];
        if (!wants_position(point) && !wants_orientation(point) && !poise__point_aims(point) &&
            !point->has_force) {
            continue;
        }
        start_point(simulation, point);
        const bool in_tree = poise_tree_status(simulation->tree) < 0;
        if (in_tree || poise_rig_status(simulation->rig) < 0) {
            poise__diagnose(diagnostics, POISE_ERROR, point->mark, "control point '%.60s': %s",
                            point->name,
                            in_tree ? poise_tree_message(simulation->tree)
                                    : poise_rig_message(simulation->rig));
            return false;
        }
    }
    // what is looked at is known once all points are there
    for (int i = 0; i < simulation->point_count; i++) {
        if (simulation->points[i].has_aim) {
            poise__simulation_set_aim(simulation, &simulation->points[i]);
        }
    }
    return true;
}

// --------------------------------------------------------------------------------------- each step

// which goals hold at the time; at an `until` the other point takes over
static void switch_goals(PoiseSimulation* simulation, RunningPoint* point, double time) {
    const PoiseScenePoint* scene = point->scene;
    bool aim = poise__point_aims(scene) && time < scene->orientation.until;
    if (aim != point->has_aim) {
        point->has_aim = aim;
        (void)poise_point_set_enabled(simulation->tree, point->aim, point->enabled && aim);
    }
    bool position = wants_position(scene) && (point->held || time < scene->position.until);
    bool orientation =
        wants_orientation(scene) && (point->turn_held || time < scene->orientation.until);
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
    bool enabled = point->enabled && (position || orientation);
    (void)poise_point_set_enabled(simulation->tree, point->current, enabled);
}

static bool has_places(PoisePointKind kind) {
    return kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE || kind == POISE_POINT_COM;
}

static bool has_turns(PoisePointKind kind) {
    return kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE;
}

static void set_force(PoiseSimulation* simulation, const RunningPoint* point, double time) {
    const PoiseScenePoint* scene = point->scene;
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    bool now = time >= scene->force_after;
    if (!point->has_force) {
        return;
    }
    if (point->pushes) {
        (void)poise_point_set_enabled(simulation->tree, point->current, point->enabled && now);
    }
    (void)poise_point_set_force(simulation->tree, point->current, now ? point->force : none);
    (void)poise_point_set_torque(simulation->tree, point->current, now ? scene->torque : none);
}

static void set_goal(PoiseSimulation* simulation, RunningPoint* point, double time) {
    PoiseVec3 velocity;
    PoiseVec3 turning;
    switch_goals(simulation, point, time);
    evaluate(point, time, &point->goal, &velocity, &turning);
    point->goal_velocity = velocity;
    set_force(simulation, point, time);
    if (point->pushes) {
        return;
    }
    PoiseTree* tree = simulation->tree;
    PoisePointKind kind = poise_point_kind(tree, point->current);
    bool follows = point->scene->stance > 0.0 || point->scene->balance;
    if (follows && !point->held && !point->turn_held) {
        // the rig leads it along with the feet
        point->goal = poise_point_goal(tree, point->current);
        return;
    }
    PoisePose goal = goal_in_tree(point);
    if (point->framed) {
        velocity = poise_quat_rotate(point->goal_to_tree.q, velocity);
        turning = poise_quat_rotate(point->goal_to_tree.q, turning);
    }
    if (has_places(kind)) {
        (void)poise_point_set_position(tree, point->current, goal.p);
        (void)poise_point_set_velocity(tree, point->current, velocity);
    }
    if (has_turns(kind)) {
        (void)poise_point_set_orientation(tree, point->current, goal.q);
        (void)poise_point_set_angular_velocity(tree, point->current, turning);
    }
}

void poise__simulation_set_goals(PoiseSimulation* simulation, double time) {
    for (int i = 0; i < simulation->point_count; i++) {
        if (!simulation->points[i].removed) {
            set_goal(simulation, &simulation->points[i], time);
        }
    }
    // after the places that are looked at
    for (int i = 0; i < simulation->point_count; i++) {
        if (simulation->points[i].has_aim && !simulation->points[i].removed) {
            poise__simulation_set_aim(simulation, &simulation->points[i]);
        }
    }
}

// a goal that a hand may take
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
    if (!wants_position(point->scene)) {
        return POISE_ERROR_WRONG_KIND;
    }
    if (point->framed) {
        PoisePose frame = poise__simulation_goal_frame(simulation, point->scene);
        place = poise_pose_apply(poise_pose_inverse(frame), place);
    }
    point->held = true;
    point->held_place = place;
    point->goal.p = place;
    return POISE_OK;
}

PoiseStatus poise_simulation_hold_turn(PoiseSimulation* simulation, int index, PoiseQuat turn) {
    RunningPoint* point = point_at(simulation, index);
    double length = sqrt(turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    if (!point || !isfinite(length) || length == 0.0) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!wants_orientation(point->scene)) {
        return POISE_ERROR_WRONG_KIND;
    }
    if (point->framed) {
        PoisePose frame = poise__simulation_goal_frame(simulation, point->scene);
        turn = poise_quat_mul(poise_quat_conjugate(frame.q), turn);
    }
    point->turn_held = true;
    point->held_turn = poise_quat_normalize(turn);
    point->goal.q = point->held_turn;
    return POISE_OK;
}

PoiseStatus poise_simulation_release_goal(PoiseSimulation* simulation, int index) {
    RunningPoint* point = point_at(simulation, index);
    if (!point) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (point->added) {
        return POISE_OK; // it has no goal of its own to go back to
    }
    point->held = false;
    point->turn_held = false;
    PoiseVec3 velocity;
    PoiseVec3 turning;
    evaluate(point, poise_simulation_time(simulation), &point->goal, &velocity, &turning);
    return POISE_OK;
}

bool poise__point_may_be(const RunningPoint* point, const PoiseScenePoint* scene) {
    if (!scene) {
        // added: it has no goal but the one that is held
        return point->removed || (point->held && point->has_position && !point->has_orientation &&
                                  !point->has_aim && !point->framed && !point->pushes);
    }
    return (!point->has_position || wants_position(scene)) &&
           (!point->has_orientation || wants_orientation(scene)) &&
           (!point->has_aim || poise__point_aims(scene)) && point->framed == (scene->frame >= 0) &&
           (!point->pushes || scene->has_force);
}

// ------------------------------------------------------------------------------------ added points

// a removed one's place, or a new one at the end; NULL when memory is short
static RunningPoint* free_point(PoiseSimulation* simulation) {
    for (int i = 0; i < simulation->point_count; i++) {
        if (simulation->points[i].removed) {
            return &simulation->points[i];
        }
    }
    if (simulation->point_count == simulation->point_capacity) {
        int capacity = 2 * simulation->point_capacity;
        RunningPoint* points =
            realloc(simulation->points, (size_t)capacity * sizeof *simulation->points);
        if (!points) {
            return NULL;
        }
        simulation->points = points;
        simulation->point_capacity = capacity;
    }
    RunningPoint* point = &simulation->points[simulation->point_count++];
    memset(point, 0, sizeof *point);
    point->added = true;
    point->removed = true;
    return point;
}

AddedPoint* poise__added_point(const char* name, int body, PoisePose in_body) {
    AddedPoint* added = calloc(1, sizeof *added);
    if (!added) {
        return NULL;
    }
    snprintf(added->name, sizeof added->name, "%s", name);
    added->scene.name = added->name;
    added->scene.body = body;
    added->scene.in_body = in_body;
    added->scene.position.kind = POISE_GOAL_FIXED;
    added->scene.position.until = (double)INFINITY;
    added->scene.orientation.until = (double)INFINITY;
    added->scene.frame = -1;
    added->scene.frame_in_body = poise_pose_identity();
    added->scene.rows = POISE_ROWS_ALL;
    added->scene.max_speed = (double)INFINITY;
    added->scene.max_turn_speed = (double)INFINITY;
    added->scene.weight = 1.0;
    added->scene.enabled = true;
    return added;
}

static AddedPoint* describe_point(PoiseSimulation* simulation, int body, PoiseVec3 place) {
    char name[sizeof((AddedPoint*)NULL)->name];
    snprintf(name, sizeof name, "added_%d", simulation->points_added + 1);
    const PoisePose pose = poise__simulation_body_pose(simulation, body);
    const PoiseVec3 in_body = poise_quat_unrotate(pose.q, poise_sub(place, pose.p));
    return poise__added_point(name, body, poise_pose(in_body, poise_quat_identity()));
}

int poise_simulation_add_point(PoiseSimulation* simulation, int body, PoiseVec3 place) {
    if (!simulation || body < 0 || body >= simulation->scene->body_count ||
        !poise_is_finite3(place)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseSceneBody* carrier = &simulation->scene->bodies[body];
    if (carrier->joint < 0 || simulation->nodes[carrier->joint].index1 == 0) {
        return POISE_ERROR_CANNOT_MOVE;
    }
    RunningPoint* point = free_point(simulation);
    AddedPoint* added = point ? describe_point(simulation, body, place) : NULL;
    if (!added) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    PoisePointDef def = poise_default_position_def();
    def.link = simulation->nodes[carrier->joint];
    def.in_link = added->scene.in_body;
    def.in_link.p = poise_sub(def.in_link.p, carrier->com);
    def.has_goal = true;
    def.goal = poise_pose(place, poise_quat_identity());
    PoisePointId id = poise_point_create(simulation->tree, &def);
    PoiseStatus status = id.index1 != 0
                             ? poise_register_chain(simulation->tree, id, poise_null_node())
                             : poise_tree_status(simulation->tree);
    if (status < 0) {
        (void)poise_point_destroy(simulation->tree, id);
        free(added);
        return status;
    }
    *point = (RunningPoint){.scene = &added->scene,
                            .node = def.link,
                            .in_link = def.in_link,
                            .whole = id,
                            .current = id,
                            .has_position = true,
                            .goal = def.goal,
                            .goal_to_tree = poise_pose_identity(),
                            .held = true,
                            .held_place = place,
                            .weight = 1.0,
                            .enabled = true,
                            .added = true};
    simulation->points_added++;
    return (int)(point - simulation->points);
}

// the first member of its AddedPoint
static void free_description(RunningPoint* point) {
    free((void*)(uintptr_t)point->scene);
    point->scene = NULL;
}

PoiseStatus poise_simulation_remove_point(PoiseSimulation* simulation, int index) {
    RunningPoint* point = point_at(simulation, index);
    if (!point) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!point->added) {
        return POISE_ERROR_WRONG_KIND;
    }
    PoiseStatus status = poise_point_destroy(simulation->tree, point->whole);
    free_description(point);
    point->removed = true;
    return status;
}

void poise__simulation_drop_points(PoiseSimulation* simulation) {
    for (int i = 0; simulation->points && i < simulation->point_count; i++) {
        if (simulation->points[i].added && !simulation->points[i].removed) {
            free_description(&simulation->points[i]);
        }
    }
}
