// SPDX-License-Identifier: MIT
// Inequalities of a step, lower <= a omega <= upper. The tree's sources, such as collision
// avoidance, add rows. They outrank all goals except closures: the QP (shared/qp.h) has them as
// constraints. poise_solve fills them after the joints' bounds.
#include <string.h>

#include "solve.h"

// A row starts active if its value at omega = 0 is this near to its lower end: the last step
// probably ended there. The test reads only this step, so restored trees repeat their steps
// exactly.
#define ON_END 1e-9

// m/rad; along a shorter row the largest joint step moves less than a micrometre
#define STILL 1e-6

static void carve_rows(StepRows* rows, Carver* carver) {
    const size_t all = (size_t)(rows->capacity + rows->dofs);
    const size_t dofs = (size_t)rows->dofs;
    const PoiseQpSize size = {rows->goal_rows, rows->dofs, rows->capacity + rows->dofs, false,
                              false};
    poise__carve_over(carver, sizeof *rows);
    rows->a = poise__carve(carver, all * dofs, sizeof *rows->a);
    rows->lower = poise__carve(carver, all, sizeof *rows->lower);
    rows->upper = poise__carve(carver, all, sizeof *rows->upper);
    const size_t bytes = poise_qp_work_place(&rows->work, &size, NULL);
    void* work = poise__carve(carver, bytes, 1);
    poise_qp_work_place(&rows->work, &size, work);
    rows->active = poise__carve(carver, all, sizeof *rows->active);
}

// Makes the memory anew if the layout or the number of rows has grown.
static PoiseStatus make_room(PoiseTree* tree) {
    Solver* solver = tree->solver;
    const Layout* layout = &solver->layout;
    StepRows wanted = {.dofs = layout->dof_count, .goal_rows = layout->row_count};
    for (const RowSource* source = tree->row_sources; source; source = source->next) {
        wanted.capacity += source->most_rows;
    }
    StepRows* rows = solver->rows;
    if (rows && rows->dofs == wanted.dofs && rows->goal_rows == wanted.goal_rows &&
        rows->capacity >= wanted.capacity) {
        return POISE_OK;
    }
    Carver counter = {NULL, 0};
    carve_rows(&wanted, &counter);
    if (!rows || counter.used > rows->size) {
        StepRows* grown = poise_host_allocate(&tree->host, counter.used);
        if (!grown) {
            return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                               "no memory for %d inequalities of %d joint velocities",
                               wanted.capacity, wanted.dofs);
        }
        if (rows) {
            poise_host_release(&tree->host, rows, rows->size);
        }
        rows = solver->rows = grown;
        wanted.size = counter.used;
    } else {
        wanted.size = rows->size;
    }
    *rows = wanted;
    Carver carver = {(char*)rows, 0};
    carve_rows(rows, &carver);
    return POISE_OK;
}

// Clears a row that no joint moves and removes its bounds: its numbers are only rounding errors.
static void let_go_if_still(StepRows* rows, int k) {
    double* row = &rows->a[k * rows->dofs];
    double square = 0.0;
    for (int i = 0; i < rows->dofs; i++) {
        square += row[i] * row[i];
    }
    if (square < STILL * STILL) {
        memset(row, 0, (size_t)rows->dofs * sizeof *row);
        rows->lower[k] = -HUGE_VAL;
        rows->upper[k] = HUGE_VAL;
    }
}

PoiseStatus poise__step_rows_fill(PoiseTree* tree, double step) {
    const PoiseStatus status = make_room(tree);
    if (status != POISE_OK) {
        return status;
    }
    StepRows* rows = tree->solver->rows;
    rows->count = 0;
    rows->held = false;
    rows->pushes = false;
    for (RowSource* source = tree->row_sources; source; source = source->next) {
        source->fill(source, step);
    }
    for (int k = 0; k < rows->count; k++) {
        let_go_if_still(rows, k);
        rows->pushes = rows->pushes || rows->lower[k] > 0.0 || rows->upper[k] < 0.0;
    }
    return POISE_OK;
}

double* poise__step_row_add(PoiseTree* tree, double lower, double upper) {
    StepRows* rows = tree->solver->rows;
    if (rows->count >= rows->capacity || rows->dofs == 0) {
        return NULL;
    }
    double* row = &rows->a[rows->count * rows->dofs];
    memset(row, 0, (size_t)rows->dofs * sizeof *row);
    rows->lower[rows->count] = lower;
    rows->upper[rows->count] = upper;
    rows->active[rows->count++] = 0;
    return row;
}

