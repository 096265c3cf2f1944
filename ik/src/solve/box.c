// SPDX-License-Identifier: MIT
// The damped least-squares step inside the ranges: projected sweeps find which dofs end on their
// bounds, an exact step on the others (dual.c, or cgls.c for many rows) goes to their least cost,
// and so on until no bound holds a dof back that would leave it inward. The cost never rises, so
// the answer is never worse than standing still. AUTO guesses first, which mostly is enough.
#include "internal.h"

// J_i^T r below this part of |J_i| |v| does not pull a dof off its bound
#define PULL_RELATIVE_ZERO 1e-10
// a dof with no more room than this stood on its bound after the step before
#define NO_ROOM 1e-9

enum { SWEEPS_A_CYCLE = 10, MOST_GUESSES = 4 };

bool poise__is_outside(const Layout* layout) {
    for (int d = 0; d < layout->dof_count; d++) {
        if (!(layout->omega[d] >= layout->lower[d] && layout->omega[d] <= layout->upper[d])) {
            return true;
        }
    }
    return false;
}

static double clamped(const Layout* layout, int dof, double omega) {
    return poise_min(poise_max(omega, layout->lower[dof]), layout->upper[dof]);
}

// the dofs that stand on a bound, beside those that are fixed already
static void fix_on_bounds(Layout* layout) {
    for (int d = 0; d < layout->dof_count; d++) {
        if (layout->omega[d] <= layout->lower[d] || layout->omega[d] >= layout->upper[d]) {
            layout->fixed[d] = 1;
        }
    }
}

// the least cost over the free dofs, whatever their ranges
static void step_exactly(Layout* layout, const double* target) {
    if (layout->row_count <= POISE_MOST_DUAL_ROWS) {
        poise__dual_solve(layout, target);
    } else {
        (void)poise__cgls_solve(layout, target, poise__centre(layout), layout->omega);
    }
}

// how far from `start` toward omega, 0..1, until the first dof meets its bound
static double way_to_bounds(const Layout* layout, const double* start) {
    double way = 1.0;
    for (int d = 0; d < layout->dof_count; d++) {
        const double change = layout->omega[d] - start[d];
        if (layout->omega[d] < layout->lower[d]) {
            way = poise_min(way, (layout->lower[d] - start[d]) / change);
        } else if (layout->omega[d] > layout->upper[d]) {
            way = poise_min(way, (layout->upper[d] - start[d]) / change);
        }
    }
    return way;
}

// projected search from `start` toward omega: the whole way with all that leaves its range clipped,
// or to the first bound, whichever costs less. The second never costs more than `start`.
static void search_projected(Layout* layout, const double* target, double* start) {
    const double way = way_to_bounds(layout, start);
    for (int d = 0; d < layout->dof_count; d++) {
        const double whole = layout->omega[d];
        double part = clamped(layout, d, start[d] + way * (whole - start[d]));
        layout->omega[d] = clamped(layout, d, whole);
        // the dofs that stop it come to stand on the bound to the last bit
        const double bound = whole < layout->lower[d] ? layout->lower[d] : layout->upper[d];
        const bool leaves = whole < layout->lower[d] || whole > layout->upper[d];
        if (leaves && (bound - start[d]) / (whole - start[d]) <= way) {
            part = bound;
        }
        start[d] = part;
    }
    if (!(poise__cost(layout, target, poise__centre(layout), layout->omega) <
          poise__cost(layout, target, poise__centre(layout), start))) {
        for (int d = 0; d < layout->dof_count; d++) {
            layout->omega[d] = start[d];
        }
    }
}

// exact steps until one stays inside; each that does not fixes one dof at least
static void settle(Layout* layout, const double* target) {
    for (int rounds = 0; rounds <= layout->dof_count; rounds++) {
        for (int d = 0; d < layout->dof_count; d++) {
            layout->start[d] = layout->omega[d];
        }
        step_exactly(layout, target);
        if (!poise__is_outside(layout)) {
            return;
        }
        search_projected(layout, target, layout->start);
        fix_on_bounds(layout);
    }
}

// Whether a dof on its bound is pulled off it into its range, `pull` and `alpha` being its J_i^T r
// and J_i^T J_i, `v2` the square of what is asked for.
static bool leaves_bound(const Layout* layout, int dof, double pull, double alpha, double v2) {
    const double lambda = layout->damping[dof];
    const double centre = layout->drawn ? layout->centre[dof] : 0.0;
    pull -= lambda * (layout->omega[dof] - centre);
    const double zero = PULL_RELATIVE_ZERO * (sqrt(v2 * (alpha + lambda)) + lambda * fabs(centre));
    return (pull > zero && layout->omega[dof] < layout->upper[dof]) ||
           (pull < -zero && layout->omega[dof] > layout->lower[dof]);
}

