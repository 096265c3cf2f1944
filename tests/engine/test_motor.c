// SPDX-License-Identifier: MIT
// What a motor's rows do to a joint, against closed forms and hand-written implicit Euler.
#include <criterion/criterion.h>
#include <math.h>

#include "base/convert.h"
#include "bench.h"
#include "near.h"

static const double INF = HUGE_VAL;
static const PoiseNodeKind SCALAR_KINDS[2] = {POISE_NODE_HINGE, POISE_NODE_SLIDER};
static const PoiseNodeKind KINDS[3] = {POISE_NODE_HINGE, POISE_NODE_SLIDER, POISE_NODE_BALL};

// from rest at distance `from` of its target, after t
static double damped_oscillation(double inertia, PoiseSpring spring, double from, double t) {
    double decay = spring.damping / (2.0 * inertia);
    double turn = sqrt(spring.stiffness / inertia - decay * decay);
    return from * exp(-decay * t) * (cos(turn * t) + decay / turn * sin(turn * t));
}

static BallPull ball_pull(const Bench* bench, PoiseSpring spring, PoiseQuat target) {
    BallPull pull = {
        .spring = spring, .error_world = bench_ball_error(bench, target), .limit = HUGE_VAL};
    return pull;
}

// --------------------------------------------------------------------------------------- dynamics

Test(motor, hinge_and_slider_swing_like_a_mass_on_a_spring) {
    const double target = 0.5;
    const double steps[] = {0.01, 0.005, 0.001};
    for (int k = 0; k < 2; k++) {
        for (int s = 0; s < 3; s++) {
            Bench bench;
            bench_make(&bench, SCALAR_KINDS[k], ORDER_CHILD_GROUND);
            double inertia = bench_inertia(&bench);
            // 1 rad/s, half of critical damping
            PoiseHingeDrive drive = {{inertia, inertia}, target, 0.0};
            double worst = 0.0;
            for (int i = 1; i * steps[s] < 10.0; i++) {
                double t = i * steps[s];
                bench_step(&bench, &drive, 0.0, INF, steps[s]);
                double exact = target + damped_oscillation(inertia, drive.spring, -target, t);
                worst = fmax(worst, fabs(bench.motor.angle - exact) / target);
            }
            cr_expect(worst < 0.01, "%s, h = %g: off by %.3g of the amplitude",
                      kind_name_of(SCALAR_KINDS[k]), steps[s], worst);
            bench_finish(&bench);
        }
    }
}

Test(motor, ball_swings_like_a_mass_on_a_spring) {
    const double steps[] = {0.01, 0.005, 0.001};
    const PoiseVec3 target = poise_vec3(0.3, -0.3, 0.26);
    for (int s = 0; s < 3; s++) {
        Bench bench;
        bench_make(&bench, POISE_NODE_BALL, ORDER_CHILD_GROUND);
        double inertia = bench_inertia(&bench);
        PoiseSpring spring = {inertia, inertia};
        double worst = 0.0;
        for (int i = 1; i * steps[s] < 10.0; i++) {
            double t = i * steps[s];
            BallPull pull = ball_pull(&bench, spring, poise_quat_exp(target));
            cr_assert(poise__motor_drive_ball(&bench.motor, &pull, steps[s]));
            dWorldStep(bench.world, steps[s]);
            double left = damped_oscillation(inertia, spring, 1.0, t);
            PoiseVec3 exact = poise_scale(1.0 - left, target);
            PoiseVec3 is = poise_quat_log(bench_rotation(&bench));
            worst = fmax(worst, poise_length(poise_sub(is, exact)) / poise_length(target));
        }
        cr_expect(worst < 0.01, "h = %g: off by %.3g of the amplitude", steps[s], worst);
        bench_finish(&bench);
    }
}

static const double STIFFNESSES[] = {0.5, 1e3, 1e6, 1e9, 1e12};
static const double DAMPINGS[] = {0.0, 1.0, 1e3, 1e6};

