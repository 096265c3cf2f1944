// SPDX-License-Identifier: MIT
// Searches for a posture that meets the tasks, for poise_tasks_solve and poise_reach. It descends
// from the given posture, then from the posture of a compiled body (task_body.c), then from random
// postures. It ends at a posture that meets the tasks, else keeps the best one. The better of two
// postures has the lower cost at the first level whose costs differ. A descent accepts a step
// (task_levels.c) if it lowers the cost of the first level that changes. The search can stop after
// any iteration and continue in a later call.
#include <limits.h>
#include <string.h>

#include "task.h"

// A cost improves if it falls by MIN_FALL of its value. A rise of an earlier level by at most RISE
// of its cost is rounding. Costs that differ by at most MIN_CHANGE are equal.
#define MIN_FALL   1e-13
#define RISE       1e-9
#define MIN_CHANGE 1e-24
// a level counts as restored if its errors are within this fraction of the tolerances
#define MET_PART 1e-3
// Least damping; its factors after a refused step (GROWTH) and after an accepted step (FALL).
#define DAMPING_LEAST 1e-6
#define GROWTH        8.0
#define FALL          0.5
// a descent is slow if its cost exceeds this fraction of its cost SPAN iterations ago
#define STALLED 0.81
// Postures of the body and random starts must lower a cost by this fraction. Otherwise the answer
// could alternate between two equal postures while a goal out of reach moves.
#define BETTER 0.01
// Size of a kick, which is a random step from a posture where the gradient is 0: rad, or a fraction
// of the reach for sliders.
#define KICK 1e-3
// A descent ends if no cost falls by the fraction PROGRESS within PATIENCE iterations. A kick that
// changes the cost by less than the fraction FLAT found no curvature.
#define PROGRESS 1e-6
#define FLAT     1e-10
// each attempt to undo the rise of a level must reduce it to this fraction
#define RESTORED 0.5
// rad or m; smaller steps have no effect
#define STILL 1e-10
// a descent ends after this number of steps without effect since the cost last fell
enum { MAX_IDLE = 4 };
// SPAN: number of iterations over which a descent is judged slow (TaskSearch.stops_when_slow). If
// there is a single start, steps use second derivatives after SPAN iterations; goals in reach are
// mostly met before. PATIENCE: number of iterations in which a descent must lower a cost.
enum { SPAN = 5, PATIENCE = 10 };
// kicks end after this number of them that lower no cost
enum { FRUITLESS_KICKS = 2 };
// largest number of attempts to undo the rise of earlier levels after a step
enum { RESTORES = 12 };
// largest number of iterations of the body for each group of tips
enum { BODY_ITERATIONS = 150 };
// iterations of the body that take as long as one of a descent
enum { BODY_SLICE = 3 };

// ------------------------------------------------------------------------------------- costs

// True if the cost of a level exceeds the cost `kept` by more than rounding.
static bool is_worse(const TaskLevel* level, double kept) {
    return !(level->cost <= kept + RISE * fabs(kept) + MIN_CHANGE);
}

// Compares the levels' costs with those in `kept`: -1 better, 0 equal, 1 worse. The first level
// whose cost differs decides. It is better if its cost is lower by the fraction `earlier`, or
// `last` if it is the last level. The result is 1 if no level is better and some cost is higher by
// that fraction.
static int compare(const PoiseTasks* tasks, const double* kept, double earlier, double last) {
    bool risen = false;
    for (int l = 0; l < tasks->level_count; l++) {
        const double cost = tasks->levels[l].cost;
        const double fall = l + 1 < tasks->level_count ? earlier : last;
        if (cost < kept[l] - fall * fabs(kept[l]) - MIN_CHANGE) {
            return -1;
        }
        if (is_worse(&tasks->levels[l], kept[l])) {
            return 1;
        }
        risen = risen || cost > kept[l] + fall * fabs(kept[l]) + MIN_CHANGE;
    }
    return risen;
}

static bool is_preference(const PoiseTaskDef* def) {
    return def->kind == POISE_TASK_POSTURE ||
           (def->kind == POISE_TASK_MANIPULABILITY && isinf(def->lower));
}

static bool has_preference(const PoiseTasks* tasks) {
    bool some = false;
    for (int i = 0; i < tasks->count; i++) {
        some = some || is_preference(&tasks->items[i].def);
    }
    return some;
}

