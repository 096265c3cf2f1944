// SPDX-License-Identifier: MIT
// A reach with priorities. The levels are served in order, each to its least error that keeps the
// errors of the earlier levels. A step of a level leaves the rows of earlier levels unchanged to
// first order (solve/level.c). The second-order error is corrected before the step is judged, so
// that no level gets worse for a later one. Closures are the first level. reach_descend.c calls
// this file; reach_step.c descends on one level.
#include <string.h>

#include "reach.h"

// relative rise of an earlier level's E that counts as rounding
#define RISE 1e-9
// part of the tolerances to which a met level is restored
#define MET_PART 1e-3
// largest number of attempts to restore the earlier levels
enum { RESTORES = 12 };
// growth of the damping from one attempt to the next, for levels that are not met
#define RESTORE_GROWTH 1.5
#define LAMBDA_FLOOR   1e-12
// a step below this fraction of |J| |v| counts as a gradient of 0
#define STEP_ZERO 1e-10

void poise__reach_look(PoiseTree* tree) {
    poise__forward(tree);
    poise__goal_fill(tree);
}

double poise__reach_measure(PoiseTree* tree) {
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    poise__reach_look(tree);
    double sum = 0.0;
    for (int r = 0; r < layout->row_count; r++) {
        sum += task->v[r] * task->v[r];
    }
    return isfinite(sum) ? 0.5 * sum : HUGE_VAL;
}

void poise__reach_take(PoiseTree* tree) {
    poise__publish(tree, tree->solver->answer.omega, offsetof(Node, omega));
    tree->state.has_omega = true;
    poise__advance(tree);
}

void poise__reach_levels(Search* search) {
    const Priorities* priorities = &search->tree->solver->layout.priorities;
    search->level_count = 1;
    if (!poise__has_levels(&search->tree->solver->layout)) {
        return;
    }
    search->level_count = 0;
    for (int priority = priorities->first; priority <= priorities->last; priority++) {
        if (priorities->present & (1u << (priority - POISE_PRIORITY_CLOSURE))) {
            search->levels[search->level_count++].priority = priority;
        }
    }
}

double poise__reach_level_error(const Search* search, int level) {
    const Layout* layout = &search->tree->solver->layout;
    const Task* task = &search->tree->solver->task;
    double sum = 0.0;
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; goal->priority == search->levels[level].priority && k < goal->rows; k++) {
            const double v = task->v[goal->first_row + k];
            sum += v * v;
        }
    }
    return isfinite(sum) ? 0.5 * sum : HUGE_VAL;
}

bool poise__reach_level_is_met(const Search* search, int level, double part) {
    const Layout* layout = &search->tree->solver->layout;
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        const bool counts =
            search->level_count == 1 || goal->priority == search->levels[level].priority;
        if (counts &&
            !poise__goal_is_near(search->tree, goal, part * search->def.position_tolerance,
                                 part * search->def.angle_tolerance)) {
            return false;
        }
    }
    return true;
}

void poise__reach_level_step(const Search* search, int count, double growth) {
    Solver* solver = search->tree->solver;
    const Layout* layout = &solver->layout;
    Metric* metric = &solver->metric;
    poise__levels_prepare(layout, solver->levels, count);
    // references have no part in a reach
    poise__damping_even(layout, metric, 0.0);
    for (int l = 0; l < count; l++) {
        const ReachLevel* at = &search->levels[l];
        Level level = poise__level_begin(solver, l, solver->task.v, solver->answer.omega);
        level.bounded = true;
        // forget which joints were on bounds, so that equal calls give equal bits
        memset(level.held, 0, (size_t)layout->dof_count);
        poise__damping_fill(layout, metric, &level, 0.0,
                            growth * at->damping * at->error +
                                LAMBDA_FLOOR * solver->task.mean_square);
        poise__level_solve(layout, metric, &level);
    }
}

bool poise__reach_level_rests(const Search* search, bool* held) {
    const Layout* layout = &search->tree->solver->layout;
    const Task* task = &search->tree->solver->task;
    const Levels* levels = search->tree->solver->levels;
    const Answer* answer = &search->tree->solver->answer;
    const double error = search->levels[search->level].error;
    const double trace = task->mean_square * layout->row_count;
    double square = 0.0;
    *held = false;
    for (int d = 0; d < layout->dof_count; d++) {
        square += answer->omega[d] * answer->omega[d];
        *held = *held || levels->level[search->level].held[d] != 0;
    }
    // (J^T J + lambda) omega = J^T v if no constraint is active
    const double most = trace + search->levels[search->level].damping * error;
    return sqrt(square) * most <= STEP_ZERO * sqrt(2.0 * error * trace);
}

static bool is_as_before(const Search* search, int level) {
    const ReachLevel* at = &search->levels[level];
    return at->met ? poise__reach_level_is_met(search, level, MET_PART)
                   : poise__reach_level_error(search, level) <= (1.0 + RISE) * at->error;
}

bool poise__reach_restore(const Search* search) {
    PoiseTree* tree = search->tree;
    double growth = 1.0;
    for (int tries = 0; search->level > 0 && tries <= RESTORES; tries++) {
        bool fine = poise__reach_measure(tree) < HUGE_VAL;
        for (int l = 0; fine && l < search->level; l++) {
            fine = is_as_before(search, l);
        }
        if (fine || tries == RESTORES) {
            return fine;
        }
        poise__jacobian_fill(tree);
        poise__bounds_fill(tree, 0.0);
        poise__reach_level_step(search, search->level, growth);
        poise__reach_take(tree);
        growth *= RESTORE_GROWTH;
    }
    return true;
}

bool poise__reach_is_better(const Search* search, double part) {
    if (search->level_count == 1) {
        return search->error < part * search->best_error;
    }
    for (int l = 0; l < search->level_count; l++) {
        const ReachLevel* at = &search->levels[l];
        const double error = at->met ? 0.0 : at->error;
        if (error < part * (1.0 - RISE) * at->best) {
            return true;
        }
        if (error > (1.0 + RISE) * at->best) {
            return false;
        }
    }
    return false;
}
