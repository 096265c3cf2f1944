// SPDX-License-Identifier: MIT
// The null space of rows of J: what an orthonormal basis of them leaves. Nothing is inverted that
// may be singular. The levels of priority move in it (level.c), and a caller may.
#include <string.h>

#include "solve.h"

// a row of which the others leave less than this part says nothing new
#define ROW_RELATIVE_ZERO 1e-13

static void fill_basis(Layout* layout) {
    PoiseQpWork* work = &layout->levels->work;
    const int n = layout->dof_count;
    work->basis.columns = n;
    work->basis.count = 0;
    // the ranges and what they hold are of no concern here
    for (int d = 0; d < n; d++) {
        work->counted[d] = 1.0;
    }
    poise__matrix_dense(&layout->matrix, NULL, work->dense);
    for (int r = 0; r < layout->row_count && work->basis.count < n; r++) {
        poise_basis_add(&work->basis, &work->dense[r * n], ROW_RELATIVE_ZERO, NULL);
    }
}

// one node's numbers, as poise_node_omega has them, to and from its scaled columns. These may be
// not the numbers themselves but parts along axes: then what lies beside the axes is kept for a
// ball, of which it moves no point, and left out where axes are switched off.
static const double* part_of(const Layout* layout, const Column* column, const double* in, int d) {
    return layout->linear[column->first_dof + d] ? in : &in[poise__joint_moves(column->type)];
}

static void to_columns(const PoiseTree* tree, const Column* column, const double* in, double* x) {
    const Layout* layout = &tree->solver->layout;
    const PoiseVec3* axes = &layout->axes[column->first_dof];
    for (int d = 0; d < column->dof; d++) {
        double number = in[d];
        if (!column->direct) {
            const double* part = part_of(layout, column, in, d);
            number = poise_dot(axes[d], poise_vec3(part[0], part[1], part[2]));
        }
        x[column->first_dof + d] = number / column->scale;
    }
}

static void take_change(const PoiseTree* tree, const Column* column, const double* was,
                        const double* change, double* out) {
    const Layout* layout = &tree->solver->layout;
    const PoiseVec3* axes = &layout->axes[column->first_dof];
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
        const ptrdiff_t at = part_of(layout, column, out, d) - out;
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
    if (!layout || !layout->filled) {
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
        to_columns(tree, &layout->columns[i], at, layout->direction);
        at += layout->columns[i].type->nv;
    }
    fill_basis(layout);
    for (int d = 0; d < layout->dof_count; d++) {
        layout->gradient[d] = layout->direction[d];
    }
    poise_basis_project(&layout->levels->work.basis, layout->direction, NULL);
    for (int d = 0; d < layout->dof_count; d++) {
        layout->direction[d] -= layout->gradient[d];
    }
    memmove(out, in, (size_t)count * sizeof *out);
    for (int i = 0; i < layout->column_count; i++) {
        take_change(tree, &layout->columns[i], layout->gradient, layout->direction, out);
        out += layout->columns[i].type->nv;
    }
    return POISE_OK;
}
