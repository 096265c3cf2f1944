// SPDX-License-Identifier: MIT
// `poise run`: what its parts share.
#ifndef POISE_RUN_H
#define POISE_RUN_H

#include "console.h"
#include "poise/report.h"

/// `poise run`: gets the arguments from its own name on; returns what the program ends with.
int poise__command_run(int argc, char** argv);

typedef struct RunOptions {
    const char* scene;
    double seconds; ///< 0: as the scene says
    const char* csv;
    const char* plot;
    bool json;
    bool json_line; ///< in one line
    bool units;     ///< the JSON has them
    bool expect;
    bool quiet;
    uint32_t seed;
    Reading reading;
} RunOptions;

/// Reads the command line: GO_ON, or the code to end with.
int poise__run_options_read(RunOptions* options, int argc, char** argv);

/// Columns of figures over time; free with poise__columns_free.
typedef struct Columns {
    PoiseColumn* items;
    int count;
} Columns;

/// Every so many steps what the plot shows: rows of a number a column, thinned out as they grow
/// many.
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
    RUN_UNWRITTEN, ///< its CSV could not be written
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
    Columns columns; ///< of the CSV
    PoiseOutput csv;
    PoiseOutput plot;
} Run;

/// Those of the CSV; for the plot what it always shows and what the scene records. False when
/// memory is short.
bool poise__columns_make(const PoiseSimulation* simulation, PoiseFigureUse use, Columns* columns);
void poise__columns_free(Columns* columns);

/// A header of the columns, then a row of their values.
void poise__csv_header(FILE* file, const Columns* columns, const PoiseSimulation* simulation);
void poise__csv_row(FILE* file, const Columns* columns, const PoiseSimulation* simulation);

/// Of the plot's columns; false when memory is short.
bool poise__history_create(History* history, const PoiseSimulation* simulation);
void poise__history_free(History* history);
/// A row of what is now, unless it is thinned out.
void poise__history_add(History* history, const PoiseSimulation* simulation);

/// Draws the history as SVG; false when memory is short.
bool poise__plot_write(const Run* run, FILE* out);

/// Why a point is where it is, in words: its reading's sentence, and for one that presses how far
/// friction can hold it off; in `text`.
const char* poise__point_why(const Run* run, int index, char* text, size_t capacity);
void poise__report_table(const Run* run, FILE* out);

/// Whether every bound of the scene is kept; those that are not are said on `out`.
bool poise__expect_check(const Run* run, FILE* out);

#endif
