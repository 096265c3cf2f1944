// SPDX-License-Identifier: MIT
// Writes the reason why a point is where it is, for the table of a run.
#include <math.h>
#include <string.h>

#include "run.h"

// Appends two facts about a pressing point: the distance from its goal at which friction can keep
// it, and its equilibrium in the forecast with friction.
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
    const PoiseSimulation* simulation = run->simulation;
    const PoisePointView view = poise_simulation_point(simulation, index);
    const PoiseForecast* forecast = &run->points[index].forecast;
    const PoiseNodeNames names = poise_simulation_node_names(simulation);
    poise_point_why_text(&view.reading, &names, text, capacity);
    if (view.reading.why == POISE_WHY_UNREACHABLE) {
        const size_t end = strlen(text);
        const double nearest = poise_simulation_report(simulation)->nearest;
        const bool large = nearest >= 1.0;
        snprintf(text + end, capacity - end, ", the nearest answer is %.*g %s off", large ? 4 : 3,
                 large ? nearest : 1e3 * nearest, large ? "m" : "mm");
    }
    if (view.presses) {
        add_band(run, index, text, capacity);
    }
    const size_t used = strlen(text);
    if (run->status == RUN_OK && forecast->why[0]) {
        snprintf(text + used, capacity - used, " (foreseen: %s)", forecast->why);
    }
    return text;
}
