// SPDX-License-Identifier: MIT
// `poise run`: simulates a scene from start to end, and reports its figures.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "poise/ode_memory.h"
#include "poise/simulation.h"
#include "run.h"

// --------------------------------------------------------------------------------------- options

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

// Reads the arguments. Returns GO_ON, or the exit code.
static int read_options(RunOptions* options, int argc, char** argv) {
    const CommandLine line = {usage, rows, options, &options->scene, &options->reading};
    const int code = poise__read_line(&line, argc, argv);
    options->json = options->json || options->json_line;
    if (code == GO_ON && options->json && options->csv && strcmp(options->csv, "-") == 0) {
        fputs("poise: --csv - and --json both write to stdout: name a file for --csv\n", stderr);
        return EXIT_USAGE;
    }
    return code;
}

// ------------------------------------------------------------------------------------ interrupts

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
enum { INTERRUPT_COUNT = (int)(sizeof interrupts / sizeof interrupts[0]) };

// True once SIGINT, SIGTERM or SIGHUP arrived. Global, since a signal handler gets no pointer.
static volatile sig_atomic_t interrupted;

// Ends the run after its step at the first interrupt, and the program at the second.
static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
    poise_output_end_by_signals();
}

// Catches interrupts while steps are made. SIGHUP stays ignored under nohup. SIGINT is caught even
// if the shell made the program ignore it, as shells do for commands in the background.
static void catch_interrupts(void) {
    for (int i = 0; i < INTERRUPT_COUNT; i++) {
        struct sigaction action;
        if (sigaction(interrupts[i], NULL, &action) == 0 &&
            (action.sa_handler != SIG_IGN || interrupts[i] != SIGHUP)) {
            action.sa_handler = on_interrupt;
            action.sa_flags = SA_RESTART;
            sigemptyset(&action.sa_mask);
            (void)sigaction(interrupts[i], &action, NULL);
        }
    }
}

// --------------------------------------------------------------------------------------- the run

static void show_progress(const Run* run, Progress* progress, bool last) {
    const double simulated = poise_simulation_time(run->simulation);
    const double passed = poise__now() - progress->start;
    poise__progress_show(progress, (double)run->step_count / (double)run->step_total, last,
                         "%.2f s, %.3g times real time ", simulated,
                         passed > 0.0 ? simulated / passed : 0.0);
}

static bool prepare(Run* run) {
    run->points = poise_statistics_create(run->simulation);
    bool fine = run->points != NULL;
    if (fine && run->csv.file) {
        fine = poise__columns_make(run->simulation, POISE_FIGURE_CSV, &run->columns);
    }
    if (fine && run->options->plot) {
        fine = poise__history_create(&run->history, run->simulation);
    }
    double seconds = run->options->seconds > 0.0 ? run->options->seconds : run->scene->seconds;
    double steps = floor(seconds / run->scene->world.step + 0.5);
    run->step_total = steps < 1.0 ? 1 : (long)fmin(steps, 1e15);
    return fine;
}

// Records the figures of the step. Returns false if the CSV cannot be written, which ends the run.
static bool record(Run* run) {
    poise_statistics_add(run->points, run->simulation, run->step_total);
    poise__history_add(&run->history, run->simulation);
    if (run->csv.file) {
        poise__csv_row(run->csv.file, &run->columns, run->simulation);
    }
    return !run->csv.file || poise_output_fine(&run->csv);
}

static void step_to_end(Run* run) {
    Progress progress = poise__progress_start(run->options->quiet);
    if (run->csv.file) {
        poise__csv_header(run->csv.file, &run->columns, run->simulation);
    }
    run->status = RUN_OK;
    while (run->step_count < run->step_total && run->status == RUN_OK) {
        PoiseStatus status = poise_simulation_step(run->simulation);
        run->step_count = poise_simulation_step_count(run->simulation);
        if (status < 0 || poise_ode_memory_was_short()) {
            run->status = status >= 0 || status == POISE_ERROR_OUT_OF_MEMORY ? RUN_SHORT_OF_MEMORY
                                                                             : RUN_BLOWN_UP;
        } else if (!record(run)) {
            run->status = RUN_UNWRITTEN;
        } else if (interrupted) {
            run->status = RUN_INTERRUPTED;
        }
        show_progress(run, &progress, false);
    }
    show_progress(run, &progress, true);
}

