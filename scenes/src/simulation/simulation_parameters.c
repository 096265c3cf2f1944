// SPDX-License-Identifier: MIT
// The one table of what may be changed while a scene runs. A row says how a value is called, what
// it may be, and where it is; those of joints and points stand for as many parameters as there are
// joints and points.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simulation_internal.h"

/// Whose value it is: the scene's own, or that of one joint or point.
typedef enum Owner { OWNER_SCENE = 0, OWNER_JOINT = 1, OWNER_POINT = 2 } Owner;

typedef struct Row {
    const char* key;
    PoiseParameterKind kind;
    const char* unit;
    double lower;
    double upper;
    /// Of a slider; logarithmic when `logarithmic`.
    double slider_lower;
    double slider_upper;
    bool logarithmic;
    double (*get)(const PoiseSimulation* simulation, int index);
    PoiseStatus (*set)(PoiseSimulation* simulation, int index, double value);
    const char* help;
    const char* const* choices;
    int choice_count;
} Row;

static const char* const solver_names[] = {"auto", "gauss_seidel", "dual", "box", "cgls"};
static const char* const reference_names[] = {"own", "measured"};
#define INF ((double)INFINITY)

// ------------------------------------------------------------------------------------------- scene

#define SOLVE_ROW(member, type)                                                                    \
    static double get_##member(const PoiseSimulation* simulation, int index) {                     \
        (void)index;                                                                               \
        return (double)simulation->solve.member;                                                   \
    }                                                                                              \
    static PoiseStatus set_##member(PoiseSimulation* simulation, int index, double value) {        \
        (void)index;                                                                               \
        PoiseSolveDef solve = simulation->solve;                                                   \
        solve.member = (type)value;                                                                \
        PoiseStatus status = poise_rig_set_solve(simulation->rig, &solve);                         \
        simulation->solve = status >= 0 ? solve : simulation->solve;                               \
        return status;                                                                             \
    }
SOLVE_ROW(solver, PoiseSolver)
SOLVE_ROW(sweeps, int)
SOLVE_ROW(damping, double)
SOLVE_ROW(damping_floor, double)
SOLVE_ROW(adaptive, bool)
SOLVE_ROW(position_clamp, double)
SOLVE_ROW(angle_clamp, double)
SOLVE_ROW(joint_cap, double)
SOLVE_ROW(escape, bool)

static double get_reference(const PoiseSimulation* simulation, int index) {
    (void)index;
    return (double)simulation->reference;
}

static PoiseStatus set_reference(PoiseSimulation* simulation, int index, double value) {
    (void)index;
    PoiseReference reference = (PoiseReference)value;
    PoiseStatus status = poise_rig_set_reference(simulation->rig, reference);
    simulation->reference = status >= 0 ? reference : simulation->reference;
    return status;
}

static double get_gravity(const PoiseSimulation* simulation, int index) {
    (void)index;
    return simulation->gravity ? 1.0 : 0.0;
}

static PoiseStatus set_gravity(PoiseSimulation* simulation, int index, double value) {
    (void)index;
    simulation->gravity = value != 0.0;
    return poise_rig_set_gravity(simulation->rig, simulation->gravity);
}

static double get_world_gravity(const PoiseSimulation* simulation, int axis) {
    dVector3 gravity;
    dWorldGetGravity(poise_world_ode(simulation->world), gravity);
    return (double)gravity[axis];
}

static PoiseStatus set_world_gravity(PoiseSimulation* simulation, int axis, double value) {
    dVector3 gravity;
    dWorldGetGravity(poise_world_ode(simulation->world), gravity);
    gravity[axis] = (dReal)value;
    dWorldSetGravity(poise_world_ode(simulation->world), gravity[0], gravity[1], gravity[2]);
    for (int i = 0; i < simulation->moving_count; i++) {
        dBodyEnable(simulation->moving[i]);
    }
    return POISE_OK;
}

#define GRAVITY_ROW(axis, number)                                                                  \
    static double get_gravity_##axis(const PoiseSimulation* simulation, int index) {               \
        (void)index;                                                                               \
        return get_world_gravity(simulation, number);                                              \
    }                                                                                              \
    static PoiseStatus set_gravity_##axis(PoiseSimulation* simulation, int index, double value) {  \
        (void)index;                                                                               \
        return set_world_gravity(simulation, number, value);                                       \
    }
GRAVITY_ROW(x, 0)
GRAVITY_ROW(y, 1)
GRAVITY_ROW(z, 2)

// ------------------------------------------------------------------------------------------ joints

