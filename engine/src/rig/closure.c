// SPDX-License-Identifier: MIT
// Makes control points of the tree for joints that close loops: a point for position and
// orientation, and a direction for the axis of a hinge. kkt_rows.c writes the constraint rows of
// the same joints for the springs' torques.
#include "closure.h"

#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "ode_joint.h"
#include "rig.h"

static const PoiseVec3 axis_z = {0.0, 0.0, 1.0};

// ------------------------------------------------------------------------------------ joint types

// Fills the directions that a joint fixes, and the pose of the joint with its axis along z. False
// for a type that cannot close a loop.
static bool read_closure(dJointID joint, dBodyID child, Closure* closure, PoisePose* world) {
    closure->fixed_turns = 3;
    closure->slides = false;
    *world = poise__body_pose(child);
    if (dJointGetType(joint) == dJointTypeFixed) {
        return true;
    }
    const PoiseJointType* type = poise_joint_type(poise__ode_joint_kind(joint, child));
    if (!type || type->motion_count != 1) {
        return false;
    }
    OdeJoint is;
    poise__ode_joint_read(joint, child, &is);
    world->p = is.anchor;
    world->q = is.motion_count > 0 ? poise__turn_from_z(is.axes[0]) : poise_quat_identity();
    closure->slides = type->motions[0] == POISE_PRISMATIC;
    closure->fixed_turns = closure->slides ? 3 : type->motions[0] == POISE_REVOLUTE ? 2 : 0;
    return true;
}

int poise__closure_rows(const Closure* closure) {
    return (closure->slides ? 2 : 3) + closure->fixed_turns;
}

// ----------------------------------------------------------------------------------------- making

// True if the body is the base of a bound joint.
static bool is_base(const PoiseRig* rig, dBodyID body) {
    for (int i = 0; i < rig->binding_count; i++) {
        if (rig->bindings[i].parent == NO_BINDING && rig->bindings[i].motor.parent == body) {
            return true;
        }
    }
    return false;
}

static PoisePointDef point_def(const Closure* closure, const PoisePose* base) {
    PoisePointDef def =
        closure->fixed_turns == 3 ? poise_default_pose_def() : poise_default_position_def();
    def.link = closure->link;
    def.frame = closure->frame;
    def.in_link = closure->in_link;
    def.has_goal = true;
    def.goal = base ? poise_pose_mul(*base, closure->in_frame) : closure->in_frame;
    def.priority = POISE_PRIORITY_CLOSURE;
    if (closure->slides) {
        def.rows = POISE_ROWS_ALL & ~(unsigned)POISE_ROW_Z;
        def.row_axes = POISE_ROW_AXES_GOAL;
    }
    return def;
}

static bool make_point(PoiseRig* rig, Closure* closure, const PoisePointDef* def) {
    const PoisePointId point = poise_point_create(rig->state.tree, def);
    if (point.index1 == 0) {
        return false;
    }
    closure->points[closure->point_count++] = point;
    return poise_register_all(rig->state.tree, point) >= 0;
}

static void destroy_points(PoiseRig* rig, Closure* closure) {
    for (int i = 0; i < closure->point_count; i++) {
        if (poise_point_is_valid(rig->state.tree, closure->points[i])) {
            poise__note(&rig->state, poise_point_destroy(rig->state.tree, closure->points[i]));
        }
    }
    closure->point_count = 0;
}

static bool make_points(PoiseRig* rig, Closure* closure) {
    const PoisePose base = poise__body_pose(closure->bodies[1]);
    const PoisePointDef def = point_def(closure, closure->frame.index1 == 0 ? &base : NULL);
    bool made = make_point(rig, closure, &def);
    if (made && closure->fixed_turns == 2) {
        PoisePointDef axis = poise_default_direction_def();
        axis.link = def.link;
        axis.frame = def.frame;
        axis.in_link = def.in_link;
        axis.has_goal = true;
        axis.direction = poise_quat_rotate(def.goal.q, axis_z);
        axis.priority = def.priority;
        made = make_point(rig, closure, &axis);
    }
    if (!made) {
        destroy_points(rig, closure);
    }
    return made;
}

