// SPDX-License-Identifier: MIT
// Postures whose parts are apart. The search has ended at a posture in which a pair is nearer than
// its distance: the compiled body searches again with its parts apart, or steps of poise_solve,
// whose rows keep the pairs apart, move postures of the tree.
#include "apart.h"
#include "reach.h"

enum {
    STEPS = 60,         ///< from one posture
    MOST_SCATTERED = 20 ///< random postures at most
};

// m: gaps at most this much below the distance count as kept
#define ROUNDING 1e-9

// Returns the number of pairs nearer than the distance: 0 or 1. Writes the nearest pair.
static bool is_free(PoiseApart* apart, PoiseApartNear* nearest) {
    return poise_apart_measure(apart, nearest) == 0 &&
           nearest->gap.distance >= apart->distance - ROUNDING;
}

static bool goals_are_met(const Search* search) {
    const Layout* layout = &search->tree->solver->layout;
    bool met = true;
    for (int g = 0; g < layout->goal_count; g++) {
        met =
            met && poise__goal_is_near(search->tree, &layout->goals[g],
                                       search->def.position_tolerance, search->def.angle_tolerance);
    }
    return met;
}

// Steps from the present posture until the goals are met and the parts apart. True if they are.
// `held` gets the pair that holds the last step, or the nearest one.
static bool step_free(Search* search, PoiseApart* apart, PoiseApartNear* held) {
    PoiseTree* tree = search->tree;
    PoiseSolveDef def = poise_default_solve_def();
    def.position_tolerance = search->def.position_tolerance;
    def.angle_tolerance = search->def.angle_tolerance;
    for (int i = 0; i < STEPS; i++) {
        const double error = poise__reach_measure(tree);
        const bool apart_now = is_free(apart, held);
        if (apart_now && isfinite(error) && goals_are_met(search)) {
            return true;
        }
        search->iterations++;
        if (poise_solve(tree, &def, NULL) < 0 || poise_advance(tree) < 0 ||
            poise_forward(tree) < 0) {
            return false;
        }
    }
    return false;
}

static void take_held(const PoiseApartNear* held, PoiseReachReport* report) {
    report->held_a = held->pair.a;
    report->held_b = held->pair.b;
    report->held_gap = held->gap.distance;
}

// Steps from the best posture, then from random ones. Ends at the first free answer, else at the
// free posture of the least error, else at the posture given.
static void step_from_starts(Search* search, PoiseApart* apart, PoiseReachReport* report) {
    PoiseTree* tree = search->tree;
    ReachMemory* memory = tree->solver->reach;
    const int starts = search->def.starts < MOST_SCATTERED ? search->def.starts : MOST_SCATTERED;
    double least = HUGE_VAL;
    PoiseApartNear held = {.pair = {-1, -1}}, nearest = held;
    bool found = false;
    for (int start = 0; start < starts && !found; start++) {
        if (start > 0) {
            poise__reach_scatter(tree, search->def.seed, start);
            poise__forward(tree);
        }
        found = step_free(search, apart, &nearest);
        const double error = poise__reach_measure(tree);
        const bool is_apart = is_free(apart, &nearest);
        if (found || start == 0 || (is_apart && error < least)) {
            poise__posture_keep(tree, memory->best);
            search->best_start = start;
            least = is_apart ? error : HUGE_VAL;
            held = nearest;
        }
    }
    poise__posture_restore(tree, memory->best);
    poise__forward(tree);
    search->reason = found ? POISE_REACH_MET : POISE_REACH_HELD;
    if (!found) {
        take_held(&held, report);
    }
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
    if (poise__reach_body_free(search, report)) {
        poise__forward(tree);
    } else {
        step_from_starts(search, apart, report);
    }
    // a body rounds its frames in another order than the tree does
    const bool free_now = is_free(apart, &nearest);
    const bool was_met = before == POISE_REACH_MET;
    if (search->reason == POISE_REACH_BUDGET && !was_met) {
        search->reason = before;
    } else if (search->reason == POISE_REACH_MET ? !free_now : was_met && report->held_a < 0) {
        search->reason = POISE_REACH_HELD;
        take_held(free_now ? &touching : &nearest, report);
        report->held_gap =
            poise__apart_gap(apart, (PoiseApartPair){report->held_a, report->held_b});
    }
}
