// SPDX-License-Identifier: MIT
// The integral (PoiseRigSettings.integral, off by default) sums up the lasting pull of the springs
// and feeds the sum forward, so that an unknown load leaves no error. Against wind-up the sum is
// bounded, and summing pauses while a joint is at its torque limit or a point presses.
#include <string.h>

#include "step.h"

void poise__integral_torque(const JointState* joint, double torque[POISE_MAX_NV]) {
    memcpy(torque, joint->integral, (size_t)joint->of->type->nv * sizeof *torque);
    poise__joint_to_world(joint, torque);
}

bool poise__integral_acts(const RigState* state, const JointState* joint) {
    return state->rig->settings.integral > 0.0 && state->press.point_count == 0 && joint->ready &&
           !joint->of->looped;
}

// Adds `part` times the springs' torque to joint->integral, and bounds the sum.
static void accumulate(const PoiseRig* rig, JointState* joint, double part) {
    const Binding* binding = joint->of;
    double spring[POISE_MAX_NV];
    double posture[POISE_MAX_NV];
    poise__joint_pull(joint, spring, posture);
    for (int d = 0; d < binding->type->nv; d++) {
        spring[d] += posture[d];
    }
    poise__world_to_joint(binding, joint->joint_world.q, spring);
    for (int d = 0; d < binding->type->nv; d++) {
        joint->integral[d] += part * spring[d];
    }
    poise__integral_bound(rig, joint);
}

void poise__integral_add(PoiseRig* rig, double dt) {
    for (int i = 0; rig->settings.integral > 0.0 && i < rig->binding_count; i++) {
        JointState* joint = &rig->state.joints[i];
        if (poise__integral_acts(&rig->state, joint) && !poise__binding_is_saturated(joint->of)) {
            accumulate(rig, joint, rig->settings.integral * dt);
        }
    }
}
