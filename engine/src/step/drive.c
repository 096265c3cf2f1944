// SPDX-License-Identifier: MIT
// From theta_orig and theta_ik to one spring per joint (eqs. 24-26), and from there to its motor.
// Last stage of an update; dWorldStep follows.
#include <string.h>

#include "rig_internal.h"

// a reference that moved by less than this (rad, m; torque: N m) does not wake a sleeping body
#define MOVED 1e-9
// a ball's target that moved by more than this in a step, as a chord, has jumped: no winding is
// kept
#define JUMPED 0.96
// a torque within this part of its limit is at it
#define AT_LIMIT (1.0 - 1e-9)

// theta_orig by as many whole turns as bring it nearest to theta_ik; a range says which turn is
// meant
double poise__natural_angle(const Binding* binding, double ik_angle) {
    double natural = binding->natural_angle;
    bool ranged = binding->lower > -HUGE_VAL || binding->upper < HUGE_VAL;
    if (binding->kind == POISE_NODE_HINGE && !ranged) {
        natural += POISE_TWO_PI * round((ik_angle - natural) / POISE_TWO_PI);
    }
    return natural;
}

static PoiseSpring ik_spring(const Binding* binding) {
    const PoiseSpring none = {0.0, 0.0};
    return binding->follows_ik ? binding->ik : none;
}

// J^T F and what goes with it, and the weight where the joint is held by a spring and its base
// stands firm
static PoiseVec3 feed_forward(const PoiseRig* rig, const Binding* binding) {
    const bool one = binding->kind != POISE_NODE_BALL;
    PoiseVec3 sum = poise__integral_torque(binding);
    double torque[POISE_MAX_DOF];
    double weight[POISE_MAX_DOF] = {0.0};
    (void)poise_node_force_torque(rig->tree, binding->node, torque);
    (void)poise__fed_weight(rig, rig->tree, binding, weight);
    sum.x += torque[0] + binding->pressing[0] + weight[0];
    if (!one) {
        sum.y += torque[1] + binding->pressing[1] + weight[1];
        sum.z += torque[2] + binding->pressing[2] + weight[2];
    }
    return sum;
}

// ODE lets a body sleep whatever its motors say; `was` and `is` are the spring before and now
void poise__wake_if_moved(Binding* binding, double moved, PoiseVec3 feed, PoiseSpring was,
                          PoiseSpring is) {
    if (dBodyIsEnabled(binding->motor.child)) {
        return;
    }
    double change = poise_max(moved, poise_length(poise_sub(feed, binding->feed_forward)));
    bool same = binding->has_driven && change <= MOVED && was.stiffness == is.stiffness;
    if (!same) {
        dBodyEnable(binding->motor.child);
    }
}

static void drive_hinge(const PoiseRig* rig, Binding* binding, double dt) {
    const double* velocity = binding->velocity;
    PoiseHingeDrive original = {binding->original, poise__natural_angle(binding, binding->ik_angle),
                                0.0};
    PoiseHingeDrive ik = {ik_spring(binding), binding->ik_angle, velocity[0]};
    PoiseHingeDrive blended = poise_blend_hinge(original, ik);
    blended.target = poise_min(poise_max(blended.target, binding->lower), binding->upper);
    PoiseVec3 feed = feed_forward(rig, binding);
    poise__wake_if_moved(binding, fabs(blended.target - binding->hinge.target), feed,
                         binding->hinge.spring, blended.spring);
    binding->hinge = blended;
    binding->feed_forward = feed;
    (void)poise__motor_drive_hinge(&binding->motor, &blended, feed.x, binding->torque_limit, dt);
}

// of the error and its way round the other side, the one nearer to the last: a spring wound past
// half a turn does not let go
static PoiseVec3 nearest_error(PoiseVec3 error, PoiseVec3 last) {
    double angle = poise_length(error);
    if (!(angle > 0.0)) {
        return error;
    }
    PoiseVec3 other = poise_scale(1.0 - POISE_TWO_PI / angle, error);
    double here = poise_length(poise_sub(error, last));
    return poise_length(poise_sub(other, last)) < here ? other : error;
}

