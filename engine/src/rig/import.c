// SPDX-License-Identifier: MIT
// Nodes made from joints that are there: one joint, or all that hang together.
#include <stdio.h>
#include <string.h>

#include "base/convert.h"
#include "rig_internal.h"

// the node kind that stands for a joint, 0 for joints that have none
static PoiseNodeKind kind_of_joint(dJointID joint) {
    switch (dJointGetType(joint)) {
    case dJointTypeHinge:
        return POISE_NODE_HINGE;
    case dJointTypeSlider:
        return POISE_NODE_SLIDER;
    case dJointTypeBall:
        return POISE_NODE_BALL;
    case dJointTypeUniversal:
        return POISE_NODE_UNIVERSAL;
    default:
        return (PoiseNodeKind)0;
    }
}

// nearer than this, m, a centre of mass says nothing about a direction
#define NO_DISTANCE 1e-9

static PoiseVec3 cone_axis_of(PoiseVec3 asked, PoiseVec3 anchor, PoiseVec3 child) {
    if (poise_length(asked) > 0.0) {
        return asked;
    }
    PoiseVec3 along = poise_sub(child, anchor);
    return poise_length(along) > NO_DISTANCE ? along : poise_vec3(0.0, 0.0, 1.0);
}

static PoiseNodeDef default_def(PoiseNodeKind kind) {
    switch (kind) {
    case POISE_NODE_SLIDER:
        return poise_default_slider_def();
    case POISE_NODE_BALL:
        return poise_default_ball_def();
    case POISE_NODE_UNIVERSAL:
        return poise_default_universal_def();
    default:
        return poise_default_hinge_def();
    }
}

// axes, angles and ranges of a universal joint; returns its motion
static PoisePose fill_universal(const Motor* motor, PoiseQuat joint, PoiseNodeDef* def) {
    PoiseVec3 axes[2];
    double angles[2];
    double lower[2];
    double upper[2];
    poise__motor_universal_axes(motor, axes);
    poise__motor_universal_angles(motor, angles);
    poise__motor_universal_ranges(motor, lower, upper);
    def->axis = poise_quat_unrotate(joint, axes[0]);
    PoiseQuat first = poise_quat_from_axis_angle(def->axis, angles[0]);
    // the first turn has carried the second axis along
    def->axis2 = poise_quat_unrotate(first, poise_quat_unrotate(joint, axes[1]));
    def->angle = angles[0];
    def->angle2 = angles[1];
    def->lower = lower[0];
    def->upper = upper[0];
    def->lower2 = lower[1];
    def->upper2 = upper[1];
    PoisePose motion = poise_pose_identity();
    motion.q = poise_quat_mul(first, poise_quat_from_axis_angle(def->axis2, angles[1]));
    return motion;
}

// a node whose geometry is what the bodies show: the joint frame at the anchor, turned like the
// parent
static PoiseNodeDef def_from_bodies(const Motor* motor, PoisePose parent_link,
                                    PoiseVec3 cone_axis) {
    PoiseNodeDef def = default_def(motor->kind);
    PoisePose link = poise__body_pose(motor->child);
    PoisePose joint = poise_pose(poise__motor_anchor(motor), parent_link.q);
    PoisePose motion = poise_pose_identity();
    if (motor->kind == POISE_NODE_UNIVERSAL) {
        motion = fill_universal(motor, joint.q, &def);
    } else if (motor->kind == POISE_NODE_BALL) {
        def.axis = poise_quat_unrotate(joint.q, cone_axis_of(cone_axis, joint.p, link.p));
    } else {
        def.axis = poise_quat_unrotate(joint.q, poise__motor_axis(motor));
        def.angle = motor->angle;
        poise__motor_range(motor, &def.lower, &def.upper);
    }
    if (motor->kind == POISE_NODE_SLIDER) {
        motion.p = poise_scale(def.angle, def.axis);
        joint.p = poise_sub(joint.p, poise_quat_rotate(joint.q, motion.p));
    } else if (motor->kind == POISE_NODE_HINGE) {
        motion.q = poise_quat_from_axis_angle(def.axis, def.angle);
    }
    def.joint_in_parent = poise_pose_mul(poise_pose_inverse(parent_link), joint);
    def.link_in_joint = poise_pose_mul(poise_pose_inverse(poise_pose_mul(joint, motion)), link);
    return def;
}

