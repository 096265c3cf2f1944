// SPDX-License-Identifier: MIT
#include "watch.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// the values in one row, in this order: those of the whole, of each point, of each joint
static const char* const WHOLE[] = {"energy",   "energy.kinetic", "energy.potential",
                                    "residual", "cost.ik_us",     "cost.ode_us",
                                    "damping",  "saturated"};
static const char* const POINT[] = {"error",  "angle_error", "x",      "y",      "z",
                                    "goal_x", "goal_y",      "goal_z", "pressed"};
static const char* const JOINT[] = {"angle",    "target",   "torque",
                                    "torque.x", "torque.y", "torque.z"};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int poise__value_count(const PoiseSimulation* simulation) {
    return COUNT(WHOLE) + COUNT(POINT) * poise_simulation_point_count(simulation) +
           COUNT(JOINT) * poise_simulation_joint_count(simulation);
}

void poise__value_name(const PoiseSimulation* simulation, int index, char name[POISE_WATCH_NAME]) {
    int points = COUNT(POINT) * poise_simulation_point_count(simulation);
    name[0] = '\0';
    if (index < COUNT(WHOLE)) {
        snprintf(name, POISE_WATCH_NAME, "%s", WHOLE[index]);
        return;
    }
    index -= COUNT(WHOLE);
    if (index < points) {
        PoisePointView point = poise_simulation_point(simulation, index / COUNT(POINT));
        if (!point.removed) {
            snprintf(name, POISE_WATCH_NAME, "%.100s.%s", point.name, POINT[index % COUNT(POINT)]);
        }
        return;
    }
    index -= points;
    PoiseJointView joint = poise_simulation_joint(simulation, index / COUNT(JOINT));
    snprintf(name, POISE_WATCH_NAME, "%.100s.%s", joint.name, JOINT[index % COUNT(JOINT)]);
}

int poise__value_find(const PoiseSimulation* simulation, const char* name) {
    char other[POISE_WATCH_NAME];
    int count = poise__value_count(simulation);
    for (int i = 0; i < count; i++) {
        poise__value_name(simulation, i, other);
        if (other[0] != '\0' && strcmp(other, name) == 0) {
            return i;
        }
    }
    return -1;
}

static double whole_value(const PoiseSimulation* simulation, int index) {
    double kinetic = 0.0;
    double potential = 0.0;
    const PoiseRigReport* report = poise_simulation_report(simulation);
    switch (index) {
    case 0:
    case 1:
    case 2:
        poise_simulation_energy(simulation, &kinetic, &potential);
        return index == 0 ? kinetic + potential : index == 1 ? kinetic : potential;
    case 3:
        return report->solve.residual;
    case 4:
        return poise_simulation_cost(simulation).ik_us;
    case 5:
        return poise_simulation_cost(simulation).ode_us;
    case 6:
        return report->solve.lambda;
    case 7:
        return report->saturated;
    default:
        return (double)NAN;
    }
}

/// What the point's body presses on the world with, N.
static double pressed(const PoiseSimulation* simulation, const PoisePointView* point) {
    PoiseVec3 contact = poise_simulation_body(simulation, point->body).contact_force;
    return poise_length(point->presses ? point->force_measured : contact);
}

static double point_value(const PoiseSimulation* simulation, int index, int field) {
    PoisePointView point = poise_simulation_point(simulation, index);
    const double values[] = {point.error,          point.angle_error,    point.pose_world.p.x,
                             point.pose_world.p.y, point.pose_world.p.z, point.goal_world.p.x,
                             point.goal_world.p.y, point.goal_world.p.z, 0.0};
    if (point.removed) {
        return (double)NAN;
    }
    return field == COUNT(POINT) - 1 ? pressed(simulation, &point) : values[field];
}

static double joint_value(const PoiseSimulation* simulation, int index, int field) {
    PoiseJointView joint = poise_simulation_joint(simulation, index);
    bool ball = joint.kind == POISE_NODE_BALL;
    switch (field) {
    case 0:
        return ball ? poise_length(joint.rotation) : joint.angle;
    case 1:
        return ball ? poise_length(joint.target_rotation) : joint.target;
    case 2:
        return ball ? poise_length(joint.torque) : joint.torque.x;
    case 3:
        return joint.torque.x;
    case 4:
        return joint.torque.y;
    default:
        return joint.torque.z;
    }
}

