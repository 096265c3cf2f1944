// SPDX-License-Identifier: MIT
#include "bench.h"

#include <string.h>

#include "convert.h"

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
    bench->kind = kind;
    poise__motor_pool_make(&bench->pool);
    const MotorDef def = {poise_joint_type(kind), bench->world,  bench->joint,
                          bench->child,           bench->parent, &bench->pool};

    poise__motor_attach(&bench->motor, &def);
    poise__motor_place_rows(&bench->motor, def.type, bench->motor_values);
    poise__motor_moved(&bench->motor);
    if (kind != POISE_NODE_BALL) {
        bench_fix_axis(bench);
    }
    bench_read(bench);
}

void bench_fix_axis(Bench* bench) {
    const PoiseVec3 axis = bench_axis(bench);
    poise__motor_set_axes(&bench->motor, &axis, 0);
}

void bench_finish(Bench* bench) {
    poise__motor_detach(&bench->motor);
    poise__motor_pool_destroy(&bench->pool);
    dWorldDestroy(bench->world);
    dCloseODE();
}

double bench_inertia(const Bench* bench) {
    bool linear = bench->kind == POISE_NODE_SLIDER;
    double child = linear ? CHILD_MASS : CHILD_INERTIA;
    double parent = linear ? PARENT_MASS : PARENT_INERTIA;
    return bench->parent ? child * parent / (child + parent) : child;
}

double bench_rate(const Bench* bench) {
    if (bench->kind == POISE_NODE_SLIDER) {
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
    bool linear = bench->kind == POISE_NODE_SLIDER;
    void (*push)(dBodyID, dReal, dReal, dReal) = linear ? dBodyAddForce : dBodyAddTorque;
    push(bench->child, 0.0, 0.0, torque);
    if (bench->parent) {
        push(bench->parent, 0.0, 0.0, -torque);
    }
}

void bench_step(Bench* bench, const PoiseHingeDrive* drive, double feed_forward, double limit,
                double dt) {
    bench_read(bench);
    (void)bench_drive_hinge(bench, drive, feed_forward, limit, dt);
    dWorldStep(bench->world, dt);
    bench_read(bench);
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

static OdeJoint read_joint(const Bench* bench) {
    OdeJoint is;
    poise__ode_joint_read(bench->joint, bench->child, &is);
    return is;
}

void bench_read(Bench* bench) {
    const double turn = 2.0 * 3.14159265358979323846;
    const OdeJoint is = read_joint(bench);
    if (bench->kind == POISE_NODE_BALL || !isfinite(is.q[0])) {
        return;
    }
    const bool turns = bench->kind == POISE_NODE_HINGE;
    bench->angle = is.q[0] + (turns ? turn * round((bench->angle - is.q[0]) / turn) : 0.0);
}

PoiseVec3 bench_anchor(const Bench* bench) {
    return read_joint(bench).anchor;
}

PoiseVec3 bench_axis(const Bench* bench) {
    return read_joint(bench).axes[0];
}

void bench_range(const Bench* bench, double* lower, double* upper) {
    const OdeJoint is = read_joint(bench);
    *lower = is.lower[0];
    *upper = is.upper[0];
}

PoiseVec3 bench_torque(const Bench* bench) {
    double given[POISE_MAX_NV] = {0.0};
    if (bench->motor.type) {
        poise__motor_given(&bench->motor, given);
    }
    return poise_vec3(given[0], given[1], given[2]);
}

bool bench_drive_hinge(Bench* bench, const PoiseHingeDrive* drive, double feed_forward,
                       double limit, double dt) {
    const MotorRow row = {drive->spring, drive->target - bench->angle, drive->velocity,
                          feed_forward, limit};
    poise__motor_drive(&bench->motor, &row, dt);
    return bench->motor.driven;
}

bool bench_drive_ball(Bench* bench, const BallPull* pull, double dt) {
    const double error[3] = {pull->error_world.x, pull->error_world.y, pull->error_world.z};
    const double velocity[3] = {pull->velocity_world.x, pull->velocity_world.y,
                                pull->velocity_world.z};
    const double feed[3] = {pull->feed_forward.x, pull->feed_forward.y, pull->feed_forward.z};
    MotorRow rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = (MotorRow){.spring = pull->spring,
                             .error = error[i],
                             .velocity = velocity[i],
                             .feed_forward = feed[i],
                             .limit = pull->limit};
    }
    poise__motor_drive(&bench->motor, rows, dt);
    return bench->motor.driven;
}