#define SPRING_ROW(name, member)                                                                   \
    static double get_##name##_##member(const PoiseSimulation* simulation, int index) {            \
        return simulation->running_joints[index].name.member;                                      \
    }                                                                                              \
    static PoiseStatus set_##name##_##member(PoiseSimulation* simulation, int index,               \
                                             double value) {                                       \
        RunningJoint* joint = &simulation->running_joints[index];                                  \
        PoiseSpring spring = joint->name;                                                          \
        spring.member = value;                                                                     \
        PoiseStatus status =                                                                       \
            poise_rig_set_##name(simulation->rig, simulation->nodes[index], spring);               \
        joint->name = status >= 0 ? spring : joint->name;                                          \
        return status;                                                                             \
    }
SPRING_ROW(original, stiffness)
SPRING_ROW(original, damping)
SPRING_ROW(ik, stiffness)
SPRING_ROW(ik, damping)

static double get_natural(const PoiseSimulation* simulation, int index) {
    return simulation->running_joints[index].natural_angle;
}

static PoiseStatus set_natural(PoiseSimulation* simulation, int index, double value) {
    PoiseStatus status =
        poise_rig_set_natural_posture(simulation->rig, simulation->nodes[index], &value, 1);
    if (status >= 0) {
        simulation->running_joints[index].natural_angle = value;
    }
    return status;
}

static double get_max_torque(const PoiseSimulation* simulation, int index) {
    return simulation->running_joints[index].max_torque;
}

static PoiseStatus set_max_torque(PoiseSimulation* simulation, int index, double value) {
    PoiseStatus status =
        poise_rig_set_torque_limit(simulation->rig, simulation->nodes[index], value);
    if (status >= 0) {
        simulation->running_joints[index].max_torque = value;
    }
    return status;
}

static double get_bias(const PoiseSimulation* simulation, int index) {
    return simulation->running_joints[index].bias;
}

static PoiseStatus set_bias(PoiseSimulation* simulation, int index, double value) {
    PoiseStatus status = poise_node_set_bias(simulation->tree, simulation->nodes[index], value);
    if (status >= 0) {
        simulation->running_joints[index].bias = value;
    }
    return status;
}

// ------------------------------------------------------------------------------------------ points

static double get_weight(const PoiseSimulation* simulation, int index) {
    return simulation->points[index].weight;
}

// of all handles that a point with several goals has
static PoiseStatus set_both(PoiseSimulation* simulation, int index, double value,
                            PoiseStatus (*set)(PoiseTree*, PoisePointId, double)) {
    RunningPoint* point = &simulation->points[index];
    PoiseStatus status = POISE_OK;
    if (point->whole.index1 != 0) {
        status = set(simulation->tree, point->whole, value);
    }
    if (status >= 0 && point->aim.index1 != 0) {
        status = set(simulation->tree, point->aim, value);
    }
    if (status >= 0 && point->rest.index1 != 0) {
        status = set(simulation->tree, point->rest, value);
    }
    return status;
}

static PoiseStatus set_weight(PoiseSimulation* simulation, int index, double value) {
    PoiseStatus status = set_both(simulation, index, value, poise_point_set_weight);
    if (status >= 0) {
        simulation->points[index].weight = value;
    }
    return status;
}

static double get_enabled(const PoiseSimulation* simulation, int index) {
    return simulation->points[index].enabled ? 1.0 : 0.0;
}

static PoiseStatus set_enabled(PoiseSimulation* simulation, int index, double value) {
    RunningPoint* point = &simulation->points[index];
    point->enabled = value != 0.0;
    bool active = point->enabled && (point->has_position || point->has_orientation);
    if (point->aim.index1 != 0) {
        (void)poise_point_set_enabled(simulation->tree, point->aim,
                                      point->enabled && point->has_aim);
    }
    if (point->current.index1 == 0 || point->pushes) {
        return POISE_OK; // only aims, or only presses: see poise__simulation_set_goals
    }
    return poise_point_set_enabled(simulation->tree, point->current, active);
}

#define FORCE_ROW(axis)                                                                            \
    static double get_force_##axis(const PoiseSimulation* simulation, int index) {                 \
        return simulation->points[index].force.axis;                                               \
    }                                                                                              \
    static PoiseStatus set_force_##axis(PoiseSimulation* simulation, int index, double value) {    \
        RunningPoint* point = &simulation->points[index];                                          \
        if (point->current.index1 == 0) {                                                          \
            return POISE_ERROR_WRONG_KIND; /* it only aims */                                      \
        }                                                                                          \
        PoiseVec3 force = point->force;                                                            \
        force.axis = value;                                                                        \
        PoiseStatus status = poise_point_set_force(simulation->tree, point->current, force);       \
        if (status >= 0) {                                                                         \
            point->force = force;                                                                  \
            point->has_force = true;                                                               \
        }                                                                                          \
        return status;                                                                             \
    }
