// SPDX-License-Identifier: MIT
// Finds out whether a chain has a closed form (chain_closed.c), by its parallel axes and those that
// meet. A closed form is accepted only if it reproduces random postures of the chain.
#include "chain.h"

// rad and units; directions that differ by less count as parallel, axes that are nearer count as
// meeting. Robot files with four or five decimals are off by up to 4e-6 rad; Newton steps after the
// closed form remove the difference.
#define SAME 2e-5
// rad and units; below this difference the closed form is exact to rounding
#define EXACT 1e-12
// rad; a posture counts as reproduced within this distance
#define AGAIN 1e-6

enum { JOINTS = CHAIN_CLOSED_JOINTS, TRIALS = 32 };

/// The comparisons of axes, with the largest difference that was accepted.
typedef struct Judge {
    const ChainClosed* closed;
    double off;
} Judge;

static bool accept(Judge* judge, double off) {
    if (off < SAME) {
        judge->off = fmax(judge->off, off);
    }
    return off < SAME;
}

static double sine_between(const ChainClosed* closed, int i, int j) {
    return poise_length(poise_cross(closed->axis[i], closed->axis[j]));
}

static bool is_parallel(Judge* judge, int i, int j) {
    return accept(judge, sine_between(judge->closed, i, j));
}

static bool is_apart(const Judge* judge, int i, int j) {
    return sine_between(judge->closed, i, j) > 1e3 * SAME;
}

// Returns the distance of a point from axis i, units.
static double distance_from(const ChainClosed* closed, int i, PoiseVec3 place) {
    return poise_length(poise_cross(closed->axis[i], poise_sub(place, closed->point[i])));
}

// True if axes i and j meet and are not parallel. `place`: point of axis i nearest to axis j.
static bool do_meet(Judge* judge, int i, int j, PoiseVec3* place) {
    const ChainClosed* closed = judge->closed;
    const PoiseVec3 a = closed->axis[i], b = closed->axis[j];
    const PoiseVec3 off = poise_sub(closed->point[j], closed->point[i]);
    const double cosine = poise_dot(a, b);
    if (!is_apart(judge, i, j)) {
        return false;
    }
    const double along = (poise_dot(off, a) - cosine * poise_dot(off, b)) / (1.0 - cosine * cosine);
    *place = poise_add_scaled(closed->point[i], along, a);
    return accept(judge, distance_from(closed, j, *place));
}

// Sets closed->side to a direction perpendicular to axis i.
static void set_side(ChainClosed* closed, int i) {
    const PoiseVec3 a = closed->axis[i];
    const bool is_far = fabs(a.x) < 0.5;
    const PoiseVec3 side = poise_cross(a, poise_vec3(is_far, !is_far, 0.0));
    closed->side = poise_scale(1.0 / poise_length(side), side);
}

static ChainClosedKind kind_of_arm(Judge* judge, ChainClosed* closed) {
    if (is_apart(judge, 0, 1) && is_parallel(judge, 1, 2)) {
        return CHAIN_CLOSED_PARALLEL_23;
    }
    if (is_apart(judge, 1, 2) && is_parallel(judge, 0, 1)) {
        return CHAIN_CLOSED_PARALLEL_12;
    }
    if (do_meet(judge, 0, 1, &closed->meet)) {
        return CHAIN_CLOSED_MEETING_12;
    }
    return do_meet(judge, 1, 2, &closed->meet) ? CHAIN_CLOSED_MEETING_23 : CHAIN_CLOSED_NONE;
}

static ChainClosedKind kind_of(Judge* judge, ChainClosed* closed) {
    double off = judge->off;
    if (is_apart(judge, 4, 5) && do_meet(judge, 3, 4, &closed->centre) &&
        accept(judge, distance_from(closed, 5, closed->centre))) {
        set_side(closed, 5);
        return kind_of_arm(judge, closed);
    }
    judge->off = off;
    if (is_apart(judge, 0, 1) && is_apart(judge, 3, 4) && is_parallel(judge, 1, 2) &&
        is_parallel(judge, 2, 3) && do_meet(judge, 4, 5, &closed->centre)) {
        set_side(closed, 1);
        return CHAIN_CLOSED_PARALLEL_234;
    }
    return CHAIN_CLOSED_NONE;
}

// True if the closed form reproduces random postures of the chain.
static bool finds_again(const Chain* chain) {
    const PoiseBodySolveDef def = {.iterations = 1,
                                   .answers = 1,
                                   .position_tolerance = CHAIN_TOLERANCE,
                                   .angle_tolerance = CHAIN_TOLERANCE};
    const ChainSearch search = poise__chain_search_of(chain, POISE_BODY_POSE, &def);
    uint64_t counter = poise__mix_bits(0);
    for (int t = 0; t < TRIALS; t++) {
        ChainProblem problem;
        double posture[CHAIN_MOST_POSTURE] = {0.0};
        double q[CHAIN_MOST_Q];
        poise__chain_draw(chain, 1.0, &counter, q);
        poise__chain_store(chain, q, posture);
        const PoisePose target = poise__chain_forward(chain, posture);
        if (!poise__chain_begin(&search, &target, posture, &problem) ||
            !poise__chain_solve_closed(&search, &problem) || problem.answers == 0 ||
            poise__chain_distance2(chain, problem.start, problem.best) > AGAIN * AGAIN) {
            return false;
        }
    }
    return true;
}

void poise__chain_find_closed(Chain* chain) {
    ChainClosed* closed = &chain->closed;
    closed->kind = CHAIN_CLOSED_NONE;
    if (chain->joint_count != JOINTS || chain->tie_count > 0) {
        return;
    }
    for (int i = 0; i < JOINTS; i++) {
        if (chain->joints[i].kind != CHAIN_HINGE || chain->joints[i].tied) {
            return;
        }
    }
    Judge judge = {closed, 0.0};
    poise__chain_lay_out(chain, closed);
    closed->kind = kind_of(&judge, closed);
    closed->is_exact = judge.off < EXACT;
    if (closed->kind != CHAIN_CLOSED_NONE && !finds_again(chain)) {
        closed->kind = CHAIN_CLOSED_NONE;
    }
}
