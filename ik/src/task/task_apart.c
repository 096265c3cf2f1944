// SPDX-License-Identifier: MIT
// Keeps parts apart in the steps of tasks. Each pair nearer than the range has the row
//
//     n^T (J_a - J_b) x >= distance - d
//
// with gap d and normal n. These rows form a level before all tasks except closures. More distant
// pairs have no row; instead the whole step is shortened so that they cannot meet.
#include "task.h"

// m; rows aim at the distance plus this, so that rounding leaves the whole distance
#define AIM 1e-6
// m; a row is active if the step ends this near to its limit
#define ON_END 1e-9
// m; a pair can hold tasks back if its gap is at most this above the distance
#define AT_REST 1e-5
// Growth of the margin relative to the missing gap, so that one more step suffices.
#define MARGIN_GROWTH 1.05

// Fills a row with the approach of the pair, n . (v_a - v_b), per unit of each motion. It is 0 for
// joints that carry both links.
static void fill_row(PoiseTasks* tasks, int row, const Pair* pair, const PoiseGap* gap) {
    const PoiseTree* tree = tasks->tree;
    const int links[2] = {tasks->apart->parts[pair->a].link, tasks->apart->parts[pair->b].link};
    for (int c = 0; c < tasks->column_count; c++) {
        tasks->jacobian[c * tasks->row_count + row] = 0.0;
    }
    for (int m = 0; m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        const bool a = links[0] != NO_SLOT && poise__carries(tree, motion->slot, links[0]);
        const bool b = links[1] != NO_SLOT && poise__carries(tree, motion->slot, links[1]);
        if (a == b) {
            continue;
        }
        const PoiseVec3 arm = poise_sub(a ? gap->a : gap->b, motion->anchor);
        const PoiseVec3 velocity = motion->linear ? motion->axis : poise_cross(motion->axis, arm);
        const double along = poise_dot(gap->normal, velocity);
        tasks->jacobian[motion->column * tasks->row_count + row] +=
            motion->ratio * (a ? along : -along);
    }
}

void poise__tasks_near(PoiseTasks* tasks) {
    PoiseApart* apart = tasks->apart;
    TaskLevel* level = &tasks->levels[tasks->apart_level];
    poise__apart_find_near(apart, tasks->period);
    level->rows = apart->near_count < tasks->near_most ? apart->near_count : tasks->near_most;
    level->cost = 0.0;
    tasks->shortfall = 0.0;
    for (int k = 0; k < level->rows; k++) {
        const Near* near = &apart->near[k];
        const int row = level->first_row + k;
        const double shortfall = apart->pairs[near->pair].kept - near->gap.distance;
        tasks->gap_end[row] = poise_min(shortfall + AIM, shortfall > 0.0 ? PUSH_MOST : 0.0);
        tasks->error[row] = poise_max(tasks->gap_end[row], 0.0);
        tasks->shortfall = poise_max(tasks->shortfall, shortfall);
        level->cost += 0.5 * poise_max(shortfall, 0.0) * poise_max(shortfall, 0.0);
        fill_row(tasks, row, &apart->pairs[near->pair], &near->gap);
    }
}

// Returns an upper bound, m, of the displacement by the step x of any place on the carrier's parts.
static double motion_of(const PoiseTasks* tasks, const Carrier* carrier) {
    double most = 0.0;
    for (int m = 0; carrier->link != NO_SLOT && m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        if (poise__carries(tasks->tree, motion->slot, carrier->link)) {
            const double arm = poise_length(poise_sub(carrier->pose.p, motion->anchor));
            most += fabs(motion->ratio * tasks->x[motion->column]) *
                    (motion->linear ? 1.0 : arm + carrier->reach);
        }
    }
    return most;
}

void poise__tasks_cap(PoiseTasks* tasks) {
    PoiseApart* apart = tasks->apart;
    double factor = 1.0;
    if (!apart) {
        return;
    }
    for (int i = 0; i < apart->carrier_count; i++) {
        apart->carriers[i].motion.step = motion_of(tasks, &apart->carriers[i]);
    }
    for (int i = 0; i < apart->bundle_count; i++) {
        const Bundle* bundle = &apart->bundles[i];
        const double motion = apart->carriers[bundle->a_carrier].motion.step +
                              apart->carriers[bundle->b_carrier].motion.step;
        const double room = apart->close - apart->distance;
        factor = factor * motion > room ? room / motion : factor;
    }
    for (int c = 0; c < tasks->column_count; c++) {
        tasks->x[c] *= factor;
    }
}

void poise__tasks_note_pairs(PoiseTasks* tasks) {
    const TaskLevel* level = tasks->apart ? &tasks->levels[tasks->apart_level] : NULL;
    tasks->step_pairs = level ? level->rows : 0;
    for (int k = 0; k < tasks->step_pairs; k++) {
        const int row = level->first_row + k;
        const double at = poise__tasks_row_times(tasks, row, tasks->x);
        tasks->pairs[k] = tasks->apart->near[k].pair;
        tasks->binds[k] = at <= tasks->gap_end[row] + tasks->margin[row] + ON_END;
    }
}

bool poise__tasks_widen_pairs(PoiseTasks* tasks) {
    const int first_row = tasks->levels[tasks->apart_level].first_row;
    bool some = false;
    // The near pairs after the step may be other ones: measure those that had rows.
    for (int k = 0; k < tasks->step_pairs; k++) {
        const int row = first_row + k;
        const Pair* pair = &tasks->apart->pairs[tasks->pairs[k]];
        const double shortfall = pair->kept - poise__parts_gap(tasks->apart, pair).distance;
        if ((tasks->inside[row] || tasks->margin[row] > 0.0) && shortfall > TASK_GAP_ROUNDING) {
            tasks->margin[row] += MARGIN_GROWTH * shortfall;
            some = true;
        }
    }
    return some;
}

// True if the pair's row was active in the last step.
static bool bound_step(const PoiseTasks* tasks, int pair) {
    bool bound = false;
    for (int k = 0; k < tasks->step_pairs; k++) {
        bound = bound || (tasks->pairs[k] == pair && tasks->binds[k]);
    }
    return bound;
}

bool poise__tasks_holding(const PoiseTasks* tasks, const double* pull, PoiseTasksReport* report) {
    const TaskLevel* level = &tasks->levels[tasks->apart_level];
    double least = HUGE_VAL;
    bool some = false;
    for (int k = 0; k < level->rows; k++) {
        const Near* near = &tasks->apart->near[k];
        const Pair* pair = &tasks->apart->pairs[near->pair];
        const double room = near->gap.distance - pair->kept;
        const bool together =
            room < 0.0 || poise__tasks_row_times(tasks, level->first_row + k, pull) < 0.0;
        if (near->gap.distance < least && together &&
            (room < AT_REST || bound_step(tasks, near->pair))) {
            least = near->gap.distance;
            report->held_by = (PoiseApartPair){pair->a, pair->b};
            report->held_gap = near->gap.distance;
            some = true;
        }
    }
    return some;
}
