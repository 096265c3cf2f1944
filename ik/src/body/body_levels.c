// SPDX-License-Identifier: MIT
// Strict priorities of a group. A level is the targets of one priority. Each level gets the least
// error that leaves the levels before it as they are:
//
//     minimise E_k + E_held / share,   share = 1e-2, then 1e-5,   then E_held alone,
//
// by the descent of body_nearest.h. E_held has the errors of the levels before k: of a met level,
// and of the first unmet one, to their targets; of a later unmet level to the pose at which it
// rests. The last descent moves the group by about share along the rows of E_held, so the error
// that it leaves in E_k is about share^2.
//
// The search of body_search.h finds the posture to begin with: for the targets of all levels, then
// without the last level, and so on.
#include <string.h>

#include "body.h"

// Weights of a level relative to the levels before it, one descent for each.
static const double shares[] = {1e-2, 1e-5};
// weight of a level, relative to the levels before it, in a step of poise_body_track
#define TRACK_SHARE 1e-6
// relative difference of errors that counts as rounding
#define ROUNDING 1e-9

// a descent ends when E falls by less than this fraction over some iterations: COARSE_FALL with the
// first share, later the second
#define COARSE_FALL 1e-5
#define FINE_FALL   1e-12

enum { SHARES = sizeof shares / sizeof shares[0] };
/// Iterations of a search for the targets of several levels. Their factor for groups with rows that
/// join limbs.
enum { LEVEL_ITERATIONS = 150, JOINED = 4 };
/// Largest number of iterations of a descent of a level after the first.
enum { LEVEL_DESCENTS = 200 };

/// The end of a level's last descent.
typedef struct LevelEnd {
    PoiseReachReason reason;
    int limiting;
    bool too_far;
    double beyond;
} LevelEnd;

/// A posture of the body, and the errors of the group's levels there.
typedef struct Standing {
    double posture[POISE_BODY_MOST_POSTURE];
    double errors[POISE_LEVELS]; ///< E; 0 if the level is met
    int met;                     ///< number of levels met, from the first
    bool rests[POISE_LEVELS];    ///< later levels hold this level at `poses`
    PoisePose poses[POISE_BODY_MOST_TIPS];
    LevelEnd end; ///< end of the first level that is not met
} Standing;

/// The search of a group for the targets of its levels.
typedef struct Ladder {
    const PoiseBody* body;
    const BodyGroup* group;
    const BodyKernel* kernel;
    const PoiseBodyTarget* targets;
    PoiseBodySolveDef def;
    int count; ///< levels
    int priorities[POISE_LEVELS];
    BodyTarget rows[BODY_MOST_TIPS]; ///< the caller's targets as rows
    BodyProblem problem;
    Standing given;
    Standing trial;
    Standing best;
    int last;   ///< last level whose targets are part of the search
    int most;   ///< largest number of iterations of a search for several levels
    bool found; ///< the last search met its targets
    bool tried; ///< `best` was filled
    int level;  ///< level of the next descent
    int stage;  ///< index in `shares`; SHARES: the levels before alone; SHARES + 1: ends the level
    int iterations;
    int starts;
    LevelEnd end; ///< why the descents of the present level ended
} Ladder;

// -------------------------------------------------------------------------------------- levels

static bool counts(const PoiseBodyTarget* target) {
    bool some = false;
    for (int k = 0; k < 6; k++) {
        some = some || target->weights[k] > 0.0;
    }
    return some;
}

// Writes the priorities of the targets with a weight above 0, ascending. Returns their number.
static int list_levels(const BodyGroup* group, const PoiseBodyTarget* targets,
                       int priorities[POISE_LEVELS]) {
    int count = 0;
    for (int priority = POISE_PRIORITY_CLOSURE; priority < POISE_PRIORITIES; priority++) {
        bool some = false;
        for (int t = 0; t < group->tip_count + group->dense_count; t++) {
            const PoiseBodyTarget* target = &targets[group->tips[t].number];
            some = some || (target->priority == priority && counts(target));
        }
        if (some) {
            priorities[count++] = priority;
        }
    }
    return count;
}

int poise__group_level_count(const BodyGroup* group, const PoiseBodyTarget* targets) {
    int priorities[POISE_LEVELS];
    bool same = true;
    for (int t = 1; t < group->tip_count + group->dense_count; t++) {
        same = same &&
               targets[group->tips[t].number].priority == targets[group->tips[0].number].priority;
    }
    return same ? 1 : list_levels(group, targets, priorities);
}

// Returns the level of a tip of the group; the last level if all weights of its target are 0.
static int level_of(const Ladder* ladder, int t) {
    const int priority = ladder->targets[ladder->group->tips[t].number].priority;
    int level = 0;
    while (level + 1 < ladder->count && ladder->priorities[level] < priority) {
        level++;
    }
    return level;
}

