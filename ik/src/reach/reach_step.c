// SPDX-License-Identifier: MIT
// The descents of a reach: Levenberg-Marquardt with the factorisation of J W J^T (qp/face.c),
// damping in proportion to the error (Sugihara 2011), limits inside the step. A step that does not
// lower the error is undone. reach.c chooses the starts and interprets the results.
#include "reach.h"

// lambda = damping E + eps T. The damping falls by DAMPING_FALL after a step that lowers E and
// grows by DAMPING_GROWTH after one that does not.
#define DAMPING_FIRST  1.0
#define DAMPING_FALL   0.5
#define DAMPING_GROWTH 4.0
#define DAMPING_LEAST  1e-9
#define LAMBDA_FLOOR   1e-12
// the gradient counts as 0 if |J^T v| of the free dofs is below this fraction of |J| |v|
#define GRADIENT_ZERO 1e-10
// rounding of a rotation that was clamped to its cone, rad
#define CONE_ROUNDING 1e-12
// no progress: E fell by less than this part over the history
#define FALL_ZERO 1e-12
// slow, if other postures follow: |v| is above this fraction of its earlier value. The limit is
// lower if a body's posture follows, because this often reaches a goal.
#define STALLED         0.95
#define STALLED_TO_BODY 0.9
// a kick that changes E by less than this part found no curvature
#define FLAT 1e-10
// A posture that does not meet the goals replaces another only if its E is below this fraction of
// the other's. So the answer does not alternate between two equal ones while a goal out of reach
// moves.
#define BETTER 0.99
// part by which E must fall after a kick
#define ESCAPED 1e-6

// After EXTEND_STEPS steps that lowered E slowly, the search tries a multiple of their sum at once.
// The factor doubles after a success and halves after a failure. Single steps zigzag along a narrow
// valley. Measured on 2000 poses beyond the Panda's reach: 2 % end without a reason, 19 % without
// this rule.
enum { EXTEND_STEPS = 8 };
#define EXTEND_SLOW  0.8 // no extension if the steps lowered E to less than this part
#define EXTEND_FIRST 4.0
#define EXTEND_LEAST 1.0
#define EXTEND_MOST  64.0
// length of the history in iterations; shorter if a body's posture follows
enum { HISTORY = REACH_HISTORY, HISTORY_TO_BODY = 5 };
// iterations in which the descent from a kick must lower E; failed kicks in a row that end the
// kicks
enum { PATIENCE = 10, FRUITLESS_KICKS = 2 };

// Returns the gradient of E by one dof: -J^T v.
static double gradient(const Layout* layout, const Task* task, const Column* column, int d) {
    double sum = 0.0;
    for (int b = 0; b < column->block_count; b++) {
        const Block* block = &layout->blocks[column->first_block + b];
        const Goal* goal = &layout->goals[block->goal];
        const double* j = &task->jacobian[block->offset + d * block->stride];
        for (int k = 0; k < goal->rows; k++) {
            sum -= j[k] * task->v[goal->first_row + k];
        }
    }
    return sum;
}

// True if no free dof lowers E to first order. `held`: limits are part of the reason.
static bool is_stationary(const PoiseTree* tree, double error, bool* held) {
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    const Metric* metric = &tree->solver->metric;
    const double zero = GRADIENT_ZERO * sqrt(2.0 * error * task->mean_square * layout->row_count);
    double free2 = 0.0;
    *held = false;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const double edge = column->cone ? CONE_ROUNDING / column->scale : 0.0;
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            const double g = gradient(layout, task, column, d);
            const bool pressed =
                (g < 0.0 && metric->upper[dof] <= edge) || (g > 0.0 && metric->lower[dof] >= -edge);
            *held = *held || (pressed && fabs(g) > zero);
            free2 += pressed ? 0.0 : g * g;
        }
    }
    return free2 <= zero * zero;
}

// Returns E of the present level.
static double measure(const Search* search) {
    const double all = poise__reach_measure(search->tree);
    return search->level_count == 1 ? all : poise__reach_level_error(search, search->level);
}