static int code_of(RunStatus status) {
    switch (status) {
    case RUN_OK:
        return EXIT_DONE;
    case RUN_MISSED:
        return EXIT_MISSED;
    case RUN_BLOWN_UP:
        return EXIT_BLOWN_UP;
    case RUN_SHORT_OF_MEMORY:
    case RUN_UNWRITTEN:
        return EXIT_INPUT;
    case RUN_INTERRUPTED:
        return EXIT_INTERRUPTED;
    }
    return EXIT_INPUT;
}

// Closes the outputs. Returns false if one could not be written, which is reported. A run that
// lacked memory writes none.
static bool write_outputs(Run* run) {
    const RunOptions* options = run->options;
    if (run->status == RUN_SHORT_OF_MEMORY) {
        poise_output_drop(&run->csv);
        poise_output_drop(&run->plot);
        return false;
    }
    bool fine = !options->csv || poise__close_output(&run->csv, options->csv, NULL);
    if (options->plot) {
        const bool drawn = poise__plot_write(run, run->plot.file);
        fine = poise__close_output(&run->plot, options->plot, drawn ? NULL : "memory is short") &&
               fine;
    }
    return fine;
}

static void name_outputs(const RunOptions* options) {
    if (options->csv && strcmp(options->csv, "-") != 0) {
        fprintf(stderr, "poise: figures are in %s\n", options->csv);
    }
    if (options->plot) {
        fprintf(stderr, "poise: the plot is in %s\n", options->plot);
    }
}

// Prints the bounds of `expect` that the figures exceed. Returns true if there is none.
static bool keeps_bounds(const Run* run) {
    const PoiseFigureSource source = {run->simulation, run->points};
    bool kept = true;
    // The scene's expectations are meant for a run of the scene's whole length.
    if (run->options->seconds > 0.0 && run->options->seconds < run->scene->seconds) {
        fprintf(stderr, "poise: --expect: the bounds are for the scene's %g s, these are %g s\n",
                run->scene->seconds, run->options->seconds);
    }
    for (int i = 0; i < run->scene->bound_count; i++) {
        const PoiseSceneFigure* bound = &run->scene->bounds[i];
        double value = poise_figure_number(bound->figure, &source, bound->owner.index);
        if (value <= bound->upper) {
            continue;
        }
        kept = false;
        if (isnan(value)) {
            fprintf(stderr, "poise: missed: %s.%s has no value, at most %g is expected\n",
                    bound->owner.name, bound->field, bound->upper);
        } else {
            fprintf(stderr, "poise: missed: %s.%s is %g, at most %g is expected\n",
                    bound->owner.name, bound->field, value, bound->upper);
        }
    }
    return kept;
}

static void say_end(Run* run) {
    switch (run->status) {
    case RUN_BLOWN_UP:
        fprintf(stderr, "poise: %s; shorten world.step or soften what pulls there\n",
                poise_simulation_trouble(run->simulation));
        break;
    case RUN_SHORT_OF_MEMORY:
        fprintf(stderr, "poise: %s\n",
                poise_simulation_trouble(run->simulation)[0]
                    ? poise_simulation_trouble(run->simulation)
                    : "memory is short");
        break;
    case RUN_INTERRUPTED:
        fprintf(stderr, "poise: interrupted at %.6g s\n", poise_simulation_time(run->simulation));
        break;
    default:
        if (run->options->expect && !keeps_bounds(run)) {
            run->status = RUN_MISSED;
        }
        break;
    }
}

static const char* status_word(RunStatus status) {
    static const char* const words[] = {[RUN_OK] = "ok",
                                        [RUN_MISSED] = "missed",
                                        [RUN_BLOWN_UP] = "blew_up",
                                        [RUN_SHORT_OF_MEMORY] = "out_of_memory",
                                        [RUN_UNWRITTEN] = "unwritten",
                                        [RUN_INTERRUPTED] = "interrupted"};
    return words[status];
}

