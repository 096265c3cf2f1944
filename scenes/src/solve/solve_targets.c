// SPDX-License-Identifier: MIT
// Solves the rows of `poise solve --targets` in parts of some thousand rows. A compiled body solves
// one tip, row by row or on threads; the robot's tree solves several tips or closed loops.
#include "solve_targets.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = POISE_REACH_HELD + 1, COLUMN_LENGTH = 100 };

// Number of targets that are solved before their answers are written and the progress is shown.
enum { CHAIN_PART = 4096, TREE_PART = 256 };

// Number of targets from which the 99th percentile may differ from the largest time.
enum { LEAST_FOR_PERCENTILE = 100 };

// Largest number of missed targets that are named, and largest size of a name.
enum { NAMED = 10, NAME_LENGTH = 60 };

// The result of a row of targets.
typedef struct RowEnd {
    PoiseReachReason reason;
    double error; ///< largest distance of the row's tips from their targets, m
    double angle_error;
} RowEnd;

typedef struct Run {
    const TargetJob* job;
    TargetFile targets;
    PoiseBodyGoal goal;
    FILE* out;
    int size;         ///< number of a posture's numbers
    double* units;    ///< unit of each number: rad, or 1 for lengths and quaternions
    double* start;    ///< posture at which a row without a start begins
    double* postures; ///< postures of the rows of the present part
    /// Distances of the tips from their targets in each row of the part, m.
    double* errors;
    double* angles;          ///< angles between these tips and their targets, rad
    RowEnd* ends;            ///< results of the rows of the part
    void* reports;           ///< reports of the solver for the rows of the part
    PoiseBodyTarget* wanted; ///< targets of one tip in the rows of the part
    double* times;           ///< time of each target of the file, ns
    int done;
    int reasons[REASONS];
    int missed[NAMED]; ///< the first targets that are not met
    RowEnd missed_ends[NAMED];
    int missed_count;    ///< number of all missed targets
    RowEnd worst;        ///< largest errors among the targets that are met
    double* last;        ///< the answer of the row before
    double largest_step; ///< largest change of one number of a posture between two answers
    int largest_at;      ///< the target of that change
    bool stopped;        ///< True once a joint would leap: later rows repeat the last answer
} Run;

// --------------------------------------------------------------------------------------- postures

const char* poise__path_name(PoiseBodyPath path) {
    static const char* const names[] = {"exact", "plain", "fused"};
    return names[path];
}

// Returns the node of number `index` of a posture; `part` gets the number's index in the node.
static PoiseNodeId node_at(const TargetJob* job, int index, int* part) {
    if (!job->body) {
        const int joint = poise_simulation_posture_joint(job->simulation, index, part);
        return poise_simulation_joint_node(job->simulation, joint);
    }
    const PoiseNodeId node = poise_body_node(job->body, index);
    for (*part = 0; *part < index; (*part)++) {
        if (poise_body_node(job->body, index - *part - 1).index1 != node.index1) {
            break;
        }
    }
    return node;
}

// Returns the unit (rad) of an angle of a posture; 1 for lengths and quaternions.
static double unit_at(const TargetJob* job, int index) {
    int part = 0;
    const PoiseNodeId node = node_at(job, index, &part);
    const PoiseJointType* type = poise_joint_type(poise_node_kind(job->tree, node));
    // A motion has one number; only a spherical motion, always the last, has four.
    const bool turns = part < type->motion_count && type->motions[part] == POISE_REVOLUTE;
    return turns ? job->options.angle : 1.0;
}

// Writes the name of a number of a posture: the joint's, then .2, .3 .. for its further numbers.
// Commas and quotes become _.
static void write_column(const TargetJob* job, int index, FILE* out) {
    char text[COLUMN_LENGTH];
    int part = 0;
    if (!job->simulation) {
        snprintf(text, sizeof text, "q%d", index + 1);
    } else if (job->body) {
        poise_tip_column(job->simulation, job->body, index, text, sizeof text);
    } else {
        const int joint = poise_simulation_posture_joint(job->simulation, index, &part);
        snprintf(text, sizeof text, "%s",
                 poise_simulation_scene(job->simulation)->joints[joint].name);
    }
    fputc(',', out);
    for (const char* letter = text; *letter; letter++) {
        fputc(*letter == ',' || *letter == '"' ? '_' : *letter, out);
    }
    if (part > 0) {
        fprintf(out, ".%d", part + 1);
    }
}