// True if the errors of an item are too small for later levels to use.
static bool is_met_well(const Item* item) {
    return item->reading.error <= MET_PART * item->def.tolerance &&
           item->reading.angle_error <= MET_PART * item->def.angle_tolerance;
}

// Copies the costs of the levels. Levels that are met get 0, except the last level and levels with
// a preference (posture, manipulability).
static void note_costs(PoiseTasks* tasks, double* costs) {
    for (int l = 0; l < tasks->level_count; l++) {
        TaskLevel* level = &tasks->levels[l];
        bool met = true;
        for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
            const Item* item = &tasks->items[i];
            const bool own = item->def.priority == level->priority &&
                             poise__task_is_interval(&item->def) == level->interval;
            met = met && (!own || (is_met_well(item) && !is_preference(&item->def)));
        }
        met = met && (l != tasks->apart_level || tasks->shortfall <= TASK_GAP_ROUNDING);
        level->cost = met && l + 1 < tasks->level_count ? 0.0 : level->cost;
        costs[l] = level->cost;
    }
}

static void look(PoiseTasks* tasks) {
    double costs[2 * POISE_LEVELS];
    poise__tasks_look(tasks);
    note_costs(tasks, costs);
}

// Returns the cost of the first level that is not met.
static double first_cost(const PoiseTasks* tasks, const double* costs) {
    int l = 0;
    while (l + 1 < tasks->level_count && costs[l] == 0.0) {
        l++;
    }
    return tasks->level_count > 0 ? costs[l] : 0.0;
}

static bool is_met(const PoiseTasks* tasks) {
    int unmet;
    return poise__tasks_all_met(tasks, &unmet);
}

// ----------------------------------------------------------------------------------- descent

// Reduces the second-order errors of a step in the levels before the last. Stops when an attempt
// reduces the rise too little.
static void restore_levels(PoiseTasks* tasks, const double* kept) {
    double rise = HUGE_VAL;
    int last = -1;
    for (int tries = 0; tries < RESTORES; tries++) {
        int worse = 0;
        while (worse < tasks->level_count - 1 && !is_worse(&tasks->levels[worse], kept[worse])) {
            worse++;
        }
        if (worse >= tasks->level_count - 1) {
            return;
        }
        const double before = rise;
        rise = tasks->levels[worse].cost - kept[worse];
        if (worse <= last && !(rise <= RESTORED * before)) {
            return;
        }
        last = worse;
        poise__tasks_bounds(tasks, NULL);
        poise__tasks_run(tasks, worse + 1, TASK_FIRST_DAMPING, false);
        poise__tasks_advance(tasks);
        look(tasks);
    }
}

// Starts a descent at the present posture.
static void begin_descent(PoiseTasks* tasks) {
    tasks->search.count = 0;
    tasks->search.idle_steps = 0;
    tasks->search.damping = TASK_FIRST_DAMPING;
    tasks->search.stationary = false;
    tasks->search.refused = false;
    tasks->search.ends = false;
    look(tasks);
    tasks->search.marked = 0;
    note_costs(tasks, tasks->search.mark);
}

// True if the descent should end because it is slow. While a level is unmet, steps toward its goals
// disturb the other levels to second order, and only later steps correct these. Costs are therefore
// compared with those after the last sufficient fall.
static bool is_slow(PoiseTasks* tasks, double cost) {
    TaskSearch* search = &tasks->search;
    const bool kept = search->kicked && search->marked == 0;
    if (compare(tasks, search->mark, PROGRESS, kept ? PROGRESS : MIN_FALL) < 0) {
        note_costs(tasks, search->mark);
        search->marked = search->count;
    }
    return search->count - search->marked >= PATIENCE ||
           (search->stops_when_slow && search->count >= SPAN &&
            cost > STALLED * search->history[(search->count - SPAN) % TASK_HISTORY]);
}

