// SPDX-License-Identifier: MIT
// The motor's life and its rows. What a row does: lambda = D (Vel - v_new) with Vel the row's
// target and CFM = 1 / D; with D = h p + d and D Vel = p e + d v_ref + ff that is the implicit
// Euler step of the spring-damper. motor_read.c comes before it in the step, dWorldStep after.
#include "motor.h"

#include <math.h>
#include <string.h>

#include "convert.h"

// the least D of a row, N m s/rad: with it a pure feed-forward is a row like the others, which does
// not pile up on sleeping bodies as dBodyAddTorque does, and can be read back and limited
static const double LEAST_DAMPING = 1e-12;
// the largest force of a row, N m: beyond it the velocities that follow would overflow in ODE,
// which ends the process
static const double MOST_FORCE = 1e30;

typedef struct Row {
    double force; // at rest: p e + d v_ref + ff
    double damping;
} Row;

static bool is_within(double value, double least, double most) {
    return value >= least && value <= most;
}

static Row make_row(PoiseSpring spring, double error, double velocity, double feed_forward,
                    double dt) {
    Row row;
    row.force = spring.stiffness * error + spring.damping * velocity + feed_forward;
    row.damping = fmax(dt * spring.stiffness + spring.damping, LEAST_DAMPING);
    return row;
}

// a NaN fails every comparison
static bool is_usable(Row row) {
    return is_within(row.force, -MOST_FORCE, MOST_FORCE) &&
           is_within(row.damping, LEAST_DAMPING, MOST_FORCE);
}

static bool are_usable(PoiseSpring spring, double limit, double dt) {
    return is_within(spring.stiffness, 0.0, MOST_FORCE) &&
           is_within(spring.damping, 0.0, MOST_FORCE) && limit > 0.0 && dt > 0.0 && isfinite(dt);
}

static void set_parameter(const Motor* motor, int parameter, double value) {
    if (motor->kind == POISE_NODE_SLIDER) {
        dJointSetLMotorParam(motor->motor, parameter, (dReal)value);
    } else {
        dJointSetAMotorParam(motor->motor, parameter, (dReal)value);
    }
}

static void set_row(const Motor* motor, int axis, Row row, double limit) {
    int group = dParamGroup * axis;
    set_parameter(motor, dParamVel + group, row.force / row.damping);
    set_parameter(motor, dParamCFM + group, 1.0 / row.damping);
    set_parameter(motor, dParamFMax + group, isinf(limit) ? (double)dInfinity : limit);
}

static int axis_count(const Motor* motor) {
    return motor->kind == POISE_NODE_BALL ? 3 : 1;
}

// ODE writes the feedback only where a row was in the step: what is older must not be read as new
static void forget_feedback(Motor* motor) {
    memset(&motor->feedback, 0, sizeof motor->feedback);
}

void poise__motor_attach(Motor* motor, dWorldID world, dJointID joint, dBodyID child,
                         PoiseNodeKind kind) {
    memset(motor, 0, sizeof *motor);
    motor->kind = kind;
    motor->joint = joint;
    motor->child = child;
    motor->parent =
        dJointGetBody(joint, 0) == child ? dJointGetBody(joint, 1) : dJointGetBody(joint, 0);
    motor->group = dJointGroupCreate(0);
    // (child, parent) and (child, 0), never (0, child), whose velocity ODE counts the other way
    if (kind == POISE_NODE_SLIDER) {
        motor->motor = dJointCreateLMotor(world, motor->group);
        dJointAttach(motor->motor, child, motor->parent);
        dJointSetLMotorNumAxes(motor->motor, 1);
    } else {
        motor->motor = dJointCreateAMotor(world, motor->group);
        dJointAttach(motor->motor, child, motor->parent);
        dJointSetAMotorMode(motor->motor, dAMotorUser);
        dJointSetAMotorNumAxes(motor->motor, axis_count(motor));
    }
    if (kind == POISE_NODE_BALL) {
        // the world's axes, for good
        dJointSetAMotorAxis(motor->motor, 0, 0, 1.0, 0.0, 0.0);
        dJointSetAMotorAxis(motor->motor, 1, 0, 0.0, 1.0, 0.0);
        dJointSetAMotorAxis(motor->motor, 2, 0, 0.0, 0.0, 1.0);
    }
    poise__motor_moved(motor);
    poise__motor_release(motor);
    poise__motor_read(motor);
}

void poise__motor_detach(Motor* motor) {
    if (motor->group) {
        dJointGroupDestroy(motor->group);
    }
    memset(motor, 0, sizeof *motor);
}

void poise__motor_moved(Motor* motor) {
    if (motor->motor) {
        dJointSetFeedback(motor->motor, &motor->feedback);
    }
}

