// SPDX-License-Identifier: MIT
// Changes parameters during a run: the live rows of the tables of ik, motion, world, joints and
// points. Puts a value into a copy of the running struct, then applies the whole copy. A new row of
// a table needs no code here.
#include <stdio.h>
#include <string.h>

#include "running.h"
#include "spec.h"

/// A copy of a struct of the simulation that has parameters.
typedef union Settings {
    PoiseSceneIk ik;
    PoiseSceneMotion motion;
    PoiseSceneWorld world;
    PoiseSceneJoint joint;
    PoiseScenePoint point;
} Settings;

// ---------------------------------------------------------------------------------------- applying

static void set_gravity(PoiseSimulation* simulation, PoiseVec3 g) {
    dWorldSetGravity(poise_world_ode(simulation->world), ODE_XYZ(g));
}

static PoiseStatus apply_world(PoiseSimulation* simulation, const PoiseSceneWorld* world) {
    set_gravity(simulation, world->def.gravity);
    // Wakes sleeping bodies, so that the new gravity acts on them.
    for (int i = 0; i < simulation->moving_count; i++) {
        dBodyEnable(simulation->moving[i]);
    }
    return POISE_OK;
}

static PoiseStatus apply_joint(PoiseSimulation* simulation, int index,
                               const PoiseSceneJoint* joint) {
    const PoiseBindDef* bind = &joint->bind;
    const PoiseNodeId node = simulation->nodes[index];
    PoiseRig* rig = simulation->rig;
    PoiseTree* tree = simulation->tree;
    PoiseStatus status = poise_rig_set_original(rig, node, bind->original);
    status = poise__first_error(status, poise_rig_set_ik(rig, node, bind->ik));
    status = poise__first_error(status, poise_rig_set_torque_limit(rig, node, bind->torque_limit));
    status = poise__first_error(status, poise_rig_set_speed_limit(rig, node, bind->speed_limit));
    status = poise__first_error(status, poise_node_set_max_speed(tree, node, bind->speed_limit));
    status = poise__first_error(status, poise_node_set_bias(tree, node, joint->bias));
    if (poise_kind_axes(joint->kind) == 1) {
        status =
            poise__first_error(status, poise_rig_set_natural_posture(rig, node, bind->natural, 1));
    }
    if (joint->enabled != simulation->running_joints[index].enabled) {
        status = poise__first_error(status, poise_node_set_enabled(tree, node, joint->enabled));
    }
    return status;
}

static PoiseStatus apply_handle(PoiseTree* tree, PoisePointId id, const PoiseScenePoint* scene) {
    PoiseStatus status = poise_point_set_weight(tree, id, scene->def.weight);
    status = poise__first_error(status, poise_point_set_priority(tree, id, scene->def.priority));
    status = poise__first_error(status, poise_point_set_max_speed(tree, id, scene->def.max_speed,
                                                                  scene->def.max_turn_speed));
    status = poise__first_error(
        status, poise_point_set_max_acceleration(tree, id, scene->def.max_acceleration,
                                                 scene->def.max_turn_acceleration));
    return poise__first_error(
        status, poise_point_set_max_jerk(tree, id, scene->def.max_jerk, scene->def.max_turn_jerk));
}

// Applies the settings to all points of the tree that this point uses.
static PoiseStatus apply_handles(PoiseTree* tree, const RunningPoint* point,
                                 const PoiseScenePoint* scene) {
    const PoisePointId handles[] = {point->all_goals, point->aim, point->remaining_goal};
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < 3; i++) {
        if (handles[i].index1 != 0) {
            status = poise__first_error(status, apply_handle(tree, handles[i], scene));
        }
    }
    return status;
}

static PoiseStatus apply_enabled(PoiseTree* tree, const RunningPoint* point, bool enabled) {
    PoiseStatus status = POISE_OK;
    if (point->aim.index1 != 0) {
        status = poise_point_set_enabled(tree, point->aim, enabled && point->has_aim);
    }
    if (point->current.index1 == 0 || point->pushes) {
        return status; // points with only an axis goal or a force: see poise__simulation_set_goals
    }
    const bool has_goal = point->has_position || point->has_orientation;
    return poise__first_error(status,
                              poise_point_set_enabled(tree, point->current, enabled && has_goal));
}

static PoiseStatus apply_point(PoiseSimulation* simulation, int index,
                               const PoiseScenePoint* scene) {
    RunningPoint* point = &simulation->points[index];
    PoiseStatus status = apply_handles(simulation->tree, point, scene);
    status = poise__first_error(status, apply_enabled(simulation->tree, point, scene->def.enabled));
    if (poise_length(poise_sub(scene->force, point->scene.force)) != 0.0) {
        status = poise__first_error(
            status, poise_point_set_force(simulation->tree, point->current, scene->force));
        point->has_force = true;
    }
    return status;
}

// ---------------------------------------------------------------------------------------- sections

