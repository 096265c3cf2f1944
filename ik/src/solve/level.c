// SPDX-License-Identifier: MIT
// Solves one level of priority as a quadratic program (shared/qp.h): |J omega - v|^2 + lambda
// |omega - start|^2 over its rows, inside the ranges. The rows of all levels before are equations,
// so they keep their values.
#include <string.h>

#include "solve.h"

// least lambda as a part of T: the rows that the levels before leave may be rounding
#define LAMBDA_LEAST 1e-12
// a row of a closure is dependent if the other rows leave at most this part of the longest row
#define ROW_ZERO 1e-6

// Fills the blocks and targets of the level's goals, with its rows counted from 0.
static PoiseMatrix fill_matrix(const Layout* layout, const Task* task, Levels* levels,
                               const Level* level) {
    PoiseMatrix matrix = {0, layout->dof_count, 0, levels->blocks, task->jacobian};
    for (int b = 0; b < task->matrix.block_count; b++) {
        const int goal = layout->matrix_goals[b];
        int first = 0;
        for (int g = 0; g < goal; g++) {
            first += layout->goals[g].priority == level->priority ? layout->goals[g].rows : 0;
        }
        if (layout->goals[goal].priority == level->priority) {
            PoiseBlock* block = &levels->blocks[matrix.block_count++];
            *block = layout->matrix_blocks[b];
            block->first_row = first;
        }
    }
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; goal->priority == level->priority && k < goal->rows; k++) {
            levels->target[matrix.rows++] = level->target[goal->first_row + k];
        }
    }
    return matrix;
}

/// The rows of one group in a level.
typedef struct GroupRows {
    int rows;
    double square; ///< trace(J J^T)
    double rest2;  ///< |v - J omega|^2
} GroupRows;

static GroupRows measure(Solver* solver, const PoiseMatrix* matrix, const Level* level, int group) {
    const Layout* layout = &solver->layout;
    const Task* task = &solver->task;
    const Levels* levels = solver->levels;
    const double* rest = levels->work.residual;
    GroupRows sums = {0, 0.0, 0.0};
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; goal->priority == level->priority && k < goal->rows; k++, row++) {
            if (goal->group == group) {
                sums.rest2 += rest[row] * rest[row];
                sums.rows++;
            }
        }
    }
    for (int b = 0; b < task->matrix.block_count; b++) {
        const Goal* goal = &layout->goals[layout->matrix_goals[b]];
        const PoiseBlock* block = &layout->matrix_blocks[b];
        if (goal->priority == level->priority && goal->group == group) {
            for (int i = 0; i < block->columns; i++) {
                const double* numbers = &matrix->values[block->offset + i * block->stride];
                sums.square = poise__rows_dot(sums.square, numbers, numbers, block->rows);
            }
        }
    }
    return sums;
}

// Sets lambda of each group from the level's rows in the group: eps T + k |v| sqrt(T).
static void damp(Solver* solver, const PoiseMatrix* matrix, const Level* level,
                 const LevelDamping* damping) {
    Layout* layout = &solver->layout;
    Levels* levels = solver->levels;
    double trace = 0.0;
    for (int i = 0; i < layout->group_count; i++) {
        trace += measure(solver, matrix, level, i).square;
    }
    for (int i = 0; i < layout->group_count; i++) {
        const GroupRows sums = measure(solver, matrix, level, i);
        const double mean_square = sums.rows > 0 ? sums.square / sums.rows : 0.0;
        const double rule =
            damping->eps * trace / matrix->rows + level->gain * sqrt(sums.rest2 * mean_square);
        // A velocity takes the damping of the step: its own rule could leave little damping.
        double* used = &levels->damped[level->index * layout->goal_count + i];
        const double asked = damping->lambda >= 0.0 ? damping->lambda : rule;
        *used = damping->bounded ? poise_max(asked, LAMBDA_LEAST * trace / matrix->rows) : *used;
        layout->groups[i].lambda = *used;
    }
}

// Fills lambda by row and by dof, and the centre. The centre is the start of the level; in the last
// level it includes the references with rows of their own.
static void spread_damping(Solver* solver, const Level* level, bool bounded, const double* omega) {
    const Layout* layout = &solver->layout;
    const Metric* metric = &solver->metric;
    Levels* levels = solver->levels;
    const bool weighted = level->last && metric->weighted;
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; goal->priority == level->priority && k < goal->rows; k++) {
            levels->row_damping[row++] = layout->groups[goal->group].lambda;
        }
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const double lambda = layout->groups[column->group].lambda;
        for (int dof = column->first_dof; dof < column->first_dof + column->dof; dof++) {
            const double pull = weighted ? metric->pull[dof] : 0.0;
            const double desired = bounded && pull > 0.0 ? metric->desired[dof] : 0.0;
            const double whole = lambda + pull;
            levels->damping[dof] = whole;
            levels->share[dof] = pull > 0.0 ? lambda / whole : 1.0;
            levels->centre[dof] =
                pull > 0.0 ? (lambda * omega[dof] + pull * desired) / whole : omega[dof];
        }
    }
}

