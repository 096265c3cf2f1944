// SPDX-License-Identifier: MIT
// Asks for the memory of a rig, part by part, while another one is updated.
#include "step.h"

// how much of what ODE keeps of a body and of a joint an update reads, from the beginning
enum { BODY_BYTES = 320, JOINT_BYTES = 128, MOTOR_BYTES = 192 };

// ODE's part of what the k-th third of the bindings drives
static void fetch_bodies(const PoiseRig* rig, int k) {
    for (int i = rig->binding_count * k / 3; i < rig->binding_count * (k + 1) / 3; i++) {
        const Motor* motor = &rig->bindings[i].motor;
        poise_fetch(motor->child, BODY_BYTES);
        poise_fetch(motor->joint, motor->joint ? JOINT_BYTES : 0);
        for (int sort = 0; sort < SORTS; sort++) {
            poise_fetch(motor->parts[sort], motor->parts[sort] ? MOTOR_BYTES : 0);
        }
    }
}

void poise__rig_fetch(const PoiseRig* rig, int part) {
    const int half = rig->binding_count / 2;
    if (rig->binding_count == 0) {
        return;
    }
    if (part < 2) {
        poise_fetch(&rig->bindings[part * half],
                    (size_t)(part == 0 ? half : rig->binding_count - half) * sizeof *rig->bindings);
    } else if (part == 2) {
        poise_fetch(rig->state.joints, (size_t)rig->binding_count * sizeof *rig->state.joints);
    } else if (part == 3) {
        poise_fetch(rig->values, (size_t)rig->value_count * sizeof *rig->values);
    } else if (part >= RIG_PARTS - 3) {
        fetch_bodies(rig, part - (RIG_PARTS - 3));
    }
    poise_tree_fetch(rig->state.tree, part);
}
