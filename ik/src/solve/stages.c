// SPDX-License-Identifier: MIT
// The paper's solver as printed, in three stages that callers can run and inspect: J and v; alpha,
// beta and gamma (eqs. 18-20); sweeps of eqs. 21-23. Readers and tests use this form. poise_solve
// computes the same from residuals (sweep.c).
#include <string.h>

#include "solve.h"

#define ALPHA_RELATIVE_ZERO 1e-12

PoiseStatus poise_stage_jacobians(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise_tree_is_fresh(tree)) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_stage_jacobians: the frames are stale; call poise_forward, or "
                           "measure every node");
    }
    PoiseStatus status = poise__layout_refresh(tree);
    if (status != POISE_OK) {
        return status;
    }
    poise__goal_fill(tree);
    poise__jacobian_fill(tree);
    for (int d = 0; d < tree->solver->layout.dof_count; d++) {
        tree->solver->answer.omega[d] = 0.0;
    }
    poise__publish(tree, tree->solver->answer.omega, offsetof(Node, omega));
    tree->state.has_omega = true;
    tree->state.omega_step = 0.0;
    tree->solver->stages.valid = false;
    const Task* task = &tree->solver->task;
    return task->frozen_points + task->frozen_nodes > 0 ? POISE_DEGRADED : POISE_OK;
}

// Finds Nd(n) of sec. 4.2 for column i: the columns that share a goal with it, ascending. Writes
// them to `out` unless it is NULL, and returns their number. `seen[column]` becomes i + 1 for each.
static int find_neighbours(const PoiseTree* tree, int i, int* out, int* seen) {
    const Layout* layout = &tree->solver->layout;
    const Column* column = &layout->columns[i];
    for (int b = 0; b < column->block_count; b++) {
        int goal = layout->blocks[column->first_block + b].goal;
        const Point* point = &tree->points[layout->goals[goal].point];
        for (int n = 0; n < point->node_count; n++) {
            int at = layout->column_of_node[poise__point_nodes(tree, point)[n]];
            if (at != NO_SLOT) {
                seen[at] = i + 1;
            }
        }
    }
    int count = 0;
    for (int at = 0; at < layout->column_count; at++) {
        if (seen[at] == i + 1) {
            if (out) {
                out[count] = at;
            }
            count++;
        }
    }
    return count;
}

static void carve_stages(Stages* stages, Carver* carver, const Layout* layout, size_t neighbours,
                         size_t gamma) {
    stages->alpha = poise__carve(carver, (size_t)layout->dof_count, sizeof *stages->alpha);
    stages->beta = poise__carve(carver, (size_t)layout->dof_count, sizeof *stages->beta);
    stages->row_start =
        poise__carve(carver, (size_t)layout->column_count + 1, sizeof *stages->row_start);
    stages->neighbours = poise__carve(carver, neighbours, sizeof *stages->neighbours);
    stages->gamma_start = poise__carve(carver, neighbours, sizeof *stages->gamma_start);
    stages->gamma = poise__carve(carver, gamma, sizeof *stages->gamma);
}

// Allocates the stages for the present sets. `seen`: scratch by column.
static bool make_room(PoiseTree* tree, int* seen) {
    const Layout* layout = &tree->solver->layout;
    size_t neighbours = 0, gamma = 0;
    for (int i = 0; i < layout->column_count; i++) {
        neighbours += (size_t)find_neighbours(tree, i, NULL, seen);
        for (int at = 0; at < layout->column_count; at++) {
            if (seen[at] == i + 1) {
                gamma += (size_t)(layout->columns[i].dof * layout->columns[at].dof);
            }
        }
    }
    Stages* stages = &tree->solver->stages;
    Carver counter = {NULL, 0};
    Stages trial = *stages;
    carve_stages(&trial, &counter, layout, neighbours, gamma);
    if (counter.used > stages->size) {
        void* memory = poise_host_allocate(&tree->host, counter.used);
        if (!memory) {
            return false;
        }
        poise_host_release(&tree->host, stages->memory, stages->size);
        stages->memory = memory;
        stages->size = counter.used;
    }
    Carver carver = {stages->memory, 0};
    carve_stages(stages, &carver, layout, neighbours, gamma);
    return true;
}

static void lay_rows(PoiseTree* tree, int* seen) {
    const Layout* layout = &tree->solver->layout;
    Stages* stages = &tree->solver->stages;
    for (int i = 0; i < layout->column_count; i++) {
        seen[i] = 0;
    }
    int neighbours = 0;
    size_t gamma = 0;
    for (int i = 0; i < layout->column_count; i++) {
        stages->row_start[i] = neighbours;
        int count = find_neighbours(tree, i, &stages->neighbours[neighbours], seen);
        for (int n = neighbours; n < neighbours + count; n++) {
            stages->gamma_start[n] = gamma;
            gamma += (size_t)(layout->columns[i].dof * layout->columns[stages->neighbours[n]].dof);
        }
        neighbours += count;
    }
    stages->row_start[layout->column_count] = neighbours;
}

