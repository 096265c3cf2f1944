// SPDX-License-Identifier: MIT
// Looking inside: what the stages left, node by node and block by block.
#include <string.h>

#include "internal.h"

static int read_result(const PoiseTree* tree, PoiseNodeId id, size_t member,
                       double out[POISE_MAX_DOF]) {
    const Node* node = poise__node(tree, id);
    if (!node) {
        return 0;
    }
    const NodeResult* result = &tree->results[poise__node_slot(tree, node)];
    const double* in = (const double*)(const void*)((const char*)result + member);
    const int dof = poise__joint_type(&node->joint)->nv;
    for (int d = 0; out && d < dof; d++) {
        out[d] = in[d];
    }
    return dof;
}

int poise_node_omega(const PoiseTree* tree, PoiseNodeId id, double omega[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(NodeResult, omega), omega);
}

int poise_node_velocity(const PoiseTree* tree, PoiseNodeId id, double velocity[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(NodeResult, velocity), velocity);
}

int poise_node_force_torque(const PoiseTree* tree, PoiseNodeId id, double torque[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(NodeResult, force_torque), torque);
}

int poise_node_gravity_torque(const PoiseTree* tree, PoiseNodeId id, double torque[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(NodeResult, gravity_torque), torque);
}

// the layout's column of a node, NULL while it has none
static const Column* column_of(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    if (!node || !tree->layout.valid) {
        return NULL;
    }
    int at = tree->layout.column_of_node[poise__node_slot(tree, node)];
    return at == NO_SLOT ? NULL : &tree->layout.columns[at];
}

int poise_node_dof(PoiseTree* tree, PoiseNodeId id) {
    if (!poise__node(tree, id) || poise__layout_refresh(tree) != POISE_OK) {
        return 0;
    }
    const Column* column = column_of(tree, id);
    return column ? column->dof : 0;
}

static const Block* block_of(const PoiseTree* tree, const Column* column, int point) {
    for (int b = 0; b < column->block_count; b++) {
        const Block* block = &tree->layout.blocks[column->first_block + b];
        if (tree->layout.goals[block->goal].point == point) {
            return block;
        }
    }
    return NULL;
}

int poise_jacobian(const PoiseTree* tree, PoisePointId point_id, PoiseNodeId node_id,
                   double out[POISE_MAX_ROWS * POISE_MAX_DOF]) {
    const Point* point = poise__point(tree, point_id);
    const Column* column = point && tree->layout.filled ? column_of(tree, node_id) : NULL;
    const Block* block = column ? block_of(tree, column, poise__point_slot(tree, point)) : NULL;
    if (!block) {
        return 0;
    }
    const Goal* goal = &tree->layout.goals[block->goal];
    const double unscale = 1.0 / (goal->scale * column->scale);
    for (int k = 0; out && k < goal->rows; k++) {
        for (int d = 0; d < column->dof; d++) {
            out[k * column->dof + d] =
                unscale * tree->layout.jacobian[block->offset + d * goal->rows + k];
        }
    }
    return goal->rows * column->dof;
}

static int read_by_dof(const PoiseTree* tree, PoiseNodeId id, const double* by_dof,
                       double out[POISE_MAX_DOF]) {
    const Column* column = tree && tree->stages.valid ? column_of(tree, id) : NULL;
    if (!column) {
        return 0;
    }
    for (int d = 0; out && d < column->dof; d++) {
        out[d] = by_dof[column->first_dof + d];
    }
    return column->dof;
}

int poise_block_alpha(const PoiseTree* tree, PoiseNodeId id, double alpha[POISE_MAX_DOF]) {
    return read_by_dof(tree, id, tree ? tree->stages.alpha : NULL, alpha);
}

int poise_block_beta(const PoiseTree* tree, PoiseNodeId id, double beta[POISE_MAX_DOF]) {
    return read_by_dof(tree, id, tree ? tree->stages.beta : NULL, beta);
}

int poise_block_gamma(const PoiseTree* tree, PoiseNodeId a_id, PoiseNodeId b_id,
                      double gamma[POISE_MAX_DOF * POISE_MAX_DOF]) {
    const Column* a = tree && tree->stages.valid ? column_of(tree, a_id) : NULL;
    const Column* b = a ? column_of(tree, b_id) : NULL;
    if (!b) {
        return 0;
    }
    const Stages* stages = &tree->stages;
    int row = (int)(a - tree->layout.columns);
    int wanted = (int)(b - tree->layout.columns);
    for (int n = stages->row_start[row]; n < stages->row_start[row + 1]; n++) {
        if (stages->neighbours[n] == wanted) {
            int size = a->dof * b->dof;
            for (int i = 0; gamma && i < size; i++) {
                gamma[i] = stages->gamma[stages->gamma_start[n] + (size_t)i];
            }
            return size;
        }
    }
    return 0;
}
