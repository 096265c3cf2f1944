// SPDX-License-Identifier: MIT
// The motor's life and its rows. What a row does: lambda = D (Vel - v_new) with Vel the row's
// target and CFM = 1 / D; with D = h p + d and D Vel = p e + d v_ref + ff that is the implicit
// Euler step of the spring-damper. motor_read.c comes before it in the step, dWorldStep after.
#include "motor.h"

#include <math.h>
#include <string.h>

#include "base/convert.h"

// the least D of a row, N m s/rad: with it a pure feed-forward is a row like the others, which does
// not pile up on sleeping bodies as dBodyAddTorque does, and can be read back and limited
static const double LEAST_DAMPING = 1e-12;
// the largest force of a row, N m: beyond it the velocities that follow would overflow in ODE,
// which ends the process
static const double MOST_FORCE = 1e30;
// axes no farther apart are the same but for rounding
static const double SAME_AXIS = 1e-12;

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
    row.damping = poise_max(dt * spring.stiffness + spring.damping, LEAST_DAMPING);
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

// whether its rows go along their axes: those of `linear` always, the others of some kinds
static bool is_along(PoiseNodeKind kind) {
    return kind == POISE_NODE_SLIDER || kind == POISE_NODE_TRANSLATION;
}

// one of our two joints
typedef struct Part {
    dJointID joint;
    bool linear;
    int first; // of its rows in MotorRows
} Part;

static Part main_part(const Motor* motor) {
    const Part part = {motor->motor, is_along(motor->kind), 0};
    return part;
}

static Part linear_part(const Motor* motor) {
    const Part part = {motor->linear, true, 3};
    return part;
}

static void set_parameter(const Part* part, int parameter, double value) {
    if (part->linear) {
        dJointSetLMotorParam(part->joint, parameter, (dReal)value);
    } else {
        dJointSetAMotorParam(part->joint, parameter, (dReal)value);
    }
}

// tells ODE of a row, but for what it was told before: nobody else does
static void set_row(Motor* motor, const Part* part, int axis, Row row, double limit) {
    MotorRows* told = &motor->rows;
    const int group = dParamGroup * axis;
    const int at = part->first + axis;
    const double velocity = row.force / row.damping;
    const double cfm = 1.0 / row.damping;
    if (velocity != told->velocity[at]) {
        set_parameter(part, dParamVel + group, velocity);
        told->velocity[at] = velocity;
    }
    if (cfm != told->cfm[at]) {
        set_parameter(part, dParamCFM + group, cfm);
        told->cfm[at] = cfm;
    }
    if (limit != told->limit[at]) {
        set_parameter(part, dParamFMax + group, isinf(limit) ? (double)dInfinity : limit);
        told->limit[at] = limit;
    }
}

static int axis_count(const Motor* motor) {
    switch (motor->kind) {
    case POISE_NODE_HINGE:
    case POISE_NODE_SLIDER:
        return 1;
    case POISE_NODE_UNIVERSAL:
        return 2;
    default:
        return 3;
    }
}

// ODE writes the feedback only where a row was in the step: what is older must not be read as new
static void forget_feedback(Motor* motor) {
    memset(&motor->feedback, 0, sizeof motor->feedback);
    memset(&motor->linear_feedback, 0, sizeof motor->linear_feedback);
}

// the world's axes, for good
static void set_world_axes(dJointID motor, void (*set)(dJointID, int, int, dReal, dReal, dReal)) {
    set(motor, 0, 0, 1.0, 0.0, 0.0);
    set(motor, 1, 0, 0.0, 1.0, 0.0);
    set(motor, 2, 0, 0.0, 0.0, 1.0);
}

