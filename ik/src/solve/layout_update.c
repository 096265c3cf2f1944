// SPDX-License-Identifier: MIT
// What a layout keeps when it is made again, the steps before, which the damping compares with; and
// what of it changes in place: weights, biases, ranges.
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

// J is kept with the weights and biases in it
static void scales_changed(PoiseTree* tree) {
    tree->layout.filled = false;
    tree->layout.solved = false;
    tree->stages.valid = false;
    tree->revision++;
}

void poise__weight_changed(PoiseTree* tree, const Point* point, double before) {
    Layout* layout = &tree->layout;
    if ((point->weight > 0.0) != (before > 0.0)) {
        // it has rows now, or none any more
        poise__sets_changed(tree);
        return;
    }
    for (int g = 0; layout->valid && g < layout->goal_count; g++) {
        Goal* goal = &layout->goals[g];
        if (goal->point == poise__point_slot(tree, point)) {
            goal->scale = sqrt(point->weight);
        }
    }
    scales_changed(tree);
}

static Column* column_of(PoiseTree* tree, const Node* node) {
    Layout* layout = &tree->layout;
    const int at = layout->valid ? layout->column_of_node[poise__node_slot(tree, node)] : NO_SLOT;
    return at == NO_SLOT ? NULL : &layout->columns[at];
}

void poise__bias_changed(PoiseTree* tree, const Node* node) {
    Column* column = column_of(tree, node);
    if (column) {
        const double scale = 1.0 / sqrt(node->bias);
        for (int d = 0; d < column->dof; d++) {
            tree->layout.previous_omega[column->first_dof + d] *= column->scale / scale;
        }
        column->scale = scale;
    }
    scales_changed(tree);
}

void poise__range_changed(PoiseTree* tree, const Node* node) {
    Layout* layout = &tree->layout;
    Column* column = column_of(tree, node);
    const bool other_axes = column && column->direct != poise__node_is_direct(node);
    // a point's reach has a slider's range in it
    if (node->kind == POISE_NODE_SLIDER || other_axes) {
        poise__sets_changed(tree);
        return;
    }
    tree->revision++;
    if (!column) {
        return;
    }
    column->bounded = poise__node_has_range(node) || node->has_step_range;
    layout->bounded = false;
    for (int i = 0; i < layout->column_count; i++) {
        layout->bounded = layout->bounded || layout->columns[i].bounded;
    }
    // where nothing is bounded nothing clears what was held
    for (int d = 0; d < layout->dof_count; d++) {
        layout->fixed[d] = 0;
    }
}
