// SPDX-License-Identifier: MIT
// Places bodies by hand, at rest: a joint by its coordinates, a body without a joint by its pose.
#include <string.h>

#include "coordinates.h"
#include "running.h"

// Places all bodies by the tree's posture. The tree then gets the posture of the bodies.
static PoiseStatus place_bodies(PoiseSimulation* simulation) {
    PoiseStatus status = poise_rig_place_bodies(simulation->rig);
    status = status >= 0 ? poise_rig_take_posture(simulation->rig) : status;
    for (int i = 0; i < simulation->moving_count; i++) {
        dBodyEnable(simulation->moving[i]);
    }
    return status;
}

PoiseStatus poise_simulation_pose_joint(PoiseSimulation* simulation, int joint, const double* q,
                                        int count) {
    const PoiseNodeId node = poise_simulation_joint_node(simulation, joint);
    if (node.index1 == 0 || !q) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    // Checks the arguments on the tree before any body moves.
    PoiseStatus status = poise_node_set_posture(simulation->tree, node, q, count);
    // The tree may have IK's posture, so the other joints first get the posture of the bodies.
    status = status >= 0 ? poise_rig_take_posture(simulation->rig) : status;
    status = status >= 0 ? poise_node_set_posture(simulation->tree, node, q, count) : status;
    return status >= 0 ? place_bodies(simulation) : status;
}

PoiseStatus poise_simulation_set_natural(PoiseSimulation* simulation, int joint, const double* q,
                                         int count) {
    const PoiseNodeId node = poise_simulation_joint_node(simulation, joint);
    if (node.index1 == 0 || !q) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseSceneJoint* running = &simulation->running_joints[joint];
    if (poise_kind_floats(running->kind)) {
        return POISE_ERROR_WRONG_KIND;
    }
    const PoiseStatus status = poise_rig_set_natural_posture(simulation->rig, node, q, count);
    if (status >= 0) {
        memcpy(running->bind.natural, q, (size_t)count * sizeof *q);
        if (poise_kind_turns(running->kind)) {
            poise__quat_write(poise_quat_normalize(poise__quat_read(q)), running->bind.natural);
        }
    }
    return status;
}

PoiseStatus poise_simulation_place_body(PoiseSimulation* simulation, int body, PoisePose pose) {
    if (!simulation || body < 0 || body >= simulation->scene->body_count ||
        !poise_is_finite_pose(pose)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const int joint = simulation->scene->bodies[body].joint;
    const dBodyID ode = simulation->bodies[body];
    if (!ode || poise_simulation_joint_node(simulation, joint).index1 != 0) {
        return POISE_ERROR_CANNOT_MOVE;
    }
    PoiseStatus status = poise_rig_take_posture(simulation->rig);
    if (status < 0) {
        return status;
    }
    const PoisePose now = poise__simulation_body_pose(simulation, body);
    const dReal* centre = dBodyGetPosition(ode);
    const PoiseVec3 from_frame =
        poise_quat_unrotate(now.q, poise_sub(poise__from_ode(centre), now.p));
    const dReal* turned = dBodyGetQuaternion(ode);
    const PoiseQuat turn = poise__turn_from_ode(turned);
    // The ODE body has its origin at the centre of mass, not at the frame's origin.
    const PoiseQuat in_frame = poise_quat_mul(poise_quat_conjugate(now.q), turn);
    const PoiseVec3 place = poise_pose_apply(pose, from_frame);
    const PoiseQuat q = poise_quat_normalize(poise_quat_mul(pose.q, in_frame));
    const dQuaternion numbers = ODE_TURN(q);
    dBodySetPosition(ode, ODE_XYZ(place));
    dBodySetQuaternion(ode, numbers);
    dBodySetLinearVel(ode, 0, 0, 0);
    dBodySetAngularVel(ode, 0, 0, 0);
    return place_bodies(simulation);
}