FORCE_ROW(x)
FORCE_ROW(y)
FORCE_ROW(z)

// ------------------------------------------------------------------------------------------- table

#define NUMBER  POISE_PARAMETER_NUMBER
#define INTEGER POISE_PARAMETER_INTEGER
#define SWITCH  POISE_PARAMETER_SWITCH
#define CHOICE  POISE_PARAMETER_CHOICE

static const Row scene_rows[] = {
    {"ik.solver", CHOICE, "", 0, 4, 0, 4, false, get_solver, set_solver,
     "which solver; gauss_seidel is the paper's", solver_names, 5},
    {"ik.sweeps", INTEGER, "", 1, 1e6, 1, 200, true, get_sweeps, set_sweeps,
     "of Gauss-Seidel, at most", NULL, 0},
    {"ik.damping", NUMBER, "", -1, 1e6, -1, 1, false, get_damping, set_damping,
     "relative; below 0: the solver's own", NULL, 0},
    {"ik.damping_floor", NUMBER, "", 0, 2, 0, 2, false, get_damping_floor, set_damping_floor,
     "the least the adaptive damping may be", NULL, 0},
    {"ik.adaptive", SWITCH, "", 0, 1, 0, 1, false, get_adaptive, set_adaptive,
     "whether the damping adapts", NULL, 0},
    {"ik.position_clamp", NUMBER, "reach", 1e-9, INF, 0.01, 2, true, get_position_clamp,
     set_position_clamp, "of a position's error, used in one step at most", NULL, 0},
    {"ik.angle_clamp", NUMBER, "rad", 1e-9, INF, 0.01, 3.2, true, get_angle_clamp, set_angle_clamp,
     "of an orientation's error, used in one step at most", NULL, 0},
    {"ik.joint_cap", NUMBER, "rad", 1e-9, INF, 0.001, 3.2, true, get_joint_cap, set_joint_cap,
     "the most a joint is asked to move in one step", NULL, 0},
    {"ik.escape", SWITCH, "", 0, 1, 0, 1, false, get_escape, set_escape,
     "leaves a straight arm whose goal lies on its line", NULL, 0},
    {"ik.reference", CHOICE, "", 0, 1, 0, 1, false, get_reference, set_reference,
     "what IK counts from: a posture of its own, or the measured one", reference_names, 2},
    {"ik.gravity", SWITCH, "", 0, 1, 0, 1, false, get_gravity, set_gravity,
     "whether the springs are relieved of the bodies' weight", NULL, 0},
    {"world.gravity.x", NUMBER, "m/s^2", -1e3, 1e3, -20, 20, false, get_gravity_x, set_gravity_x,
     "", NULL, 0},
    {"world.gravity.y", NUMBER, "m/s^2", -1e3, 1e3, -20, 20, false, get_gravity_y, set_gravity_y,
     "", NULL, 0},
    {"world.gravity.z", NUMBER, "m/s^2", -1e3, 1e3, -20, 20, false, get_gravity_z, set_gravity_z,
     "", NULL, 0},
};

static const Row joint_rows[] = {
    {"ik.spring", NUMBER, "N m/rad", 0, 1e15, 1, 1e5, true, get_ik_stiffness, set_ik_stiffness,
     "p_ik: pulls to where IK wants the joint; 0: IK leaves it alone", NULL, 0},
    {"ik.damper", NUMBER, "N m s/rad", 0, 1e15, 0.1, 1e4, true, get_ik_damping, set_ik_damping,
     "d_ik", NULL, 0},
    {"original.spring", NUMBER, "N m/rad", 0, 1e15, 1, 1e5, true, get_original_stiffness,
     set_original_stiffness, "p_orig: pulls to the natural posture", NULL, 0},
    {"original.damper", NUMBER, "N m s/rad", 0, 1e15, 0.1, 1e4, true, get_original_damping,
     set_original_damping, "d_orig", NULL, 0},
    {"natural", NUMBER, "rad", -1e5, 1e5, -3.2, 3.2, false, get_natural, set_natural,
     "theta_orig of a hinge or slider", NULL, 0},
    {"max_torque", NUMBER, "N m", 1e-9, INF, 0.1, 1e4, true, get_max_torque, set_max_torque,
     "the most both springs together may give", NULL, 0},
    {"bias", NUMBER, "", 1e-9, 1e6, 0.1, 10, true, get_bias, set_bias,
     "a joint of bias 2 takes half the part of one of bias 1", NULL, 0},
};

