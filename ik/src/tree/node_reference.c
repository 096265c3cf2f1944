// SPDX-License-Identifier: MIT
// Sets the reference posture of a node, which solve/reference.c follows.
#include <string.h>

#include "tree.h"

static void give_reference(PoiseTree* tree, Node* node, bool given) {
    if (node->has_reference != given && tree->ball_axes == POISE_BALL_REDUCED) {
        // The layout changes, because a ball with a reference has three axes.
        poise__sets_changed(tree);
    }
    node->has_reference = given;
    tree->state.has_references = tree->state.has_references || given;
}

// True if the bits are equal. A single number (hinge, slider) needs no call of memcmp.
static inline bool is_same(const double* a, const double* b, int count) {
    return count == 1 ? memcmp(a, b, sizeof *a) == 0 : memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

PoiseStatus poise_node_set_reference(PoiseTree* tree, PoiseNodeId id, const double* posture,
                                     int count) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_reference");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!posture && count == 0) {
        give_reference(tree, node, false);
        return POISE_OK;
    }
    const PoiseJointType* type = poise__joint_type(&node->joint);
    const char* wrong = poise__coordinates_problem(type, posture, count);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_reference: node %u, a %s: %s", (unsigned)id.index1,
                           poise__kind_name(node), wrong);
    }
    poise_node_put_reference(tree, id, posture);
    return POISE_OK;
}

void poise_node_put_reference(PoiseTree* tree, PoiseNodeId id, const double* posture) {
    Node* node = &tree->nodes[id.index1 - 1];
    const PoiseJointType* type = poise__joint_type(&node->joint);
    if (!node->has_reference || !is_same(node->reference, posture, type->nq)) {
        poise__coordinates_set(type, node->reference, posture);
        give_reference(tree, node, true);
    }
}

PoiseStatus poise_node_set_reference_weight(PoiseTree* tree, PoiseNodeId id, double weight) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_reference_weight");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!(weight >= 0.0) || !isfinite(weight)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_reference_weight: weight of node %u is %g, it must be "
                           "finite and not negative (0: no rows)",
                           (unsigned)id.index1, weight);
    }
    node->reference_weight = weight;
    return POISE_OK;
}

double poise_node_reference_weight(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->reference_weight : 0.0;
}