// Prepares the problem of a level with `share` of its weights. False for an invalid start.
static bool begin(Ladder* ladder, const Standing* at, int level, double share) {
    const BodyGroup* group = ladder->group;
    PoiseBodyTarget wanted[POISE_BODY_MOST_TIPS];
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        const int own = level_of(ladder, t), number = group->tips[t].number;
        wanted[number] = ladder->targets[number];
        wanted[number].pose =
            own < level && at->rests[own] ? at->poses[number] : ladder->targets[number].pose;
        for (int k = 0; k < 6; k++) {
            wanted[number].weights[k] *= own < level ? 1.0 : own == level ? share : 0.0;
        }
    }
    if (!poise__body_begin(group, &ladder->def, wanted, at->posture, &ladder->problem)) {
        return false;
    }
    // the axes of the rows are those of the caller's goals
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        memcpy(ladder->problem.targets[t].axes, ladder->rows[t].axes, sizeof ladder->rows[t].axes);
    }
    return true;
}

// Stores the posture that the kernel found, and counts its iterations and starts.
static void keep(Ladder* ladder, Standing* at) {
    ladder->iterations += ladder->problem.iterations;
    ladder->starts += ladder->problem.starts;
    poise__group_store(ladder->group, ladder->problem.start, ladder->problem.best, at->posture);
}

// Measures E of a level. Returns true if its targets are met.
static bool measure(const Ladder* ladder, Standing* at, int level) {
    const BodyGroup* group = ladder->group;
    bool met = true;
    at->errors[level] = 0.0;
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        const int number = group->tips[t].number;
        if (level_of(ladder, t) != level) {
            continue;
        }
        double rows[6], squares[2] = {0.0, 0.0};
        const PoiseBodyTarget* target = &ladder->targets[number];
        at->poses[number] = poise_body_forward(ladder->body, at->posture, number);
        poise__tip_rows(target, ladder->rows[t].goal, at->poses[number], rows);
        for (int k = 0; k < 6; k++) {
            const double row = k < 3 ? rows[k] / group->unit : rows[k];
            at->errors[level] += target->weights[k] * row * row;
            squares[k / 3] += rows[k] * rows[k];
        }
        met = met && sqrt(squares[0]) <= ladder->def.position_tolerance &&
              sqrt(squares[1]) <= ladder->def.angle_tolerance;
    }
    at->errors[level] = met ? 0.0 : at->errors[level];
    return met;
}

// True if a posture is better: its E is lower in the first level that differs.
static bool is_better(const Ladder* ladder, const Standing* a, const Standing* b) {
    for (int level = 0; level < ladder->count; level++) {
        if (fabs(a->errors[level] - b->errors[level]) > ROUNDING * b->errors[level]) {
            return a->errors[level] < b->errors[level];
        }
    }
    return false;
}

// Descends with a share of the level's weights. False for an invalid start.
static bool descend(Ladder* ladder, Standing* at, int level, double share) {
    const bool valid = begin(ladder, at, level, share);
    if (valid) {
        ladder->problem.fall = share == shares[0] ? COARSE_FALL : FINE_FALL;
        ladder->problem.descents = level > 0 ? LEVEL_DESCENTS : ladder->problem.descents;
        ladder->kernel->descend(&ladder->problem);
        keep(ladder, at);
    }
    return valid;
}

// Measures the level whose descents have ended, and begins with the next level.
static void end_level(Ladder* ladder) {
    Standing* at = &ladder->trial;
    const int level = ladder->level++;
    ladder->stage = 0;
    if (measure(ladder, at, level)) {
        at->met += at->met == level;
        return;
    }
    at->rests[level] = level > 0;
    if (at->met == level) {
        at->end = ladder->end;
        at->end.reason = at->end.reason == POISE_REACH_MET ? POISE_REACH_BUDGET : at->end.reason;
    }
}

// Makes the next descent of a level. The descents use one of `shares` after the other until the
// targets are met. The descent after these has the share 0, for the levels before alone.
static void settle(Ladder* ladder) {
    const BodyProblem* problem = &ladder->problem;
    const int level = ladder->level;
    const bool corrects = ladder->stage >= SHARES;
    const bool ends = ladder->stage == SHARES + 1;
    const double share = level == 0 ? 1.0 : corrects ? 0.0 : shares[ladder->stage];
    // the last descent is for the met levels alone, because the rows of levels that rest are nearly
    // singular
    const bool valid = descend(ladder, &ladder->trial, ends ? ladder->trial.met : level, share);
    if (!corrects) {
        ladder->end =
            (LevelEnd){problem->reason, problem->limiting, problem->too_far, problem->beyond};
    }
    const bool met = problem->reason == POISE_REACH_MET;
    const bool all_met = ladder->trial.met == level || ladder->trial.met == 0;
    if (!valid || level == 0 || ends || (corrects && all_met) || (met && !corrects)) {
        end_level(ladder);
    } else {
        ladder->stage++;
    }
}

