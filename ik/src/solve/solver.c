// SPDX-License-Identifier: MIT
// Allocates a tree's solver data when first needed, and releases it with the tree. While a layout
// is rebuilt, the nodes keep their last steps.
#include <string.h>

#include "solve.h"

static void finish(PoiseTree* tree) {
    Solver* solver = tree->solver;
    poise_host_release(&tree->host, solver->layout.memory, solver->layout.size);
    if (solver->levels) {
        poise_host_release(&tree->host, solver->levels, solver->levels->size);
    }
    if (solver->rows) {
        poise_host_release(&tree->host, solver->rows, solver->rows->size);
    }
    poise_host_release(&tree->host, solver->stages.memory, solver->stages.size);
    if (solver->finish_reach) {
        solver->finish_reach(tree);
    }
    poise_host_release(&tree->host, solver, sizeof *solver);
    tree->solver = NULL;
}

bool poise__solver_make(PoiseTree* tree) {
    if (!tree->solver) {
        tree->solver = poise_host_allocate(&tree->host, sizeof *tree->solver);
        if (!tree->solver) {
            return false;
        }
        memset(tree->solver, 0, sizeof *tree->solver);
        tree->finish_solver = finish;
    }
    return true;
}

void poise__steps_keep(const PoiseTree* tree) {
    const Layout* layout = tree->solver ? &tree->solver->layout : NULL;
    for (int i = 0; layout && layout->valid && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        Node* node = &tree->nodes[column->node];
        if (!node->alive || node->sequence != column->sequence) {
            continue;
        }
        node->step_before_count = (uint8_t)column->dof;
        node->step_is_direct = column->direct;
        for (int d = 0; d < column->dof; d++) {
            node->step_before[d] =
                column->scale * tree->solver->answer.previous_omega[column->first_dof + d];
        }
    }
}

void poise__steps_forget(PoiseTree* tree) {
    if (tree->solver) {
        tree->solver->layout.valid = false;
    }
}

void poise__steps_take(PoiseTree* tree) {
    const Layout* layout = &tree->solver->layout;
    Answer* answer = &tree->solver->answer;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        const bool known =
            node->step_before_count == column->dof && node->step_is_direct == column->direct;
        for (int d = 0; d < column->dof; d++) {
            answer->previous_omega[column->first_dof + d] =
                known ? node->step_before[d] / column->scale : 0.0;
        }
    }
}
