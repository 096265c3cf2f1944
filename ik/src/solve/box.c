// SPDX-License-Identifier: MIT
// The damped least-squares step inside the ranges: projected sweeps find which dofs end on their
// bounds, an exact step on the others (dual.c, or cgls.c for many rows) goes to their least cost,
// and so on until no bound holds a dof back that would leave it inward. The cost never rises, so
// the answer is never worse than standing still.
#include "internal.h"

// J_i^T r below this part of |J_i| |v| does not pull a dof off its bound
#define PULL_RELATIVE_ZERO 1e-10

enum { SWEEPS_A_CYCLE = 10 };

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

// whether some fixed dof is pulled off its bound into its range
static bool is_held_back(Layout* layout, const double* target) {
    double v2 = 0.0;
    for (int r = 0; r < layout->row_count; r++) {
        v2 += target[r] * target[r];
    }
    (void)poise__cost(layout, target, poise__centre(layout), layout->omega);
    poise__jacobian_transpose_times(layout, layout->residual, layout->gradient);
    for (int d = 0; d < layout->dof_count; d++) {
        const double lambda = layout->damping[d];
        const double centre = layout->drawn ? layout->centre[d] : 0.0;
        const double pull = layout->gradient[d] - lambda * (layout->omega[d] - centre);
        const double most = sqrt(v2 * (layout->alpha[d] + lambda)) + lambda * fabs(centre);
        const double zero = PULL_RELATIVE_ZERO * most;
        if (layout->fixed[d] && ((pull > zero && layout->omega[d] < layout->upper[d]) ||
                                 (pull < -zero && layout->omega[d] > layout->lower[d]))) {
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

int poise__ranged_solve(Layout* layout, const double* target, bool matrix_free, bool* ranged) {
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
