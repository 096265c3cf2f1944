// SPDX-License-Identifier: MIT
// Binds a node to a joint, and unbinds it.
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "ode_joint.h"
#include "rig.h"

const char* poise__bind_like_problem(const PoiseBindDef* def) {
    if (!def || def->cookie != COOKIE_BIND) {
        return "the def was not made by poise_default_bind_def()";
    }
    const PoiseSpring springs[] = {def->original, def->ik, def->original_linear, def->ik_linear};
    for (size_t i = 0; i < sizeof springs / sizeof *springs; i++) {
        const char* wrong = poise__spring_check(springs[i]);
        if (wrong) {
            return wrong;
        }
    }
    for (int i = 0; i < POISE_MAX_NQ; i++) {
        if (!isfinite(def->natural[i])) {
            return "the natural posture must be finite";
        }
    }
    if (!poise_is_finite3(def->cone_axis)) {
        return "cone_axis must be finite";
    }
    if (!(def->force_limit > 0.0) || !(def->speed_limit > 0.0)) {
        return "force_limit and speed_limit must be above 0 (infinity: none)";
    }
    if (!(def->friction >= 0.0) || isinf(def->friction)) {
        return "friction must be finite and not negative";
    }
    return def->torque_limit > 0.0 ? NULL : "torque_limit must be above 0 (infinity: none)";
}

// Returns why the springs or frames of a def are invalid, or NULL if they are valid.
static const char* check_bind_def(const PoiseBindDef* def) {
    if (!poise_is_finite_pose(def->link_in_body) || poise__quat_is_zero(def->link_in_body.q)) {
        return "link_in_body must be finite, its rotation not 0";
    }
    if (isinf(def->zero)) {
        return "zero must be finite, or NaN to have it found";
    }
    return poise__bind_like_problem(def);
}

// Returns the address by which dJointSetData marks Poise's motors: the user's joint, or the child
// body of a node without a joint.
static void* mark_of(dJointID joint, dBodyID child) {
    return joint ? (void*)joint : (void*)child;
}

// True if the joint has a motor of any rig.
static bool is_bound_somewhere(dJointID joint, dBodyID child) {
    for (int i = 0; i < dBodyGetNumJoints(child); i++) {
        dJointID other = dBodyGetJoint(child, i);
        dJointType type = dJointGetType(other);
        if ((type == dJointTypeAMotor || type == dJointTypeLMotor) &&
            dJointGetData(other) == mark_of(joint, child)) {
            return true;
        }
    }
    return false;
}

// Finds the parent body of a node without a joint; NULL for the environment. False if the parent
// node is not bound.
static bool body_below(const PoiseRig* rig, PoiseNodeId node, dBodyID* body) {
    PoiseNodeId parent = poise_node_parent(rig->state.tree, node);
    const Binding* below = parent.index1 != 0 ? poise__binding(rig, parent) : NULL;
    *body = below ? below->motor.child : NULL;
    return parent.index1 == 0 || below;
}

static PoiseStatus check_bind(PoiseRig* rig, const PoiseBindDef* def, const char* call) {
    const char* wrong = check_bind_def(def);
    if (wrong) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: %s", call, wrong);
    }
    if (!poise_node_is_valid(rig->state.tree, def->node)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "%s: node %u is null, destroyed, or of another tree", call,
                               (unsigned)def->node.index1);
    }
    if (poise__binding(rig, def->node)) {
        return poise__rig_fail(rig, POISE_ERROR_ALREADY_BOUND,
                               "%s: node %u is bound already; unbind it first", call,
                               (unsigned)def->node.index1);
    }
    char why[200];
    PoiseNodeKind kind = poise_node_kind(rig->state.tree, def->node);
    PoiseStatus status;
    if (!def->joint && !poise__ode_joint_stands_for(kind)) {
        dBodyID parent;
        if (!body_below(rig, def->node, &parent)) {
            return poise__rig_fail(
                rig, POISE_ERROR_INVALID_ARGUMENT,
                "%s: node %u stands on a node that is not bound; bind that first", call,
                (unsigned)def->node.index1);
        }
        status = poise__ode_body_check(rig->world, parent, def->body, why);
    } else {
        status = poise__ode_joint_check(rig->world, def->joint, def->body, kind, why);
    }
    if (status != POISE_OK) {
        return poise__rig_fail(rig, status, "%s: node %u: %s", call, (unsigned)def->node.index1,
                               why);
    }
    if (is_bound_somewhere(def->joint, def->body)) {
        return poise__rig_fail(rig, POISE_ERROR_ALREADY_BOUND,
                               "%s: node %u: the %s has a motor of this or another rig already",
                               call, (unsigned)def->node.index1, def->joint ? "joint" : "body");
    }
    return POISE_OK;
}