// the largest distance to implicit Euler over 500 steps, and whether the swing ever grew
static double distance_to_euler(PoiseNodeKind kind, Order order, PoiseSpring spring) {
    const double dt = 0.01;
    Bench bench;
    bench_make(&bench, kind, order);
    PoiseHingeDrive drive = {spring, 0.7, 0.0};
    Scalar scalar = {0.0, 0.0};
    double worst = 0.0;
    for (int i = 0; i < 500; i++) {
        bench_step(&bench, &drive, 0.1, INF, dt);
        scalar_step(&scalar, bench_inertia(&bench), &drive, 0.1, dt);
        worst = fmax(worst, fabs(bench.motor.angle - scalar.angle));
        if (!(fabs(bench.motor.angle) < 2.0)) {
            worst = HUGE_VAL;
            break;
        }
    }
    bench_finish(&bench);
    return worst;
}

Test(motor, hinge_and_slider_are_implicit_euler_at_any_stiffness) {
    for (int k = 0; k < 2; k++) {
        for (size_t p = 0; p < sizeof STIFFNESSES / sizeof STIFFNESSES[0]; p++) {
            for (size_t d = 0; d < sizeof DAMPINGS / sizeof DAMPINGS[0]; d++) {
                PoiseSpring spring = {STIFFNESSES[p], DAMPINGS[d]};
                for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
                    double off = distance_to_euler(SCALAR_KINDS[k], order, spring);
                    cr_expect(off < 1e-12, "%s %s p = %g d = %g: off by %.3g",
                              kind_name_of(SCALAR_KINDS[k]), order_name(order), spring.stiffness,
                              spring.damping, off);
                }
            }
        }
    }
}

// a sphere on the ground: the same step about each world axis, then the turn by h w
static double ball_distance_to_euler(PoiseSpring spring, PoiseVec3 rate) {
    const double dt = 0.01;
    const PoiseQuat target = poise_quat_exp(poise_vec3(0.9, -1.1, 1.7));
    Bench bench;
    bench_make(&bench, POISE_NODE_BALL, ORDER_CHILD_GROUND);
    dBodySetAngularVel(bench.child, rate.x, rate.y, rate.z);
    double inertia = bench_inertia(&bench);
    PoiseQuat rotation = poise_quat_identity();
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        BallPull pull = ball_pull(&bench, spring, target);
        cr_assert(poise__motor_drive_ball(&bench.motor, &pull, dt));
        dWorldStep(bench.world, dt);
        PoiseVec3 e = poise_quat_log(poise_quat_mul(target, poise_quat_conjugate(rotation)));
        rate = poise_scale(1.0 / (inertia + dt * (dt * spring.stiffness + spring.damping)),
                           poise_add_scaled(poise_scale(inertia, rate), dt * spring.stiffness, e));
        rotation =
            poise_quat_normalize(poise_quat_mul(poise_quat_exp(poise_scale(dt, rate)), rotation));
        PoiseQuat off = poise_quat_mul(poise_quat_conjugate(rotation), bench_rotation(&bench));
        worst = fmax(worst, poise_length(poise_quat_log(off)));
    }
    bench_finish(&bench);
    return worst;
}

Test(motor, ball_is_implicit_euler_at_any_stiffness) {
    for (size_t p = 0; p < sizeof STIFFNESSES / sizeof STIFFNESSES[0]; p++) {
        for (size_t d = 0; d < sizeof DAMPINGS / sizeof DAMPINGS[0]; d++) {
            PoiseSpring spring = {STIFFNESSES[p], DAMPINGS[d]};
            double off = ball_distance_to_euler(spring, poise_vec3(1.0, -2.0, 0.5));
            cr_expect(off < 1e-12, "p = %g d = %g: off by %.3g rad", spring.stiffness,
                      spring.damping, off);
        }
    }
}

