// SPDX-License-Identifier: MIT
// `poise solve --targets` with several points, or on a robot with closed loops: solves each row on
// the robot's whole tree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/tip.h"
#include "solve_targets.h"

// Rows per part. Each part is solved, written and shown before the next.
enum { PART = 256 };

typedef struct TipsRun {
    const TipsJob* job;
    TargetFile targets;
    PoiseTip tips[SOLVE_POINTS];
    const char* names[SOLVE_POINTS];
    int size;      ///< numbers of a posture
    double* units; ///< of those numbers
    double* now;   ///< the robot's start posture
    double* postures;
    double* last; ///< the answer before
    double* errors;
    double* angle_errors;
    PoiseReachReport reports[PART];
    FILE* out;
    double seconds;
    int met;
    double worst_error; ///< over the rows that are met
    double worst_angle;
    double largest_step;
    int largest_at;
    int leaps; ///< number of rows not followed, since a joint would leap
} TipsRun;

// ------------------------------------------------------------------------------------ preparation

static bool find_tips(TipsRun* run) {
    const TipsJob* job = run->job;
    for (int t = 0; t < job->link_count; t++) {
        const SolveLink* link = &job->links[t];
        run->names[t] = link->name;
        if (!poise__link_find(job->simulation, link, &run->tips[t].node, &run->tips[t].in_link)) {
            return false;
        }
        for (int k = 0; k < t; k++) {
            if (strcmp(run->names[k], link->name) == 0) {
                fprintf(stderr, "poise: --point %s is named twice\n", link->name);
                return false;
            }
        }
    }
    return true;
}

// Returns the joint of number `index` of a posture; `part` gets which of its numbers this is.
static const PoiseSceneJoint* joint_at(const TipsRun* run, int index, int* part) {
    const int joint = poise_simulation_posture_joint(run->job->simulation, index, part);
    return &poise_simulation_scene(run->job->simulation)->joints[joint];
}

static bool read_posture(TipsRun* run) {
    for (int k = 0; k < run->size; k++) {
        int part = 0;
        const PoiseSceneJoint* joint = joint_at(run, k, &part);
        const PoiseJointType* type = poise_joint_type(joint->kind);
        const bool turns = part < type->motion_count && type->motions[part] == POISE_REVOLUTE;
        run->units[k] = turns ? run->job->angle : 1.0;
    }
    return poise_simulation_posture(run->job->simulation, run->now) >= 0;
}

static bool make_room(TipsRun* run) {
    const size_t size = (size_t)run->size + 1;
    const size_t tips = (size_t)run->job->link_count;
    run->units = calloc(size, sizeof *run->units);
    run->now = calloc(size, sizeof *run->now);
    run->last = calloc(size, sizeof *run->last);
    run->postures = calloc(PART * size, sizeof *run->postures);
    run->errors = calloc(PART * tips, sizeof *run->errors);
    run->angle_errors = calloc(PART * tips, sizeof *run->angle_errors);
    const bool fine =
        run->units && run->now && run->last && run->postures && run->errors && run->angle_errors;
    if (!fine) {
        fprintf(stderr, "poise: memory is short\n");
    }
    return fine;
}

static void free_room(TipsRun* run) {
    free(run->units);
    free(run->now);
    free(run->last);
    free(run->postures);
    free(run->errors);
    free(run->angle_errors);
}

// ----------------------------------------------------------------------------------------- writing

// Writes a joint's name, then .2, .3 .. for its further numbers. Commas and quotes become _.
static void write_joint(const TipsRun* run, int index) {
    int part = 0;
    const PoiseSceneJoint* joint = joint_at(run, index, &part);
    fputc(',', run->out);
    for (const char* letter = joint->name; *letter; letter++) {
        fputc(*letter == ',' || *letter == '"' ? '_' : *letter, run->out);
    }
    if (part > 0) {
        fprintf(run->out, ".%d", part + 1);
    }
}

