// SPDX-License-Identifier: MIT
// The drives of universal, translation and free nodes, and a ball's cone. As drive.c, which calls
// it: two springs become one, and that a motor's rows.
#include "base/convert.h"
#include "rig_internal.h"

static PoiseSpring ik_part(const Binding* binding, PoiseSpring spring) {
    const PoiseSpring none = {0.0, 0.0};
    return binding->follows_ik ? spring : none;
}

// what is fed forward, as poise_node_force_torque and in drive.c
static void feed_forward(const PoiseRig* rig, const Binding* binding, double sum[POISE_MAX_DOF]) {
    double torque[POISE_MAX_DOF] = {0.0};
    if (binding->kind == POISE_NODE_FREE && !poise__binding_holds_up(binding)) {
        return; // nothing comes from outside: what it stands on answers
    }
    const int dof = poise_node_force_torque(rig->tree, binding->node, sum);
    (void)poise__fed_weight(rig, rig->tree, binding, torque);
    for (int i = 0; i < dof; i++) {
        sum[i] += binding->pressing[i] + torque[i];
    }
    const PoiseVec3 added = poise__integral_torque(binding);
    if (binding->kind != POISE_NODE_FREE) {
        sum[0] += added.x;
        sum[1] += added.y;
        sum[2] += added.z;
    }
}

static void drive_universal(const PoiseRig* rig, Binding* binding, double dt) {
    const double* velocity = binding->velocity;
    const double natural[2] = {binding->natural_angle, binding->natural_angle2};
    const double ik[2] = {binding->ik_angle, binding->ik_angle2};
    const double angles[2] = {binding->angle, binding->angle2};
    const double lower[2] = {binding->lower, binding->lower2};
    const double upper[2] = {binding->upper, binding->upper2};
    PoiseHingeDrive drives[2];
    for (int i = 0; i < 2; i++) {
        double nearest = natural[i] + POISE_TWO_PI * round((ik[i] - natural[i]) / POISE_TWO_PI);
        bool ranged = lower[i] > -HUGE_VAL || upper[i] < HUGE_VAL;
        PoiseHingeDrive a = {binding->original, ranged ? natural[i] : nearest, 0.0};
        PoiseHingeDrive b = {ik_part(binding, binding->ik), ik[i], velocity[i]};
        drives[i] = poise_blend_hinge(a, b);
        drives[i].target = poise_min(poise_max(drives[i].target, lower[i]), upper[i]);
    }
    double feed[POISE_MAX_DOF] = {0.0};
    feed_forward(rig, binding, feed);
    double moved = poise_max(fabs(drives[0].target - binding->hinge.target),
                             fabs(drives[1].target - binding->hinge2.target));
    PoiseVec3 fed = poise_vec3(feed[0], feed[1], 0.0);
    poise__wake_if_moved(binding, moved, fed, binding->hinge.spring, drives[0].spring);
    binding->hinge = drives[0];
    binding->hinge2 = drives[1];
    binding->feed_forward = fed;
    // where the axes are: the second goes with the child
    PoiseQuat child = poise_quat_mul(binding->joint_world.q, binding->rotation);
    const PoiseVec3 axes[2] = {poise_quat_rotate(binding->joint_world.q, binding->axis),
                               poise_quat_rotate(child, binding->axis2)};
    (void)poise__motor_drive_universal(&binding->motor, drives, axes, angles, feed,
                                       binding->torque_limit, dt);
}

// the two linear springs as one: each axis of a translation is a slider
static PoiseHingeDrive blend_axis(PoiseSpring original, double natural, PoiseSpring ik,
                                  double wanted) {
    PoiseHingeDrive a = {original, natural, 0.0};
    PoiseHingeDrive b = {ik, wanted, 0.0};
    return poise_blend_hinge(a, b);
}

// pulls the child's centre of mass, at the joint's place `target` and the rotation `turn` of the
// child in the joint frame, both blended
static void drive_linear(Binding* binding, PoiseSpring original, PoiseSpring ik, PoiseQuat turn,
                         LinearPull pull, double dt) {
    const PoiseVec3 n = binding->natural_translation;
    const PoiseVec3 w = binding->ik_translation;
    PoiseHingeDrive x = blend_axis(original, n.x, ik, w.x);
    PoiseHingeDrive y = blend_axis(original, n.y, ik, w.y);
    PoiseHingeDrive z = blend_axis(original, n.z, ik, w.z);
    binding->target_translation = poise_vec3(x.target, y.target, z.target);
    binding->linear = x.spring;
    // a reference velocity counts by the part of the damping that is the solver's
    double part = x.spring.damping > 0.0 ? ik.damping / x.spring.damping : 0.0;
    pull.velocity_world = poise_scale(part, pull.velocity_world);
    pull.spring = x.spring;
    // from where its link is to where it should be, and so for the centre of mass
    PoisePose child = poise__body_pose(binding->motor.child);
    PoisePose moved =
        poise_pose_mul(binding->joint_world, poise_pose(binding->target_translation, turn));
    PoisePose link = poise_pose_mul(moved, poise_pose_inverse(binding->back_to_joint));
    PoisePose wanted = poise_pose_mul(link, poise_pose_inverse(binding->link_in_body));
    pull.error_world = poise_sub(wanted.p, child.p);
    (void)poise__motor_drive_linear(&binding->motor, &pull, dt);
}

