// SPDX-License-Identifier: MIT
// The postures of all nodes of a tree, kept aside and put back.
#include <string.h>

#include "statics.h"

void poise__postures_keep(const PoiseTree* tree, double* postures) {
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        double* to = &postures[i * POISE_MAX_POSTURE];
        const int count = poise_node_posture(tree, poise_tree_node(tree, i), to);
        memset(to + count, 0, (size_t)(POISE_MAX_POSTURE - count) * sizeof *to);
    }
}

void poise__postures_restore(RigState* state, PoiseTree* tree, const double* postures) {
    double was[POISE_MAX_POSTURE];
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        const int count = poise_node_posture(tree, node, was);
        poise__note(state,
                    poise_node_set_posture(tree, node, &postures[i * POISE_MAX_POSTURE], count));
    }
}