// Computes gamma by eq. 20: sums over the points that columns a and b both move (Cp).
static void fill_gamma(const Layout* layout, const Task* task, const Column* a, const Column* b,
                       double* gamma) {
    for (int i = 0; i < a->dof * b->dof; i++) {
        gamma[i] = 0.0;
    }
    const Block* bb = &layout->blocks[b->first_block];
    const Block* end = bb + b->block_count;
    for (int k = 0; k < a->block_count; k++) {
        const Block* ba = &layout->blocks[a->first_block + k];
        while (bb < end && bb->goal < ba->goal) {
            bb++;
        }
        if (bb == end || bb->goal != ba->goal) {
            continue;
        }
        const int rows = layout->goals[ba->goal].rows;
        for (int i = 0; i < a->dof; i++) {
            for (int j = 0; j < b->dof; j++) {
                const double* ja = &task->jacobian[ba->offset + i * ba->stride];
                const double* jb = &task->jacobian[bb->offset + j * bb->stride];
                for (int r = 0; r < rows; r++) {
                    gamma[i * b->dof + j] += ja[r] * jb[r];
                }
            }
        }
    }
}

// Eqs. 18 and 19: computes alpha and beta.
static void fill_alpha_beta(const Layout* layout, const Task* task, Stages* stages) {
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            double alpha = 0.0, beta = 0.0;
            for (int b = 0; b < column->block_count; b++) {
                const Block* block = &layout->blocks[column->first_block + b];
                const Goal* goal = &layout->goals[block->goal];
                const double* j = &task->jacobian[block->offset + d * block->stride];
                for (int r = 0; r < goal->rows; r++) {
                    alpha += j[r] * j[r];
                    beta += j[r] * task->v[goal->first_row + r];
                }
            }
            stages->alpha[column->first_dof + d] = alpha;
            stages->beta[column->first_dof + d] = beta;
        }
    }
}

PoiseStatus poise_stage_blocks(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Layout* layout = poise__layout_now(tree);
    if (!layout || !tree->solver->task.filled) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_stage_blocks: the sets changed; call poise_stage_jacobians");
    }
    size_t seen_size = (size_t)layout->column_count * sizeof(int);
    int* seen = poise_host_allocate(&tree->host, seen_size);
    if (!seen && seen_size > 0) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_stage_blocks: no memory");
    }
    if (seen) {
        memset(seen, 0, seen_size);
    }
    bool room = make_room(tree, seen);
    if (room) {
        lay_rows(tree, seen);
    }
    poise_host_release(&tree->host, seen, seen_size);
    if (!room) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                           "poise_stage_blocks: no memory for gamma of %d columns",
                           layout->dof_count);
    }
    Stages* stages = &tree->solver->stages;
    fill_alpha_beta(layout, &tree->solver->task, stages);
    for (int i = 0; i < layout->column_count; i++) {
        for (int n = stages->row_start[i]; n < stages->row_start[i + 1]; n++) {
            fill_gamma(layout, &tree->solver->task, &layout->columns[i],
                       &layout->columns[stages->neighbours[n]],
                       &stages->gamma[stages->gamma_start[n]]);
        }
    }
    stages->valid = true;
    return POISE_OK;
}

// Eq. 21: sums the effects of the other nodes of Nd(n) on dof d of column i. n_x itself is left
// out: eq. 22 has its terms. The printed sum includes n_x, and its sweeps never converge.
static double delta(const Layout* layout, const Answer* answer, const Stages* stages, int i,
                    int d) {
    double sum = 0.0;
    for (int n = stages->row_start[i]; n < stages->row_start[i + 1]; n++) {
        if (stages->neighbours[n] == i) {
            continue;
        }
        const Column* other = &layout->columns[stages->neighbours[n]];
        const double* gamma = &stages->gamma[stages->gamma_start[n] + (size_t)(d * other->dof)];
        for (int k = 0; k < other->dof; k++) {
            sum += gamma[k] * answer->omega[other->first_dof + k];
        }
    }
    return sum;
}

// Eq. 22: sums the effects of the other axes of the same node.
static double epsilon(const Layout* layout, const Answer* answer, const Stages* stages, int i,
                      int d) {
    const Column* column = &layout->columns[i];
    int n = stages->row_start[i];
    while (stages->neighbours[n] != i) {
        n++;
    }
    const double* gamma = &stages->gamma[stages->gamma_start[n] + (size_t)(d * column->dof)];
    double sum = 0.0;
    for (int k = 0; k < column->dof; k++) {
        sum += k == d ? 0.0 : gamma[k] * answer->omega[column->first_dof + k];
    }
    return sum;
}

PoiseStatus poise_stage_sweep(PoiseTree* tree, double lambda, double* residual) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!(lambda >= 0.0) || isinf(lambda)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_stage_sweep: lambda is %g, it must be finite and not negative",
                           lambda);
    }
    Layout* layout = poise__layout_now(tree);
    if (!layout || !tree->solver->stages.valid) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_stage_sweep: no blocks; call poise_stage_jacobians and "
                           "poise_stage_blocks");
    }
    const Stages* stages = &tree->solver->stages;
    double largest = 0.0;
    for (int d = 0; d < layout->dof_count; d++) {
        largest = poise_max(largest, stages->alpha[d]);
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            const int dof = column->first_dof + d;
            if (stages->alpha[dof] <= ALPHA_RELATIVE_ZERO * largest) {
                continue; // this axis cannot move its points
            }
            // eq. 23; lambda as in sweep.c
            tree->solver->answer.omega[dof] =
                (stages->beta[dof] - (delta(layout, &tree->solver->answer, stages, i, d) +
                                      epsilon(layout, &tree->solver->answer, stages, i, d))) /
                (stages->alpha[dof] + lambda);
        }
    }
    poise__publish(tree, tree->solver->answer.omega, offsetof(Node, omega));
    tree->state.has_omega = true;
    tree->state.omega_step = 0.0;
    if (residual) {
        *residual = poise__residual(layout, &tree->solver->task, &tree->solver->answer);
    }
    return POISE_OK;
}
