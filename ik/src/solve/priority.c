// SPDX-License-Identifier: MIT
// Solves points of different priority: each level (level.c) moves in the null space of the levels
// before it (null_space.c). The damping of a level follows from its whole rows, without the
// projection. If these rows become singular in the null space, the step stays short and the levels
// before stay met.
#include <string.h>

#include "solve.h"

static void carve_levels(Levels* levels, Carver* carver, const Layout* layout, const Task* task) {
    const size_t rows = (size_t)layout->row_count;
    const size_t dofs = (size_t)layout->dof_count;
    const size_t goals = (size_t)layout->goal_count;
    const PoiseQpSize size = {layout->row_count, layout->dof_count, layout->row_count, false, true};
    const size_t bytes = poise_qp_work_place(&levels->work, &size, NULL);
    poise__carve_over(carver, sizeof *levels);
    void* work = poise__carve(carver, bytes, 1);
    poise_qp_work_place(&levels->work, &size, work);
    levels->rows = poise__carve(carver, rows * dofs, sizeof *levels->rows);
    levels->values = poise__carve(carver, rows, sizeof *levels->values);
    levels->active = poise__carve(carver, rows, sizeof *levels->active);
    levels->blocks = poise__carve(carver, (size_t)task->matrix.block_count, sizeof *levels->blocks);
    levels->target = poise__carve(carver, rows, sizeof *levels->target);
    levels->row_damping = poise__carve(carver, rows, sizeof *levels->row_damping);
    levels->damping = poise__carve(carver, dofs, sizeof *levels->damping);
    levels->share = poise__carve(carver, dofs, sizeof *levels->share);
    levels->centre = poise__carve(carver, dofs, sizeof *levels->centre);
    levels->held = poise__carve(carver, goals * dofs, sizeof *levels->held);
    levels->previous = poise__carve(carver, goals * dofs, sizeof *levels->previous);
    levels->damped = poise__carve(carver, goals * goals, sizeof *levels->damped);
    levels->before = poise__carve(carver, dofs, sizeof *levels->before);
}

PoiseStatus poise__levels_make(PoiseTree* tree) {
    Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    Levels* levels = tree->solver->levels;
    if (levels && levels->valid) {
        return POISE_OK;
    }
    Carver counter = {NULL, 0};
    Levels trial;
    carve_levels(&trial, &counter, layout, task);
    const size_t size = levels ? levels->size : 0;
    if (counter.used > size) {
        Levels* grown = (Levels*)poise_host_allocate(&tree->host, counter.used);
        if (!grown) {
            return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                               "no memory for the null space of %d rows", layout->row_count);
        }
        poise_host_release(&tree->host, levels, size);
        memset(grown, 0, sizeof *grown);
        grown->size = counter.used;
        levels = tree->solver->levels = grown;
    }
    Carver carver = {(char*)levels, 0};
    carve_levels(levels, &carver, layout, task);
    for (int i = 0; i < layout->goal_count * layout->dof_count; i++) {
        levels->previous[i] = 0.0;
        levels->held[i] = 0;
    }
    memset(levels->gain, 0, sizeof levels->gain);
    levels->valid = true;
    return POISE_OK;
}

// Runs the level; runs it again with more damping if its step turned back on the step before.
static void run_damped(Solver* solver, Level* level, const LevelDamping* damping, double* omega) {
    Layout* layout = &solver->layout;
    const Task* task = &solver->task;
    Levels* levels = solver->levels;
    Answer* answer = &solver->answer;
    const int n = layout->dof_count;
    double* previous = &levels->previous[level->index * n];
    const double was = damping->adaptive || damping->kept ? levels->gain[level->index] : 0.0;
    double gain = poise_max(was, damping->floor);
    memcpy(levels->before, omega, (size_t)n * sizeof *omega);
    const double* taken = answer->work.gradient;
    for (int tries = 0; tries < 2; tries++) {
        level->gain = gain;
        poise__level_run(solver, level, damping, omega);
        if (level->index == 0) {
            levels->used_gain = gain;
            levels->lambda = layout->groups[0].lambda;
        }
        for (int d = 0; d < n; d++) {
            answer->work.gradient[d] = omega[d] - levels->before[d];
        }
        taken = poise__comparable(layout, task, answer->work.gradient, answer->work.direction);
        if (tries > 0 || !damping->adaptive || !poise__turned_back(taken, previous, n)) {
            gain = tries > 0 ? gain : poise__gain_faded(gain);
            break;
        }
        gain = poise__gain_grown(gain);
        memcpy(omega, levels->before, (size_t)n * sizeof *omega);
    }
    levels->gain[level->index] = damping->kept ? was : gain;
    memcpy(previous, taken, (size_t)n * sizeof *previous);
}

void poise__levels_solve(Solver* solver, const double* target, const LevelDamping* damping,
                         double* omega) {
    Layout* layout = &solver->layout;
    const Task* task = &solver->task;
    const Metric* metric = &solver->metric;
    Levels* levels = solver->levels;
    Answer* answer = &solver->answer;
    const Priorities* priorities = &layout->priorities;
    Level level = {0, 0, false, target, damping->floor};
    levels->budget_used = false;
    levels->row_count = 0;
    for (int d = 0; d < layout->dof_count; d++) {
        // starts at the desired step, unless references have rows of their own
        const bool led = damping->bounded && metric->drawn && metric->pull[d] == 0.0;
        const double desired = led ? metric->desired[d] : 0.0;
        omega[d] = damping->bounded
                       ? poise_min(poise_max(desired, metric->lower[d]), metric->upper[d])
                       : 0.0;
        answer->fixed[d] = damping->bounded ? 0 : answer->fixed[d];
    }
    for (int priority = priorities->first; priority <= priorities->last; priority++) {
        if (!(priorities->present & (1u << (priority - POISE_PRIORITY_CLOSURE)))) {
            continue;
        }
        level.priority = priority;
        level.last = priority == priorities->last;
        if (damping->bounded) {
            run_damped(solver, &level, damping, omega);
        } else {
            poise__level_run(solver, &level, damping, omega);
        }
        poise__level_keep(layout, task, levels, &level);
        level.index++;
    }
    for (int d = 0; damping->bounded && d < layout->dof_count; d++) {
        answer->fixed[d] = omega[d] <= metric->lower[d] || omega[d] >= metric->upper[d];
    }
    levels->count = level.index;
}
