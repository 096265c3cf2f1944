// SPDX-License-Identifier: MIT
// Adds bodies that fixed joints join to the link of a node to that link: mass, centre of mass and
// inertia.
#include "convert.h"
#include "rig.h"

// Adds the inertia of a point mass at the offset d, m, from the centre.
static void add_offset(double* inertia, double mass, PoiseVec3 d) {
    const double x = mass * d.x * d.x;
    const double y = mass * d.y * d.y;
    const double z = mass * d.z * d.z;
    const double more[INERTIAS] = {
        y + z, x + z, x + y, -mass * d.x * d.y, -mass * d.x * d.z, -mass * d.y * d.z};
    for (int i = 0; i < INERTIAS; i++) {
        inertia[i] += more[i];
    }
}

void poise__inertia_add(Binding* binding, const dMass* mass, PoisePose body_in_child) {
    const double own = (double)mass->mass;
    const double sum = binding->mass + own;
    const PoiseVec3 weighed =
        poise_add(poise_scale(binding->mass, binding->centre), poise_scale(own, body_in_child.p));
    const PoiseVec3 centre = poise_scale(1.0 / sum, weighed);
    add_offset(binding->inertia, binding->mass, poise_sub(binding->centre, centre));
    add_offset(binding->inertia, own, poise_sub(body_in_child.p, centre));
    PoiseVec3 columns[3];
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 axis =
            poise_quat_unrotate(body_in_child.q, poise_vec3(k == 0, k == 1, k == 2));
        dVector3 turned = {axis.x, axis.y, axis.z, 0.0};
        dVector3 moment;
        dMultiply0_331(moment, mass->I, turned);
        columns[k] = poise_quat_rotate(body_in_child.q, poise__vec3_from(moment));
    }
    const double more[INERTIAS] = {columns[0].x, columns[1].y, columns[2].z,
                                   columns[1].x, columns[2].x, columns[2].y};
    for (int i = 0; i < INERTIAS; i++) {
        binding->inertia[i] += more[i];
    }
    binding->centre = centre;
    binding->mass = sum;
}

PoiseStatus poise__weld_add(PoiseRig* rig, PoiseNodeId node, dBodyID holder, dBodyID body) {
    if (!poise__grow(&rig->host, &rig->welds, &rig->weld_capacity, rig->weld_count + 1,
                     sizeof *rig->welds)) {
        return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "poise_rig_import: no memory");
    }
    Binding* binding = poise__binding(rig, node);
    const PoisePose from_link = poise_pose_inverse(poise__binding_link(binding));
    const Weld weld = {node, body, holder, poise_pose_mul(from_link, poise__body_pose(body))};
    rig->welds[rig->weld_count++] = weld;
    dMass mass;
    dBodyGetMass(body, &mass);
    poise__inertia_add(binding, &mass, poise_pose_mul(binding->link_in_body, weld.body_in_link));
    binding->com_link =
        poise_pose_apply(poise_pose_inverse(binding->link_in_body), binding->centre);
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
    // reads only the holder's joints, since the body may be destroyed
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
