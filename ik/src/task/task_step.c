// SPDX-License-Identifier: MIT
// Runs a step of the tasks (poise_tasks_step), and finds how steps and solves ended.
#include <string.h>

#include "task.h"

// a gradient up to this fraction of the largest that the errors allow counts as 0
#define GRADIENT_ZERO 1e-6
// at rest, a larger fraction shows that other tasks outweigh an unmet task
#define OUTWEIGHED 1e-3
// A step may leave an interval by MARGIN_PART of the tolerance. If it leaves by more, the margin
// grows by MARGIN_GROWTH times the excess.
#define MARGIN_PART   0.5
#define MARGIN_GROWTH 1.05
enum { RESTORES = 4, HALVINGS = 5 };

// ------------------------------------------------------------------------------------------ ends

bool poise__tasks_all_met(const PoiseTasks* tasks, int* unmet) {
    *unmet = -1;
    bool met = true;
    for (int i = tasks->count + tasks->closure_count - 1; i >= 0; i--) {
        if (!tasks->items[i].reading.met) {
            met = false;
            *unmet = i < tasks->count ? i : *unmet;
        }
    }
    return met && tasks->shortfall <= TASK_GAP_ROUNDING;
}

static int first_unmet_priority(const PoiseTasks* tasks) {
    int first = POISE_PRIORITIES;
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        const Item* item = &tasks->items[i];
        first = !item->reading.met && item->def.priority < first ? item->def.priority : first;
    }
    return first;
}

// Sets `limit` for columns at an end of their range, if moving beyond it would reduce the errors of
// unmet tasks. Fills `gradient` by column. `free_gradient` gets the largest |gradient| of the other
// columns, `most` the largest that the errors allow. True if such a limit exists for the first
// unmet priority.
static bool find_limits(PoiseTasks* tasks, double* free_gradient, double* most) {
    const int first = first_unmet_priority(tasks);
    bool some = false;
    poise__tasks_room(tasks);
    *free_gradient = 0.0;
    *most = 0.0;
    for (int c = 0; c < tasks->column_count; c++) {
        double pull = 0.0, size = 0.0, first_pull = 0.0;
        for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
            const Item* item = &tasks->items[i];
            for (int r = item->first_row; !item->reading.met && r < item->first_row + item->rows;
                 r++) {
                const double part = tasks->jacobian[c * tasks->row_count + r] * tasks->error[r];
                pull += part;
                first_pull += item->def.priority == first ? part : 0.0;
                size += fabs(part);
            }
        }
        const bool ends = (pull > 0.0 && tasks->room_upper[c] <= TASK_REST) ||
                          (pull < 0.0 && tasks->room_lower[c] >= -TASK_REST);
        tasks->gradient[c] = pull;
        tasks->limit[c] = ends && fabs(pull) > GRADIENT_ZERO * size;
        some = some || (tasks->limit[c] && pull * first_pull > 0.0 &&
                        fabs(first_pull) > GRADIENT_ZERO * size);
        *free_gradient = poise_max(*free_gradient, tasks->limit[c] ? 0.0 : fabs(pull));
        *most = poise_max(*most, size);
    }
    return some;
}

void poise__tasks_report(PoiseTasks* tasks, PoiseTasksReport* report, bool at_rest) {
    double gradient, most;
    const bool met = poise__tasks_all_met(tasks, &report->unmet);
    const bool limited = find_limits(tasks, &gradient, &most);
    report->status = met ? POISE_OK : POISE_NOT_CONVERGED;
    report->reason = met          ? POISE_REACH_MET
                     : !at_rest   ? POISE_REACH_SEARCHING
                     : limited    ? POISE_REACH_AT_LIMITS
                     : most > 0.0 ? POISE_REACH_UNREACHABLE
                                  : POISE_REACH_SINGULAR;
    report->held = !met && tasks->apart && poise__tasks_holding(tasks, tasks->gradient, report);
    report->reason = report->held ? POISE_REACH_HELD : report->reason;
    report->outweighed = report->reason == POISE_REACH_UNREACHABLE && gradient > OUTWEIGHED * most;
    report->error = 0.0;
    report->angle_error = 0.0;
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        report->error = poise_max(report->error, tasks->items[i].reading.error);
        report->angle_error = poise_max(report->angle_error, tasks->items[i].reading.angle_error);
    }
}