Test(motor, reference_velocity_is_followed) {
    // a ramp is tracked without lag once the target's velocity is given
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_GROUND);
    const double dt = 0.01;
    PoiseHingeDrive drive = {{200.0, 20.0}, 0.0, 1.5};
    for (int i = 1; i <= 300; i++) {
        drive.target = 1.5 * dt * i;
        bench_step(&bench, &drive, 0.0, INF, dt);
    }
    // the row knows where the target is at the end of the step: lag h v of one step ahead
    EXPECT_NEAR(bench_rate(&bench), 1.5, 1e-9);
    EXPECT_NEAR(bench.motor.angle, drive.target, 1.5 * dt + 1e-9);
    bench_finish(&bench);
}

Test(motor, hinge_gives_way_by_torque_over_stiffness) {
    const double stiffnesses[] = {200.0, 1e4, 1e6};
    for (int s = 0; s < 3; s++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, POISE_NODE_HINGE, order);
            double p = stiffnesses[s];
            PoiseHingeDrive drive = {{p, 2.0 * sqrt(p * bench_inertia(&bench))}, 0.0, 0.0};
            for (int i = 0; i < 5000; i++) {
                bench_push(&bench, 100.0);
                bench_step(&bench, &drive, 0.0, INF, 0.01);
            }
            EXPECT_NEAR(bench.motor.angle * p / 100.0, 1.0, 1e-9);
            EXPECT_NEAR(poise__motor_torque(&bench.motor).x, -100.0, 1e-7);
            bench_finish(&bench);
        }
    }
}

Test(motor, hinge_follows_its_target_past_half_a_turn) {
    const double ends[] = {10.0, -10.0};
    for (int e = 0; e < 2; e++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, POISE_NODE_HINGE, order);
            PoiseHingeDrive drive = {{200.0, 20.0}, 0.0, 0.0};
            double fastest = 0.0;
            for (int i = 0; i < 3000; i++) {
                drive.target = ends[e] * fmin(1.0, i / 1000.0);
                bench_step(&bench, &drive, 0.0, INF, 0.01);
                fastest = fmax(fastest, fabs(bench_rate(&bench)));
            }
            EXPECT_NEAR(bench.motor.angle, ends[e], 1e-9);
            cr_expect(fastest < 1.5, "%s: spun at %g rad/s", order_name(order), fastest);
            bench_finish(&bench);
        }
    }
}

// -------------------------------------------------------------------------------- orders and zeros

Test(motor, every_order_of_attaching_brings_the_child_to_its_target) {
    for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
        for (int k = 0; k < 2; k++) {
            Bench bench;
            bench_make(&bench, SCALAR_KINDS[k], order);
            PoiseHingeDrive drive = {{200.0, 20.0}, 0.6, 0.0};
            for (int i = 0; i < 2000; i++) {
                bench_step(&bench, &drive, 0.0, INF, 0.01);
            }
            PoisePose parent = poise__body_pose(bench.parent);
            PoisePose child = poise__body_pose(bench.child);
            double moved = SCALAR_KINDS[k] == POISE_NODE_SLIDER
                               ? child.p.z - parent.p.z
                               : poise_quat_log(bench_rotation(&bench)).z;
            EXPECT_NEAR(moved, 0.6, 1e-9);
            EXPECT_NEAR(bench.motor.angle, 0.6, 1e-9);
            bench_finish(&bench);
        }
        Bench bench;
        bench_make(&bench, POISE_NODE_BALL, order);
        PoiseQuat target = poise_quat_exp(poise_vec3(0.4, -0.7, 0.5));
        for (int i = 0; i < 4000; i++) {
            BallPull pull = ball_pull(&bench, (PoiseSpring){200.0, 20.0}, target);
            cr_assert(poise__motor_drive_ball(&bench.motor, &pull, 0.01));
            dWorldStep(bench.world, 0.01);
        }
        EXPECT_NEAR_QUAT(bench_rotation(&bench), target, 1e-5);
        bench_finish(&bench);
    }
}