/// Owner of a group of parameters; each joint and each point has its own group.
typedef enum Owner {
    OWNER_IK,
    OWNER_MOTION,
    OWNER_WORLD,
    OWNER_JOINT,
    OWNER_POINT,
    OWNER_COUNT
} Owner;

static const Schema* const schemas[OWNER_COUNT] = {
    &poise__ik_schema, &poise__motion_schema, &poise__world_schema, &poise__joint_settings_schema,
    &poise__point_schema};
static const size_t sizes[OWNER_COUNT] = {sizeof(PoiseSceneIk), sizeof(PoiseSceneMotion),
                                          sizeof(PoiseSceneWorld), sizeof(PoiseSceneJoint),
                                          sizeof(PoiseScenePoint)};

/// Identifies a parameter: its owner's type and index, and the number in the owner's table.
typedef struct Place {
    Owner owner;
    int index; ///< index of the scene's joint or of the point
    LiveNumber number;
} Place;

static int groups_of(const PoiseSimulation* simulation, Owner owner, int point_count) {
    return owner == OWNER_JOINT   ? simulation->scene->driven_count
           : owner == OWNER_POINT ? point_count
                                  : 1;
}

int poise__parameters_count(const PoiseSimulation* simulation, int point_count) {
    int count = 0;
    for (int i = 0; i < OWNER_COUNT; i++) {
        count += groups_of(simulation, (Owner)i, point_count) * poise__live_count(schemas[i]);
    }
    return count;
}

// Finds a parameter by its index in a scene with `point_count` points; false past the end.
static bool find_among(const PoiseSimulation* simulation, int point_count, int index,
                       Place* place) {
    for (int i = 0; index >= 0 && i < OWNER_COUNT; i++) {
        const int numbers = poise__live_count(schemas[i]);
        const int all = groups_of(simulation, (Owner)i, point_count) * numbers;
        if (index < all) {
            const int group = index / numbers;
            place->owner = (Owner)i;
            place->index = i == OWNER_JOINT ? simulation->scene->joint_order[group] : group;
            return poise__live_find(schemas[i], index % numbers, &place->number);
        }
        index -= all;
    }
    return false;
}

static bool find_place(const PoiseSimulation* simulation, int index, Place* place) {
    return find_among(simulation, simulation->point_count, index, place);
}

static void* settings_of(PoiseSimulation* simulation, const Place* place) {
    switch (place->owner) {
    case OWNER_IK:
        return &simulation->now.ik;
    case OWNER_MOTION:
        return &simulation->now.motion;
    case OWNER_WORLD:
        return &simulation->now.world;
    case OWNER_JOINT:
        return &simulation->running_joints[place->index];
    default:
        return &simulation->points[place->index].scene;
    }
}

static double value_of(const PoiseSimulation* simulation, const Place* place) {
    // the cast drops const; the struct is only read
    return poise__live_get(&place->number,
                           settings_of((PoiseSimulation*)(uintptr_t)simulation, place));
}

static PoiseStatus apply(PoiseSimulation* simulation, const Place* place, Settings* settings) {
    switch (place->owner) {
    case OWNER_IK:
        return poise_rig_set_settings(simulation->rig, &settings->ik.rig.settings);
    case OWNER_MOTION:
        return POISE_OK; // poise__simulation_follow_motion uses the new value in the next step
    case OWNER_WORLD:
        return apply_world(simulation, &settings->world);
    case OWNER_JOINT:
        return apply_joint(simulation, place->index, &settings->joint);
    default:
        return apply_point(simulation, place->index, &settings->point);
    }
}

// False if the owner has no such parameter: `motion` without a recorded motion; `natural` of a
// joint with several axes; `enabled` of a joint without IK spring; `push` of a point without a
// position; any of a removed point.
static bool is_there(const PoiseSimulation* simulation, const Place* place) {
    const char* key = place->number.field->key;
    if (place->owner == OWNER_JOINT) {
        const PoiseSceneJoint* joint = &simulation->scene->joints[place->index];
        return strcmp(key, "natural") == 0   ? poise_kind_axes(joint->kind) == 1
               : strcmp(key, "enabled") == 0 ? joint->bind.ik.stiffness > 0.0
                                             : true;
    }
    if (place->owner != OWNER_POINT) {
        return place->owner != OWNER_MOTION || poise__simulation_follows_motion(simulation);
    }
    const RunningPoint* point = &simulation->points[place->index];
    const PoisePointKind kind = poise_point_kind(simulation->tree, point->current);
    const bool presses = kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE;
    return !point->removed && (strcmp(key, "push") != 0 || presses);
}

// ------------------------------------------------------------------------------------------ asking

int poise_simulation_parameter_count(const PoiseSimulation* simulation) {
    return simulation ? poise__parameters_count(simulation, simulation->point_count) : 0;
}

