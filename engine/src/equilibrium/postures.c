// SPDX-License-Identifier: MIT
// The postures of all nodes of a tree, kept aside and put back.
#include "equilibrium.h"

void poise__postures_keep(const PoiseTree* tree, double* postures) {
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        (void)poise_node_posture(tree, poise_tree_node(tree, i), &postures[i * POISE_MAX_POSTURE]);
    }
}

bool poise__postures_restore(PoiseTree* tree, const double* postures) {
    bool fine = true;
    double was[POISE_MAX_POSTURE];
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        const int count = poise_node_posture(tree, node, was);
        fine = fine &&
               poise_node_set_posture(tree, node, &postures[i * POISE_MAX_POSTURE], count) >= 0;
    }
    return fine;
}