// (child, parent) and (child, 0), never (0, child), whose velocity ODE counts the other way
static dJointID make_angular(const Motor* motor, dWorldID world, int axes) {
    dJointID made = dJointCreateAMotor(world, motor->group);
    dJointAttach(made, motor->child, motor->parent);
    dJointSetAMotorMode(made, dAMotorUser);
    dJointSetAMotorNumAxes(made, axes);
    if (axes == 3) {
        set_world_axes(made, dJointSetAMotorAxis);
    }
    return made;
}

// not a number is not above, infinite not below
static bool is_axis(PoiseVec3 axis) {
    const double square = poise_dot(axis, axis);
    return square > 0.25 && square < HUGE_VAL;
}

// whether ODE has the axis of a hinge or slider from the child: that of its first body
static bool is_childs_axis(const Motor* motor) {
    return !motor->parent || dJointGetBody(motor->joint, 0) == motor->child;
}

// an axis of a row goes with the child. ODE ends the process over an axis of length 0
static bool put_axis(const Motor* motor, int which, PoiseVec3 axis) {
    if (!is_axis(axis)) {
        return false;
    }
    dReal x = (dReal)axis.x;
    dReal y = (dReal)axis.y;
    dReal z = (dReal)axis.z;
    if (is_along(motor->kind)) {
        dJointSetLMotorAxis(motor->motor, which, 1, x, y, z);
    } else {
        dJointSetAMotorAxis(motor->motor, which, 1, x, y, z);
    }
    return true;
}

static dJointID make_linear(const Motor* motor, dWorldID world, int axes) {
    dJointID made = dJointCreateLMotor(world, motor->group);
    dJointAttach(made, motor->child, motor->parent);
    dJointSetLMotorNumAxes(made, axes);
    if (axes == 3) {
        set_world_axes(made, dJointSetLMotorAxis);
    }
    return made;
}

// The axis of a lone row, which goes with the child. Where ODE has it from the child, too, it stays
// there, and is put when the user's joint got another; where from the parent, it is put each time,
// so that it follows from where the bodies are and not from when it was last looked at.
static bool put_own_axis(Motor* motor) {
    const PoiseVec3 axis = poise__motor_axis(motor);
    motor->axis_world = axis;
    if (!is_axis(axis)) {
        return false;
    }
    if (is_childs_axis(motor)) {
        const PoiseQuat child = poise__quat_from(dBodyGetQuaternion(motor->child));
        const PoiseVec3 off = poise_sub(poise_quat_rotate(child, motor->axis_in_child), axis);
        if (poise_dot(off, off) <= SAME_AXIS * SAME_AXIS) {
            return true;
        }
        motor->axis_in_child = poise_quat_unrotate(child, axis);
    }
    return put_axis(motor, 0, axis);
}

static void attach(Motor* motor, dWorldID world) {
    motor->group = dJointGroupCreate(0);
    motor->speed_limit = HUGE_VAL;
    // ODE's motors have no force until they are told of one
    motor->motor = is_along(motor->kind) ? make_linear(motor, world, axis_count(motor))
                                         : make_angular(motor, world, axis_count(motor));
    if (motor->kind == POISE_NODE_FREE) {
        motor->linear = make_linear(motor, world, 3);
    }
    poise__motor_moved(motor);
    poise__motor_read(motor);
    if (axis_count(motor) == 1) {
        (void)put_own_axis(motor);
    }
}

void poise__motor_attach(Motor* motor, dWorldID world, dJointID joint, dBodyID child,
                         PoiseNodeKind kind) {
    memset(motor, 0, sizeof *motor);
    motor->kind = kind;
    motor->joint = joint;
    motor->child = child;
    motor->parent =
        dJointGetBody(joint, 0) == child ? dJointGetBody(joint, 1) : dJointGetBody(joint, 0);
    attach(motor, world);
}

void poise__motor_attach_free(Motor* motor, dWorldID world, dBodyID parent, dBodyID child,
                              PoiseNodeKind kind) {
    memset(motor, 0, sizeof *motor);
    motor->kind = kind;
    motor->child = child;
    motor->parent = parent;
    attach(motor, world);
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
    if (motor->linear) {
        dJointSetFeedback(motor->linear, &motor->linear_feedback);
    }
}