static void drive_ball(const PoiseRig* rig, Binding* binding, double dt) {
    const double* v = binding->velocity;
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 velocity = poise_quat_unrotate(binding->own_joint, poise_vec3(v[0], v[1], v[2]));
    PoiseBallDrive original = {binding->original, binding->natural_rotation, none};
    PoiseBallDrive ik = {ik_spring(binding), binding->ik_rotation, velocity};
    PoiseBallDrive blended = binding->has_driven
                                 ? poise_blend_ball_near(original, ik, binding->ball.target)
                                 : poise_blend_ball(original, ik);
    PoiseVec3 error =
        poise_quat_log(poise_quat_mul(blended.target, poise_quat_conjugate(binding->rotation)));
    const PoiseQuat way =
        poise_quat_mul(blended.target, poise_quat_conjugate(binding->ball.target));
    const double moved = 2.0 * poise_length(poise_vec3(way.x, way.y, way.z));
    if (binding->has_driven && moved <= JUMPED) {
        error = nearest_error(error, binding->ball_error);
    }
    PoiseVec3 feed = feed_forward(rig, binding);
    poise__wake_if_moved(binding, moved, feed, binding->ball.spring, blended.spring);
    binding->ball = blended;
    binding->ball_error = error;
    binding->feed_forward = feed;
    // the joint frame is fixed to the parent: where that is now
    PoiseQuat joint = binding->joint_world.q;
    BallPull pull = {blended.spring, poise_quat_rotate(joint, error),
                     poise_quat_rotate(joint, blended.velocity), feed, binding->torque_limit};
    (void)poise__motor_drive_ball(&binding->motor, &pull, dt);
}

bool poise__is_saturated(const Binding* binding) {
    if (!isfinite(binding->torque_limit)) {
        return false;
    }
    PoiseVec3 torque = poise__motor_torque(&binding->motor);
    double largest = poise_max(fabs(torque.x), poise_max(fabs(torque.y), fabs(torque.z)));
    return largest >= AT_LIMIT * binding->torque_limit;
}

void poise__drive(PoiseRig* rig, double dt, PoiseRigReport* report) {
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        if (!binding->ready) {
            poise__motor_release(&binding->motor);
            report->skipped++;
            continue;
        }
        report->saturated += poise__is_saturated(binding);
        if (poise__is_other_kind(binding->kind)) {
            poise__drive_kind(rig, binding, dt);
        } else if (binding->kind == POISE_NODE_BALL) {
            drive_ball(rig, binding, dt);
            poise__drive_cone(binding);
        } else {
            drive_hinge(rig, binding, dt);
        }
        binding->has_driven = true;
        report->driven++;
    }
}

PoiseStatus poise_rig_read_joint(const PoiseRig* rig, PoiseNodeId node,
                                 PoiseJointReading* reading) {
    const Binding* binding = rig && reading ? poise__binding(rig, node) : NULL;
    if (!binding) {
        return rig && reading ? POISE_ERROR_INVALID_HANDLE : POISE_ERROR_INVALID_ARGUMENT;
    }
    memset(reading, 0, sizeof *reading);
    reading->kind = binding->kind;
    reading->angle = binding->angle;
    reading->rotation = binding->rotation;
    reading->ik_angle = binding->ik_angle;
    reading->ik_rotation = binding->ik_rotation;
    reading->target_angle = binding->hinge.target;
    reading->target_rotation = binding->ball.target;
    reading->spring =
        binding->kind == POISE_NODE_BALL ? binding->ball.spring : binding->hinge.spring;
    reading->torque = poise__motor_torque(&binding->motor);
    reading->feed_forward = binding->feed_forward;
    reading->torque_limit = binding->torque_limit;
    reading->force_limit = binding->force_limit;
    reading->speed_limit = binding->motor.speed_limit;
    reading->angle2 = binding->angle2;
    reading->ik_angle2 = binding->ik_angle2;
    reading->target_angle2 = binding->hinge2.target;
    reading->translation = binding->translation;
    reading->ik_translation = binding->ik_translation;
    reading->target_translation = binding->target_translation;
    reading->linear = binding->linear;
    reading->force = poise__motor_force(&binding->motor);
    if (binding->kind == POISE_NODE_FREE) {
        reading->spring = binding->ball.spring;
    } else if (binding->kind == POISE_NODE_TRANSLATION) {
        reading->spring = binding->linear;
    }
    return POISE_OK;
}
