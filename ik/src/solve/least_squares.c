// SPDX-License-Identifier: MIT
// The damped least-squares step inside the ranges: the layout's J, v, damping and bounds as one
// quadratic program (poise/qp.h). Where no range is met that is one factorisation (DUAL), or
// conjugate gradients for many rows (CGLS); where one is, exact steps on the joints that stand on
// none (BOX).
#include "solve.h"

// a dof with no more room than this stood on its bound after the step before
#define NO_ROOM 1e-9

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

// where it begins, inside the bounds; holds the dofs that have no room to one side, for those that
// end on a bound mostly began there. Whether there are any.
static bool begin(Layout* layout, bool matrix_free, bool cold) {
    bool any = false;
    for (int d = 0; d < layout->dof_count; d++) {
        const bool from_centre = layout->drawn && (matrix_free || cold);
        double start = from_centre ? layout->centre[d] : 0.0;
        bool held = false;
        if (layout->bounded) {
            const bool low = layout->lower[d] >= -NO_ROOM, high = layout->upper[d] <= NO_ROOM;
            held = !cold && (low || high);
            start = poise_min(poise_max(start, layout->lower[d]), layout->upper[d]);
            start = !held ? start : low ? layout->lower[d] : layout->upper[d];
        }
        layout->omega[d] = start;
        layout->fixed[d] = held;
        any = any || held;
    }
    return any;
}

Solved poise__ranged_solve(Layout* layout, bool matrix_free, bool cold) {
    if (layout->dof_count == 0) {
        return (Solved){0, false, false}; // nothing moves, and there are no matrices
    }
    PoiseQp qp = poise__least_squares(layout, layout->v);
    PoiseQpWork work = poise__layout_work(layout);
    PoiseQpState state = {.x = layout->omega, .held = layout->fixed, .guess = !cold};
    qp.matrix_free = qp.matrix_free || matrix_free;
    qp.lower = layout->bounded ? layout->lower : NULL;
    qp.upper = layout->bounded ? layout->upper : NULL;
    const bool began_on = begin(layout, qp.matrix_free, cold);
    const PoiseQpEnd end = poise_qp_solve(&qp, &work, &state);
    const bool ranged = layout->bounded && (began_on || cold || state.cycles > 1);
    return (Solved){ranged || cold ? state.cycles : state.faces, ranged,
                    end == POISE_QP_BUDGET_USED};
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
    (void)poise_qp_face(&qp, &work, layout->fixed, out);
}
