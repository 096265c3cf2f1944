// SPDX-License-Identifier: MIT
// `poise run`: what its parts share.
#ifndef POISE_RUN_H
#define POISE_RUN_H

#include "command/command.h"

typedef struct RunOptions {
    const char* scene;
    double seconds; ///< 0: as the scene says
    const char** overrides;
    int override_count;
    const char* csv;
    const char* plot;
    bool json;
    bool expect;
    bool quiet;
    double seed;
} RunOptions;

/// Reads the command line; EXIT_DONE to go on, else the code to end with (`done` says that nothing
/// went wrong, --help say). `overrides` has room for argc.
int poise__run_options_read(RunOptions* options, int argc, char** argv, bool* done);

/// How well a point reached its goals. NaN where there is nothing to say.
typedef struct PointFigures {
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
    /// m/N, row-major, where it is defined.
    bool gives;
    double compliance[9];
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
} PointFigures;

/// Every so many steps what the plot shows: rows of `width` numbers, thinned out as they grow many.
typedef struct History {
    double* rows;
    int width;
    int count;
    int capacity;
    long stride;
} History;

typedef enum RunStatus {
    RUN_OK,
    RUN_MISSED,
    RUN_BLOWN_UP,
    RUN_SHORT_OF_MEMORY,
    RUN_INTERRUPTED
} RunStatus;

typedef struct Run {
    const RunOptions* options;
    const PoiseScene* scene;
    PoiseSimulation* simulation;
    PointFigures* points;
    long step_total;
    long step_count;
    RunStatus status;
    History history;
    FILE* csv;
    const char* csv_trouble; ///< why the CSV could not be written, NULL if it could
} Run;

/// After each step; and once at the end.
void poise__figures_add(Run* run);
void poise__figures_finish(Run* run);

typedef enum SeriesKind {
    SERIES_TIME,
    SERIES_ERROR,
    SERIES_ANGLE_ERROR,
    SERIES_PLACE,
    SERIES_GOAL,
    SERIES_JOINT_ANGLE,
    SERIES_JOINT_TARGET,
    SERIES_JOINT_TORQUE
} SeriesKind;

/// A column of what a run can show.
typedef struct Series {
    char label[160];
    SeriesKind kind;
    int index;     ///< the simulation's point or joint
    int component; ///< 0 to 2 of what has three
} Series;

typedef struct SeriesList {
    Series* items;
    int count;
    int capacity;
} SeriesList;

/// The columns of the CSV; those of the plot: time, each point's error, place and goal, then what
/// the scene records. False when memory is short; free with poise__series_free.
bool poise__series_for_csv(const PoiseSimulation* simulation, SeriesList* list);
bool poise__series_for_plot(const PoiseSimulation* simulation, SeriesList* list);
void poise__series_free(SeriesList* list);
/// The value now, NaN where there is none.
double poise__series_value(const PoiseSimulation* simulation, const Series* series);

/// A header of the columns, then a row of their values; false when it cannot be written.
bool poise__csv_header(FILE* file, const SeriesList* columns);
bool poise__csv_row(FILE* file, const SeriesList* columns, const PoiseSimulation* simulation);

bool poise__history_create(History* history, int width);
void poise__history_free(History* history);
/// A row of `width` numbers at the step, unless it is thinned out.
void poise__history_add(History* history, long step, const double* row);

/// Draws the history as SVG. EXIT_DONE, or EXIT_INPUT after a message where it cannot be written.
int poise__plot_write(const Run* run, const SeriesList* columns, const char* path);

void poise__report_json(const Run* run, FILE* out);
void poise__report_table(const Run* run, FILE* out);
const char* poise__run_status_word(RunStatus status);

/// Whether every bound of the scene is kept; those that are not are said on `out`.
bool poise__expect_check(const Run* run, FILE* out);

#endif
