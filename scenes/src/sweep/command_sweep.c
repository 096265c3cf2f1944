// SPDX-License-Identifier: MIT
// `poise sweep`: runs a study and writes its table.
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.h"

static const char usage[] =
    "usage: poise sweep STUDY.yaml [options]\n"
    "       poise sweep SCENE --vary KEY=VALUES.. --figures NAME,.. [options]\n"
    "Runs a scene many times with other values of the varied keys, and writes a table: a row for\n"
    "each run, with its values, how it ended and its figures. The table is the same to the last\n"
    "byte for any number of processes and shards.\n"
    "  --vary KEY=VALUES  a key as in --set of poise run, and its values: A,B,C is a list, A:B:N\n"
    "                     are N values from A to B, draw:A:B is a random value in each run; :log\n"
    "                     at the end gives a scale of logarithms; or as in a study's file. Given\n"
    "                     again: all combinations are run\n"
    "  --figures NAME,..  figures of each run: hand.rms_error, elbow.torque, energy.kinetic\n"
    "  --seconds S        length of each run (the scene's)\n"
    "  --seed N           seed of the draws\n"
    "  --draws N          runs of each combination\n"
    "  --out FILE         the table (the study's or scene's name with .csv)\n"
    "  --jobs N           number of processes (one for each processor)\n"
    "  --shard K/N        only each N-th run from the K-th on, for several machines that share a\n"
    "                     folder; the last to end writes the table\n"
    "  --resume           continues a study that was ended; runs with a row are not repeated\n"
    "  --again            removes existing rows and begins anew\n"
    "  --list             prints the runs with their values, without running them\n"
    "  --quiet            no progress\n"
    "Ends with 130 if interrupted. Rows are kept in FILE.parts until all are there.\n";

enum { MOST_SETTINGS = 64, SETTING = 1024 };

typedef struct SweepOptions {
    const char* file;
    bool varies; ///< True if the file is a scene
    const char* out;
    int jobs;
    int shard;
    int shards;
    bool resume;
    bool again;
    bool list;
    bool quiet;
    int setting_count;
    char settings[MOST_SETTINGS][SETTING]; ///< for PoiseStudySource
} SweepOptions;

static bool read_shard(void* request, const char* option, const char* text) {
    SweepOptions* options = request;
    char* slash = NULL;
    char* end = NULL;
    const long shard = strtol(text, &slash, 10);
    const long shards = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (!end || *end || shards < 1 || shards > 1000000 || shard < 1 || shard > shards) {
        fprintf(stderr, "poise: %s: K/N is due with K from 1 to N, not '%s'\n", option, text);
        return false;
    }
    options->shard = (int)shard;
    options->shards = (int)shards;
    return true;
}

static bool add_setting(SweepOptions* options, const char* before, const char* value) {
    char* setting = options->settings[options->setting_count];
    if (options->setting_count == MOST_SETTINGS - 1 ||
        snprintf(setting, SETTING, "%s%s", before, value) >= SETTING) {
        fputs("poise: so much belongs in a study's file: --help names its options\n", stderr);
        return false;
    }
    options->setting_count++;
    return true;
}

static bool read_vary(void* request, const char* option, const char* text) {
    SweepOptions* options = request;
    (void)option;
    options->varies = true;
    return add_setting(options, "vary.", text);
}

// Adds an option that has the same name as a member of the study's file.
static bool read_setting(void* request, const char* option, const char* text) {
    char before[40];
    snprintf(before, sizeof before, "%s=", option + 2);
    return add_setting(request, before, text);
}

static int read_options(SweepOptions* options, int argc, char** argv) {
    static const CommandOption rows[] = {
        {"vary", OPTION_TEXT, .take = read_vary},
        {"figures", OPTION_TEXT, .take = read_setting},
        {"seconds", OPTION_TEXT, .take = read_setting},
        {"seed", OPTION_TEXT, .take = read_setting},
        {"draws", OPTION_TEXT, .take = read_setting},
        {"out", OPTION_TEXT, .offset = offsetof(SweepOptions, out)},
        {"jobs", OPTION_COUNT, .offset = offsetof(SweepOptions, jobs), .most = 1024.0},
        {"shard", OPTION_TEXT, .take = read_shard},
        {"resume", OPTION_FLAG, .offset = offsetof(SweepOptions, resume)},
        {"again", OPTION_FLAG, .offset = offsetof(SweepOptions, again)},
        {"list", OPTION_FLAG, .offset = offsetof(SweepOptions, list)},
        {"quiet", OPTION_FLAG, .offset = offsetof(SweepOptions, quiet)},
        {.name = NULL},
    };
    const CommandLine line = {usage, rows, options, &options->file, NULL};
    const int code = poise__read_line(&line, argc, argv);
    if (code == GO_ON && options->resume && options->again) {
        fputs("poise: --resume and --again: one of them\n", stderr);
        return EXIT_USAGE;
    }
    return code;
}

