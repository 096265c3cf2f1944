// SPDX-License-Identifier: MIT
// Reads the intermediate results of a solve by node and block: J, alpha, beta, gamma.
#include <string.h>

#include "shared/node_numbers.h"
#include "solve.h"

static int read_result(const PoiseTree* tree, PoiseNodeId id, size_t member,
                       double out[POISE_MAX_DOF]) {
    const Node* node = poise__node(tree, id);
    if (!node) {
        return 0;
    }
    const double* in = (const double*)(const void*)((const char*)node + member);
    const int dof = poise__joint_type(&node->joint)->nv;
    if (out) {
        out[0] = in[0]; // hinges and sliders, the most frequent joints, have one number only
    }
    for (int d = 1; out && d < dof; d++) {
        out[d] = in[d];
    }
    return dof;
}

int poise_node_omega(const PoiseTree* tree, PoiseNodeId id, double omega[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(Node, omega), omega);
}

int poise_node_velocity(const PoiseTree* tree, PoiseNodeId id, double velocity[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(Node, velocity), velocity);
}

int poise_node_force_torque(const PoiseTree* tree, PoiseNodeId id, double torque[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(Node, force_torque), torque);
}

int poise_node_gravity_torque(const PoiseTree* tree, PoiseNodeId id, double torque[POISE_MAX_DOF]) {
    return read_result(tree, id, offsetof(Node, gravity_torque), torque);
}

PoiseNumbers poise_tree_numbers(const PoiseTree* tree) {
    if (!tree || tree->node_slots == 0) {
        return (PoiseNumbers){NULL, NULL, NULL, NULL, NULL, 0};
    }
    _Static_assert(sizeof(Node) % sizeof(double) == 0, "nodes are a stride of numbers apart");
    const Node* first = tree->nodes;
    return (PoiseNumbers){
        first->joint.q,       first->velocity,
        first->omega,         tree->state.has_gravity_torques ? first->gravity_torque : NULL,
        &first->subtree_mass, sizeof(Node) / sizeof(double)};
}

static PoisePiece piece(const void* from, size_t size, int count, size_t stride) {
    return from && size > 0 && count > 0 ? (PoisePiece){from, size, count, stride}
                                         : (PoisePiece){NULL, 0, 0, 0};
}

PoisePiece poise_tree_piece(const PoiseTree* tree, int k) {
    const Solver* solver = tree ? tree->solver : NULL;
    switch (tree ? k : POISE_TREE_PIECES) {
    case 0:
        return piece(tree, offsetof(PoiseTree, message), 1, 0);
    case 1:
        return piece(solver, sizeof *solver, 1, 0);
    case 2:
        return piece(tree->points, offsetof(Point, sequence), tree->point_slots, sizeof(Point));
    case 3:
        return piece(tree->node_slots > 0 ? tree->nodes->omega : NULL,
                     offsetof(Node, joint.axes[1]) - offsetof(Node, omega), tree->node_slots,
                     sizeof(Node));
    case 4: // the arrays of the layout that most solves read
        return piece(
            solver ? solver->layout.memory : NULL,
            solver ? (size_t)((char*)solver->layout.column_of_node - (char*)solver->layout.memory)
                   : 0,
            1, 0);
    case 5:
        return piece(tree->order, (size_t)tree->node_count * sizeof *tree->order, 1, 0);
    case 6: // the base frame of a root node
        return piece(tree->node_slots > 0 ? &tree->nodes->base : NULL, sizeof(PoisePose), 1, 0);
    case 7:
        return piece(tree->lists, (size_t)tree->list_count * sizeof *tree->lists, 1, 0);
    default:
        return piece(NULL, 0, 0, 0);
    }
}

// Returns the layout's column of a node, NULL if the node has none.
static const Column* column_of(const Layout* layout, const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    const int at = node && layout ? layout->column_of_node[poise__node_slot(tree, node)] : NO_SLOT;
    // a follower uses its leader's column
    return at == NO_SLOT || layout->columns[at].node != poise__node_slot(tree, node)
               ? NULL
               : &layout->columns[at];
}

int poise_node_dof(PoiseTree* tree, PoiseNodeId id) {
    if (!poise__node(tree, id) || poise__layout_refresh(tree) != POISE_OK) {
        return 0;
    }
    const Column* column = column_of(poise__layout_now(tree), tree, id);
    return column ? column->dof : 0;
}

static const Block* block_of(const Layout* layout, const Column* column, int point) {
    for (int b = 0; b < column->block_count; b++) {
        const Block* block = &layout->blocks[column->first_block + b];
        if (layout->goals[block->goal].point == point) {
            return block;
        }
    }
    return NULL;
}

int poise_jacobian(const PoiseTree* tree, PoisePointId point_id, PoiseNodeId node_id,
                   double out[POISE_MAX_ROWS * POISE_MAX_DOF]) {
    const Layout* layout = poise__layout_now(tree);
    const Point* point = poise__point(tree, point_id);
    const bool filled = point && layout && tree->solver->task.filled;
    const Column* column = filled ? column_of(layout, tree, node_id) : NULL;
    const Block* block = column ? block_of(layout, column, poise__point_slot(tree, point)) : NULL;
    if (!block) {
        return 0;
    }
    const Goal* goal = &layout->goals[block->goal];
    const double unscale = 1.0 / (goal->scale * column->scale);
    for (int k = 0; out && k < goal->rows; k++) {
        for (int d = 0; d < column->dof; d++) {
            out[k * column->dof + d] =
                unscale * tree->solver->task.jacobian[block->offset + d * block->stride + k];
        }
    }
    return goal->rows * column->dof;
}

// Returns the paper's stages if they belong to the present sets, else NULL.
static const Stages* stages_now(const PoiseTree* tree) {
    return poise__layout_now(tree) && tree->solver->stages.valid ? &tree->solver->stages : NULL;
}

static int read_by_dof(const PoiseTree* tree, PoiseNodeId id, bool alpha,
                       double out[POISE_MAX_DOF]) {
    const Stages* stages = stages_now(tree);
    const Column* column = stages ? column_of(poise__layout_now(tree), tree, id) : NULL;
    if (!column) {
        return 0;
    }
    const double* by_dof = alpha ? stages->alpha : stages->beta;
    for (int d = 0; out && d < column->dof; d++) {
        out[d] = by_dof[column->first_dof + d];
    }
    return column->dof;
}

int poise_block_alpha(const PoiseTree* tree, PoiseNodeId id, double alpha[POISE_MAX_DOF]) {
    return read_by_dof(tree, id, true, alpha);
}

int poise_block_beta(const PoiseTree* tree, PoiseNodeId id, double beta[POISE_MAX_DOF]) {
    return read_by_dof(tree, id, false, beta);
}

int poise_block_gamma(const PoiseTree* tree, PoiseNodeId a_id, PoiseNodeId b_id,
                      double gamma[POISE_MAX_DOF * POISE_MAX_DOF]) {
    const Layout* layout = poise__layout_now(tree);
    const Stages* stages = stages_now(tree);
    const Column* a = stages ? column_of(layout, tree, a_id) : NULL;
    const Column* b = a ? column_of(layout, tree, b_id) : NULL;
    if (!b) {
        return 0;
    }
    int row = (int)(a - layout->columns);
    int wanted = (int)(b - layout->columns);
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
