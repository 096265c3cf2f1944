// SPDX-License-Identifier: MIT
// Creates and destroys nodes, and reads their constants.
#include <string.h>

#include "tree.h"

// least sine of the angle between two consecutive axes of rotation
#define SMALLEST_SINE 1e-6

// True if the axes are not parallel: a joint about parallel axes has one degree of freedom less.
static bool are_apart(PoiseVec3 axis, PoiseVec3 axis2) {
    PoiseVec3 a = poise__normalize(axis);
    return poise_length(poise_cross(a, poise__normalize(axis2))) > SMALLEST_SINE;
}

// Returns the error in the axes, in words, or NULL.
static const char* check_axes(const PoiseNodeDef* def) {
    if (!poise__is_direction(def->axis)) {
        return "axis must be finite and not 0";
    }
    if (!poise__is_direction(def->axis2) || !poise__is_direction(def->axis3)) {
        return "axis2 and axis3 must be finite and not 0";
    }
    const PoiseJointType* type = poise_joint_type(def->kind);
    PoiseVec3 axes[POISE_MAX_AXES];
    poise__def_axes(def, axes);
    for (int m = 1; m < type->motion_count; m++) {
        const bool turns =
            type->motions[m - 1] == POISE_REVOLUTE && type->motions[m] == POISE_REVOLUTE;
        if (turns && !are_apart(axes[m - 1], axes[m])) {
            return "the axes of two turns must not be parallel; make one turn of them";
        }
    }
    return NULL;
}

// Returns the error in the def's posture and limits, in words, or NULL.
static const char* check_numbers(const PoiseNodeDef* def) {
    if (!isfinite(def->angle) || !poise__is_rotation(def->rotation)) {
        return "angle and rotation must be finite, the rotation not 0";
    }
    if (!isfinite(def->angle2) || !isfinite(def->angle3) || !poise_is_finite3(def->translation)) {
        return "angle2, angle3 and translation must be finite";
    }
    if (!poise__is_range(def->lower, def->upper)) {
        return "lower must be at most upper";
    }
    if (!poise__is_range(def->lower2, def->upper2)) {
        return "lower2 must be at most upper2";
    }
    if (!poise__is_range(def->lower3, def->upper3)) {
        return "lower3 must be at most upper3";
    }
    if (!(def->swing_limit >= 0.0) || !poise__is_range(def->twist_lower, def->twist_upper)) {
        return "swing_limit must not be negative, and twist_lower at most twist_upper";
    }
    return NULL;
}

// Returns the error in the def, in words, or NULL.
static const char* check_node_def(const PoiseNodeDef* def) {
    if (def->cookie != COOKIE_NODE || !poise_joint_type(def->kind)) {
        return "the def was not made by a poise_default_*_def function";
    }
    if (!poise__is_frame(def->joint_in_parent) || !poise__is_frame(def->link_in_joint)) {
        return "joint_in_parent and link_in_joint must be finite, their rotations not 0";
    }
    const char* wrong = check_axes(def);
    wrong = wrong ? wrong : check_numbers(def);
    if (wrong) {
        return wrong;
    }
    if (!(def->bias > 0.0) || !isfinite(def->bias)) {
        return "bias must be finite and above 0";
    }
    if (!(def->mass >= 0.0) || !isfinite(def->mass) || !poise_is_finite3(def->com_link)) {
        return "mass must be finite and not negative, com_link finite";
    }
    if ((def->free_axes & ~(unsigned)POISE_AXES_ALL) != 0) {
        return "free_axes must be bits of PoiseAxes";
    }
    if (!(def->max_speed > 0.0)) {
        return "max_speed must be above 0 (infinity: off)";
    }
    return NULL;
}

// Returns a free slot, or a new one; NO_SLOT without memory.
static int find_slot(PoiseTree* tree) {
    if (tree->node_count < tree->node_slots) {
        // a slot with the last generation stays unused: an old handle could fit a new node
        for (int slot = 0; slot < tree->node_slots; slot++) {
            if (!tree->nodes[slot].alive && tree->nodes[slot].generation < UINT16_MAX) {
                return slot;
            }
        }
    }
    return poise__tree_reserve_nodes(tree, tree->node_slots + 1) ? tree->node_slots++ : NO_SLOT;
}

// True if q is the identity. Tests x, y and z, because w rounds to 1 below 1e-8 rad.
static bool turns_nothing(PoiseQuat q) {
    return q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && q.w > 0.0;
}

// Returns the limits of a def, one range for each velocity of the joint.
static PoiseLimits limits_of(const PoiseNodeDef* def, const PoiseJointType* type) {
    if (poise__joint_can_have_cone(type)) {
        return (PoiseLimits){{-def->swing_limit, -HUGE_VAL, def->twist_lower},
                             {def->swing_limit, HUGE_VAL, def->twist_upper}};
    }
    return (PoiseLimits){{def->lower, def->lower2, def->lower3},
                         {def->upper, def->upper2, def->upper3}};
}

// Writes the initial posture of a def as coordinates of the joint.
static void posture_of(const PoiseNodeDef* def, const PoiseJointType* type, double* q) {
    const double own[3] = {def->angle, def->angle2, def->angle3};
    const PoiseVec3 p = def->translation;
    const PoiseQuat r = def->rotation;
    const double vectors[7] = {p.x, p.y, p.z, r.w, r.x, r.y, r.z};
    const double* from = type->linear == 7 ? vectors : &vectors[3];
    poise__coordinates_set(type, q, poise__joint_is_vector(type) ? from : own);
}