// Tries a step, and decides whether further steps can lower a cost. A step of a descent from the
// given posture moves no parts past each other. idle_steps counts steps without effect, except
// those of length 0, whose damping may have been too large.
static void try_step(PoiseTasks* tasks, const double* kept) {
    TaskSearch* search = &tasks->search;
    poise__tasks_keep(tasks, tasks->kept);
    poise__tasks_bounds(tasks, NULL);
    // if there are other starts, a slow descent ends instead
    tasks->curved = search->starts == 1 && search->count >= SPAN;
    poise__tasks_run(tasks, tasks->level_count, search->damping, false);
    tasks->curved = false;
    search->stationary = tasks->shift <= STILL && search->damping <= TASK_FIRST_DAMPING;
    search->left -= !search->stationary;
    search->iterations += !search->stationary;
    search->count++;
    if (search->start == 0 && !search->from_body) {
        poise__tasks_cap(tasks);
    }
    poise__tasks_advance(tasks);
    look(tasks);
    restore_levels(tasks, kept);
    const int order = compare(tasks, kept, MIN_FALL, MIN_FALL);
    search->idle_steps = order < 0 ? 0 : search->idle_steps + (order == 0);
    search->damping *= order > 0 ? GROWTH : FALL;
    search->damping = poise_max(search->damping, DAMPING_LEAST);
    if (order >= 0 && compare(tasks, kept, 0.0, 0.0) >= 0) {
        poise__tasks_restore(tasks, tasks->kept);
        search->refused = true;
    }
    search->ends = search->stationary || search->idle_steps >= MAX_IDLE;
}

// Descends until the tasks are met, no step lowers a cost, the descent is slow or the iterations
// run out. After a refused step, computing the rows again takes an iteration of its own. False if
// the slice ended.
static bool descend(PoiseTasks* tasks) {
    TaskSearch* search = &tasks->search;
    const bool further = has_preference(tasks);
    double kept[2 * POISE_LEVELS];
    while (search->slice-- > 0) {
        if (search->refused) {
            search->refused = false;
            look(tasks);
            continue;
        }
        note_costs(tasks, kept);
        const double cost = first_cost(tasks, kept);
        search->rests = search->ends || (!further && is_met(tasks)) ||
                        is_slow(tasks, further ? -HUGE_VAL : cost);
        if (search->rests || search->left <= 0) {
            return true;
        }
        search->history[search->count % TASK_HISTORY] = cost;
        try_step(tasks, kept);
    }
    return false;
}

// Keeps the posture as the best if it is the first, meets the tasks, or lowers a cost by the part
// `fall`.
static void keep(PoiseTasks* tasks, double fall) {
    TaskSearch* search = &tasks->search;
    if (search->best_start < 0 || is_met(tasks) || compare(tasks, search->best, fall, fall) < 0) {
        note_costs(tasks, search->best);
        poise__tasks_keep(tasks, tasks->best);
        search->best_start = search->start;
        search->best_rests = search->rests;
    }
}

// ------------------------------------------------------------------------------------- kicks

// Takes a small random step. Sliders move by a fraction of the reach, so that the scale of the tree
// has no influence.
static void kick(PoiseTasks* tasks) {
    TaskSearch* search = &tasks->search;
    uint64_t counter = poise__mix_bits(search->next++);
    double reach = HUGE_VAL;
    for (int i = 0; i < tasks->count; i++) {
        const Point* point = poise__point(tasks->tree, tasks->items[i].def.point);
        reach = point ? poise_min(reach, poise__point_reach(tasks->tree, point)) : reach;
    }
    for (int m = 0; m < tasks->motion_count; m++) {
        const bool linear = tasks->motions[m].linear && isfinite(reach);
        // random sign, random size from 0.5 to 1
        const double unit = poise__chain_random(&counter) - 0.5;
        tasks->x[tasks->motions[m].column] =
            (unit < 0.0 ? unit - 0.5 : unit + 0.5) * KICK * (linear ? reach : 1.0);
    }
    poise__tasks_advance(tasks);
    poise__tasks_clip(tasks);
}

static void begin_kick(PoiseTasks* tasks) {
    TaskSearch* search = &tasks->search;
    double costs[2 * POISE_LEVELS];
    note_costs(tasks, search->before);
    poise__tasks_keep(tasks, tasks->tried);
    kick(tasks);
    begin_descent(tasks);
    note_costs(tasks, costs);
    memcpy(search->mark, search->before, sizeof search->mark);
    const double before = first_cost(tasks, search->before);
    search->flat = fabs(first_cost(tasks, costs) - before) <= FLAT * before;
    search->kicked = true;
}