// Searches for the targets of the levels up to `last`.
static void search(Ladder* ladder) {
    const PoiseBodySolveDef def = ladder->def;
    Standing* at = &ladder->trial;
    *at = ladder->given;
    ladder->def.iterations =
        ladder->last > 0 && def.iterations > ladder->most ? ladder->most : def.iterations;
    if (begin(ladder, at, ladder->last, 1.0)) {
        ladder->kernel->search(&ladder->problem);
        keep(ladder, at);
    }
    ladder->def = def;
    for (int level = 0; level < ladder->count; level++) {
        at->met += measure(ladder, at, level) && at->met == level;
    }
    ladder->found = at->met > ladder->last;
}

// Descends on the levels that the trial does not meet, and keeps it if it is better. True if all
// levels are met.
static bool try_descent(Ladder* ladder) {
    ladder->level = ladder->trial.met;
    ladder->stage = 0;
    while (ladder->level < ladder->count) {
        settle(ladder);
    }
    if (!ladder->tried || is_better(ladder, &ladder->trial, &ladder->best)) {
        ladder->best = ladder->trial;
    }
    ladder->tried = true;
    return ladder->best.met == ladder->count;
}

// Fills the ladder. False for an invalid start.
static bool begin_ladder(Ladder* ladder, const LevelsCall* call, const double* posture) {
    Standing* at = &ladder->given;
    ladder->body = call->body;
    ladder->group = call->group;
    ladder->kernel = poise__body_kernel(call->def->path);
    ladder->targets = call->targets;
    ladder->def = *call->def;
    ladder->iterations = 0;
    ladder->starts = 0;
    ladder->count = list_levels(call->group, call->targets, ladder->priorities);
    ladder->last = ladder->count - 1;
    ladder->most =
        poise__group_is_joined(call->group) ? JOINED * LEVEL_ITERATIONS : LEVEL_ITERATIONS;
    ladder->found = false;
    ladder->tried = false;
    memset(at, 0, sizeof *at);
    memcpy(at->posture, posture, (size_t)call->body->posture_size * sizeof posture[0]);
    at->end.limiting = -1;
    if (!poise__body_begin(call->group, call->def, call->targets, posture, &ladder->problem)) {
        return false;
    }
    memcpy(ladder->rows, ladder->problem.targets, sizeof ladder->rows);
    return true;
}

// Writes the best posture, and what a report needs into `found`.
static void end_ladder(const Ladder* ladder, double* posture, BodyProblem* found) {
    const Standing* best = &ladder->best;
    *found = ladder->problem;
    found->reason = best->met == ladder->count ? POISE_REACH_MET : best->end.reason;
    found->answers = best->met == ladder->count;
    found->limiting = best->end.limiting;
    found->too_far = best->end.too_far;
    found->beyond = best->end.beyond;
    found->iterations = ladder->iterations;
    found->starts = ladder->starts;
    memcpy(posture, best->posture, (size_t)ladder->body->posture_size * sizeof posture[0]);
}

bool poise__group_solve_levels(const LevelsCall* call, double* posture, BodyProblem* found) {
    Ladder ladder;
    if (!begin_ladder(&ladder, call, posture)) {
        return false;
    }
    bool ends = false;
    for (bool first = true; !ends; first = false) {
        search(&ladder);
        ends = try_descent(&ladder) || ladder.found;
        if (first && !ends) {
            ladder.trial = ladder.given;
            ends = try_descent(&ladder);
        }
        ends = ends || --ladder.last < ladder.best.met;
    }
    end_ladder(&ladder, posture, found);
    return true;
}

bool poise__group_track_levels(const LevelsCall* call, double* posture, BodyProblem* found) {
    Ladder ladder;
    if (!begin_ladder(&ladder, call, posture)) {
        return false;
    }
    Standing* at = &ladder.given;
    bool met = true;
    for (int level = 0; level < ladder.count; level++) {
        met = measure(&ladder, at, level) && met;
    }
    // after the steps of all levels, one more corrects the levels before the last
    for (int level = 0; level <= ladder.count && !met; level++) {
        const bool corrects = level == ladder.count;
        const double share = level == 0 ? 1.0 : corrects ? 0.0 : TRACK_SHARE;
        if (begin(&ladder, at, corrects ? level - 1 : level, share) &&
            !ladder.kernel->track(&ladder.problem)) {
            keep(&ladder, at);
        }
        for (int l = 0; l <= level && l < ladder.count; l++) {
            at->rests[l] = true;
            measure(&ladder, at, l);
        }
    }
    ladder.best = *at;
    end_ladder(&ladder, posture, found);
    found->reason = met ? POISE_REACH_MET : POISE_REACH_BUDGET;
    found->answers = met;
    found->too_far = false;
    found->iterations = 1;
    found->starts = 0;
    return true;
}