static void write_head(const TipsRun* run) {
    fputs("id,time_ns", run->out);
    for (int k = 0; k < run->size; k++) {
        write_joint(run, k);
    }
    fputs(run->job->options->errors ? ",met" : "", run->out);
    for (int t = 0; t < run->job->link_count && run->job->options->errors; t++) {
        const bool one = run->job->link_count == 1;
        const char* name = one ? "" : run->names[t];
        const char* dot = one ? "" : ".";
        fprintf(run->out, ",%s%serror,%s%sangle_error", name, dot, name, dot);
    }
    fputc('\n', run->out);
}

static void write_row(const TipsRun* run, int row, int in_part, double nanoseconds) {
    const double* posture = run->postures + (size_t)in_part * (size_t)run->size;
    if (run->targets.ids) {
        fprintf(run->out, "%.*s", run->targets.ids[row].length, run->targets.ids[row].text);
    } else {
        fprintf(run->out, "%d", row);
    }
    fprintf(run->out, ",%.0f", nanoseconds);
    for (int k = 0; k < run->size; k++) {
        fprintf(run->out, ",%.17g", posture[k] / run->units[k]);
    }
    if (run->job->options->errors) {
        const bool met = run->reports[in_part].reason == POISE_REACH_MET;
        fprintf(run->out, ",%d", met ? 1 : 0);
        for (int t = 0; t < run->job->link_count; t++) {
            const size_t place = (size_t)in_part * (size_t)run->job->link_count + (size_t)t;
            fprintf(run->out, ",%.17g,", run->errors[place]);
            if (run->targets.turned && !run->job->position_only) {
                fprintf(run->out, "%.17g", run->angle_errors[place]);
            }
        }
    }
    fputc('\n', run->out);
}

// ----------------------------------------------------------------------------------------- solving

static void count_row(TipsRun* run, int row, int in_part) {
    const double* posture = run->postures + (size_t)in_part * (size_t)run->size;
    const PoiseReachReport* report = &run->reports[in_part];
    for (int k = 0; k < run->size && row > 0; k++) {
        const double step = fabs(posture[k] - run->last[k]);
        if (step > run->largest_step) {
            run->largest_step = step;
            run->largest_at = row;
        }
    }
    memcpy(run->last, posture, (size_t)run->size * sizeof *posture);
    if (report->reason == POISE_REACH_MET) {
        run->met++;
        run->worst_error = fmax(run->worst_error, report->largest_error);
        run->worst_angle = fmax(run->worst_angle, report->largest_angle_error);
        return;
    }
    run->leaps += report->reason == POISE_REACH_LEAP;
    char off[32];
    if (row - run->met < 10) {
        fprintf(stderr, "poise: row %d is not met: %s, off by %s\n", row + 1,
                poise_reach_reason_name(report->reason),
                poise__length_text(report->largest_error, off, sizeof off));
    }
}

static bool solve_part(TipsRun* run, int first, int count) {
    const size_t size = (size_t)run->size;
    const int tips = run->job->link_count;
    for (int i = 0; i < count; i++) {
        const double* start =
            run->targets.starts ? run->targets.starts + (size_t)(first + i) * size : run->now;
        start = run->job->options->follow && first > 0 ? run->last : start;
        memcpy(run->postures + (size_t)i * size, start, size * sizeof *start);
    }
    const PoiseTipBatch batch = {
        .tips = run->tips,
        .tip_count = tips,
        .count = count,
        .turned = run->targets.turned && !run->job->position_only,
        .follow = run->job->options->follow,
        // the first row has no answer before it
        .leap = run->job->options->def.leap || first == 0,
        .stopped = run->leaps > 0,
        .targets = run->targets.poses + (size_t)first * (size_t)tips,
        .postures = run->postures,
        .errors = run->errors,
        .angle_errors = run->angle_errors,
        .reports = run->reports,
    };
    const double begun = poise__now();
    const PoiseStatus status = poise_tips_reach(run->job->simulation, NULL, &batch);
    const double seconds = poise__now() - begun;
    run->seconds += seconds;
    if (status < 0) {
        int row = -1;
        const char* problem = poise_tip_batch_problem(run->job->simulation, &batch, &row);
        fprintf(stderr, "poise: row %d cannot be solved: %s\n", first + (row < 0 ? 0 : row) + 1,
                problem ? problem : poise_status_name(status));
        return false;
    }
    for (int i = 0; i < count; i++) {
        count_row(run, first + i, i);
        write_row(run, first + i, i, 1e9 * seconds / count);
    }
    return true;
}