static void print_json(const Run* run) {
    const PoiseReport report = {.simulation = run->simulation,
                                .points = run->points,
                                .status = status_word(run->status),
                                .set = run->options->reading.overrides,
                                .set_count = run->options->reading.override_count,
                                .units = run->options->units,
                                .line = run->options->json_line};
    poise_report_json(&report, stdout);
}

// Writes the outputs, then forecasts and reports. A signal may end the forecasts, which take long.
static int finish(Run* run) {
    const RunOptions* options = run->options;
    const bool written = write_outputs(run);
    poise_output_end_by_signals();
    const bool ended = run->status != RUN_BLOWN_UP && run->status != RUN_SHORT_OF_MEMORY;
    if (poise_statistics_finish(run->points, run->simulation, ended) < 0) {
        run->status = RUN_SHORT_OF_MEMORY;
    }
    say_end(run);
    if (written && !options->quiet && !options->json) {
        name_outputs(options);
    }
    if (options->json) {
        print_json(run);
    } else if (!options->quiet) {
        const bool is_taken = options->csv && strcmp(options->csv, "-") == 0;
        poise__report_table(run, is_taken ? stderr : stdout);
    }
    int code = code_of(run->status);
    return poise__finish_output(code == EXIT_DONE && !written ? EXIT_INPUT : code);
}

// ----------------------------------------------------------------------------------- last resort

// The run that is simulated; NULL between runs. Global, since ODE's error handlers get no pointer.
// ODE ends the process when its handler returns, so the handler reports the run and exits.
static Run* in_step;

static void end_in_order(int number, const char* text, va_list arguments) {
    (void)number;
    (void)text;
    (void)arguments;
    Run* run = in_step;
    in_step = NULL;
    if (!run) {
        _exit(EXIT_BLOWN_UP);
    }
    poise_simulation_give_up(run->simulation);
    run->status = RUN_BLOWN_UP;
    run->step_count = poise_simulation_step_count(run->simulation);
    exit(finish(run));
}

static void watch_steps(Run* run) {
    in_step = run;
    dSetDebugHandler(run ? end_in_order : NULL);
    dSetErrorHandler(run ? end_in_order : NULL);
}

static int run_simulation(Run* run) {
    int code = EXIT_INPUT;
    if (prepare(run)) {
        catch_interrupts();
        watch_steps(run);
        step_to_end(run);
        watch_steps(NULL);
        code = finish(run);
    } else {
        fprintf(stderr, "poise: memory is short\n");
    }
    poise__columns_free(&run->columns);
    poise__history_free(&run->history);
    poise_statistics_destroy(run->points);
    return code;
}

// Opens the output files before the run starts. Returns false with a message on failure.
static bool open_outputs(Run* run, const PoiseDiagnostics* inputs) {
    const RunOptions* options = run->options;
    const char* const none[] = {NULL};
    const char* const csv[] = {options->csv, NULL};
    return (!options->csv || poise__open_output(&run->csv, options->csv, inputs, none)) &&
           (!options->plot || poise__open_output(&run->plot, options->plot, inputs, csv));
}

static int run_scene(const RunOptions* options) {
    const PoiseSceneSource source = poise__source(options->scene, &options->reading);
    OpenScene open;
    const bool fine = poise__open_scene(&open, &source);
    poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    Run run = {.options = options, .scene = open.scene, .simulation = open.simulation};
    int code = EXIT_INPUT;
    if (fine && options->expect && open.scene->bound_count == 0) {
        fprintf(stderr, "poise: --expect: %s states no bounds ('expect:')\n", options->scene);
        code = EXIT_USAGE;
    } else if (fine && open_outputs(&run, open.diagnostics)) {
        dRandSetSeed(options->seed);
        code = run_simulation(&run);
        poise__print_left_out(open.diagnostics);
    }
    poise_output_drop(&run.csv);
    poise_output_drop(&run.plot);
    poise__close_scene(&open);
    return code;
}

int poise__command_run(int argc, char** argv) {
    RunOptions options = {0};
    const int code = read_options(&options, argc, argv);
    return code == GO_ON ? run_scene(&options) : code;
}