static void drive_translation(const PoiseRig* rig, Binding* binding, double dt) {
    const double* v = binding->velocity;
    double feed[POISE_MAX_DOF] = {0.0};
    const PoiseVec3 was = binding->target_translation;
    const PoiseSpring spring_was = binding->linear;
    feed_forward(rig, binding, feed);
    PoiseVec3 fed = poise_vec3(feed[0], feed[1], feed[2]);
    LinearPull pull = {.velocity_world = poise_vec3(v[0], v[1], v[2]),
                       .feed_forward = fed,
                       .limit = binding->torque_limit};
    drive_linear(binding, binding->original, ik_part(binding, binding->ik), binding->rotation, pull,
                 dt);
    poise__wake_if_moved(binding, poise_length(poise_sub(binding->target_translation, was)), fed,
                         spring_was, binding->linear);
    binding->feed_forward = fed;
}

static void drive_free(const PoiseRig* rig, Binding* binding, double dt) {
    const double* v = binding->velocity;
    double feed[POISE_MAX_DOF] = {0.0};
    const PoiseSpring turn_ik = ik_part(binding, binding->ik);
    const PoiseSpring move_ik = ik_part(binding, binding->ik_linear);
    feed_forward(rig, binding, feed);
    PoiseVec3 fed = poise_vec3(feed[3], feed[4], feed[5]);
    const PoiseQuat joint = binding->joint_world.q;
    PoiseVec3 spin = poise_quat_unrotate(joint, poise_vec3(v[3], v[4], v[5]));
    const PoiseVec3 still = poise_vec3(0.0, 0.0, 0.0);
    PoiseBallDrive a = {binding->original, binding->natural_rotation, still};
    PoiseBallDrive b = {turn_ik, binding->ik_rotation, spin};
    PoiseBallDrive blended = binding->has_driven ? poise_blend_ball_near(a, b, binding->ball.target)
                                                 : poise_blend_ball(a, b);
    const PoiseVec3 was = binding->target_translation;
    const PoiseQuat turn_was = binding->ball.target;
    const PoiseSpring spring_was = binding->ball.spring;
    binding->ball = blended;
    binding->ball_error =
        poise_quat_log(poise_quat_mul(blended.target, poise_quat_conjugate(binding->rotation)));
    PoiseVec3 force = poise_vec3(feed[0], feed[1], feed[2]);
    // the node's forces are at its anchor, the motor's at the centre of mass
    PoisePose body = poise__body_pose(binding->motor.child);
    PoisePose moved = poise_pose_mul(binding->link_world, binding->back_to_joint);
    PoiseVec3 arm = poise_sub(moved.p, body.p);
    BallPull turn = {blended.spring, poise_quat_rotate(joint, binding->ball_error),
                     poise_quat_rotate(joint, blended.velocity),
                     poise_add(fed, poise_cross(arm, force)), binding->torque_limit};
    (void)poise__motor_drive_ball(&binding->motor, &turn, dt);
    LinearPull pull = {.velocity_world = poise_vec3(v[0], v[1], v[2]),
                       .feed_forward = force,
                       .limit = binding->force_limit};
    drive_linear(binding, binding->original_linear, move_ik, blended.target, pull, dt);
    double turned = poise_length(
        poise_quat_log(poise_quat_mul(blended.target, poise_quat_conjugate(turn_was))));
    double gone = poise_length(poise_sub(binding->target_translation, was));
    if (blended.spring.stiffness > 0.0 || binding->linear.stiffness > 0.0) {
        poise__wake_if_moved(binding, poise_max(turned, gone), fed, spring_was, blended.spring);
    }
    binding->feed_forward = fed;
    binding->feed_forward_force = force;
}

void poise__drive_kind(const PoiseRig* rig, Binding* binding, double dt) {
    switch (binding->kind) {
    case POISE_NODE_UNIVERSAL:
        drive_universal(rig, binding, dt);
        break;
    case POISE_NODE_TRANSLATION:
        drive_translation(rig, binding, dt);
        break;
    default:
        drive_free(rig, binding, dt);
        break;
    }
}

// of half the swing: below it the child points back, and its twist means nothing
#define LEAST_COSINE 1e-3

// any axis across `v`, of length 1
static PoiseVec3 across(PoiseVec3 v) {
    PoiseVec3 a = fabs(v.x) < 0.6 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
    PoiseVec3 c = poise_cross(v, a);
    return poise_scale(1.0 / poise_length(c), c);
}

void poise__drive_cone(Binding* binding) {
    if (!binding->has_cone) {
        if (binding->motor.has_cone) {
            poise__motor_free_cone(&binding->motor);
        }
        return;
    }
    PoiseQuat swing;
    ConeStop cone = {.swing_limit = binding->swing_limit,
                     .twist_lower = binding->twist_lower,
                     .twist_upper = binding->twist_upper};
    cone.twist = poise_quat_twist(binding->rotation, binding->axis, &swing);
    PoiseVec3 turn = poise_quat_log(swing);
    cone.swing = poise_length(turn);
    PoiseQuat joint = binding->joint_world.q;
    PoiseVec3 axis = poise_quat_rotate(binding->rotation, binding->axis);
    // the twist goes by the turn about the line half way between the axis in parent and child,
    // over the cosine of half the swing
    PoiseVec3 middle = poise_add(binding->axis, axis);
    double cosine = 0.5 * poise_length(middle);
    cone.twist_axis = cosine > LEAST_COSINE
                          ? poise_quat_rotate(joint, poise_scale(0.5 / cosine, middle))
                          : poise_quat_rotate(joint, axis);
    cosine = poise_max(cosine, LEAST_COSINE);
    cone.twist *= cosine;
    cone.twist_lower *= cosine;
    cone.twist_upper *= cosine;
    cone.swing_axis = cone.swing > 0.0
                          ? poise_quat_rotate(joint, poise_scale(1.0 / cone.swing, turn))
                          : across(cone.twist_axis);
    poise__motor_hold_cone(&binding->motor, &cone);
}
