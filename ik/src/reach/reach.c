// SPDX-License-Identifier: MIT
// Postures for goals without physics. The search descends from the given posture (reach_step.c),
// then from the posture of a compiled body (reach_body.c), then from random postures if asked
// (reach_seed.c). It ends when one meets the goals, and keeps the best. If its parts touch,
// reach_apart.c continues.
#include <limits.h>
#include <string.h>

#include "reach.h"

#define DEFAULT_TOLERANCE 1e-6

enum { DEFAULT_ITERATIONS = 300, MOST_STARTS = 1000000 };

PoiseReachDef poise_default_reach_def(void) {
    return (PoiseReachDef){.cookie = COOKIE_REACH,
                           .iterations = DEFAULT_ITERATIONS,
                           .starts = 1,
                           .other_postures = true,
                           .position_tolerance = DEFAULT_TOLERANCE,
                           .angle_tolerance = DEFAULT_TOLERANCE};
}

const char* poise_reach_def_problem(const PoiseReachDef* def) {
    if (!def || def->cookie != COOKIE_REACH) {
        return "the def was not made by poise_default_reach_def()";
    }
    if (def->iterations < 1) {
        return "iterations must be at least 1";
    }
    if (def->starts < 1 || def->starts > MOST_STARTS) {
        return "starts must be 1 to 1000000";
    }
    if (!(def->position_tolerance > 0.0) || !(def->angle_tolerance > 0.0)) {
        return "position_tolerance and angle_tolerance must be above 0";
    }
    return NULL;
}

const char* poise_reach_reason_name(PoiseReachReason reason) {
    static const char* const names[] = {"met",  "at limits", "unreachable",  "singular", "budget",
                                        "leap", "searching", "out of reach", "held"};
    const bool known = reason >= POISE_REACH_MET && reason <= POISE_REACH_HELD;
    return known ? names[reason] : "unknown";
}

int poise_node_at_limit(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    const Tie* tie = node ? poise__tie(tree, poise__node_slot(tree, node)) : NULL;
    if (!tie) {
        return node ? poise__joint_side(&node->joint) : 0;
    }
    // the group is on the limit of one of its members
    const int side = poise__joint_side(&tree->nodes[tie->leader].joint);
    return tie->ratio < 0.0 ? -side : side;
}

// True if small steps to one side can help where a descent ended.
static bool wants_kicks(const Search* search) {
    return search->rests && search->level_count == 1 &&
           (search->finishes || (search->start == 0 && search->stationary));
}

// Begins the next descent: from a random posture, or at last from the best posture until its end.
static Phase begin_next(Search* search) {
    if (search->finishes || search->reason == POISE_REACH_MET) {
        return PHASE_ENDED;
    }
    if (!poise__reach_body_knows_all(search) && search->start + 1 < search->def.starts) {
        search->start++;
        search->left = search->def.iterations;
        poise__reach_scatter(search->tree, search->def.seed, search->start);
    } else if (search->hurried) {
        search->finishes = true;
        search->hurried = false;
        const bool others = search->start > 0;
        search->left = others ? search->def.iterations : search->left;
        poise__posture_restore(search->tree, search->tree->solver->reach->best);
    } else {
        return PHASE_ENDED;
    }
    poise__reach_begin_descent(search);
    return PHASE_DESCENDS;
}

// Returns the phase after the descent and the kicks.
static Phase after_descent(Search* search) {
    if (search->finishes || search->reason == POISE_REACH_MET) {
        return PHASE_ENDED;
    }
    return poise__reach_has_body(search) ? PHASE_BODY : begin_next(search);
}

// Runs the search. False if the slice ended first.
static bool run_slice(Search* search) {
    while (search->phase != PHASE_ENDED) {
        if (search->phase == PHASE_DESCENDS) {
            if (!poise__reach_descend(search)) {
                return false;
            }
            poise__reach_keep(search);
            search->phase = wants_kicks(search) ? PHASE_KICKS : after_descent(search);
        } else if (search->phase == PHASE_KICKS) {
            if (!poise__reach_kick_off(search)) {
                return false;
            }
            search->phase = after_descent(search);
        } else {
            if (!poise__reach_body_search(search)) {
                return false;
            }
            search->phase = begin_next(search);
        }
    }
    return true;
}

// True if the points that no node serves are at their goals.
static bool measure_idle(const Search* search, PoiseReachReport* report) {
    const PoiseReachDef* def = &search->def;
    report->idle_points = search->tree->solver->layout.idle_count;
    report->frozen_points =
        poise__idle_measure(search->tree, &report->largest_error, &report->largest_angle_error);
    return report->frozen_points == 0 && report->largest_error <= def->position_tolerance &&
           report->largest_angle_error <= def->angle_tolerance;
}

