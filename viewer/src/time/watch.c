// SPDX-License-Identifier: MIT
#include "watch.h"

#include <math.h>
#include <string.h>

#include "poise/figures.h"
#include "poise/output.h"

int poise__value_count(const PoiseSimulation* simulation) {
    return poise_column_places(simulation);
}

void poise__value_name(const PoiseSimulation* simulation, int index, char name[POISE_WATCH_NAME]) {
    PoiseColumn column;
    name[0] = '\0';
    if (poise_column_at(simulation, POISE_FIGURE_WATCH, index, &column)) {
        char field[48];
        const char* owner = poise_column_owner(simulation, &column);
        (void)poise_column_field(&column, field);
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
    double now = 0.0;
    if (watch->count == POISE_WATCH_MOST || !poise__value_of(simulation, name, &now)) {
        return false;
    }
    PoiseWatched* value = &watch->values[watch->count++];
    snprintf(value->name, sizeof value->name, "%s", name);
    for (int i = 0; i < POISE_WATCH_SAMPLES; i++) {
        value->samples[i] = NAN;
    }
    return true;
}

void poise__watch_fill(PoiseWatch* watch, PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = timeline->session->simulation;
    const long now = poise_simulation_step_count(simulation);
    const double length = poise_simulation_step_length(simulation);
    PoiseNote note;
    if (watch->count == 0 || watch->sample_count == 0) {
        return;
    }
    PoiseWatched* value = &watch->values[watch->count - 1];
    bool good = true;
    for (int i = 0; good && i < watch->sample_count; i++) {
        const long step = lround((double)watch->times[i] / length);
        double then = (double)NAN;
        good = step <= now && poise__timeline_go(timeline, step, &note);
        // the session may have been made anew meanwhile
        simulation = timeline->session->simulation;
        if (good && poise__value_of(simulation, value->name, &then)) {
            value->samples[i] = (float)then;
        }
    }
    (void)poise__timeline_go(timeline, now, &note);
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
        double now = (double)NAN;
        (void)poise__value_of(simulation, value->name, &now);
        value->samples[sample] = (float)now;
    }
}

bool poise__watch_write(const PoiseWatch* watch, const char* path, PoiseNote* note) {
    PoiseOutput output;
    memset(&output, 0, sizeof output);
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