// the node for the joint, not bound yet
static PoiseNodeId make_node(PoiseRig* rig, dJointID joint, dBodyID child, PoiseNodeKind kind,
                             PoiseVec3 cone_axis) {
    dBodyID parent =
        dJointGetBody(joint, 0) == child ? dJointGetBody(joint, 1) : dJointGetBody(joint, 0);
    const Binding* below = poise__binding_of_body(rig, parent);
    PoisePose parent_link = poise__body_pose(parent);
    if (below) {
        parent_link = poise_pose_mul(poise__body_pose(below->motor.child), below->link_in_body);
    }
    Motor probe = {.kind = kind, .joint = joint, .child = child, .parent = parent};
    poise__motor_read(&probe);
    PoiseNodeDef def = def_from_bodies(&probe, parent_link, cone_axis);
    def.parent = below ? below->node : poise_null_node();
    PoiseNodeId node = poise_node_create(rig->tree, &def);
    if (node.index1 != 0 && !below) {
        (void)poise_node_set_base(rig->tree, node, parent_link);
    }
    return node;
}

// binds a node that was made for the joint or floating body, or takes it away again: null then,
// with an error
static PoiseNodeId bind_made(PoiseRig* rig, PoiseNodeId node, dJointID joint, dBodyID body,
                             const PoiseBindDef* like) {
    PoiseBindDef def = *like;
    def.node = node;
    def.joint = joint;
    def.body = body;
    def.link_in_body = poise_pose_identity();
    def.zero = (double)NAN;
    if (poise_rig_bind(rig, &def) < 0) {
        (void)poise_node_destroy(rig->tree, node);
        return poise_null_node();
    }
    return node;
}

PoiseNodeId poise_rig_add(PoiseRig* rig, dJointID joint, dBodyID child, const PoiseBindDef* like) {
    if (!rig) {
        return poise_null_node();
    }
    if (!like || like->cookie != COOKIE_BIND) {
        poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                        "poise_rig_add: `like` was not made by poise_default_bind_def()");
        return poise_null_node();
    }
    char why[200];
    PoiseNodeKind kind = joint ? kind_of_joint(joint) : (PoiseNodeKind)0;
    if (joint && !kind) {
        poise__rig_fail(rig, POISE_ERROR_WRONG_KIND,
                        "poise_rig_add: the joint is no hinge, slider, universal or ball");
        return poise_null_node();
    }
    PoiseStatus status = poise__motor_check(rig->world, joint, child, kind, why, sizeof why);
    if (status != POISE_OK) {
        poise__rig_fail(rig, status, "poise_rig_add: %s", why);
        return poise_null_node();
    }
    poise__drop_destroyed(rig);
    PoiseNodeId node = make_node(rig, joint, child, kind, like->cone_axis);
    if (node.index1 == 0) {
        poise__rig_fail(rig, poise_tree_status(rig->tree), "poise_rig_add: %s",
                        poise_tree_message(rig->tree));
        return node;
    }
    return bind_made(rig, node, joint, child, like);
}

PoiseNodeId poise_rig_add_base(PoiseRig* rig, dBodyID body, const PoiseBindDef* like) {
    if (!rig) {
        return poise_null_node();
    }
    char why[200];
    PoiseStatus status = poise__motor_check_free(rig->world, NULL, body, why, sizeof why);
    if (status == POISE_OK && (!like || like->cookie != COOKIE_BIND)) {
        status = POISE_ERROR_INVALID_ARGUMENT;
        snprintf(why, sizeof why, "`like` was not made by poise_default_bind_def()");
    }
    if (status != POISE_OK) {
        poise__rig_fail(rig, status, "poise_rig_add_base: %s", why);
        return poise_null_node();
    }
    poise__drop_destroyed(rig);
    PoiseNodeDef node_def = poise_default_free_def();
    PoisePose pose = poise__body_pose(body);
    node_def.translation = pose.p;
    node_def.rotation = pose.q;
    PoiseNodeId node = poise_node_create(rig->tree, &node_def);
    if (node.index1 == 0) {
        poise__rig_fail(rig, poise_tree_status(rig->tree), "poise_rig_add_base: %s",
                        poise_tree_message(rig->tree));
        return node;
    }
    return bind_made(rig, node, NULL, body, like);
}

