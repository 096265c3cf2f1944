// SPDX-License-Identifier: MIT
// Measures ODE's bodies: fills the coordinates and frames of the bindings, and with them those of
// the tree's nodes.
#include <string.h>

#include "convert.h"
#include "ode_joint.h"
#include "shared/clones.h"
#include "step.h"

// Largest number of fixed joints between a base and the environment.
enum { MAX_WELDS = 8 };

// True if the base is the environment, a kinematic body, or a body that at most `welds` fixed
// joints tie to one of these. `by`: the joint through which the recursion reached `base`.
static bool is_fixed_base(dBodyID base, dJointID by, int welds) {
    if (!base || dBodyIsKinematic(base)) {
        return true;
    }
    for (int i = 0; welds > 0 && i < dBodyGetNumJoints(base); i++) {
        dJointID joint = dBodyGetJoint(base, i);
        if (joint == by || dJointGetType(joint) != dJointTypeFixed || !dJointIsEnabled(joint)) {
            continue;
        }
        if (is_fixed_base(poise__ode_joint_other(joint, base), joint, welds - 1)) {
            return true;
        }
    }
    return false;
}

// Disables the node of a joint that is disabled or has lost a body, so that the solve leaves the
// node out. Enables the node when the joint is ready again.
static void enable_if_ready(PoiseRig* rig, JointState* joint) {
    if (joint->lost == !joint->ready) {
        return;
    }
    joint->lost = !joint->ready;
    poise__note(&rig->state,
                poise_node_set_enabled(rig->state.tree, joint->of->node,
                                       joint->ready && poise__binding_takes_part(rig, joint->of)));
}

// Sets joint->cut: this joint, or one between it and the base, is broken. Sets joint->anchored: the
// base is fixed, or the user moves the joint's body. Needs these flags of the parent joint.
static void find_support(JointState* joint, const JointState* below) {
    const Binding* binding = joint->of;
    const bool by_hand = binding->motor.by_hand;
    joint->cut = !by_hand && (!joint->ready || (below && below->cut));
    joint->anchored =
        by_hand ||
        (!joint->cut && (below ? below->anchored
                               : poise__binding_holds_up(binding) &&
                                     is_fixed_base(binding->motor.parent, NULL, MAX_WELDS)));
}

// Compiled for several instruction sets, because it runs for each joint in each step.
POISE_CLONES int poise__read_bodies(PoiseRig* rig) {
    int ready = 0;
    JointState* const joints = rig->state.joints;
    JointState* joint = joints;
    Binding* binding = rig->bindings;
    for (int i = 0; i < rig->binding_count; i++, joint++, binding++) {
        const JointState* below = binding->parent != NO_BINDING ? &joints[binding->parent] : NULL;
        // the parent body was checked as the child body of the parent's joint
        const bool sound = below && below->ready && below->of->motor.child == binding->motor.parent;
        PoisePose child;
        joint->ready = poise__motor_ready_at(&binding->motor, sound, &child);
        enable_if_ready(rig, joint);
        if (joint->ready) {
            poise__joint_measure(joint, &child, sound ? below : NULL);
            ready++;
        }
        find_support(joint, below);
    }
    return ready;
}

// Sets the mass of a node in the tree to the link's or to 0, if its body's gravity was switched.
static void read_weight(PoiseRig* rig, JointState* joint) {
    const Binding* binding = joint->of;
    // a link behind a broken joint loads no joint of the tree, and its body may be destroyed
    const bool weighs =
        !joint->cut && !binding->motor.by_hand && dBodyGetGravityMode(binding->motor.child) != 0;
    if (weighs != joint->weighs) {
        joint->weighs = weighs;
        poise__note(&rig->state,
                    poise_node_set_mass(rig->state.tree, binding->node,
                                        weighs ? binding->mass : 0.0, binding->com_link));
    }
}

// Sets in the tree the velocity of a base that the user moves; the joints' reference velocities are
// relative to it. The velocity of a free base is set to 0: the joints' torques cause it, so that
// they would follow their own effect.
static void set_base_velocity(PoiseRig* rig, JointState* joint) {
    const Binding* binding = joint->of;
    const dBodyID body = binding->motor.parent;
    const bool moves = body && dBodyIsKinematic(body);
    if (!moves && !joint->base_moves) {
        return;
    }
    PoiseVec3 velocity = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 spin = velocity;
    if (moves) {
        const PoiseVec3 origin = poise_node_base(rig->state.tree, binding->node).p;
        spin = poise__vec3_from(dBodyGetAngularVel(body));
        velocity = poise__body_velocity_at(body, origin);
    }
    joint->base_moves = moves;
    poise__note(&rig->state,
                poise_node_set_base_velocity(rig->state.tree, binding->node, velocity, spin));
}

void poise__read_base(PoiseRig* rig, JointState* joint) {
    const Binding* binding = joint->of;
    if (binding->on_base) {
        const dBodyID body = binding->motor.parent;
        const PoisePose base = body ? poise_pose_mul(poise__body_pose(body), binding->base_in_body)
                                    : binding->base_in_body;
        const PoisePose before = poise_node_base(rig->state.tree, binding->node);
        if (memcmp(&base, &before, sizeof base) != 0) {
            poise__note(&rig->state, poise_node_set_base(rig->state.tree, binding->node, base));
        }
        set_base_velocity(rig, joint);
    }
}

void poise__fill_measured(PoiseRig* rig, bool posture_too, bool frames_too) {
    bool all = rig->binding_count == poise_tree_node_count(rig->state.tree);
    JointState* joint = rig->state.joints;
    for (int i = 0; i < rig->binding_count; i++, joint++) {
        read_weight(rig, joint);
        all = all && joint->ready;
        if (!joint->ready) {
            continue;
        }
        if (joint->of->parent == NO_BINDING) {
            poise__read_base(rig, joint);
        }
        if (posture_too || !joint->of->follows_ik) {
            poise__note(&rig->state, poise__joint_to_tree(joint, rig->state.tree));
        }
    }
    // nodes without a body have frames that follow from their posture
    if (!frames_too || !all) {
        poise__note(&rig->state, poise_forward(rig->state.tree));
    }
    joint = rig->state.joints;
    for (int i = 0; frames_too && i < rig->binding_count; i++, joint++) {
        if (joint->ready) {
            poise__note(&rig->state,
                        poise_node_set_frames_at(rig->state.tree, joint->of->node,
                                                 &joint->joint_world, &joint->link_world));
        }
    }
}

PoiseStatus poise_rig_take_posture(PoiseRig* rig) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!rig->state.tree) {
        return poise__rig_fail(rig, POISE_ERROR_GONE,
                               "poise_rig_take_posture: the rig's tree has been destroyed");
    }
    const PoiseStatus status = poise__read_sets(rig);
    if (status < 0) {
        return status;
    }
    poise__read_bodies(rig); // a joint whose bodies are destroyed keeps its posture
    for (int i = 0; i < rig->binding_count; i++) {
        // the user may have moved the bodies to new poses, which is no velocity
        rig->state.joints[i].has_last = false;
    }
    rig->state.noted = POISE_OK;
    poise__fill_measured(rig, true, true);
    return rig->state.noted;
}

PoiseVec3 poise_rig_place_in_link(const PoiseRig* rig, PoiseNodeId node, PoiseVec3 place_world) {
    const Binding* binding = rig ? poise__binding(rig, node) : NULL;
    if (!binding || !poise__motor_alive(&binding->motor)) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    return poise_pose_apply(poise_pose_inverse(poise__binding_link(binding)), place_world);
}
