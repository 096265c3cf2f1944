// SPDX-License-Identifier: MIT
// Setters of a node: enabled flag, bias, ranges and speed, mass.
#include "tree.h"

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
    node->scale = 1.0 / sqrt(bias);
    tree->revision++;
    return POISE_OK;
}

PoiseStatus poise_node_set_free_axes(PoiseTree* tree, PoiseNodeId id, unsigned axes) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_free_axes");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!poise__joint_has_switches(poise__joint_type(&node->joint))) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_free_axes: node %u is a %s, axes are switched on "
                           "translation and free nodes",
                           (unsigned)id.index1, poise__kind_name(node));
    }
    if ((axes & ~(unsigned)POISE_AXES_ALL) != 0) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_free_axes: 0x%x for node %u has bits that are none of "
                           "PoiseAxes",
                           axes, (unsigned)id.index1);
    }
    if (node->joint.free_axes != axes) {
        node->joint.free_axes = (uint8_t)axes;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}

unsigned poise_node_free_axes(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->joint.free_axes : 0;
}

// ------------------------------------------------------------------------------------ limits

// Increments the tree's revision after a change of a joint's limits. set_revision too, if the
// change affects the joint's columns or, by a prismatic range, the reach of points.
static void limits_changed(PoiseTree* tree, const Joint* before, const Joint* now) {
    const PoiseJointType* type = poise__joint_type(now);
    const bool travels = !poise__joint_is_vector(type) && poise__joint_moves(type) > 0;
    if (travels || poise__joint_is_direct(now) != poise__joint_is_direct(before)) {
        poise__sets_changed(tree);
    } else {
        tree->revision++;
    }
}

PoiseStatus poise_node_set_limits(PoiseTree* tree, PoiseNodeId id, PoiseLimits limits) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_limits");
    if (!node) {
        return poise__no_handle(tree);
    }
    const PoiseJointType* type = poise__joint_type(&node->joint);
    if (!poise__joint_can_have_limits(type)) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_limits: node %u is a %s, which has no limits",
                           (unsigned)id.index1, type->name);
    }
    const char* wrong = poise__limits_problem(type, &limits);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_limits: limits of node %u, a %s, are %g to %g, %g to %g "
                           "and %g to %g: %s",
                           (unsigned)id.index1, type->name, limits.lower[0], limits.upper[0],
                           limits.lower[1], limits.upper[1], limits.lower[2], limits.upper[2],
                           wrong);
    }
    const Joint before = node->joint;
    Tie* tie = poise__tie(tree, poise__node_slot(tree, node));
    if (tie && !poise__tie_set_range(tree, tie, limits.lower[0], limits.upper[0])) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_limits: %g to %g leave the nodes that move with node %u "
                           "no place",
                           limits.lower[0], limits.upper[0], (unsigned)id.index1);
    }
    if (!tie) {
        poise__limits_set(&node->joint, &limits);
    }
    limits_changed(tree, &before, &node->joint);
    return POISE_OK;
}

PoiseLimits poise_node_limits(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    PoiseLimits limits = poise_no_limits();
    for (int d = 0; node && d < POISE_MAX_AXES; d++) {
        limits.lower[d] = node->joint.lower[d];
        limits.upper[d] = node->joint.upper[d];
    }
    // the joint of a coupled node may have the limits of its group; the tie has the node's own
    const Tie* tie = node ? poise__tie(tree, poise__node_slot(tree, node)) : NULL;
    return tie ? poise_range(tie->lower, tie->upper) : limits;
}

PoiseStatus poise_node_set_max_speed(PoiseTree* tree, PoiseNodeId id, double speed) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_max_speed");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!(speed > 0.0)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_max_speed: %g of node %u must be above 0", speed,
                           (unsigned)id.index1);
    }
    Tie* tie = poise__tie(tree, poise__node_slot(tree, node));
    if (tie) {
        poise__tie_set_speed(tree, tie, speed);
    } else {
        node->max_speed = speed;
    }
    tree->revision++;
    return POISE_OK;
}

double poise_node_max_speed(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->max_speed : 0.0;
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
    // a node has a block of J for a centre of mass only if it carries mass
    if ((mass > 0.0) != (node->mass > 0.0) && has_com(tree)) {
        poise__sets_changed(tree);
    }
    node->mass = mass;
    node->com_link = com_link;
    return POISE_OK;
}

double poise_node_mass(const PoiseTree* tree, PoiseNodeId id, PoiseVec3* com_link) {
    const Node* node = poise__node(tree, id);
    if (node && com_link) {
        *com_link = node->com_link;
    }
    return node ? node->mass : 0.0;
}

PoiseStatus poise_node_set_step_range(PoiseTree* tree, PoiseNodeId id, double lower, double upper) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_step_range");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (poise__joint_type(&node->joint)->nv != 1) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_step_range: node %u is a %s, no hinge or slider",
                           (unsigned)id.index1, poise__kind_name(node));
    }
    if (!poise__is_range(lower, upper)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_step_range: %g to %g of node %u is no range", lower,
                           upper, (unsigned)id.index1);
    }
    poise_node_put_step_range(tree, id, lower, upper);
    return POISE_OK;
}

void poise_node_put_step_range(PoiseTree* tree, PoiseNodeId id, double lower, double upper) {
    Node* node = &tree->nodes[id.index1 - 1];
    node->step_lower = lower;
    node->step_upper = upper;
    node->has_step_range = lower > -HUGE_VAL || upper < HUGE_VAL;
}