// Applies the layout's omega and restores the earlier levels. Returns the new E, HUGE_VAL if they
// cannot be restored.
static double move(const Search* search) {
    poise__posture_keep(search->tree, search->tree->solver->reach->kept);
    poise__reach_take(search->tree);
    return poise__reach_restore(search) ? measure(search) : HUGE_VAL;
}

static void move_back(const Search* search) {
    poise__posture_restore(search->tree, search->tree->solver->reach->kept);
    poise__reach_look(search->tree);
}

// Computes a step from frames, J, v and bounds, without priorities.
static void solve_step(const Search* search) {
    Solver* solver = search->tree->solver;
    const double lambda = search->damping * search->error + LAMBDA_FLOOR * solver->task.mean_square;
    poise__damping_even(&solver->layout, &solver->metric, lambda);
    Level level = poise__level_begin(solver, POISE_ALL_ROWS, solver->task.v, solver->answer.omega);
    level.bounded = true;
    level.begin = BEGIN_AT_BOUNDS;
    poise__level_solve(&solver->layout, &solver->metric, &level);
}

// Tries the step. If E does not fall, undoes the step and raises the damping.
static bool try_step(Search* search) {
    if (search->level_count == 1) {
        solve_step(search);
    }
    const double error = move(search);
    if (error < search->error) {
        search->error = error;
        search->levels[search->level].damping = search->damping;
        search->damping = fmax(DAMPING_FALL * search->damping, DAMPING_LEAST);
        return true;
    }
    move_back(search);
    search->damping *= DAMPING_GROWTH;
    return false;
}

// True if no joint lowers E to first order. With priorities this computes the step that try_step
// takes.
static bool look_around(Search* search, bool* held) {
    if (search->level_count == 1) {
        return is_stationary(search->tree, search->error, held);
    }
    ReachLevel* level = &search->levels[search->level];
    const double accepted = level->damping;
    level->error = search->error;
    level->damping = search->damping;
    poise__reach_level_step(search, search->level + 1, 1.0);
    const bool rests = poise__reach_level_rests(search, held);
    level->damping = accepted;
    return rests;
}

static void begin_extension(Search* search) {
    search->descent.extended_steps = 0;
    search->descent.extended_error = search->error;
    for (int d = 0; d < search->tree->solver->layout.dof_count; d++) {
        search->tree->solver->reach->displacement[d] = 0.0;
    }
}

// Adds the last step to the displacement. Tries the extension after enough steps that lowered E
// slowly.
static void extend(Search* search) {
    Descent* descent = &search->descent;
    PoiseTree* tree = search->tree;
    Layout* layout = &tree->solver->layout;
    Answer* answer = &tree->solver->answer;
    for (int d = 0; d < layout->dof_count; d++) {
        tree->solver->reach->displacement[d] += answer->omega[d];
    }
    if (++descent->extended_steps < EXTEND_STEPS || search->left <= 0) {
        return;
    }
    const bool slow = search->error > EXTEND_SLOW * descent->extended_error;
    for (int d = 0; d < layout->dof_count; d++) {
        answer->omega[d] = descent->extension * tree->solver->reach->displacement[d];
    }
    begin_extension(search);
    if (!slow) {
        return;
    }
    search->left--;
    search->iterations++;
    const double error = move(search);
    if (error < search->error) {
        search->error = descent->extended_error = error;
        descent->extension = fmin(2.0 * descent->extension, EXTEND_MOST);
    } else {
        move_back(search);
        descent->extension = fmax(0.5 * descent->extension, EXTEND_LEAST);
    }
}

void poise__reach_keep(Search* search) {
    if (poise__reach_is_better(search, 1.0)) {
        search->best_error = search->error;
        search->best_start = search->start;
        for (int l = 0; l < search->level_count; l++) {
            search->levels[l].best = search->levels[l].met ? 0.0 : search->levels[l].error;
        }
        poise__posture_keep(search->tree, search->tree->solver->reach->best);
    }
}

void poise__reach_keep_other(Search* search) {
    if (search->reason == POISE_REACH_MET || poise__reach_is_better(search, BETTER)) {
        poise__reach_keep(search);
    }
}

