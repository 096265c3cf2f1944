// SPDX-License-Identifier: MIT
// The small integral (off unless asked for): what the springs go on pulling at is added up and fed
// forward, so that a load that is not known moves nothing for good. Against wind-up it waits while
// a joint is at its torque limit, while a point presses, and ends at a bound of its own.
#include "rig_internal.h"

static double most_of(const PoiseRig* rig, const Binding* binding) {
    const double p = poise__number_ik(binding, 0) + poise__number_original(binding, 0);
    const double full = isfinite(binding->torque_limit) ? binding->torque_limit : p;
    return rig->integral_most * full;
}

PoiseVec3 poise__integral_torque(const Binding* binding) {
    return binding->kind == POISE_NODE_BALL
               ? poise_quat_rotate(binding->joint_world.q, binding->added_up)
               : binding->added_up;
}

void poise__integral_add(PoiseRig* rig, double dt) {
    const bool waits = rig->press.point_count > 0;
    for (int i = 0; rig->integral > 0.0 && !waits && i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        double spring[POISE_MAX_DOF] = {0.0};
        double posture[POISE_MAX_DOF] = {0.0};
        if (!binding->ready || binding->kind == POISE_NODE_FREE || poise__is_saturated(binding)) {
            continue;
        }
        poise__spring_torques(binding, spring, posture);
        PoiseVec3 pull =
            poise_vec3(spring[0] + posture[0], spring[1] + posture[1], spring[2] + posture[2]);
        if (binding->kind == POISE_NODE_BALL) {
            pull = poise_quat_unrotate(binding->joint_world.q, pull);
        }
        PoiseVec3 sum = poise_add_scaled(binding->added_up, rig->integral * dt, pull);
        const double length = poise_length(sum);
        const double most = most_of(rig, binding);
        binding->added_up = length > most ? poise_scale(most / length, sum) : sum;
    }
}