static void release(Motor* motor, const Part* part, int axes) {
    for (int i = 0; part->joint && i < axes; i++) {
        if (motor->rows.limit[part->first + i] != 0.0) {
            set_parameter(part, dParamFMax + dParamGroup * i, 0.0);
            motor->rows.limit[part->first + i] = 0.0;
        }
    }
}

void poise__motor_release(Motor* motor) {
    if (!motor->driven) {
        return;
    }
    const Part main = main_part(motor), linear = linear_part(motor);
    release(motor, &main, axis_count(motor));
    release(motor, &linear, 3);
    motor->driven = false;
    forget_feedback(motor);
}

static PoiseVec3 velocity_of(dBodyID body, bool linear) {
    return body ? poise__vec3_from(linear ? dBodyGetLinearVel(body) : dBodyGetAngularVel(body))
                : poise_vec3(0.0, 0.0, 0.0);
}

// how fast the child goes against its parent, along or about the world axes
static PoiseVec3 rate_of(const Motor* motor, bool linear) {
    if (isinf(motor->speed_limit)) {
        return poise_vec3(0.0, 0.0, 0.0); // nobody asks
    }
    return poise_sub(velocity_of(motor->child, linear), velocity_of(motor->parent, linear));
}

// one row with what its joint did in the last step
typedef struct Drive {
    Row row;
    double rate;  // along or about its axis
    double given; // what the row gave in the last step
    double most;  // speed
    double limit;
} Drive;

// how much stiffer than its spring a row is that keeps a speed
static const double SPEED_STIFFNESS = 1e6;
// a joint stands under load when its row gave at least this part of what its spring pulls with, and
// it goes at less than this part of its speed limit
static const double LOADED = 0.5;
// and may then be given so much more
static const double MORE = 1.1;

// A row that would drive an unloaded joint past its speed limit keeps the limit instead, with no
// more than the torque its spring has at rest. One that stands under load keeps its spring, and
// with it its damping; when the load lets go it is held back one step late.
static void set_row_inside(Motor* motor, const Part* part, int axis, const Drive* drive) {
    Row row = drive->row;
    double force = fabs(row.force);
    double limit = drive->limit;
    if (force > drive->most * row.damping) {
        const double sign = row.force < 0.0 ? -1.0 : 1.0;
        if (sign * drive->given >= LOADED * poise_min(force, limit) &&
            sign * drive->rate <= LOADED * drive->most) {
            limit = poise_min(limit, MORE * sign * drive->given);
        } else {
            limit = poise_min(limit, force);
            row.damping *= SPEED_STIFFNESS;
            row.force = sign * drive->most * row.damping;
        }
    }
    set_row(motor, part, axis, row, limit);
}

bool poise__motor_drive_hinge(Motor* motor, const PoiseHingeDrive* drive, double feed_forward,
                              double limit, double dt) {
    PoiseSpring spring = drive->spring;
    Row row = make_row(spring, drive->target - motor->angle, drive->velocity, feed_forward, dt);
    bool idle = spring.stiffness == 0.0 && spring.damping == 0.0 && feed_forward == 0.0;
    if (idle || !motor->motor || axis_count(motor) != 1 || !are_usable(spring, limit, dt) ||
        !is_usable(row)) {
        poise__motor_release(motor);
        return false;
    }
    Drive set = {row, 0.0, 0.0, motor->speed_limit, limit};
    const bool limited = isfinite(set.most);
    // of the last step, before the axis is that of this one
    set.given = limited ? poise__motor_torque(motor).x : 0.0;
    if (!put_own_axis(motor)) {
        poise__motor_release(motor);
        return false;
    }
    if (limited) {
        set.rate = poise_dot(rate_of(motor, motor->kind == POISE_NODE_SLIDER), motor->axis_world);
    }
    const Part part = main_part(motor);
    set_row_inside(motor, &part, 0, &set);
    motor->driven = true;
    forget_feedback(motor);
    return true;
}

