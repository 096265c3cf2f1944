// SPDX-License-Identifier: MIT
// Creates a scene's control points and registers them; adds and removes points during a run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "running.h"

static PoisePointKind kind_of(const PoiseScenePoint* scene, bool position, bool orientation) {
    return scene->com                ? POISE_POINT_COM
           : position && orientation ? POISE_POINT_POSE
           : position                ? POISE_POINT_POSITION
                                     : POISE_POINT_ORIENTATION;
}

// Creates a point of the tree with the settings of the scene's point. `goal` NULL: no goal.
static PoisePointId make_point(PoiseSimulation* simulation, const RunningPoint* point,
                               PoisePointKind kind, const PoisePose* goal) {
    const PoiseScenePoint* scene = &point->scene;
    PoisePointDef def = scene->def;
    def.kind = kind;
    const bool aims = kind == POISE_POINT_DIRECTION || kind == POISE_POINT_LOOK_AT;
    def.axis = aims ? scene->orientation.axis : def.axis;
    def.has_goal = goal != NULL;
    def.goal = goal ? *goal : def.goal;
    if (scene->frame.index >= 0 && simulation->scene->bodies[scene->frame.index].joint >= 0) {
        def.frame = simulation->nodes[simulation->scene->bodies[scene->frame.index].joint];
    }
    PoisePointId id = poise_point_create(simulation->tree, &def);
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < scene->joint_count && id.index1 != 0 && status >= 0; i++) {
        status = poise_register(simulation->tree, id, simulation->nodes[scene->joints[i]]);
    }
    return status < 0 ? poise_null_point() : id;
}

// Creates a point of the tree with the first goal, of its position, its orientation or both.
static PoisePointId make_goal_point(PoiseSimulation* simulation, const RunningPoint* point,
                                    bool position, bool orientation) {
    const PoisePose goal = poise__point_scene_goal(simulation, &point->scene, 0.0).pose;
    return make_point(simulation, point, kind_of(&point->scene, position, orientation), &goal);
}

// Creates a point that only presses: it yields in every direction.
static PoisePointId make_push_point(PoiseSimulation* simulation, const RunningPoint* point) {
    const PoiseScenePoint* scene = &point->scene;
    bool turns = poise_length(scene->torque) > 0.0;
    const bool places = !turns || poise_length(scene->force) > 0.0;
    PoisePointId id = make_point(simulation, point, kind_of(scene, places, turns), NULL);
    PoiseStatus status =
        poise_point_set_yield(simulation->tree, id, POISE_YIELD_ROWS, scene->def.rows);
    status = poise__first_error(status, poise_point_set_enabled(simulation->tree, id, false));
    return status < 0 ? poise_null_point() : id;
}

static PoiseStatus start_point(PoiseSimulation* simulation, int index) {
    const PoiseScenePoint* scene = &simulation->scene->points[index];
    const PoiseSceneBody* body = &simulation->scene->bodies[scene->body.index];
    RunningPoint* point = &simulation->points[simulation->point_count++];
    point->scene = *scene;
    point->has_force = scene->has_force;
    point->scene.def.link = simulation->nodes[body->joint];
    // The node's link is the ODE body, whose frame is at the centre of mass.
    point->scene.def.in_link = scene->in_body;
    point->scene.def.in_link.p = poise_sub(scene->in_body.p, body->com);
    point->has_position = poise__point_wants_position(scene);
    point->has_orientation = poise__point_wants_orientation(scene);
    point->has_aim = poise__point_aims(scene);
    if (point->has_position || point->has_orientation) {
        point->all_goals =
            make_goal_point(simulation, point, point->has_position, point->has_orientation);
        point->current = point->all_goals;
    }
    if (point->has_aim) {
        const bool along = scene->orientation.kind == POISE_GOAL_ALONG;
        point->aim = make_point(simulation, point,
                                along ? POISE_POINT_DIRECTION : POISE_POINT_LOOK_AT, NULL);
    }
    point->pushes = scene->has_force && point->current.index1 == 0;
    if (point->pushes) {
        point->all_goals = make_push_point(simulation, point);
        point->current = point->all_goals;
    }
    PoiseStatus status = poise__simulation_set_support(simulation, point);
    bool both = point->has_position && point->has_orientation;
    if (both && scene->position.until != scene->orientation.until) {
        bool position = scene->position.until > scene->orientation.until;
        point->remaining_goal = make_goal_point(simulation, point, position, !position);
        status = poise__first_error(
            status, poise_point_set_enabled(simulation->tree, point->remaining_goal, false));
    }
    return status;
}

