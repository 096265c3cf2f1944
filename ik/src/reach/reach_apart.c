// SPDX-License-Identifier: MIT
// Postures whose parts are apart. The search has ended at a posture in which a pair is nearer than
// its distance. The compiled body searches again with its parts apart, if it knows all goals. If
// its answer is none, the goals become tasks (poise/task.h): these know all kinds of goals, and
// move the nodes that no goal depends on out of the way.
#include "apart.h"
#include "reach.h"
#include "task.h"

// m: gaps at most this much below the distance count as kept
#define ROUNDING 1e-9

// True if no pair is nearer than the distance. Writes the nearest pair.
static bool is_free(PoiseApart* apart, PoiseApartNear* nearest) {
    return poise_apart_measure(apart, nearest) == 0 &&
           nearest->gap.distance >= apart->distance - ROUNDING;
}

static void hold(Search* search, PoiseApartPair pair, double gap, PoiseReachReport* report) {
    search->reason = POISE_REACH_HELD;
    report->held_a = pair.a;
    report->held_b = pair.b;
    report->held_gap = gap;
}

// Returns the gap of a pair, m.
static double gap_of(const PoiseApart* apart, PoiseApartPair pair) {
    int k = 0;
    while (apart->pairs[k].a != pair.a || apart->pairs[k].b != pair.b) {
        k++;
    }
    return poise__parts_gap(apart, &apart->pairs[k]).distance;
}

// True if the goals' solve moves the node, or no goal depends on the node.
static bool may_move(const PoiseTree* tree, int slot) {
    const Layout* layout = &tree->solver->layout;
    bool may = true;
    for (int g = 0; g < layout->goal_count; g++) {
        may = may && poise__point_sign(tree, slot, &tree->points[layout->goals[g].point]) == 0;
    }
    return may || layout->column_of_node[slot] != NO_SLOT;
}

// Makes tasks of the goals. NULL without memory.
static PoiseTasks* make_tasks(const Search* search) {
    PoiseTree* tree = search->tree;
    const Layout* layout = &tree->solver->layout;
    PoiseTasks* tasks = poise_tasks_create(tree);
    for (int g = 0; tasks && g < layout->goal_count; g++) {
        const Point* point = &tree->points[layout->goals[g].point];
        PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
        def.point = poise__point_id(tree, layout->goals[g].point);
        def.weight = point->weight;
        def.priority = point->priority;
        def.tolerance = search->def.position_tolerance;
        def.angle_tolerance = search->def.angle_tolerance;
        const bool counts = point->priority >= 0 && !layout->goals[g].frozen;
        if (counts && poise_tasks_add(tasks, &def) < 0) {
            poise_tasks_destroy(tasks);
            return NULL;
        }
    }
    if (tasks) {
        tasks->moves = may_move;
    }
    return tasks;
}

// Solves the tasks from the present posture. False without memory.
static bool solve_tasks(Search* search, PoiseReachReport* report) {
    PoiseTasks* tasks = make_tasks(search);
    PoiseTasksDef def = poise_default_tasks_def();
    PoiseTasksReport found;
    def.starts = search->def.starts;
    def.seed = search->def.seed;
    const bool solved = tasks && poise_tasks_solve(tasks, &def, &found) >= 0;
    poise_tasks_destroy(tasks);
    if (solved) {
        search->iterations += found.iterations;
        search->start = search->start + 1 > found.starts ? search->start : found.starts - 1;
        if (found.held) {
            hold(search, found.held_by, found.held_gap, report);
        } else if (found.status == POISE_OK || report->held_a < 0) {
            search->reason = found.reason;
            report->held_a = report->held_b = -1;
            report->held_gap = 0.0;
        }
    }
    return solved;
}

void poise__reach_free(Search* search, PoiseReachReport* report) {
    PoiseTree* tree = search->tree;
    PoiseApart* apart = poise__apart_of_tree(tree);
    PoiseApartNear touching, nearest;
    poise__forward(tree);
    if (!apart || is_free(apart, &touching)) {
        return;
    }
    const PoiseReachReason before = search->reason;
    const bool by_body = poise__reach_body_free(search, report);
    poise__forward(tree);
    if ((!by_body || search->reason == POISE_REACH_HELD) && !solve_tasks(search, report) &&
        !by_body) {
        hold(search, touching.pair, touching.gap.distance, report);
    }
    // a body rounds its frames in another order than the tree does
    poise__forward(tree);
    const bool free_now = is_free(apart, &nearest);
    const bool was_met = before == POISE_REACH_MET;
    if (!free_now && report->held_a < 0) {
        hold(search, nearest.pair, nearest.gap.distance, report);
    } else if (search->reason == POISE_REACH_BUDGET && !was_met) {
        search->reason = before;
    } else if (search->reason != POISE_REACH_MET && was_met && report->held_a < 0) {
        hold(search, touching.pair, gap_of(apart, touching.pair), report);
    }
}
