// SPDX-License-Identifier: MIT
// The reference: which posture the solver starts from, and where theta_ik goes. In own-posture mode
// the tree carries theta_ik from step to step; in measured mode it starts anew at the bodies.
#include "rig_internal.h"

PoiseStatus poise__read_sets(PoiseRig* rig) {
    uint64_t revision = poise_tree_revision(rig->tree);
    if (rig->revision_known && rig->tree_revision == revision) {
        return POISE_OK;
    }
    poise__drop_destroyed(rig);
    poise__drop_stances(rig);
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        binding->follows_ik = poise__binding_takes_part(rig, binding) &&
                              poise_node_points(rig->tree, binding->node, NULL, 0) > 0;
        poise__read_limits(rig, binding);
        binding->lower = poise_node_lower(rig->tree, binding->node);
        binding->upper = poise_node_upper(rig->tree, binding->node);
    }
    PoiseStatus status = poise__press_reserve(rig);
    rig->tree_revision = revision;
    rig->revision_known = status >= 0;
    return status;
}

PoiseStatus poise__reference_frames(PoiseRig* rig) {
    return rig->reference == POISE_REFERENCE_OWN ? poise_forward(rig->tree) : POISE_OK;
}

// How fast the joint moves against its reference velocity: rad/s, m/s; a ball's in its joint frame.
// From the last two readings, so that it is the motion of the joint and not of the bodies.
static PoiseVec3 slip(const Binding* binding, double dt) {
    const double* reference = binding->velocity;
    if (binding->kind != POISE_NODE_BALL) {
        double rate = (binding->angle - binding->last_angle) / dt;
        return poise_vec3(rate - reference[0], 0.0, 0.0);
    }
    PoiseVec3 turned = poise_quat_log(
        poise_quat_mul(binding->rotation, poise_quat_conjugate(binding->last_rotation)));
    PoiseVec3 wanted = poise_quat_unrotate(binding->own_joint,
                                           poise_vec3(reference[0], reference[1], reference[2]));
    return poise_sub(poise_scale(1.0 / dt, turned), wanted);
}

// the leash is at most so much longer for a joint that runs, in parts of its length at rest:
// without a bound it would let a joint that comes free overshoot
#define MOST_DRAG 3.0
// a reference within this part of its leash is at its end
#define AT_LEASH (1.0 - 1e-9)

// how far theta_ik may be from theta at rest, rad or m; infinite without a torque limit
static double leash_length(const Binding* binding) {
    return binding->torque_limit / binding->ik.stiffness;
}

// what a joint's own damper takes while it runs, as a part of the way from theta to theta_ik
static PoiseVec3 drag_of(const Binding* binding, double dt) {
    if (!binding->has_last) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    PoiseVec3 drag = poise_scale(binding->ik.damping / binding->ik.stiffness, slip(binding, dt));
    const double length = poise_length(drag);
    const double longest = MOST_DRAG * leash_length(binding);
    return length > longest ? poise_scale(longest / length, drag) : drag;
}

// Before the solve, where the posture is still that which it starts from: the leash of a hinge or
// slider bounds its step, so that the solver finds what the others can do meanwhile.
void poise__reference_bound(PoiseRig* rig, double dt) {
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        const bool leashed =
            binding->ready && binding->follows_ik && isfinite(leash_length(binding)) &&
            (binding->kind == POISE_NODE_HINGE || binding->kind == POISE_NODE_SLIDER);
        if (!leashed && !binding->bounds_step) {
            continue;
        }
        binding->bounds_step = leashed;
        binding->drag = leashed ? drag_of(binding, dt) : poise_vec3(0.0, 0.0, 0.0);
        double lower = -HUGE_VAL;
        double upper = HUGE_VAL;
        if (leashed) {
            const double middle = binding->angle + binding->drag.x;
            const double from = poise_node_angle(rig->tree, binding->node);
            lower = middle - leash_length(binding) - from;
            upper = middle + leash_length(binding) - from;
        }
        // a node of this kind and finite numbers: this cannot fail
        (void)poise_node_set_step_range(rig->tree, binding->node, lower, upper);
    }
}

