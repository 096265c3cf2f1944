// SPDX-License-Identifier: MIT
// `poise sweep`: a study from its file to its table.
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.h"

static const char usage[] =
    "usage: poise sweep STUDY.yaml [options]\n"
    "Runs a scene many times, each with other values of the keys that the study varies, and\n"
    "writes a table: a row a run, with its values, how it ended and its figures. The table is\n"
    "the same to the last byte for any number of processes and shards.\n"
    "  --out FILE         the table (the study's name with .csv)\n"
    "  --jobs N           so many processes (one a processor)\n"
    "  --shard K/N        only each N-th run from the K-th on, for several machines that share a\n"
    "                     folder; the last to end writes the table\n"
    "  --resume           goes on with a study that was ended; what has a row is not run again\n"
    "  --again            forgets rows that are there, and begins anew\n"
    "  --list             the runs with their values, and nothing is run\n"
    "  --quiet            no progress\n"
    "Ends with 130 where it was interrupted. Rows are kept in FILE.parts until all are there.\n";

typedef struct SweepOptions {
    const char* study;
    const char* out;
    int jobs;
    int shard;
    int shards;
    bool resume;
    bool again;
    bool list;
    bool quiet;
} SweepOptions;

enum { MOST = 1024 };

static bool read_shard(SweepOptions* options, const char* text) {
    char* slash = NULL;
    char* end = NULL;
    const long shard = strtol(text, &slash, 10);
    const long shards = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (!end || *end || shards < 1 || shards > 1000000 || shard < 1 || shard > shards) {
        fprintf(stderr, "poise: --shard: K/N is due with K from 1 to N, not '%s'\n", text);
        return false;
    }
    options->shard = (int)shard;
    options->shards = (int)shards;
    return true;
}

static bool read_option(void* request, int option) {
    SweepOptions* options = request;
    double value = 0.0;
    switch (option) {
    case 'o':
        options->out = optarg;
        return true;
    case 'j':
        if (!poise__parse_count("--jobs", optarg, 1.0, MOST, &value)) {
            return false;
        }
        options->jobs = (int)value;
        return true;
    case 's':
        return read_shard(options, optarg);
    case 'r':
        options->resume = true;
        return true;
    case 'a':
        options->again = true;
        return true;
    case 'l':
        options->list = true;
        return true;
    case 'q':
        options->quiet = true;
        return true;
    default:
        return false;
    }
}

static int read_options(SweepOptions* options, int argc, char** argv) {
    static const struct option longs[] = {{"out", required_argument, NULL, 'o'},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"shard", required_argument, NULL, 's'},
                                          {"resume", no_argument, NULL, 'r'},
                                          {"again", no_argument, NULL, 'a'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const CommandLine line = {usage, longs, read_option, options, &options->study};
    const int code = poise__read_line(&line, argc, argv);
    if (code == GO_ON && options->resume && options->again) {
        fputs("poise: --resume and --again: one of them\n", stderr);
        return EXIT_USAGE;
    }
    return code;
}

// the study's name with .csv, or what is asked for; and the folder of rows
static void name_files(Sweep* sweep, const SweepOptions* options, char out[900]) {
    const char* dot = strrchr(options->study, '.');
    const int stem =
        dot && !strchr(dot, '/') ? (int)(dot - options->study) : (int)strlen(options->study);
    snprintf(out, 900, "%.*s.csv", stem, options->study);
    sweep->out = options->out ? options->out : out;
    snprintf(sweep->parts, sizeof sweep->parts, "%.1000s.parts", sweep->out);
}

static void list_runs(const Study* study) {
    fputs("run", stdout);
    for (int i = 0; i < study->varied_count; i++) {
        printf("  %s", study->varied[i].key);
    }
    putchar('\n');
    for (long run = 0; run < study->run_count; run++) {
        printf("%ld", run);
        for (int i = 0; i < study->varied_count; i++) {
            char text[STUDY_VALUE];
            printf("  %s", poise__study_value(study, run, i, text));
        }
        putchar('\n');
    }
}

// the scene with the first run's values: what is wrong with all runs is said once, before them
static bool try_first(const Study* study) {
    char row[4096];
    const bool made = study->run_count == 0 || poise__sweep_row(study, 0, row, sizeof row);
    const char* refused = made && study->run_count > 0 ? strstr(row, ",refused,") : NULL;
    if (refused) {
        fprintf(stderr, "poise: %s: the first run is refused: %s", study->file,
                refused + strlen(",refused,"));
    }
    return made && !refused;
}

static int run_all(Sweep* sweep, const SweepOptions* options) {
    if (options->again) {
        poise__parts_forget(sweep);
    }
    if (!poise__parts_scan(sweep)) {
        return EXIT_INPUT;
    }
    if (sweep->done_count > 0 && !options->resume && sweep->shards == 1) {
        fprintf(stderr, "poise: %s has %ld rows already: --resume goes on, --again begins anew\n",
                sweep->parts, sweep->done_count);
        return EXIT_USAGE;
    }
    if (!poise__workers_run(sweep)) {
        return poise__parts_scan(sweep) ? EXIT_INTERRUPTED : EXIT_INPUT;
    }
    if (!poise__parts_scan(sweep)) {
        return EXIT_INPUT;
    }
    if (sweep->done_count < sweep->study->run_count) {
        fprintf(stderr, "poise: %ld of %ld rows are in %s; other shards have the rest\n",
                sweep->done_count, sweep->study->run_count, sweep->parts);
        return EXIT_DONE;
    }
    if (!poise__parts_merge(sweep)) {
        return EXIT_INPUT;
    }
    if (!options->quiet) {
        fprintf(stderr, "poise: %ld runs are in %s\n", sweep->study->run_count, sweep->out);
    }
    return EXIT_DONE;
}

static int sweep_study(const SweepOptions* options, const Study* study) {
    char out[900];
    Sweep sweep = {.study = study,
                   .shard = options->shard,
                   .shards = options->shards,
                   .jobs = options->jobs,
                   .quiet = options->quiet};
    name_files(&sweep, options, out);
    sweep.done = calloc((size_t)study->run_count + 1, sizeof *sweep.done);
    int code = EXIT_INPUT;
    if (!sweep.done) {
        fputs("poise: memory is short\n", stderr);
    } else if (options->list) {
        list_runs(study);
        code = EXIT_DONE;
    } else if (try_first(study)) {
        code = run_all(&sweep, options);
    }
    free(sweep.done);
    return code;
}

int poise__command_sweep(int argc, char** argv) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    SweepOptions options = {.jobs = processors > 1 ? (int)processors : 1, .shard = 1, .shards = 1};
    int code = read_options(&options, argc, argv);
    if (code != GO_ON) {
        return code;
    }
    Arena arena;
    Study study;
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    poise__arena_init(&arena, NULL);
    code = EXIT_INPUT;
    const bool fine = diagnostics && poise__study_read(&study, &arena, options.study, diagnostics);
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    if (fine) {
        code = sweep_study(&options, &study);
    }
    poise__arena_finish(&arena);
    poise_diagnostics_destroy(diagnostics);
    return poise__finish_output(code);
}
