// SPDX-License-Identifier: MIT
// Fills the torques that carry the weight of the links, which the drive adds to the springs. ik's
// forces_and_gravity.c computes these torques at the measured posture.
#include "numbers.h"
#include "step.h"

void poise__fed_weight(const RigState* state, const PoiseNumbers* numbers, const JointState* joint,
                       double torque[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    const bool carries = joint->anchored && poise__binding_is_sprung(binding);
    if (carries && numbers->gravity_torque && state->rig->settings.gravity) {
        const double* weight = &numbers->gravity_torque[poise_numbers_at(numbers, binding->node)];
        poise__numbers_copy(torque, weight, binding->type->nv);
    } else {
        torque[0] = 0.0;
        for (int d = 1; d < binding->type->nv; d++) {
            torque[d] = 0.0;
        }
    }
    // on a floating base the ground carries a part of the weight and of the asked forces
    // (stance_forces.c)
    for (int d = 0; carries && state->stance_count > 0 && d < binding->type->nv; d++) {
        torque[d] += joint->carrying[d];
    }
}
