// SPDX-License-Identifier: MIT
// Solves the targets of `poise solve --targets`: each by itself and timed, or several at once on
// threads.
#include "solve_targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve.h"

// Targets per part. Each part is solved, written and shown before the next.
enum { PART = 4096, REASONS = POISE_REACH_OUT_OF_REACH + 1 };

// Least number of targets for which the 99th percentile differs from the largest time.
enum { LEAST_FOR_PERCENTILE = 100 };

// Most missed targets that are named, and most letters of a name.
enum { NAMED = 10, NAME_LENGTH = 60 };

typedef struct Run {
    const PoiseChain* chain;
    const TargetFile* targets;
    const TargetOptions* options;
    FILE* out;
    int posture_size;
    double* postures; ///< PART postures
    double* times;    ///< of all targets, ns
    PoiseChainReport* reports;
    int done;
    int reasons[REASONS];
    int missed[NAMED]; ///< the first targets that are not met
    PoiseChainReport missed_reports[NAMED];
    int missed_count; ///< number of all missed targets
    double worst_error;
    double worst_angle;
    double* last;        ///< the answer before, if targets are followed
    double largest_step; ///< largest change of a posture's number between two answers
    int largest_at;      ///< the target of that change
    bool stopped;        ///< True if a joint would leap: the rest is not followed
    Progress progress;
} Run;

// Returns the time in ns.
static double now(void) {
    return 1e9 * poise__now();
}

static void show_progress(Run* run, bool last) {
    poise__progress_show(&run->progress, (double)run->done / (double)run->targets->count, last,
                         "%d of %d targets", run->done, run->targets->count);
}

// ----------------------------------------------------------------------------------------- solving

static PoiseStatus set_starts(const Run* run, int first, int count) {
    PoiseStatus status = POISE_OK;
    const size_t size = (size_t)run->posture_size;
    for (int i = 0; i < count && status >= 0; i++) {
        double* posture = run->postures + (size_t)i * size;
        if (run->targets->starts) {
            memcpy(posture, run->targets->starts + (size_t)(first + i) * size,
                   size * sizeof *posture);
        } else {
            status = poise_chain_middle(run->chain, posture);
        }
    }
    return status;
}

// Solves a part on several threads. Each target's time is the mean.
static PoiseStatus solve_together(Run* run, int first, int count) {
    const PoiseChainBatch batch = {count, run->targets->poses + first, run->postures, run->reports};
    const double begun = now();
    const PoiseStatus status = poise_chain_solve_batch(run->chain, &run->options->def, &batch);
    const double time = (now() - begun) / count;
    for (int i = 0; i < count; i++) {
        run->times[first + i] = time;
    }
    return status;
}

static PoiseStatus follow(Run* run, PoisePose target, double* posture, PoiseChainReport* report) {
    memcpy(posture, run->last, (size_t)run->posture_size * sizeof *posture);
    const PoiseChainBatch one = {1, &target, posture, report};
    PoiseChainSolveDef def = run->options->def;
    def.stopped = run->stopped;
    const PoiseStatus status = poise_chain_follow_batch(run->chain, &def, &one);
    run->stopped = status >= 0 && report->reason == POISE_REACH_LEAP;
    return status;
}

static void note_step(Run* run, int target, const double* posture) {
    for (int k = 0; k < run->posture_size && target > 0; k++) {
        const double step = fabs(posture[k] - run->last[k]);
        if (step > run->largest_step) {
            run->largest_step = step;
            run->largest_at = target;
        }
    }
    memcpy(run->last, posture, (size_t)run->posture_size * sizeof *posture);
}

static PoiseStatus solve_one_by_one(Run* run, int first, int count) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < count && status >= 0; i++) {
        double* posture = run->postures + (size_t)i * (size_t)run->posture_size;
        const double begun = now();
        const PoisePose target = run->targets->poses[first + i];
        // The first target has no answer before it.
        status = run->options->follow && first + i > 0
                     ? follow(run, target, posture, &run->reports[i])
                     : poise_chain_solve(run->chain, &run->options->def, target, posture,
                                         &run->reports[i]);
        run->times[first + i] = now() - begun;
        note_step(run, first + i, posture);
    }
    return status;
}

static void count_part(Run* run, int count) {
    for (int i = 0; i < count; i++) {
        const PoiseChainReport* report = &run->reports[i];
        run->reasons[report->reason]++;
        if (report->reason == POISE_REACH_MET) {
            run->worst_error = report->error > run->worst_error ? report->error : run->worst_error;
            run->worst_angle =
                report->angle_error > run->worst_angle ? report->angle_error : run->worst_angle;
        } else {
            if (run->missed_count < NAMED) {
                run->missed[run->missed_count] = run->done + i;
                run->missed_reports[run->missed_count] = *report;
            }
            run->missed_count++;
        }
    }
}

