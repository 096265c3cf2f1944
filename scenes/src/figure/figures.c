// SPDX-License-Identifier: MIT
// The table of figures. All places that expect, record, write, draw or watch figures read it.
#include "poise/figures.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "poise/report.h"
#include "poise/stance.h"

#include "joint_numbers.h"

// Places that show a figure (PoiseFigureUse), as combinations that several rows have.
enum {
    NOW = POISE_FIGURE_RECORD | POISE_FIGURE_WATCH,
    REPORTED = POISE_FIGURE_EXPECT | POISE_FIGURE_JSON,
    ALWAYS_DRAWN = POISE_FIGURE_PLOT | POISE_FIGURE_CSV,
    SUMMARY = POISE_FIGURE_SUMMARY
};

// A point whose compliance is below this cannot move, and the number is rounding error, m/N.
#define NO_COMPLIANCE 1e-30

static const PoiseFigureChart errors = {"error, m and rad", true};
static const PoiseFigureChart forces = {"force, N", false};
static const PoiseFigureChart angles = {"angle, rad; slider, m", false};
static const PoiseFigureChart torques = {"torque, N m; slider, N", false};

// ---------------------------------------------------------------------------------------- reading

typedef const PoiseFigureSource* Source;
typedef const PoiseFigure* Figure;
typedef PoiseFigureValue* Value;

static void put(Value value, double number) {
    value->count = 1;
    value->numbers[0] = number;
}

static void put_vector(Value value, PoiseVec3 v) {
    value->count = 3;
    value->numbers[0] = v.x;
    value->numbers[1] = v.y;
    value->numbers[2] = v.z;
}

static void read_time(Source source, Figure figure, int owner, Value value) {
    (void)figure, (void)owner;
    put(value, poise_simulation_time(source->simulation));
}

// Reads the energy that the figure's offset selects: 1 kinetic, 2 potential, 3 both.
static void read_energy(Source source, Figure figure, int owner, Value value) {
    (void)owner;
    double kinetic = 0.0, potential = 0.0;
    poise_simulation_energy(source->simulation, &kinetic, &potential);
    put(value, (figure->offset & 1 ? kinetic : 0.0) + (figure->offset & 2 ? potential : 0.0));
}

static void read_report(Source source, Figure figure, int owner, Value value) {
    (void)owner;
    const char* report = (const char*)poise_simulation_report(source->simulation);
    put(value, *(const double*)(const void*)(report + figure->offset));
}

static void read_saturated(Source source, Figure figure, int owner, Value value) {
    (void)figure, (void)owner;
    put(value, poise_simulation_report(source->simulation)->saturated);
}

static void read_cost(Source source, Figure figure, int owner, Value value) {
    (void)owner;
    PoiseSimulationCost cost = poise_simulation_cost(source->simulation);
    put(value, *(const double*)(const void*)((const char*)&cost + figure->offset));
}

static void read_allocations(Source source, Figure figure, int owner, Value value) {
    (void)figure, (void)owner;
    put(value, (double)poise_simulation_cost(source->simulation).allocations);
}

static void read_statistic(Source source, Figure figure, int owner, Value value) {
    if (source->points) {
        const char* point = (const char*)&source->points[owner];
        put(value, *(const double*)(const void*)(point + figure->offset));
    }
}

// Reads the point's present distance to its goal. If there are statistics, their error of the last
// successful step is read instead.
static void read_error(Source source, Figure figure, int owner, Value value) {
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    put(value, point.has_position ? point.reading.miss : (double)NAN);
    read_statistic(source, figure, owner, value);
}

static void read_angle_error(Source source, Figure figure, int owner, Value value) {
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    put(value, point.has_orientation ? point.reading.angle_miss : (double)NAN);
    read_statistic(source, figure, owner, value);
}

static void read_planned_miss(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    put(value, point.has_position ? point.reading.planned_miss : (double)NAN);
}

static void read_planned_angle_miss(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    put(value, point.has_orientation ? point.reading.planned_angle_miss : (double)NAN);
}

static void read_lag(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    put(value, point.has_position ? point.lag : (double)NAN);
}

static void read_compliance(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    const PoisePointStatistics* point = source->points ? &source->points[owner] : NULL;
    const bool placed = poise_simulation_point(source->simulation, owner).has_position;
    value->count = point && placed && !isnan(point->forecast.compliance[0]) ? 9 : 0;
    for (int i = 0; i < value->count; i++) {
        const double c = point->forecast.compliance[i];
        value->numbers[i] = fabs(c) < NO_COMPLIANCE ? 0.0 : c;
    }
}

