// SPDX-License-Identifier: MIT
// The small integral (off unless asked for): what the springs go on pulling at is added up and fed
// forward, so that a load that is not known moves nothing for good. Against wind-up it waits while
// a joint is at its torque limit, while a point presses, and ends at a bound of its own.
#include "rig_internal.h"

double poise__integral_most(const PoiseRig* rig, const Binding* binding) {
    const double p = poise__number_ik(binding, 0) + poise__number_original(binding, 0);
    const double full = isfinite(binding->torque_limit) ? binding->torque_limit : p;
    return rig->integral_most * full;
}

PoiseVec3 poise__integral_torque(const Binding* binding) {
    return binding->kind == POISE_NODE_BALL
               ? poise_quat_rotate(binding->joint_world.q, binding->added_up)
               : binding->added_up;
}

// no farther than its bound
static void put(const PoiseRig* rig, Binding* binding, PoiseVec3 sum) {
    const double length = poise_length(sum);
    const double most = poise__integral_most(rig, binding);
    binding->added_up = length > most ? poise_scale(most / length, sum) : sum;
}

void poise__integral_bound(const PoiseRig* rig, Binding* binding) {
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    put(rig, binding, rig->integral > 0.0 ? binding->added_up : none);
}

bool poise__integral_acts(const PoiseRig* rig, const Binding* binding) {
    return rig->integral > 0.0 && rig->press.point_count == 0 && binding->ready &&
           binding->kind != POISE_NODE_FREE;
}

// adds `part` of what the springs pull
static void take(const PoiseRig* rig, Binding* binding, double part) {
    double spring[POISE_MAX_DOF] = {0.0};
    double posture[POISE_MAX_DOF] = {0.0};
    poise__spring_torques(binding, spring, posture);
    PoiseVec3 pull =
        poise_vec3(spring[0] + posture[0], spring[1] + posture[1], spring[2] + posture[2]);
    if (binding->kind == POISE_NODE_BALL) {
        pull = poise_quat_unrotate(binding->joint_world.q, pull);
    }
    put(rig, binding, poise_add_scaled(binding->added_up, part, pull));
}

void poise__integral_add(PoiseRig* rig, double dt) {
    for (int i = 0; rig->integral > 0.0 && i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        if (poise__integral_acts(rig, binding) && !poise__is_saturated(binding)) {
            take(rig, binding, rig->integral * dt);
        }
    }
}
