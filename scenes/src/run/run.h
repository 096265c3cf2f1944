// SPDX-License-Identifier: MIT
// State and functions that the parts of `poise run` share.
#ifndef POISE_RUN_H
#define POISE_RUN_H

#include "console.h"
#include "poise/report.h"

/// Runs `poise run`. `argv` begins with the command's name. Returns the program's exit code.
int poise__command_run(int argc, char** argv);

typedef struct RunOptions {
    const char* scene;
    double seconds; ///< length of the run, s; 0: the scene's own length
    const char* csv;
    const char* plot;
    bool json;
    bool json_line; ///< True if the JSON is one line
    bool units;     ///< True if the JSON has the figures' units
    bool expect;
    bool quiet;
    uint32_t seed;
    Reading reading;
} RunOptions;

/// Columns of figures over time. Freed by poise__columns_free.
typedef struct Columns {
    PoiseColumn* items;
    int count;
} Columns;

/// The plot's figures at every `stride`-th step, a number for each column. When the rows are full,
/// every second row is dropped and the stride doubles.
typedef struct History {
    Columns columns;
    double* rows;
    int count;
    long stride;
} History;

typedef enum RunStatus {
    RUN_OK,
    RUN_MISSED,
    RUN_BLOWN_UP,
    RUN_SHORT_OF_MEMORY,
    RUN_UNWRITTEN, ///< the CSV could not be written
    RUN_INTERRUPTED
} RunStatus;

typedef struct Run {
    const RunOptions* options;
    const PoiseScene* scene;
    PoiseSimulation* simulation;
    PoisePointStatistics* points;
    long step_total;
    long step_count;
    RunStatus status;
    History history;
    Columns columns; ///< columns of the CSV
    PoiseOutput csv;
    PoiseOutput plot;
} Run;

/// Selects the columns of the CSV or the plot. A plot has the figures that are always drawn and
/// those that the scene records. Returns false when memory is short.
bool poise__columns_make(const PoiseSimulation* simulation, PoiseFigureUse use, Columns* columns);
void poise__columns_free(Columns* columns);

/// Writes the columns' names, or a row of their values.
void poise__csv_header(FILE* file, const Columns* columns, const PoiseSimulation* simulation);
void poise__csv_row(FILE* file, const Columns* columns, const PoiseSimulation* simulation);

/// Prepares a history of the plot's columns. Returns false when memory is short.
bool poise__history_create(History* history, const PoiseSimulation* simulation);
void poise__history_free(History* history);
/// Adds a row with the present figures, if the step is a multiple of the stride.
void poise__history_add(History* history, const PoiseSimulation* simulation);

/// True if a plot can be made in a file of this name, by its ending.
bool poise__plot_is_format(const char* path);
/// Draws the history in the format of the plot's name. Returns false when memory is short.
bool poise__plot_write(const Run* run, FILE* out);

/// Writes to `text` the reason for a point's state: the sentence of its reading and, if it presses,
/// at which distance from its goal friction can keep it. Returns `text`.
const char* poise__point_why(const Run* run, int index, char* text, size_t capacity);
void poise__report_table(const Run* run, FILE* out);

#endif
