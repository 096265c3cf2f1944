// SPDX-License-Identifier: MIT
// `poise run`: a scene from its start to its end, with figures.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "poise/simulation.h"
#include "run.h"

// the progress bar is drawn anew after so much time, s
#define PROGRESS_EVERY 0.1
#define PROGRESS_WIDTH 40

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ------------------------------------------------------------------------------------ interrupts

// SIGINT and SIGTERM are held back and asked for between steps: no handler, no global
static void interrupt_signals(sigset_t* set) {
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

static bool take_interrupt(void) {
    sigset_t set;
    const struct timespec at_once = {0, 0};
    interrupt_signals(&set);
    return sigtimedwait(&set, NULL, &at_once) > 0;
}

// -------------------------------------------------------------------------------------- progress

typedef struct Progress {
    bool shown;
    double start;
    double last;
} Progress;

static void show_progress(const Run* run, Progress* progress, bool last) {
    double time = now();
    if (!progress->shown || (!last && time - progress->last < PROGRESS_EVERY)) {
        return;
    }
    progress->last = time;
    double part = (double)run->step_count / (double)run->step_total;
    double simulated = poise_simulation_time(run->simulation);
    char bar[PROGRESS_WIDTH + 1];
    for (int i = 0; i < PROGRESS_WIDTH; i++) {
        bar[i] = (double)i < part * PROGRESS_WIDTH ? '=' : ' ';
    }
    bar[PROGRESS_WIDTH] = '\0';
    double passed = time - progress->start;
    fprintf(stderr, "\r[%s] %3.0f %%  %.2f s, %.3g times real time \033[K", bar, 100.0 * part,
            simulated, passed > 0.0 ? simulated / passed : 0.0);
    fputs(last ? "\r\033[K" : "", stderr);
}

// --------------------------------------------------------------------------------------- the run

static bool prepare(Run* run) {
    run->points = poise__statistics_create(run->simulation);
    bool fine = run->points != NULL;
    if (fine && run->csv) {
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

static void record(Run* run) {
    poise__statistics_add(run->points, run->simulation, run->step_total);
    if (run->csv && !run->csv_trouble &&
        !poise__csv_row(run->csv, &run->columns, run->simulation)) {
        run->csv_trouble = strerror(errno);
    }
    poise__history_add(&run->history, run->simulation);
}

static void finish_figures(Run* run) {
    const bool ended = run->status != RUN_BLOWN_UP && run->status != RUN_SHORT_OF_MEMORY;
    poise__statistics_finish(run->points, run->simulation, ended);
}

static void step_to_end(Run* run) {
    Progress progress = {isatty(STDERR_FILENO) && !run->options->quiet, now(), 0.0};
    if (run->csv && !poise__csv_header(run->csv, &run->columns, run->simulation)) {
        run->csv_trouble = strerror(errno);
    }
    run->status = RUN_OK;
    while (run->step_count < run->step_total && run->status == RUN_OK) {
        PoiseStatus status = poise_simulation_step(run->simulation);
        run->step_count = poise_simulation_step_count(run->simulation);
        if (status < 0) {
            run->status = status == POISE_ERROR_OUT_OF_MEMORY ? RUN_SHORT_OF_MEMORY : RUN_BLOWN_UP;
            break;
        }
        record(run);
        show_progress(run, &progress, false);
        if (take_interrupt()) {
            run->status = RUN_INTERRUPTED;
        }
    }
    show_progress(run, &progress, true);
    finish_figures(run);
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
        return EXIT_INPUT;
    case RUN_INTERRUPTED:
        return EXIT_INTERRUPTED;
    }
    return EXIT_INPUT;
}

static int close_csv(Run* run) {
    if (!run->csv) {
        return EXIT_DONE;
    }
    errno = 0;
    bool closed = run->csv == stdout ? fflush(stdout) == 0 : fclose(run->csv) == 0;
    run->csv = NULL;
    if (closed && !run->csv_trouble) {
        return EXIT_DONE;
    }
    fprintf(stderr, "poise: %s: cannot be written: %s\n", run->options->csv,
            run->csv_trouble ? run->csv_trouble : strerror(errno));
    return EXIT_INPUT;
}

static void name_outputs(const RunOptions* options) {
    if (options->csv && strcmp(options->csv, "-") != 0) {
        fprintf(stderr, "poise: figures are in %s\n", options->csv);
    }
    if (options->plot) {
        fprintf(stderr, "poise: the plot is in %s\n", options->plot);
    }
}

static int report(Run* run) {
    const RunOptions* options = run->options;
    if (run->status == RUN_BLOWN_UP) {
        fprintf(stderr, "poise: %s; shorten world.step or soften what pulls there\n",
                poise_simulation_trouble(run->simulation));
    } else if (run->status == RUN_SHORT_OF_MEMORY) {
        fprintf(stderr, "poise: %s\n", poise_simulation_trouble(run->simulation));
    } else if (run->status == RUN_INTERRUPTED) {
        fprintf(stderr, "poise: interrupted at %.6g s\n", poise_simulation_time(run->simulation));
    } else if (options->expect && !poise__expect_check(run, stderr)) {
        run->status = RUN_MISSED;
    }
    int output = close_csv(run);
    if (options->plot && poise__plot_write(run, options->plot) != EXIT_DONE) {
        output = EXIT_INPUT;
    }
    if (output == EXIT_DONE && !options->quiet && !options->json) {
        name_outputs(options);
    }
    if (options->json) {
        poise__report_json(run, stdout);
    } else if (!options->quiet) {
        poise__report_table(run, stdout);
    }
    int code = code_of(run->status);
    return poise__finish_output(code == EXIT_DONE ? output : code);
}

// ----------------------------------------------------------------------------------- last resort

// What ODE's handlers are told: they get no pointer of ours. Set while steps are made; ODE ends the
// process when its handler returns, so this one reports and ends it in order.
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
    finish_figures(run);
    exit(report(run));
}

static void watch_steps(Run* run) {
    in_step = run;
    dSetDebugHandler(run ? end_in_order : NULL);
    dSetErrorHandler(run ? end_in_order : NULL);
}

static int run_simulation(Run* run) {
    int code = EXIT_INPUT;
    if (prepare(run)) {
        watch_steps(run);
        step_to_end(run);
        watch_steps(NULL);
        code = report(run);
    } else {
        fprintf(stderr, "poise: memory is short\n");
    }
    poise__columns_free(&run->columns);
    poise__history_free(&run->history);
    free(run->points);
    return code;
}

// opens what is to be written before time is spent on it; false with a message
static bool open_outputs(Run* run) {
    const RunOptions* options = run->options;
    if (options->csv) {
        run->csv = strcmp(options->csv, "-") == 0 ? stdout : fopen(options->csv, "w");
        if (!run->csv) {
            fprintf(stderr, "poise: %s: cannot be written: %s\n", options->csv, strerror(errno));
            return false;
        }
    }
    FILE* plot = options->plot ? fopen(options->plot, "w") : NULL;
    if (options->plot && !plot) {
        fprintf(stderr, "poise: %s: cannot be written: %s\n", options->plot, strerror(errno));
        return false;
    }
    if (plot) {
        fclose(plot);
    }
    return true;
}

static int run_scene(const RunOptions* options, PoiseDiagnostics* diagnostics) {
    PoiseSceneSource source = {.path = options->scene,
                               .overrides = options->overrides,
                               .override_count = options->override_count};
    Run run = {.options = options};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    run.scene = scene;
    run.simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    int code = EXIT_INPUT;
    if (run.simulation && options->expect && scene->bound_count == 0) {
        fprintf(stderr, "poise: --expect: %s states no bounds ('expect:')\n", options->scene);
        code = EXIT_USAGE;
    } else if (run.simulation && open_outputs(&run)) {
        dRandSetSeed((unsigned long)options->seed);
        code = run_simulation(&run);
    }
    if (run.csv && run.csv != stdout) {
        fclose(run.csv);
    }
    poise_simulation_destroy(run.simulation);
    poise_scene_destroy(scene);
    return code;
}

int poise__command_run(int argc, char** argv) {
    RunOptions options;
    memset(&options, 0, sizeof options);
    options.overrides = calloc((size_t)argc, sizeof *options.overrides);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    bool done = false;
    int code = EXIT_INPUT;
    if (options.overrides && diagnostics) {
        code = poise__run_options_read(&options, argc, argv, &done);
    }
    if (code == EXIT_DONE && !done) {
        sigset_t held;
        interrupt_signals(&held);
        sigprocmask(SIG_BLOCK, &held, NULL);
        code = run_scene(&options, diagnostics);
    }
    poise_diagnostics_destroy(diagnostics);
    free(options.overrides);
    return done ? poise__finish_output(code) : code;
}
