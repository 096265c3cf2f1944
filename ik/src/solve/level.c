// SPDX-License-Identifier: MIT
// Solves one level of priority as a quadratic program (shared/qp.h): |J omega - v|^2 + lambda
// |omega - start|^2 over its rows, inside the ranges. The rows of all levels before are equations,
// so they keep their values.
#include "solve.h"

// least lambda as a part of T: the rows that the levels before leave may be rounding
#define LAMBDA_LEAST 1e-12

// Fills the targets of the level's goals and what the levels before leave of them.
static void fill_target(const Layout* layout, Levels* levels, const Level* level) {
    const LevelRows* rows = &levels->level[level->index];
    const double* target = level->solve->target;
    int row = 0;
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; goal->priority == rows->priority && k < goal->rows; k++) {
            levels->target[row++] = target[goal->first_row + k];
        }
    }
    double* rest = levels->work.residual;
    poise_matrix_times(&rows->matrix, level->solve->omega, rest);
    for (int r = 0; r < rows->matrix.rows; r++) {
        rest[r] = levels->target[r] - rest[r];
    }
}

// Sums the level's rows by group. Returns trace(J J^T) of the level.
static double sum_groups(const Layout* layout, const Levels* levels, const LevelRows* rows) {
    const int m = rows->matrix.rows;
    const double* rest = levels->work.residual;
    const double* normal = rows->ground.normal;
    double trace = 0.0;
    for (int i = 0; i < layout->group_count; i++) {
        levels->sums[i] = (GroupRows){0, 0.0, 0.0};
    }
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        GroupRows* sums = &levels->sums[goal->group];
        for (int k = 0; goal->priority == rows->priority && k < goal->rows; k++, row++) {
            sums->rest2 += rest[row] * rest[row];
            sums->square += normal[row * m + row];
            sums->rows++;
            trace += normal[row * m + row];
        }
    }
    return trace;
}

// Sets lambda of each group from the level's rows in the group: eps T + k |v| sqrt(T).
static void damp(Layout* layout, Levels* levels, const Level* level) {
    const LevelsSolve* solve = level->solve;
    const LevelRows* rows = &levels->level[level->index];
    const double mean = sum_groups(layout, levels, rows) / rows->matrix.rows;
    for (int i = 0; i < layout->group_count; i++) {
        const GroupRows sums = levels->sums[i];
        const double mean_square = sums.rows > 0 ? sums.square / sums.rows : 0.0;
        const double rule = solve->eps * mean + level->gain * sqrt(sums.rest2 * mean_square);
        // A velocity takes the damping of the step: its own rule could leave little damping.
        double* used = &levels->damped[level->index * layout->goal_count + i];
        const double asked = solve->lambda >= 0.0 ? solve->lambda : rule;
        *used = solve->bounded ? poise_max(asked, LAMBDA_LEAST * mean) : *used;
        layout->groups[i].lambda = *used;
    }
}

double poise__level_start(const Metric* metric, int dof) {
    return metric->drawn && metric->pull[dof] == 0.0 ? metric->desired[dof] : 0.0;
}

// Fills lambda by row and by dof, and the centre. The centre is the start of the level; in the last
// level it includes the references with rows of their own. With references the centre of all levels
// is the desired step without bounds. If bounds cut the centre, a joint near its torque limit would
// let the null space drift with the load.
static void spread_damping(const Layout* layout, const LevelRows* rows, const Level* level,
                           Metric* metric) {
    const double* omega = level->solve->omega;
    const bool weighted = level->last && metric->weighted;
    const bool drawn = level->solve->bounded && metric->drawn;
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; goal->priority == rows->priority && k < goal->rows; k++) {
            metric->row_damping[row++] = layout->groups[goal->group].lambda;
        }
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const double lambda = layout->groups[column->group].lambda;
        for (int dof = column->first_dof; dof < column->first_dof + column->dof; dof++) {
            const double pull = weighted ? metric->pull[dof] : 0.0;
            const double desired = level->solve->bounded && pull > 0.0 ? metric->desired[dof] : 0.0;
            const double whole = lambda + pull;
            metric->damping[dof] = whole;
            metric->share[dof] = pull > 0.0 ? lambda / whole : 1.0;
            const double from = drawn ? poise__level_start(metric, dof) : omega[dof];
            metric->centre[dof] = pull > 0.0 ? (lambda * from + pull * desired) / whole : from;
        }
    }
}

// Returns the resting groups to their place after the levels before. The level's other groups share
// no joint with them. A closure never rests: it closes to rounding, however far the joints turn.
static void hold_resting(Layout* layout, const Metric* metric, Levels* levels, const Level* level) {
    const LevelRows* own = &levels->level[level->index];
    if (own->priority == POISE_PRIORITY_CLOSURE) {
        return;
    }
    double* moved = levels->work.residual;
    const RowsOfJ rows = {&own->matrix, false, own->priority, moved,
                          level->last ? NULL : levels->target};
    double* omega = level->solve->omega;
    double* step = levels->work.start;
    if (rows.lacking) {
        // the target is not used again: it becomes what the goals lack before the step
        poise_matrix_times(&own->matrix, levels->before, moved);
        for (int r = 0; r < own->matrix.rows; r++) {
            levels->target[r] -= moved[r];
        }
    }
    for (int d = 0; d < layout->dof_count; d++) {
        step[d] = omega[d] - levels->before[d];
    }
    if (!poise__rests_find(layout, metric, level->solve->def, &rows, step)) {
        return;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; layout->groups[column->group].rests && d < column->dof; d++) {
            omega[column->first_dof + d] = levels->before[column->first_dof + d];
        }
    }
}

void poise__level_run(Layout* layout, Metric* metric, Levels* levels, const Level* level) {
    const LevelsSolve* solve = level->solve;
    LevelRows* rows = &levels->level[level->index];
    unsigned char* held = solve->fixed;
    if (solve->bounded) {
        // a velocity has the damping of the step, and so its factor
        rows->ground.factored = false;
        held = &levels->held[level->index * layout->dof_count];
    }
    PoiseQp qp = {.j = rows->matrix,
                  .target = levels->target,
                  .row_damping = metric->row_damping,
                  .damping = metric->damping,
                  .share = level->last && metric->weighted ? metric->share : NULL,
                  .centre = metric->centre,
                  .lower = solve->bounded ? metric->lower : NULL,
                  .upper = solve->bounded ? metric->upper : NULL,
                  .ground = &rows->ground};
    PoiseQpState state = {.x = solve->omega, .held = held};
    fill_target(layout, levels, level);
    damp(layout, levels, level);
    spread_damping(layout, rows, level, metric);
    const bool inside = solve->rows && rows->priority != POISE_PRIORITY_CLOSURE;
    const PoiseQpEnd end = inside ? poise__step_rows_solve(solve->rows, &qp, &rows->ground, &state)
                                  : poise_qp_solve(&qp, &levels->work, &state);
    if (end != POISE_QP_LEAST) {
        levels->budget_used = true;
    }
    if (solve->def && !(inside && solve->rows->held)) {
        hold_resting(layout, metric, levels, level);
    }
}
