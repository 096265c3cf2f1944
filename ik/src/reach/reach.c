// SPDX-License-Identifier: MIT
// Joint angles for the goals without any physics: the given posture first, by descent
// (reach_step.c) and with hinges turned over (reach_turn.c), then random ones where asked for
// (reach_seed.c), until one meets the goals; the best is kept.
#include <string.h>

#include "reach.h"

#define DEFAULT_TOLERANCE 1e-6

enum { DEFAULT_ITERATIONS = 300, MOST_STARTS = 1000000 };

PoiseReachDef poise_default_reach_def(void) {
    return (PoiseReachDef){.cookie = COOKIE_REACH,
                           .iterations = DEFAULT_ITERATIONS,
                           .starts = 1,
                           .half_turns = true,
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
    static const char* const names[] = {"met",      "at limits", "unreachable",
                                        "singular", "budget",    "leap"};
    return reason >= POISE_REACH_MET && reason <= POISE_REACH_LEAP ? names[reason] : "unknown";
}

int poise_node_at_limit(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    const Tie* tie = node ? poise__tie(tree, poise__node_slot(tree, node)) : NULL;
    if (!tie) {
        return node ? poise__joint_side(&node->joint) : 0;
    }
    // its group stands on the limits of one of them
    const int side = poise__joint_side(&tree->nodes[tie->leader].joint);
    return tie->ratio < 0.0 ? -side : side;
}

static void turn_over(Search* search) {
    if (search->reason != POISE_REACH_MET && search->def->half_turns) {
        poise__reach_turn_over(search);
    }
}

// the given posture: a descent, kicks where the gradient is 0, and hinges turned over
static void search_given(Search* search) {
    poise__reach_descend(search);
    poise__reach_keep(search);
    if (search->rests && search->stationary && search->level_count == 1) {
        poise__reach_kick_off(search);
    }
    turn_over(search);
}

// random postures until one meets the goals
static void search_scattered(Search* search) {
    while (search->reason != POISE_REACH_MET && search->start + 1 < search->def->starts) {
        search->start++;
        search->left = search->def->iterations;
        poise__reach_scatter(search->tree, search->def->seed, search->start);
        poise__reach_descend(search);
        poise__reach_keep(search);
        turn_over(search);
    }
}

// none met them: the best is followed to its very end
static void finish_best(Search* search) {
    search->hurried = false;
    search->left = search->start > 0 ? search->def->iterations : search->left;
    poise__posture_restore(search->tree, search->tree->solver->reach->best);
    poise__reach_descend(search);
    poise__reach_keep(search);
    if (search->rests && search->level_count == 1) {
        poise__reach_kick_off(search);
    }
}

static void search_all(Search* search, PoiseReachReport* report) {
    PoiseTree* tree = search->tree;
    const PoiseReachDef* def = search->def;
    poise__posture_clip(tree);
    poise__posture_keep(tree, tree->solver->reach->given);
    poise__posture_keep(tree, tree->solver->reach->best);
    search->hurried = def->half_turns || def->starts > 1;
    search->left = def->iterations;
    search_given(search);
    search_scattered(search);
    report->starts = search->start + 1;
    if (search->reason != POISE_REACH_MET && search->hurried) {
        finish_best(search);
    }
}

// whether the points that nothing moves are at their goals anyway
static bool measure_idle(const Search* search, PoiseReachReport* report) {
    const PoiseReachDef* def = search->def;
    report->idle_points = search->tree->solver->layout.idle_count;
    report->frozen_points =
        poise__idle_measure(search->tree, &report->largest_error, &report->largest_angle_error);
    return report->frozen_points == 0 && report->largest_error <= def->position_tolerance &&
           report->largest_angle_error <= def->angle_tolerance;
}

static void fill_report(const Search* search, PoiseReachReport* report) {
    PoiseTree* tree = search->tree;
    const Layout* layout = &tree->solver->layout;
    report->error = poise__reach_measure(tree);
    report->reason = search->reason;
    report->iterations = search->iterations;
    report->half_turns = search->half_turns;
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
    report->frozen_nodes = layout->frozen_nodes;
    for (int i = 0; i < layout->column_count; i++) {
        report->limited_nodes +=
            poise__joint_side(&tree->nodes[layout->columns[i].node].joint) != 0;
    }
    report->status = report->reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    if (report->frozen_points > 0 || report->frozen_nodes > 0 || !idle_met) {
        report->status = POISE_DEGRADED;
    }
}

PoiseStatus poise_reach(PoiseTree* tree, const PoiseReachDef* def, PoiseReachReport* report) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseReachDef defaults = poise_default_reach_def();
    def = def ? def : &defaults;
    const char* wrong = poise_reach_def_problem(def);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_reach: %s", wrong);
    }
    const PoiseStatus status = poise__layout_refresh(tree);
    if (status != POISE_OK) {
        return status;
    }
    if (!poise__reach_reserve(tree)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                           "poise_reach: no memory for the postures of %d nodes", tree->node_count);
    }
    PoiseReachReport local;
    PoiseReachReport* out = report ? report : &local;
    memset(out, 0, sizeof *out);
    Search search = {.tree = tree, .def = def, .due = HUGE_VAL, .best_error = HUGE_VAL};
    for (int l = 0; l < POISE_LEVELS; l++) {
        search.levels[l].best = HUGE_VAL;
    }
    poise__reach_levels(&search);
    search_all(&search, out);
    poise__posture_restore(tree, tree->solver->reach->best);
    fill_report(&search, out);
    tree->state.has_omega = false;
    return out->status;
}