static void fill_report(const Search* search, PoiseReachReport* report) {
    PoiseTree* tree = search->tree;
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    report->error = poise__reach_measure(tree);
    report->reason = search->reason;
    report->iterations = search->iterations;
    report->starts = search->start + 1;
    report->other_postures = search->other_postures;
    report->best_start = search->best_start;
    const bool idle_met = measure_idle(search, report);
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        double distance, angle;
        poise__goal_left(tree, goal, &distance, &angle);
        report->largest_error = fmax(report->largest_error, distance);
        report->largest_angle_error = fmax(report->largest_angle_error, angle);
        report->frozen_points += goal->frozen;
    }
    poise__jacobian_fill(tree);
    report->frozen_nodes = task->frozen_nodes;
    for (int i = 0; i < layout->column_count; i++) {
        report->limited_nodes +=
            poise__joint_side(&tree->nodes[layout->columns[i].node].joint) != 0;
    }
    report->status = report->reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    if (report->frozen_points > 0 || report->frozen_nodes > 0 || !idle_met) {
        report->status = POISE_DEGRADED;
    }
}

// Begins a search. `call` is the name of the public function, for messages.
static PoiseStatus begin_search(PoiseTree* tree, const PoiseReachDef* def, const char* call) {
    const PoiseReachDef defaults = poise_default_reach_def();
    def = def ? def : &defaults;
    const char* wrong = poise_reach_def_problem(def);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "%s: %s", call, wrong);
    }
    const PoiseStatus status = poise__layout_refresh(tree);
    if (status != POISE_OK) {
        return status;
    }
    const bool others = def->other_postures || def->starts > 1;
    const PoiseStatus made = others ? poise__reach_body_make(tree) : POISE_OK;
    if (made != POISE_OK || !poise__reach_reserve(tree)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                           "%s: no memory for the postures of %d nodes", call, tree->node_count);
    }
    ReachMemory* memory = tree->solver->reach;
    Search* search = &memory->search;
    *search = (Search){.tree = tree,
                       .def = *def,
                       .revision = tree->revision,
                       .due = HUGE_VAL,
                       .best_error = HUGE_VAL,
                       .left = def->iterations,
                       .hurried = others};
    for (int l = 0; l < POISE_LEVELS; l++) {
        search->levels[l].best = HUGE_VAL;
    }
    poise__reach_levels(search);
    poise__posture_clip(tree);
    poise__posture_keep(tree, memory->given);
    poise__posture_keep(tree, memory->best);
    poise__reach_begin_descent(search);
    return POISE_OK;
}

static PoiseStatus continue_search(Search* search, int iterations, PoiseReachReport* report) {
    PoiseReachReport local;
    PoiseReachReport* out = report ? report : &local;
    memset(out, 0, sizeof *out);
    out->held_a = out->held_b = -1;
    search->slice = iterations;
    if (!run_slice(search)) {
        out->status = POISE_NOT_CONVERGED;
        out->reason = POISE_REACH_SEARCHING;
        out->iterations = search->iterations;
        return out->status;
    }
    PoiseTree* tree = search->tree;
    poise__posture_restore(tree, tree->solver->reach->best);
    if (tree->row_sources) {
        poise__reach_free(search, out);
    }
    fill_report(search, out);
    tree->state.has_omega = false;
    return out->status;
}

PoiseStatus poise_reach(PoiseTree* tree, const PoiseReachDef* def, PoiseReachReport* report) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseStatus status = begin_search(tree, def, "poise_reach");
    return status != POISE_OK ? status
                              : continue_search(&tree->solver->reach->search, INT_MAX, report);
}

PoiseStatus poise_reach_begin(PoiseTree* tree, const PoiseReachDef* def) {
    return tree ? begin_search(tree, def, "poise_reach_begin") : POISE_ERROR_INVALID_ARGUMENT;
}

PoiseStatus poise_reach_continue(PoiseTree* tree, int iterations, PoiseReachReport* report) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (iterations < 1) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_reach_continue: iterations is %d, it must be at least 1",
                           iterations);
    }
    ReachMemory* memory = tree->solver ? tree->solver->reach : NULL;
    if (!memory || !memory->search.tree || memory->search.revision != tree->revision) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_reach_continue: no search was begun for the points and nodes as "
                           "they are; call poise_reach_begin");
    }
    return continue_search(&memory->search, iterations, report);
}
