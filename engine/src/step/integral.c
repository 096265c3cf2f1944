// SPDX-License-Identifier: MIT
// The integral (off unless asked for): what the springs keep pulling with is summed up and fed
// forward, so that an unknown load leaves no error. Against wind-up the sum rests while a joint is
// at its torque limit or a point presses, and it is bounded.
#include <math.h>
#include <string.h>

#include "force.h"
#include "step.h"

void poise__integral_torque(const Binding* binding, double torque[POISE_MAX_NV]) {
    memcpy(torque, binding->integral, (size_t)binding->type->nv * sizeof *torque);
    poise__binding_to_world(binding, torque);
}

bool poise__integral_acts(const PoiseRig* rig, const Binding* binding) {
    return rig->settings.integral > 0.0 && rig->press.point_count == 0 && binding->ready &&
           !binding->looped;
}

// adds `part` of what the springs pull
static void take(const PoiseRig* rig, Binding* binding, double part) {
    double spring[POISE_MAX_NV];
    double posture[POISE_MAX_NV];
    poise__binding_pull(binding, spring, posture);
    for (int d = 0; d < binding->type->nv; d++) {
        spring[d] += posture[d];
    }
    poise__binding_to_joint(binding, binding->joint_world.q, spring);
    for (int d = 0; d < binding->type->nv; d++) {
        binding->integral[d] += part * spring[d];
    }
    poise__integral_bound(rig, binding);
}

void poise__integral_add(PoiseRig* rig, double dt) {
    for (int i = 0; rig->settings.integral > 0.0 && i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        if (poise__integral_acts(rig, binding) && !poise__binding_is_saturated(binding)) {
            take(rig, binding, rig->settings.integral * dt);
        }
    }
}
