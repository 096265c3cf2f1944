// SPDX-License-Identifier: MIT
// Computes the torques of the joints of closed chains. A joint without a spring exerts none; the
// closing joint passes its load to the other joints. G are the torques of the weight, J^T F those
// of the asked forces. J_c are the closures' rows, lambda the closing joints' forces. The torques
// tau are those of the displacement dq that the load causes:
//     tau = K dq,   K dq = G + J^T F - J_c^T lambda,   J_c dq = 0.
// Among all torques that do the same work on the motions of the loop, these have the least tau^T
// K^-1 tau.
#include <string.h>

#include "numbers.h"
#include "press.h"
#include "step.h"

// Fills the feed-forward that a joint of a loop would have in the open chain.
static void read_fed(const RigState* state, const JointState* joint, double fed[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    const PoiseNumbers numbers = poise_tree_numbers(state->tree);
    double force[POISE_MAX_DOF] = {0.0};
    poise__fed_weight(state, &numbers, joint, fed);
    poise_node_force_torque(state->tree, binding->node, force);
    for (int d = 0; d < binding->type->nv; d++) {
        fed[d] += force[d];
    }
}

void poise__closures_share(RigState* state) {
    Press* press = &state->press;
    if (state->rig->closure_count == 0) {
        return;
    }
    for (int b = 0; press->point_count == 0 && b < state->rig->binding_count; b++) {
        state->joints[b].stops = state->rig->bindings[b].looped ? 0 : state->joints[b].stops;
    }
    poise__press_fill_compliance(state, press);
    poise__kkt_fill(state, state->tree, press->kkt, press->first, press->compliance);
    if (press->kkt->row_count == 0) {
        return;
    }
    double* load = press->spring;
    double* displacement = press->posture;
    memset(load, 0, (size_t)press->number_count * sizeof *load);
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        const Binding* binding = joint->of;
        if (binding->looped && state->rig->settings.gravity && joint->anchored) {
            poise_node_gravity_torque(state->tree, binding->node, &load[press->first[b]]);
        }
        if (binding->looped) {
            poise__add_asked(state, binding->node, &load[press->first[b]]);
        }
    }
    poise__kkt_solve(press->kkt, press->compliance, load, displacement);
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        Binding* binding = &state->rig->bindings[b];
        double fed[POISE_MAX_NV];
        poise__joint_clear(joint, joint->closing);
        if (!binding->looped) {
            continue;
        }
        read_fed(state, joint, fed);
        for (int d = 0; d < binding->type->nv; d++) {
            const int i = press->first[b] + d;
            const bool stopped = (joint->stops >> d & 1u) != 0;
            const double carried =
                press->compliance[i] > 0.0 ? displacement[i] / press->compliance[i] : 0.0;
            joint->closing[d] = stopped ? 0.0 : carried - fed[d];
        }
    }
}