// Returns the present joint frame of a node, from the body of its nearest bound ancestor. Unbound
// nodes between the two are rigid, at the tree's posture. poise_forward must have run.
static PoisePose joint_from_bodies(const PoiseRig* rig, const Binding* binding) {
    PoisePose joint = poise_node_joint_world(rig->state.tree, binding->node);
    if (binding->parent == NO_BINDING) {
        return joint;
    }
    const Binding* parent = &rig->bindings[binding->parent];
    const PoisePose link_world = poise__binding_link(parent);
    if (poise_node_parent(rig->state.tree, binding->node).index1 == parent->node.index1) {
        return poise_pose_mul(link_world,
                              poise_node_joint_in_parent(rig->state.tree, binding->node));
    }
    PoisePose link_in_tree = poise_node_link_world(rig->state.tree, parent->node);
    return poise_pose_mul(link_world, poise_pose_mul(poise_pose_inverse(link_in_tree), joint));
}

static bool is_identity(PoisePose pose) {
    return pose.q.w == 1.0 && poise_dot(pose.p, pose.p) == 0.0;
}

// Copies springs and limits. A joint that moves both along and about axes has separate springs and
// limits along axes.
static void fill_springs(Binding* binding, const PoiseBindDef* def) {
    const unsigned all = (1u << binding->type->nv) - 1u;
    const bool lone = binding->type->linear == all;
    binding->original[ABOUT] = lone ? (PoiseSpring){0.0, 0.0} : def->original;
    binding->original[ALONG] = lone ? def->original : def->original_linear;
    binding->ik[ABOUT] = lone ? (PoiseSpring){0.0, 0.0} : def->ik;
    binding->ik[ALONG] = lone ? def->ik : def->ik_linear;
    binding->force_limit[ABOUT] = lone ? HUGE_VAL : def->torque_limit;
    binding->force_limit[ALONG] = lone ? def->torque_limit : def->force_limit;
    if (binding->type->linear == 0) {
        binding->original[ALONG] = binding->ik[ALONG] = (PoiseSpring){0.0, 0.0};
        binding->force_limit[ALONG] = HUGE_VAL;
    }
}

static void fill_binding(const PoiseRig* rig, int place, const PoiseBindDef* def) {
    Binding* binding = &rig->bindings[place];
    JointState* joint = &rig->state.joints[place];
    const PoiseTree* tree = rig->state.tree;
    binding->node = def->node;
    fill_springs(binding, def);
    binding->friction = binding->type->nv == 1 ? def->friction : 0.0;
    poise__binding_set_natural(binding, def->natural);
    poise_joint_neutral(binding->type, joint->q_ik);
    poise_joint_neutral(binding->type, joint->q_target);
    binding->link_in_body =
        poise_pose(def->link_in_body.p, poise_quat_normalize(def->link_in_body.q));
    binding->plain_link = is_identity(binding->link_in_body);
    const PoiseVec3 axes[MOTOR_AXES] = {poise_node_axis(tree, def->node),
                                        poise_node_axis2(tree, def->node),
                                        poise_node_axis3(tree, def->node)};
    for (int m = 0; m < binding->type->motion_count && m < MOTOR_AXES; m++) {
        binding->axes[m] = axes[m];
    }
    binding->zero = def->zero;
    poise__binding_read_posture(binding, tree, joint->q);
    binding->unbound = joint->q[0];
    dMass mass;
    dBodyGetMass(binding->motor.child, &mass);
    poise__inertia_add(binding, &mass, poise_pose_identity());
    // the origin of ODE's body frame is the centre of mass
    binding->com_link = poise_pose_inverse(binding->link_in_body).p;
    joint->weighs = true;
}

