// SPDX-License-Identifier: MIT
// Moves the bodies to the tree's posture, at rest (poise_rig_place_bodies).
#include <string.h>

#include "convert.h"
#include "step.h"

static void set_body(dBodyID body, PoisePose pose) {
    dBodySetPosition(body, (dReal)pose.p.x, (dReal)pose.p.y, (dReal)pose.p.z);
    dQuaternion q = {(dReal)pose.q.w, (dReal)pose.q.x, (dReal)pose.q.y, (dReal)pose.q.z};
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, 0, 0, 0);
    dBodySetAngularVel(body, 0, 0, 0);
}

static void set_welds(PoiseRig* rig, PoiseNodeId node, PoisePose link) {
    for (int i = 0; i < rig->weld_count; i++) {
        const Weld* weld = &rig->welds[i];
        if (weld->node.index1 == node.index1 && poise__weld_holds(rig, weld)) {
            set_body(weld->body, poise_pose_mul(link, weld->body_in_link));
        }
    }
}

PoiseStatus poise_rig_place_bodies(PoiseRig* rig) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__drop_destroyed(rig);
    for (int i = 0; i < rig->binding_count; i++) {
        if (!poise__motor_alive(&rig->bindings[i].motor)) {
            return poise__rig_fail(rig, POISE_ERROR_GONE,
                                   "poise_rig_place_bodies: a body of node %u is gone",
                                   (unsigned)rig->bindings[i].node.index1);
        }
        if (rig->bindings[i].parent == NO_BINDING) {
            poise__read_base(rig, &rig->state.joints[i]);
        }
    }
    PoiseStatus status = poise_forward(rig->state.tree);
    for (int i = 0; status >= 0 && i < rig->binding_count; i++) {
        JointState* joint = &rig->state.joints[i];
        Binding* binding = &rig->bindings[i];
        PoisePose link = poise_node_link_world(rig->state.tree, binding->node);
        set_body(binding->motor.child,
                 poise_pose_mul(link, poise_pose_inverse(binding->link_in_body)));
        set_welds(rig, binding->node, link);
        // coordinates keep the whole turns that the tree's posture has
        poise__joint_from_tree(joint, rig->state.tree);
        poise__joint_clear(joint, joint->error);
        joint->has_driven = false;
        joint->has_last = false;
        const PoisePose child = poise__body_pose(binding->motor.child);
        poise__joint_measure(joint, &child, NULL);
    }
    return status;
}