void poise__motor_release(Motor* motor) {
    if (!motor->motor) {
        return;
    }
    for (int i = 0; i < axis_count(motor); i++) {
        set_parameter(motor, dParamFMax + dParamGroup * i, 0.0);
    }
    motor->driven = false;
    forget_feedback(motor);
}

// the row's axis goes with the child; set each time, so that it follows from where the bodies are
// and not from when it was last looked at
static void put_axis(const Motor* motor) {
    dReal x = (dReal)motor->axis_world.x;
    dReal y = (dReal)motor->axis_world.y;
    dReal z = (dReal)motor->axis_world.z;
    if (motor->kind == POISE_NODE_SLIDER) {
        dJointSetLMotorAxis(motor->motor, 0, 1, x, y, z);
    } else {
        dJointSetAMotorAxis(motor->motor, 0, 1, x, y, z);
    }
}

static bool set_axis(Motor* motor) {
    PoiseVec3 axis = poise__motor_axis(motor);
    // ODE ends the process over an axis of length 0
    if (!(poise_length(axis) > 0.5) || !poise_is_finite3(axis)) {
        return false;
    }
    motor->axis_world = axis;
    put_axis(motor);
    return true;
}

bool poise__motor_drive_hinge(Motor* motor, const PoiseHingeDrive* drive, double feed_forward,
                              double limit, double dt) {
    PoiseSpring spring = drive->spring;
    Row row = make_row(spring, drive->target - motor->angle, drive->velocity, feed_forward, dt);
    bool idle = spring.stiffness == 0.0 && spring.damping == 0.0 && feed_forward == 0.0;
    if (idle || !motor->motor || motor->kind == POISE_NODE_BALL || !are_usable(spring, limit, dt) ||
        !is_usable(row) || !set_axis(motor)) {
        poise__motor_release(motor);
        return false;
    }
    set_row(motor, 0, row, limit);
    motor->driven = true;
    forget_feedback(motor);
    return true;
}

bool poise__motor_drive_ball(Motor* motor, const BallPull* pull, double dt) {
    PoiseSpring spring = pull->spring;
    PoiseVec3 e = pull->error_world;
    PoiseVec3 v = pull->velocity_world;
    PoiseVec3 ff = pull->feed_forward;
    Row rows[3] = {make_row(spring, e.x, v.x, ff.x, dt), make_row(spring, e.y, v.y, ff.y, dt),
                   make_row(spring, e.z, v.z, ff.z, dt)};
    bool usable = are_usable(spring, pull->limit, dt) && is_usable(rows[0]) && is_usable(rows[1]) &&
                  is_usable(rows[2]);
    bool idle = spring.stiffness == 0.0 && spring.damping == 0.0 && poise_length(ff) == 0.0;
    if (idle || !usable || !motor->motor || motor->kind != POISE_NODE_BALL) {
        poise__motor_release(motor);
        return false;
    }
    for (int i = 0; i < 3; i++) {
        set_row(motor, i, rows[i], pull->limit);
    }
    motor->driven = true;
    forget_feedback(motor);
    return true;
}

static double parameter_of(const Motor* motor, int parameter) {
    return (double)(motor->kind == POISE_NODE_SLIDER
                        ? dJointGetLMotorParam(motor->motor, parameter)
                        : dJointGetAMotorParam(motor->motor, parameter));
}

void poise__motor_keep_rows(const Motor* motor, MotorRows* rows) {
    memset(rows, 0, sizeof *rows);
    for (int i = 0; i < axis_count(motor); i++) {
        rows->velocity[i] = parameter_of(motor, dParamVel + dParamGroup * i);
        rows->cfm[i] = parameter_of(motor, dParamCFM + dParamGroup * i);
        rows->limit[i] = parameter_of(motor, dParamFMax + dParamGroup * i);
    }
}

void poise__motor_put_rows(Motor* motor, const MotorRows* rows) {
    if (motor->driven && motor->kind != POISE_NODE_BALL) {
        put_axis(motor);
    }
    for (int i = 0; i < axis_count(motor); i++) {
        set_parameter(motor, dParamVel + dParamGroup * i, rows->velocity[i]);
        set_parameter(motor, dParamCFM + dParamGroup * i, rows->cfm[i]);
        set_parameter(motor, dParamFMax + dParamGroup * i, rows->limit[i]);
    }
}

PoiseVec3 poise__motor_torque(const Motor* motor) {
    if (!motor->driven) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    bool linear = motor->kind == POISE_NODE_SLIDER;
    PoiseVec3 given = poise__vec3_from(linear ? motor->feedback.f1 : motor->feedback.t1);
    if (motor->kind == POISE_NODE_BALL) {
        return given;
    }
    return poise_vec3(poise_dot(given, motor->axis_world), 0.0, 0.0);
}