// Finds the nodes that a joint ties together. False if no bound joint moves its bodies relative to
// each other.
static bool find_sides(const PoiseRig* rig, dJointID joint, Closure* closure) {
    const int side = poise__binding_of_body(rig, dJointGetBody(joint, 0)) ? 0 : 1;
    const dBodyID first = dJointGetBody(joint, side), second = dJointGetBody(joint, 1 - side);
    const Binding* link = poise__binding_of_body(rig, first);
    const Binding* frame = poise__binding_of_body(rig, second);
    if (!link || link == frame || (!frame && second && !is_base(rig, second))) {
        return false;
    }
    closure->bodies[0] = first;
    closure->bodies[1] = second;
    closure->link = link->node;
    closure->frame = frame ? frame->node : poise_null_node();
    return true;
}

static Closure* closure_of(const PoiseRig* rig, dJointID joint) {
    for (int i = 0; i < rig->closure_count; i++) {
        if (rig->closures[i].joint == joint) {
            return &rig->closures[i];
        }
    }
    return NULL;
}

void poise__closures_find(PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        JointState* joint = &rig->state.joints[b];
        Binding* binding = &rig->bindings[b];
        bool looped = false;
        for (int i = 0; i < rig->closure_count && !looped; i++) {
            const Closure* closure = &rig->closures[i];
            looped = closure->holds &&
                     poise_is_registered(rig->state.tree, closure->points[0], binding->node);
        }
        if (looped != binding->looped) {
            binding->looped = looped;
            poise__joint_clear(joint, joint->closing);
            poise__note(&rig->state,
                        poise_node_set_enabled(rig->state.tree, binding->node,
                                               poise__binding_takes_part(rig, binding)));
        }
    }
}

// Makes the closure of a joint that closes a loop.
static PoiseStatus make_closure(PoiseRig* rig, dJointID joint, Closure* closure, PoisePose world) {
    const char* call = "poise_rig_add_closure";
    if (!poise__grow(&rig->host, &rig->closures, &rig->closure_capacity, rig->closure_count + 1,
                     sizeof *closure)) {
        return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "%s: no memory", call);
    }
    const PoisePose link = poise__binding_link(poise__binding(rig, closure->link));
    const PoisePose frame = closure->frame.index1 != 0
                                ? poise__binding_link(poise__binding(rig, closure->frame))
                                : poise__body_pose(closure->bodies[1]);
    closure->joint = joint;
    closure->holds = true;
    closure->in_link = poise_pose_mul(poise_pose_inverse(link), world);
    closure->in_frame = poise_pose_mul(poise_pose_inverse(frame), world);
    if (!make_points(rig, closure)) {
        return poise__rig_fail(rig, poise_tree_status(rig->state.tree), "%s: %s", call,
                               poise_tree_message(rig->state.tree));
    }
    rig->closures[rig->closure_count++] = *closure;
    rig->state.noted = POISE_OK;
    poise__closures_find(rig);
    rig->revision_known = false;
    return rig->state.noted;
}

int poise__closure_try(PoiseRig* rig, dJointID joint) {
    Closure closure;
    PoisePose world;
    memset(&closure, 0, sizeof closure);
    if (!dJointIsEnabled(joint) || poise_rig_node_of_joint(rig, joint).index1 != 0 ||
        !find_sides(rig, joint, &closure)) {
        return 0;
    }
    if (closure_of(rig, joint)) {
        return 1;
    }
    if (!read_closure(joint, closure.bodies[0], &closure, &world)) {
        return POISE_ERROR_WRONG_KIND;
    }
    const PoiseStatus status = make_closure(rig, joint, &closure, world);
    return status < 0 ? (int)status : 1;
}

PoiseStatus poise_rig_add_closure(PoiseRig* rig, dJointID joint) {
    const char* call = "poise_rig_add_closure";
    if (!rig || !joint) {
        return rig ? poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: no joint", call)
                   : POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__drop_destroyed(rig);
    const dBodyID any = dJointGetBody(joint, 0) ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
    if (any && dBodyGetWorld(any) != rig->world) {
        return poise__rig_fail(rig, POISE_ERROR_FOREIGN_WORLD,
                               "%s: the joint is of another world than the rig", call);
    }
    const int made = poise__closure_try(rig, joint);
    if (made == 0) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the joint is disabled, or bound, or closes no loop of bound "
                               "joints",
                               call);
    }
    if (made == POISE_ERROR_WRONG_KIND) {
        // warns only, because the caller made no mistake
        poise__rig_warn(rig, "%s: a joint of type %s is left to ODE where it closes a loop", call,
                        poise__ode_joint_name(dJointGetType(joint)));
        return POISE_ERROR_WRONG_KIND;
    }
    return made < 0 ? (PoiseStatus)made : POISE_OK;
}