static void fill_values(Levels* levels, int dofs, const double* omega) {
    for (int r = 0; r < levels->row_count; r++) {
        levels->values[r] = 0.0;
        levels->active[r] = 1;
        for (int d = 0; d < dofs; d++) {
            levels->values[r] += levels->rows[r * dofs + d] * omega[d];
        }
    }
}

// Returns the resting groups to their place after the levels before. The level's other groups share
// no joint with them. A closure never rests: it closes to rounding, however far the joints turn.
static void hold_resting(Solver* solver, const Level* level, const PoiseMatrix* matrix,
                         const PoiseSolveDef* def, double* omega) {
    Layout* layout = &solver->layout;
    const Metric* metric = &solver->metric;
    Levels* levels = solver->levels;
    Answer* answer = &solver->answer;
    const RowsOfJ rows = {matrix, false, level->priority, levels->work.residual};
    double* step = answer->work.direction;
    for (int d = 0; d < layout->dof_count; d++) {
        step[d] = omega[d] - levels->before[d];
    }
    if (level->priority == POISE_PRIORITY_CLOSURE ||
        !poise__rests_find(layout, metric, def, &rows, step)) {
        return;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; layout->groups[column->group].rests && d < column->dof; d++) {
            omega[column->first_dof + d] = levels->before[column->first_dof + d];
        }
    }
}

void poise__level_run(Solver* solver, const Level* level, const LevelDamping* damping,
                      double* omega) {
    Layout* layout = &solver->layout;
    const Task* task = &solver->task;
    const Metric* metric = &solver->metric;
    Levels* levels = solver->levels;
    Answer* answer = &solver->answer;
    const PoiseMatrix matrix = fill_matrix(layout, task, levels, level);
    unsigned char* held =
        damping->bounded ? &levels->held[level->index * layout->dof_count] : answer->fixed;
    PoiseQp qp = {.j = matrix,
                  .target = levels->target,
                  .row_damping = levels->row_damping,
                  .damping = levels->damping,
                  .share = levels->share,
                  .centre = levels->centre,
                  .lower = damping->bounded ? metric->lower : NULL,
                  .upper = damping->bounded ? metric->upper : NULL,
                  .constraint_count = levels->row_count,
                  .constraints = levels->rows,
                  .constraint_lower = levels->values,
                  .constraint_upper = levels->values};
    PoiseQpState state = {.x = omega, .held = held, .active = levels->active};
    poise_matrix_times(&matrix, omega, levels->work.residual);
    for (int r = 0; r < matrix.rows; r++) {
        levels->work.residual[r] = levels->target[r] - levels->work.residual[r];
    }
    damp(solver, &matrix, level, damping);
    spread_damping(solver, level, damping->bounded, omega);
    fill_values(levels, layout->dof_count, omega);
    if (poise_qp_solve(&qp, &levels->work, &state) != POISE_QP_LEAST) {
        levels->budget_used = true;
    }
    if (damping->def) {
        hold_resting(solver, level, &matrix, damping->def, omega);
    }
}

static double square(const double* row, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += row[i] * row[i];
    }
    return sum;
}

static int longest_row(const double* rows, int count, int columns) {
    int best = 0;
    for (int r = 1; r < count; r++) {
        best =
            square(&rows[r * columns], columns) > square(&rows[best * columns], columns) ? r : best;
    }
    return best;
}

// Replaces the rows by an orthonormal basis, the longest row first; returns the number of rows.
// Three of the five rows of a planar loop depend on the others except for rounding. As independent
// rows they would fix all joints.
static int span_rows(double* rows, int count, int columns) {
    double longest = 0.0;
    for (int k = 0; k < count; k++) {
        double* row = &rows[k * columns];
        double* best = &row[longest_row(row, count - k, columns) * columns];
        const double length = sqrt(square(best, columns));
        longest = k == 0 ? length : longest;
        if (!(length > ROW_ZERO * longest)) {
            return k;
        }
        for (int i = 0; i < columns; i++) {
            const double was = row[i];
            row[i] = best[i] / length;
            best[i] = best == row ? best[i] : was;
        }
        for (int r = k + 1; r < count; r++) {
            double* other = &rows[r * columns];
            double part = 0.0;
            for (int i = 0; i < columns; i++) {
                part += other[i] * row[i];
            }
            for (int i = 0; i < columns; i++) {
                other[i] -= part * row[i];
            }
        }
    }
    return count;
}

void poise__level_keep(const Layout* layout, const Task* task, Levels* levels, const Level* level) {
    const PoiseMatrix matrix = fill_matrix(layout, task, levels, level);
    double* rows = &levels->rows[levels->row_count * matrix.columns];
    poise__matrix_dense(&matrix, NULL, rows);
    levels->row_count += level->priority == POISE_PRIORITY_CLOSURE
                             ? span_rows(rows, matrix.rows, matrix.columns)
                             : matrix.rows;
}