// Adds one node's part of the work. A follower adds to its leader's column.
static void add_node(const PoiseTree* tree, int slot, const LinkForce* force, double* row) {
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    const int at = layout->column_of_node[slot];
    if (at == NO_SLOT || layout->columns[at].frozen) {
        return;
    }
    const Column* column = &layout->columns[at];
    const Joint* joint = &tree->nodes[slot].joint;
    const PoiseVec3* axes = &task->axes[column->first_dof];
    const unsigned char* linear = &task->linear[column->first_dof];
    PoiseVec3 own_axes[POISE_MAX_DOF];
    unsigned char own_linear[POISE_MAX_DOF];
    double ratio = column->scale;
    if (column->tied) {
        poise__joint_number_axes(joint, own_axes, own_linear);
        axes = own_axes;
        linear = own_linear;
        ratio *= poise__tie(tree, slot)->ratio;
    }
    const PoiseVec3 arm = poise_sub(force->at, poise__joint_anchor(joint));
    const PoiseVec3 moment = poise_add(force->moment, poise_cross(arm, force->force));
    for (int d = 0; d < column->dof; d++) {
        const PoiseVec3 along = linear[d] ? force->force : moment;
        row[column->first_dof + d] += ratio * poise_dot(axes[d], along);
    }
}

void poise__step_row_add_force(const PoiseTree* tree, const LinkForce* force, double* row) {
    for (int slot = force->link; slot != force->until && slot != NO_SLOT;
         slot = tree->nodes[slot].parent) {
        add_node(tree, slot, force, row);
    }
}

// Adds the axes of `ground` as equations that keep their products with omega as they are at x.
// Returns the number of constraints.
static int add_equations(StepRows* rows, const PoiseQpGround* ground, const double* x) {
    int count = rows->count;
    for (int k = 0; ground && k < ground->basis.count; k++) {
        const double* axis = &ground->basis.axes[k];
        const int stride = ground->basis.stride;
        double at = 0.0;
        for (int i = 0; i < rows->dofs; i++) {
            at += axis[i * stride] * x[i];
            rows->a[count * rows->dofs + i] = axis[i * stride];
        }
        rows->lower[count] = rows->upper[count] = at;
        rows->active[count++] = 1;
    }
    return count;
}

static double product(const StepRows* rows, int k, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < rows->dofs; i++) {
        sum += rows->a[k * rows->dofs + i] * x[i];
    }
    return sum;
}

static void attach(const StepRows* rows, PoiseQp* qp, int count) {
    qp->ground = NULL;
    qp->matrix_free = false;
    qp->spans = NULL;
    qp->constraint_count = count;
    qp->constraints = rows->a;
    qp->constraint_lower = rows->lower;
    qp->constraint_upper = rows->upper;
}

PoiseQpEnd poise__step_rows_solve(StepRows* rows, PoiseQp* qp, const PoiseQpGround* ground,
                                  PoiseQpState* state) {
    for (int k = 0; k < rows->count; k++) {
        const double at = product(rows, k, state->x);
        rows->active[k] = fabs(at - rows->lower[k]) <= ON_END ? -1 : 0;
    }
    attach(rows, qp, add_equations(rows, ground, state->x));
    state->active = rows->active;
    PoiseQpEnd end = poise_qp_solve(qp, &rows->work, state);
    if (end == POISE_QP_INFEASIBLE) {
        // The rows contradict each other, and x violates them least: widen each row to include x.
        for (int k = 0; k < rows->count; k++) {
            const double at = product(rows, k, state->x);
            rows->lower[k] = poise_min(rows->lower[k], at);
            rows->upper[k] = poise_max(rows->upper[k], at);
        }
        end = poise_qp_solve(qp, &rows->work, state);
    }
    for (int k = 0; k < rows->count; k++) {
        rows->held = rows->held || rows->active[k] != 0;
    }
    return end;
}

double poise__step_rows_limit(PoiseTree* tree) {
    double least = 1.0;
    for (const RowSource* source = tree->row_sources; source; source = source->next) {
        least = poise_min(least, source->limit ? source->limit(source) : 1.0);
    }
    for (int i = 0; least < 1.0 && i < tree->solver->layout.column_count; i++) {
        Node* node = &tree->nodes[tree->solver->layout.columns[i].node];
        for (int d = 0; d < POISE_MAX_NV; d++) {
            node->omega[d] *= least;
            node->velocity[d] *= least;
        }
    }
    return least;
}
