// SPDX-License-Identifier: MIT
// `poise sweep`: makes the runs of a study in processes, keeps their rows in files, and merges
// these into one table.
#ifndef POISE_SWEEP_H
#define POISE_SWEEP_H

#include "console.h"
#include "poise/study.h"

/// Runs `poise sweep`. `argv` begins with the command's name. Returns the program's exit code.
int poise__command_sweep(int argc, char** argv);

typedef struct Sweep {
    const PoiseStudy* study;
    const char* out;  ///< path of the table
    char parts[1024]; ///< path of the folder of rows
    int shard;        ///< from 1
    int shards;
    int jobs;
    bool quiet;
    bool* done; ///< for each run: true if it has a row
    int done_count;
} Sweep;

/// Makes one run and writes its row with a newline to `row`: number, values, status, reason,
/// figures, hash. Returns false with a reason in `row` when memory, processes or descriptors are
/// short, or a file has changed.
bool poise__sweep_row(const PoiseStudy* study, int run, char* row, size_t capacity);
/// Writes the names of the columns, with a newline.
void poise__sweep_head(const PoiseStudy* study, FILE* out);
/// How a run without figures ended, and why.
typedef struct SweepEnd {
    const char* status;
    const char* reason;
} SweepEnd;

/// Writes the row of a run without figures. Returns its length in bytes.
long poise__sweep_row_of(const PoiseStudy* study, int run, SweepEnd ended, char* row,
                         size_t capacity);

/// Reads which runs have rows. Returns false with a message on failure, as for rows of another
/// study.
bool poise__parts_scan(Sweep* sweep);
/// Opens a new file of rows. Returns -1 with a message on failure.
int poise__parts_open(const Sweep* sweep);
/// Removes all rows. Returns false with a message if their folder cannot be read.
bool poise__parts_forget(const Sweep* sweep);
/// Writes the table, then removes the rows. Returns false with a message on failure.
bool poise__parts_merge(const Sweep* sweep);

/// Makes those runs of the shard that have no rows, in processes. Returns EXIT_DONE; on failure
/// EXIT_INTERRUPTED or EXIT_INPUT with a message.
int poise__workers_run(Sweep* sweep);

#endif
