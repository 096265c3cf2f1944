// SPDX-License-Identifier: MIT
// Copies the bodies of a rig and all bodies that joints tie to them, with these joints.
#include <stdio.h>

#include "copy.h"
#include "ode_init.h"
#include "ode_joint.h"

dBodyID poise__copy_of_body(const Copy* copy, dBodyID body) {
    for (int i = 0; body && i < copy->body_count; i++) {
        if (copy->bodies[i].of == body) {
            return copy->bodies[i].copy;
        }
    }
    return NULL;
}

dJointID poise__copy_of_joint(const Copy* copy, dJointID joint) {
    for (int i = 0; joint && i < copy->joint_count; i++) {
        if (copy->joints[i].of == joint) {
            return copy->joints[i].copy;
        }
    }
    return NULL;
}

// ------------------------------------------------------------------------------------------ bodies

static void make_world(Copy* copy, dWorldID like) {
    dVector3 g;
    copy->world = dWorldCreate();
    copy->contacts = dJointGroupCreate(0);
    dWorldGetGravity(like, g);
    dWorldSetGravity(copy->world, g[0], g[1], g[2]);
    dWorldSetERP(copy->world, dWorldGetERP(like));
    dWorldSetCFM(copy->world, dWorldGetCFM(like));
    dWorldSetContactMaxCorrectingVel(copy->world, dWorldGetContactMaxCorrectingVel(like));
    dWorldSetContactSurfaceLayer(copy->world, dWorldGetContactSurfaceLayer(like));
}

static void copy_motion(dBodyID to, dBodyID from) {
    const dReal* v = dBodyGetLinearVel(from);
    const dReal* w = dBodyGetAngularVel(from);
    dBodySetLinearVel(to, v[0], v[1], v[2]);
    dBodySetAngularVel(to, w[0], w[1], w[2]);
    dBodySetLinearDamping(to, dBodyGetLinearDamping(from));
    dBodySetAngularDamping(to, dBodyGetAngularDamping(from));
    dBodySetLinearDampingThreshold(to, dBodyGetLinearDampingThreshold(from));
    dBodySetAngularDampingThreshold(to, dBodyGetAngularDampingThreshold(from));
    dBodySetMaxAngularSpeed(to, dBodyGetMaxAngularSpeed(from));
    dVector3 axis;
    dBodyGetFiniteRotationAxis(from, axis);
    dBodySetFiniteRotationMode(to, dBodyGetFiniteRotationMode(from));
    dBodySetFiniteRotationAxis(to, axis[0], axis[1], axis[2]);
    dBodySetGyroscopicMode(to, dBodyGetGyroscopicMode(from));
    dBodySetGravityMode(to, dBodyGetGravityMode(from));
}

// Adds the copy of a body; false if memory runs out. The copy of a kinematic body does not move.
static bool add_body(Copy* copy, dBodyID body) {
    if (!body || poise__copy_of_body(copy, body)) {
        return true;
    }
    if (!poise__grow(&copy->host, &copy->bodies, &copy->body_capacity, copy->body_count + 1,
                     sizeof *copy->bodies)) {
        return false;
    }
    dMass mass;
    dBodyID made = dBodyCreate(copy->world);
    dBodyGetMass(body, &mass);
    dBodySetMass(made, &mass);
    poise__copy_place(made, body);
    dBodySetAutoDisableFlag(made, 0);
    if (dBodyIsKinematic(body)) {
        dBodySetKinematic(made);
    } else {
        copy_motion(made, body);
    }
    copy->bodies[copy->body_count++] = (BodyPair){body, made};
    return true;
}

static bool add_bodies(Copy* copy, const PoiseRig* rig) {
    bool room = true;
    for (int b = 0; room && b < rig->binding_count; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        room = add_body(copy, motor->child) && add_body(copy, motor->parent);
    }
    for (int i = 0; room && i < rig->weld_count; i++) {
        room = !poise__weld_holds(rig, &rig->welds[i]) || add_body(copy, rig->welds[i].body);
    }
    return room;
}

// ------------------------------------------------------------------------------------------ joints

// True if the joint has to be copied: it moves a body, and is not a motor that the rig created.
// Includes a bound joint that is disabled, so that the copied rig can bind it.
static bool matters(const Copy* copy, const PoiseRig* rig, dJointID joint) {
    bool moves = false, counts = poise__ode_joint_ties(joint);
    for (int b = 0; b < rig->binding_count; b++) {
        counts = counts || rig->bindings[b].motor.joint == joint;
    }
    for (int side = 0; side < 2; side++) {
        dBodyID body = dJointGetBody(joint, side);
        moves = moves || (body && !dBodyIsKinematic(body));
    }
    return moves && counts && !poise__rig_is_motor(rig, joint) &&
           !poise__copy_of_joint(copy, joint);
}

static PoiseStatus add_joint(Copy* copy, dJointID joint) {
    dBodyID bodies[2];
    for (int side = 0; side < 2; side++) {
        if (!add_body(copy, dJointGetBody(joint, side))) {
            return POISE_ERROR_OUT_OF_MEMORY;
        }
        bodies[side] = poise__copy_of_body(copy, dJointGetBody(joint, side));
    }
    if (!poise__grow(&copy->host, &copy->joints, &copy->joint_capacity, copy->joint_count + 1,
                     sizeof *copy->joints)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    dJointID made = poise__copy_joint(copy->world, joint, bodies);
    if (!made) {
        snprintf(copy->why, sizeof copy->why, "a %s holds one of its bodies, and has no copy",
                 poise__ode_joint_name(dJointGetType(joint)));
        return POISE_ERROR_WRONG_KIND;
    }
    copy->joints[copy->joint_count++] = (JointPair){joint, made};
    return POISE_OK;
}

PoiseStatus poise__copy_bodies(Copy* copy, const PoiseRig* rig) {
    // poise__count_ode_user fails only if no thread-local key is free, which no test reaches
    if (!poise__count_ode_user()) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    make_world(copy, rig->world);
    PoiseStatus status = add_bodies(copy, rig) ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
    // add_joint appends the other body of a joint, so the loop reaches all tied bodies; it does not
    // follow the joints of kinematic bodies, which are fixed in the copy
    for (int i = 0; i < copy->body_count; i++) {
        dBodyID body = copy->bodies[i].of;
        const int count = dBodyIsKinematic(body) ? 0 : dBodyGetNumJoints(body);
        for (int k = 0; status == POISE_OK && k < count; k++) {
            dJointID joint = dBodyGetJoint(body, k);
            status = matters(copy, rig, joint) ? add_joint(copy, joint) : POISE_OK;
        }
    }
    return status;
}