// Names the table (--out, or the study's name with .csv) and the folder of rows.
static void name_files(Sweep* sweep, const SweepOptions* options, char out[900]) {
    const char* dot = strrchr(options->file, '.');
    const int stem =
        dot && !strchr(dot, '/') ? (int)(dot - options->file) : (int)strlen(options->file);
    snprintf(out, 900, "%.*s.csv", stem, options->file);
    sweep->out = options->out ? options->out : out;
    snprintf(sweep->parts, sizeof sweep->parts, "%.1000s.parts", sweep->out);
}

// True if the table can be written. An existing table stays until then.
static bool try_output(const Sweep* sweep, const PoiseDiagnostics* inputs) {
    const char* const others[] = {NULL};
    PoiseOutput output = {0};
    const bool fine = poise__open_output(&output, sweep->out, inputs, others);
    poise_output_drop(&output);
    return fine;
}

static void list_runs(const PoiseStudy* study) {
    fputs("run", stdout);
    for (int i = 0; i < poise_study_key_count(study); i++) {
        printf("  %s", poise_study_key(study, i));
    }
    putchar('\n');
    for (int run = 0; run < poise_study_run_count(study); run++) {
        printf("%d", run);
        for (int i = 0; i < poise_study_key_count(study); i++) {
            char text[POISE_STUDY_VALUE];
            printf("  %s", poise_study_value(study, run, i, text, sizeof text));
        }
        putchar('\n');
    }
}

// Makes the first run: an error of all runs is then reported once, before them.
static bool try_first(const SweepOptions* options, const PoiseStudy* study) {
    PoiseStudyRow row = {.status = ""};
    if (poise_study_run_count(study) > 0 && poise_study_run(study, 0, &row) != POISE_OK) {
        fprintf(stderr, "poise: %s\n", row.reason[0] ? row.reason : "memory is short");
        return false;
    }
    const bool refused = strcmp(row.status, "refused") == 0;
    if (refused) {
        fprintf(stderr, "poise: %s: the first run is refused: %s\n", options->file, row.reason);
    }
    return !refused;
}

static int run_all(Sweep* sweep, const SweepOptions* options) {
    if ((options->again && !poise__parts_forget(sweep)) || !poise__parts_scan(sweep)) {
        return EXIT_INPUT;
    }
    if (sweep->done_count > 0 && !options->resume && sweep->shards == 1) {
        fprintf(stderr, "poise: %s has %d rows already: --resume goes on, --again begins anew\n",
                sweep->parts, sweep->done_count);
        return EXIT_USAGE;
    }
    const int code = poise__workers_run(sweep);
    if (code != EXIT_DONE || !poise__parts_scan(sweep)) {
        return code != EXIT_DONE ? code : EXIT_INPUT;
    }
    if (sweep->done_count < poise_study_run_count(sweep->study)) {
        fprintf(stderr, "poise: %d of %d rows are in %s; other shards have the rest\n",
                sweep->done_count, poise_study_run_count(sweep->study), sweep->parts);
        return EXIT_DONE;
    }
    if (!poise__parts_merge(sweep)) {
        return EXIT_INPUT;
    }
    if (!options->quiet) {
        fprintf(stderr, "poise: %d runs are in %s\n", poise_study_run_count(sweep->study),
                sweep->out);
    }
    return EXIT_DONE;
}

static int sweep_study(const SweepOptions* options, const PoiseStudy* study,
                       const PoiseDiagnostics* inputs) {
    char out[900];
    Sweep sweep = {.study = study,
                   .shard = options->shard,
                   .shards = options->shards,
                   .jobs = options->jobs,
                   .quiet = options->quiet};
    name_files(&sweep, options, out);
    sweep.done = calloc((size_t)poise_study_run_count(study) + 1, sizeof *sweep.done);
    int code = EXIT_INPUT;
    if (!sweep.done) {
        fputs("poise: memory is short\n", stderr);
    } else if (options->list) {
        list_runs(study);
        code = EXIT_DONE;
    } else if (try_output(&sweep, inputs) && try_first(options, study)) {
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
    char found[900];
    if (!options.varies &&
        poise_scene_find_file(options.file, found, sizeof found) != options.file) {
        fprintf(stderr,
                "poise: '%s' is a scene: --vary says what to vary, --figures what to keep\n",
                options.file);
        return EXIT_USAGE;
    }
    if (options.varies && !add_setting(&options, "scene=", options.file)) {
        return EXIT_USAGE;
    }
    const char* settings[MOST_SETTINGS];
    for (int i = 0; i < options.setting_count; i++) {
        settings[i] = options.settings[i];
    }
    const PoiseStudySource source = {.path = options.varies ? NULL : options.file,
                                     .settings = settings,
                                     .setting_count = options.setting_count};
    PoiseDiagnostics* diagnostics = poise__open_diagnostics();
    PoiseStudy* study = diagnostics ? poise_study_load(&source, diagnostics) : NULL;
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    code = study ? sweep_study(&options, study, diagnostics) : EXIT_INPUT;
    poise_study_destroy(study);
    poise_diagnostics_destroy(diagnostics);
    return poise__finish_output(code);
}