int poise_tasks_held_by(const PoiseTasks* tasks, PoiseNodeId* nodes, int capacity) {
    int count = 0;
    int last = NO_SLOT;
    for (int m = 0; tasks && tasks->laid_out && m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        const bool own = motion->leads;
        if (own && tasks->limit[motion->column] && motion->slot != last) {
            last = motion->slot;
            if (nodes && count < capacity) {
                nodes[count] = poise__node_id(tasks->tree, motion->slot);
            }
            count++;
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------- step

static const char* def_problem(const PoiseTasks* tasks, const PoiseTasksDef* def) {
    if (def->cookie != COOKIE_TASKS) {
        return "the def was not made by poise_default_tasks_def()";
    }
    if (!(def->dt > 0.0) || isinf(def->dt)) {
        return "dt must be above 0 and finite";
    }
    if (def->iterations < 1 || def->starts < 1) {
        return "iterations and starts must be at least 1";
    }
    for (int i = 0; def->acceleration && i < tasks->tree->node_count; i++) {
        if (!(def->acceleration[i] > 0.0)) {
            return "acceleration must be above 0 (infinity: no bound)";
        }
    }
    return NULL;
}

PoiseStatus poise__tasks_prepare(PoiseTasks* tasks, const PoiseTasksDef** def, PoiseTasksDef* own,
                                 const char* call) {
    if (!tasks) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    *own = poise_default_tasks_def();
    *def = *def ? *def : own;
    const char* wrong = def_problem(tasks, *def);
    if (wrong) {
        return poise__fail(tasks->tree, POISE_ERROR_INVALID_ARGUMENT, "%s: %s", call, wrong);
    }
    return poise__tasks_lay_out(tasks);
}

// Increases the margins of intervals that a step left through second-order errors. True if any.
static bool widen_margins(PoiseTasks* tasks) {
    bool some = false;
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        const int r = item->first_row;
        if (poise__task_is_interval(&item->def) && (tasks->inside[r] || tasks->margin[r] > 0.0) &&
            item->reading.error > MARGIN_PART * item->def.tolerance) {
            tasks->margin[r] += MARGIN_GROWTH * fabs(tasks->error[r]);
            some = true;
        }
    }
    return (tasks->apart && poise__tasks_widen_pairs(tasks)) || some;
}

// True if the step moved a point farther from a cone than it was, and beyond the tolerance.
static bool regions_are_left(const PoiseTasks* tasks) {
    bool some = false;
    for (int i = 0; i < tasks->count; i++) {
        const Item* item = &tasks->items[i];
        some = some || (item->def.kind == POISE_TASK_CONE &&
                        item->reading.error > poise_max(item->error_before, item->def.tolerance));
    }
    return some;
}

// Shortens the step until it neither reduces a gap that is below its distance nor moves a point
// farther from its cone.
static void shorten_if_near(PoiseTasks* tasks, double before) {
    const double most = poise_max(before, TASK_GAP_ROUNDING);
    for (int i = 0;
         i <= HALVINGS && (tasks->shortfall > most || (i < HALVINGS && regions_are_left(tasks)));
         i++) {
        for (int c = 0; c < tasks->column_count; c++) {
            tasks->x[c] *= i < HALVINGS ? 0.5 : 0.0;
        }
        poise__tasks_restore(tasks, tasks->kept);
        poise__tasks_look(tasks);
        poise__tasks_advance(tasks);
        poise__tasks_look(tasks);
    }
}

PoiseStatus poise_tasks_step(PoiseTasks* tasks, const PoiseTasksDef* def,
                             PoiseTasksReport* report) {
    PoiseTasksReport own = {.unmet = -1, .iterations = 1, .starts = 1};
    PoiseTasksDef defaults;
    const PoiseStatus status = poise__tasks_prepare(tasks, &def, &defaults, "poise_tasks_step");
    if (status != POISE_OK) {
        return status;
    }
    poise__tasks_clip(tasks);
    tasks->period = def->acceleration ? 0.0 : def->dt;
    poise__tasks_look(tasks);
    if (def->acceleration) {
        poise__tasks_bounds(tasks, NULL);
        poise__tasks_run(tasks, tasks->level_count, TASK_FIRST_DAMPING, false);
        memcpy(tasks->remaining, tasks->x, (size_t)tasks->column_count * sizeof *tasks->x);
    }
    poise__tasks_bounds(tasks, def);
    poise__tasks_keep(tasks, tasks->kept);
    const double shortfall = tasks->shortfall;
    for (int i = 0; i < tasks->count; i++) {
        tasks->items[i].error_before = tasks->items[i].reading.error;
    }
    memset(tasks->margin, 0, ((size_t)tasks->row_count + 1) * sizeof *tasks->margin);
    for (int tries = 0; tries == 0 || (tries < RESTORES && widen_margins(tasks)); tries++) {
        if (tries > 0) {
            poise__tasks_restore(tasks, tasks->kept);
            poise__tasks_look(tasks);
        }
        poise__tasks_brake(tasks, def);
        poise__tasks_run(tasks, tasks->level_count, TASK_FIRST_DAMPING, true);
        poise__tasks_note_pairs(tasks);
        poise__tasks_cap(tasks);
        poise__tasks_advance(tasks);
        poise__tasks_look(tasks);
    }
    shorten_if_near(tasks, shortfall);
    for (int c = 0; c < tasks->column_count; c++) {
        tasks->speed[c] = tasks->x[c] / def->dt;
    }
    poise__tasks_report(tasks, &own, tasks->shift <= TASK_REST);
    if (report) {
        *report = own;
    }
    return own.status;
}

void poise_tasks_rest(PoiseTasks* tasks) {
    if (tasks && tasks->laid_out) {
        memset(tasks->speed, 0, (size_t)tasks->column_count * sizeof *tasks->speed);
    }
}
