// SPDX-License-Identifier: MIT
// What a layout keeps when it is made again: the steps before, which the damping compares with.
#include "internal.h"

void poise__steps_save(const PoiseTree* tree, NodeResult* results) {
    const Layout* layout = &tree->layout;
    if (!layout->valid) {
        return;
    }
    for (int i = 0; i < tree->node_count; i++) {
        results[tree->order[i]].before_dof = 0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        NodeResult* result = &results[column->node];
        if (!node->alive || node->sequence != column->sequence) {
            continue;
        }
        result->before_dof = column->dof;
        result->before_direct = column->direct;
        for (int d = 0; d < column->dof; d++) {
            result->before[d] = column->scale * layout->previous_omega[column->first_dof + d];
        }
    }
}

void poise__layout_outdate(PoiseTree* tree) {
    poise__steps_save(tree, tree->results);
    tree->layout.valid = false;
}

void poise__steps_load(PoiseTree* tree) {
    Layout* layout = &tree->layout;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const NodeResult* result = &tree->results[column->node];
        for (int d = 0; d < column->dof; d++) {
            const bool known =
                result->before_dof == column->dof && result->before_direct == column->direct;
            layout->previous_omega[column->first_dof + d] =
                known ? result->before[d] / column->scale : 0.0;
        }
    }
}
