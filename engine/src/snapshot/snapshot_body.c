// SPDX-License-Identifier: MIT
// Saves the state of a body, checks a saved state, and restores it to the last bit.
#include <math.h>
#include <string.h>

#include "saving.h"

static void copy(dReal* to, const dReal* from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

// Restarts the body's count of idle steps, which ODE can neither return nor set.
static void restart_idle_count(dBodyID body) {
    if (!dBodyGetAutoDisableFlag(body)) {
        return;
    }
    bool enabled = dBodyIsEnabled(body) != 0;
    dBodySetAutoDisableAverageSamplesCount(body,
                                           (unsigned)dBodyGetAutoDisableAverageSamplesCount(body));
    dBodyEnable(body);
    if (!enabled) {
        dBodyDisable(body);
    }
}

void poise__body_keep(dBodyID body, char** to) {
    BodyState state;
    memset(&state, 0, sizeof state);
    if (body) {
        copy(state.position, dBodyGetPosition(body), 3);
        copy(state.quaternion, dBodyGetQuaternion(body), 4);
        copy(state.rotation, dBodyGetRotation(body), 12);
        copy(state.linear, dBodyGetLinearVel(body), 3);
        copy(state.angular, dBodyGetAngularVel(body), 3);
        copy(state.force, dBodyGetForce(body), 3);
        copy(state.torque, dBodyGetTorque(body), 3);
        state.enabled = dBodyIsEnabled(body);
        state.kinematic = dBodyIsKinematic(body);
        state.gravity = dBodyGetGravityMode(body);
        restart_idle_count(body);
    }
    poise__put(to, &state, sizeof state);
}

// Largest position, velocity, force or torque that is accepted, SI units: larger ones may make ODE
// end the process. ROTATION_ROUNDING: tolerance of rotations.
static const double MAX_BODY_NUMBER = 1e15;
static const double ROTATION_ROUNDING = 1e-6;

static bool are_below(const dReal* numbers, int count, double most) {
    for (int i = 0; i < count; i++) {
        if (!(fabs(numbers[i]) <= most)) {
            return false;
        }
    }
    return true;
}

const char* poise__body_problem(dBodyID body, const char** from) {
    BodyState state;
    poise__take(from, &state, sizeof state);
    const dReal* q = state.quaternion;
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const bool sound = !body || (fabs(square - 1.0) <= ROTATION_ROUNDING &&
                                 are_below(state.rotation, 12, 1.0 + ROTATION_ROUNDING) &&
                                 are_below(state.position, 3, MAX_BODY_NUMBER) &&
                                 are_below(state.linear, 3, MAX_BODY_NUMBER) &&
                                 are_below(state.angular, 3, MAX_BODY_NUMBER) &&
                                 are_below(state.force, 3, MAX_BODY_NUMBER) &&
                                 are_below(state.torque, 3, MAX_BODY_NUMBER));
    return sound ? NULL : "the numbers of a body in the snapshot are out of their ranges";
}

void poise__body_put(dBodyID body, const char** from) {
    BodyState state;
    poise__take(from, &state, sizeof state);
    if (!body) {
        return;
    }
    // ODE's setter would normalise the quaternion again and change its bits. The position is set
    // last, since its setter updates the geoms.
    copy((dReal*)dBodyGetQuaternion(body), state.quaternion, 4);
    copy((dReal*)dBodyGetRotation(body), state.rotation, 12);
    dBodySetPosition(body, state.position[0], state.position[1], state.position[2]);
    dBodySetLinearVel(body, state.linear[0], state.linear[1], state.linear[2]);
    dBodySetAngularVel(body, state.angular[0], state.angular[1], state.angular[2]);
    dBodySetForce(body, state.force[0], state.force[1], state.force[2]);
    dBodySetTorque(body, state.torque[0], state.torque[1], state.torque[2]);
    if ((dBodyIsKinematic(body) != 0) != (state.kinematic != 0)) {
        (state.kinematic ? dBodySetKinematic : dBodySetDynamic)(body);
    }
    dBodySetGravityMode(body, state.gravity);
    restart_idle_count(body);
    (state.enabled ? dBodyEnable : dBodyDisable)(body);
}