bool poise__motor_drive_universal(Motor* motor, const PoiseHingeDrive drives[2],
                                  const PoiseVec3 axes[2], const double angles[2],
                                  const double feed_forward[2], double limit, double dt) {
    Row rows[2];
    bool idle = true;
    bool usable = motor->motor && motor->kind == POISE_NODE_UNIVERSAL;
    for (int i = 0; i < 2; i++) {
        PoiseSpring spring = drives[i].spring;
        rows[i] =
            make_row(spring, drives[i].target - angles[i], drives[i].velocity, feed_forward[i], dt);
        idle = idle && spring.stiffness == 0.0 && spring.damping == 0.0 && feed_forward[i] == 0.0;
        usable = usable && are_usable(spring, limit, dt) && is_usable(rows[i]) &&
                 put_axis(motor, i, axes[i]);
    }
    if (idle || !usable) {
        poise__motor_release(motor);
        return false;
    }
    const PoiseVec3 rate = rate_of(motor, false);
    const PoiseVec3 given = poise__motor_torque(motor);
    const Part part = main_part(motor);
    for (int i = 0; i < 2; i++) {
        Drive set = {rows[i], poise_dot(rate, axes[i]), i == 0 ? given.x : given.y,
                     motor->speed_limit, limit};
        set_row_inside(motor, &part, i, &set);
    }
    motor->axis_world = axes[0];
    motor->axis2_world = axes[1];
    motor->driven = true;
    forget_feedback(motor);
    return true;
}

// three rows about or along the world axes
static bool drive_three(Motor* motor, const Part* part, const BallPull* pull, PoiseVec3 given,
                        double dt) {
    PoiseSpring spring = pull->spring;
    PoiseVec3 e = pull->error_world;
    PoiseVec3 v = pull->velocity_world;
    PoiseVec3 ff = pull->feed_forward;
    Row rows[3] = {make_row(spring, e.x, v.x, ff.x, dt), make_row(spring, e.y, v.y, ff.y, dt),
                   make_row(spring, e.z, v.z, ff.z, dt)};
    bool usable = are_usable(spring, pull->limit, dt) && is_usable(rows[0]) && is_usable(rows[1]) &&
                  is_usable(rows[2]);
    bool idle = spring.stiffness == 0.0 && spring.damping == 0.0 && poise_length(ff) == 0.0;
    if (idle || !usable) {
        release(motor, part, 3);
        return false;
    }
    // the speed limit is shared out by the way the pull goes
    const bool limited = isfinite(motor->speed_limit);
    const PoiseVec3 rate = rate_of(motor, part->linear);
    const double rates[3] = {rate.x, rate.y, rate.z};
    const double gave[3] = {given.x, given.y, given.z};
    const double force =
        limited ? poise_length(poise_vec3(rows[0].force, rows[1].force, rows[2].force)) : 0.0;
    for (int i = 0; i < 3; i++) {
        double share = force > 0.0 ? fabs(rows[i].force) / force : 1.0;
        double most = share > 0.0 ? share * motor->speed_limit : HUGE_VAL;
        Drive set = {rows[i], rates[i], gave[i], most, pull->limit};
        set_row_inside(motor, part, i, &set);
    }
    motor->driven = true;
    return true;
}

bool poise__motor_drive_ball(Motor* motor, const BallPull* pull, double dt) {
    if (!motor->motor || (motor->kind != POISE_NODE_BALL && motor->kind != POISE_NODE_FREE)) {
        poise__motor_release(motor);
        return false;
    }
    const PoiseVec3 given = poise__motor_torque(motor);
    const bool along = motor->driven && motor->linear;
    motor->driven = false;
    memset(&motor->feedback, 0, sizeof motor->feedback);
    const Part part = main_part(motor);
    bool set = drive_three(motor, &part, pull, given, dt);
    // a free node's other rows are as they were until they are driven, too
    motor->driven = set || along;
    return set;
}