// ------------------------------------------------------------------------- a whole mechanism

// bodies that have been reached and wait for their joints to be looked at
typedef struct Frontier {
    dBodyID* bodies;
    int count;
    int capacity;
    int next;
} Frontier;

static bool reached(const Frontier* frontier, dBodyID body) {
    for (int i = 0; i < frontier->count; i++) {
        if (frontier->bodies[i] == body) {
            return true;
        }
    }
    return false;
}

static bool reach(PoiseRig* rig, Frontier* frontier, dBodyID body) {
    if (!poise__grow(&rig->host, &frontier->bodies, &frontier->capacity, frontier->count + 1,
                     sizeof *frontier->bodies)) {
        poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "poise_rig_import: no memory");
        return false;
    }
    frontier->bodies[frontier->count++] = body;
    return true;
}

static dBodyID other_body(dJointID joint, dBodyID body) {
    return dJointGetBody(joint, 0) == body ? dJointGetBody(joint, 1) : dJointGetBody(joint, 0);
}

// follows one joint outward from `body`: 1 a node was made, 0 not, negative an error
static int follow(PoiseRig* rig, Frontier* frontier, dBodyID body, dJointID joint,
                  const PoiseBindDef* like) {
    dBodyID other = other_body(joint, body);
    // to the environment, or round a loop: nothing hangs there
    if (!other || reached(frontier, other) || !dJointIsEnabled(joint)) {
        return 0;
    }
    if (dJointGetType(joint) == dJointTypeFixed) {
        const Binding* link = poise__binding_of_body(rig, body);
        if (link && !poise__binding_of_body(rig, other)) {
            PoiseStatus status = poise__weld_add(rig, link->node, body, other);
            if (status < 0) {
                return status;
            }
        }
        return reach(rig, frontier, other) ? 0 : POISE_ERROR_OUT_OF_MEMORY;
    }
    if (!kind_of_joint(joint)) {
        return 0;
    }
    bool known = poise_rig_node_of_joint(rig, joint).index1 != 0;
    if (!known && poise_rig_add(rig, joint, other, like).index1 == 0) {
        return rig->status;
    }
    return reach(rig, frontier, other) ? !known : POISE_ERROR_OUT_OF_MEMORY;
}

static int follow_all(PoiseRig* rig, Frontier* frontier, const PoiseBindDef* like) {
    int made = 0;
    while (frontier->next < frontier->count) {
        dBodyID body = frontier->bodies[frontier->next++];
        // oldest first; our own motors join the list at its head meanwhile, so count from its end
        for (int seen = 1; seen <= dBodyGetNumJoints(body); seen++) {
            dJointID joint = dBodyGetJoint(body, dBodyGetNumJoints(body) - seen);
            int result = follow(rig, frontier, body, joint, like);
            if (result < 0) {
                return result;
            }
            made += result;
        }
    }
    return made;
}

// the joint that ties the root to the environment, if one of a node's kinds does and is not bound
static dJointID joint_to_ground(const PoiseRig* rig, dBodyID root) {
    for (int i = 0; i < dBodyGetNumJoints(root); i++) {
        dJointID joint = dBodyGetJoint(root, i);
        if (kind_of_joint(joint) && !other_body(joint, root) && dJointIsEnabled(joint) &&
            poise_rig_node_of_joint(rig, joint).index1 == 0) {
            return joint;
        }
    }
    return NULL;
}

