// SPDX-License-Identifier: MIT
// What a node is told: whether it moves, how readily, how far, and what it weighs.
#include "internal.h"

PoiseStatus poise_node_set_enabled(PoiseTree* tree, PoiseNodeId id, bool enabled) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_enabled");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->enabled != enabled) {
        node->enabled = enabled;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}

bool poise_node_enabled(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->enabled;
}

PoiseStatus poise_node_set_bias(PoiseTree* tree, PoiseNodeId id, double bias) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_bias");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!(bias > 0.0) || !isfinite(bias)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_bias: bias of node %u is %g, it must be above 0",
                           (unsigned)id.index1, bias);
    }
    node->bias = bias;
    poise__bias_changed(tree, node);
    return POISE_OK;
}

PoiseStatus poise_node_set_free_axes(PoiseTree* tree, PoiseNodeId id, unsigned axes) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_free_axes");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->kind != POISE_NODE_TRANSLATION && node->kind != POISE_NODE_FREE) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_free_axes: node %u is a %s, axes are switched on "
                           "translation and free nodes",
                           (unsigned)id.index1, poise__kind_name(node->kind));
    }
    if ((axes & ~(unsigned)POISE_AXES_ALL) != 0) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_free_axes: 0x%x for node %u has bits that are none of "
                           "PoiseAxes",
                           axes, (unsigned)id.index1);
    }
    if (node->free_axes != axes) {
        node->free_axes = axes;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}

unsigned poise_node_free_axes(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->free_axes : 0;
}

// the node that is to take the range, or why it does not
static PoiseStatus node_for_range(PoiseTree* tree, PoiseNodeId id, double lower, double upper,
                                  Node** node) {
    const char* call = "poise_node_set_range";
    *node = poise__node_or_fail(tree, id, call);
    if (!*node) {
        return poise__no_handle(tree);
    }
    PoiseNodeKind kind = (*node)->kind;
    if (kind != POISE_NODE_HINGE && kind != POISE_NODE_SLIDER && kind != POISE_NODE_UNIVERSAL) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "%s: node %u is a %s, a range is for one angle", call,
                           (unsigned)id.index1, poise__kind_name(kind));
    }
    if (!poise__is_range(lower, upper)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: range of node %u is %g to %g, lower must be at most upper", call,
                           (unsigned)id.index1, lower, upper);
    }
    return POISE_OK;
}

PoiseStatus poise_node_set_range(PoiseTree* tree, PoiseNodeId id, double lower, double upper) {
    Node* node;
    PoiseStatus status = node_for_range(tree, id, lower, upper, &node);
    if (status == POISE_OK) {
        node->lower = lower;
        node->upper = upper;
        poise__range_changed(tree, node);
    }
    return status;
}

PoiseStatus poise_node_set_range2(PoiseTree* tree, PoiseNodeId id, double lower, double upper) {
    Node* node;
    PoiseStatus status = node_for_range(tree, id, lower, upper, &node);
    if (status == POISE_OK && node->kind != POISE_NODE_UNIVERSAL) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_range2: node %u is a %s, only a universal node has a "
                           "second angle",
                           (unsigned)id.index1, poise__kind_name(node->kind));
    }
    if (status == POISE_OK) {
        node->lower2 = lower;
        node->upper2 = upper;
        poise__range_changed(tree, node);
    }
    return status;
}

double poise_node_lower(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->lower : -HUGE_VAL;
}

double poise_node_upper(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->upper : HUGE_VAL;
}

double poise_node_lower2(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->lower2 : -HUGE_VAL;
}

double poise_node_upper2(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->upper2 : HUGE_VAL;
}

static bool has_com(const PoiseTree* tree) {
    for (int i = 0; i < tree->point_count; i++) {
        if (tree->points[tree->point_order[i]].kind == POISE_POINT_COM) {
            return true;
        }
    }
    return false;
}

PoiseStatus poise_node_set_mass(PoiseTree* tree, PoiseNodeId id, double mass, PoiseVec3 com_link) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_mass");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!(mass >= 0.0) || !isfinite(mass) || !poise_is_finite3(com_link)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_mass: mass of node %u is %g kg, it must be finite and "
                           "not negative, and its centre finite",
                           (unsigned)id.index1, mass);
    }
    // a part without mass has no block with a centre of mass
    if ((mass > 0.0) != (node->mass > 0.0) && has_com(tree)) {
        poise__sets_changed(tree);
    }
    node->mass = mass;
    node->com_link = com_link;
    return POISE_OK;
}

PoiseStatus poise_node_set_step_range(PoiseTree* tree, PoiseNodeId id, double lower, double upper) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_step_range");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->kind != POISE_NODE_HINGE && node->kind != POISE_NODE_SLIDER) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_step_range: node %u is a %s, no hinge or slider",
                           (unsigned)id.index1, poise__kind_name(node->kind));
    }
    if (!poise__is_range(lower, upper)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_step_range: %g to %g of node %u is no range", lower,
                           upper, (unsigned)id.index1);
    }
    const bool has = lower > -HUGE_VAL || upper < HUGE_VAL;
    node->step_lower = lower;
    node->step_upper = upper;
    if (has != node->has_step_range) {
        node->has_step_range = has;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}