// Fills the start of rows that have none: the robot's pose, or for a chain file the middle of the
// ranges.
static PoiseStatus read_start(Run* run) {
    const TargetJob* job = run->job;
    return !job->body        ? poise_simulation_posture(job->simulation, run->start)
           : job->simulation ? poise_body_read(job->body, job->tree, run->start)
                             : poise_body_middle(job->body, run->start);
}

// ----------------------------------------------------------------------------------------- solving

static bool is_placed(const Run* run) {
    return run->goal != POISE_BODY_ORIENTATION;
}

static bool is_turned(const Run* run) {
    return run->goal != POISE_BODY_POSITION;
}

// Returns targets of the rows from `row` on.
static const PoiseBodyTarget* targets_of(Run* run, int row, int count) {
    for (int i = 0; i < count; i++) {
        run->wanted[i] = poise_default_body_target(run->targets.poses[row + i]);
        run->wanted[i].goal = run->goal;
    }
    return run->wanted;
}

static PoiseStatus solve_tip(Run* run, int row, int in_part, int count) {
    PoiseBodyReport* reports = (PoiseBodyReport*)run->reports + in_part;
    double* postures = run->postures + (size_t)in_part * (size_t)run->size;
    const PoiseBodyBatch batch = {count, targets_of(run, row, count), postures, reports};
    PoiseBodySolveDef def = run->job->options.def;
    def.stopped = run->stopped;
    // Only rows after the first follow an answer.
    const PoiseBody* body = run->job->body;
    const PoiseStatus status =
        run->job->options.follow && row > 0 ? poise_body_follow_batch(body, &def, &batch)
        : count == 1 ? poise_body_solve(body, &def, batch.targets, postures, reports)
                     : poise_body_solve_batch(body, &def, &batch);
    for (int i = 0; i < count && status >= 0; i++) {
        run->errors[in_part + i] = reports[i].error;
        run->angles[in_part + i] = reports[i].angle_error;
        run->ends[in_part + i].reason = reports[i].reason;
    }
    return status;
}

static PoiseStatus solve_tree(Run* run, int row, int in_part, int count) {
    const TargetJob* job = run->job;
    PoiseReachReport* reports = (PoiseReachReport*)run->reports + in_part;
    const size_t first = (size_t)in_part * (size_t)job->tip_count;
    const PoiseTipBatch batch = {
        .tips = job->tips,
        .tip_count = job->tip_count,
        .count = count,
        .turned = is_turned(run),
        .follow = job->options.follow,
        // The first row has no answer before it, so its joints may move far.
        .leap = job->options.def.leap || row == 0,
        .stopped = run->stopped,
        .targets = run->targets.poses + (size_t)row * (size_t)job->tip_count,
        .postures = run->postures + (size_t)in_part * (size_t)run->size,
        .errors = run->errors + first,
        .angle_errors = run->angles + first,
        .reports = reports,
    };
    const PoiseStatus status = poise_tips_reach(job->simulation, NULL, &batch);
    for (int i = 0; i < count && status >= 0; i++) {
        run->ends[in_part + i].reason = reports[i].reason;
    }
    return status;
}

// Writes the posture at which the solve of a row starts.
static void set_start(Run* run, int row, double* posture) {
    const double* from = run->job->options.follow && row > 0 ? run->last
                         : run->targets.starts
                             ? run->targets.starts + (size_t)row * (size_t)run->size
                             : run->start;
    memcpy(posture, from, (size_t)run->size * sizeof *posture);
}

// Adds a solved row to the summary: its reason, its errors and the step from the row before.
static void count_row(Run* run, int row, int in_part) {
    const double* posture = run->postures + (size_t)in_part * (size_t)run->size;
    const int tips = run->job->tip_count;
    RowEnd* end = &run->ends[in_part];
    end->error = 0.0;
    end->angle_error = 0.0;
    for (int t = 0; t < tips; t++) {
        end->error = fmax(end->error, run->errors[in_part * tips + t]);
        end->angle_error = fmax(end->angle_error, run->angles[in_part * tips + t]);
    }
    for (int k = 0; k < run->size && row > 0; k++) {
        const double step = fabs(posture[k] - run->last[k]);
        if (step > run->largest_step) {
            run->largest_step = step;
            run->largest_at = row;
        }
    }
    memcpy(run->last, posture, (size_t)run->size * sizeof *posture);
    run->reasons[end->reason]++;
    run->stopped = run->stopped || end->reason == POISE_REACH_LEAP;
    if (end->reason == POISE_REACH_MET) {
        run->worst.error = fmax(run->worst.error, end->error);
        run->worst.angle_error = fmax(run->worst.angle_error, end->angle_error);
        return;
    }
    if (run->missed_count < NAMED) {
        run->missed[run->missed_count] = row;
        run->missed_ends[run->missed_count] = *end;
    }
    run->missed_count++;
}

