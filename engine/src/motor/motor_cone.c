// SPDX-License-Identifier: MIT
// Keeps a ball inside its cone. ODE's ball joint has no stops, so Poise adds a dJointAMotor with
// stops on two axes, for swing and twist. Each update sets the axes and angles.
#include <math.h>

#include "motor.h"

static dJointID make_stop(Motor* motor) {
    dJointID stop = poise__motor_pool_take(motor->pool, dBodyGetWorld(motor->child), ABOUT);
    dJointAttach(stop, motor->child, motor->parent);
    dJointSetAMotorMode(stop, dAMotorUser);
    dJointSetAMotorNumAxes(stop, 2);
    // marks the joint as Poise's (mark_of in bind.c)
    dJointSetData(stop, (void*)motor->joint);
    return stop;
}

static void set_stop(dJointID joint, int which, const ConeStop* stop) {
    const int group = dParamGroup * which;
    const PoiseVec3 axis = stop->axis;
    dJointSetAMotorAxis(joint, which, 1, (dReal)axis.x, (dReal)axis.y, (dReal)axis.z);
    dJointSetAMotorAngle(joint, which, (dReal)stop->angle);
    dJointSetAMotorParam(joint, dParamLoStop + group,
                         isinf(stop->lower) ? -dInfinity : (dReal)stop->lower);
    dJointSetAMotorParam(joint, dParamHiStop + group,
                         isinf(stop->upper) ? dInfinity : (dReal)stop->upper);
}

static bool is_inside(const ConeStop* stop) {
    return stop->angle > stop->lower && stop->angle < stop->upper;
}

void poise__motor_hold_cone(Motor* motor, const ConeStop stops[2]) {
    for (int i = 0; i < 2; i++) {
        if (!poise__is_axis(stops[i].axis) || !isfinite(stops[i].angle)) {
            poise__motor_free_cone(motor);
            return;
        }
    }
    const bool inside = is_inside(&stops[0]) && is_inside(&stops[1]);
    if (!motor->stop) {
        motor->stop = make_stop(motor);
    } else if (inside && motor->has_stop && motor->stop_rests) {
        return; // while the ball is inside, the stops in ODE stay inactive and need no update
    }
    motor->has_stop = true;
    motor->stop_rests = inside;
    set_stop(motor->stop, 0, &stops[0]);
    set_stop(motor->stop, 1, &stops[1]);
}

void poise__motor_free_cone(Motor* motor) {
    motor->has_stop = false;
    for (int i = 0; motor->stop && i < 2; i++) {
        dJointSetAMotorParam(motor->stop, dParamLoStop + dParamGroup * i, -dInfinity);
        dJointSetAMotorParam(motor->stop, dParamHiStop + dParamGroup * i, dInfinity);
    }
}
