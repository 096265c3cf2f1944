// SPDX-License-Identifier: MIT
// Solves one level of priority as a quadratic program (shared/qp.h): |J omega - v|^2 over its rows
// with damping (damping.c), inside the ranges. The rows of all levels before are equations, so they
// keep their values. The first level has no equations. If no bound is active, one factorisation
// solves it (DUAL), or conjugate gradients for many rows (CGLS); else exact steps inside the ranges
// (BOX).
#include <string.h>

#include "solve.h"

// a dof with at most this room is taken to have ended its last step on the bound
#define NO_ROOM 1e-9
// a last step counts as equal to the present room if it is between these fractions of it
#define LEAST_ALIKE 0.9
#define MOST_ALIKE  1.2

// Fills `target` of the level's rows. For a step after other levels also `lacking`: the targets
// minus the motion of those.
static void fill_targets(const Layout* layout, Levels* levels, const Level* level,
                         const double* target) {
    const PoiseMatrix* j = &level->rows->matrix;
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; poise__rows_have(level->rows, goal) && k < goal->rows; k++) {
            levels->target[row++] = target[goal->first_row + k];
        }
    }
    if (level->before && level->bounded) {
        poise_matrix_times(j, level->before, levels->lacking);
        for (int r = 0; r < j->rows; r++) {
            levels->lacking[r] = levels->target[r] - levels->lacking[r];
        }
    }
}

Level poise__level_begin(Solver* solver, int index, bool velocity) {
    Answer* answer = &solver->answer;
    Levels* levels = solver->levels;
    double* omega = velocity ? answer->velocity : answer->omega;
    const double* target = velocity ? solver->task.goal_velocity : solver->task.v;
    Level level = {.omega = omega, .work = &answer->work, .last = true, .bounded = !velocity};
    if (index == POISE_ALL_ROWS) {
        level.rows = &solver->all;
        level.rows->mean_square = solver->task.mean_square;
        level.target = level.lacking = target;
    } else {
        level.rows = &levels->level[index];
        level.last = index == levels->count - 1;
        level.target = level.lacking = levels->target;
        if (index > 0) {
            memcpy(levels->before, omega, (size_t)solver->layout.dof_count * sizeof *omega);
            level.before = levels->before;
            level.lacking = levels->lacking;
            level.work = &levels->work[index - 1];
        }
        fill_targets(&solver->layout, levels, &level, target);
    }
    level.held = level.rows->held;
    return level;
}

PoiseQp poise__level_program(const Layout* layout, const Metric* metric, const Level* level) {
    const LevelRows* rows = level->rows;
    const bool few = rows->matrix.rows <= POISE_MOST_DUAL_ROWS || level->before;
    const bool bounded = level->bounded && metric->bounded;
    return (PoiseQp){.j = rows->matrix,
                     .target = level->target,
                     .row_damping = metric->row_damping,
                     .damping = metric->damping,
                     .share = level->last && metric->weighted ? metric->share : NULL,
                     .centre = metric->centred || level->before ? metric->centre : NULL,
                     .lower = bounded ? metric->lower : NULL,
                     .upper = bounded ? metric->upper : NULL,
                     .ground = level->before ? &level->rows->ground : NULL,
                     .spans = few && rows->all ? layout->spans : NULL,
                     .matrix_free = !few || level->matrix_free};
}

/// Returns the bound on which a dof is expected to end: -1, 1, or 0 for none.
static inline int likely_bound(double lower, double upper, double last) {
    if (lower >= -NO_ROOM || (last <= LEAST_ALIKE * lower && last >= MOST_ALIKE * lower)) {
        return -1;
    }
    return upper <= NO_ROOM || (last >= LEAST_ALIKE * upper && last <= MOST_ALIKE * upper);
}

// Sets the start of a first level inside the bounds. Holds dofs without room on that bound, and
// dofs whose last step was as long as their room: a dof that ends on a bound mostly began or ended
// there before. With priorities, only dofs that the level held in its last step. True if any dof is
// held.
static bool begin(const Layout* layout, const Metric* metric, const Level* level,
                  bool matrix_free) {
    const bool cold = level->begin == BEGIN_COLD;
    const bool from_centre = metric->centred && (matrix_free || cold);
    // the axes of a cone differ from those of its last step
    const bool as_before = level->begin == BEGIN_AS_BEFORE && !layout->coned;
    bool any = false;
    for (int d = 0; d < layout->dof_count; d++) {
        double start = from_centre ? metric->centre[d] : 0.0;
        int bound = 0;
        if (metric->bounded) {
            const double lower = metric->lower[d], upper = metric->upper[d];
            const double last = as_before ? level->rows->previous[d] : 0.0;
            // A later level may have pushed the dof to its bound, off which the first level moves.
            const bool expected = !cold && (level->rows->all || level->held[d]);
            bound = expected ? likely_bound(lower, upper, last) : 0;
            start = bound < 0   ? lower
                    : bound > 0 ? upper
                                : poise_min(poise_max(start, lower), upper);
            any = any || bound != 0;
        }
        level->omega[d] = start;
        level->held[d] = bound != 0;
    }
    return any;
}

Solved poise__level_solve(const Layout* layout, const Metric* metric, const Level* level) {
    const bool cold = level->begin == BEGIN_COLD;
    if (layout->dof_count == 0) {
        return (Solved){0}; // no dof, no matrices
    }
    PoiseQp qp = poise__level_program(layout, metric, level);
    PoiseQpState state = {.x = level->omega, .held = level->held, .guess = !cold};
    if (level->before && !qp.lower) {
        memset(level->held, 0, (size_t)layout->dof_count);
    }
    const bool began_on = !level->before && begin(layout, metric, level, qp.matrix_free);
    const PoiseQpEnd end = level->inside
                               ? poise__step_rows_solve(level->inside, &qp, qp.ground, &state)
                               : poise_qp_solve(&qp, level->work, &state);
    const bool ranged = qp.lower && (began_on || cold || state.cycles > 1);
    return (Solved){.count = ranged || cold ? state.cycles : state.faces,
                    .ranged = ranged,
                    .budget_used = end == POISE_QP_BUDGET_USED};
}

void poise__level_velocity(const Layout* layout, const Metric* metric, const Level* level) {
    PoiseQp qp = poise__level_program(layout, metric, level);
    qp.centre = level->before ? qp.centre : NULL;
    PoiseQpState state = {.x = level->omega, .held = level->held};
    if (level->again && !qp.matrix_free) {
        poise_qp_again(&qp, level->work, &state);
    } else if (level->before) {
        poise_qp_solve(&qp, level->work, &state);
    } else {
        memset(level->omega, 0, (size_t)layout->dof_count * sizeof *level->omega);
        poise_qp_face(&qp, level->work, level->held, level->omega);
    }
}
