// SPDX-License-Identifier: MIT
// Makes one run of a study.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "poise/report.h"
#include "poise/value.h"
#include "study.h"

// Reads a figure of a point or joint over the run, or a value at its end. Returns false if there is
// no such figure.
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

// Returns the first of the study's figures that the simulation does not have; NULL if it has all.
static const char* unknown_figure(const PoiseStudy* study, const PoiseSimulation* simulation) {
    const PoiseFigureSource source = {simulation, NULL};
    double unused = 0.0;
    for (int i = 0; i < study->figure_count; i++) {
        if (!find_figure(&source, study->figures[i], &unused)) {
            return study->figures[i];
        }
    }
    return NULL;
}

static PoiseStatus run_scene(const PoiseStudy* study, PoiseSimulation* simulation,
                             PoiseStudyRow* row) {
    const double seconds =
        study->seconds > 0.0 ? study->seconds : poise_simulation_scene(simulation)->seconds;
    const double steps = floor(seconds / poise_simulation_step_length(simulation) + 0.5);
    PoisePointStatistics* points = poise_statistics_create(simulation);
    if (!points) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    PoiseRunDef def = {.steps = steps < 1.0 ? 1 : (long)steps, .statistics = points};
    def.total = def.steps;
    dRandSetSeed(0);
    const PoiseStatus status = poise_simulation_run(simulation, &def, NULL);
    if (status == POISE_ERROR_OUT_OF_MEMORY) {
        poise_statistics_destroy(points);
        return status;
    }
    if (poise_statistics_finish(points, simulation, status >= 0) < 0) {
        poise_statistics_destroy(points);
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    const PoiseFigureSource source = {simulation, points};
    row->status = status >= 0 ? "ok" : "blew_up";
    snprintf(row->reason, sizeof row->reason, "%s", poise_simulation_trouble(simulation));
    for (int i = 0; row->figures && i < study->figure_count; i++) {
        (void)find_figure(&source, study->figures[i], &row->figures[i]);
    }
    row->state_hash = poise_simulation_state_hash(simulation);
    poise_statistics_destroy(points);
    return POISE_OK;
}

// Returns "key=value" for each varied key; NULL when memory is short.
static const char** make_overrides(const PoiseStudy* study, int run, Arena* arena) {
    const char** list = poise__arena_allocate(arena, (size_t)study->varied_count, sizeof *list);
    for (int i = 0; list && i < study->varied_count; i++) {
        char text[POISE_STUDY_VALUE];
        list[i] = poise__arena_format(arena, "%s=%s", study->varied[i].key,
                                      poise_study_value(study, run, i, text, sizeof text));
    }
    return arena->failed ? NULL : list;
}

static PoiseSceneSource scene_source(const PoiseStudy* study, const char* const* overrides) {
    return (PoiseSceneSource){.path = study->scene,
                              .named_by = study->named_by,
                              .overrides = overrides,
                              .override_count = study->varied_count,
                              .trust = study->trust,
                              .host = study->arena.host};
}

// True if the text of an error says that memory, processes or descriptors are short: the scene
// itself may then be valid.
static bool is_shortage(const char* text) {
    static const int errors[] = {ENOMEM, EAGAIN, EMFILE, ENFILE};
    bool known = strstr(text, "memory is short") || strstr(text, "no memory");
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        known = known || strstr(text, strerror(errors[i]));
    }
    return known;
}

static PoiseStatus refuse(PoiseStudyRow* row, const PoiseDiagnostics* diagnostics,
                          const char* unknown) {
    row->status = "refused";
    snprintf(row->reason, sizeof row->reason,
             unknown ? "there is no figure '%.100s'" : "the scene cannot be read", unknown);
    bool said = unknown;
    for (int i = 0; !unknown && i < poise_diagnostics_size(diagnostics); i++) {
        const PoiseDiagnostic one = poise_diagnostics_at(diagnostics, i);
        if (one.severity == POISE_ERROR && is_shortage(one.text)) {
            // This error is the row's reason, since the others may follow from the shortage.
            snprintf(row->reason, sizeof row->reason, "%s", one.text);
            return POISE_ERROR_OUT_OF_MEMORY;
        }
        if (one.severity == POISE_ERROR && !said) {
            snprintf(row->reason, sizeof row->reason, "%s", one.text);
            said = true;
        }
    }
    // No finding means that memory was too short to record one.
    return said ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}

// Returns the path of a file that changed after the study was read; NULL if none did.
static const char* find_changed(const PoiseStudy* study, const PoiseDiagnostics* diagnostics) {
    const ReadFile* now = NULL;
    const ReadFile* then = NULL;
    for (int i = 0; (now = poise__diagnostics_read(diagnostics, i)) != NULL; i++) {
        for (int k = 0; (then = poise__diagnostics_read(study->read, k)) != NULL; k++) {
            if (then->hash != now->hash && strcmp(then->path, now->path) == 0) {
                return now->path;
            }
        }
    }
    return NULL;
}

