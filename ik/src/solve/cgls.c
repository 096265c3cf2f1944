// SPDX-License-Identifier: MIT
// The damped least-squares step without a matrix: conjugate gradients on (J^T J + Lambda) omega =
// J^T v + Lambda c over the free dofs, by products with J and J^T alone, in the metric in which the
// damping is the same for all. For more rows than a factor is kept for (dual.c); and those two
// products, for whoever needs them.
#include "internal.h"

// |J^T r - lambda omega| below this part of what it began with is zero
#define GRADIENT_RELATIVE_ZERO 1e-13

void poise__jacobian_times(const Layout* layout, const double* x, double* rows) {
    for (int r = 0; r < layout->row_count; r++) {
        rows[r] = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int b = 0; b < column->block_count; b++) {
            const Block* block = &layout->blocks[column->first_block + b];
            const Goal* goal = &layout->goals[block->goal];
            const double* j = &layout->jacobian[block->offset];
            double* out = &rows[goal->first_row];
            for (int d = 0; d < column->dof; d++, j += goal->rows) {
                poise__rows_add(out, x[column->first_dof + d], j, goal->rows);
            }
        }
    }
}

void poise__jacobian_transpose_times(const Layout* layout, const double* rows, double* x) {
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int d = 0; d < column->dof; d++) {
            double sum = 0.0;
            for (int b = 0; b < column->block_count; b++) {
                const Block* block = &layout->blocks[column->first_block + b];
                const Goal* goal = &layout->goals[block->goal];
                const double* j = &layout->jacobian[block->offset + d * goal->rows];
                sum = poise__rows_dot(sum, j, &rows[goal->first_row], goal->rows);
            }
            x[column->first_dof + d] = sum;
        }
    }
}

double poise__cost(Layout* layout, const double* target, const double* centre,
                   const double* omega) {
    double cost = 0.0;
    poise__jacobian_times(layout, omega, layout->residual);
    for (int r = 0; r < layout->row_count; r++) {
        layout->residual[r] = target[r] - layout->residual[r];
        cost += layout->residual[r] * layout->residual[r];
    }
    for (int d = 0; d < layout->dof_count; d++) {
        const double off = omega[d] - (centre ? centre[d] : 0.0);
        cost += layout->damping[d] * off * off;
    }
    return cost;
}

// gradient = W (J^T r - Lambda (omega - c)) on the free dofs, 0 on the others; returns its square
// in that metric
static double fill_gradient(Layout* layout, const double* centre, const double* omega) {
    double square = 0.0;
    poise__jacobian_transpose_times(layout, layout->residual, layout->gradient);
    for (int d = 0; d < layout->dof_count; d++) {
        const double off = omega[d] - (centre ? centre[d] : 0.0);
        const double slope = layout->gradient[d] - layout->damping[d] * off;
        const double share = layout->weighted ? layout->share[d] : 1.0;
        layout->gradient[d] = layout->fixed[d] ? 0.0 : share * slope;
        square += layout->gradient[d] * slope;
    }
    return square;
}

// omega and residual to the least cost along the direction
static void step_along(Layout* layout, double square, double* omega) {
    const double* p = layout->direction;
    poise__jacobian_times(layout, p, layout->work);
    double curvature = 0.0;
    for (int r = 0; r < layout->row_count; r++) {
        curvature += layout->work[r] * layout->work[r];
    }
    for (int d = 0; d < layout->dof_count; d++) {
        curvature += layout->damping[d] * p[d] * p[d];
    }
    // a direction that costs nothing and changes nothing: none is left
    const double length = curvature > 0.0 ? square / curvature : 0.0;
    for (int d = 0; d < layout->dof_count; d++) {
        omega[d] += length * p[d];
    }
    for (int r = 0; r < layout->row_count; r++) {
        layout->residual[r] -= length * layout->work[r];
    }
}

int poise__cgls_solve(Layout* layout, const double* target, const double* centre, double* omega) {
    const int most = layout->row_count + POISE_SPARE_ITERATIONS;
    (void)poise__cost(layout, target, centre, omega);
    double square = fill_gradient(layout, centre, omega);
    const double enough = GRADIENT_RELATIVE_ZERO * GRADIENT_RELATIVE_ZERO * square;
    for (int d = 0; d < layout->dof_count; d++) {
        layout->direction[d] = layout->gradient[d];
    }
    int iterations = 0;
    while (iterations < most && square > enough) {
        step_along(layout, square, omega);
        const double before = square;
        square = fill_gradient(layout, centre, omega);
        for (int d = 0; d < layout->dof_count; d++) {
            layout->direction[d] = layout->gradient[d] + square / before * layout->direction[d];
        }
        iterations++;
    }
    return iterations;
}
