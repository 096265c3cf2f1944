// SPDX-License-Identifier: MIT
// Runs a simulation for many steps in one call, sums up each control point's errors, and writes a
// JSON report.
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

/// Errors and forces of a point in a run; NaN without a value.
typedef struct PoisePointStatistics {
    /// Distance to the goal, m: now; root mean square and maximum after the first second; mean of
    /// the last tenth of the run.
    double error;
    double rms_error;
    double max_error;
    double settled_error;
    /// Angle to the goal, rad: now; root mean square and maximum after the first second.
    double angle_error;
    double rms_angle_error;
    double max_angle_error;
    /// Error that the springs leave in equilibrium, m and rad (see PoiseForecast).
    double predicted_miss;
    double predicted_angle_miss;
    /// Forecast from which the predicted errors are computed, after a run without failure. Its
    /// misses are NaN if the forecast finds no equilibrium.
    PoiseForecast forecast;
    /// For a point that pressed on a body in the last step: the forecast with friction, and its
    /// miss in the active rows, m. The miss is NaN without contact or friction, or if the forecast
    /// finds no equilibrium. `why` is empty if no forecast was made.
    PoiseForecast with_friction;
    double friction_miss;
    /// Over the last tenth of the run, N: the last force asked of the point; the mean measured
    /// force; the error of this mean along the force. Without a force the vectors are 0 and the
    /// error is NaN.
    PoiseVec3 force;
    PoiseVec3 force_measured;
    double force_error;
    // sums from which the members above are computed
    double square_sum;
    double angle_square_sum;
    double tail_sum;
    long counted;
    long angle_counted;
    long tail_counted;
    PoiseVec3 force_sum;
    long force_counted;
} PoisePointStatistics;

/// Creates empty statistics for all points; NULL if memory is short. Points that are added to the
/// simulation later are missing: create new statistics then. Release with poise_statistics_destroy.
POISE_API PoisePointStatistics* poise_statistics_create(const PoiseSimulation* simulation);
/// Adds the state after a step. Call it after each step of a run of `steps` steps.
POISE_API void poise_statistics_add(PoisePointStatistics* points, const PoiseSimulation* simulation,
                                    long steps);
/// Computes the means at the end of the run and, if `ended` (no failure), the forecasts. Errors:
/// POISE_ERROR_OUT_OF_MEMORY, and then there is no forecast. NULL: POISE_OK.
POISE_API PoiseStatus poise_statistics_finish(PoisePointStatistics* points,
                                              const PoiseSimulation* simulation, bool ended);
/// Destroys the statistics; NULL is allowed.
POISE_API void poise_statistics_destroy(PoisePointStatistics* points);

/// Settings of poise_simulation_run. If all members but `steps` are zero, the run records nothing.
typedef struct PoiseRunDef {
    /// Number of steps, >= 0.
    long steps;
    /// Number of steps of the whole run, which decides when the last tenth begins. At least the
    /// number made after this call; 0: the run ends with this call.
    long total;
    /// Statistics that each step is added to; NULL: none.
    PoisePointStatistics* statistics;
    /// Columns that are written after each step (poise_column_value) into the caller's `rows`,
    /// row-major steps x column_count. `column_count` 0: none.
    const PoiseColumn* columns;
    int column_count;
    double* rows;
} PoiseRunDef;

/// Makes `steps` steps, or fewer if one fails, and returns the status of the last. `made` (NULL:
/// not wanted) gets the number of successful steps; a failed step has no row.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing is done: NULL, a negative number, columns without
/// rows.
POISE_API PoiseStatus poise_simulation_run(PoiseSimulation* simulation, const PoiseRunDef* def,
                                           long* made);

/// Version of the JSON of poise_report_json. A new version means that a member changed its meaning
/// or was removed.
enum { POISE_REPORT_VERSION = 2 };

/// Contents of a report.
typedef struct PoiseReport {
    const PoiseSimulation* simulation;
    /// Statistics after poise_statistics_finish; NULL: figures of whole runs are omitted or null.
    const PoisePointStatistics* points;
    /// Result of the run in one word; NULL: "ok".
    const char* status;
    /// Settings `key=value` that replaced values of the file.
    const char* const* set;
    int set_count;
    /// True: the report lists the units of all figures.
    bool units;
    /// True: the report is one line, for files of many reports (JSON Lines).
    bool line;
} PoiseReport;

/// Writes the report as a JSON object and a newline. scenes/README.md describes the members; a
/// number that is not finite becomes null. Does nothing for NULL.
POISE_API void poise_report_json(const PoiseReport* report, FILE* out);
/// Writes the report of poise_report_json into `text`, at most `capacity` bytes with the final 0.
/// Returns the size that the whole report needs, without the final 0; 0 if memory is short.
POISE_API size_t poise_report_text(const PoiseReport* report, char* text, size_t capacity);
/// Writes a text as a JSON string with quotes.
POISE_API void poise_json_string(FILE* out, const char* text);

#ifdef __cplusplus
}
#endif

#endif