static void fill_joint(Joint* joint, const PoiseNodeDef* def) {
    const PoiseJointType* type = poise_joint_type(def->kind);
    joint->kind = (uint8_t)def->kind;
    joint->free_axes = (uint8_t)def->free_axes;
    joint->joint_in_parent = def->joint_in_parent;
    joint->joint_in_parent.q = poise_quat_normalize(def->joint_in_parent.q);
    joint->parallel = turns_nothing(joint->joint_in_parent.q);
    joint->link_in_joint = def->link_in_joint;
    joint->link_in_joint.q = poise_quat_normalize(def->link_in_joint.q);
    joint->plain_link = turns_nothing(joint->link_in_joint.q) && joint->link_in_joint.p.x == 0.0 &&
                        joint->link_in_joint.p.y == 0.0 && joint->link_in_joint.p.z == 0.0;
    poise__def_axes(def, joint->axes);
    for (int m = 0; m < POISE_MAX_AXES; m++) {
        joint->axes[m] = poise__normalize(joint->axes[m]);
    }
    const PoiseLimits limits = limits_of(def, type);
    poise__limits_set(joint, &limits);
    posture_of(def, type, joint->q);
    joint->joint_world = poise_pose_identity();
    joint->link_world = poise_pose_identity();
}

static void fill_node(Node* node, const PoiseNodeDef* def) {
    const uint16_t generation = node->generation;
    memset(node, 0, sizeof *node);
    node->generation = generation;
    fill_joint(&node->joint, def);
    node->alive = true;
    node->enabled = true;
    node->max_speed = def->max_speed;
    node->scale = 1.0 / sqrt(def->bias);
    node->mass = def->mass;
    node->com_link = def->com_link;
    node->base = poise_pose_identity();
}

PoiseNodeId poise_node_create(PoiseTree* tree, const PoiseNodeDef* def) {
    if (!tree) {
        return poise_null_node();
    }
    const char* wrong = def ? check_node_def(def) : "the def is NULL";
    if (wrong) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_node_create: %s", wrong);
        return poise_null_node();
    }
    int parent = NO_SLOT;
    if (def->parent.index1 != 0 || def->parent.tree != 0) {
        Node* node = poise__node_or_fail(tree, def->parent, "poise_node_create: parent");
        if (!node) {
            return poise_null_node();
        }
        parent = poise__node_slot(tree, node);
    }
    int slot = find_slot(tree);
    if (slot == NO_SLOT) {
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_node_create: no memory for node %d",
                    tree->node_count + 1);
        return poise_null_node();
    }
    Node* node = &tree->nodes[slot];
    fill_node(node, def);
    node->parent = parent;
    node->sequence = ++tree->state.next_sequence;
    tree->order[tree->node_count++] = slot;
    poise__sets_changed(tree);
    poise__make_stale(tree);
    return poise__node_id(tree, slot);
}

static void destroy_points_on(PoiseTree* tree, int root) {
    for (int i = tree->point_count - 1; i >= 0; i--) {
        int slot = tree->point_order[i];
        const Point* point = &tree->points[slot];
        if (poise__carries(tree, root, point->link) || poise__carries(tree, root, point->frame)) {
            poise__point_remove(tree, slot);
        }
    }
}

PoiseStatus poise_node_destroy(PoiseTree* tree, PoiseNodeId id) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (id.index1 == 0 && id.tree == 0) {
        return POISE_OK;
    }
    Node* node = poise__node_or_fail(tree, id, "poise_node_destroy");
    if (!node) {
        return poise__no_handle(tree);
    }
    int root = poise__node_slot(tree, node);
    destroy_points_on(tree, root);
    poise__sets_forget(tree, root);
    // children first, because poise__carries reads the parents of a node
    for (int i = tree->node_count - 1; i >= 0; i--) {
        int slot = tree->order[i];
        if (poise__carries(tree, root, slot)) {
            tree->nodes[slot].alive = false;
            poise__retire(&tree->nodes[slot].generation);
            tree->node_count--;
            memmove(&tree->order[i], &tree->order[i + 1],
                    (size_t)(tree->node_count - i) * sizeof *tree->order);
        }
    }
    poise__ties_forget(tree);
    poise__sets_changed(tree);
    poise__make_stale(tree);
    return POISE_OK;
}

bool poise_node_is_valid(const PoiseTree* tree, PoiseNodeId id) {
    return poise__node(tree, id) != NULL;
}

PoiseNodeKind poise_node_kind(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? (PoiseNodeKind)node->joint.kind : (PoiseNodeKind)0;
}

PoiseNodeId poise_node_parent(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->parent != NO_SLOT ? poise__node_id(tree, node->parent) : poise_null_node();
}

PoisePose poise_node_joint_in_parent(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->joint.joint_in_parent : poise_pose_identity();
}

PoisePose poise_node_link_in_joint(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? node->joint.link_in_joint : poise_pose_identity();
}

static PoiseVec3 axis_of(const PoiseTree* tree, PoiseNodeId id, int motion) {
    const Node* node = poise__node(tree, id);
    const bool has = node && motion < poise__joint_type(&node->joint)->motion_count;
    return has ? node->joint.axes[motion] : poise_vec3(0.0, 0.0, 0.0);
}

PoiseVec3 poise_node_axis(const PoiseTree* tree, PoiseNodeId id) {
    return axis_of(tree, id, 0);
}

PoiseVec3 poise_node_axis2(const PoiseTree* tree, PoiseNodeId id) {
    return axis_of(tree, id, 1);
}

PoiseVec3 poise_node_axis3(const PoiseTree* tree, PoiseNodeId id) {
    return axis_of(tree, id, 2);
}
