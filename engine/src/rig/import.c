// SPDX-License-Identifier: MIT
// Makes nodes from a single ODE joint, or from all joints that are connected with a body.
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "ode_joint.h"
#include "rig.h"

// If anchor and centre of mass are farther apart than this, m, their line is the default axis of a
// cone.
#define NO_DISTANCE 1e-9

enum { FEW_BODIES = 8 };

// Reads the joint's motions in order: fills axes, posture and ranges. Returns the displacement and
// rotation of the child in the joint frame, whose rotation in the world is `joint`.
static PoisePose walk_motions(const PoiseJointType* type, const OdeJoint* is, PoiseQuat joint,
                              PoiseNodeDef* def) {
    PoiseVec3* const axes[ODE_MOTIONS] = {&def->axis, &def->axis2, &def->axis3};
    double* const angles[ODE_MOTIONS] = {&def->angle, &def->angle2, &def->angle3};
    double* const lower[ODE_MOTIONS] = {&def->lower, &def->lower2, &def->lower3};
    double* const upper[ODE_MOTIONS] = {&def->upper, &def->upper2, &def->upper3};
    PoisePose motion = poise_pose_identity();
    for (int i = 0; i < is->motion_count; i++) {
        // ODE's axis is the axis after the rotations of earlier motions, which are removed here
        *axes[i] = poise_quat_unrotate(motion.q, poise_quat_unrotate(joint, is->axes[i]));
        *angles[i] = is->q[i];
        *lower[i] = is->lower[i];
        *upper[i] = is->upper[i];
        const bool turns = type->motions[i] == POISE_REVOLUTE;
        const PoisePose by =
            turns ? poise_pose(poise_vec3(0.0, 0.0, 0.0),
                               poise_quat_from_axis_angle(*axes[i], is->q[i]))
                  : poise_pose(poise_scale(is->q[i], *axes[i]), poise_quat_identity());
        motion = poise_pose_mul(motion, by);
    }
    return motion;
}

// Returns the displacement by the motions before the first rotation, joint frame, m.
static PoiseVec3 slide_before_rotations(const PoiseJointType* type, const OdeJoint* is,
                                        PoiseQuat joint) {
    PoiseVec3 displacement = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < is->motion_count && type->motions[i] == POISE_PRISMATIC; i++) {
        displacement =
            poise_add_scaled(displacement, is->q[i], poise_quat_unrotate(joint, is->axes[i]));
    }
    return displacement;
}

// Makes a node def from the present poses: the joint frame is at the anchor, with the parent's
// rotation.
static PoiseNodeDef def_from_bodies(dJointID ode, dBodyID child, PoisePose parent_link,
                                    PoiseVec3 cone_axis) {
    const PoiseNodeKind kind = poise__ode_joint_kind(ode, child);
    const PoiseJointType* type = poise_joint_type(kind);
    PoiseNodeDef def = poise_default_node_def(kind);
    PoisePose link = poise__body_pose(child);
    OdeJoint is;
    poise__ode_joint_read(ode, child, &is);
    PoisePose joint = poise_pose(is.anchor, parent_link.q);
    joint.p =
        poise_sub(joint.p, poise_quat_rotate(joint.q, slide_before_rotations(type, &is, joint.q)));
    const PoisePose motion = walk_motions(type, &is, joint.q, &def);
    if (is.motion_count == 0) {
        // axis of a ball's cone: the given one, else from the joint to the centre of mass
        const PoiseVec3 along = poise_sub(link.p, joint.p);
        const PoiseVec3 axis = poise_length(cone_axis) > 0.0       ? cone_axis
                               : poise_length(along) > NO_DISTANCE ? along
                                                                   : poise_vec3(0.0, 0.0, 1.0);
        def.axis = poise_quat_unrotate(joint.q, axis);
    }
    def.joint_in_parent = poise_pose_mul(poise_pose_inverse(parent_link), joint);
    def.link_in_joint = poise_pose_mul(poise_pose_inverse(poise_pose_mul(joint, motion)), link);
    return def;
}

