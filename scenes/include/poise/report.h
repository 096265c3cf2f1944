// SPDX-License-Identifier: MIT
// What a run comes to: steps made in one call, what they add up to for each control point, and all
// of it as JSON.
//
//     PoisePointStatistics* points = poise_statistics_create(simulation);
//     const PoiseRunDef def = {.steps = 1000, .total = 1000, .statistics = points};
//     PoiseStatus status = poise_simulation_run(simulation, &def, NULL);
//     poise_statistics_finish(points, simulation, status >= 0);
//     poise_report_json(&(PoiseReport){.simulation = simulation, .points = points}, stdout);
//     poise_statistics_destroy(points);
#ifndef POISE_REPORT_H
#define POISE_REPORT_H

#include <stdio.h>

#include "poise/figures.h"
#include "poise/forecast.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How well a point reached its goals. NaN where there is nothing to say.
typedef struct PoisePointStatistics {
    /// Now; after the first second; the mean of the last tenth. m.
    double error;
    double rms_error;
    double max_error;
    double settled_error;
    /// rad
    double angle_error;
    double rms_angle_error;
    double max_angle_error;
    /// As the springs foresee it, m and rad.
    double predicted_miss;
    double predicted_angle_miss;
    /// What that comes from, of a run that came to its end; its misses are NaN where it does not
    /// come to rest.
    PoiseForecast forecast;
    /// Of a point that pressed on something in the last step: the forecast with the friction of
    /// what it touched, and its miss in the rows that count. NaN where nothing was touched,
    /// friction is 0, or it does not come to rest; the sentence is empty where it was not asked.
    PoiseForecast with_friction;
    double friction_miss;
    /// Mean of the last tenth, N; NaN where none is asked. The error is along the force.
    PoiseVec3 force;
    PoiseVec3 force_measured;
    double force_error;
    // what these are made of
    double square_sum;
    double angle_square_sum;
    double tail_sum;
    long counted;
    long angle_counted;
    long tail_counted;
    PoiseVec3 force_sum;
    long force_counted;
} PoisePointStatistics;

/// One for each point, and nothing added up; NULL when memory is short. A point that is added to
/// the simulation later has none: make them anew then. Release with poise_statistics_destroy.
POISE_API PoisePointStatistics* poise_statistics_create(const PoiseSimulation* simulation);
/// After each step of a run that is to have `steps` of them.
POISE_API void poise_statistics_add(PoisePointStatistics* points, const PoiseSimulation* simulation,
                                    long steps);
/// Once at the end; a run that came to its end is also asked what its springs foresee. Errors:
/// POISE_ERROR_OUT_OF_MEMORY, and then nothing is foreseen. NULL: POISE_OK.
POISE_API PoiseStatus poise_statistics_finish(PoisePointStatistics* points,
                                              const PoiseSimulation* simulation, bool ended);
/// NULL is allowed.
POISE_API void poise_statistics_destroy(PoisePointStatistics* points);

/// What poise_simulation_run makes and keeps. All zero but `steps`: it steps and keeps nothing.
typedef struct PoiseRunDef {
    /// How many steps to make, >= 0.
    long steps;
    /// How many the whole run is to have, for the statistics' last tenth, >= steps made at its end;
    /// 0: as many as have been made once these are.
    long total;
    /// Gets what each step adds; NULL: none.
    PoisePointStatistics* statistics;
    /// What is written after each step: a row of one number a column (poise_column_value),
    /// row-major steps x column_count, in the caller's `rows`. `column_count` 0: nothing.
    const PoiseColumn* columns;
    int column_count;
    double* rows;
} PoiseRunDef;

/// Makes steps until they are made or one fails, with the status of the last. `made` (NULL: not
/// wanted) gets how many were made and recorded. A step that fails has no row.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing is done: NULL, a negative number, columns without
/// rows.
POISE_API PoiseStatus poise_simulation_run(PoiseSimulation* simulation, const PoiseRunDef* def,
                                           long* made);

/// The version of what poise_report_json writes: rises when a member changes its meaning or goes.
enum { POISE_REPORT_VERSION = 2 };

/// What a report is made of.
typedef struct PoiseReport {
    const PoiseSimulation* simulation;
    /// Finished; NULL: figures of whole runs are left out or null.
    const PoisePointStatistics* points;
    /// How it ended, in one word; NULL: "ok".
    const char* status;
    /// `key=value` each, as they were set over what the file says.
    const char* const* set;
    int set_count;
    /// With the units of all figures.
    bool units;
    /// In one line, for files of many reports (JSON Lines).
    bool line;
} PoiseReport;

/// The report as one JSON object and a newline. scenes/README.md says what its members are; numbers
/// that are not finite are null. Nothing for NULL.
POISE_API void poise_report_json(const PoiseReport* report, FILE* out);
/// The same as text: writes at most `capacity` bytes with the final 0 and returns how many it needs
/// without that; 0 where memory is short.
POISE_API size_t poise_report_text(const PoiseReport* report, char* text, size_t capacity);
/// A text as a string of JSON, with its quotes.
POISE_API void poise_json_string(FILE* out, const char* text);

#ifdef __cplusplus
}
#endif

#endif
