// SPDX-License-Identifier: MIT
// The command line of `poise run`.
#include <getopt.h>
#include <string.h>

#include "run.h"

static const char usage[] =
    "usage: poise run SCENE [options]\n"
    "  --seconds S        how long, as 3 or 3s, instead of what the scene says\n"
    "  --csv FILE         a row of figures after each step\n"
    "  --plot FILE.svg    errors, recorded figures and paths, drawn as SVG\n"
    "  --json             the report as one JSON object, in place of the table\n"
    "  --json-lines       the same in one line, for files of many reports\n"
    "  --units            the JSON has the units of its figures\n"
    "  --expect           ends with 1 when a bound of the scene's `expect` is not kept; the "
    "bounds\n"
    "                     are for the scene's whole length\n"
    "  --seed N           of ODE's quick step (world.quick_iterations)\n"
    "  --quiet            no table and no progress\n" TRUST_USAGE;

enum {
    OPTION_SECONDS = 256,
    OPTION_CSV,
    OPTION_PLOT,
    OPTION_JSON,
    OPTION_JSON_LINES,
    OPTION_UNITS,
    OPTION_EXPECT,
    OPTION_SEED,
    OPTION_QUIET
};

static const struct option long_options[] = {
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"csv", required_argument, NULL, OPTION_CSV},
    {"plot", required_argument, NULL, OPTION_PLOT},
    {"json", no_argument, NULL, OPTION_JSON},
    {"json-lines", no_argument, NULL, OPTION_JSON_LINES},
    {"units", no_argument, NULL, OPTION_UNITS},
    {"expect", no_argument, NULL, OPTION_EXPECT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    TRUST_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool read_seconds(RunOptions* options, const char* text) {
    if (!poise__parse_seconds("--seconds", text, &options->seconds)) {
        return false;
    }
    if (!(options->seconds > 0.0) || options->seconds > 1e6) {
        fprintf(stderr, "poise: --seconds: above 0 and at most 1e6, not %s\n", text);
        return false;
    }
    return true;
}

static bool read_seed(RunOptions* options, const char* text) {
    if (!poise__parse_number("--seed", text, &options->seed)) {
        return false;
    }
    bool whole = options->seed >= 0.0 && options->seed <= 4294967295.0 &&
                 options->seed == (double)(uint32_t)options->seed;
    if (!whole) {
        fprintf(stderr, "poise: --seed: a whole number from 0 to 4294967295, not %s\n", text);
    }
    return whole;
}

static bool read_option(void* request, int option) {
    RunOptions* options = request;
    switch (option) {
    case OPTION_SECONDS:
        return read_seconds(options, optarg);
    case OPTION_SEED:
        return read_seed(options, optarg);
    case OPTION_CSV:
        options->csv = optarg;
        return true;
    case OPTION_PLOT:
        options->plot = optarg;
        return true;
    case OPTION_JSON:
        options->json = true;
        return true;
    case OPTION_JSON_LINES:
        options->json = true;
        options->json_line = true;
        return true;
    case OPTION_UNITS:
        options->units = true;
        return true;
    case OPTION_EXPECT:
        options->expect = true;
        return true;
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    default:
        // what is wrong has been said
        return poise__parse_reading(option, &options->reading);
    }
}

int poise__run_options_read(RunOptions* options, int argc, char** argv) {
    const CommandLine line = {usage, long_options, read_option, options, &options->scene};
    return poise__read_line(&line, argc, argv);
}
