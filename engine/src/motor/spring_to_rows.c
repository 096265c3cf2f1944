// SPDX-License-Identifier: MIT
// Sets the rows of a motor in ODE, before dWorldStep, so that they are springs and dampers. ODE's
// torque is lambda = D (Vel - v_new) with the target velocity Vel and CFM = 1 / D. If D = h p + d
// and D Vel = p e + d v_ref + ff, this is an implicit Euler step over h of a spring (stiffness p,
// damping d, error e, reference velocity v_ref) with the feed-forward ff.
#include <math.h>

#include "convert.h"
#include "motor.h"
#include "torque_speed_limits.h"

// Least D of a row, N m s/rad, for a row of feed-forward alone, because CFM is 1 / D. Unlike the
// torque of dBodyAddTorque, a row's torque can be limited and read back, and does not add up while
// bodies sleep.
static const double MIN_DAMPING = 1e-12;
// Largest force of a row, N m or N: beyond it velocities may overflow, and ODE ends the process.
static const double MAX_FORCE = 1e30;
// True if a usable row has neither spring nor feed-forward. Usable gains are not negative, so their
// sum is 0 only if all are 0.
static bool is_idle(const MotorRow* row) {
    return row->spring.stiffness + row->spring.damping + fabs(row->feed_forward) == 0.0;
}

const char* poise__spring_check(PoiseSpring spring) {
    if (!(spring.stiffness >= 0.0) || isinf(spring.stiffness)) {
        return "stiffness must be finite and not negative";
    }
    if (!(spring.damping >= 0.0) || isinf(spring.damping)) {
        return "damping must be finite and not negative";
    }
    return NULL;
}

// Sets in ODE the parameters of a row that differ from those set last.
static void set_row(Motor* motor, Sort sort, int d, const RowDrive* drive) {
    const int group = dParamGroup * (d - motor->first[sort]);
    SentRow* sent = &motor->sent[d];
    const double velocity = drive->force / drive->damping;
    const double cfm = 1.0 / drive->damping;
    if (velocity != sent->velocity) {
        poise__motor_set(motor, sort, dParamVel + group, velocity);
        sent->velocity = velocity;
    }
    if (cfm != sent->cfm) {
        poise__motor_set(motor, sort, dParamCFM + group, cfm);
        sent->cfm = cfm;
    }
    if (drive->limit != sent->limit) {
        poise__motor_set_limit(motor, sort, group, drive->limit);
        sent->limit = drive->limit;
    }
}

static void release_part(Motor* motor, Sort sort) {
    const int first = motor->first[sort];
    for (int i = 0; i < motor->count[sort]; i++) {
        if (motor->sent[first + i].limit != 0.0) {
            poise__motor_set(motor, sort, dParamFMax + dParamGroup * i, 0.0);
            motor->sent[first + i].limit = 0.0;
        }
    }
}

// Marks the feedback as not yet written by a step: fills in zeros with a minus sign, which no step
// writes. poise__motor_has_feedback looks for them.
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

// Computes the parameters of a row from its spring; false if a number is not usable.
static inline bool make_drive(const MotorRow* row, double dt, RowDrive* drive) {
    drive->force = row->spring.stiffness * row->error + row->spring.damping * row->velocity +
                   row->feed_forward;
    drive->damping = poise_max(dt * row->spring.stiffness + row->spring.damping, MIN_DAMPING);
    drive->limit = row->limit;
    drive->feed_forward = row->feed_forward;
    // a NaN fails every comparison
    return row->spring.stiffness >= 0.0 && row->spring.stiffness <= MAX_FORCE &&
           row->spring.damping >= 0.0 && drive->damping <= MAX_FORCE && row->limit > 0.0 &&
           fabs(drive->force) <= MAX_FORCE;
}

// Computes the rows of one sort; false if the caller has to release them.
static bool make_drives(const MotorRow* rows, int count, double dt, RowDrive* drives) {
    bool idle = true;
    bool usable = true;
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
    // poise__motor_share_speed needs the axes of the last drive, so the axes are updated after it
    poise__motor_follow_axes(motor);
    forget_given(motor);
}

void poise__motor_drive_single(Motor* motor, const MotorRow* row, double dt) {
    const Sort sort = motor->parts[ABOUT] ? ABOUT : ALONG;
    SentRow* sent = motor->sent;
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
    sent->axis = poise__body_turned(poise__motor_carrier(motor, 0), sent->fixed);
    forget_part(motor, sort);
}

void poise__motor_put_rows(const Motor* motor) {
    for (int d = 0; d < motor->type->nv; d++) {
        const Sort sort = poise__sort(motor->type, d);
        const int group = dParamGroup * (d - motor->first[sort]);
        poise__motor_set(motor, sort, dParamVel + group, motor->sent[d].velocity);
        poise__motor_set(motor, sort, dParamCFM + group, motor->sent[d].cfm);
        poise__motor_set_limit(motor, sort, group, motor->sent[d].limit);
    }
}
