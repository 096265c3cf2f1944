// SPDX-License-Identifier: MIT
// Reads the command line of `poise run`.
#include <stddef.h>
#include <string.h>

#include "run.h"

static const char usage[] =
    "usage: poise run SCENE [options]\n"
    "  --seconds S        how long, as 3 or 3s, instead of what the scene says\n"
    "  --csv FILE         a row of figures after each step; with - on stdout, and the table goes "
    "to\n"
    "                     stderr\n"
    "  --plot FILE        errors, recorded figures and paths, drawn as SVG, PNG or PDF: the "
    "ending\n"
    "                     of the name, .svg, .png or .pdf, says which\n"
    "  --json             the report as one JSON object, in place of the table\n"
    "  --json-lines       the same in one line, for files of many reports\n"
    "  --units            the JSON has the units of its figures\n"
    "  --expect           ends with 1 when a bound of the scene's `expect` is not kept; the "
    "bounds\n"
    "                     are for the scene's whole length\n"
    "  --seed N           of ODE's quick step (world.quick_iterations)\n"
    "  --quiet            no table and no progress\n" TRUST_USAGE "Examples:\n"
    "  poise run panda_square                          a scene by its name\n"
    "  poise run arm.yaml --csv arm.csv --plot arm.svg   a row for each step, and a plot\n"
    "  poise run reach --set 'joints.*.ik.spring=300'   with softer springs\n";

static bool read_plot(void* request, const char* option, const char* text) {
    RunOptions* options = request;
    options->plot = text;
    if (!poise__plot_is_format(text)) {
        fprintf(stderr,
                "poise: %s: a name that ends in .svg, .png or .pdf is due, not '%s'; .png and .pdf "
                "need a build with cairo\n",
                option, text);
        return false;
    }
    return true;
}

static bool read_seconds(void* request, const char* option, const char* text) {
    RunOptions* options = request;
    if (!poise__parse_seconds(option, text, &options->seconds)) {
        return false;
    }
    if (!(options->seconds > 0.0) || options->seconds > 1e6) {
        fprintf(stderr, "poise: %s: above 0 and at most 1e6, not %s\n", option, text);
        return false;
    }
    return true;
}

static const CommandOption rows[] = {
    {"seconds", OPTION_TEXT, .take = read_seconds},
    {"csv", OPTION_TEXT, .offset = offsetof(RunOptions, csv)},
    {"plot", OPTION_TEXT, .take = read_plot},
    {"json", OPTION_FLAG, .offset = offsetof(RunOptions, json)},
    {"json-lines", OPTION_FLAG, .offset = offsetof(RunOptions, json_line)},
    {"units", OPTION_FLAG, .offset = offsetof(RunOptions, units)},
    {"expect", OPTION_FLAG, .offset = offsetof(RunOptions, expect)},
    {"seed", OPTION_SEED, .offset = offsetof(RunOptions, seed)},
    {"quiet", OPTION_FLAG, .offset = offsetof(RunOptions, quiet)},
    {.name = NULL},
};

int poise__run_options_read(RunOptions* options, int argc, char** argv) {
    const CommandLine line = {usage, rows, options, &options->scene, &options->reading};
    const int code = poise__read_line(&line, argc, argv);
    options->json = options->json || options->json_line;
    if (code == GO_ON && options->json && options->csv && strcmp(options->csv, "-") == 0) {
        fputs("poise: --csv - and --json both write to stdout: name a file for --csv\n", stderr);
        return EXIT_USAGE;
    }
    return code;
}
