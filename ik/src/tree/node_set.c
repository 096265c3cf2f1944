// SPDX-License-Identifier: MIT
// What a node is told: whether it moves, how readily, how far, and what it weighs.
#include "tree/tree.h"

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

// ------------------------------------------------------------------------------------- its limits

// the sets are others where the joint's columns are, or a point's reach, which has the joint's
// travel in it
static void limits_changed(PoiseTree* tree, const Joint* before, const Joint* now) {
    const PoiseJointType* type = poise__joint_type(now);
    const bool travels = !poise__joint_is_vector(type) && poise__joint_moves(type) > 0;
    if (travels || poise__joint_is_direct(now) != poise__joint_is_direct(before)) {
        poise__sets_changed(tree);
    } else {
        tree->revision++;
    }
}

// a range is two numbers, lower <= upper, of which either may be infinite on its own side
static PoiseStatus set_limits(PoiseTree* tree, PoiseNodeId id, const char* call,
                              const PoiseLimits* limits) {
    Node* node = poise__node(tree, id);
    const char* wrong =
        limits ? poise__limits_problem(poise__joint_type(&node->joint), limits) : "they are NULL";
    if (wrong) {
        int d = 0;
        while (limits && d < POISE_MAX_AXES - 1 &&
               poise__is_range(limits->lower[d], limits->upper[d])) {
            d++;
        }
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: limits of node %u, a %s, are %g to %g: %s", call,
                           (unsigned)id.index1, poise__kind_name(node),
                           limits ? limits->lower[d] : 0.0, limits ? limits->upper[d] : 0.0, wrong);
    }
    const Joint before = node->joint;
    poise__limits_set(&node->joint, limits);
    limits_changed(tree, &before, &node->joint);
    return POISE_OK;
}

// the node that is to take limits, of which `fits` says whether its type can; or why not
static PoiseStatus node_for_limits(PoiseTree* tree, PoiseNodeId id, const char* call,
                                   bool (*fits)(const PoiseJointType*)) {
    const Node* node = poise__node_or_fail(tree, id, call);
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!fits(poise__joint_type(&node->joint))) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "%s: node %u is a %s, which has no such "
                           "limits",
                           call, (unsigned)id.index1, poise__kind_name(node));
    }
    return POISE_OK;
}

static bool has_limits(const PoiseJointType* type) {
    return !poise__joint_is_vector(type) || poise__joint_can_have_cone(type);
}

static bool has_range(const PoiseJointType* type) {
    return !poise__joint_is_vector(type);
}

static bool has_two_ranges(const PoiseJointType* type) {
    return has_range(type) && type->nv > 1;
}

PoiseStatus poise_node_set_limits(PoiseTree* tree, PoiseNodeId id, const PoiseLimits* limits) {
    const char* call = "poise_node_set_limits";
    const PoiseStatus status = node_for_limits(tree, id, call, has_limits);
    return status == POISE_OK ? set_limits(tree, id, call, limits) : status;
}

PoiseLimits poise_node_limits(const PoiseTree* tree, PoiseNodeId id) {
    PoiseLimits limits;
    const Node* node = poise__node(tree, id);
    for (int d = 0; d < POISE_MAX_AXES; d++) {
        limits.lower[d] = node ? node->joint.lower[d] : -HUGE_VAL;
        limits.upper[d] = node ? node->joint.upper[d] : HUGE_VAL;
    }
    return limits;
}

static PoiseStatus set_range(PoiseTree* tree, PoiseNodeId id, int d, double lower, double upper) {
    const char* call = d == 0 ? "poise_node_set_range" : "poise_node_set_range2";
    const PoiseStatus status = node_for_limits(tree, id, call, d == 0 ? has_range : has_two_ranges);
    if (status != POISE_OK) {
        return status;
    }
    PoiseLimits limits = poise_node_limits(tree, id);
    limits.lower[d] = lower;
    limits.upper[d] = upper;
    return set_limits(tree, id, call, &limits);
}

PoiseStatus poise_node_set_range(PoiseTree* tree, PoiseNodeId id, double lower, double upper) {
    return set_range(tree, id, 0, lower, upper);
}

PoiseStatus poise_node_set_range2(PoiseTree* tree, PoiseNodeId id, double lower, double upper) {
    return set_range(tree, id, 1, lower, upper);
}

double poise_node_lower(const PoiseTree* tree, PoiseNodeId id) {
    return poise_node_limits(tree, id).lower[0];
}

double poise_node_upper(const PoiseTree* tree, PoiseNodeId id) {
    return poise_node_limits(tree, id).upper[0];
}

double poise_node_lower2(const PoiseTree* tree, PoiseNodeId id) {
    return poise_node_limits(tree, id).lower[1];
}

double poise_node_upper2(const PoiseTree* tree, PoiseNodeId id) {
    return poise_node_limits(tree, id).upper[1];
}

bool poise__is_cone(double swing_limit, double twist_lower, double twist_upper) {
    return swing_limit >= 0.0 && poise__is_range(twist_lower, twist_upper);
}

PoiseStatus poise_node_set_cone(PoiseTree* tree, PoiseNodeId id, double swing_limit,
                                double twist_lower, double twist_upper) {
    const char* call = "poise_node_set_cone";
    const PoiseStatus status = node_for_limits(tree, id, call, poise__joint_can_have_cone);
    const PoiseLimits limits = {{-swing_limit, -HUGE_VAL, twist_lower},
                                {swing_limit, HUGE_VAL, twist_upper}};
    return status == POISE_OK ? set_limits(tree, id, call, &limits) : status;
}

bool poise_node_cone(const PoiseTree* tree, PoiseNodeId id, double* swing_limit,
                     double* twist_lower, double* twist_upper) {
    const Node* node = poise__node(tree, id);
    const bool has = node && poise__joint_has_cone(&node->joint);
    if (swing_limit) {
        *swing_limit = has ? node->joint.upper[0] : HUGE_VAL;
    }
    if (twist_lower) {
        *twist_lower = has ? node->joint.lower[2] : -HUGE_VAL;
    }
    if (twist_upper) {
        *twist_upper = has ? node->joint.upper[2] : HUGE_VAL;
    }
    return has;
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
    node->max_speed = speed;
    tree->revision++;
    return POISE_OK;
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
    node->step_lower = lower;
    node->step_upper = upper;
    node->has_step_range = lower > -HUGE_VAL || upper < HUGE_VAL;
    return POISE_OK;
}
