// SPDX-License-Identifier: MIT
// The reference: which posture the solver starts from, and where theta_ik goes. In own-posture mode
// the tree carries theta_ik from step to step; in measured mode it starts anew at the bodies.
#include "rig_internal.h"

void poise__read_sets(PoiseRig* rig) {
    uint64_t revision = poise_tree_revision(rig->tree);
    if (rig->revision_known && rig->tree_revision == revision) {
        return;
    }
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        binding->follows_ik =
            binding->ik.stiffness > 0.0 && poise_node_points(rig->tree, binding->node, NULL, 0) > 0;
        binding->lower = poise_node_lower(rig->tree, binding->node);
        binding->upper = poise_node_upper(rig->tree, binding->node);
    }
    rig->tree_revision = revision;
    rig->revision_known = true;
}

PoiseStatus poise__reference_frames(PoiseRig* rig) {
    return rig->reference == POISE_REFERENCE_OWN ? poise_forward(rig->tree) : POISE_OK;
}

// theta_ik no farther from theta than the torque that may pull it there: whatever blocks a joint
// does not wind its spring up. Returns whether it held.
static bool leash(PoiseRig* rig, Binding* binding) {
    const double most = binding->torque_limit / binding->ik.stiffness;
    if (!isfinite(most)) {
        return false;
    }
    if (binding->kind != POISE_NODE_BALL) {
        double off = binding->ik_angle - binding->angle;
        if (fabs(off) <= most) {
            return false;
        }
        double held = binding->angle + copysign(most, off);
        binding->ik_angle = fmin(fmax(held, binding->lower), binding->upper);
        (void)poise_node_set_angle(rig->tree, binding->node, binding->ik_angle);
        return true;
    }
    PoiseVec3 off = poise_quat_log(
        poise_quat_mul(binding->ik_rotation, poise_quat_conjugate(binding->rotation)));
    double length = poise_length(off);
    if (length <= most) {
        return false;
    }
    PoiseQuat turn = poise_quat_exp(poise_scale(most / length, off));
    binding->ik_rotation = poise_quat_mul(turn, binding->rotation);
    (void)poise_node_set_rotation(rig->tree, binding->node, binding->ik_rotation);
    return true;
}

int poise__reference_advance(PoiseRig* rig) {
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
        binding->ik_angle = poise_node_angle(rig->tree, binding->node);
        binding->ik_rotation = poise_node_rotation(rig->tree, binding->node);
        if (binding->ready && binding->follows_ik) {
            held += leash(rig, binding);
        }
    }
    return held;
}