// Reads the force that the figure's offset selects: 0 the force asked of the point, 1 the measured
// force.
static void read_force(Source source, Figure figure, int owner, Value value) {
    const PoisePointView point = poise_simulation_point(source->simulation, owner);
    const PoisePointStatistics* mean = source->points ? &source->points[owner] : NULL;
    if (mean ? mean->force_counted > 0 : point.presses) {
        const PoiseVec3 asked = mean ? mean->force : point.force;
        const PoiseVec3 measured = mean ? mean->force_measured : point.force_measured;
        put_vector(value, figure->offset == 1 ? measured : asked);
    }
}

static void read_force_error(Source source, Figure figure, int owner, Value value) {
    if (source->points && source->points[owner].force_counted > 0) {
        read_statistic(source, figure, owner, value);
    }
}

static void read_ground_force(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoiseVec3 force;
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    PoiseRig* rig = poise_simulation_rig(source->simulation);
    if (poise_rig_read_stance(rig, point.point, &force, NULL) == POISE_OK) {
        put_vector(value, force);
    }
}

static void read_position(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    put_vector(value, poise_simulation_point(source->simulation, owner).pose_world.p);
}

static void read_goal(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    if (point.has_position) {
        put_vector(value, point.goal_world.p);
    }
}

static void read_pressed(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoisePointView point = poise_simulation_point(source->simulation, owner);
    PoiseVec3 contact = poise_simulation_body(source->simulation, point.body).contact_force;
    put(value, poise_length(point.presses ? point.force_measured : contact));
}

// Stores the numbers of a figure of a joint: 1 to 3, by the joint's kind.
static void put_joint(Value value, const PoiseJointView* joint, PoiseVec3 numbers) {
    put_vector(value, numbers);
    value->count = poise__joint_numbers(joint->kind);
}

static void read_angle(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoiseJointView joint = poise_simulation_joint(source->simulation, owner);
    put_joint(value, &joint, poise_joint_vector(joint.kind, joint.q));
}

static void read_target(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoiseJointView joint = poise_simulation_joint(source->simulation, owner);
    put_joint(value, &joint, poise_joint_vector(joint.kind, joint.q_target));
}

static void read_torque(Source source, Figure figure, int owner, Value value) {
    (void)figure;
    PoiseJointView joint = poise_simulation_joint(source->simulation, owner);
    put_joint(value, &joint, joint.torque);
}

// -------------------------------------------------------------------------------------- the table

#define OF_RUN(...)                                                                                \
    { .owner = POISE_FIGURE_OF_RUN, .count = 1, __VA_ARGS__ }
#define OF_POINT(...)                                                                              \
    { .owner = POISE_FIGURE_OF_POINT, __VA_ARGS__ }
#define OF_JOINT(...)                                                                              \
    { .owner = POISE_FIGURE_OF_JOINT, __VA_ARGS__ }
#define PLACED            .need = POISE_NEEDS_POSITION
#define TURNED            .need = POISE_NEEDS_ORIENTATION
#define STATISTIC(member) .read = read_statistic, .offset = offsetof(PoisePointStatistics, member)