// Returns the motion past binding->moved_in_link at which the measured coordinate of a joint with
// one axis is PoiseBindDef.zero where ODE's coordinate is 0.
static PoisePose past_zero(const JointState* joint) {
    const Binding* binding = joint->of;
    PoisePose past = poise_pose_identity();
    if (binding->type->nv != 1 || isnan(binding->zero)) {
        return past;
    }
    OdeJoint is;
    poise__ode_joint_read(binding->motor.joint, binding->motor.child, &is);
    const double off = is.q[0] + binding->zero - joint->q[0];
    if (binding->blocks[0].sort == ALONG) {
        past.p = poise_scale(off, binding->axes[0]);
    } else {
        past.q = poise_quat_from_axis_angle(binding->axes[0], off);
    }
    return past;
}

// Computes, from the present poses, the posture and the poses between ODE's bodies and the tree's
// frames that steps do not change.
static void fix_geometry(PoiseRig* rig, int place) {
    Binding* binding = &rig->bindings[place];
    JointState* joint = &rig->state.joints[place];
    PoisePose joint_world = joint_from_bodies(rig, binding);
    PoisePose to_parent_body = poise_pose_inverse(poise__body_pose(binding->motor.parent));
    binding->joint_in_parent_body = poise_pose_mul(to_parent_body, joint_world);
    const PoisePose child = poise__body_pose(binding->motor.child);
    const PoiseQuat q = binding->joint_in_parent_body.q;
    binding->parallel = q.w > 0.0 && fabs(q.x) + fabs(q.y) + fabs(q.z) == 0.0;
    binding->base_in_body =
        poise_pose_mul(to_parent_body, poise_node_base(rig->state.tree, binding->node));
    binding->moved_in_link =
        poise_pose_inverse(poise_node_link_in_joint(rig->state.tree, binding->node));
    binding->plain_moved = false;
    joint->q[0] = joint->has_driven ? joint->q[0] : binding->unbound;
    poise__joint_measure(joint, &child, NULL);
    binding->moved_in_link = poise_pose_mul(binding->moved_in_link, past_zero(joint));
    binding->plain_moved = is_identity(binding->moved_in_link);
    poise__joint_measure(joint, &child, NULL);
    poise__binding_fix_axes(binding, joint);
    poise__note(&rig->state, poise__joint_to_tree(joint, rig->state.tree));
}

// Returns the index for a new binding. Bindings have the order of the tree's nodes, parents first.
static int place_of(const PoiseRig* rig, PoiseNodeId node) {
    int before = 0;
    for (int i = 0; i < poise_tree_node_count(rig->state.tree); i++) {
        PoiseNodeId id = poise_tree_node(rig->state.tree, i);
        if (id.index1 == node.index1) {
            break;
        }
        if (before < rig->binding_count && rig->bindings[before].node.index1 == id.index1) {
            before++;
        }
    }
    return before;
}

// Gives ODE the new addresses of the motors' feedback, after bindings moved in memory.
static void motors_moved(PoiseRig* rig) {
    for (int i = 0; i < rig->binding_count; i++) {
        Motor* motor = &rig->bindings[i].motor;
        poise__motor_moved(motor);
        if (poise__motor_alive(motor)) {
            poise__motor_find(motor);
        }
    }
}

// Inserts a zeroed binding and state for the node, into reserved memory. Returns their index.
static int open_place(PoiseRig* rig, PoiseNodeId node) {
    const int place = place_of(rig, node);
    const size_t behind = (size_t)(rig->binding_count - place);
    Binding* binding = &rig->bindings[place];
    JointState* joint = &rig->state.joints[place];
    memmove(binding + 1, binding, behind * sizeof *binding);
    memmove(joint + 1, joint, behind * sizeof *joint);
    memset(binding, 0, sizeof *binding);
    memset(joint, 0, sizeof *joint);
    rig->binding_count++;
    return place;
}

static void link_up(PoiseRig* rig) {
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        const PoiseNodeId parent = poise_node_parent(rig->state.tree, binding->node);
        binding->parent = poise__bound_below(rig, rig->state.tree, parent);
        binding->on_base = parent.index1 == 0;
        binding->root = binding->parent == NO_BINDING ? i : rig->bindings[binding->parent].root;
        rig->state.joints[i].of = binding;
    }
}

