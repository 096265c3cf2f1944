// SPDX-License-Identifier: MIT
// Finds the bounds and constraints that are active at the minimum of f (shared/qp.h): first by
// guesses, then by an active-set method.
#include <math.h>
#include <string.h>

#include "basis.h"
#include "feasible.h"
#include "held_columns.h"
#include "poise/math.h"
#include "problem.h"

// a column stays on its bound if its pull -f' is below this fraction of |J_i| |v|
#define PULL_ZERO 1e-10
// A column can block a step only if its own motion exceeds this fraction of the largest motion and
// of |v| / |J|; smaller motions are rounding errors.
#define STILL 1e-12
// x is on a constraint a if its error is at most this fraction of |a| |x|
#define ON_CONSTRAINT 1e-12

enum {
    MOST_GUESSES = 8,
    SPARE_GUESSES = 3, // guesses allowed after the last one that improved the result
    ROUNDS_A_COLUMN = 4,
    SPARE_ROUNDS = 10,
    // Releases that free several columns at once; later ones free one column each
    RELEASES_TOGETHER = 4,
    NOTHING = -1
};

/// The state of one solve.
typedef struct Run {
    const PoiseQp* qp;
    PoiseQpWork* work;
    PoiseQpState* state;
    double asked;   ///< |v|, the size of the targets
    double typical; ///< |v| / |J|, the typical size of x
    double zero;    ///< pulls of constraints up to this count as 0
    bool ran_out;   ///< conjugate gradients used up their iterations in the last guess
    bool based;     ///< true: there are constraints or a ground
    bool inequal;   ///< true: some active constraint is not an equation
    bool moved;     ///< x has moved since the last release; if not, Bland's rule chooses the next
} Run;