Test(motor, zero_shifts_the_angle_and_may_be_many_turns) {
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_PARENT_CHILD);
    bench.motor.zero = 9.0;
    poise__motor_read(&bench.motor);
    EXPECT_NEAR(bench.motor.angle, 9.0, 0.0);
    PoiseHingeDrive drive = {{200.0, 20.0}, 10.0, 0.0};
    for (int i = 0; i < 2000; i++) {
        bench_step(&bench, &drive, 0.0, INF, 0.01);
    }
    EXPECT_NEAR(bench.motor.angle, 10.0, 1e-9);
    EXPECT_NEAR(poise_quat_log(bench_rotation(&bench)).z, 1.0, 1e-9);
    bench_finish(&bench);
}

// -------------------------------------------------------------------------------- torque and
// limits

Test(motor, torque_read_back_is_the_formula) {
    for (int k = 0; k < 2; k++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, SCALAR_KINDS[k], order);
            PoiseHingeDrive drive = {{300.0, 4.0}, 0.8, 0.3};
            Scalar scalar = {0.0, 0.0};
            for (int i = 0; i < 100; i++) {
                bench_step(&bench, &drive, 2.5, INF, 0.01);
                double given = scalar_step(&scalar, bench_inertia(&bench), &drive, 2.5, 0.01);
                EXPECT_NEAR(poise__motor_torque(&bench.motor).x, given, 1e-10);
            }
            bench_finish(&bench);
        }
    }
}

Test(motor, ball_torque_read_back_is_the_formula) {
    for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
        Bench bench;
        bench_make(&bench, POISE_NODE_BALL, order);
        PoiseQuat target = poise_quat_exp(poise_vec3(0.4, -0.7, 0.5));
        PoiseSpring spring = {300.0, 4.0};
        for (int i = 0; i < 100; i++) {
            BallPull pull = ball_pull(&bench, spring, target);
            pull.velocity_world = poise_vec3(0.1, 0.2, -0.3);
            pull.feed_forward = poise_vec3(1.0, 2.0, 3.0);
            cr_assert(poise__motor_drive_ball(&bench.motor, &pull, 0.01));
            dWorldStep(bench.world, 0.01);
            PoiseVec3 rate = poise__vec3_from(dBodyGetAngularVel(bench.child));
            if (bench.parent) {
                rate = poise_sub(rate, poise__vec3_from(dBodyGetAngularVel(bench.parent)));
            }
            PoiseVec3 tau =
                poise_add(poise_scale(300.0, pull.error_world),
                          poise_add_scaled(pull.feed_forward, 4.0, pull.velocity_world));
            tau = poise_add_scaled(tau, -(0.01 * 300.0 + 4.0), rate);
            EXPECT_NEAR3(poise__motor_torque(&bench.motor), tau, 1e-10);
        }
        bench_finish(&bench);
    }
}

Test(motor, limit_clamps_the_torque_and_nothing_else) {
    const double limit = 5.0;
    for (int k = 0; k < 2; k++) {
        Bench bench;
        bench_make(&bench, SCALAR_KINDS[k], ORDER_GROUND_CHILD);
        double inertia = bench_inertia(&bench);
        PoiseHingeDrive drive = {{100.0, 20.0}, 1.0, 0.0};
        Scalar scalar = {0.0, 0.0};
        int clamped = 0;
        for (int i = 0; i < 500; i++) {
            Scalar before = scalar;
            double torque = scalar_step(&scalar, inertia, &drive, 0.0, 0.01);
            if (fabs(torque) > limit) {
                clamped++;
                torque = copysign(limit, torque);
                scalar.rate = before.rate + 0.01 * torque / inertia;
                scalar.angle = before.angle + 0.01 * scalar.rate;
            }
            bench_step(&bench, &drive, 0.0, limit, 0.01);
            EXPECT_NEAR(poise__motor_torque(&bench.motor).x, torque, 1e-10);
            EXPECT_NEAR(bench.motor.angle, scalar.angle, 1e-12);
        }
        cr_expect(clamped > 10 && clamped < 250, "%d steps at the limit", clamped);
        bench_finish(&bench);
    }
}