static const PoiseFigure figures[] = {
    OF_RUN(.name = "time", "s", NULL, "simulated so far", .uses = ALWAYS_DRAWN, .read = read_time),
    OF_RUN(.name = "energy", "J", NULL, "kinetic and potential", .uses = POISE_FIGURE_WATCH,
           .read = read_energy, .offset = 3),
    OF_RUN(.name = "energy.kinetic", "J", NULL, "of all bodies", .uses = POISE_FIGURE_WATCH,
           .read = read_energy, .offset = 1),
    OF_RUN(.name = "energy.potential", "J", NULL, "in the world's gravity, from the origin",
           .uses = POISE_FIGURE_WATCH, .read = read_energy, .offset = 2),
    OF_RUN(.name = "residual", "m and rad", NULL, "what the last solve left undone",
           .uses = POISE_FIGURE_WATCH, .read = read_report,
           .offset = offsetof(PoiseRigReport, solve.residual)),
    OF_RUN(.name = "damping", "", NULL, "lambda of the last solve", .uses = POISE_FIGURE_WATCH,
           .read = read_report, .offset = offsetof(PoiseRigReport, solve.lambda)),
    OF_RUN(.name = "saturated", "", NULL, "joints at their torque limit",
           .uses = POISE_FIGURE_WATCH, .read = read_saturated),
    OF_RUN(.name = "cost.ik_us", "us", NULL,
           "IK and springs: mean of a step after the first second",
           .uses = REPORTED | POISE_FIGURE_WATCH, .read = read_cost,
           .offset = offsetof(PoiseSimulationCost, ik_us)),
    OF_RUN(.name = "cost.collision_us", "us", NULL, "collision, likewise",
           .uses = REPORTED | POISE_FIGURE_WATCH, .read = read_cost,
           .offset = offsetof(PoiseSimulationCost, collision_us)),
    OF_RUN(.name = "cost.ode_us", "us", NULL, "physics, likewise",
           .uses = REPORTED | POISE_FIGURE_WATCH, .read = read_cost,
           .offset = offsetof(PoiseSimulationCost, ode_us)),
    OF_RUN(.name = "cost.allocations", "", NULL, "requests for memory after the first step",
           .uses = REPORTED | POISE_FIGURE_WATCH, .read = read_allocations),

    OF_POINT(.name = "error", "m", NULL, "distance to the goal now", PLACED,
             .uses = NOW | REPORTED | ALWAYS_DRAWN | SUMMARY, .count = 1, .head = "error now",
             .chart = &errors, .read = read_error, .offset = offsetof(PoisePointStatistics, error)),
    OF_POINT(.name = "planned_miss", "m", NULL, "what the solver's plan leaves of it now", PLACED,
             .uses = REPORTED | POISE_FIGURE_WATCH, .count = 1, .read = read_planned_miss),
    OF_POINT(.name = "settled_error", "m", NULL, "mean of the last tenth", PLACED, .uses = REPORTED,
             .count = 1, STATISTIC(settled_error)),
    OF_POINT(.name = "rms_error", "m", NULL, "root mean square after the first second", PLACED,
             .uses = REPORTED | SUMMARY, .count = 1, .head = "rms", STATISTIC(rms_error)),
    OF_POINT(.name = "max_error", "m", NULL, "largest after the first second", PLACED,
             .uses = REPORTED | SUMMARY, .count = 1, .head = "maximum", STATISTIC(max_error)),
    OF_POINT(.name = "lag", "m", NULL,
             "behind its goal along the goal's own motion; 0 where that stands still", PLACED,
             .uses = REPORTED | POISE_FIGURE_WATCH, .count = 1, .read = read_lag),
    OF_POINT(.name = "predicted_miss", "m", NULL, "what the springs foresee at rest", PLACED,
             .uses = REPORTED | SUMMARY, .count = 1, .head = "predicted",
             STATISTIC(predicted_miss)),
    OF_POINT(.name = "row_miss", .unit = "m",
             .help = "of the predicted miss, what is in the rows that count", PLACED,
             .uses = REPORTED, .count = 1, STATISTIC(forecast.row_miss)),
    OF_POINT(.name = "friction_miss", .unit = "m",
             .help = "what is foreseen where it presses, with the friction of what it touches, "
                     "simulated from the end of the run; `null` where it does not come to rest",
             PLACED, .uses = POISE_FIGURE_JSON, .count = 1, STATISTIC(friction_miss)),
    OF_POINT(.name = "compliance", "m/N", NULL,
             "how far a small force at the point moves it, 3 x 3; `null` where no rest is found "
             "under one, or friction counts",
             PLACED, .uses = POISE_FIGURE_JSON, .count = 9, .read = read_compliance),
    OF_POINT(.name = "angle_error", "rad", NULL, "angle to the goal now", TURNED,
             .uses = NOW | REPORTED | ALWAYS_DRAWN | SUMMARY, .count = 1, .head = "angle now",
             .chart = &errors, .read = read_angle_error,
             .offset = offsetof(PoisePointStatistics, angle_error)),
    OF_POINT(.name = "planned_angle_miss", "rad", NULL, "as planned_miss", TURNED,
             .uses = REPORTED | POISE_FIGURE_WATCH, .count = 1, .read = read_planned_angle_miss),
    OF_POINT(.name = "rms_angle_error", "rad", NULL, "as rms_error", TURNED, .uses = REPORTED,
             .count = 1, STATISTIC(rms_angle_error)),
    OF_POINT(.name = "max_angle_error", "rad", NULL, "as max_error", TURNED, .uses = REPORTED,
             .count = 1, STATISTIC(max_angle_error)),
    OF_POINT(.name = "predicted_angle_miss", "rad", NULL, "as predicted_miss", TURNED,
             .uses = REPORTED, .count = 1, STATISTIC(predicted_angle_miss)),
    OF_POINT(.name = "row_angle_miss", "rad", NULL,
             "of the predicted angle miss, what is in the rows that count", TURNED,
             .uses = REPORTED, .count = 1, STATISTIC(forecast.row_angle_miss)),
    OF_POINT(.name = "force", "N", NULL, "asked of the point, x, y, z; in the report the last one",
             .need = POISE_NEEDS_FORCE, .uses = NOW | POISE_FIGURE_JSON, .count = 3,
             .chart = &forces, .read = read_force),
    OF_POINT(.name = "force_measured", "N", NULL,
             "what the contacts of the point's body give the world or, where nothing touches it, "
             "what its springs give; in the report the mean of the last tenth",
             .need = POISE_NEEDS_FORCE, .uses = NOW | POISE_FIGURE_JSON, .count = 3,
             .chart = &forces, .read = read_force, .offset = 1),
    OF_POINT(.name = "force_error", "N", NULL, "between these two, along the force",
             .need = POISE_NEEDS_FORCE, .uses = REPORTED, .count = 1, .read = read_force_error,
             .offset = offsetof(PoisePointStatistics, force_error)),
    OF_POINT(.name = "ground_force", "N", NULL,
             "what the ground is taken to give there, of points that carry a body on its own feet",
             .uses = POISE_FIGURE_JSON, .count = 3, .read = read_ground_force),
    OF_POINT(.name = "position", "m", NULL, "where the point is", .uses = NOW | ALWAYS_DRAWN,
             .count = 3, .stem = "", .read = read_position),
    OF_POINT(.name = "goal", "m", NULL, "where it should be", PLACED, .uses = NOW | ALWAYS_DRAWN,
             .count = 3, .stem = "goal_", .read = read_goal),
    OF_POINT(.name = "pressed", "N", NULL, "what its body presses on the world with",
             .uses = POISE_FIGURE_WATCH, .count = 1, .read = read_pressed),

    OF_JOINT(.name = "angle", "rad", "m",
             "measured; a ball's, and a floating base's, is a rotation vector",
             .uses = NOW | REPORTED | POISE_FIGURE_CSV | SUMMARY, .head = "angle", .chart = &angles,
             .read = read_angle),
    OF_JOINT(.name = "target", "rad", "m", "where its springs together pull it",
             .uses = NOW | REPORTED | SUMMARY, .head = "target", .chart = &angles,
             .read = read_target),
    OF_JOINT(.name = "torque", "N m", "N",
             "what its springs gave; a ball's, and a floating base's, about the world axes",
             .uses = NOW | REPORTED | POISE_FIGURE_CSV | SUMMARY, .head = "torque",
             .chart = &torques, .read = read_torque),
};