// The object that a call adds to the rig: a joint with its child, or a floating body.
typedef struct Added {
    const char* call;
    bool floats; ///< the body is a base without a joint
    dJointID joint;
    dBodyID body;
} Added;

// Checks the joint or body that a call adds; fails with the reason.
static PoiseStatus check_added(PoiseRig* rig, const Added* added, const PoiseBindDef* like) {
    char why[200];
    const char* wrong = poise__bind_like_problem(like);
    if (wrong) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: like: %s", added->call,
                               wrong);
    }
    const PoiseStatus status =
        added->floats
            ? poise__ode_body_check(rig->world, NULL, added->body, why)
            : poise__ode_joint_check(rig->world, added->joint, added->body, (PoiseNodeKind)0, why);
    return status == POISE_OK ? status : poise__rig_fail(rig, status, "%s: %s", added->call, why);
}

// Makes the node, not bound yet; null if memory runs out.
static PoiseNodeId make_node(PoiseRig* rig, const Added* added, PoiseVec3 cone_axis) {
    if (added->floats) {
        PoiseNodeDef def = poise_default_free_def();
        const PoisePose pose = poise__body_pose(added->body);
        def.translation = pose.p;
        def.rotation = pose.q;
        return poise_node_create(rig->state.tree, &def);
    }
    const dBodyID other = poise__ode_joint_other(added->joint, added->body);
    const Binding* below = poise__binding_of_body(rig, other);
    const PoisePose parent_link = below ? poise__binding_link(below) : poise__body_pose(other);
    PoiseNodeDef def = def_from_bodies(added->joint, added->body, parent_link, cone_axis);
    def.parent = below ? below->node : poise_null_node();
    const PoiseNodeId node = poise_node_create(rig->state.tree, &def);
    if (node.index1 != 0 && !below) {
        poise__note(&rig->state, poise_node_set_base(rig->state.tree, node, parent_link));
    }
    return node;
}

// Makes a node and binds it; null if an error occurred, which the rig keeps.
static PoiseNodeId add(PoiseRig* rig, const Added* added, const PoiseBindDef* like) {
    if (!rig || check_added(rig, added, like) < 0) {
        return poise_null_node();
    }
    poise__drop_destroyed(rig);
    PoiseBindDef def = *like;
    def.node = make_node(rig, added, like->cone_axis);
    if (def.node.index1 == 0) {
        poise__rig_fail(rig, poise_tree_status(rig->state.tree), "%s: %s", added->call,
                        poise_tree_message(rig->state.tree));
        return def.node;
    }
    def.joint = added->joint;
    def.body = added->body;
    def.link_in_body = poise_pose_identity();
    def.zero = (double)NAN;
    bool has_posture = false;
    for (int i = 0; i < POISE_MAX_NQ; i++) {
        has_posture = has_posture || def.natural[i] != 0.0;
    }
    // a base without a posture stays at its present pose
    if (added->floats && !has_posture) {
        poise_node_posture(rig->state.tree, def.node, def.natural);
    }
    if (poise_rig_bind(rig, &def) < 0) {
        poise__note(&rig->state, poise_node_destroy(rig->state.tree, def.node));
        return poise_null_node();
    }
    return def.node;
}

PoiseNodeId poise_rig_add(PoiseRig* rig, dJointID joint, dBodyID child, const PoiseBindDef* like) {
    return add(rig, &(Added){"poise_rig_add", false, joint, child}, like);
}

PoiseNodeId poise_rig_add_base(PoiseRig* rig, dBodyID body, const PoiseBindDef* like) {
    return add(rig, &(Added){"poise_rig_add_base", true, NULL, body}, like);
}

// ------------------------------------------------------------------------- a whole mechanism

// A body that joints connect to the root, and the joint through which it was reached. The root has
// a joint to the environment, or NULL.
typedef struct Reached {
    dBodyID body;
    dJointID by;
} Reached;

// All bodies that joints connect to the root, nearest first.
typedef struct Frontier {
    Reached* reached;
    int count;
    int capacity;
} Frontier;

