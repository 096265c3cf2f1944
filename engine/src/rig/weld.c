// SPDX-License-Identifier: MIT
// Bodies that a joint fixes to the link of a node: they count as part of the link.
#include "convert.h"
#include "rig.h"

PoiseStatus poise__weld_add(PoiseRig* rig, PoiseNodeId node, dBodyID holder, dBodyID body) {
    if (!poise__grow(&rig->host, &rig->welds, &rig->weld_capacity, rig->weld_count + 1,
                     sizeof *rig->welds)) {
        return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "poise_rig_import: no memory");
    }
    Binding* binding = poise__binding(rig, node);
    PoisePose link_world =
        poise_pose_mul(poise__body_pose(binding->motor.child), binding->link_in_body);
    Weld weld = {node, body, holder,
                 poise_pose_mul(poise_pose_inverse(link_world), poise__body_pose(body))};
    rig->welds[rig->weld_count++] = weld;
    dMass mass;
    dBodyGetMass(body, &mass);
    double sum = binding->mass + (double)mass.mass;
    binding->com_link =
        poise_scale(1.0 / sum, poise_add(poise_scale(binding->mass, binding->com_link),
                                         poise_scale((double)mass.mass, weld.body_in_link.p)));
    binding->mass = sum;
    return poise_node_set_mass(rig->state.tree, node, binding->mass, binding->com_link);
}

bool poise__weld_holds(const PoiseRig* rig, const Weld* weld) {
    const Binding* link = poise__binding(rig, weld->node);
    if (!poise__motor_alive(&link->motor)) {
        return false;
    }
    bool held = weld->holder == link->motor.child;
    for (const Weld* other = rig->welds; !held && other < weld; other++) {
        held = other->body == weld->holder && poise__weld_holds(rig, other);
    }
    // looks among the holder's joints for the body, which may be gone
    return held && dAreConnected(weld->holder, weld->body);
}

Binding* poise__binding_of_body(const PoiseRig* rig, dBodyID body) {
    for (int i = 0; body && i < rig->binding_count; i++) {
        if (rig->bindings[i].motor.child == body) {
            return &rig->bindings[i];
        }
    }
    for (int i = 0; body && i < rig->weld_count; i++) {
        if (rig->welds[i].body == body && poise__weld_holds(rig, &rig->welds[i])) {
            return poise__binding(rig, rig->welds[i].node);
        }
    }
    return NULL;
}

PoiseNodeId poise_rig_node_of_body(const PoiseRig* rig, dBodyID body) {
    const Binding* binding = rig ? poise__binding_of_body(rig, body) : NULL;
    return binding ? binding->node : poise_null_node();
}
