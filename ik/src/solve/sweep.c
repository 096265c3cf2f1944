// SPDX-License-Identifier: MIT
// The paper's block Gauss-Seidel (eqs. 17, 23) in residual form: r = v - J omega is kept, and each
// omega_i takes its part of it in turn, root first. The same iterates as the gamma form of
// stages.c, at the cost of one walk over J a sweep.
#include "solve.h"

// columns with alpha below this part of the largest cannot move any of their points
#define ALPHA_RELATIVE_ZERO 1e-12
// a residual below this part of |v| is zero
#define RESIDUAL_RELATIVE_ZERO 1e-14

// eq. 18; returns the largest
static double fill_alpha(Layout* layout) {
    double largest = 0.0;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            layout->alpha[column->first_dof + d] = 0.0;
        }
        for (int b = 0; b < column->block_count; b++) {
            const Block* block = &layout->blocks[column->first_block + b];
            const int rows = layout->goals[block->goal].rows;
            const double* j = &layout->jacobian[block->offset];
            for (int d = 0; d < column->dof; d++, j += rows) {
                double* alpha = &layout->alpha[column->first_dof + d];
                *alpha = poise__rows_dot(*alpha, j, j, rows);
            }
        }
        for (int d = 0; d < column->dof; d++) {
            largest = poise_max(largest, layout->alpha[column->first_dof + d]);
        }
    }
    return largest;
}

// J_i^T r of one dof over all its points
static double pull(const Layout* layout, const Column* column, int d) {
    double sum = 0.0;
    for (int b = 0; b < column->block_count; b++) {
        const Block* block = &layout->blocks[column->first_block + b];
        const Goal* goal = &layout->goals[block->goal];
        const double* j = &layout->jacobian[block->offset + d * goal->rows];
        sum = poise__rows_dot(sum, j, &layout->residual[goal->first_row], goal->rows);
    }
    return sum;
}

// r -= J_i change
static void take_off(Layout* layout, const Column* column, int d, double change) {
    for (int b = 0; b < column->block_count; b++) {
        const Block* block = &layout->blocks[column->first_block + b];
        const Goal* goal = &layout->goals[block->goal];
        const double* j = &layout->jacobian[block->offset + d * goal->rows];
        poise__rows_add(&layout->residual[goal->first_row], -change, j, goal->rows);
    }
}

/// What is the same all through the sweeps of one solve.
typedef struct Sweep {
    Layout* layout;
    double* omega;
    const double* whole; ///< by dof: alpha + lambda, 0 where the dof stays
    bool bounded;
    bool drawn; ///< toward centres; a velocity has none
} Sweep;

// whether a dof stays: it moves none of its points and no reference pulls it, or, for velocities,
// it is held
static bool stays(const Layout* layout, int dof, double smallest_alpha, bool bounded) {
    const bool pulled = bounded && layout->weighted && layout->pull[dof] > 0.0;
    return (layout->alpha[dof] <= smallest_alpha && !pulled) || (!bounded && layout->fixed[dof]);
}

// eq. 23, damped, toward the centre, inside the bounds: omega of one dof of which `sum` is J_i^T r
static inline double next_omega(const Sweep* sweep, int dof, double sum) {
    const Layout* layout = sweep->layout;
    const double omega = sweep->omega[dof];
    const double off = sweep->drawn ? omega - layout->centre[dof] : omega;
    const double next = omega + (sum - layout->damping[dof] * off) / sweep->whole[dof];
    return sweep->bounded ? poise_min(poise_max(next, layout->lower[dof]), layout->upper[dof])
                          : next;
}

// a column that moves one point of `rows` rows, a constant, so that r stays in registers
static inline void sweep_one_block(const Sweep* sweep, const Column* column, const int rows) {
    const Layout* layout = sweep->layout;
    const Block* block = &layout->blocks[column->first_block];
    const double* j = &layout->jacobian[block->offset];
    double* residual = &layout->residual[layout->goals[block->goal].first_row];
    double r[6];
    for (int k = 0; k < rows; k++) {
        r[k] = residual[k];
    }
    for (int dof = column->first_dof; dof < column->first_dof + column->dof; dof++, j += rows) {
        if (sweep->whole[dof] != 0.0) {
            const double next = next_omega(sweep, dof, poise__rows_dot(0.0, j, r, rows));
            poise__rows_add(r, sweep->omega[dof] - next, j, rows);
            sweep->omega[dof] = next;
        }
    }
    for (int k = 0; k < rows; k++) {
        residual[k] = r[k];
    }
}

static void sweep_blocks(const Sweep* sweep, const Column* column) {
    for (int d = 0; d < column->dof; d++) {
        const int dof = column->first_dof + d;
        if (sweep->whole[dof] != 0.0) {
            const double next = next_omega(sweep, dof, pull(sweep->layout, column, d));
            take_off(sweep->layout, column, d, next - sweep->omega[dof]);
            sweep->omega[dof] = next;
        }
    }
}

static void sweep_once(const Sweep* sweep) {
    const Layout* layout = sweep->layout;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const int goal = layout->blocks[column->first_block].goal;
        const int rows = column->block_count == 1 ? layout->goals[goal].rows : 0;
        if (rows == 3) {
            sweep_one_block(sweep, column, 3);
        } else if (rows == 6) {
            sweep_one_block(sweep, column, 6);
        } else {
            sweep_blocks(sweep, column);
        }
    }
}

static double norm(const double* x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

int poise__sweep_solve(Layout* layout, const double* target, int sweeps, bool bounded,
                       double* omega) {
    const bool drawn = bounded && layout->drawn;
    for (int d = 0; d < layout->dof_count; d++) {
        // from zero, or from the desired step of a reference without rows, which few sweeps would
        // change. To a reference with rows they converge by themselves
        const double desired = drawn && layout->pull[d] == 0.0 ? layout->desired[d] : 0.0;
        omega[d] = drawn ? poise_min(poise_max(desired, layout->lower[d]), layout->upper[d]) : 0.0;
    }
    for (int r = 0; r < layout->row_count; r++) {
        layout->residual[r] = target[r];
    }
    if (drawn) {
        const PoiseQp qp = poise__least_squares(layout, target);
        PoiseQpWork work = poise__layout_work(layout);
        (void)poise_qp_cost(&qp, &work, omega);
    }
    const double smallest_alpha = ALPHA_RELATIVE_ZERO * fill_alpha(layout);
    for (int d = 0; d < layout->dof_count; d++) {
        const bool idle = stays(layout, d, smallest_alpha, bounded);
        layout->start[d] = idle ? 0.0 : layout->alpha[d] + layout->damping[d];
    }
    const Sweep sweep = {layout, omega, layout->start, bounded, drawn};
    double enough = RESIDUAL_RELATIVE_ZERO * norm(target, layout->row_count);
    int done = 0;
    while (done < sweeps) {
        sweep_once(&sweep);
        done++;
        if (!drawn && norm(layout->residual, layout->row_count) <= enough) {
            break;
        }
    }
    for (int d = 0; bounded && d < layout->dof_count; d++) {
        layout->fixed[d] = omega[d] <= layout->lower[d] || omega[d] >= layout->upper[d];
    }
    return done;
}