// True if E has fallen too little over the last iterations.
static bool is_slow(const Search* search) {
    const double* history = search->descent.history;
    const int count = search->descent.count;
    if (search->error > search->due) {
        return count >= PATIENCE;
    }
    const bool before_body = search->hurried && search->def.other_postures;
    const double stalled = before_body ? STALLED_TO_BODY : STALLED;
    const double part = search->hurried ? 1.0 - stalled * stalled : FALL_ZERO;
    const int span = before_body ? HISTORY_TO_BODY : HISTORY;
    return count >= span && search->error > (1.0 - part) * history[(count - span) % HISTORY];
}

void poise__reach_begin_level(Search* search) {
    search->rests = false;
    search->error = measure(search);
    search->damping = search->levels[search->level].damping = DAMPING_FIRST;
    search->descent.count = 0;
    search->descent.fresh = false;
    search->descent.extension = EXTEND_FIRST;
    begin_extension(search);
}

bool poise__reach_descend_level(Search* search) {
    PoiseTree* tree = search->tree;
    Descent* descent = &search->descent;
    for (;; descent->count++) {
        if (search->slice-- <= 0) {
            return false;
        }
        if (poise__reach_level_is_met(search, search->level, 1.0)) {
            search->reason = POISE_REACH_MET;
            return true;
        }
        if (!descent->fresh) {
            poise__jacobian_fill(tree);
            poise__bounds_fill(tree, 0.0);
        }
        bool held = false;
        search->stationary = look_around(search, &held);
        search->reason = held ? POISE_REACH_AT_LIMITS : POISE_REACH_UNREACHABLE;
        if (search->stationary || is_slow(search)) {
            search->rests = true;
            return true;
        }
        if (search->left <= 0) {
            search->reason = POISE_REACH_BUDGET;
            return true;
        }
        search->left--;
        search->iterations++;
        descent->history[descent->count % HISTORY] = search->error;
        const bool taken = try_step(search);
        // poise__reach_restore overwrites J if there are priorities
        descent->fresh = !taken && search->level_count == 1;
        if (taken) {
            extend(search);
        }
    }
}

// Takes a small step to one side. False if the earlier levels cannot be restored.
static bool begin_kick(Search* search) {
    Kicks* kicks = &search->kicks;
    kicks->reason = search->reason;
    kicks->before = search->error;
    poise__posture_keep(search->tree, search->tree->solver->reach->kicked);
    poise__reach_kick(search->tree, kicks->next++);
    if (!poise__reach_restore(search)) {
        return false;
    }
    kicks->flat = fabs(measure(search) - kicks->before) <= FLAT * kicks->before;
    search->due = (1.0 - ESCAPED) * kicks->before;
    poise__reach_begin_level(search);
    return true;
}

// True if the descent from a kick lowered E. If not, sets the reason.
static bool end_kick(Search* search) {
    const Kicks* kicks = &search->kicks;
    const bool lower = search->reason == POISE_REACH_MET || search->error < search->due;
    search->due = HUGE_VAL;
    if (lower && search->level_count == 1) {
        poise__reach_keep(search);
    } else if (!lower) {
        // an equal answer is not taken: joints without effect would drift from call to call
        search->reason = kicks->flat && kicks->reason == POISE_REACH_UNREACHABLE
                             ? POISE_REACH_SINGULAR
                             : kicks->reason;
    }
    return lower;
}

bool poise__reach_kick_off(Search* search) {
    Kicks* kicks = &search->kicks;
    while (kicks->fruitless < FRUITLESS_KICKS) {
        bool lower = false;
        if (kicks->descends || begin_kick(search)) {
            kicks->descends = !poise__reach_descend_level(search);
            if (kicks->descends) {
                return false;
            }
            lower = end_kick(search);
        }
        kicks->fruitless = lower ? 0 : kicks->fruitless + 1;
        if (search->reason == POISE_REACH_MET || search->reason == POISE_REACH_BUDGET) {
            break;
        }
        if (kicks->fruitless > 0) {
            poise__posture_restore(search->tree, search->tree->solver->reach->kicked);
            search->error = measure(search);
        }
    }
    kicks->next = 0;
    kicks->fruitless = 0;
    return true;
}