// Solves a part in calls of `step` rows. The time of a row is the mean of its call.
static PoiseStatus solve_part(Run* run, int count, int step) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < count && status >= 0; i += step) {
        const int row = run->done + i;
        const int rows = count - i < step ? count - i : step;
        for (int k = i; k < i + rows; k++) {
            set_start(run, row + k - i, run->postures + (size_t)k * (size_t)run->size);
        }
        const double begun = poise__now();
        status = run->job->body ? solve_tip(run, row, i, rows) : solve_tree(run, row, i, rows);
        const double time = 1e9 * (poise__now() - begun) / rows;
        for (int k = i; k < i + rows && status >= 0; k++) {
            run->times[run->done + k] = time;
            count_row(run, run->done + k, k);
        }
    }
    return status;
}

// ----------------------------------------------------------------------------------------- writing

// Prints the id of a row, at most `most` letters of it; without ids its number.
static void print_id(const Run* run, int row, int most, FILE* to) {
    if (run->targets.ids) {
        const SheetCell* id = &run->targets.ids[row];
        fprintf(to, "%.*s", id->length < most ? id->length : most, id->text);
    } else {
        fprintf(to, "%d", row);
    }
}

static void write_head(const Run* run) {
    const TargetJob* job = run->job;
    fputs("id,time_ns", run->out);
    for (int k = 0; k < run->size; k++) {
        write_column(job, k, run->out);
    }
    fputs(job->options.errors ? ",met" : "", run->out);
    for (int t = 0; t < job->tip_count && job->options.errors; t++) {
        const char* name = job->tip_count == 1 ? "" : job->names[t];
        const char* dot = job->tip_count == 1 ? "" : ".";
        fprintf(run->out, ",%s%serror,%s%sangle_error", name, dot, name, dot);
    }
    fputc('\n', run->out);
}

// Writes an empty cell for the distance or angle that the goal leaves free.
static void write_errors(const Run* run, int in_part) {
    const int tips = run->job->tip_count;
    fprintf(run->out, ",%d", run->ends[in_part].reason == POISE_REACH_MET ? 1 : 0);
    for (int t = in_part * tips; t < (in_part + 1) * tips; t++) {
        fputc(',', run->out);
        if (is_placed(run)) {
            fprintf(run->out, "%.17g", run->errors[t]);
        }
        fputc(',', run->out);
        if (is_turned(run)) {
            fprintf(run->out, "%.17g", run->angles[t]);
        }
    }
}

static void write_part(const Run* run, int count) {
    for (int i = 0; i < count; i++) {
        const int row = run->done + i;
        const double* posture = run->postures + (size_t)i * (size_t)run->size;
        print_id(run, row, INT_MAX, run->out);
        fprintf(run->out, ",%.0f", run->times[row]);
        for (int k = 0; k < run->size; k++) {
            fprintf(run->out, ",%.17g", posture[k] / run->units[k]);
        }
        if (run->job->options.errors) {
            write_errors(run, i);
        }
        fputc('\n', run->out);
    }
}

// Solves all rows, part by part. Returns false with a message if a part could not be solved.
static bool solve_all(Run* run) {
    const TargetJob* job = run->job;
    Progress progress = poise__progress_start(job->options.quiet);
    const int all = run->targets.count;
    const int most = job->body ? CHAIN_PART : TREE_PART;
    const int step = job->body && job->options.def.threads == 1 ? 1 : most;
    write_head(run);
    while (run->done < all) {
        int count = all - run->done < most ? all - run->done : most;
        // The first row has no answer to follow, so it is solved alone.
        count = job->options.follow && run->done == 0 ? 1 : count;
        const PoiseStatus status = solve_part(run, count, step);
        if (status < 0) {
            fprintf(stderr, "poise: the rows %d to %d cannot be solved: %s\n", run->done + 1,
                    run->done + count, poise_status_name(status));
            return false;
        }
        write_part(run, count);
        run->done += count;
        poise__progress_show(&progress, (double)run->done / all, run->done == all,
                             "%d of %d targets", run->done, all);
    }
    return true;
}