// Leaves a posture at which no joint lowers a cost to first order. Takes small random steps and
// descends from each, as long as a cost falls. Refuses results of equal cost: joints without effect
// would otherwise drift from call to call. False if the slice ended.
static bool kick_off(PoiseTasks* tasks) {
    TaskSearch* search = &tasks->search;
    while (search->fruitless < FRUITLESS_KICKS) {
        if (!search->kicked) {
            begin_kick(tasks);
        }
        if (!descend(tasks)) {
            return false;
        }
        search->kicked = false;
        if (is_met(tasks) || compare(tasks, search->before, PROGRESS, PROGRESS) < 0) {
            search->fruitless = 0;
            keep(tasks, 0.0);
        } else {
            search->fruitless++;
            poise__tasks_restore(tasks, tasks->tried);
            look(tasks);
        }
        if (is_met(tasks) || search->left <= 0) {
            break;
        }
    }
    search->fruitless = 0;
    search->next = 0;
    return true;
}

// True if a kick may lower the cost where the descent ended.
static bool wants_kicks(const PoiseTasks* tasks) {
    const TaskSearch* search = &tasks->search;
    return search->rests && !is_met(tasks) &&
           (search->last_descent ||
            (search->start == 0 && !search->from_body && search->stationary));
}

// ------------------------------------------------------------------------------------ starts

// Replaces the posture by a random one inside the ranges. Sliders without a range stay.
static void scatter(PoiseTasks* tasks) {
    uint64_t counter = poise__mix_bits(tasks->search.seed) + (uint64_t)tasks->search.start;
    counter = poise__mix_bits(counter);
    poise__tasks_restore(tasks, tasks->given);
    look(tasks);
    poise__tasks_room(tasks);
    for (int m = 0; m < tasks->motion_count; m++) {
        const int c = tasks->motions[m].column;
        const double unit = poise__chain_random(&counter);
        const double lower = tasks->room_lower[c], upper = tasks->room_upper[c];
        const double most = tasks->motions[m].linear ? 0.0 : POISE_PI;
        const double from = isfinite(lower) ? lower : -most;
        tasks->x[c] = from + unit * ((isfinite(upper) ? upper : most) - from);
    }
    poise__tasks_advance(tasks);
    poise__tasks_clip(tasks);
}

// Starts the body's search for the goals up to `priority`. It gets at most half of the remaining
// iterations, so that a larger budget never shortens the last descent. False without a body.
static bool begin_body(PoiseTasks* tasks, int priority) {
    TaskSearch* search = &tasks->search;
    const int half = search->left / 2 < BODY_ITERATIONS ? search->left / 2 : BODY_ITERATIONS;
    if (!search->others || !poise__tasks_has_body(tasks) ||
        !poise__tasks_body_begin(tasks, priority, half, search->seed + (uint64_t)search->start)) {
        return false;
    }
    search->left -= half;
    search->body_end = search->iterations + half;
    search->priority = priority;
    search->from_body = true;
    return true;
}

// Returns the largest priority below `priority` that has a task; INT_MIN if no task has one.
static int priority_below(const PoiseTasks* tasks, int priority) {
    int below = INT_MIN;
    for (int i = 0; i < tasks->count; i++) {
        const int own = tasks->items[i].def.priority;
        below = own < priority && own > below ? own : below;
    }
    return below;
}

// Starts the next search of the body: first for all goals, then each time without those of the last
// priority. False if the body does not search.
static bool try_body(PoiseTasks* tasks) {
    const TaskSearch* search = &tasks->search;
    const int last = priority_below(tasks, INT_MAX);
    const int priority = search->from_body ? priority_below(tasks, search->priority) : last;
    if (priority == INT_MIN || (search->from_body && search->start > 0)) {
        return false;
    }
    poise__tasks_restore(tasks, tasks->best);
    return begin_body(tasks, priority);
}

// Starts from the next posture: the body's or a random one. Finally starts from the best one, and
// descends from there to the end.
static TaskPhase begin_next(PoiseTasks* tasks) {
    TaskSearch* search = &tasks->search;
    if (search->last_descent || is_met(tasks)) {
        return TASK_ENDED;
    }
    if (try_body(tasks)) {
        return TASK_BODY;
    }
    if (search->start + 1 < search->starts) {
        search->start++;
        search->left = search->most;
        search->from_body = false;
        scatter(tasks);
        return begin_body(tasks, INT_MAX) ? TASK_BODY : TASK_BEGINS;
    }
    if (!search->stops_when_slow) {
        return TASK_ENDED;
    }
    search->last_descent = true;
    search->stops_when_slow = false;
    search->left = search->start > 0 ? search->most : search->left;
    poise__tasks_restore(tasks, tasks->best);
    return TASK_BEGINS;
}