enum { FIGURE_COUNT = (int)(sizeof figures / sizeof figures[0]) };

const PoiseFigure* poise_figure_at(int index) {
    return index >= 0 && index < FIGURE_COUNT ? &figures[index] : NULL;
}

const PoiseFigure* poise_figure_find(PoiseFigureOwner owner, unsigned uses, const char* name) {
    for (int i = 0; i < FIGURE_COUNT; i++) {
        if (figures[i].owner == owner && (figures[i].uses & uses) != 0 &&
            strcmp(figures[i].name, name) == 0) {
            return &figures[i];
        }
    }
    return NULL;
}

PoiseFigureValue poise_figure_read(const PoiseFigure* figure, const PoiseFigureSource* source,
                                   int owner) {
    PoiseFigureValue value = {.count = 0};
    figure->read(source, figure, owner, &value);
    return value;
}

double poise_figure_number(const PoiseFigure* figure, const PoiseFigureSource* source, int owner) {
    PoiseFigureValue value = poise_figure_read(figure, source, owner);
    if (value.count == 3) {
        return poise_length(poise_vec3(value.numbers[0], value.numbers[1], value.numbers[2]));
    }
    return value.count > 0 ? value.numbers[0] : (double)NAN;
}

bool poise_figure_applies(const PoiseFigure* figure, const PoiseSimulation* simulation, int owner) {
    if (figure->owner != POISE_FIGURE_OF_POINT) {
        return true;
    }
    const PoisePointView view = poise_simulation_point(simulation, owner);
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const int point = poise_scene_find_point(scene, view.name);
    const PoiseScenePoint* start = point >= 0 ? &scene->points[point] : NULL;
    switch (figure->need) {
    case POISE_NEEDS_POSITION:
        return view.has_position || (start && start->position.kind != POISE_GOAL_NONE);
    case POISE_NEEDS_ORIENTATION:
        return view.has_orientation || (start && start->orientation.kind != POISE_GOAL_NONE);
    case POISE_NEEDS_FORCE:
        return view.presses || (start && poise_length(start->force) > 0.0);
    case POISE_NEEDS_NOTHING:
        break;
    }
    return !view.removed;
}

const char* poise_figure_unit(const PoiseFigure* figure, const PoiseSimulation* simulation,
                              int owner) {
    const bool slider = figure->owner == POISE_FIGURE_OF_JOINT && figure->slider_unit &&
                        poise_kind_slides(poise_simulation_joint(simulation, owner).kind);
    return slider ? figure->slider_unit : figure->unit;
}
