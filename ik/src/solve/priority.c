// SPDX-License-Identifier: MIT
// Makes one level for each priority of the points. Each level (level.c) moves in the null space of
// the levels before. The first level contains the closures of loops, each of which joins two
// points. A level's damping follows from its rows before the projection: rows that become singular
// in the null space then make only a short step, and the earlier levels stay satisfied.
#include <string.h>

#include "solve.h"

static int rows_of(const Layout* layout, int priority) {
    int rows = 0;
    for (int g = 0; g < layout->goal_count; g++) {
        rows += layout->goals[g].priority == priority ? layout->goals[g].rows : 0;
    }
    return rows;
}

static bool is_present(const Layout* layout, int priority) {
    return layout->priorities.present & (1u << (priority - POISE_PRIORITY_CLOSURE));
}

static void carve_level(LevelRows* level, Carver* carver, const Layout* layout) {
    const size_t rows = (size_t)rows_of(layout, level->priority);
    level->groups = poise__carve(carver, (size_t)layout->group_count, sizeof *level->groups);
    level->ground.normal = poise__carve(carver, rows * rows, sizeof *level->ground.normal);
}

static void carve_levels(Levels* levels, Carver* carver, const Layout* layout, const Task* task) {
    const size_t rows = (size_t)layout->row_count;
    const size_t dofs = (size_t)layout->dof_count;
    const int axes = layout->row_count < layout->dof_count ? layout->row_count : layout->dof_count;
    const size_t stride = (size_t)poise_basis_stride(axes);
    const size_t room = (size_t)poise_basis_stride(layout->row_count);
    const PoiseQpSize size = {layout->row_count, layout->dof_count, (int)stride, false, true};
    const size_t bytes = poise_qp_work_place(&levels->work[0], &size, NULL);
    poise__carve_over(carver, sizeof *levels);
    levels->count = 0;
    for (int priority = layout->priorities.first; priority <= layout->priorities.last; priority++) {
        if (is_present(layout, priority)) {
            LevelRows* level = &levels->level[levels->count++];
            level->priority = priority;
            carve_level(level, carver, layout);
        }
    }
    for (int i = 0; i < levels->count - 1; i++) {
        void* work = poise__carve(carver, bytes, 1);
        poise_qp_work_place(&levels->work[i], &size, work);
    }
    levels->basis.stride = (int)stride;
    levels->basis.axes = poise__carve(carver, dofs * stride, sizeof *levels->basis.axes);
    levels->basis.parts = poise__carve(carver, stride, sizeof *levels->basis.parts);
    levels->numbers = poise__carve(carver, dofs * room, sizeof *levels->numbers);
    levels->scratch = poise__carve(carver, 3 * room + dofs, sizeof *levels->scratch);
    levels->parts = poise__carve(carver, rows * stride, sizeof *levels->parts);
    levels->free = poise__carve(carver, dofs, sizeof *levels->free);
    levels->blocks = poise__carve(carver, (size_t)task->matrix.block_count, sizeof *levels->blocks);
    levels->target = poise__carve(carver, rows, sizeof *levels->target);
    levels->lacking = poise__carve(carver, rows, sizeof *levels->lacking);
    levels->before = poise__carve(carver, dofs, sizeof *levels->before);
    const size_t numbers = (size_t)levels->count * dofs;
    levels->previous = poise__carve(carver, numbers, sizeof *levels->previous);
    levels->held = poise__carve(carver, numbers, sizeof *levels->held);
}

// Makes J of each level: the blocks of its goals, with rows numbered from 0.
static void lay_matrices(const Layout* layout, const Task* task, Levels* levels) {
    PoiseBlock* next = levels->blocks;
    for (int l = 0; l < levels->count; l++) {
        LevelRows* level = &levels->level[l];
        level->matrix = (PoiseMatrix){rows_of(layout, level->priority), layout->dof_count, 0, next,
                                      task->jacobian};
        for (int b = 0; b < task->matrix.block_count; b++) {
            const int goal = layout->matrix_goals[b];
            if (layout->goals[goal].priority != level->priority) {
                continue;
            }
            *next = layout->matrix_blocks[b];
            next->first_row = 0;
            for (int g = 0; g < goal; g++) {
                const bool same = layout->goals[g].priority == level->priority;
                next->first_row += same ? layout->goals[g].rows : 0;
            }
            next++;
            level->matrix.block_count++;
        }
    }
}

