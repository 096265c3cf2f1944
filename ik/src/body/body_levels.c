// SPDX-License-Identifier: MIT
// Strict priorities among the targets of a group. A level is the targets of one priority. Each
// level gets the least error that does not disturb the levels before:
//
//     minimise E_k + E_held / share,   share = 1e-2, then 1e-5,   then E_held alone,
//
// by the descent of body_nearest.h. E_held is the error of the levels before k. For met levels and
// the first unmet one it is the error to their targets, for other levels the error to the pose at
// which they came to rest. The last descent moves the group by about share along the rows of
// E_held, which changes E_k by about share^2.
//
// The start comes from the search of body_search.h: for the targets of all levels, then for all but
// the last level, and so on.
#include <string.h>

#include "body.h"

// Weights of a level relative to the levels before; each is used in one descent.
static const double shares[] = {1e-2, 1e-5};
// weight of a level relative to the levels before in a tracking step
#define TRACK_SHARE 1e-6
// relative difference below which errors are equal
#define ROUNDING 1e-9

// A descent ends if E falls by less than this fraction over several iterations: COARSE_FALL with
// the first share, FINE_FALL with the others.
#define COARSE_FALL 1e-5
#define FINE_FALL   1e-12

enum { SHARES = sizeof shares / sizeof shares[0] };
/// Iterations of a search for several levels; their factor if rows of the group join limbs.
enum { LEVEL_ITERATIONS = 150, JOINED = 4 };
/// Largest number of iterations of a descent for a level after the first.
enum { LEVEL_DESCENTS = 200 };

/// How the last descent of a level ended.
typedef struct LevelEnd {
    PoiseReachReason reason;
    int limiting;
    bool too_far;
    double beyond;
} LevelEnd;

/// A posture of the body with the errors of the group's levels.
typedef struct Standing {
    double posture[POISE_BODY_MOST_POSTURE];
    double errors[POISE_LEVELS]; ///< E of each level; 0 if it is met
    int met;                     ///< number of levels met before the first unmet one
    bool rests[POISE_LEVELS];    ///< later levels hold this level at `poses`, not at its targets
    PoisePose poses[POISE_BODY_MOST_TIPS];
    LevelEnd end; ///< end of the first level that is not met
} Standing;

/// The state of a solve by priorities.
typedef struct Ladder {
    const PoiseBody* body;
    const BodyGroup* group;
    const BodyKernel* kernel;
    const PoiseBodyTarget* targets;
    PoiseBodySolveDef def;
    int count; ///< number of levels
    int priorities[POISE_LEVELS];
    BodyTarget rows[BODY_MOST_TIPS]; ///< the caller's targets, as rows
    BodyProblem problem;
    Standing given;
    Standing trial;
    Standing best;
    int last;   ///< index of the last level that the search includes
    int most;   ///< largest number of iterations of a search
    bool found; ///< true: the last search met its targets
    bool tried; ///< true: `best` has a posture
    int level;  ///< index of the level of the next descent
    /// Index in `shares` of the next descent. SHARES: the descent for the levels before. SHARES +
    /// 1: none.
    int stage;
    int iterations;
    int starts;
    LevelEnd end; ///< how the last descent of the level ended
} Ladder;

// -------------------------------------------------------------------------------------- levels

static bool counts(const PoiseBodyTarget* target) {
    bool some = false;
    for (int k = 0; k < 6; k++) {
        some = some || target->weights[k] > 0.0;
    }
    return some;
}

// Writes the priorities of targets with a weight above 0, ascending. Returns their number.
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

// Fills the problem of a level, whose weights are multiplied by `share`. False: invalid start.
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
    // the row axes remain those of the caller's goals
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        memcpy(ladder->problem.targets[t].axes, ladder->rows[t].axes, sizeof ladder->rows[t].axes);
    }
    return true;
}

// Stores the kernel's result as a posture, and adds up iterations and starts.
static void keep(Ladder* ladder, Standing* at) {
    ladder->iterations += ladder->problem.iterations;
    ladder->starts += ladder->problem.starts;
    poise__group_store(ladder->group, ladder->problem.start, ladder->problem.best, at->posture);
}

// Computes E of a level at a posture. True if its targets are met.
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

// True if posture `a` has the lower E in the first level whose E differs.
static bool is_better(const Ladder* ladder, const Standing* a, const Standing* b) {
    for (int level = 0; level < ladder->count; level++) {
        if (fabs(a->errors[level] - b->errors[level]) > ROUNDING * b->errors[level]) {
            return a->errors[level] < b->errors[level];
        }
    }
    return false;
}

// Descends with the level's weights multiplied by `share`. False if the start is invalid.
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

// Measures the level whose descents have ended, and continues with the next level.
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

// Runs the next descent of a level. Each of `shares` has a descent, until the targets are met. The
// last descent has share 0 and serves the levels before.
static void settle(Ladder* ladder) {
    const BodyProblem* problem = &ladder->problem;
    const int level = ladder->level;
    const bool corrects = ladder->stage >= SHARES;
    const bool ends = ladder->stage == SHARES + 1;
    const double share = level == 0 ? 1.0 : corrects ? 0.0 : shares[ladder->stage];
    // The last descent includes only met levels: the rows of levels at rest are nearly singular.
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

// Searches for the targets of all levels up to `last`.
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

// Descends for the levels that the trial posture does not meet, and keeps it if it is better. True
// if all levels are met.
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

// Initialises the ladder. False if the start is invalid.
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

// Writes the best posture, and the results for the report into `found`.
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
    // each level gets a step; an additional step corrects the levels before the last
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
