// SPDX-License-Identifier: MIT
// The bodies of a rehearsal, and which joints it needs: all that hang on what the rig has bound.
#include "ode_joint.h"
#include "rehearsal.h"

dBodyID poise__copy_of_body(const Rehearsal* rehearsal, dBodyID body) {
    for (int i = 0; body && i < rehearsal->body_count; i++) {
        if (rehearsal->bodies[i].of == body) {
            return rehearsal->bodies[i].copy;
        }
    }
    return NULL;
}

dJointID poise__copy_of_joint(const Rehearsal* rehearsal, dJointID joint) {
    for (int i = 0; joint && i < rehearsal->joint_count; i++) {
        if (rehearsal->joints[i].of == joint) {
            return rehearsal->joints[i].copy;
        }
    }
    return NULL;
}

// ------------------------------------------------------------------------------------------ world

static void make_world(Rehearsal* rehearsal, dWorldID like) {
    dVector3 g;
    rehearsal->world = dWorldCreate();
    rehearsal->contacts = dJointGroupCreate(0);
    dWorldGetGravity(like, g);
    dWorldSetGravity(rehearsal->world, g[0], g[1], g[2]);
    dWorldSetERP(rehearsal->world, dWorldGetERP(like));
    dWorldSetCFM(rehearsal->world, dWorldGetCFM(like));
    dWorldSetContactMaxCorrectingVel(rehearsal->world, dWorldGetContactMaxCorrectingVel(like));
    dWorldSetContactSurfaceLayer(rehearsal->world, dWorldGetContactSurfaceLayer(like));
}

// ------------------------------------------------------------------------------------------ bodies

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

// A body again; `base`: it stands where it is.
static bool add_body(Rehearsal* rehearsal, dBodyID body, bool base) {
    if (!body || poise__copy_of_body(rehearsal, body)) {
        return true;
    }
    if (!poise__grow(&rehearsal->host, &rehearsal->bodies, &rehearsal->body_capacity,
                     rehearsal->body_count + 1, sizeof *rehearsal->bodies)) {
        return false;
    }
    dMass mass;
    dBodyID copy = dBodyCreate(rehearsal->world);
    dBodyGetMass(body, &mass);
    dBodySetMass(copy, &mass);
    poise__copy_place(copy, body);
    dBodySetAutoDisableFlag(copy, 0);
    if (base || dBodyIsKinematic(body)) {
        dBodySetKinematic(copy);
    } else {
        copy_motion(copy, body);
    }
    rehearsal->bodies[rehearsal->body_count++] = (BodyPair){body, copy};
    return true;
}

// those that the rig knows; bases last, so that a base that is also a link moves as that
static PoiseStatus add_bodies(Rehearsal* rehearsal, const PoiseRig* rig) {
    bool room = true;
    for (int b = 0; room && b < rig->binding_count; b++) {
        room = add_body(rehearsal, rig->bindings[b].motor.child, false);
    }
    for (int i = 0; room && i < rig->weld_count; i++) {
        room = add_body(rehearsal, rig->welds[i].body, false);
    }
    for (int b = 0; room && b < rig->binding_count; b++) {
        room = add_body(rehearsal, rig->bindings[b].motor.parent, true);
    }
    return room ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}

// ------------------------------------------------------------------------------------------ joints

static PoiseStatus add_joint(Rehearsal* rehearsal, dJointID joint) {
    if (!poise__grow(&rehearsal->host, &rehearsal->joints, &rehearsal->joint_capacity,
                     rehearsal->joint_count + 1, sizeof *rehearsal->joints)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    dBodyID bodies[2];
    for (int side = 0; side < 2; side++) {
        bodies[side] = poise__copy_of_body(rehearsal, dJointGetBody(joint, side));
    }
    dJointID copy = poise__copy_joint(rehearsal->world, joint, bodies);
    if (!copy) {
        return POISE_ERROR_WRONG_KIND;
    }
    rehearsal->joints[rehearsal->joint_count++] = (JointPair){joint, copy};
    return POISE_OK;
}

// what a joint of a body is to the rehearsal; contacts are not known
static PoiseStatus take_joint(Rehearsal* rehearsal, const PoiseRig* rig, dJointID joint) {
    dBodyID other[2] = {dJointGetBody(joint, 0), dJointGetBody(joint, 1)};
    if (!poise__ode_joint_ties(joint) || poise__rig_is_motor(rig, joint) ||
        poise__copy_of_joint(rehearsal, joint)) {
        return POISE_OK;
    }
    bool known = true, moves = false;
    for (int side = 0; side < 2; side++) {
        dBodyID of = poise__copy_of_body(rehearsal, other[side]);
        known = known && (of || !other[side]);
        moves = moves || (of && !dBodyIsKinematic(of));
    }
    return !moves ? POISE_OK : known ? add_joint(rehearsal, joint) : POISE_ERROR_WRONG_KIND;
}

static PoiseStatus add_joints(Rehearsal* rehearsal, const PoiseRig* rig) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < rehearsal->body_count; i++) {
        dBodyID body = rehearsal->bodies[i].of;
        for (int k = 0; status == POISE_OK && k < dBodyGetNumJoints(body); k++) {
            status = take_joint(rehearsal, rig, dBodyGetJoint(body, k));
        }
    }
    return status;
}

PoiseStatus poise__copy_bodies(Rehearsal* rehearsal, const PoiseRig* rig) {
    make_world(rehearsal, rig->world);
    const PoiseStatus status = add_bodies(rehearsal, rig);
    return status < 0 ? status : add_joints(rehearsal, rig);
}