static PoiseStatus load_and_run(const PoiseStudy* study, const char* const* overrides,
                                PoiseDiagnostics* diagnostics, PoiseStudyRow* row) {
    const PoiseSceneSource source = scene_source(study, overrides);
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    const char* unknown = simulation ? unknown_figure(study, simulation) : NULL;
    const char* changed = find_changed(study, diagnostics);
    PoiseStatus status = POISE_ERROR_STALE;
    if (changed) {
        snprintf(row->reason, sizeof row->reason,
                 "'%.300s' was changed after the study was read: begin the study anew", changed);
    } else {
        status = simulation && !unknown ? run_scene(study, simulation, row)
                                        : refuse(row, diagnostics, unknown);
    }
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    return status;
}

// ------------------------------------------------------------------------------------------ files

// Adds the files of one scene. Other errors of the scene are reported when it runs.
static bool add_files_of(PoiseStudy* study, const char* const* overrides, PoiseDiagnostics* files) {
    PoiseDiagnostics* found = poise_diagnostics_create(&study->arena.host);
    const PoiseSceneSource source = scene_source(study, overrides);
    PoiseScene* scene = found ? poise_scene_load_source(&source, found) : NULL;
    bool fine = found && !poise__diagnostics_lost(found);
    if (!fine) {
        poise__diagnose(files, POISE_ERROR, (PoiseMark){study->scene, 0, 0}, "memory is short");
    }
    for (int i = 0; fine && i < poise_diagnostics_size(found); i++) {
        const PoiseDiagnostic one = poise_diagnostics_at(found, i);
        fine = one.severity != POISE_ERROR || !is_shortage(one.text);
        if (!fine) {
            poise__diagnose(files, POISE_ERROR, one.mark, "%s", one.text);
        }
    }
    const ReadFile* file = NULL;
    for (int i = 0; fine && (file = poise__diagnostics_read(found, i)) != NULL; i++) {
        poise__diagnostics_add_read(files, file);
        poise__diagnostics_add_read(study->read, file);
        study->fingerprint = poise__hash(study->fingerprint, &file->hash, sizeof file->hash);
    }
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(found);
    return fine && !poise__diagnostics_lost(files) && !poise__diagnostics_lost(study->read);
}

bool poise__study_add_files(PoiseStudy* study, PoiseDiagnostics* diagnostics) {
    Arena arena;
    poise__arena_init(&arena, &study->arena.host);
    study->read = poise_diagnostics_create(&study->arena.host);
    const char** overrides = study->read ? make_overrides(study, 0, &arena) : NULL;
    bool fine = overrides && add_files_of(study, overrides, diagnostics);
    for (int k = 0; fine && k < study->varied_count; k++) {
        const Vary* varied = &study->varied[k];
        const char* first = overrides[k];
        for (int i = 1; fine && varied->kind == VARY_LIST && i < varied->count; i++) {
            // A word, which may name a file, has a slash or a letter other than e. Numbers may have
            // an e.
            if (strpbrk(varied->values[i],
                        "abcdfghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRSTUVWXYZ_/") != NULL) {
                overrides[k] = poise__arena_format(&arena, "%s=%s", varied->key, varied->values[i]);
                fine = overrides[k] && add_files_of(study, overrides, diagnostics);
            }
        }
        overrides[k] = first;
    }
    if (arena.failed || !study->read || poise__diagnostics_lost(study->read)) {
        poise__diagnose(diagnostics, POISE_ERROR, (PoiseMark){study->scene, 0, 0},
                        "memory is short");
    }
    poise__arena_finish(&arena);
    return fine;
}

PoiseStatus poise_study_run(const PoiseStudy* study, int run, PoiseStudyRow* row) {
    if (!study || !row || run < 0 || run >= study->run_count) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Arena arena;
    poise__arena_init(&arena, &study->arena.host);
    const char** overrides = make_overrides(study, run, &arena);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(&study->arena.host);
    PoiseStatus status = POISE_ERROR_OUT_OF_MEMORY;
    if (overrides && diagnostics) {
        row->state_hash = 0;
        row->reason[0] = '\0';
        for (int i = 0; row->figures && i < study->figure_count; i++) {
            row->figures[i] = (double)NAN;
        }
        status = load_and_run(study, overrides, diagnostics, row);
    }
    poise_diagnostics_destroy(diagnostics);
    poise__arena_finish(&arena);
    return status;
}
