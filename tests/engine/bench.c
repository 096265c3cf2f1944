// SPDX-License-Identifier: MIT
#include "bench.h"

#include <string.h>

#include "base/convert.h"

const char* order_name(Order order) {
    static const char* const names[ORDER_COUNT] = {"(child, parent)", "(parent, child)",
                                                   "(child, 0)", "(0, child)"};
    return names[order];
}

const char* kind_name_of(PoiseNodeKind kind) {
    return kind == POISE_NODE_HINGE ? "hinge" : kind == POISE_NODE_SLIDER ? "slider" : "ball";
}

static dBodyID make_body(dWorldID world, double mass, double inertia) {
    dMass m;
    dMassSetParameters(&m, mass, 0.0, 0.0, 0.0, inertia, inertia, inertia, 0.0, 0.0, 0.0);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &m);
    dBodySetFiniteRotationMode(body, 1);
    return body;
}

static dJointID make_joint(dWorldID world, PoiseNodeKind kind, dBodyID first, dBodyID second) {
    dJointID joint;
    if (kind == POISE_NODE_HINGE) {
        joint = dJointCreateHinge(world, NULL);
        dJointAttach(joint, first, second);
        dJointSetHingeAnchor(joint, 0.0, 0.0, 0.0);
        dJointSetHingeAxis(joint, 0.0, 0.0, 1.0);
    } else if (kind == POISE_NODE_SLIDER) {
        joint = dJointCreateSlider(world, NULL);
        dJointAttach(joint, first, second);
        dJointSetSliderAxis(joint, 0.0, 0.0, 1.0);
    } else {
        joint = dJointCreateBall(world, NULL);
        dJointAttach(joint, first, second);
        dJointSetBallAnchor(joint, 0.0, 0.0, 0.0);
    }
    return joint;
}

void bench_make(Bench* bench, PoiseNodeKind kind, Order order) {
    memset(bench, 0, sizeof *bench);
    dInitODE2(0);
    bench->world = dWorldCreate();
    bench->child = make_body(bench->world, CHILD_MASS, CHILD_INERTIA);
    bool ground = order == ORDER_CHILD_GROUND || order == ORDER_GROUND_CHILD;
    bench->parent = ground ? NULL : make_body(bench->world, PARENT_MASS, PARENT_INERTIA);
    bool child_first = order == ORDER_CHILD_PARENT || order == ORDER_CHILD_GROUND;
    bench->joint = make_joint(bench->world, kind, child_first ? bench->child : bench->parent,
                              child_first ? bench->parent : bench->child);
    poise__motor_attach(&bench->motor, bench->world, bench->joint, bench->child, kind);
}

void bench_finish(Bench* bench) {
    poise__motor_detach(&bench->motor);
    dWorldDestroy(bench->world);
    dCloseODE();
}

double bench_inertia(const Bench* bench) {
    bool linear = bench->motor.kind == POISE_NODE_SLIDER;
    double child = linear ? CHILD_MASS : CHILD_INERTIA;
    double parent = linear ? PARENT_MASS : PARENT_INERTIA;
    return bench->parent ? child * parent / (child + parent) : child;
}

double bench_rate(const Bench* bench) {
    if (bench->motor.kind == POISE_NODE_SLIDER) {
        return dBodyGetLinearVel(bench->child)[2] -
               (bench->parent ? dBodyGetLinearVel(bench->parent)[2] : 0.0);
    }
    return dBodyGetAngularVel(bench->child)[2] -
           (bench->parent ? dBodyGetAngularVel(bench->parent)[2] : 0.0);
}

PoiseQuat bench_rotation(const Bench* bench) {
    PoiseQuat parent = poise__body_pose(bench->parent).q;
    return poise_quat_mul(poise_quat_conjugate(parent), poise__body_pose(bench->child).q);
}

PoiseVec3 bench_ball_error(const Bench* bench, PoiseQuat target) {
    PoiseQuat error = poise_quat_mul(target, poise_quat_conjugate(bench_rotation(bench)));
    return poise_quat_rotate(poise__body_pose(bench->parent).q, poise_quat_log(error));
}

void bench_push(const Bench* bench, double torque) {
    bool linear = bench->motor.kind == POISE_NODE_SLIDER;
    void (*push)(dBodyID, dReal, dReal, dReal) = linear ? dBodyAddForce : dBodyAddTorque;
    push(bench->child, 0.0, 0.0, torque);
    if (bench->parent) {
        push(bench->parent, 0.0, 0.0, -torque);
    }
}

void bench_step(Bench* bench, const PoiseHingeDrive* drive, double feed_forward, double limit,
                double dt) {
    poise__motor_read(&bench->motor);
    poise__motor_drive_hinge(&bench->motor, drive, feed_forward, limit, dt);
    dWorldStep(bench->world, dt);
    poise__motor_read(&bench->motor);
}

double scalar_step(Scalar* scalar, double inertia, const PoiseHingeDrive* drive,
                   double feed_forward, double dt) {
    double p = drive->spring.stiffness;
    double d = drive->spring.damping;
    double pull = p * (drive->target - scalar->angle) + d * drive->velocity + feed_forward;
    double damping = dt * p + d;
    scalar->rate = (inertia * scalar->rate + dt * pull) / (inertia + dt * damping);
    scalar->angle += dt * scalar->rate;
    return pull - damping * scalar->rate;
}

BallPull bench_ball_pull(const Bench* bench, PoiseSpring spring, PoiseQuat target) {
    BallPull pull = {
        .spring = spring, .error_world = bench_ball_error(bench, target), .limit = HUGE_VAL};
    return pull;
}