// ----------------------------------------------------------------------------------------- summary

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

// Prints the errors of a target that the goal constrains: "3 nm and 0.1 rad".
static void print_off(const Run* run, const RowEnd* off, FILE* to) {
    poise__off_print(to, is_placed(run) ? &off->error : NULL,
                     is_turned(run) ? &off->angle_error : NULL);
}

// Names the first missed targets on stderr, with the reasons and the distances.
static void name_missed(const Run* run) {
    const TargetFile* targets = &run->targets;
    fprintf(stderr, "poise: %d of %d target%s not met:", run->missed_count, targets->count,
            targets->count == 1 ? "" : "s");
    for (int i = 0; i < run->missed_count && i < NAMED; i++) {
        fputs(i > 0 ? ", " : " ", stderr);
        print_id(run, run->missed[i], NAME_LENGTH, stderr);
        fprintf(stderr, " (%s, off by ", poise_reach_reason_name(run->missed_ends[i].reason));
        print_off(run, &run->missed_ends[i], stderr);
        fputc(')', stderr);
    }
    fprintf(stderr, "%s%s\n", run->missed_count > NAMED ? ", ..." : "",
            run->job->options.errors ? "" : "; --errors marks them in the answers");
}

// Computing times of the targets, us.
typedef struct Times {
    double mean;
    double median;
    double late; ///< time that 99 % of the targets do not exceed, us
    double most;
} Times;