// A figure that the goal does not ask for is an empty cell.
static void write_errors(const Run* run, const PoiseChainReport* report) {
    fprintf(run->out, ",%d,", report->reason == POISE_REACH_MET ? 1 : 0);
    if (run->options->def.goal != POISE_CHAIN_ORIENTATION) {
        fprintf(run->out, "%.17g", report->error);
    }
    fputc(',', run->out);
    if (run->options->def.goal != POISE_CHAIN_POSITION) {
        fprintf(run->out, "%.17g", report->angle_error);
    }
}

static void write_part(const Run* run, int first, int count) {
    for (int i = 0; i < count; i++) {
        const double* posture = run->postures + (size_t)i * (size_t)run->posture_size;
        const int t = first + i;
        if (run->targets->ids) {
            fprintf(run->out, "%.*s", run->targets->ids[t].length, run->targets->ids[t].text);
        } else {
            fprintf(run->out, "%d", t);
        }
        fprintf(run->out, ",%.0f", run->times[t]);
        for (int k = 0; k < run->posture_size; k++) {
            const double unit = run->options->units ? run->options->units[k] : 1.0;
            fprintf(run->out, ",%.17g", posture[k] / unit);
        }
        if (run->options->errors) {
            write_errors(run, &run->reports[i]);
        }
        fputc('\n', run->out);
    }
}

// Returns false if a part could not be solved.
static bool solve_all(Run* run) {
    fputs("id,time_ns", run->out);
    for (int k = 0; k < run->posture_size; k++) {
        if (run->options->names) {
            fprintf(run->out, ",%s", run->options->names[k]);
        } else {
            fprintf(run->out, ",q%d", k + 1);
        }
    }
    fputs(run->options->errors ? ",met,error,angle_error" : "", run->out);
    fputc('\n', run->out);
    while (run->done < run->targets->count) {
        const int left = run->targets->count - run->done;
        const int count = left < PART ? left : PART;
        PoiseStatus status = set_starts(run, run->done, count);
        if (status >= 0) {
            status = run->options->def.threads > 1 ? solve_together(run, run->done, count)
                                                   : solve_one_by_one(run, run->done, count);
        }
        if (status < 0) {
            fprintf(stderr, "poise: the rows %d to %d cannot be solved: %s\n", run->done + 1,
                    run->done + count, poise_status_name(status));
            return false;
        }
        count_part(run, count);
        write_part(run, run->done, count);
        run->done += count;
        show_progress(run, false);
    }
    show_progress(run, true);
    return true;
}

// ----------------------------------------------------------------------------------------- summary

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

// Names the first missed targets on stderr, with the reasons and the distances.
static void name_missed(const Run* run) {
    const TargetFile* targets = run->targets;
    fprintf(stderr, "poise: %d of %d target%s not met:", run->missed_count, targets->count,
            targets->count == 1 ? "" : "s");
    for (int i = 0; i < run->missed_count && i < NAMED; i++) {
        const PoiseChainReport* report = &run->missed_reports[i];
        char off[32];
        fputs(i > 0 ? ", " : " ", stderr);
        if (targets->ids) {
            const SheetCell* id = &targets->ids[run->missed[i]];
            fprintf(stderr, "%.*s", id->length < NAME_LENGTH ? id->length : NAME_LENGTH, id->text);
        } else {
            fprintf(stderr, "%d", run->missed[i]);
        }
        const bool placed = run->options->def.goal != POISE_CHAIN_ORIENTATION;
        fprintf(stderr, " (%s, off by %s", poise_reach_reason_name(report->reason),
                placed ? poise__length_text(report->error, off, sizeof off)
                       : poise__angle_text(report->angle_error, off, sizeof off));
        if (run->options->def.goal == POISE_CHAIN_POSE) {
            fprintf(stderr, " and %s", poise__angle_text(report->angle_error, off, sizeof off));
        }
        fputc(')', stderr);
    }
    fprintf(stderr, "%s%s\n", run->missed_count > NAMED ? ", ..." : "",
            run->options->errors ? "" : "; --errors marks them in the answers");
}

// Prints "at most 3 nm and 0.1 rad off", with only the figures that the goal asks for.
static void print_worst(const Run* run, FILE* to) {
    char length[32];
    char angle[32];
    const bool placed = run->options->def.goal != POISE_CHAIN_ORIENTATION;
    const bool turned = run->options->def.goal != POISE_CHAIN_POSITION;
    fprintf(to, " (at most %s%s%s off)",
            placed ? poise__length_text(run->worst_error, length, sizeof length) : "",
            placed && turned ? " and " : "",
            turned ? poise__angle_text(run->worst_angle, angle, sizeof angle) : "");
}

// Times of the targets, us.
typedef struct Times {
    double mean;
    double median;
    double late; ///< 99 % are at most this
    double most;
} Times;

// Returns the percentile (nearest rank); `part` in 0..1.
static double percentile(const double* sorted, int count, double part) {
    const int rank = (int)ceil(part * (double)count);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static Times times_of(Run* run) {
    const int count = run->targets->count;
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += run->times[i];
    }
    qsort(run->times, (size_t)count, sizeof *run->times, by_size);
    const Times times = {1e-3 * sum / count, 1e-3 * percentile(run->times, count, 0.5),
                         1e-3 * percentile(run->times, count, 0.99), 1e-3 * run->times[count - 1]};
    return times;
}