Test(motor, ball_limit_holds_about_each_axis) {
    Bench bench;
    bench_make(&bench, POISE_NODE_BALL, ORDER_CHILD_GROUND);
    BallPull pull =
        ball_pull(&bench, (PoiseSpring){100.0, 2.0}, poise_quat_exp(poise_vec3(1.0, -1.0, 0.01)));
    pull.limit = 5.0;
    cr_assert(poise__motor_drive_ball(&bench.motor, &pull, 0.01));
    dWorldStep(bench.world, 0.01);
    PoiseVec3 torque = poise__motor_torque(&bench.motor);
    EXPECT_NEAR(torque.x, 5.0, 1e-10);
    EXPECT_NEAR(torque.y, -5.0, 1e-10);
    cr_expect(torque.z > 0.0 && torque.z < 1.0, "z = %g", torque.z);
    bench_finish(&bench);
}

Test(motor, feed_forward_alone_is_a_torque) {
    for (int k = 0; k < 2; k++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, SCALAR_KINDS[k], order);
            const PoiseHingeDrive none = {{0.0, 0.0}, 0.0, 0.0};
            for (int i = 1; i <= 100; i++) {
                // given twice is given once
                poise__motor_drive_hinge(&bench.motor, &none, 7.0, INF, 0.01);
                bench_step(&bench, &none, 7.0, INF, 0.01);
                EXPECT_NEAR(poise__motor_torque(&bench.motor).x, 7.0, 1e-9);
                EXPECT_NEAR(bench_rate(&bench) * bench_inertia(&bench), 7.0 * 0.01 * i, 1e-8);
            }
            bench_finish(&bench);
        }
    }
    Bench bench;
    bench_make(&bench, POISE_NODE_BALL, ORDER_PARENT_CHILD);
    BallPull pull = {.feed_forward = poise_vec3(1.0, -2.0, 3.0), .limit = HUGE_VAL};
    cr_assert(poise__motor_drive_ball(&bench.motor, &pull, 0.01));
    dWorldStep(bench.world, 0.01);
    EXPECT_NEAR3(poise__motor_torque(&bench.motor), pull.feed_forward, 1e-9);
    bench_finish(&bench);
}

Test(motor, feed_forward_does_not_pile_up_on_a_sleeping_body) {
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_GROUND);
    const PoiseHingeDrive none = {{0.0, 0.0}, 0.0, 0.0};
    dBodyDisable(bench.child);
    for (int i = 0; i < 50; i++) {
        bench_step(&bench, &none, 7.0, INF, 0.01);
        EXPECT_NEAR(poise__motor_torque(&bench.motor).x, 0.0, 0.0);
    }
    dBodyEnable(bench.child);
    bench_step(&bench, &none, 7.0, INF, 0.01);
    EXPECT_NEAR(bench_rate(&bench) * bench_inertia(&bench), 0.07, 1e-9);
    bench_finish(&bench);
}