static const char* joint_word(dJointType type) {
    static const char* const words[] = {
        "none",   "ball",  "hinge",  "slider",        "contact",      "universal",
        "hinge2", "fixed", "null",   "angular motor", "linear motor", "plane2d",
        "PR",     "PU",    "piston", "double ball",   "double hinge", "transmission"};
    const int count = (int)(sizeof words / sizeof *words);
    return (int)type >= 0 && (int)type < count ? words[type] : "unknown";
}

typedef struct Found {
    char text[400];
    int length;
    unsigned seen[2]; ///< bits of the types: enabled, disabled
} Found;

// the joint's type, once
static void note_joint(Found* found, dJointID joint) {
    const dJointType type = dJointGetType(joint);
    const bool disabled = dJointIsEnabled(joint) == 0;
    const unsigned bit = 1u << ((unsigned)type & 31u);
    if ((found->seen[disabled] & bit) != 0) {
        return;
    }
    found->seen[disabled] |= bit;
    const int room = (int)sizeof found->text - found->length;
    const int added =
        snprintf(&found->text[found->length], (size_t)room, "%s%s%s", found->length > 0 ? ", " : "",
                 disabled ? "disabled " : "", joint_word(type));
    found->length += added < room ? added : room - 1;
}

// nothing was made: says what there is, unless all of it had its nodes before
static void warn_of_nothing(PoiseRig* rig, const Frontier* frontier) {
    Found found = {{0}, 0, {0, 0}};
    for (int i = 0; i < frontier->count; i++) {
        for (int j = 0; j < dBodyGetNumJoints(frontier->bodies[i]); j++) {
            dJointID joint = dBodyGetJoint(frontier->bodies[i], j);
            if (poise_rig_node_of_joint(rig, joint).index1 != 0) {
                return;
            }
            note_joint(&found, joint);
        }
    }
    (void)poise__rig_fail(rig, POISE_OK,
                          "poise_rig_import: no hinge, slider, universal or ball joint that is "
                          "enabled leads from the body to another; there is %s",
                          found.length > 0 ? found.text : "no joint at all");
}

// takes back all nodes from the given number on
static void undo(PoiseRig* rig, int node_count) {
    for (int i = poise_tree_node_count(rig->tree) - 1; i >= node_count; i--) {
        PoiseNodeId node = poise_tree_node(rig->tree, i);
        (void)poise_rig_unbind(rig, node);
        (void)poise_node_destroy(rig->tree, node);
    }
}

int poise_rig_import(PoiseRig* rig, dBodyID root, const PoiseBindDef* like) {
    if (!rig || !root) {
        return rig ? poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                                     "poise_rig_import: root is NULL")
                   : POISE_ERROR_INVALID_ARGUMENT;
    }
    if (dBodyGetWorld(root) != rig->world) {
        return poise__rig_fail(rig, POISE_ERROR_FOREIGN_WORLD,
                               "poise_rig_import: root is of another world than the rig");
    }
    PoiseStatus had = rig->status;
    rig->status = POISE_OK;
    poise__drop_destroyed(rig);
    const int node_count = poise_tree_node_count(rig->tree);
    Frontier frontier = {NULL, 0, 0, 0};
    int made = reach(rig, &frontier, root) ? 0 : POISE_ERROR_OUT_OF_MEMORY;
    dJointID ground = joint_to_ground(rig, root);
    if (made >= 0 && ground) {
        made = poise_rig_add(rig, ground, root, like).index1 != 0 ? 1 : (int)rig->status;
    }
    if (made >= 0) {
        int more = follow_all(rig, &frontier, like);
        made = more < 0 ? more : made + more;
    }
    if (made < 0) {
        undo(rig, node_count);
    } else if (made == 0) {
        warn_of_nothing(rig, &frontier);
    }
    poise_host_release(&rig->host, frontier.bodies,
                       (size_t)frontier.capacity * sizeof *frontier.bodies);
    rig->status = had != POISE_OK ? had : rig->status;
    return made;
}
