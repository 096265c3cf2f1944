// SPDX-License-Identifier: MIT
// Coupled joints in a solve: a follower moves in a fixed ratio to its leader. The follower's step
// range bounds the leader's column, and its step follows from the leader's.
#include "solve.h"

// Returns the number of lower..upper that is nearest to x.
static double nearest(double x, double lower, double upper) {
    return poise_min(poise_max(x, lower), upper);
}

// Bounds the leader's column by the step range of the follower.
static void bound_column(const PoiseTree* tree, const Tie* tie, const Column* column) {
    Metric* metric = &tree->solver->metric;
    const Node* node = &tree->nodes[tie->node];
    const double gap = poise__followed(tree, tie) - node->joint.q[0];
    const double unit = tie->ratio * column->scale;
    const double a = (node->step_lower - gap) / unit;
    const double b = (node->step_upper - gap) / unit;
    double* lower = &metric->lower[column->first_dof];
    double* upper = &metric->upper[column->first_dof];
    const double least = nearest(poise_min(a, b), *lower, *upper);
    *upper = nearest(poise_max(a, b), *lower, *upper);
    *lower = least;
}

void poise__ties_bound(PoiseTree* tree, double step) {
    Layout* layout = &tree->solver->layout;
    Metric* metric = &tree->solver->metric;
    for (int i = 0; step > 0.0 && i < tree->tie_count; i++) {
        const Tie* tie = &tree->ties[i];
        const int at = layout->column_of_node[tie->node];
        if (tie->node != tie->leader && at != NO_SLOT && tree->nodes[tie->node].has_step_range) {
            bound_column(tree, tie, &layout->columns[at]);
            metric->bounded = true;
        }
    }
}

void poise__ties_turn(PoiseTree* tree) {
    Layout* layout = &tree->solver->layout;
    for (int i = 0; i < tree->tie_count; i++) {
        const Tie* tie = &tree->ties[i];
        const int at = layout->column_of_node[tie->node];
        const Node* node = &tree->nodes[tie->node];
        if (at != NO_SLOT && poise__joint_moves(poise__joint_type(&node->joint)) == 0) {
            const double turn = tie->ratio * tree->nodes[tie->leader].omega[0];
            double* most = &layout->groups[layout->columns[at].group].largest2;
            *most = poise_max(*most, turn * turn);
        }
    }
}

void poise__ties_publish(PoiseTree* tree, size_t member) {
    for (int i = 0; i < tree->tie_count; i++) {
        const Tie* tie = &tree->ties[i];
        if (tie->node == tie->leader || !poise__group_is_enabled(tree, tie->node)) {
            continue;
        }
        const Node* leader = &tree->nodes[tie->leader];
        Node* node = &tree->nodes[tie->node];
        const double* in = (const double*)(const void*)((const char*)leader + member);
        double* out = (double*)(void*)((char*)node + member);
        out[0] = leader->has_omega ? tie->ratio * in[0] : 0.0;
        if (member == offsetof(Node, omega)) {
            out[0] += poise__followed(tree, tie) - node->joint.q[0];
            node->has_omega = true;
        }
    }
}