Test(motor, slider_on_a_turning_parent_feels_its_own_motion_alone) {
    // 2 rad/s about z, axis x, the child 1 m out: held by p (target - angle) = m_reduced w^2 r, and
    // the turning of the axis must not be taken for motion along it
    const double dt = 1e-3;
    const double turn = 2.0;
    Bench bench;
    bench_make(&bench, POISE_NODE_SLIDER, ORDER_PARENT_CHILD);
    dBodySetPosition(bench.child, 1.0, 0.0, 0.0);
    dJointSetSliderAxis(bench.joint, 1.0, 0.0, 0.0);
    double total = CHILD_MASS + PARENT_MASS;
    dBodySetLinearVel(bench.child, 0.0, turn * PARENT_MASS / total, 0.0);
    dBodySetLinearVel(bench.parent, 0.0, -turn * CHILD_MASS / total, 0.0);
    dBodySetAngularVel(bench.child, 0.0, 0.0, turn);
    dBodySetAngularVel(bench.parent, 0.0, 0.0, turn);
    poise__motor_read(&bench.motor);
    // d small: ODE's straight steps off the circle are a rate of h w^2 r / 2 to the row
    PoiseHingeDrive drive = {{400.0, 8.0}, 0.0, 0.0};
    for (int i = 0; i < 5000; i++) {
        bench_step(&bench, &drive, 0.0, INF, dt);
    }
    double speed = dBodyGetAngularVel(bench.parent)[2];
    double pull = bench_inertia(&bench) * speed * speed * (1.0 + bench.motor.angle);
    EXPECT_NEAR(poise__motor_torque(&bench.motor).x, -pull, 0.01 * pull);
    EXPECT_NEAR(400.0 * bench.motor.angle, pull, 0.01 * pull);
    bench_finish(&bench);
}

Test(motor, torque_of_an_older_step_is_not_read_as_new) {
    for (int k = 0; k < 2; k++) {
        Bench bench;
        bench_make(&bench, SCALAR_KINDS[k], ORDER_GROUND_CHILD);
        PoiseHingeDrive drive = {{100.0, 1.0}, 1.0, 0.0};
        bench_step(&bench, &drive, 0.0, INF, 0.01);
        cr_expect(poise__motor_torque(&bench.motor).x > 1.0);
        // ODE leaves the feedback of what sleeps as it was
        dBodyDisable(bench.child);
        bench_step(&bench, &drive, 0.0, INF, 0.01);
        EXPECT_NEAR(poise__motor_torque(&bench.motor).x, 0.0, 0.0);
        bench_finish(&bench);
    }
    Bench bench;
    bench_make(&bench, POISE_NODE_BALL, ORDER_GROUND_CHILD);
    for (int asleep = 0; asleep < 2; asleep++) {
        BallPull pull =
            ball_pull(&bench, (PoiseSpring){100.0, 1.0}, poise_quat_exp(poise_vec3(1.0, 0.0, 0.0)));
        poise__motor_drive_ball(&bench.motor, &pull, 0.01);
        dWorldStep(bench.world, 0.01);
        cr_expect((poise_length(poise__motor_torque(&bench.motor)) == 0.0) == (asleep == 1));
        dBodyDisable(bench.child);
    }
    bench_finish(&bench);
}

// ------------------------------------------------------------------------------------- letting go

Test(motor, release_leaves_the_joint_free) {
    for (int k = 0; k < 3; k++) {
        Bench bench;
        bench_make(&bench, KINDS[k], ORDER_PARENT_CHILD);
        if (KINDS[k] == POISE_NODE_BALL) {
            BallPull pull =
                ball_pull(&bench, (PoiseSpring){50.0, 1.0}, poise_quat_exp(poise_vec3(0, 0, 1)));
            poise__motor_drive_ball(&bench.motor, &pull, 0.01);
        } else {
            PoiseHingeDrive drive = {{50.0, 1.0}, 1.0, 0.0};
            poise__motor_drive_hinge(&bench.motor, &drive, 0.0, INF, 0.01);
        }
        dWorldStep(bench.world, 0.01);
        double rate = bench_rate(&bench);
        cr_expect(rate > 0.1 && poise_length(poise__motor_torque(&bench.motor)) > 0.1);
        poise__motor_release(&bench.motor);
        cr_expect(poise_length(poise__motor_torque(&bench.motor)) == 0.0);
        for (int i = 0; i < 100; i++) {
            dWorldStep(bench.world, 0.01);
        }
        EXPECT_NEAR(bench_rate(&bench), rate, 1e-9);
        EXPECT_NEAR(poise_length(poise__motor_torque(&bench.motor)), 0.0, 0.0);
        bench_finish(&bench);
    }
}