static double square_of(const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

static double clamped(const PoiseQp* qp, int column, double x) {
    return poise_min(poise_max(x, qp->lower[column]), qp->upper[column]);
}

// True if the pull -f' moves a column off its bound, into its range.
static bool is_pulled_off(const Run* run, int column, double pull) {
    const PoiseQp* qp = run->qp;
    const double x = run->state->x[column], damping = qp->damping[column];
    if (!(pull > 0.0 && x < qp->upper[column]) && !(pull < 0.0 && x > qp->lower[column])) {
        return false;
    }
    const double square = poise__matrix_column_square(&qp->j, column);
    return fabs(pull) > PULL_ZERO * (run->asked * sqrt(square + damping) +
                                     damping * fabs(poise__qp_centre(qp, column)));
}

// ---------------------------------------------------------------------------------------- guesses

// Sets `wrong` (by column) to other than 0 for columns that are wrongly held or wrongly free.
// Returns their number.
static int find_wrong(const Run* run, bool any_held, double* wrong) {
    const PoiseQp* qp = run->qp;
    const PoiseQpState* state = run->state;
    int count = 0;
    if (any_held) {
        poise__qp_pulls(qp, run->work, state->held, state->x);
    }
    for (int i = 0; i < qp->j.columns; i++) {
        const bool is_wrong = state->held[i] ? is_pulled_off(run, i, run->work->gradient[i])
                                             : clamped(qp, i, state->x[i]) != state->x[i];
        wrong[i] = is_wrong;
        count += is_wrong;
    }
    return count;
}

// Guesses the active set. False without success; x may then be outside its bounds.
static bool solve_by_guesses(Run* run) {
    const PoiseQp* qp = run->qp;
    PoiseQpState* state = run->state;
    double* wrong = run->work->start;
    int least = qp->j.columns + 1, spare = SPARE_GUESSES;
    bool any_held = false;
    for (int i = 0; i < qp->j.columns; i++) {
        any_held = any_held || state->held[i];
    }
    for (int guess = 0; guess < MOST_GUESSES; guess++) {
        const int taken = poise_qp_face(qp, run->work, state->held, state->x);
        run->ran_out = taken >= qp->j.rows + POISE__SPARE_ITERATIONS;
        state->faces += taken;
        state->cycles++;
        const int count = qp->lower ? find_wrong(run, any_held, wrong) : 0;
        if (count == 0) {
            return true;
        }
        spare = count < least ? SPARE_GUESSES : spare - 1;
        least = count < least ? count : least;
        if (spare < 0) {
            return false;
        }
        for (int i = 0; i < qp->j.columns; i++) {
            if (wrong[i] != 0.0) {
                state->x[i] = clamped(qp, i, state->x[i]);
                state->held[i] = !state->held[i];
            }
        }
        any_held = true;
    }
    return false;
}

// ------------------------------------------------------------------------------------- active set

// Fills `direction` with the step to the minimum of f over the free columns.
static void find_direction(const Run* run) {
    const PoiseQp* qp = run->qp;
    PoiseQpState* state = run->state;
    PoiseQpWork* work = run->work;
    if (run->based) {
        poise__basis_step(qp, work, state);
        state->faces++;
        return;
    }
    const size_t size = (size_t)qp->j.columns * sizeof(double);
    memcpy(work->start, state->x, size);
    state->faces += poise_qp_face(qp, work, state->held, state->x);
    for (int i = 0; i < qp->j.columns; i++) {
        work->direction[i] = state->x[i] - work->start[i];
    }
    memcpy(state->x, work->start, size);
}

/// The first bound or constraint that blocks a step.
typedef struct Stop {
    double part; ///< fraction of the step up to there, 0..1
    int column;  ///< column that reaches its bound, or NOTHING
    int constraint;
    bool at_upper;
} Stop;

static void meet_columns(const Run* run, double least, Stop* stop) {
    const PoiseQp* qp = run->qp;
    const double* step = run->work->direction;
    for (int i = 0; i < qp->j.columns; i++) {
        const double bound = step[i] < 0.0 ? qp->lower[i] : qp->upper[i];
        const double room = fabs(bound - run->state->x[i]), length = fabs(step[i]);
        const bool moves = length > least;
        // If several columns block at once, the fastest is held, because its row differs most from
        // those of the others.
        const bool faster = run->moved && stop->column != NOTHING && stop->part == 0.0 &&
                            room == 0.0 && length > fabs(step[stop->column]);
        if (moves && (room < stop->part * length || faster)) {
            stop->part = room / length;
            stop->column = i;
        }
    }
}

static void meet_constraints(const Run* run, double least, Stop* stop) {
    const PoiseQp* qp = run->qp;
    for (int k = 0; k < qp->constraint_count; k++) {
        double parts, size, length = 0.0;
        if (run->state->active[k]) {
            continue;
        }
        for (int i = 0; i < qp->j.columns; i++) {
            length += fabs(qp->constraints[k * qp->j.columns + i]);
        }
        const double change = poise__constraint_at(qp, k, run->work->direction, &parts);
        const double bound = change < 0.0 ? qp->constraint_lower[k] : qp->constraint_upper[k];
        const double at = poise__constraint_at(qp, k, run->state->x, &size);
        double room = change < 0.0 ? at - bound : bound - at;
        room = room > ON_CONSTRAINT * (size + fabs(at)) ? room : 0.0;
        if (fabs(change) > least * length && room < stop->part * fabs(change)) {
            stop->part = room / fabs(change);
            stop->constraint = k;
            stop->at_upper = change > 0.0;
        }
    }
}

// Adds the step up to the first bound, and returns what blocked it.
static Stop take_step(Run* run) {
    const PoiseQp* qp = run->qp;
    const double* step = run->work->direction;
    Stop stop = {1.0, NOTHING, NOTHING, false};
    double largest = 0.0;
    for (int i = 0; i < qp->j.columns; i++) {
        largest = poise_max(largest, fabs(step[i]));
    }
    const double least = STILL * poise_max(largest, run->typical);
    if (qp->lower) {
        meet_columns(run, least, &stop);
    }
    meet_constraints(run, least, &stop);
    run->moved = run->moved || stop.part * largest > least;
    stop.column = stop.constraint == NOTHING ? stop.column : NOTHING;
    for (int i = 0; i < qp->j.columns; i++) {
        const double x = run->state->x[i] + stop.part * step[i];
        run->state->x[i] = qp->lower ? clamped(qp, i, x) : x;
        if (run->state->held[i] && step[i] != 0.0 && stop.part == 1.0) {
            run->state->x[i] = poise__held_bound(qp, i, x);
        }
    }
    if (run->based) {
        poise__basis_move(qp, run->work, stop.part);
    }
    if (stop.column != NOTHING) {
        const int i = stop.column;
        run->state->x[i] = step[i] < 0.0 ? qp->lower[i] : qp->upper[i];
    }
    return stop;
}

static void remake(Run* run) {
    run->inequal = false;
    for (int k = 0; k < run->qp->constraint_count; k++) {
        run->inequal = run->inequal || (run->state->active[k] && !poise__is_equation(run->qp, k));
    }
    if (run->based) {
        poise__basis_make(run->qp, run->work, run->state);
    }
}

static void hold(const Run* run, int column) {
    run->state->held[column] = 1;
    if (run->based) {
        poise__basis_add(run->qp, run->work, ~column);
    }
}

// Releases held columns that are no longer on a bound after a blocked step.
static void let_go(Run* run) {
    const PoiseQp* qp = run->qp;
    PoiseQpState* state = run->state;
    bool any = false;
    for (int i = 0; qp->ground && qp->lower && i < qp->j.columns; i++) {
        const double x = state->x[i];
        if (state->held[i] && poise__held_bound(qp, i, x) != x) {
            state->held[i] = 0;
            any = true;
        }
    }
    if (any) {
        remake(run);
    }
}

// Holds the column or constraint that blocked the step, and columns on a bound that would leave it.
static void hold_stopped(Run* run, Stop stop) {
    PoiseQpState* state = run->state;
    const PoiseQp* qp = run->qp;
    const double* step = run->work->direction;
    let_go(run);
    if (stop.constraint != NOTHING) {
        state->active[stop.constraint] = stop.at_upper ? 1 : -1;
        run->inequal = true;
        poise__basis_add(qp, run->work, stop.constraint);
        return;
    }
    hold(run, stop.column);
    for (int i = 0; run->moved && i < qp->j.columns; i++) {
        const double bound = step[i] < 0.0 ? qp->lower[i] : qp->upper[i];
        if (!state->held[i] && step[i] != 0.0 && state->x[i] == bound) {
            hold(run, i);
        }
    }
}

// Fills `direction` (by column) and `parts` (by axis): pulls off a bound, otherwise 0. Returns the
// largest.
static double find_pulled(const Run* run) {
    const PoiseQp* qp = run->qp;
    PoiseQpWork* work = run->work;
    const PoiseQpState* state = run->state;
    double largest = 0.0;
    bool any = run->inequal;
    for (int i = 0; qp->lower && !any && i < qp->j.columns; i++) {
        any = state->held[i] != 0;
    }
    if (!any) {
        return 0.0;
    }
    if (run->based) {
        poise__basis_pulls(qp, work, state->x);
    } else {
        poise__qp_residual(qp, work, state->x);
        poise__qp_gradient(qp, work, state->held, state->x);
    }
    for (int i = 0; i < qp->j.columns; i++) {
        const double pull = work->gradient[i];
        const bool off = qp->lower && state->held[i] && is_pulled_off(run, i, pull);
        work->direction[i] = off ? fabs(pull) : 0.0;
        largest = poise_max(largest, work->direction[i]);
    }
    for (int axis = work->first; run->inequal && axis < work->basis.count; axis++) {
        const int constraint = work->order[axis], n = qp->j.columns;
        if (constraint < 0 || constraint >= qp->constraint_count) {
            work->parts[axis] = 0.0;
            continue;
        }
        const double pull = -work->parts[axis] * state->active[constraint] *
                            sqrt(square_of(&qp->constraints[constraint * n], n));
        const bool off = !poise__is_equation(qp, constraint) && pull > run->zero;
        work->parts[axis] = off ? pull : 0.0;
        largest = poise_max(largest, work->parts[axis]);
    }
    return largest;
}

// Chooses the column or constraint to release, by the largest pull or by Bland's rule (the first).
static Stop choose_release(const Run* run, double largest) {
    const PoiseQpWork* work = run->work;
    Stop chosen = {0.0, NOTHING, NOTHING, false};
    for (int i = 0; i < run->qp->j.columns; i++) {
        const double pull = work->direction[i];
        if (pull > 0.0 && (pull == largest || !run->moved)) {
            chosen.column = i;
            return chosen;
        }
    }
    for (int axis = work->first; run->inequal && axis < work->basis.count; axis++) {
        const int constraint = work->order[axis];
        const bool fits = work->parts[axis] == largest ||
                          (!run->moved && work->parts[axis] > 0.0 &&
                           (chosen.constraint == NOTHING || constraint < chosen.constraint));
        chosen.constraint = fits ? constraint : chosen.constraint;
    }
    return chosen;
}

static bool release(Run* run, bool all) {
    PoiseQpState* state = run->state;
    const double largest = find_pulled(run);
    if (!(largest > 0.0)) {
        return false;
    }
    const Stop one = choose_release(run, largest);
    for (int i = 0; i < run->qp->j.columns; i++) {
        const bool goes = all ? run->work->direction[i] > 0.0 : i == one.column;
        state->held[i] = goes ? 0 : state->held[i];
    }
    for (int axis = run->work->first; run->inequal && axis < run->work->basis.count; axis++) {
        const int constraint = run->work->order[axis];
        if (run->work->parts[axis] > 0.0 && (all || constraint == one.constraint)) {
            state->active[constraint] = 0;
        }
    }
    remake(run);
    return true;
}

// Runs the active-set method from an x inside its bounds.
static PoiseQpEnd follow_active_set(Run* run) {
    const PoiseQp* qp = run->qp;
    const int most = ROUNDS_A_COLUMN * (qp->j.columns + qp->constraint_count) + SPARE_ROUNDS;
    int releases = 0;
    run->moved = true;
    remake(run);
    for (int round = 0; round < most; round++) {
        find_direction(run);
        const Stop stop = take_step(run);
        if (stop.column != NOTHING || stop.constraint != NOTHING) {
            hold_stopped(run, stop);
            continue;
        }
        run->state->cycles++;
        if (!release(run, releases < RELEASES_TOGETHER)) {
            return POISE_QP_LEAST;
        }
        run->moved = false;
        releases++;
    }
    return POISE_QP_BUDGET_USED;
}

// -------------------------------------------------------------------------------------- beginnings

// Clamps x to its bounds, and releases columns and constraints that are not on a bound.
static void start_inside(const Run* run) {
    const PoiseQp* qp = run->qp;
    PoiseQpState* state = run->state;
    for (int i = 0; qp->lower && i < qp->j.columns; i++) {
        state->x[i] = clamped(qp, i, state->x[i]);
        const bool on = state->x[i] <= qp->lower[i] || state->x[i] >= qp->upper[i] ||
                        (qp->ground && isfinite(poise__held_bound(qp, i, state->x[i])));
        state->held[i] = state->held[i] && on;
    }
    for (int k = 0; k < qp->constraint_count; k++) {
        double size;
        const double at = poise__constraint_at(qp, k, state->x, &size);
        const double bound =
            state->active[k] < 0 ? qp->constraint_lower[k] : qp->constraint_upper[k];
        const bool on = fabs(at - bound) <= ON_CONSTRAINT * (size + fabs(bound));
        state->active[k] = poise__is_equation(qp, k) ? 1 : on ? state->active[k] : 0;
    }
}

// Starts at the result of the guesses or at the centre, both clamped: whichever has the lower f.
static void choose_start(const Run* run) {
    const PoiseQp* qp = run->qp;
    double* centre = run->work->start;
    start_inside(run);
    for (int i = 0; i < qp->j.columns; i++) {
        centre[i] = clamped(qp, i, poise__qp_centre(qp, i));
    }
    if (!(poise_qp_cost(qp, run->work, run->state->x) < poise_qp_cost(qp, run->work, centre))) {
        memcpy(run->state->x, centre, (size_t)qp->j.columns * sizeof *centre);
        memset(run->state->held, 0, (size_t)qp->j.columns);
    }
}

static void measure(Run* run) {
    const PoiseQp* qp = run->qp;
    double square = qp->ground ? qp->ground->square : 0.0, pull = 0.0;
    for (int b = 0; !qp->ground && b < qp->j.block_count; b++) {
        const PoiseBlock* block = &qp->j.blocks[b];
        for (int i = 0; i < block->columns; i++) {
            square += square_of(&qp->j.values[block->offset + i * block->stride], block->rows);
        }
    }
    for (int i = 0; i < qp->j.columns; i++) {
        pull = poise_max(pull, qp->damping[i] * fabs(poise__qp_centre(qp, i)));
    }
    const double mean = qp->j.rows > 0 ? square / qp->j.rows : 0.0;
    run->typical = mean > 0.0 ? run->asked / sqrt(mean) : 0.0;
    run->zero = PULL_ZERO * (run->asked * sqrt(mean) + pull);
}

// Moves x to the nearest point that satisfies the constraints. False if there is no such point.
static bool move_to_feasible(const PoiseQp* qp, const PoiseQpWork* work, PoiseQpState* state) {
    if (poise__fits(qp, state->x) || !work->feasible) {
        return poise__fits(qp, state->x);
    }
    PoiseFeasible feasible;
    poise__feasible_fill(qp, work, state, &feasible);
    // x is accepted if it satisfies the constraints, even if the iterations ran out
    const PoiseQpEnd end = poise_qp_solve(&feasible.problem, &feasible.work, &feasible.state);
    poise__feasible_take(qp, &feasible, state);
    return end != POISE_QP_INFEASIBLE && poise__fits(qp, state->x);
}

PoiseQpEnd poise_qp_solve(const PoiseQp* qp, PoiseQpWork* work, PoiseQpState* state) {
    Run run = {.qp = qp, .work = work, .state = state};
    run.asked = sqrt(square_of(qp->target, qp->j.rows));
    state->faces = 0;
    state->cycles = 0;
    run.based = qp->constraint_count > 0 || qp->ground;
    if (!run.based && (state->guess || !qp->lower)) {
        if (solve_by_guesses(&run)) {
            return run.ran_out ? POISE_QP_BUDGET_USED : POISE_QP_LEAST;
        }
        choose_start(&run);
        state->cycles = 0;
    }
    measure(&run);
    start_inside(&run);
    if (qp->constraint_count > 0 && !qp->ground && !move_to_feasible(qp, work, state)) {
        return POISE_QP_INFEASIBLE;
    }
    return follow_active_set(&run);
}