// Runs one phase of the search. False if the slice ended.
static bool run_phase(PoiseTasks* tasks) {
    TaskSearch* search = &tasks->search;
    if (search->phase == TASK_BEGINS) {
        if (search->slice-- <= 0) {
            return false;
        }
        begin_descent(tasks);
        search->phase = TASK_DESCENDS;
        return true;
    }
    if (search->phase == TASK_BODY) {
        if (search->slice-- <= 0) {
            return false;
        }
        bool ends = false;
        for (int i = 0; i < BODY_SLICE && !ends; i++) {
            ends = poise__tasks_body_advance(tasks, &search->iterations, &search->other_postures);
        }
        if (ends) {
            // the descents get the iterations that the body did not use
            const int rest = search->body_end - search->iterations;
            search->left += rest > 0 ? rest : 0;
            search->phase = TASK_BEGINS;
        }
        return true;
    }
    if (search->phase == TASK_DESCENDS) {
        if (!descend(tasks)) {
            return false;
        }
        keep(tasks, search->from_body && !search->last_descent ? BETTER : 0.0);
        if (wants_kicks(tasks)) {
            search->phase = TASK_KICKS;
            return true;
        }
    } else if (!kick_off(tasks)) {
        return false;
    }
    search->phase = begin_next(tasks);
    return true;
}

void poise__tasks_begin(PoiseTasks* tasks, TaskSearch search) {
    search.phase = TASK_BEGINS;
    search.left = search.most;
    search.best_start = -1;
    search.stops_when_slow = search.others || search.starts > 1;
    tasks->search = search;
    poise__tasks_clip(tasks);
    tasks->period = 0.0;
    tasks->step_pairs = 0;
    poise__tasks_keep(tasks, tasks->given);
}

bool poise__tasks_continue(PoiseTasks* tasks, int iterations, PoiseTasksReport* report) {
    TaskSearch* search = &tasks->search;
    search->slice = iterations;
    report->iterations = search->iterations;
    while (search->phase != TASK_ENDED) {
        if (!run_phase(tasks)) {
            report->iterations = search->iterations;
            return false;
        }
    }
    poise__tasks_restore(tasks, tasks->best);
    if (tasks->tree->state.fresh_nodes < tasks->tree->node_count) {
        poise__tasks_look(tasks);
    }
    poise_tasks_rest(tasks);
    poise__tasks_report(tasks, report, true);
    report->iterations = search->iterations;
    if (report->reason != POISE_REACH_MET && !search->best_rests) {
        report->reason = POISE_REACH_BUDGET;
        report->held = false;
    } else if (report->reason == POISE_REACH_UNREACHABLE ||
               report->reason == POISE_REACH_SINGULAR) {
        report->reason = search->flat ? POISE_REACH_SINGULAR : POISE_REACH_UNREACHABLE;
    }
    return true;
}

PoiseStatus poise_tasks_solve(PoiseTasks* tasks, const PoiseTasksDef* def,
                              PoiseTasksReport* report) {
    PoiseTasksReport own = {.unmet = -1};
    PoiseTasksDef defaults;
    PoiseStatus status = poise__tasks_prepare(tasks, &def, &defaults, "poise_tasks_solve");
    const bool others = status == POISE_OK && def->starts > 1;
    status = others ? poise__tasks_body_make(tasks) : status;
    if (status != POISE_OK) {
        return status;
    }
    const bool searches = others && poise__tasks_has_body(tasks);
    poise__tasks_begin(tasks, (TaskSearch){.most = def->iterations,
                                           .starts = def->starts - searches,
                                           .others = searches,
                                           .seed = def->seed});
    while (!poise__tasks_continue(tasks, INT_MAX, &own)) {
    }
    own.starts = tasks->search.start + 1 + (tasks->search.other_postures > 0);
    if (report) {
        *report = own;
    }
    return own.status;
}