PoiseStatus poise_rig_remove_closure(PoiseRig* rig, dJointID joint) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!joint) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_remove_closure: the joint is NULL");
    }
    Closure* closure = closure_of(rig, joint);
    if (!closure) {
        return POISE_OK;
    }
    rig->state.noted = POISE_OK;
    destroy_points(rig, closure);
    *closure = rig->closures[--rig->closure_count];
    poise__closures_find(rig);
    rig->revision_known = false;
    return rig->state.noted;
}

int poise_rig_closure_count(const PoiseRig* rig) {
    return rig ? rig->closure_count : 0;
}

dJointID poise_rig_closure_joint(const PoiseRig* rig, int index) {
    return rig && index >= 0 && index < rig->closure_count ? rig->closures[index].joint : NULL;
}

// ------------------------------------------------------------------------------------ in each step

// True if a closure's body still exists: a living motor or weld has the same body.
static bool is_there(const PoiseRig* rig, dBodyID body) {
    for (int i = 0; i < rig->binding_count; i++) {
        const Motor* motor = &rig->bindings[i].motor;
        if ((motor->child == body || motor->parent == body) && poise__motor_alive(motor)) {
            return true;
        }
    }
    for (int i = 0; i < rig->weld_count; i++) {
        if (rig->welds[i].body == body && poise__weld_holds(rig, &rig->welds[i])) {
            return true;
        }
    }
    return false;
}

// True if the closure's joint is still attached to its first body, and enabled. Reads the joint
// only if the body's list has it, since it may be destroyed.
static bool still_holds(const PoiseRig* rig, const Closure* closure) {
    if (!is_there(rig, closure->bodies[0])) {
        return false;
    }
    for (int i = 0; i < dBodyGetNumJoints(closure->bodies[0]); i++) {
        if (dBodyGetJoint(closure->bodies[0], i) == closure->joint) {
            return dJointIsEnabled(closure->joint) != 0;
        }
    }
    return false;
}

// Sets the goals of a closure's points to the present pose of its second body, a base.
static void follow_base(PoiseRig* rig, const Closure* closure) {
    const PoisePose goal = poise_pose_mul(poise__body_pose(closure->bodies[1]), closure->in_frame);
    const PoisePointId point = closure->points[0];
    poise__note(&rig->state, poise_point_set_position(rig->state.tree, point, goal.p));
    if (closure->fixed_turns == 3) {
        poise__note(&rig->state, poise_point_set_orientation(rig->state.tree, point, goal.q));
    }
    if (closure->fixed_turns == 2) {
        poise__note(&rig->state, poise_point_set_direction(rig->state.tree, closure->points[1],
                                                           poise_quat_rotate(goal.q, axis_z)));
    }
}

void poise__closures_follow(PoiseRig* rig) {
    for (int i = 0; i < rig->closure_count; i++) {
        Closure* closure = &rig->closures[i];
        const bool holds = still_holds(rig, closure);
        if (holds != closure->holds) {
            closure->holds = holds;
            for (int p = 0; p < closure->point_count; p++) {
                poise__note(&rig->state,
                            poise_point_set_enabled(rig->state.tree, closure->points[p], holds));
            }
            poise__closures_find(rig);
        }
        if (holds && closure->frame.index1 == 0 && closure->bodies[1]) {
            follow_base(rig, closure);
        }
    }
}

void poise__closures_drop(PoiseRig* rig) {
    int kept = 0;
    for (int i = 0; i < rig->closure_count; i++) {
        Closure* closure = &rig->closures[i];
        bool whole = true;
        for (int p = 0; p < closure->point_count; p++) {
            whole = whole && poise_point_is_valid(rig->state.tree, closure->points[p]);
        }
        if (whole) {
            rig->closures[kept++] = *closure;
        } else {
            destroy_points(rig, closure);
        }
    }
    rig->closure_count = kept;
}
