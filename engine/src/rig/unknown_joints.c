// SPDX-License-Identifier: MIT
// Finds joints at the rig's bodies that the rig does not know. The rig's balance of torques lacks
// their forces, so a forecast with such joints is only an estimate.
#include "ode_joint.h"
#include "rig.h"

bool poise__rig_is_motor(const PoiseRig* rig, dJointID joint) {
    for (int b = 0; b < rig->binding_count; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        if (motor->stop == joint || motor->parts[ABOUT] == joint || motor->parts[ALONG] == joint) {
            return true;
        }
    }
    return false;
}

// True if the joint is a motor that may stand for the dry friction of a binding
// (PoiseBindDef.friction).
static bool is_friction(const Binding* binding, dJointID joint) {
    const dJointType type = dJointGetType(joint);
    const Motor* motor = &binding->motor;
    return binding->friction > 0.0 && (type == dJointTypeAMotor || type == dJointTypeLMotor) &&
           (dJointGetBody(joint, 0) == motor->child || dJointGetBody(joint, 1) == motor->child) &&
           (dJointGetBody(joint, 0) == motor->parent || dJointGetBody(joint, 1) == motor->parent);
}

// True if the rig knows the joint, or the joint restricts no motion of the rig.
static bool is_known(const PoiseRig* rig, dJointID joint) {
    bool known = !poise__ode_joint_ties(joint) || poise__rig_is_motor(rig, joint);
    for (int b = 0; b < rig->binding_count && !known; b++) {
        known = rig->bindings[b].motor.joint == joint || is_friction(&rig->bindings[b], joint);
    }
    for (int i = 0; i < rig->closure_count && !known; i++) {
        known = rig->closures[i].joint == joint;
    }
    const Binding* one = poise__binding_of_body(rig, dJointGetBody(joint, 0));
    // a joint between two bodies of one link restricts no motion of the rig
    return known || (one && one == poise__binding_of_body(rig, dJointGetBody(joint, 1)));
}

static bool is_tied(const PoiseRig* rig, dBodyID body) {
    bool tied = false;
    for (int i = 0; i < dBodyGetNumJoints(body) && !tied; i++) {
        tied = !is_known(rig, dBodyGetJoint(body, i));
    }
    return tied;
}

bool poise__rig_is_tied(const PoiseRig* rig) {
    bool tied = false;
    for (int b = 0; b < rig->binding_count && !tied; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        tied = poise__motor_alive(motor) && is_tied(rig, motor->child);
    }
    for (int i = 0; i < rig->weld_count && !tied; i++) {
        tied = poise__weld_holds(rig, &rig->welds[i]) && is_tied(rig, rig->welds[i].body);
    }
    return tied;
}