static bool is_reached(const Frontier* frontier, dBodyID body) {
    for (int i = 0; i < frontier->count; i++) {
        if (frontier->reached[i].body == body) {
            return true;
        }
    }
    return false;
}

static bool reach(PoiseRig* rig, Frontier* frontier, dBodyID body, dJointID by) {
    const int room = frontier->count < frontier->capacity ? frontier->count + 1
                                                          : 2 * frontier->count + FEW_BODIES;
    if (!poise__grow(&rig->host, &frontier->reached, &frontier->capacity, room,
                     sizeof *frontier->reached)) {
        return false;
    }
    frontier->reached[frontier->count++] = (Reached){body, by};
    return true;
}

// Collects all bodies that joints connect to the root; false if memory runs out.
static bool reach_all(PoiseRig* rig, Frontier* frontier) {
    for (int next = 0; next < frontier->count; next++) {
        const dBodyID body = frontier->reached[next].body;
        const int count = dBodyGetNumJoints(body);
        // ODE lists the newest joint first; nodes are made for the oldest first
        for (int i = count - 1; i >= 0; i--) {
            const dJointID joint = dBodyGetJoint(body, i);
            const dBodyID other = poise__ode_joint_other(joint, body);
            // skip the environment, and bodies that another branch of a loop has reached
            const bool extends =
                other && !is_reached(frontier, other) && dJointIsEnabled(joint) &&
                (dJointGetType(joint) == dJointTypeFixed || poise__ode_joint_kind(joint, other));
            if (extends && !reach(rig, frontier, other, joint)) {
                return false;
            }
        }
    }
    return true;
}

// True if the joint through which a body was reached needs a node: it has none, and is not fixed.
static bool is_new(const PoiseRig* rig, const Reached* reached) {
    return reached->by && dJointGetType(reached->by) != dJointTypeFixed &&
           poise_rig_node_of_joint(rig, reached->by).index1 == 0;
}

// Makes room for all bindings of the new nodes at once.
static bool reserve(PoiseRig* rig, const Frontier* frontier) {
    int bindings = 0, numbers = 0;
    for (int i = 0; i < frontier->count; i++) {
        const Reached* reached = &frontier->reached[i];
        if (is_new(rig, reached)) {
            bindings++;
            numbers += poise__values_of(
                poise_joint_type(poise__ode_joint_kind(reached->by, reached->body)));
        }
    }
    return bindings == 0 || poise__bindings_reserve(rig, bindings, numbers);
}

// Makes a node, or a weld for a fixed joint. Returns 1 for a node, 0 for no node, a negative status
// for an error.
static int make(PoiseRig* rig, const Reached* reached, const PoiseBindDef* like) {
    if (is_new(rig, reached)) {
        return poise_rig_add(rig, reached->by, reached->body, like).index1 != 0 ? 1
                                                                                : (int)rig->status;
    }
    if (!reached->by || dJointGetType(reached->by) != dJointTypeFixed) {
        return 0;
    }
    const dBodyID holder = poise__ode_joint_other(reached->by, reached->body);
    const Binding* link = poise__binding_of_body(rig, holder);
    const bool welded = link && !poise__binding_of_body(rig, reached->body);
    return welded ? poise__weld_add(rig, link->node, holder, reached->body) : 0;
}

// Makes all nodes. Returns their number, or an error.
static int make_all(PoiseRig* rig, Frontier* frontier, const PoiseBindDef* like) {
    int made = 0;
    if (!reach_all(rig, frontier) || !reserve(rig, frontier)) {
        return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "poise_rig_import: no memory");
    }
    for (int i = 0; i < frontier->count; i++) {
        const int more = make(rig, &frontier->reached[i], like);
        if (more < 0) {
            return more;
        }
        made += more;
    }
    return made;
}

