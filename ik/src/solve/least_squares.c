// SPDX-License-Identifier: MIT
// The damped least-squares step inside the ranges: the layout's J, v, damping and bounds as one
// quadratic program (shared/qp.h). Where no range is met that is one factorisation (DUAL), or
// conjugate gradients for many rows (CGLS); where one is, exact steps on the joints that stand on
// none (BOX).
#include "solve.h"

// a dof with no more room than this stood on its bound after the step before
#define NO_ROOM 1e-9
// a dof whose last step was about what it may go now is taken to go as far again
#define LEAST_ALIKE 0.9
#define MOST_ALIKE  1.2

PoiseQp poise__least_squares(const Layout* layout, const double* target) {
    const bool few = layout->row_count <= POISE_MOST_DUAL_ROWS;
    return (PoiseQp){.j = layout->matrix,
                     .target = target,
                     .row_damping = layout->row_damping,
                     .damping = layout->damping,
                     .share = layout->weighted ? layout->share : NULL,
                     .centre = layout->drawn ? layout->centre : NULL,
                     .spans = few ? layout->spans : NULL,
                     .matrix_free = !few};
}

PoiseQpWork poise__layout_work(const Layout* layout) {
    return (PoiseQpWork){.normal = layout->normal,
                         .residual = layout->residual,
                         .y = layout->work,
                         .gradient = layout->gradient,
                         .direction = layout->direction,
                         .start = layout->start};
}

/// The bound that a dof is taken to end on, -1 or 1, or 0.
static inline int likely_bound(double lower, double upper, double last) {
    if (lower >= -NO_ROOM || (last <= LEAST_ALIKE * lower && last >= MOST_ALIKE * lower)) {
        return -1;
    }
    return upper <= NO_ROOM || (last >= LEAST_ALIKE * upper && last <= MOST_ALIKE * upper);
}

// where it begins, inside the bounds; holds the dofs that have no room to one side, and those whose
// last step was about as long as their room, for those that end on a bound mostly began there, or
// ended there before. Whether there are any.
static bool begin(Layout* layout, bool matrix_free, Begin how) {
    const bool cold = how == BEGIN_COLD;
    const bool from_centre = layout->drawn && (matrix_free || cold);
    // the last step of a cone is along other axes
    const bool as_before = how == BEGIN_AS_BEFORE && !layout->coned;
    bool any = false;
    for (int d = 0; d < layout->dof_count; d++) {
        double start = from_centre ? layout->centre[d] : 0.0;
        int bound = 0;
        if (layout->bounded) {
            const double lower = layout->lower[d], upper = layout->upper[d];
            const double last = as_before ? layout->previous_omega[d] : 0.0;
            bound = cold ? 0 : likely_bound(lower, upper, last);
            start = bound < 0   ? lower
                    : bound > 0 ? upper
                                : poise_min(poise_max(start, lower), upper);
            any = any || bound != 0;
        }
        layout->omega[d] = start;
        layout->fixed[d] = bound != 0;
    }
    return any;
}

Solved poise__ranged_solve(Layout* layout, bool matrix_free, Begin how) {
    const bool cold = how == BEGIN_COLD;
    if (layout->dof_count == 0) {
        return (Solved){0}; // nothing moves, and there are no matrices
    }
    PoiseQp qp = poise__least_squares(layout, layout->v);
    PoiseQpWork work = poise__layout_work(layout);
    PoiseQpState state = {.x = layout->omega, .held = layout->fixed, .guess = !cold};
    qp.matrix_free = qp.matrix_free || matrix_free;
    qp.lower = layout->bounded ? layout->lower : NULL;
    qp.upper = layout->bounded ? layout->upper : NULL;
    const bool began_on = begin(layout, qp.matrix_free, how);
    const PoiseQpEnd end = poise_qp_solve(&qp, &work, &state);
    const bool ranged = layout->bounded && (began_on || cold || state.cycles > 1);
    return (Solved){.count = ranged || cold ? state.cycles : state.faces,
                    .ranged = ranged,
                    .budget_used = end == POISE_QP_BUDGET_USED};
}

void poise__velocity_solve(Layout* layout, const double* target, bool factored, double* out) {
    PoiseQp qp = poise__least_squares(layout, target);
    PoiseQpWork work = poise__layout_work(layout);
    qp.centre = NULL;
    if (factored && !qp.matrix_free) {
        poise_qp_face_again(&qp, &work, layout->fixed, target, out);
        return;
    }
    for (int d = 0; d < layout->dof_count; d++) {
        out[d] = 0.0;
    }
    qp.matrix_free = true;
    poise_qp_face(&qp, &work, layout->fixed, out);
}