static const Row point_rows[] = {
    {"enabled", SWITCH, "", 0, 1, 0, 1, false, get_enabled, set_enabled,
     "off: nothing moves for it", NULL, 0},
    {"weight", NUMBER, "", 1e-9, 1e9, 0.01, 100, true, get_weight, set_weight,
     "of points that cannot all be met, one of weight 2 counts as two", NULL, 0},
    {"force.push.x", NUMBER, "N", -1e6, 1e6, -100, 100, false, get_force_x, set_force_x,
     "what it should press on the world with", NULL, 0},
    {"force.push.y", NUMBER, "N", -1e6, 1e6, -100, 100, false, get_force_y, set_force_y,
     "what it should press on the world with", NULL, 0},
    {"force.push.z", NUMBER, "N", -1e6, 1e6, -100, 100, false, get_force_z, set_force_z,
     "what it should press on the world with", NULL, 0},
};

enum {
    SCENE_ROWS = (int)(sizeof scene_rows / sizeof *scene_rows),
    JOINT_ROWS = (int)(sizeof joint_rows / sizeof *joint_rows),
    POINT_ROWS = (int)(sizeof point_rows / sizeof *point_rows)
};

typedef struct Place {
    const Row* row;
    Owner owner;
    int index;
} Place;

// which row and whose; false past the end
static bool find_place(const PoiseSimulation* simulation, int index, Place* place) {
    int joints = simulation->scene->driven_count * JOINT_ROWS;
    int points = simulation->point_count * POINT_ROWS;
    if (index < 0 || index >= SCENE_ROWS + joints + points) {
        return false;
    }
    if (index < SCENE_ROWS) {
        *place = (Place){&scene_rows[index], OWNER_SCENE, 0};
        return true;
    }
    index -= SCENE_ROWS;
    if (index < joints) {
        int joint = simulation->scene->joint_order[index / JOINT_ROWS];
        *place = (Place){&joint_rows[index % JOINT_ROWS], OWNER_JOINT, joint};
        return true;
    }
    index -= joints;
    *place = (Place){&point_rows[index % POINT_ROWS], OWNER_POINT, index / POINT_ROWS};
    return true;
}

int poise_simulation_parameter_count(const PoiseSimulation* simulation) {
    return simulation ? SCENE_ROWS + simulation->scene->driven_count * JOINT_ROWS +
                            simulation->point_count * POINT_ROWS
                      : 0;
}

static void write_key(const PoiseSimulation* simulation, const Place* place, char key[160]) {
    if (place->owner == OWNER_JOINT) {
        snprintf(key, 160, "joints.%.100s.%s", simulation->scene->joints[place->index].name,
                 place->row->key);
    } else if (place->owner == OWNER_POINT) {
        const RunningPoint* point = &simulation->points[place->index];
        snprintf(key, 160, "control_points.%.100s.%s", point->removed ? "" : point->scene->name,
                 place->row->key);
    } else {
        snprintf(key, 160, "%s", place->row->key);
    }
}

// one that its owner does not have: a ball's natural angle, the force of what has no place,
// anything of a removed point
static bool is_there(const PoiseSimulation* simulation, const Place* place) {
    if (place->owner == OWNER_JOINT) {
        return simulation->scene->joints[place->index].kind != POISE_NODE_BALL ||
               place->row->get != get_natural;
    }
    if (place->owner != OWNER_POINT) {
        return true;
    }
    const RunningPoint* point = &simulation->points[place->index];
    bool force = place->row->get == get_force_x || place->row->get == get_force_y ||
                 place->row->get == get_force_z;
    PoisePointKind kind = poise_point_kind(simulation->tree, point->current);
    bool presses = kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE;
    return !point->removed && (!force || presses);
}

bool poise_simulation_parameter(const PoiseSimulation* simulation, int index,
                                PoiseParameter* parameter) {
    Place place;
    if (!simulation || !parameter || !find_place(simulation, index, &place)) {
        return false;
    }
    const Row* row = place.row;
    memset(parameter, 0, sizeof *parameter);
    if (is_there(simulation, &place)) {
        write_key(simulation, &place, parameter->key);
    }
    parameter->unit = row->unit;
    parameter->help = row->help;
    parameter->kind = row->kind;
    parameter->value = row->get(simulation, place.index);
    parameter->lower = row->lower;
    parameter->upper = row->upper;
    parameter->slider_lower = row->slider_lower;
    parameter->slider_upper = row->slider_upper;
    parameter->logarithmic = row->logarithmic;
    parameter->choices = row->choices;
    parameter->choice_count = row->choice_count;
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
        !(value >= place.row->lower && value <= place.row->upper)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (place.row->kind != POISE_PARAMETER_NUMBER && value != floor(value)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    return place.row->set(simulation, place.index, value);
}
