// SPDX-License-Identifier: MIT
// Returns why a rig cannot move its points: an error, or a missing part of the set-up.
#include "rig.h"

bool poise__point_is_served(const PoiseRig* rig, PoisePointId point) {
    for (int i = 0; i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        if (poise__binding_takes_part(rig, binding) &&
            poise_is_registered(rig->state.tree, point, binding->node)) {
            return true;
        }
    }
    return false;
}

const char* poise_rig_problem(const PoiseRig* rig) {
    if (!rig) {
        return "there is no rig: poise_rig_create refused its def, poise_rig_def_problem says why";
    }
    if (rig->status < 0) {
        return rig->message;
    }
    if (!rig->state.tree) {
        return "the rig's tree has been destroyed";
    }
    // no joint is bound: say this first, since errors of later calls follow from it
    if (rig->binding_count == 0) {
        return rig->imported_nothing
                   ? rig->message
                   : "no joint is bound: call poise_rig_import, poise_rig_add or poise_rig_bind";
    }
    if (poise_tree_status(rig->state.tree) < 0) {
        return poise_tree_message(rig->state.tree);
    }
    for (int i = 0; i < rig->binding_count; i++) {
        if (!poise__motor_alive(&rig->bindings[i].motor)) {
            return "a body or joint of a bound node has been destroyed: call poise_rig_unbind";
        }
    }
    int enabled = 0;
    for (int i = 0; i < poise_tree_point_count(rig->state.tree); i++) {
        const PoisePointId point = poise_tree_point(rig->state.tree, i);
        if (!poise_point_enabled(rig->state.tree, point) ||
            poise_point_priority(rig->state.tree, point) == POISE_PRIORITY_CLOSURE) {
            continue;
        }
        enabled++;
        if (!poise__point_is_served(rig, point)) {
            return "no driven joint is registered with a control point: call poise_register_chain "
                   "or poise_register, and give the joints an IK spring";
        }
    }
    return enabled > 0 ? NULL : "no control point is enabled: call poise_point_create";
}