void poise__groups_count(const PoiseTree* tree, const LevelRows* rows) {
    const Layout* layout = &tree->solver->layout;
    for (int i = 0; i < layout->group_count; i++) {
        rows->groups[i] = (GroupRows){0};
    }
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        GroupRows* group = &rows->groups[goal->group];
        if (poise__rows_have(rows, goal)) {
            group->rows += goal->rows;
            group->kept_gain = poise_max(group->kept_gain, tree->points[goal->point].damping_gain);
        }
    }
}

// Fills trace(J J^T) of each group and the mean of all from the rows' squared lengths.
static void sum_squares(const Layout* layout, LevelRows* level, const double* squares, int step) {
    double trace = 0.0;
    for (int i = 0; i < layout->group_count; i++) {
        level->groups[i].square = 0.0;
    }
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int k = 0; poise__rows_have(level, goal) && k < goal->rows; k++, row++) {
            const double square = squares[row * step];
            level->groups[goal->group].square += square;
            trace += square;
        }
    }
    level->ground.square = trace;
    level->mean_square = trace / level->matrix.rows;
}

void poise__levels_prepare(const Layout* layout, Levels* levels, int count) {
    PoiseBasis* basis = &levels->basis;
    basis->columns = layout->dof_count;
    basis->count = 0;
    for (int l = 0; l < count; l++) {
        LevelRows* level = &levels->level[l];
        const PoiseMatrix* j = &level->matrix;
        const bool last = l == count - 1;
        level->ground.basis = *basis;
        if (l > 0 || last) {
            poise__matrix_normal(j, NULL, levels->free, level->ground.normal);
        }
        if (last) {
            sum_squares(layout, level, level->ground.normal, j->rows + 1);
        }
        if (l > 0) {
            poise__matrix_parts(j, levels->free, basis, levels->parts);
            poise_basis_subtract_products(basis, levels->parts, j->rows, level->ground.normal);
        }
        if (!last) {
            const PoiseAddedRows rows = poise__level_rows(
                level->priority, j->rows, poise_basis_stride(j->rows), levels->numbers);
            poise__matrix_by_column(j, rows.numbers, rows.stride);
            poise_basis_add_rows(basis, &rows, levels->parts, levels->scratch);
            // poise_basis_add_rows has written the rows' squared lengths there
            sum_squares(layout, level, levels->scratch, 1);
        }
    }
}

PoiseStatus poise__levels_make(PoiseTree* tree) {
    Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    Levels* levels = tree->solver->levels;
    if (levels && levels->valid) {
        return POISE_OK;
    }
    Carver counter = {NULL, 0};
    Levels trial;
    carve_levels(&trial, &counter, layout, task);
    const size_t size = levels ? levels->size : 0;
    if (counter.used > size) {
        Levels* grown = (Levels*)poise_host_allocate(&tree->host, counter.used);
        if (!grown) {
            return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                               "no memory for the null space of %d rows", layout->row_count);
        }
        poise_host_release(&tree->host, levels, size);
        memset(grown, 0, sizeof *grown);
        grown->size = counter.used;
        levels = tree->solver->levels = grown;
    }
    Carver carver = {(char*)levels, 0};
    carve_levels(levels, &carver, layout, task);
    lay_matrices(layout, task, levels);
    for (int d = 0; d < layout->dof_count; d++) {
        levels->free[d] = 0;
    }
    const int n = layout->dof_count;
    for (int l = 0; l < levels->count; l++) {
        LevelRows* level = &levels->level[l];
        level->previous = &levels->previous[l * n];
        level->held = &levels->held[l * n];
        memset(level->previous, 0, (size_t)n * sizeof *level->previous);
        memset(level->held, 0, (size_t)n);
        poise__groups_count(tree, level);
    }
    levels->valid = true;
    return POISE_OK;
}