static void print_json(const Run* run, const Times* times, const char* path, FILE* to) {
    fprintf(to,
            "{\"targets\": %d, \"met\": %d, \"at_limits\": %d, \"unreachable\": %d, "
            "\"budget\": %d, \"leap\": %d, \"out_of_reach\": %d, \"error\": %.17g, "
            "\"angle_error\": %.17g, \"mean_us\": "
            "%.4g, "
            "\"median_us\": %.4g, \"p99_us\": %.4g, \"max_us\": %.4g, \"largest_step\": %.17g, "
            "\"path\": \"%s\"}\n",
            run->targets->count, run->reasons[POISE_REACH_MET], run->reasons[POISE_REACH_AT_LIMITS],
            run->reasons[POISE_REACH_UNREACHABLE], run->reasons[POISE_REACH_BUDGET],
            run->reasons[POISE_REACH_LEAP], run->reasons[POISE_REACH_OUT_OF_REACH],
            run->worst_error, run->worst_angle, times->mean, times->median, times->late,
            times->most, run->largest_step, path);
}

void poise__print_stop(int followed, int count, FILE* to) {
    if (followed < count) {
        fprintf(to, "stopped at row %d: a joint would leap by more than %g; --leap lets it\n",
                followed + 1, POISE_FOLLOW_STEP);
    }
}

static void print_summary(Run* run, FILE* to) {
    const int count = run->targets->count;
    const int met = run->reasons[POISE_REACH_MET];
    const int threads = run->options->def.threads;
    const Times times = times_of(run);
    const char* path = poise_chain_path_name(poise_chain_path(run->chain, threads > 1));
    if (run->options->json) {
        print_json(run, &times, path, to);
        return;
    }
    fprintf(to, "%d target%s, %d met", count, count == 1 ? "" : "s", met);
    if (met > 0) {
        print_worst(run, to);
    }
    for (int i = 1; i < REASONS; i++) {
        if (run->reasons[i] > 0) {
            fprintf(to, ", %d %s", run->reasons[i], poise_reach_reason_name((PoiseReachReason)i));
        }
    }
    fprintf(to, "\n%.3g us mean, %.3g median", times.mean, times.median);
    if (count >= LEAST_FOR_PERCENTILE) {
        fprintf(to, ", %.3g p99", times.late);
    }
    fprintf(to, ", %.3g most (%s, %d thread%s)\n", times.most, path, threads,
            threads == 1 ? "" : "s");
    if (run->options->follow) {
        fprintf(to, "the largest step of a joint: %.3g, to row %d\n", run->largest_step,
                run->largest_at + 1);
        poise__print_stop(count - run->reasons[POISE_REACH_LEAP], count, to);
    }
}

// ------------------------------------------------------------------------------------- the whole

static bool make_room(Run* run) {
    run->postures = calloc((size_t)PART * (size_t)run->posture_size, sizeof *run->postures);
    run->times = calloc((size_t)run->targets->count, sizeof *run->times);
    run->reports = calloc(PART, sizeof *run->reports);
    run->last = calloc((size_t)run->posture_size + 1, sizeof *run->last);
    if (!run->postures || !run->times || !run->reports || !run->last) {
        fprintf(stderr, "poise: memory is short\n");
        return false;
    }
    return true;
}

// Checks the start postures before the output is opened. Reading the file does not check their
// values.
static bool check_starts(const PoiseChain* chain, const TargetFile* targets) {
    const PoiseChainBatch batch = {targets->count, targets->poses, targets->starts, NULL};
    int index;
    const char* problem = targets->starts ? poise_chain_batch_problem(chain, &batch, &index) : NULL;
    if (problem) {
        fprintf(stderr, "%s:%d:1: error: %s\n", targets->sheet.path, targets->lines[index],
                problem);
    }
    return !problem;
}

int poise__targets_solve(const PoiseChain* chain, const TargetFile* targets,
                         const TargetOptions* options) {
    Run run = {.chain = chain,
               .targets = targets,
               .options = options,
               .progress = poise__progress_start(options->quiet),
               .posture_size = poise_chain_posture_size(chain)};
    if (!check_starts(chain, targets)) {
        return EXIT_INPUT;
    }
    const char* const none[] = {NULL};
    PoiseOutput output;
    if (!poise__open_output(&output, options->out, options->inputs, none)) {
        return EXIT_INPUT;
    }
    run.out = output.file;
    bool fine = make_room(&run) && solve_all(&run);
    if (fine) {
        fine = poise__close_output(&output, options->out, NULL);
    }
    poise_output_drop(&output);
    if (fine) {
        if (run.missed_count > 0) {
            name_missed(&run);
        }
        print_summary(&run, strcmp(options->out, "-") == 0 ? stderr : stdout);
    }
    const bool all = run.reasons[POISE_REACH_MET] == targets->count;
    free(run.postures);
    free(run.times);
    free(run.reports);
    free(run.last);
    return fine ? poise__finish_output(all ? EXIT_DONE : EXIT_MISSED) : EXIT_INPUT;
}
