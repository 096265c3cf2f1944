// SPDX-License-Identifier: MIT
// Finds a start that satisfies all constraints. Each row of A, scaled to length 1, gets a slack s.
// Minimising 1/2 |A x - s|^2 with x and s inside their bounds is a problem without constraints.
// This file also lays out the memory of every solve.
#include <math.h>
#include <string.h>

#include "base.h"
#include "basis.h"
#include "feasible.h"

// x satisfies a constraint if its error is at most this fraction of |a| |x| + |bound|
#define FITS 1e-9
// damping toward the given x; a scaled row has the square 1
#define RIDGE 1e-13

static void carve_work(PoiseQpWork* work, const PoiseQpSize* size, Carver* carver);

static void carve_feasible(PoiseFeasible* feasible, int columns, int constraints, Carver* carver) {
    const size_t rows = (size_t)constraints, all = (size_t)(columns + constraints);
    const PoiseQpSize size = {constraints, columns + constraints, 0, false, false};
    carve_work(&feasible->work, &size, carver);
    feasible->values = poise__carve(carver, all * rows, sizeof(double));
    feasible->target = poise__carve(carver, rows, sizeof(double));
    feasible->row_damping = poise__carve(carver, rows, sizeof(double));
    feasible->damping = poise__carve(carver, all, sizeof(double));
    feasible->lower = poise__carve(carver, all, sizeof(double));
    feasible->upper = poise__carve(carver, all, sizeof(double));
    feasible->state.x = poise__carve(carver, all, sizeof(double));
    feasible->state.held = poise__carve(carver, all, 1);
}

static void carve_work(PoiseQpWork* work, const PoiseQpSize* size, Carver* carver) {
    const size_t m = (size_t)size->rows, n = (size_t)size->columns, k = (size_t)size->constraints;
    memset(work, 0, sizeof *work);
    work->normal = poise__carve(carver, size->matrix_free ? 0 : m * m, sizeof(double));
    work->residual = poise__carve(carver, m, sizeof(double));
    work->y = poise__carve(carver, m, sizeof(double));
    work->gradient = poise__carve(carver, n, sizeof(double));
    work->direction = poise__carve(carver, n, sizeof(double));
    work->start = poise__carve(carver, n, sizeof(double));
    if (k == 0) {
        return;
    }
    const size_t stride = (size_t)poise_basis_stride((int)n);
    work->metric = poise__carve(carver, n, sizeof(double));
    work->basis.stride = (int)stride;
    work->basis.axes = poise__carve(carver, n * stride, sizeof(double));
    work->basis.parts = poise__carve(carver, stride, sizeof(double));
    work->whole = poise__carve(carver, m * m, sizeof(double));
    work->inward = poise__carve(carver, n, sizeof(double));
    work->triangle = poise__carve(carver, stride * stride, sizeof(double));
    work->parts = poise__carve(carver, stride, sizeof(double));
    work->order = poise__carve(carver, stride, sizeof(int));
    if (!size->grounded) {
        PoiseFeasible feasible;
        Carver room = {NULL, 0};
        carve_feasible(&feasible, size->columns, size->constraints, &room);
        work->feasible = poise__carve(carver, room.used, 1);
    }
}

size_t poise_qp_work_place(PoiseQpWork* work, const PoiseQpSize* size, void* memory) {
    Carver carver = {memory, 0};
    carve_work(work, size, &carver);
    return carver.used;
}

bool poise__fits(const PoiseQp* qp, const double* x) {
    for (int k = 0; k < qp->constraint_count; k++) {
        double size;
        const double at = poise__constraint_at(qp, k, x, &size);
        const double lower = qp->constraint_lower[k], upper = qp->constraint_upper[k];
        if (at < lower - FITS * (size + fabs(lower)) || at > upper + FITS * (size + fabs(upper))) {
            return false;
        }
    }
    return true;
}

// Fills column i: its numbers in all constraints, and the bounds of the change of x_i. A held
// column that has no bounds must not change.
static void fill_column(const PoiseQp* qp, const PoiseQpState* state, int i,
                        PoiseFeasible* feasible) {
    const int m = qp->constraint_count;
    const double free = !qp->lower && state->held[i] ? 0.0 : HUGE_VAL;
    feasible->lower[i] = qp->lower ? qp->lower[i] - state->x[i] : -free;
    feasible->upper[i] = qp->upper ? qp->upper[i] - state->x[i] : free;
    for (int k = 0; k < m; k++) {
        feasible->values[i * m + k] = qp->constraints[k * qp->j.columns + i];
    }
}

// Fills row k of A, scaled to length 1, and its slack, which starts near a . x.
static void fill_row(const PoiseQp* qp, const PoiseQpState* state, int k, PoiseFeasible* feasible) {
    const int n = qp->j.columns, m = qp->constraint_count;
    double square = 0.0, size;
    for (int i = 0; i < n; i++) {
        square += feasible->values[i * m + k] * feasible->values[i * m + k];
    }
    const double scale = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    for (int i = 0; i < n; i++) {
        feasible->values[i * m + k] *= scale;
    }
    feasible->values[(n + k) * m + k] = -1.0;
    const double at = scale * poise__constraint_at(qp, k, state->x, &size);
    const double lower = scale * qp->constraint_lower[k], upper = scale * qp->constraint_upper[k];
    const double slack = poise_min(poise_max(at, lower), upper);
    feasible->lower[n + k] = lower - slack;
    feasible->upper[n + k] = upper - slack;
    feasible->target[k] = slack - at;
    feasible->row_damping[k] = RIDGE;
}

void poise__feasible_fill(const PoiseQp* qp, const PoiseQpWork* work, const PoiseQpState* state,
                          PoiseFeasible* feasible) {
    const int n = qp->j.columns, m = qp->constraint_count;
    Carver carver = {work->feasible, 0};
    memset(feasible, 0, sizeof *feasible);
    carve_feasible(feasible, n, m, &carver);
    memset(feasible->values, 0, (size_t)((n + m) * m) * sizeof(double));
    for (int i = 0; i < n; i++) {
        fill_column(qp, state, i, feasible);
    }
    for (int k = 0; k < m; k++) {
        fill_row(qp, state, k, feasible);
    }
    for (int i = 0; i < n + m; i++) {
        feasible->damping[i] = RIDGE;
        feasible->state.x[i] = 0.0;
        feasible->state.held[i] = 0;
    }
    feasible->state.guess = true;
    feasible->block = (PoiseBlock){0, m, 0, n + m, 0, m};
    feasible->problem = (PoiseQp){.j = {m, n + m, 1, &feasible->block, feasible->values},
                                  .target = feasible->target,
                                  .row_damping = feasible->row_damping,
                                  .damping = feasible->damping,
                                  .lower = feasible->lower,
                                  .upper = feasible->upper};
}

void poise__feasible_take(const PoiseQp* qp, const PoiseFeasible* feasible, PoiseQpState* state) {
    const int n = qp->j.columns;
    for (int i = 0; i < n; i++) {
        const double x = state->x[i] + feasible->state.x[i];
        state->x[i] = qp->lower ? poise_min(poise_max(x, qp->lower[i]), qp->upper[i]) : x;
        state->held[i] = qp->lower ? feasible->state.held[i] : state->held[i];
    }
    for (int k = 0; k < qp->constraint_count; k++) {
        const bool at_lower = feasible->state.x[n + k] <= feasible->lower[n + k];
        const bool holds = feasible->state.held[n + k] || poise__is_equation(qp, k);
        state->active[k] = !holds ? 0 : at_lower && !poise__is_equation(qp, k) ? -1 : 1;
    }
}