static double square_of(const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

// whether some fixed dof is pulled off its bound into its range
static bool is_held_back(Layout* layout, const double* target) {
    const double v2 = square_of(target, layout->row_count);
    (void)poise__cost(layout, target, poise__centre(layout), layout->omega);
    poise__jacobian_transpose_times(layout, layout->residual, layout->gradient);
    for (int d = 0; d < layout->dof_count; d++) {
        if (layout->fixed[d] &&
            leaves_bound(layout, d, layout->gradient[d], layout->alpha[d], v2)) {
            return true;
        }
    }
    return false;
}

int poise__box_solve(Layout* layout, const double* target) {
    for (int d = 0; d < layout->dof_count; d++) {
        layout->omega[d] = clamped(layout, d, layout->drawn ? layout->centre[d] : 0.0);
    }
    int cycles = 0;
    do {
        poise__sweep_on(layout, target, SWEEPS_A_CYCLE);
        for (int d = 0; d < layout->dof_count; d++) {
            layout->fixed[d] = 0;
        }
        fix_on_bounds(layout);
        settle(layout, target);
        cycles++;
    } while (cycles < POISE_MOST_BOX_CYCLES && is_held_back(layout, target));
    return cycles;
}

// ------------------------------------------------------------------------------------- by guesses

// fixes the dofs that have no room to one side: those that end on a bound mostly began there
static bool fix_without_room(Layout* layout) {
    bool any = false;
    for (int d = 0; d < layout->dof_count; d++) {
        const bool low = layout->lower[d] >= -NO_ROOM, high = layout->upper[d] <= NO_ROOM;
        layout->omega[d] = low ? layout->lower[d] : high ? layout->upper[d] : 0.0;
        layout->fixed[d] = low || high;
        any = any || low || high;
    }
    return any;
}

// frees the fixed dofs that are pulled off their bounds
static bool free_held_back(Layout* layout, const double* target) {
    bool any = false;
    const double v2 = square_of(target, layout->row_count);
    (void)poise__cost(layout, target, poise__centre(layout), layout->omega);
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            double pull = 0.0, alpha = 0.0;
            for (int b = 0; layout->fixed[dof] && b < column->block_count; b++) {
                const Block* block = &layout->blocks[column->first_block + b];
                const Goal* goal = &layout->goals[block->goal];
                const double* j = &layout->jacobian[block->offset + d * goal->rows];
                pull = poise__rows_dot(pull, j, &layout->residual[goal->first_row], goal->rows);
                alpha = poise__rows_dot(alpha, j, j, goal->rows);
            }
            if (layout->fixed[dof] && leaves_bound(layout, dof, pull, alpha, v2)) {
                layout->fixed[dof] = 0;
                any = true;
            }
        }
    }
    return any;
}

// puts the dofs that have left their ranges on their bounds
static bool fix_outside(Layout* layout) {
    bool any = false;
    for (int d = 0; d < layout->dof_count; d++) {
        const double held = clamped(layout, d, layout->omega[d]);
        if (held != layout->omega[d]) {
            layout->omega[d] = held;
            layout->fixed[d] = 1;
            any = true;
        }
    }
    return any;
}

// Exact steps with the dofs that are guessed to end on their bounds held there; each says what was
// wrong with the guess. Where nothing was, no step inside the ranges costs less. Returns the steps,
// or 0: there is no end to it.
static int solve_by_guesses(Layout* layout, const double* target, bool* ranged) {
    *ranged = fix_without_room(layout);
    for (int guess = 1; guess <= MOST_GUESSES; guess++) {
        poise__dual_solve(layout, target);
        const bool freed = *ranged && free_held_back(layout, target);
        const bool fixed = fix_outside(layout);
        if (!freed && !fixed) {
            return guess;
        }
        *ranged = true;
    }
    return 0;
}

int poise__ranged_solve(Layout* layout, const double* target, bool matrix_free, bool* ranged) {
    if (layout->bounded && !matrix_free) {
        const int done = solve_by_guesses(layout, target, ranged);
        return done > 0 ? done : poise__box_solve(layout, target);
    }
    for (int d = 0; d < layout->dof_count; d++) {
        layout->fixed[d] = 0;
        layout->omega[d] = layout->drawn && matrix_free ? layout->centre[d] : 0.0;
    }
    int done = 1;
    if (matrix_free) {
        done = poise__cgls_solve(layout, target, poise__centre(layout), layout->omega);
    } else {
        poise__dual_solve(layout, target);
    }
    *ranged = layout->bounded && poise__is_outside(layout);
    return *ranged ? poise__box_solve(layout, target) : done;
}
