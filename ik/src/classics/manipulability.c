// SPDX-License-Identifier: MIT
// Computes manipulability sqrt(det(J J^T)), the distance from a singular posture. It is the product
// of the diagonal of R in J^T = Q R. Givens rotations build R by columns, without squares.
#include "layout.h"

static double product_of_diagonal(const Layout* layout, const Task* task, int index) {
    const Goal* goal = &layout->goals[index];
    double r[POISE_MAX_ROWS * POISE_MAX_ROWS] = {0.0};
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        for (int b = 0; b < column->block_count; b++) {
            const Block* block = &layout->blocks[column->first_block + b];
            const double* j = &task->jacobian[block->offset];
            for (int d = 0; block->goal == index && d < column->dof; d++, j += block->stride) {
                double x[POISE_MAX_ROWS];
                for (int k = 0; k < goal->rows; k++) {
                    x[k] = j[k] / (goal->scale * column->scale);
                }
                poise_triangle_add_row(r, x, goal->rows);
            }
        }
    }
    double product = 1.0;
    for (int k = 0; k < goal->rows; k++) {
        product *= r[k * goal->rows + k];
    }
    return fabs(product);
}

double poise_manipulability(PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point_or_fail(tree, id, "poise_manipulability");
    if (!point) {
        return 0.0;
    }
    if (poise_stage_jacobians(tree) != POISE_OK) {
        return 0.0;
    }
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    for (int g = 0; g < layout->goal_count; g++) {
        if (layout->goals[g].point == poise__point_slot(tree, point)) {
            return product_of_diagonal(layout, task, g);
        }
    }
    return 0.0;
}