bool poise__simulation_make_points(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = simulation->scene;
    for (int i = 0; i < scene->point_count; i++) {
        const PoiseScenePoint* point = &scene->points[i];
        const PoiseStatus status = start_point(simulation, i);
        const bool in_tree = poise_tree_status(simulation->tree) < 0;
        if (status < 0 || in_tree || poise_rig_status(simulation->rig) < 0) {
            poise__diagnose(diagnostics, POISE_ERROR, point->mark, "control point '%.60s': %s",
                            point->name,
                            in_tree ? poise_tree_message(simulation->tree)
                                    : poise_rig_message(simulation->rig));
            return false;
        }
    }
    // Targets of axes are resolved after all points exist.
    for (int i = 0; i < simulation->point_count; i++) {
        if (simulation->points[i].has_aim &&
            poise__simulation_set_aim(simulation, &simulation->points[i]) < 0) {
            poise__diagnose(diagnostics, POISE_ERROR, scene->points[i].mark,
                            "control point '%.60s': %s", scene->points[i].name,
                            poise_tree_message(simulation->tree));
            return false;
        }
    }
    return poise__simulation_set_posture_springs(simulation) >= 0;
}

bool poise__point_may_be(const RunningPoint* point, const PoiseScenePoint* scene) {
    if (!scene) {
        // An added point has a held goal only.
        return point->removed || (point->held && point->has_position && !point->has_orientation &&
                                  !point->has_aim && !point->pushes);
    }
    return (!point->has_position || poise__point_wants_position(scene)) &&
           (!point->has_orientation || poise__point_wants_orientation(scene)) &&
           (!point->has_aim || poise__point_aims(scene)) && (!point->pushes || scene->has_force);
}

// ------------------------------------------------------------------------------------ added points

// Returns the entry of a removed point, or a new entry at the end; NULL if memory is short.
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
    point->scene = poise__added_point(0, poise_pose_identity());
    point->added = true;
    point->removed = true;
    return point;
}

PoiseScenePoint poise__added_point(int body, PoisePose in_body) {
    return (PoiseScenePoint){
        .name = "",
        .body.index = body,
        .in_body = in_body,
        .position = {.kind = POISE_GOAL_FIXED, .until = (double)INFINITY},
        .orientation = {.until = (double)INFINITY},
        .frame.index = -1,
        .frame_in_body = poise_pose_identity(),
        .def = poise_default_position_def(),
    };
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
    if (!point) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    const PoisePose pose = poise__simulation_body_pose(simulation, body);
    const PoiseVec3 in_body = poise_quat_unrotate(pose.q, poise_sub(place, pose.p));
    PoiseScenePoint scene = poise__added_point(body, poise_pose(in_body, poise_quat_identity()));
    PoisePointDef* def = &scene.def;
    def->link = simulation->nodes[carrier->joint];
    def->in_link.p = poise_sub(in_body, carrier->com);
    def->has_goal = true;
    def->goal = poise_pose(place, poise_quat_identity());
    PoisePointId id = poise_point_create(simulation->tree, def);
    PoiseStatus status = id.index1 != 0
                             ? poise_register_chain(simulation->tree, id, poise_null_node())
                             : poise_tree_status(simulation->tree);
    if (status < 0) {
        const PoiseStatus dropped =
            id.index1 != 0 ? poise_point_destroy(simulation->tree, id) : POISE_OK;
        return poise__first_error(status, dropped);
    }
    *point = (RunningPoint){.scene = scene,
                            .all_goals = id,
                            .current = id,
                            .has_position = true,
                            .held = true,
                            .added = true};
    snprintf(point->added_name, sizeof point->added_name, "added_%d", ++simulation->points_added);
    return (int)(point - simulation->points);
}

PoiseStatus poise_simulation_remove_point(PoiseSimulation* simulation, int index) {
    if (!simulation || index < 0 || index >= simulation->point_count ||
        simulation->points[index].removed) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    RunningPoint* point = &simulation->points[index];
    if (!point->added) {
        return POISE_ERROR_WRONG_KIND;
    }
    point->removed = true;
    return poise_point_destroy(simulation->tree, point->all_goals);
}
