// SPDX-License-Identifier: MIT
#include "watched_values.h"

#include <math.h>
#include <string.h>

#include "poise/figures.h"
#include "poise/output.h"

/// Time between two samples, s.
static const double SAMPLE_TIME = 1.0 / 60.0;
/// Largest predicted time to repeat the run, us.
static const double FILL_COST = 1.5e6;

int poise__value_count(const PoiseSimulation* simulation) {
    return poise_column_places(simulation);
}

void poise__value_name(const PoiseSimulation* simulation, int index, char name[POISE_WATCH_NAME]) {
    PoiseColumn column;
    name[0] = '\0';
    if (poise_column_at(simulation, POISE_FIGURE_WATCH, index, &column)) {
        char field[48];
        const char* owner = poise_column_owner(simulation, &column);
        poise_column_field(&column, field);
        snprintf(name, POISE_WATCH_NAME, "%.70s%s%s", owner, owner[0] ? "." : "", field);
    }
}

bool poise__value_of(const PoiseSimulation* simulation, const char* name, double* value) {
    const PoiseFigureSource now = {simulation, NULL};
    PoiseColumn column;
    if (!poise_column_find(simulation, POISE_FIGURE_WATCH, name, &column)) {
        return false;
    }
    *value = poise_column_value(&column, &now);
    return true;
}

const char* poise__value_unit(const PoiseSimulation* simulation, const char* name) {
    PoiseColumn column;
    return poise_column_find(simulation, POISE_FIGURE_WATCH, name, &column)
               ? poise_figure_unit(column.figure, simulation, column.owner)
               : "";
}

// ---------------------------------------------------------------------------------------- watching

static int find_watched(const PoiseWatch* watch, const char* name) {
    for (int i = 0; i < watch->count; i++) {
        if (strcmp(watch->values[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

bool poise__watch_has(const PoiseWatch* watch, const char* name) {
    return find_watched(watch, name) >= 0;
}

bool poise__watch_toggle(PoiseWatch* watch, const PoiseSimulation* simulation, const char* name) {
    int index = find_watched(watch, name);
    if (index >= 0) {
        watch->count--;
        memmove(watch->values + index, watch->values + index + 1,
                (size_t)(watch->count - index) * sizeof *watch->values);
        return true;
    }
    double now = 0.0;
    if (watch->count == POISE_WATCH_CAPACITY || !poise__value_of(simulation, name, &now)) {
        return false;
    }
    PoiseWatched* value = &watch->values[watch->count++];
    snprintf(value->name, sizeof value->name, "%s", name);
    for (int i = 0; i < POISE_WATCH_SAMPLES; i++) {
        value->samples[i] = NAN;
    }
    return true;
}

/// Returns the first sample that can be computed again within FILL_COST.
static int first_to_fill(const PoiseWatch* watch, const PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = timeline->session->simulation;
    const PoiseSimulationCost cost = poise_simulation_cost(simulation);
    const double steps = FILL_COST / fmax(1.0, cost.ik_us + cost.collision_us + cost.ode_us);
    const double length = poise_simulation_step_length(simulation);
    const double from = ((double)timeline->end_step - steps) * length;
    int first = 0;
    while (first < watch->sample_count && (double)watch->times[first] < from) {
        first++;
    }
    return first;
}

bool poise__watch_fill(PoiseWatch* watch, PoiseTimeline* timeline, PoiseNote* note) {
    const PoiseSimulation* simulation = timeline->session->simulation;
    const long now = poise_simulation_step_count(simulation);
    const double length = poise_simulation_step_length(simulation);
    if (watch->count == 0 || watch->sample_count == 0) {
        return true;
    }
    PoiseWatched* value = &watch->values[watch->count - 1];
    bool good = true;
    for (int i = first_to_fill(watch, timeline); good && i < watch->sample_count; i++) {
        const long step = lround((double)watch->times[i] / length);
        double then = (double)NAN;
        good = step <= timeline->end_step && poise__timeline_go(timeline, step, note);
        // going back may have built the simulation again
        simulation = timeline->session->simulation;
        if (good && poise__value_of(simulation, value->name, &then)) {
            value->samples[i] = (float)then;
        }
    }
    return poise__timeline_go(timeline, now, note);
}

/// Doubles the stride and removes every other sample. `length`: length of a step, s.
static void thin_out(PoiseWatch* watch, double length) {
    int kept = 0;
    watch->stride *= 2;
    for (int i = 0; i < watch->sample_count; i++) {
        if (lround((double)watch->times[i] / length) % watch->stride == 0) {
            watch->times[kept] = watch->times[i];
            for (int k = 0; k < watch->count; k++) {
                watch->values[k].samples[kept] = watch->values[k].samples[i];
            }
            kept++;
        }
    }
    watch->sample_count = kept;
}

void poise__watch_sample(PoiseWatch* watch, const PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = timeline->session->simulation;
    const double length = poise_simulation_step_length(simulation);
    const float time = (float)poise_simulation_time(simulation);
    if (watch->stride == 0) {
        watch->stride = (long)fmax(1.0, floor(SAMPLE_TIME / length));
    }
    // Removes the samples after the end of the run, which a change has cut off.
    const double end = ((double)timeline->end_step + 0.5) * length;
    while (watch->sample_count > 0 && (double)watch->times[watch->sample_count - 1] > end) {
        watch->sample_count--;
        watch->last_is_provisional = false;
    }
    if (watch->sample_count > 0 && watch->times[watch->sample_count - 1] >= time) {
        return;
    }
    watch->sample_count -= watch->last_is_provisional ? 1 : 0;
    while (watch->sample_count == POISE_WATCH_SAMPLES) {
        thin_out(watch, length);
    }
    const int sample = watch->sample_count++;
    watch->last_is_provisional = poise_simulation_step_count(simulation) % watch->stride != 0;
    watch->times[sample] = time;
    for (int i = 0; i < watch->count; i++) {
        PoiseWatched* value = &watch->values[i];
        double now = (double)NAN;
        poise__value_of(simulation, value->name, &now);
        value->samples[sample] = (float)now;
    }
}

void poise__watch_step(PoiseWatch* watch, const PoiseTimeline* timeline) {
    if (watch->stride > 0 &&
        poise_simulation_step_count(timeline->session->simulation) % watch->stride == 0) {
        poise__watch_sample(watch, timeline);
    }
}

bool poise__watch_write(const PoiseWatch* watch, const char* path, PoiseNote* note) {
    PoiseOutput output = {0};
    const char* trouble = poise_output_open(&output, path);
    FILE* file = output.file;
    if (trouble) {
        return poise__note_fail(note, "cannot write %s: %s", path, trouble);
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
    trouble = poise_output_close(&output);
    return !trouble || poise__note_fail(note, "cannot write %s: %s", path, trouble);
}