bool poise__motor_drive_linear(Motor* motor, const LinearPull* pull, double dt) {
    const bool alone = motor->kind == POISE_NODE_TRANSLATION;
    const Part part = alone ? main_part(motor) : linear_part(motor);
    if (!part.joint) {
        return false;
    }
    const PoiseVec3 given = alone ? poise__motor_torque(motor) : poise__motor_force(motor);
    const bool about = motor->driven && !alone;
    motor->driven = false;
    memset(alone ? &motor->feedback : &motor->linear_feedback, 0, sizeof motor->feedback);
    const BallPull same = {pull->spring, pull->error_world, pull->velocity_world,
                           pull->feed_forward, pull->limit};
    bool set = drive_three(motor, &part, &same, given, dt);
    motor->driven = set || about;
    return set;
}

static void put_rows(const Part* part, int axes, const MotorRows* rows) {
    for (int i = 0; part->joint && i < axes; i++) {
        const int at = part->first + i;
        const double limit = rows->limit[at];
        set_parameter(part, dParamVel + dParamGroup * i, rows->velocity[at]);
        set_parameter(part, dParamCFM + dParamGroup * i, rows->cfm[at]);
        set_parameter(part, dParamFMax + dParamGroup * i, isinf(limit) ? (double)dInfinity : limit);
    }
}

void poise__motor_put_rows(Motor* motor) {
    // where it is the child's, it stays
    if (motor->driven && axis_count(motor) < 3 &&
        (axis_count(motor) == 2 || !is_childs_axis(motor))) {
        (void)put_axis(motor, 0, motor->axis_world);
    }
    if (motor->driven && axis_count(motor) == 2) {
        (void)put_axis(motor, 1, motor->axis2_world);
    }
    const Part main = main_part(motor), linear = linear_part(motor);
    put_rows(&main, axis_count(motor), &motor->rows);
    put_rows(&linear, 3, &motor->rows);
    if (motor->has_cone) {
        const ConeStop cone = motor->cone;
        poise__motor_hold_cone(motor, &cone);
    } else {
        poise__motor_free_cone(motor);
    }
}

PoiseVec3 poise__motor_torque(const Motor* motor) {
    if (!motor->driven) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    const bool along = is_along(motor->kind);
    PoiseVec3 given = poise__vec3_from(along ? motor->feedback.f1 : motor->feedback.t1);
    if (axis_count(motor) == 3) {
        return given;
    }
    double second = axis_count(motor) == 2 ? poise_dot(given, motor->axis2_world) : 0.0;
    return poise_vec3(poise_dot(given, motor->axis_world), second, 0.0);
}

PoiseVec3 poise__motor_force(const Motor* motor) {
    return motor->driven && motor->linear ? poise__vec3_from(motor->linear_feedback.f1)
                                          : poise_vec3(0.0, 0.0, 0.0);
}

static void add_outside(dBodyID body, const dJointFeedback* feedback, PoiseVec3* force,
                        PoiseVec3* moment) {
    // ODE's are at the centre of mass
    PoiseVec3 f = poise__vec3_from(feedback->f1);
    PoiseVec3 arm = poise__vec3_from(dBodyGetPosition(body));
    *force = poise_add(*force, f);
    *moment = poise_add(*moment, poise_add(poise__vec3_from(feedback->t1), poise_cross(arm, f)));
}

void poise__motor_add_outside(const Motor* motor, PoiseVec3* force, PoiseVec3* moment) {
    if (motor->driven) {
        add_outside(motor->child, &motor->feedback, force, moment);
    }
    if (motor->driven && motor->linear) {
        add_outside(motor->child, &motor->linear_feedback, force, moment);
    }
}
