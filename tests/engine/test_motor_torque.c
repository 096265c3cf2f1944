// SPDX-License-Identifier: MIT
// The torque of a motor's rows: its reading, its limit, feed-forward.
#include <criterion/criterion.h>
#include <math.h>

#include "bench.h"
#include "convert.h"
#include "near.h"

static const PoiseNodeKind SCALAR_KINDS[2] = {POISE_NODE_HINGE, POISE_NODE_SLIDER};

Test(motor_torque, torque_read_back_is_the_formula) {
    for (int k = 0; k < 2; k++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, SCALAR_KINDS[k], order);
            PoiseHingeDrive drive = {{300.0, 4.0}, 0.8, 0.3};
            Scalar scalar = {0.0, 0.0};
            for (int i = 0; i < 100; i++) {
                bench_step(&bench, &drive, 2.5, HUGE_VAL, 0.01);
                double given = scalar_step(&scalar, bench_inertia(&bench), &drive, 2.5, 0.01);
                EXPECT_NEAR(bench_torque(&bench).x, given, 1e-10);
            }
            bench_finish(&bench);
        }
    }
}

Test(motor_torque, ball_torque_read_back_is_the_formula) {
    for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
        Bench bench;
        bench_make(&bench, POISE_NODE_BALL, order);
        PoiseQuat target = poise_quat_exp(poise_vec3(0.4, -0.7, 0.5));
        PoiseSpring spring = {300.0, 4.0};
        for (int i = 0; i < 100; i++) {
            BallPull pull = bench_ball_pull(&bench, spring, target);
            pull.velocity_world = poise_vec3(0.1, 0.2, -0.3);
            pull.feed_forward = poise_vec3(1.0, 2.0, 3.0);
            cr_assert(bench_drive_ball(&bench, &pull, 0.01));
            dWorldStep(bench.world, 0.01);
            PoiseVec3 rate = poise__vec3_from(dBodyGetAngularVel(bench.child));
            if (bench.parent) {
                rate = poise_sub(rate, poise__vec3_from(dBodyGetAngularVel(bench.parent)));
            }
            PoiseVec3 tau =
                poise_add(poise_scale(300.0, pull.error_world),
                          poise_add_scaled(pull.feed_forward, 4.0, pull.velocity_world));
            tau = poise_add_scaled(tau, -(0.01 * 300.0 + 4.0), rate);
            EXPECT_NEAR3(bench_torque(&bench), tau, 1e-10);
        }
        bench_finish(&bench);
    }
}

Test(motor_torque, limit_clamps_the_torque_and_nothing_else) {
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
            EXPECT_NEAR(bench_torque(&bench).x, torque, 1e-10);
            EXPECT_NEAR(bench.angle, scalar.angle, 1e-12);
        }
        cr_expect(clamped > 10 && clamped < 250, "%d steps at the limit", clamped);
        bench_finish(&bench);
    }
}

Test(motor_torque, ball_limit_holds_about_each_axis) {
    Bench bench;
    bench_make(&bench, POISE_NODE_BALL, ORDER_CHILD_GROUND);
    BallPull pull = bench_ball_pull(&bench, (PoiseSpring){100.0, 2.0},
                                    poise_quat_exp(poise_vec3(1.0, -1.0, 0.01)));
    pull.limit = 5.0;
    cr_assert(bench_drive_ball(&bench, &pull, 0.01));
    dWorldStep(bench.world, 0.01);
    PoiseVec3 torque = bench_torque(&bench);
    EXPECT_NEAR(torque.x, 5.0, 1e-10);
    EXPECT_NEAR(torque.y, -5.0, 1e-10);
    cr_expect(torque.z > 0.0 && torque.z < 1.0, "z = %g", torque.z);
    bench_finish(&bench);
}

Test(motor_torque, feed_forward_alone_is_a_torque) {
    for (int k = 0; k < 2; k++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, SCALAR_KINDS[k], order);
            const PoiseHingeDrive none = {{0.0, 0.0}, 0.0, 0.0};
            for (int i = 1; i <= 100; i++) {
                // a second drive before the step changes nothing
                bench_drive_hinge(&bench, &none, 7.0, HUGE_VAL, 0.01);
                bench_step(&bench, &none, 7.0, HUGE_VAL, 0.01);
                EXPECT_NEAR(bench_torque(&bench).x, 7.0, 1e-9);
                EXPECT_NEAR(bench_rate(&bench) * bench_inertia(&bench), 7.0 * 0.01 * i, 1e-8);
            }
            bench_finish(&bench);
        }
    }
    Bench bench;
    bench_make(&bench, POISE_NODE_BALL, ORDER_PARENT_CHILD);
    BallPull pull = {.feed_forward = poise_vec3(1.0, -2.0, 3.0), .limit = HUGE_VAL};
    cr_assert(bench_drive_ball(&bench, &pull, 0.01));
    dWorldStep(bench.world, 0.01);
    EXPECT_NEAR3(bench_torque(&bench), pull.feed_forward, 1e-9);
    bench_finish(&bench);
}