static void make_motor(PoiseRig* rig, Binding* binding, const PoiseBindDef* def) {
    Motor* motor = &binding->motor;
    MotorDef make = {binding->type, rig->world, def->joint, def->body, NULL, &rig->motors};
    if (def->joint) {
        make.parent = poise__ode_joint_other(def->joint, def->body);
    } else {
        body_below(rig, def->node, &make.parent);
    }
    poise__motor_attach(motor, &make);
    motor->speed_limit = def->speed_limit;
    for (int sort = 0; sort < SORTS; sort++) {
        if (motor->parts[sort]) {
            dJointSetData(motor->parts[sort], mark_of(def->joint, def->body));
        }
    }
}

PoiseStatus poise_rig_bind(PoiseRig* rig, const PoiseBindDef* def) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!def) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_bind: the def is NULL");
    }
    poise__drop_destroyed(rig);
    PoiseStatus status = check_bind(rig, def, "poise_rig_bind");
    if (status != POISE_OK) {
        return status;
    }
    const PoiseNodeKind kind = poise_node_kind(rig->state.tree, def->node);
    const PoiseJointType* type = poise_joint_type(kind);
    double* values = poise__bindings_extend(rig, type);
    if (!values) {
        return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "poise_rig_bind: no memory");
    }
    const int place = open_place(rig, def->node);
    Binding* binding = &rig->bindings[place];
    JointState* joint = &rig->state.joints[place];
    joint->of = binding;
    poise__binding_set_type(binding, kind);
    make_motor(rig, binding, def);
    poise__joint_place(joint, values);
    poise__binding_place(binding, values + poise__joint_value_count(type));
    fill_binding(rig, place, def);
    rig->state.noted = POISE_OK;
    poise__note(&rig->state, poise_forward(rig->state.tree));
    if (rig->finite_rotation && poise__block_is_rotation(&binding->blocks[0])) {
        binding->finite_rotation_was = dBodyGetFiniteRotationMode(def->body) != 0;
        binding->finite_rotation_set = true;
        dBodySetFiniteRotationMode(def->body, 1);
    }
    motors_moved(rig);
    link_up(rig);
    rig->revision_known = false;
    fix_geometry(rig, place);
    // children that were bound before this node used its pose in the tree: use its measured pose
    for (int i = place + 1; i < rig->binding_count; i++) {
        if (rig->bindings[i].parent == place && poise__motor_alive(&rig->bindings[i].motor)) {
            fix_geometry(rig, i);
        }
    }
    poise__note(&rig->state,
                poise_node_set_mass(rig->state.tree, def->node, binding->mass, binding->com_link));
    poise__binding_read_limits(binding, rig->state.tree);
    poise__binding_hold_cone(binding, joint);
    poise__note(&rig->state, poise_node_set_enabled(rig->state.tree, def->node,
                                                    poise__binding_takes_part(rig, binding)));
    return rig->state.noted;
}

static void forget_welds(PoiseRig* rig, PoiseNodeId node) {
    int kept = 0;
    for (int i = 0; i < rig->weld_count; i++) {
        if (rig->welds[i].node.index1 != node.index1) {
            rig->welds[kept++] = rig->welds[i];
        }
    }
    rig->weld_count = kept;
}

static void remove_binding(PoiseRig* rig, Binding* binding) {
    forget_welds(rig, binding->node);
    poise__binding_finish(binding);
    JointState* joint = &rig->state.joints[binding - rig->bindings];
    const size_t behind = (size_t)(&rig->bindings[--rig->binding_count] - binding);
    memmove(binding, binding + 1, behind * sizeof *binding);
    memmove(joint, joint + 1, behind * sizeof *joint);
    motors_moved(rig);
    link_up(rig);
    rig->revision_known = false;
}

void poise__drop_destroyed(PoiseRig* rig) {
    for (int i = rig->binding_count - 1; i >= 0; i--) {
        if (!poise_node_is_valid(rig->state.tree, rig->bindings[i].node)) {
            remove_binding(rig, &rig->bindings[i]);
        }
    }
}

PoiseStatus poise_rig_unbind(PoiseRig* rig, PoiseNodeId node) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (node.index1 == 0) {
        return POISE_OK;
    }
    Binding* binding = poise__binding(rig, node);
    if (!binding) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "poise_rig_unbind: node %u is not bound", (unsigned)node.index1);
    }
    remove_binding(rig, binding);
    return POISE_OK;
}
