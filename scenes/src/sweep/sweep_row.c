// SPDX-License-Identifier: MIT
// One run of a study as a row.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/report.h"
#include "poise/value.h"
#include "sweep.h"

typedef struct Row {
    char* text;
    size_t size;
    size_t capacity;
} Row;

static void put(Row* row, const char* text) {
    const size_t length = strlen(text);
    if (row->size + length < row->capacity) {
        memcpy(row->text + row->size, text, length + 1);
        row->size += length;
    }
}

// a cell, in quotes where it needs them; a line is one line
static void put_cell(Row* row, const char* text) {
    const bool quoted = strpbrk(text, ",\"\n\r") != NULL;
    put(row, quoted ? "\"" : "");
    for (; *text; text++) {
        const char letter[2] = {*text == '\n' || *text == '\r' ? ' ' : *text, '\0'};
        put(row, *text == '"' ? "\"\"" : letter);
    }
    put(row, quoted ? "\"" : "");
}

static void put_number(Row* row, double value) {
    char text[40] = "";
    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.17g", value);
    }
    put(row, text);
}

void poise__sweep_head(const Study* study, FILE* out) {
    fputs("run", out);
    for (int i = 0; i < study->varied_count; i++) {
        fprintf(out, ",%s", study->varied[i].key);
    }
    fputs(",status,reason", out);
    for (int i = 0; i < study->figure_count; i++) {
        fprintf(out, ",%s", study->figures[i]);
    }
    fputs(",state_hash\n", out);
}

// a figure of a point or joint over the run, or what can be read at its end; false for no such one
static bool find_figure(const PoiseFigureSource* source, const char* name, double* value) {
    const PoiseSimulation* simulation = source->simulation;
    for (int kind = POISE_FIGURE_OF_POINT; kind <= POISE_FIGURE_OF_JOINT; kind++) {
        const bool point = kind == POISE_FIGURE_OF_POINT;
        const int count = point ? poise_simulation_point_count(simulation)
                                : poise_simulation_joint_count(simulation);
        for (int i = 0; i < count; i++) {
            const char* owner = point ? poise_simulation_point(simulation, i).name
                                      : poise_simulation_joint(simulation, i).name;
            const size_t length = strlen(owner);
            const PoiseFigure* figure =
                strncmp(name, owner, length) == 0 && name[length] == '.'
                    ? poise_figure_find((PoiseFigureOwner)kind,
                                        POISE_FIGURE_EXPECT | POISE_FIGURE_JSON, name + length + 1)
                    : NULL;
            if (figure) {
                *value = poise_figure_number(figure, source, i);
                return true;
            }
        }
    }
    return poise_value_read(simulation, name, value) == POISE_OK;
}

// the first of the study's figures that the simulation does not have, NULL for none
static const char* unknown_figure(const Study* study, const PoiseSimulation* simulation) {
    const PoiseFigureSource source = {simulation, NULL};
    double unused = 0.0;
    for (int i = 0; i < study->figure_count; i++) {
        if (!find_figure(&source, study->figures[i], &unused)) {
            return study->figures[i];
        }
    }
    return NULL;
}

static void begin(Row* row, const Study* study, long run) {
    char text[STUDY_VALUE];
    snprintf(text, sizeof text, "%ld", run);
    put(row, text);
    for (int i = 0; i < study->varied_count; i++) {
        put(row, ",");
        put_cell(row, poise__study_value(study, run, i, text));
    }
}

static void end(Row* row, const Study* study, const char* status, const char* reason) {
    put(row, ",");
    put(row, status);
    put(row, ",");
    put_cell(row, reason);
    for (int i = 0; i < study->figure_count; i++) {
        put(row, ",");
    }
    put(row, ",\n");
}

long poise__sweep_row_of(const Study* study, long run, SweepEnd ended, char* row, size_t capacity) {
    Row out = {row, 0, capacity};
    begin(&out, study, run);
    end(&out, study, ended.status, ended.reason);
    return (long)out.size;
}

static void put_figures(Row* row, const Study* study, const PoiseFigureSource* source) {
    for (int i = 0; i < study->figure_count; i++) {
        put(row, ",");
        double value = (double)NAN;
        (void)find_figure(source, study->figures[i], &value);
        put_number(row, value);
    }
    char text[40];
    snprintf(text, sizeof text, ",%016" PRIx64 "\n",
             poise_simulation_state_hash(source->simulation));
    put(row, text);
}

static bool run_scene(Row* row, const Study* study, PoiseSimulation* simulation) {
    const double seconds =
        study->seconds > 0.0 ? study->seconds : poise_simulation_scene(simulation)->seconds;
    const double steps = floor(seconds / poise_simulation_step_length(simulation) + 0.5);
    PoisePointStatistics* points = poise_statistics_create(simulation);
    if (!points) {
        return false;
    }
    PoiseRunDef def = {.steps = steps < 1.0 ? 1 : (long)steps, .statistics = points};
    def.total = def.steps;
    dRandSetSeed(0);
    const PoiseStatus status = poise_simulation_run(simulation, &def, NULL);
    poise_statistics_finish(points, simulation, status >= 0);
    const PoiseFigureSource source = {simulation, points};
    put(row, status >= 0 ? ",ok," : ",blew_up,");
    put_cell(row, poise_simulation_trouble(simulation));
    put_figures(row, study, &source);
    poise_statistics_destroy(points);
    return true;
}

// "key=value" of each varied key, in one piece of memory
static char** make_overrides(const Study* study, long run) {
    const size_t each = STUDY_VALUE + 200;
    char** list = calloc((size_t)study->varied_count + 1, sizeof *list + each);
    char* texts = list ? (char*)(list + study->varied_count + 1) : NULL;
    for (int i = 0; list && i < study->varied_count; i++) {
        char text[STUDY_VALUE];
        list[i] = texts + (size_t)i * each;
        snprintf(list[i], each, "%.190s=%s", study->varied[i].key,
                 poise__study_value(study, run, i, text));
    }
    return list;
}

bool poise__sweep_row(const Study* study, long run, char* row, size_t capacity) {
    Row out = {row, 0, capacity};
    begin(&out, study, run);
    char** overrides = make_overrides(study, run);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    if (!overrides || !diagnostics) {
        free(overrides);
        poise_diagnostics_destroy(diagnostics);
        return false;
    }
    const PoiseSceneSource source = {.path = study->scene,
                                     .overrides = (const char* const*)overrides,
                                     .override_count = study->varied_count};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    const char* unknown = simulation ? unknown_figure(study, simulation) : NULL;
    bool fine = true;
    if (unknown) {
        char reason[160];
        snprintf(reason, sizeof reason, "there is no figure '%.100s'", unknown);
        end(&out, study, "refused", reason);
    } else if (simulation) {
        fine = run_scene(&out, study, simulation);
    } else {
        const char* reason = "the scene cannot be read";
        for (int i = poise_diagnostics_size(diagnostics) - 1; i >= 0; i--) {
            const PoiseDiagnostic one = poise_diagnostics_at(diagnostics, i);
            reason = one.severity == POISE_ERROR ? one.text : reason;
        }
        end(&out, study, "refused", reason);
    }
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    free(overrides);
    return fine;
}