// Makes closures for the joints that close loops. Returns 0, or an error.
static int close_loops(PoiseRig* rig, const Frontier* frontier) {
    for (int i = 0; i < frontier->count; i++) {
        const dBodyID body = frontier->reached[i].body;
        for (int seen = 1; seen <= dBodyGetNumJoints(body); seen++) {
            const dJointID joint = dBodyGetJoint(body, dBodyGetNumJoints(body) - seen);
            const dJointType type = dJointGetType(joint);
            if (type != dJointTypeFixed && !poise__ode_joint_kind(joint, body)) {
                continue;
            }
            const int made = poise__closure_try(rig, joint);
            if (made == POISE_ERROR_WRONG_KIND) {
                poise__rig_warn(rig,
                                "poise_rig_import: a joint of type %s closes a loop: it is "
                                "left to ODE, and what it does to the others is not known",
                                poise__ode_joint_name(type));
            } else if (made < 0) {
                return made;
            }
        }
    }
    return 0;
}

// Returns a joint between the root and the environment that has a kind of node and is not bound, or
// NULL.
static dJointID joint_to_ground(const PoiseRig* rig, dBodyID root) {
    for (int i = 0; i < dBodyGetNumJoints(root); i++) {
        dJointID joint = dBodyGetJoint(root, i);
        if (poise__ode_joint_kind(joint, root) && !poise__ode_joint_other(joint, root) &&
            dJointIsEnabled(joint) && poise_rig_node_of_joint(rig, joint).index1 == 0) {
            return joint;
        }
    }
    return NULL;
}

typedef struct Found {
    char text[400];
    int length;
    unsigned seen[2]; ///< bits of the joint types that are listed: enabled, disabled
} Found;

// Adds the name of the joint's type to the text, once.
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
                 disabled ? "disabled " : "", poise__ode_joint_name(type));
    found->length += added < room ? added : room - 1;
}

// Warns that no node was made, and names the types of the joints found. If a joint has a node
// already, the warning says so instead.
static void warn_of_nothing(PoiseRig* rig, const Frontier* frontier) {
    Found found = {{0}, 0, {0, 0}};
    for (int i = 0; i < frontier->count; i++) {
        const dBodyID body = frontier->reached[i].body;
        for (int j = 0; j < dBodyGetNumJoints(body); j++) {
            dJointID joint = dBodyGetJoint(body, j);
            if (poise_rig_node_of_joint(rig, joint).index1 != 0) {
                poise__rig_warn(rig, "poise_rig_import made no node: all joints that lead from the "
                                     "body to another have one, by an import before perhaps");
                return;
            }
            note_joint(&found, joint);
        }
    }
    rig->imported_nothing = true;
    snprintf(rig->message, sizeof rig->message,
             "poise_rig_import made no node: no joint of a node's kinds that is enabled leads "
             "from the body to another; there is %.120s",
             found.length > 0 ? found.text : "no joint at all");
    poise__rig_warn(rig, "%s", rig->message);
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
    const char* wrong = poise__bind_like_problem(like);
    if (wrong) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "poise_rig_import: like: %s",
                               wrong);
    }
    // the warning overwrites rig->message, which must keep the first error
    const PoiseStatus had = rig->status;
    char message[sizeof rig->message];
    memcpy(message, rig->message, sizeof message);
    rig->status = POISE_OK;
    poise__drop_destroyed(rig);
    const int node_count = poise_tree_node_count(rig->state.tree);
    Frontier frontier = {NULL, 0, 0};
    int made = reach(rig, &frontier, root, joint_to_ground(rig, root))
                   ? make_all(rig, &frontier, like)
                   : poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "poise_rig_import: no memory");
    if (made >= 0) {
        const int closed = close_loops(rig, &frontier);
        made = closed < 0 ? closed : made;
    }
    if (made < 0) {
        for (int i = poise_tree_node_count(rig->state.tree) - 1; i >= node_count; i--) {
            const PoiseNodeId node = poise_tree_node(rig->state.tree, i);
            poise__note(&rig->state, poise_rig_unbind(rig, node));
            poise__note(&rig->state, poise_node_destroy(rig->state.tree, node));
        }
    } else if (made == 0) {
        warn_of_nothing(rig, &frontier);
    }
    poise_host_release(&rig->host, frontier.reached,
                       (size_t)frontier.capacity * sizeof *frontier.reached);
    if (had != POISE_OK) {
        rig->status = had;
        memcpy(rig->message, message, sizeof message);
    }
    return made;
}
