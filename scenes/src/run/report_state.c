// SPDX-License-Identifier: MIT
// Explains in words why a point is where it is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/hold.h"
#include "run.h"

// Returns the goal that explains a point: its axis goal if the position is met, else its position.
static PoisePointId point_that_says(const PoiseSimulation* simulation, int index) {
    const PoiseTree* tree = poise_simulation_tree(simulation);
    const PoisePointView view = poise_simulation_point(simulation, index);
    const bool met = poise_point_state(tree, view.point) == POISE_POINT_MET;
    return view.aim.index1 != 0 && met ? view.aim : view.point;
}

static bool is_listed(const PoiseNodeId* nodes, int count, PoiseNodeId node) {
    bool listed = false;
    for (int i = 0; i < count; i++) {
        listed = listed || (node.index1 != 0 && nodes[i].index1 == node.index1);
    }
    return listed;
}

// Marks the joints whose limits bound the solver's answer for the point. Returns false when memory
// is short.
static bool point_stops(const Run* run, int index, bool* listed) {
    const PoiseTree* tree = poise_simulation_tree(run->simulation);
    const int joints = poise_simulation_joint_count(run->simulation);
    PoiseNodeId* nodes = calloc((size_t)joints + 1, sizeof *nodes);
    const PoisePointId point = point_that_says(run->simulation, index);
    int count = nodes ? poise_point_limited_by(tree, point, nodes, joints) : 0;
    count = count < joints ? count : joints;
    for (int i = 0; nodes && i < joints; i++) {
        listed[i] = is_listed(nodes, count, poise_simulation_joint(run->simulation, i).node);
    }
    free(nodes);
    return nodes != NULL;
}

// Appends the names of the listed joints until the text is full.
static void add_joints(const Run* run, const bool* listed, char* text, size_t capacity) {
    const char* separator = ": ";
    for (int i = 0; i < poise_simulation_joint_count(run->simulation); i++) {
        const size_t used = strlen(text);
        if (listed[i]) {
            snprintf(text + used, capacity - used, "%s%s", separator,
                     poise_simulation_joint(run->simulation, i).name);
            separator = ", ";
        }
    }
}

static void mark_limited(const Run* run, const PoiseForecast* forecast, bool* listed) {
    const int named =
        forecast->limited < POISE_FORECAST_NODES ? forecast->limited : POISE_FORECAST_NODES;
    for (int i = 0; i < poise_simulation_joint_count(run->simulation); i++) {
        listed[i] = is_listed(forecast->limited_nodes, named,
                              poise_simulation_joint(run->simulation, i).node);
    }
}

// Appends how far from its goal friction can hold the point, and the distance forecast with
// friction.
static void add_band(const Run* run, int index, char* text, size_t capacity) {
    const PoisePointView view = poise_simulation_point(run->simulation, index);
    const double band = poise_forecast_friction_band(&run->points[index].forecast, view.force,
                                                     run->scene->world.def.friction);
    const size_t used = strlen(text);
    if (band > 0.0 && band < HUGE_VAL) {
        snprintf(text + used, capacity - used, ", friction can hold it %.3g mm off", 1e3 * band);
    } else if (band > 0.0) {
        snprintf(text + used, capacity - used, ", how far friction holds it off is not known");
    }
    const PoisePointStatistics* point = &run->points[index];
    const size_t end = strlen(text);
    if (band > 0.0 && !isnan(point->friction_miss)) {
        snprintf(text + end, capacity - end, ", with it %.3g mm foreseen",
                 1e3 * point->friction_miss);
    } else if (band > 0.0 && point->with_friction.why[0]) {
        snprintf(text + end, capacity - end, ", with it: %s", point->with_friction.why);
    }
}

const char* poise__point_why(const Run* run, int index, char* text, size_t capacity) {
    static const char* const words[] = {
        NULL,       "held back by its springs",           "at its torque limit", "held by friction",
        "pressing", "held elsewhere by a contact or load"};
    const PoiseSimulation* simulation = run->simulation;
    const PoisePointView view = poise_simulation_point(simulation, index);
    const PoiseForecast* forecast = &run->points[index].forecast;
    const PoisePointHold hold = poise_rig_point_hold(poise_simulation_rig(simulation), view.point,
                                                     forecast, run->scene->world.def.friction);
    const PoisePointState state =
        poise_point_state(poise_simulation_tree(simulation), point_that_says(simulation, index));
    bool* listed = calloc((size_t)poise_simulation_joint_count(simulation) + 1, sizeof *listed);
    const PoiseRigReport* report = poise_simulation_report(simulation);
    snprintf(text, capacity, "%s", words[hold] ? words[hold] : poise_rig_state_name(report, state));
    if (listed && hold == POISE_HOLD_TORQUE_LIMIT) {
        mark_limited(run, forecast, listed);
        add_joints(run, listed, text, capacity);
    } else if (listed && !words[hold] && point_stops(run, index, listed)) {
        add_joints(run, listed, text, capacity);
    }
    free(listed);
    if (!words[hold] && state > POISE_POINT_MET &&
        report->reconfiguration == POISE_RECONFIGURATION_UNREACHABLE) {
        const size_t end = strlen(text);
        snprintf(text + end, capacity - end, ", the nearest answer is %.3g mm off",
                 1e3 * report->nearest);
    }
    if (hold == POISE_HOLD_PRESSING || hold == POISE_HOLD_FRICTION) {
        add_band(run, index, text, capacity);
    }
    const size_t used = strlen(text);
    if (run->status == RUN_OK && forecast->why[0]) {
        snprintf(text + used, capacity - used, " (foreseen: %s)", forecast->why);
    }
    return text;
}
