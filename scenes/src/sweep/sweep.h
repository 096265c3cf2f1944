// SPDX-License-Identifier: MIT
// `poise sweep`: the runs of a study, in processes, kept row by row, merged into one table.
#ifndef POISE_SWEEP_H
#define POISE_SWEEP_H

#include "console.h"
#include "poise/study.h"

/// `poise sweep`: gets the arguments from its own name on; returns what the program ends with.
int poise__command_sweep(int argc, char** argv);

typedef struct Sweep {
    const PoiseStudy* study;
    const char* out;  ///< the table
    char parts[1024]; ///< the folder of rows
    int shard;        ///< from 1
    int shards;
    int jobs;
    bool quiet;
    bool* done; ///< of each run: it has a row
    int done_count;
} Sweep;

/// Makes the row of one run, with its newline, in `row`: number, values, status, reason, figures,
/// hash. False where memory, processes or descriptors are short, or a file has changed; `row` is
/// then the reason.
bool poise__sweep_row(const PoiseStudy* study, int run, char* row, size_t capacity);
/// The names of the columns, likewise.
void poise__sweep_head(const PoiseStudy* study, FILE* out);
/// How a run without figures ended, and why.
typedef struct SweepEnd {
    const char* status;
    const char* reason;
} SweepEnd;

/// Its row. Returns the length.
long poise__sweep_row_of(const PoiseStudy* study, int run, SweepEnd ended, char* row,
                         size_t capacity);

/// Reads which runs have rows; false with a message (rows of another study).
bool poise__parts_scan(Sweep* sweep);
/// A new file of rows; -1 with a message.
int poise__parts_open(const Sweep* sweep);
/// Takes all rows away.
void poise__parts_forget(const Sweep* sweep);
/// Writes the table and takes the rows away; false with a message.
bool poise__parts_merge(const Sweep* sweep);

/// Runs what is not done yet of the shard, in processes: EXIT_DONE, or with a message
/// EXIT_INTERRUPTED, or EXIT_INPUT where it cannot.
int poise__workers_run(Sweep* sweep);

#endif
