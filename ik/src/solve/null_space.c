// SPDX-License-Identifier: MIT
// Projects joint motions into the null space of J: the motions that move no point. An orthonormal
// basis of the rows of J replaces the inverse of a matrix that may be singular. Callers project
// motions of their own; level.c uses the same basis for priorities.
#include <string.h>

#include "solve.h"

// a row is dependent if less than this fraction of the longest row is left of it
#define ROW_RELATIVE_ZERO 1e-13

// Makes an orthonormal basis of all rows of J, without regard to the joints' ranges.
static void fill_basis(const Task* task, Levels* levels) {
    PoiseBasis* basis = &levels->basis;
    const PoiseAddedRows rows = {task->matrix.rows, poise_basis_stride(task->matrix.rows),
                                 levels->numbers, ROW_RELATIVE_ZERO, false};
    basis->columns = task->matrix.columns;
    basis->count = 0;
    poise__matrix_by_column(&task->matrix, rows.numbers, rows.stride);
    poise_basis_add_rows(basis, &rows, NULL, levels->scratch);
}

// Returns the vector in a node's numbers (poise_node_omega) whose component along an axis is dof d.
// to_columns and take_change convert these numbers to scaled columns and back. They keep the
// component that a ball's axes do not span, because it moves no point, and drop the component along
// switched-off axes.
static const double* part_of(const Task* task, const Column* column, const double* in, int d) {
    return task->linear[column->first_dof + d] ? in : &in[poise__joint_moves(column->type)];
}

static void to_columns(const PoiseTree* tree, const Column* column, const double* in, double* x) {
    const Task* task = &tree->solver->task;
    const PoiseVec3* axes = &task->axes[column->first_dof];
    for (int d = 0; d < column->dof; d++) {
        double number = in[d];
        if (!column->direct) {
            const double* part = part_of(task, column, in, d);
            number = poise_dot(axes[d], poise_vec3(part[0], part[1], part[2]));
        }
        x[column->first_dof + d] = number / column->scale;
    }
}

static void take_change(const PoiseTree* tree, const Column* column, const double* was,
                        const double* change, double* out) {
    const Task* task = &tree->solver->task;
    const PoiseVec3* axes = &task->axes[column->first_dof];
    const bool switched = !column->direct && poise__joint_moves(column->type) > 0;
    for (int i = 0; switched && i < column->type->nv; i++) {
        out[i] = 0.0;
    }
    for (int d = 0; d < column->dof; d++) {
        const int dof = column->first_dof + d;
        const double number = column->scale * (change[dof] + (switched ? was[dof] : 0.0));
        if (column->direct) {
            out[d] += number;
            continue;
        }
        const ptrdiff_t at = part_of(task, column, out, d) - out;
        out[at] += number * axes[d].x;
        out[at + 1] += number * axes[d].y;
        out[at + 2] += number * axes[d].z;
    }
}

PoiseStatus poise_null_space_project(PoiseTree* tree, const double* in, int count, double* out) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Layout* layout = poise__layout_now(tree);
    if (!layout || !tree->solver->task.filled) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_null_space_project: no J yet; call poise_solve or "
                           "poise_stage_jacobians after the sets have changed");
    }
    int numbers = 0;
    for (int i = 0; i < layout->column_count; i++) {
        numbers += layout->columns[i].type->nv;
    }
    if (!in || !out || count != numbers) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_null_space_project: %d numbers given, the nodes that serve a "
                           "point have %d",
                           in && out ? count : 0, numbers);
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(in[i])) {
            return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_null_space_project: number %d of `in` is not finite", i);
        }
    }
    PoiseStatus status = poise__levels_make(tree);
    if (status != POISE_OK) {
        return status;
    }
    const double* at = in;
    for (int i = 0; i < layout->column_count; i++) {
        to_columns(tree, &layout->columns[i], at, tree->solver->answer.work.direction);
        at += layout->columns[i].type->nv;
    }
    fill_basis(&tree->solver->task, tree->solver->levels);
    for (int d = 0; d < layout->dof_count; d++) {
        tree->solver->answer.work.gradient[d] = tree->solver->answer.work.direction[d];
    }
    poise_basis_project(&tree->solver->levels->basis, tree->solver->answer.work.direction, NULL);
    for (int d = 0; d < layout->dof_count; d++) {
        tree->solver->answer.work.direction[d] -= tree->solver->answer.work.gradient[d];
    }
    memmove(out, in, (size_t)count * sizeof *out);
    for (int i = 0; i < layout->column_count; i++) {
        take_change(tree, &layout->columns[i], tree->solver->answer.work.gradient,
                    tree->solver->answer.work.direction, out);
        out += layout->columns[i].type->nv;
    }
    return POISE_OK;
}