double poise__value_now(const PoiseSimulation* simulation, int index) {
    int points = COUNT(POINT) * poise_simulation_point_count(simulation);
    if (index < 0 || index >= poise__value_count(simulation)) {
        return (double)NAN;
    }
    if (index < COUNT(WHOLE)) {
        return whole_value(simulation, index);
    }
    index -= COUNT(WHOLE);
    if (index < points) {
        return point_value(simulation, index / COUNT(POINT), index % COUNT(POINT));
    }
    index -= points;
    return joint_value(simulation, index / COUNT(JOINT), index % COUNT(JOINT));
}

// ---------------------------------------------------------------------------------------- watching

static int watched(const PoiseWatch* watch, const char* name) {
    for (int i = 0; i < watch->count; i++) {
        if (strcmp(watch->values[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool poise__watch_has(const PoiseWatch* watch, const char* name) {
    return watched(watch, name) >= 0;
}

bool poise__watch_toggle(PoiseWatch* watch, const PoiseSimulation* simulation, const char* name) {
    int index = watched(watch, name);
    if (index >= 0) {
        watch->count--;
        memmove(watch->values + index, watch->values + index + 1,
                (size_t)(watch->count - index) * sizeof *watch->values);
        return true;
    }
    if (watch->count == POISE_WATCH_MOST || poise__value_find(simulation, name) < 0) {
        return false;
    }
    PoiseWatched* value = &watch->values[watch->count++];
    snprintf(value->name, sizeof value->name, "%s", name);
    for (int i = 0; i < POISE_WATCH_SAMPLES; i++) {
        value->samples[i] = NAN;
    }
    return true;
}

static void shift_out(PoiseWatch* watch) {
    const size_t size = (POISE_WATCH_SAMPLES - 1) * sizeof(float);
    memmove(watch->times, watch->times + 1, size);
    for (int i = 0; i < watch->count; i++) {
        memmove(watch->values[i].samples, watch->values[i].samples + 1, size);
    }
    watch->sample_count--;
}

void poise__watch_sample(PoiseWatch* watch, const PoiseSimulation* simulation) {
    float time = (float)poise_simulation_time(simulation);
    while (watch->sample_count > 0 && watch->times[watch->sample_count - 1] > time) {
        watch->sample_count--;
    }
    if (watch->sample_count > 0 && watch->times[watch->sample_count - 1] == time) {
        return;
    }
    if (watch->sample_count == POISE_WATCH_SAMPLES) {
        shift_out(watch);
    }
    int sample = watch->sample_count++;
    watch->times[sample] = time;
    for (int i = 0; i < watch->count; i++) {
        PoiseWatched* value = &watch->values[i];
        int index = poise__value_find(simulation, value->name);
        value->samples[sample] = (float)poise__value_now(simulation, index);
    }
}

bool poise__watch_write(const PoiseWatch* watch, const char* path, PoiseNote* note) {
    FILE* file = fopen(path, "w");
    if (!file) {
        return poise__note_fail(note, "cannot write %s: %s", path, strerror(errno));
    }
    fputs("time", file);
    for (int i = 0; i < watch->count; i++) {
        fprintf(file, ",%s", watch->values[i].name);
    }
    for (int sample = 0; sample < watch->sample_count; sample++) {
        fprintf(file, "\n%.6g", (double)watch->times[sample]);
        for (int i = 0; i < watch->count; i++) {
            double value = (double)watch->values[i].samples[sample];
            if (isfinite(value)) {
                fprintf(file, ",%.9g", value);
            } else {
                fputc(',', file);
            }
        }
    }
    fputc('\n', file);
    bool good = ferror(file) == 0;
    return (fclose(file) == 0 && good) ||
           poise__note_fail(note, "cannot write %s: %s", path, strerror(errno));
}
