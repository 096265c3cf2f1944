// SPDX-License-Identifier: MIT
// The damped least-squares step inside the ranges, as one quadratic program (shared/qp.h). If no
// range is met it takes one factorisation (DUAL), or conjugate gradients for many rows (CGLS). If a
// range is met it takes exact steps of the joints inside their ranges (BOX).
#include "solve.h"

// a dof with at most this room was on its bound after the step before
#define NO_ROOM 1e-9
// a last step of at least this part of the present room counts as equal to the room
#define LEAST_ALIKE 0.9
#define MOST_ALIKE  1.2

PoiseQp poise__least_squares(const Layout* layout, const Task* task, const Metric* metric,
                             const double* target) {
    const bool few = layout->row_count <= POISE_MOST_DUAL_ROWS;
    return (PoiseQp){.j = task->matrix,
                     .target = target,
                     .row_damping = metric->row_damping,
                     .damping = metric->damping,
                     .share = metric->weighted ? metric->share : NULL,
                     .centre = metric->drawn ? metric->centre : NULL,
                     .spans = few ? layout->spans : NULL,
                     .matrix_free = !few};
}

/// Returns the bound on which a dof is expected to end: -1, 1, or 0 for none.
static inline int likely_bound(double lower, double upper, double last) {
    if (lower >= -NO_ROOM || (last <= LEAST_ALIKE * lower && last >= MOST_ALIKE * lower)) {
        return -1;
    }
    return upper <= NO_ROOM || (last >= LEAST_ALIKE * upper && last <= MOST_ALIKE * upper);
}

// Sets the start inside the bounds. Holds the dofs without room to one side, and the dofs whose
// last step was as long as their room. A dof that ends on a bound mostly began or ended there
// before. True if any dof is held.
static bool begin(const Layout* layout, const Metric* metric, Answer* answer, bool matrix_free,
                  Begin how) {
    const bool cold = how == BEGIN_COLD;
    const bool from_centre = metric->drawn && (matrix_free || cold);
    // the axes of a cone differ from those of its last step
    const bool as_before = how == BEGIN_AS_BEFORE && !layout->coned;
    bool any = false;
    for (int d = 0; d < layout->dof_count; d++) {
        double start = from_centre ? metric->centre[d] : 0.0;
        int bound = 0;
        if (metric->bounded) {
            const double lower = metric->lower[d], upper = metric->upper[d];
            const double last = as_before ? answer->previous_omega[d] : 0.0;
            bound = cold ? 0 : likely_bound(lower, upper, last);
            start = bound < 0   ? lower
                    : bound > 0 ? upper
                                : poise_min(poise_max(start, lower), upper);
            any = any || bound != 0;
        }
        answer->omega[d] = start;
        answer->fixed[d] = bound != 0;
    }
    return any;
}

Solved poise__ranged_solve(const Layout* layout, const Task* task, const Metric* metric,
                           Answer* answer, Ranged how) {
    const bool cold = how.begin == BEGIN_COLD;
    if (layout->dof_count == 0) {
        return (Solved){0}; // no dof, no matrices
    }
    PoiseQp qp = poise__least_squares(layout, task, metric, task->v);
    PoiseQpState state = {.x = answer->omega, .held = answer->fixed, .guess = !cold};
    qp.matrix_free = qp.matrix_free || how.matrix_free;
    qp.lower = metric->bounded ? metric->lower : NULL;
    qp.upper = metric->bounded ? metric->upper : NULL;
    const bool began_on = begin(layout, metric, answer, qp.matrix_free, how.begin);
    const PoiseQpEnd end = how.rows ? poise__step_rows_solve(how.rows, &qp, NULL, &state)
                                    : poise_qp_solve(&qp, &answer->work, &state);
    const bool ranged = metric->bounded && (began_on || cold || state.cycles > 1);
    return (Solved){.count = ranged || cold ? state.cycles : state.faces,
                    .ranged = ranged,
                    .budget_used = end == POISE_QP_BUDGET_USED};
}

void poise__velocity_solve(const Layout* layout, const Task* task, const Metric* metric,
                           Answer* answer, bool factored) {
    PoiseQp qp = poise__least_squares(layout, task, metric, task->goal_velocity);
    qp.centre = NULL;
    if (factored && !qp.matrix_free) {
        poise_qp_face_again(&qp, &answer->work, answer->fixed, qp.target, answer->velocity);
        return;
    }
    for (int d = 0; d < layout->dof_count; d++) {
        answer->velocity[d] = 0.0;
    }
    qp.matrix_free = true;
    poise_qp_face(&qp, &answer->work, answer->fixed, answer->velocity);
}
