// SPDX-License-Identifier: MIT
// A ball's cone in physics, which ODE's ball has none of: a dJointAMotor of ours whose two axes
// have stops and no motor, one about which the swing grows, one about which the twist does. Both
// are turned and told their angles at each update.
#include <math.h>

#include "motor.h"

static dJointID make_stop(Motor* motor) {
    dJointID stop = dJointCreateAMotor(dBodyGetWorld(motor->child), motor->group);
    dJointAttach(stop, motor->child, motor->parent);
    dJointSetAMotorMode(stop, dAMotorUser);
    dJointSetAMotorNumAxes(stop, 2);
    // as our motors are marked, so that nobody takes it for one of the user's
    dJointSetData(stop, (void*)motor->joint);
    return stop;
}

static void set_stop(dJointID stop, int axis, PoiseVec3 about, double angle, double lower,
                     double upper) {
    const int group = dParamGroup * axis;
    dJointSetAMotorAxis(stop, axis, 1, (dReal)about.x, (dReal)about.y, (dReal)about.z);
    dJointSetAMotorAngle(stop, axis, (dReal)angle);
    dJointSetAMotorParam(stop, dParamLoStop + group, isinf(lower) ? -dInfinity : (dReal)lower);
    dJointSetAMotorParam(stop, dParamHiStop + group, isinf(upper) ? dInfinity : (dReal)upper);
}

void poise__motor_hold_cone(Motor* motor, const ConeStop* cone) {
    if (!poise__is_axis(cone->swing_axis) || !poise__is_axis(cone->twist_axis) ||
        !isfinite(cone->swing) || !isfinite(cone->twist)) {
        poise__motor_free_cone(motor);
        return;
    }
    if (!motor->stop) {
        motor->stop = make_stop(motor);
    }
    motor->has_stop = true;
    set_stop(motor->stop, 0, cone->swing_axis, cone->swing, -HUGE_VAL, cone->swing_limit);
    set_stop(motor->stop, 1, cone->twist_axis, cone->twist, cone->twist_lower, cone->twist_upper);
}

void poise__motor_free_cone(Motor* motor) {
    motor->has_stop = false;
    for (int i = 0; motor->stop && i < 2; i++) {
        dJointSetAMotorParam(motor->stop, dParamLoStop + dParamGroup * i, -dInfinity);
        dJointSetAMotorParam(motor->stop, dParamHiStop + dParamGroup * i, dInfinity);
    }
}