Test(motor_torque, feed_forward_does_not_pile_up_on_a_sleeping_body) {
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_GROUND);
    const PoiseHingeDrive none = {{0.0, 0.0}, 0.0, 0.0};
    dBodyDisable(bench.child);
    for (int i = 0; i < 50; i++) {
        bench_step(&bench, &none, 7.0, HUGE_VAL, 0.01);
        EXPECT_NEAR(bench_torque(&bench).x, 0.0, 0.0);
    }
    dBodyEnable(bench.child);
    bench_step(&bench, &none, 7.0, HUGE_VAL, 0.01);
    EXPECT_NEAR(bench_rate(&bench) * bench_inertia(&bench), 0.07, 1e-9);
    bench_finish(&bench);
}

Test(motor_torque, slider_on_a_turning_parent_feels_its_own_motion_alone) {
    // 2 rad/s about z, axis x, the child 1 m out. It is held by p (target - angle) = m_reduced w^2
    // r; the turning of the axis must not count as motion along it.
    const double dt = 1e-3;
    const double turn = 2.0;
    Bench bench;
    bench_make(&bench, POISE_NODE_SLIDER, ORDER_PARENT_CHILD);
    dBodySetPosition(bench.child, 1.0, 0.0, 0.0);
    dJointSetSliderAxis(bench.joint, 1.0, 0.0, 0.0);
    bench_fix_axis(&bench);
    double total = CHILD_MASS + PARENT_MASS;
    dBodySetLinearVel(bench.child, 0.0, turn * PARENT_MASS / total, 0.0);
    dBodySetLinearVel(bench.parent, 0.0, -turn * CHILD_MASS / total, 0.0);
    dBodySetAngularVel(bench.child, 0.0, 0.0, turn);
    dBodySetAngularVel(bench.parent, 0.0, 0.0, turn);
    bench_read(&bench);
    // d is small: ODE's straight steps off the circle are a rate of h w^2 r / 2 for the row
    PoiseHingeDrive drive = {{400.0, 8.0}, 0.0, 0.0};
    for (int i = 0; i < 5000; i++) {
        bench_step(&bench, &drive, 0.0, HUGE_VAL, dt);
    }
    double speed = dBodyGetAngularVel(bench.parent)[2];
    double pull = bench_inertia(&bench) * speed * speed * (1.0 + bench.angle);
    EXPECT_NEAR(bench_torque(&bench).x, -pull, 0.01 * pull);
    EXPECT_NEAR(400.0 * bench.angle, pull, 0.01 * pull);
    bench_finish(&bench);
}

Test(motor_torque, torque_of_an_older_step_is_not_read_as_new) {
    for (int k = 0; k < 2; k++) {
        Bench bench;
        bench_make(&bench, SCALAR_KINDS[k], ORDER_GROUND_CHILD);
        PoiseHingeDrive drive = {{100.0, 1.0}, 1.0, 0.0};
        bench_step(&bench, &drive, 0.0, HUGE_VAL, 0.01);
        cr_expect(bench_torque(&bench).x > 1.0);
        // ODE does not write the feedback of sleeping bodies
        dBodyDisable(bench.child);
        bench_step(&bench, &drive, 0.0, HUGE_VAL, 0.01);
        EXPECT_NEAR(bench_torque(&bench).x, 0.0, 0.0);
        bench_finish(&bench);
    }
    Bench bench;
    bench_make(&bench, POISE_NODE_BALL, ORDER_GROUND_CHILD);
    for (int asleep = 0; asleep < 2; asleep++) {
        BallPull pull = bench_ball_pull(&bench, (PoiseSpring){100.0, 1.0},
                                        poise_quat_exp(poise_vec3(1.0, 0.0, 0.0)));
        bench_drive_ball(&bench, &pull, 0.01);
        dWorldStep(bench.world, 0.01);
        cr_expect((poise_length(bench_torque(&bench)) == 0.0) == (asleep == 1));
        dBodyDisable(bench.child);
    }
    bench_finish(&bench);
}