void poise__reference_pull(PoiseRig* rig, PoiseSolveDef* solve) {
    if (!(rig->posture_rate > 0.0)) {
        return;
    }
    solve->posture_rate = rig->posture_rate;
    for (int i = 0; i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        if (!binding->follows_ik) {
            continue;
        }
        const PoiseQuat q = binding->natural_rotation;
        const double turn[4] = {q.w, q.x, q.y, q.z};
        const double now = poise_node_angle(rig->tree, binding->node);
        const double angles[2] = {poise__natural_angle(binding, now), binding->natural_angle2};
        const bool universal = binding->kind == POISE_NODE_UNIVERSAL;
        // bound nodes and checked numbers: these cannot fail
        if (binding->kind == POISE_NODE_BALL) {
            (void)poise_node_set_reference(rig->tree, binding->node, turn, 4);
        } else if (universal || !poise__is_other_kind(binding->kind)) {
            (void)poise_node_set_reference(rig->tree, binding->node, angles, universal ? 2 : 1);
        }
    }
}

// Keeps theta_ik where the torque limit still answers to it: |p (theta_ik - theta) - d slip| <=
// limit. Whatever blocks a joint does not wind its spring up (at rest the leash is limit / p long),
// and one that runs is not held back by its own damper. Returns whether it held.
static bool leash(PoiseRig* rig, Binding* binding, double dt) {
    const double most = leash_length(binding);
    if (!isfinite(most) || poise__is_other_kind(binding->kind)) {
        return isfinite(most) && poise__leash_kind(rig, binding, most);
    }
    if (binding->kind != POISE_NODE_BALL) {
        const double middle = binding->angle + binding->drag.x;
        // as far as the solver kept it, but for rounding and what its scale undid
        double held = poise_min(poise_max(binding->ik_angle, middle - most), middle + most);
        held = poise_min(poise_max(held, binding->lower), binding->upper);
        if (held != binding->ik_angle) {
            binding->ik_angle = held;
            (void)poise_node_set_angle(rig->tree, binding->node, held);
        }
        return fabs(held - middle) >= most * AT_LEASH;
    }
    const PoiseVec3 drag = drag_of(binding, dt);
    PoiseVec3 off = poise_quat_log(
        poise_quat_mul(binding->ik_rotation, poise_quat_conjugate(binding->rotation)));
    PoiseVec3 pull = poise_sub(off, drag);
    double length = poise_length(pull);
    if (length <= most) {
        return false;
    }
    PoiseQuat turn = poise_quat_exp(poise_add(poise_scale(most / length, pull), drag));
    binding->ik_rotation = poise_quat_mul(turn, binding->rotation);
    (void)poise_node_set_rotation(rig->tree, binding->node, binding->ik_rotation);
    return true;
}

static void remember(Binding* binding) {
    binding->last_angle = binding->angle;
    binding->last_rotation = binding->rotation;
    binding->has_last = true;
}

int poise__reference_advance(PoiseRig* rig, double dt) {
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        if (binding->kind == POISE_NODE_BALL) {
            binding->own_joint = poise_node_joint_world(rig->tree, binding->node).q;
        }
    }
    // a solved tree cannot fail to advance
    (void)poise_advance(rig->tree);
    int held = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        (void)poise_node_velocity(rig->tree, binding->node, binding->velocity);
        binding->ik_angle = poise_node_angle(rig->tree, binding->node);
        if (binding->kind != POISE_NODE_HINGE && binding->kind != POISE_NODE_SLIDER) {
            binding->ik_rotation = poise_node_rotation(rig->tree, binding->node);
        }
        if (poise__is_other_kind(binding->kind)) {
            poise__kind_read_ik(rig, binding);
        }
        if (!binding->ready) {
            continue;
        }
        held += binding->follows_ik && leash(rig, binding, dt);
        remember(binding);
    }
    return held;
}