// Returns the percentile (nearest rank); `part` in 0..1.
static double percentile(const double* sorted, int count, double part) {
    const int rank = (int)ceil(part * (double)count);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static Times times_of(Run* run) {
    const int count = run->targets.count;
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
    fprintf(to, "{\"targets\": %d", run->targets.count);
    for (int i = 0; i < REASONS; i++) {
        if (i != POISE_REACH_SINGULAR && i != POISE_REACH_SEARCHING) {
            fputs(", \"", to);
            poise__word_print(to, poise_reach_reason_name((PoiseReachReason)i));
            fprintf(to, "\": %d", run->reasons[i]);
        }
    }
    fprintf(to,
            ", \"error\": %.17g, \"angle_error\": %.17g, \"mean_us\": %.4g, "
            "\"median_us\": %.4g, \"p99_us\": %.4g, \"max_us\": %.4g, "
            "\"largest_step\": %.17g, \"path\": \"%s\"}\n",
            run->worst.error, run->worst.angle_error, times->mean, times->median, times->late,
            times->most, run->largest_step, path);
}

static void print_summary(Run* run, FILE* to) {
    const TargetJob* job = run->job;
    const int count = run->targets.count;
    const int met = run->reasons[POISE_REACH_MET];
    const int threads = job->options.def.threads;
    const Times times = times_of(run);
    const char* path = job->body ? poise__path_name(job->options.def.path) : "tree";
    if (job->options.json) {
        print_json(run, &times, path, to);
        return;
    }
    fprintf(to, "%d target%s", count, count == 1 ? "" : "s");
    if (job->tip_count > 1) {
        fprintf(to, " of %d tips", job->tip_count);
    }
    fprintf(to, ", %d met", met);
    if (met > 0) {
        fputs(" (at most ", to);
        print_off(run, &run->worst, to);
        fputs(" off)", to);
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
    if (job->options.follow) {
        fprintf(to, "the largest step of a joint: %.3g, to row %d\n", run->largest_step,
                run->largest_at + 1);
    }
    if (run->stopped) {
        fprintf(to, "stopped at row %d: a joint would leap by more than %g; --leap lets it\n",
                count - run->reasons[POISE_REACH_LEAP] + 1, POISE_FOLLOW_STEP);
    }
}

// ------------------------------------------------------------------------------------- the whole

// Allocates the arrays whose size does not depend on the file. Returns false if memory is short.
static bool make_room(Run* run) {
    const size_t size = (size_t)run->size + 1;
    const size_t rows = run->job->body ? CHAIN_PART : TREE_PART;
    const size_t tips = rows * (size_t)run->job->tip_count;
    run->units = calloc(size, sizeof *run->units);
    run->start = calloc(size, sizeof *run->start);
    run->last = calloc(size, sizeof *run->last);
    run->postures = calloc(rows * size, sizeof *run->postures);
    run->errors = calloc(tips, sizeof *run->errors);
    run->angles = calloc(tips, sizeof *run->angles);
    run->ends = calloc(rows, sizeof *run->ends);
    run->reports = run->job->body ? calloc(rows, sizeof(PoiseBodyReport))
                                  : calloc(rows, sizeof(PoiseReachReport));
    run->wanted = calloc(rows, sizeof *run->wanted);
    return run->wanted && run->units && run->start && run->last && run->postures && run->errors &&
           run->angles && run->ends && run->reports;
}

static void free_room(Run* run) {
    free(run->wanted);
    free(run->units);
    free(run->start);
    free(run->last);
    free(run->postures);
    free(run->errors);
    free(run->angles);
    free(run->ends);
    free(run->reports);
    free(run->times);
    poise__target_file_finish(&run->targets);
}

// Checks the values of the start postures, which target_file.c does not check, before the output
// file is opened.
static bool check_starts(Run* run) {
    const TargetJob* job = run->job;
    TargetFile* targets = &run->targets;
    const char* problem = NULL;
    int index = 0;
    if (targets->starts && job->body) {
        for (index = 0; index < targets->count && !problem; index += !problem) {
            double* start = &targets->starts[(size_t)index * (size_t)run->size];
            const PoiseBodyBatch one = {1, targets_of(run, index, 1), start, NULL};
            problem = poise_body_batch_problem(job->body, &one, NULL);
        }
    } else if (targets->starts) {
        const PoiseTipBatch batch = {.tips = job->tips,
                                     .tip_count = job->tip_count,
                                     .count = targets->count,
                                     .targets = targets->poses,
                                     .postures = targets->starts};
        problem = poise_tip_batch_problem(job->simulation, &batch, &index);
    }
    if (problem) {
        fprintf(stderr, "%s:%d:1: error: %s\n", targets->sheet.path,
                targets->lines[index < 0 ? 0 : index], problem);
    }
    return !problem;
}

// Reads the file of targets, and chooses the goal: position, orientation or both.
static bool read_targets(Run* run, PoiseDiagnostics* diagnostics) {
    const TargetJob* job = run->job;
    const TargetUnits units = {.posture_size = run->size,
                               .angle = job->options.angle,
                               .numbers = run->units,
                               .tips = job->tip_count > 1 ? job->names : NULL,
                               .tip_count = job->tip_count};
    const bool fine = poise__target_file_read(&run->targets, job->targets, &units, diagnostics);
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    if (!fine) {
        return false;
    }
    const bool turned = run->targets.turned;
    run->goal = job->options.has_goal ? job->options.goal
                : turned              ? POISE_BODY_POSE
                                      : POISE_BODY_POSITION;
    if (!turned && is_turned(run)) {
        fprintf(stderr,
                "poise: --goal: the targets have no rotations (qw,qx,qy,qz or roll,pitch,yaw)\n");
        return false;
    }
    run->times = calloc((size_t)run->targets.count, sizeof *run->times);
    if (!run->times) {
        fprintf(stderr, "poise: memory is short\n");
    }
    return run->times && check_starts(run);
}

static int write_answers(Run* run, const PoiseDiagnostics* inputs) {
    const TargetOptions* options = &run->job->options;
    const char* const none[] = {NULL};
    PoiseOutput output;
    if (!poise__open_output(&output, options->out, inputs, none)) {
        return EXIT_INPUT;
    }
    run->out = output.file;
    const bool fine = solve_all(run) && poise__close_output(&output, options->out, NULL);
    poise_output_drop(&output);
    if (!fine) {
        return EXIT_INPUT;
    }
    if (run->missed_count > 0) {
        name_missed(run);
    }
    print_summary(run, strcmp(options->out, "-") == 0 ? stderr : stdout);
    return poise__finish_output(run->missed_count == 0 ? EXIT_DONE : EXIT_MISSED);
}

int poise__targets_solve(const TargetJob* job, PoiseDiagnostics* diagnostics) {
    Run run = {.job = job,
               .size = job->body ? poise_body_posture_size(job->body)
                                 : poise_simulation_posture_size(job->simulation)};
    int code = EXIT_INPUT;
    if (!make_room(&run) || read_start(&run) < 0) {
        fprintf(stderr, "poise: memory is short\n");
    } else {
        for (int k = 0; k < run.size; k++) {
            run.units[k] = unit_at(job, k);
        }
        code = read_targets(&run, diagnostics) ? write_answers(&run, diagnostics) : EXIT_INPUT;
    }
    free_room(&run);
    return code;
}
