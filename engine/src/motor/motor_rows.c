// SPDX-License-Identifier: MIT
// The motor's rows. What a row does: lambda = D (Vel - v_new) with Vel the row's target and
// CFM = 1 / D; with D = h p + d and D Vel = p e + d v_ref + ff that is the implicit Euler step of
// the spring-damper. dWorldStep comes after it in the step.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "motor.h"
#include "torque_speed_limits.h"

// the least D of a row, N m s/rad: with it a pure feed-forward is a row like the others, which does
// not pile up on sleeping bodies as dBodyAddTorque does, and can be read back and limited
static const double LEAST_DAMPING = 1e-12;
// the largest force of a row, N m: beyond it the velocities that follow would overflow in ODE,
// which ends the process
static const double MOST_FORCE = 1e30;
// a NaN fails every comparison
static bool is_usable(const MotorRow* row, const RowDrive* drive) {
    return row->spring.stiffness >= 0.0 && row->spring.stiffness <= MOST_FORCE &&
           row->spring.damping >= 0.0 && drive->damping <= MOST_FORCE && row->limit > 0.0 &&
           fabs(drive->force) <= MOST_FORCE;
}

// of a usable row, where nothing is below 0
static bool is_idle(const MotorRow* row) {
    return row->spring.stiffness + row->spring.damping + fabs(row->feed_forward) == 0.0;
}

// tells ODE of a row, but for what it was told before: nobody else does
static void set_row(Motor* motor, Sort sort, int d, const RowDrive* drive) {
    const int group = dParamGroup * (d - motor->first[sort]);
    MotorTold* told = &motor->told[d];
    const double velocity = drive->force / drive->damping;
    const double cfm = 1.0 / drive->damping;
    if (velocity != told->velocity) {
        poise__motor_tell(motor, sort, dParamVel + group, velocity);
        told->velocity = velocity;
    }
    if (cfm != told->cfm) {
        poise__motor_tell(motor, sort, dParamCFM + group, cfm);
        told->cfm = cfm;
    }
    if (drive->limit != told->limit) {
        poise__motor_tell_limit(motor, sort, group, drive->limit);
        told->limit = drive->limit;
    }
}

static void release_part(Motor* motor, Sort sort) {
    const int first = motor->first[sort];
    for (int i = 0; i < motor->count[sort]; i++) {
        if (motor->told[first + i].limit != 0.0) {
            poise__motor_tell(motor, sort, dParamFMax + dParamGroup * i, 0.0);
            motor->told[first + i].limit = 0.0;
        }
    }
}

// A step writes the feedback where a row was in it: older must not be read as new. Zeros of minus
// sign tell a step that gave nothing from none.
static inline void forget_part(Motor* motor, Sort sort) {
    dJointFeedback* feedback = motor->feedback[sort];
    for (int i = 0; i < 3; i++) {
        feedback->f1[i] = feedback->t1[i] = (dReal)-0.0;
    }
}

static void forget_given(Motor* motor) {
    for (int sort = 0; sort < SORTS; sort++) {
        if (motor->parts[sort]) {
            forget_part(motor, (Sort)sort);
        }
    }
}

void poise__motor_release(Motor* motor) {
    if (!motor->driven) {
        return;
    }
    for (int sort = 0; sort < SORTS; sort++) {
        release_part(motor, (Sort)sort);
    }
    motor->driven = false;
    forget_given(motor);
}

// what a row is to be; whether it can be
static inline bool make_drive(const MotorRow* row, double dt, RowDrive* drive) {
    drive->force = row->spring.stiffness * row->error + row->spring.damping * row->velocity +
                   row->feed_forward;
    drive->damping = poise_max(dt * row->spring.stiffness + row->spring.damping, LEAST_DAMPING);
    drive->limit = row->limit;
    return is_usable(row, drive);
}

// the rows of one sort; false and nothing told where they are not to be
static bool make_drives(const MotorRow* rows, int count, double dt, RowDrive* drives) {
    bool idle = true;
    bool usable = dt > 0.0 && isfinite(dt);
    for (int i = 0; i < count; i++) {
        idle = idle && is_idle(&rows[i]);
        usable = make_drive(&rows[i], dt, &drives[i]) && usable;
    }
    return usable && !idle;
}

static bool drive_part(Motor* motor, Sort sort, const MotorRow* rows, double dt) {
    const int count = motor->count[sort];
    const int first = motor->first[sort];
    RowDrive drives[3];
    if (!make_drives(&rows[first], count, dt, drives)) {
        release_part(motor, sort);
        return false;
    }
    if (motor->speed_limit < HUGE_VAL && poise__may_be_fast(motor, drives, count)) {
        poise__motor_share_speed(motor, sort, drives);
    }
    for (int i = 0; i < count; i++) {
        set_row(motor, sort, first + i, &drives[i]);
    }
    return true;
}

void poise__motor_drive(Motor* motor, const MotorRow* rows, double dt) {
    bool driven = false;
    for (int sort = 0; sort < SORTS; sort++) {
        if (motor->parts[sort]) {
            driven = drive_part(motor, (Sort)sort, rows, dt) || driven;
        }
    }
    motor->driven = driven;
    // `given` of the step before is read with the axes of its drive
    poise__motor_follow_axes(motor);
    forget_given(motor);
}

void poise__motor_drive_single(Motor* motor, const MotorRow* row, double dt) {
    const Sort sort = motor->parts[ABOUT] ? ABOUT : ALONG;
    MotorTold* told = motor->told;
    RowDrive drive;
    motor->driven = make_drive(row, dt, &drive) && !is_idle(row);
    if (!motor->driven) {
        release_part(motor, sort);
    } else {
        if (motor->speed_limit < HUGE_VAL && poise__may_be_fast(motor, &drive, 1)) {
            poise__motor_share_speed(motor, sort, &drive);
        }
        set_row(motor, sort, 0, &drive);
    }
    told->axis = poise__body_turned(poise__motor_carrier(motor, 0), told->fixed);
    forget_part(motor, sort);
}

void poise__motor_put_rows(const Motor* motor) {
    for (int d = 0; d < motor->type->nv; d++) {
        const Sort sort = poise__sort(motor->type, d);
        const int group = dParamGroup * (d - motor->first[sort]);
        poise__motor_tell(motor, sort, dParamVel + group, motor->told[d].velocity);
        poise__motor_tell(motor, sort, dParamCFM + group, motor->told[d].cfm);
        poise__motor_tell_limit(motor, sort, group, motor->told[d].limit);
    }
}