static const struct Unusable {
    double stiffness, damping, target, velocity, feed_forward, limit, dt;
} UNUSABLE[] = {{NOT_A_NUMBER, 1, 1, 0, 0, 9, .01},
                {-1, 1, 1, 0, 0, 9, .01},
                {HUGE_VAL, 1, 1, 0, 0, 9, .01},
                {1, NOT_A_NUMBER, 1, 0, 0, 9, .01},
                {1, -1, 1, 0, 0, 9, .01},
                {1, HUGE_VAL, 1, 0, 0, 9, .01},
                {1, 1, NOT_A_NUMBER, 0, 0, 9, .01},
                {1, 1, HUGE_VAL, 0, 0, 9, .01},
                {1, 1, 1, NOT_A_NUMBER, 0, 9, .01},
                {1, 1, 1, -HUGE_VAL, 0, 9, .01},
                {1, 1, 1, 0, NOT_A_NUMBER, 9, .01},
                {1, 1, 1, 0, HUGE_VAL, 9, .01},
                {1, 1, 1, 0, 0, NOT_A_NUMBER, .01},
                {1, 1, 1, 0, 0, -1, .01},
                {1, 1, 1, 0, 0, 0, .01},
                {1, 1, 1, 0, 0, 9, NOT_A_NUMBER},
                {1, 1, 1, 0, 0, 9, 0},
                {1, 1, 1, 0, 0, 9, -.01},
                {1, 1, 1, 0, 0, 9, HUGE_VAL},
                {1e300, 0, 1, 0, 0, 9, .01},
                {1, 1e300, 1, 0, 0, 9, .01},
                {1, 0, 1e300, 0, 0, HUGE_VAL, .01},
                {0, 1, 0, 1e300, 0, HUGE_VAL, .01},
                {0, 0, 1, 0, 0, 9, .01}};

static bool drive_unusable(Bench* bench, const struct Unusable* row) {
    PoiseSpring spring = {row->stiffness, row->damping};
    if (bench->motor.kind == POISE_NODE_BALL) {
        BallPull ball = {spring, poise_vec3(0, row->target, 0), poise_vec3(0, row->velocity, 0),
                         poise_vec3(0, row->feed_forward, 0), row->limit};
        return poise__motor_drive_ball(&bench->motor, &ball, row->dt);
    }
    PoiseHingeDrive hinge = {spring, row->target, row->velocity};
    return poise__motor_drive_hinge(&bench->motor, &hinge, row->feed_forward, row->limit, row->dt);
}

Test(motor, numbers_that_are_not_usable_release_the_motor) {
    for (int k = 0; k < 3; k++) {
        Bench bench;
        bench_make(&bench, KINDS[k], ORDER_CHILD_PARENT);
        for (size_t i = 0; i < sizeof UNUSABLE / sizeof UNUSABLE[0]; i++) {
            bool driven = drive_unusable(&bench, &UNUSABLE[i]);
            dWorldStep(bench.world, 0.01);
            cr_expect(!driven && !bench.motor.driven, "%s row %zu", kind_name_of(KINDS[k]), i);
            EXPECT_NEAR(bench_rate(&bench), 0.0, 0.0);
        }
        bench_finish(&bench);
    }
}

Test(motor, extremes_that_are_usable_do_not_end_the_process) {
    const double forces[] = {1e-300, 1.0, 1e30};
    for (int k = 0; k < 2; k++) {
        for (int f = 0; f < 3; f++) {
            for (int g = 0; g < 3; g++) {
                Bench bench;
                bench_make(&bench, SCALAR_KINDS[k], ORDER_CHILD_PARENT);
                PoiseHingeDrive drive = {{forces[g], 0.0}, 1.0, 0.0};
                for (int i = 0; i < 10; i++) {
                    bench_step(&bench, &drive, -0.5 * forces[f], INF, 0.01);
                }
                cr_expect(isfinite(bench_rate(&bench)), "p %g ff %g", forces[g], forces[f]);
                bench_finish(&bench);
            }
        }
    }
}
