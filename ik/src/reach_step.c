// SPDX-License-Identifier: MIT
// One start of a reach: Levenberg-Marquardt by the small side of J (dual.c), the damping in
// proportion to the error (Sugihara 2011), limits held inside the step. A step that does not lower
// the error is taken back. reach.c decides from where, and what it all means.
#include "internal.h"

// lambda = damping E + eps T: the damping falls by one after a step that helped, grows by the other
// after one that did not
#define DAMPING_FIRST  1.0
#define DAMPING_FALL   0.5
#define DAMPING_GROWTH 4.0
#define DAMPING_LEAST  1e-9
#define LAMBDA_FLOOR   1e-12
// no slope: |J^T v| of the free dofs below this part of |J| |v|
#define SLOPE_ZERO 1e-10
// no progress: E has fallen by less than this part over the history
#define FALL_ZERO 1e-12
// too slow while other starts wait: |v| is above this part of what it was. Measured on 10,000 poses
// of the Panda: with .5 and .95 here 85.6 % from the first start, with .3 and .7 82.8 %
#define STALLED 0.95
// a kick that changes E by less than this part found no curvature either
#define FLAT 1e-10
// after a kick, a fall of E by this part is a way out
#define ESCAPED 1e-6

enum { HISTORY = 10, FRUITLESS_KICKS = 2 };

double poise__reach_measure(PoiseTree* tree) {
    const Layout* layout = &tree->layout;
    (void)poise_forward(tree);
    (void)poise__goal_fill(tree);
    double sum = 0.0;
    for (int r = 0; r < layout->row_count; r++) {
        sum += layout->v[r] * layout->v[r];
    }
    return isfinite(sum) ? 0.5 * sum : HUGE_VAL;
}

bool poise__reach_is_met(const PoiseTree* tree, const PoiseReachDef* def) {
    const Layout* layout = &tree->layout;
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        if (!(poise_length(goal->error) <= def->position_tolerance) ||
            !(poise_length(goal->angle) <= def->angle_tolerance)) {
            return false;
        }
    }
    return true;
}

// the slope of E along one dof: -J^T v
static double slope(const Layout* layout, const Column* column, int d) {
    double sum = 0.0;
    for (int b = 0; b < column->block_count; b++) {
        const Block* block = &layout->blocks[column->first_block + b];
        const Goal* goal = &layout->goals[block->goal];
        const double* j = &layout->jacobian[block->offset + d * goal->rows];
        for (int k = 0; k < goal->rows; k++) {
            sum -= j[k] * layout->v[goal->first_row + k];
        }
    }
    return sum;
}

// whether no dof that is free to move lowers E to first order; `held` when limits are part of why
static bool is_level(const PoiseTree* tree, double error, bool* held) {
    const Layout* layout = &tree->layout;
    const double zero = SLOPE_ZERO * sqrt(2.0 * error * layout->mean_square * layout->row_count);
    double free2 = 0.0;
    *held = false;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            const double g = slope(layout, column, d);
            const bool pressed =
                (g < 0.0 && layout->upper[dof] <= 0.0) || (g > 0.0 && layout->lower[dof] >= 0.0);
            *held = *held || (pressed && fabs(g) > zero);
            free2 += pressed ? 0.0 : g * g;
        }
    }
    return free2 <= zero * zero;
}

// one step from frames, J and v; back where it was, with more damping, when E did not fall
static bool try_step(Search* search) {
    PoiseTree* tree = search->tree;
    Layout* layout = &tree->layout;
    const double lambda = search->damping * search->error + LAMBDA_FLOOR * layout->mean_square;
    bool ranged = false;
    poise__damping_even(layout, lambda);
    (void)poise__ranged_solve(layout, layout->v, layout->row_count > POISE_MOST_DUAL_ROWS, &ranged);
    poise__posture_keep(tree, tree->reach.kept);
    poise__publish(tree, layout->omega, offsetof(NodeResult, omega));
    tree->has_omega = true;
    (void)poise_advance(tree);
    const double error = poise__reach_measure(tree);
    if (error < search->error) {
        search->error = error;
        search->damping = fmax(DAMPING_FALL * search->damping, DAMPING_LEAST);
        return true;
    }
    poise__posture_restore(tree, tree->reach.kept);
    (void)poise__reach_measure(tree);
    search->damping *= DAMPING_GROWTH;
    return false;
}

static void keep_best(Search* search, int start) {
    if (search->error < search->best_error) {
        search->best_error = search->error;
        search->best_start = start;
        poise__posture_keep(search->tree, search->tree->reach.best);
    }
}

// downhill until it is met, level, too slow or out of iterations. True when it came to rest
static bool descend(Search* search, int* left) {
    double history[HISTORY];
    PoiseTree* tree = search->tree;
    bool fresh = false;
    search->damping = DAMPING_FIRST;
    for (int i = 0;; i++) {
        if (poise__reach_is_met(tree, search->def)) {
            search->reason = POISE_REACH_MET;
            return false;
        }
        if (!fresh) {
            (void)poise__jacobian_fill(tree);
            poise__bounds_fill(tree, 0.0);
        }
        bool held = false;
        const bool level = is_level(tree, search->error, &held);
        const double before = i >= HISTORY ? history[i % HISTORY] : HUGE_VAL;
        const double part = search->hurried ? 1.0 - STALLED * STALLED : FALL_ZERO;
        search->reason = held ? POISE_REACH_AT_LIMITS : POISE_REACH_UNREACHABLE;
        if (level || search->error > (1.0 - part) * before) {
            return true;
        }
        if ((*left)-- <= 0) {
            search->reason = POISE_REACH_BUDGET;
            return false;
        }
        history[i % HISTORY] = search->error;
        fresh = !try_step(search);
        search->iterations++;
    }
}

// a small step to one side from where nothing lowers E to first order, and downhill from there.
// False when it led nowhere lower; where it rested then says why
static bool escape(Search* search, int start, uint64_t kick, int* left) {
    PoiseTree* tree = search->tree;
    const PoiseReachReason reason = search->reason;
    const double before = search->error;
    poise__reach_kick(tree, kick);
    search->error = poise__reach_measure(tree);
    const bool flat = fabs(search->error - before) <= FLAT * before;
    (void)descend(search, left);
    if (search->reason == POISE_REACH_MET || search->error < (1.0 - ESCAPED) * before) {
        keep_best(search, start);
        return true;
    }
    // an answer as good is not taken: joints that do not matter would creep from call to call
    search->error = before;
    search->reason = flat && reason == POISE_REACH_UNREACHABLE ? POISE_REACH_SINGULAR : reason;
    return false;
}

void poise__reach_search(Search* search, int start) {
    PoiseTree* tree = search->tree;
    int left = search->def->iterations;
    search->error = poise__reach_measure(tree);
    const bool rests = descend(search, &left);
    keep_best(search, start);
    if (!rests || search->hurried) {
        return;
    }
    int fruitless = 0;
    for (uint64_t kick = 0; fruitless < FRUITLESS_KICKS; kick++) {
        fruitless = escape(search, start, kick, &left) ? 0 : fruitless + 1;
        if (search->reason == POISE_REACH_MET || search->reason == POISE_REACH_BUDGET) {
            return;
        }
        if (fruitless > 0) {
            poise__posture_restore(tree, tree->reach.best);
            (void)poise__reach_measure(tree);
        }
    }
}