static bool solve_all(TipsRun* run) {
    Progress progress = poise__progress_start(run->job->options->quiet);
    const int all = run->targets.count;
    bool fine = true;
    write_head(run);
    for (int first = 0, count = 0; first < all && fine; first += count) {
        count = all - first < PART ? all - first : PART;
        count = run->job->options->follow && first == 0 ? 1 : count;
        fine = solve_part(run, first, count);
        poise__progress_show(&progress, (double)(first + count) / all, first + count == all,
                             "%d of %d targets", first + count, all);
    }
    return fine;
}

static void print_summary(const TipsRun* run, FILE* to) {
    const int count = run->targets.count;
    const double mean = 1e6 * run->seconds / count;
    char length[32];
    char angle[32];
    if (run->job->options->json) {
        fprintf(to,
                "{\"targets\": %d, \"met\": %d, \"error\": %.17g, \"angle_error\": %.17g, "
                "\"mean_us\": %.4g, \"largest_step\": %.17g, \"leap\": %d}\n",
                count, run->met, run->worst_error, run->worst_angle, mean, run->largest_step,
                run->leaps);
        return;
    }
    fprintf(to, "%d row%s of %d tip%s, %d met", count, count == 1 ? "" : "s", run->job->link_count,
            run->job->link_count == 1 ? "" : "s", run->met);
    if (run->met > 0) {
        fprintf(to, " (at most %s and %s off)",
                poise__length_text(run->worst_error, length, sizeof length),
                poise__angle_text(run->worst_angle, angle, sizeof angle));
    }
    fprintf(to, "\n%.3g us mean\n", mean);
    if (run->job->options->follow) {
        fprintf(to, "the largest step of a joint: %.3g, to row %d\n", run->largest_step,
                run->largest_at + 1);
        poise__print_stop(count - run->leaps, count, to);
    }
}

static int write_answers(TipsRun* run) {
    const TargetOptions* options = run->job->options;
    const char* const none[] = {NULL};
    PoiseOutput output;
    if (!poise__open_output(&output, options->out, options->inputs, none)) {
        return EXIT_INPUT;
    }
    run->out = output.file;
    const bool fine = solve_all(run) && poise__close_output(&output, options->out, NULL);
    poise_output_drop(&output);
    if (!fine) {
        return EXIT_INPUT;
    }
    print_summary(run, strcmp(options->out, "-") == 0 ? stderr : stdout);
    return poise__finish_output(run->met == run->targets.count ? EXIT_DONE : EXIT_MISSED);
}

int poise__tips_solve(const TipsJob* job, PoiseDiagnostics* diagnostics) {
    TipsRun* run = calloc(1, sizeof *run);
    if (!run) {
        fprintf(stderr, "poise: memory is short\n");
        return EXIT_INPUT;
    }
    run->job = job;
    run->size = poise_simulation_posture_size(job->simulation);
    int code = EXIT_INPUT;
    if (find_tips(run) && make_room(run) && read_posture(run)) {
        const TargetUnits units = {run->size, job->angle, run->units,
                                   job->link_count > 1 ? run->names : NULL, job->link_count};
        const bool fine = poise__target_file_read(&run->targets, job->targets, &units, diagnostics);
        poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
        code = fine ? write_answers(run) : EXIT_INPUT;
        poise__target_file_finish(&run->targets);
    }
    free_room(run);
    free(run);
    return code;
}