static void write_key(const PoiseSimulation* simulation, const Place* place, char key[160]) {
    static const char* const sections[OWNER_COUNT] = {"ik", "motion", "world", "joints",
                                                      "control_points"};
    const char* name = NULL;
    if (place->owner == OWNER_JOINT) {
        name = simulation->scene->joints[place->index].name;
    } else if (place->owner == OWNER_POINT) {
        name = poise__point_name(&simulation->points[place->index]);
    }
    snprintf(key, 160, "%s%s%.100s.%s", sections[place->owner], name ? "." : "", name ? name : "",
             place->number.key);
}

// Writes the unit of the joint's kind from a text like "N m/rad (slider: N/m)".
static void write_unit(const PoiseSimulation* simulation, const Place* place, char unit[24]) {
    const char* text = place->number.field->unit ? place->number.field->unit : "";
    const char* other = strstr(text, " (slider: ");
    const bool slides = place->owner == OWNER_JOINT &&
                        poise_kind_slides(simulation->scene->joints[place->index].kind);
    if (other && slides) {
        other += strlen(" (slider: ");
        snprintf(unit, 24, "%.*s", (int)strcspn(other, ")"), other);
        return;
    }
    const bool angle = strncmp(text, "angle", strlen("angle")) == 0;
    text += angle ? strlen("angle") : 0;
    snprintf(unit, 24, "%s%.*s", angle ? "rad" : "",
             other ? (int)(other - text) : (int)strlen(text), text);
}

static PoiseParameterKind kind_of(FieldType type) {
    switch (type) {
    case FIELD_INTEGER:
        return POISE_PARAMETER_INTEGER;
    case FIELD_SWITCH:
        return POISE_PARAMETER_SWITCH;
    case FIELD_CHOICE:
        return POISE_PARAMETER_CHOICE;
    default:
        return POISE_PARAMETER_NUMBER;
    }
}

bool poise_simulation_parameter(const PoiseSimulation* simulation, int index,
                                PoiseParameter* parameter) {
    Place place;
    if (!simulation || !parameter || !find_place(simulation, index, &place)) {
        return false;
    }
    const Field* field = place.number.field;
    const Range range = poise__live_range(&place.number);
    memset(parameter, 0, sizeof *parameter);
    if (is_there(simulation, &place)) {
        write_key(simulation, &place, parameter->key);
    }
    write_unit(simulation, &place, parameter->unit);
    parameter->help = field->help;
    parameter->kind = kind_of(field->type);
    parameter->value = value_of(simulation, &place);
    parameter->lower = range.lower;
    parameter->upper = range.upper;
    parameter->above = range.above;
    poise__live_slider(&place.number, &parameter->slider_lower, &parameter->slider_upper);
    parameter->logarithmic = field->live.logarithmic;
    parameter->choices = field->words;
    while (field->words && field->words[parameter->choice_count]) {
        parameter->choice_count++;
    }
    return true;
}

int poise_simulation_find_parameter(const PoiseSimulation* simulation, const char* key) {
    Place place;
    char name[160];
    for (int i = 0; simulation && key && find_place(simulation, i, &place); i++) {
        if (is_there(simulation, &place)) {
            write_key(simulation, &place, name);
            if (strcmp(name, key) == 0) {
                return i;
            }
        }
    }
    return -1;
}

PoiseStatus poise_simulation_set_parameter(PoiseSimulation* simulation, int index, double value) {
    Place place;
    if (!simulation || !find_place(simulation, index, &place) || !is_there(simulation, &place) ||
        !poise__live_accepts(&place.number, value)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    void* now = settings_of(simulation, &place);
    Settings next;
    memcpy(&next, now, sizes[place.owner]);
    poise__live_put(&place.number, &next, value);
    const PoiseStatus status = apply(simulation, &place, &next);
    if (status >= 0) {
        memcpy(now, &next, sizes[place.owner]);
    }
    return status;
}

// --------------------------------------------------------------------------------------- snapshots

// Reads a number from a snapshot's bytes, which may be unaligned.
static double number_at(const unsigned char* memory, int index) {
    double number;
    memcpy(&number, memory + (size_t)index * sizeof number, sizeof number);
    return number;
}

void poise__parameters_save(const PoiseSimulation* simulation, unsigned char* memory) {
    Place place;
    for (int i = 0; find_place(simulation, i, &place); i++) {
        const double value = value_of(simulation, &place);
        memcpy(memory + (size_t)i * sizeof value, &value, sizeof value);
    }
}

bool poise__parameters_may_be(const PoiseSimulation* simulation, int point_count,
                              const unsigned char* memory) {
    Place place;
    bool fine = true;
    for (int i = 0; fine && find_among(simulation, point_count, i, &place); i++) {
        fine = poise__live_accepts(&place.number, number_at(memory, i));
    }
    return fine;
}

void poise__parameters_restore(PoiseSimulation* simulation, const unsigned char* memory) {
    Place place;
    for (int i = 0; find_place(simulation, i, &place); i++) {
        poise__live_put(&place.number, settings_of(simulation, &place), number_at(memory, i));
    }
    // The engine's snapshot does not include ODE's gravity.
    set_gravity(simulation, simulation->now.world.def.gravity);
}
