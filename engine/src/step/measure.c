// SPDX-License-Identifier: MIT
// What the simulation shows: from ODE's bodies to coordinates and frames, and on into the tree.
#include <string.h>

#include "convert.h"
#include "step.h"

// how many fixed joints may lie between a base and what it stands on
enum { MOST_WELDS = 8 };

// a base stands firm when it is the environment, moved by hand, or fixed to one that does, over at
// most `welds` fixed joints, `by` being the one that led here
static bool stands_firm(dBodyID base, dJointID by, int welds) {
    if (!base || dBodyIsKinematic(base)) {
        return true;
    }
    for (int i = 0; welds > 0 && i < dBodyGetNumJoints(base); i++) {
        dJointID joint = dBodyGetJoint(base, i);
        if (joint == by || dJointGetType(joint) != dJointTypeFixed || !dJointIsEnabled(joint)) {
            continue;
        }
        dBodyID other =
            dJointGetBody(joint, 0) == base ? dJointGetBody(joint, 1) : dJointGetBody(joint, 0);
        if (stands_firm(other, joint, welds - 1)) {
            return true;
        }
    }
    return false;
}

// a joint that is broken (disabled), or whose bodies are gone, moves no point; it is back once it
// holds again
static void leave_out_when_lost(PoiseRig* rig, Binding* binding) {
    if (binding->lost == !binding->ready) {
        return;
    }
    binding->lost = !binding->ready;
    poise__note(rig,
                poise_node_set_enabled(rig->tree, binding->node,
                                       binding->ready && poise__binding_takes_part(rig, binding)));
}

// whether it has come off, and whether it can be held up: by what it stands on, or by the hand that
// moves it. Parents come first
static void find_support(PoiseRig* rig, int i) {
    Binding* binding = &rig->bindings[i];
    const Binding* below = binding->parent != NO_BINDING ? &rig->bindings[binding->parent] : NULL;
    const bool by_hand = binding->motor.by_hand;
    binding->cut = !by_hand && (!binding->ready || (below && below->cut));
    binding->anchored =
        by_hand ||
        (!binding->cut && (below ? below->anchored
                                 : poise__binding_holds_up(binding) &&
                                       stands_firm(binding->motor.parent, NULL, MOST_WELDS)));
}

int poise__read_bodies(PoiseRig* rig) {
    int ready = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        const Binding* below =
            binding->parent != NO_BINDING ? &rig->bindings[binding->parent] : NULL;
        // it has been looked at as the child of the one below
        const bool sound = below && below->ready && below->motor.child == binding->motor.parent;
        PoisePose child;
        binding->ready = poise__motor_ready_at(&binding->motor, sound, &child);
        leave_out_when_lost(rig, binding);
        if (binding->ready) {
            poise__binding_measure(binding, child, sound ? below : NULL);
            ready++;
        }
        find_support(rig, i);
    }
    return ready;
}

// a link weighs while its body feels gravity; the tree is told when that changes
static void read_weight(PoiseRig* rig, Binding* binding) {
    // what has come off weighs nothing here; its body may be gone
    const bool weighs =
        !binding->cut && !binding->motor.by_hand && dBodyGetGravityMode(binding->motor.child) != 0;
    if (weighs != binding->weighs) {
        binding->weighs = weighs;
        poise__note(rig, poise_node_set_mass(rig->tree, binding->node, weighs ? binding->mass : 0.0,
                                             binding->com_link));
    }
}

// A base that is moved by hand: the joints' reference velocities are seen from it. One that moves
// freely answers to the joints' own torques, and would be driven by its own motion.
static void take_base_motion(PoiseRig* rig, Binding* binding) {
    const dBodyID body = binding->motor.parent;
    const bool moves = body && dBodyIsKinematic(body);
    if (!moves && !binding->base_moves) {
        return;
    }
    PoiseVec3 velocity = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 spin = velocity;
    if (moves) {
        const PoiseVec3 origin = poise_node_base(rig->tree, binding->node).p;
        spin = poise__vec3_from(dBodyGetAngularVel(body));
        velocity = poise_add(
            poise__vec3_from(dBodyGetLinearVel(body)),
            poise_cross(spin, poise_sub(origin, poise__vec3_from(dBodyGetPosition(body)))));
    }
    binding->base_moves = moves;
    poise__note(rig, poise_node_set_base_velocity(rig->tree, binding->node, velocity, spin));
}

void poise__take_base(PoiseRig* rig, Binding* binding) {
    if (binding->parent == NO_BINDING && poise_node_parent(rig->tree, binding->node).index1 == 0) {
        const dBodyID body = binding->motor.parent;
        const PoisePose base = body ? poise_pose_mul(poise__body_pose(body), binding->base_in_body)
                                    : binding->base_in_body;
        const PoisePose before = poise_node_base(rig->tree, binding->node);
        if (memcmp(&base, &before, sizeof base) != 0) {
            poise__note(rig, poise_node_set_base(rig->tree, binding->node, base));
        }
        take_base_motion(rig, binding);
    }
}

PoiseStatus poise__fill_measured(PoiseRig* rig, bool posture_too, bool frames_too) {
    bool all = rig->binding_count == poise_tree_node_count(rig->tree);
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        read_weight(rig, binding);
        all = all && binding->ready;
        if (!binding->ready) {
            continue;
        }
        poise__take_base(rig, binding);
        if (posture_too || !binding->follows_ik) {
            poise__note(rig, poise__binding_to_tree(binding, rig->tree));
        }
    }
    if (!frames_too) {
        return poise_forward(rig->tree);
    }
    // nodes that are not measured stand where their posture has them
    PoiseStatus status = all ? POISE_OK : poise_forward(rig->tree);
    for (int i = 0; status >= 0 && i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        if (binding->ready) {
            status = poise_node_measure(rig->tree, binding->node, binding->joint_world,
                                        binding->link_world);
        }
    }
    return status;
}

PoiseStatus poise_rig_take_posture(PoiseRig* rig) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!rig->tree) {
        return poise__rig_fail(rig, POISE_ERROR_GONE,
                               "poise_rig_take_posture: the rig's tree has been destroyed");
    }
    PoiseStatus status = poise__read_sets(rig);
    if (status < 0) {
        return status;
    }
    poise__read_bodies(rig); // what is not there keeps its posture
    for (int i = 0; i < rig->binding_count; i++) {
        // the bodies may have been put there: that is no motion
        rig->bindings[i].has_last = false;
    }
    rig->noted = POISE_OK;
    status = poise__fill_measured(rig, true, true);
    return rig->noted < 0 ? rig->noted : status;
}

PoiseVec3 poise_rig_place_in_link(const PoiseRig* rig, PoiseNodeId node, PoiseVec3 place_world) {
    const Binding* binding = rig ? poise__binding(rig, node) : NULL;
    if (!binding || !poise__motor_alive(&binding->motor)) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    PoisePose link = poise_pose_mul(poise__body_pose(binding->motor.child), binding->link_in_body);
    return poise_pose_apply(poise_pose_inverse(link), place_world);
}
