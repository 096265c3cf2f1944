// SPDX-License-Identifier: MIT
// A motor's rows compared with closed forms and a hand-written implicit Euler; releasing a joint.
#include <criterion/criterion.h>
#include <math.h>

#include "bench.h"
#include "convert.h"
#include "near.h"

static const double INF = HUGE_VAL;
static const PoiseNodeKind SCALAR_KINDS[2] = {POISE_NODE_HINGE, POISE_NODE_SLIDER};
static const PoiseNodeKind KINDS[3] = {POISE_NODE_HINGE, POISE_NODE_SLIDER, POISE_NODE_BALL};

// Returns the distance from the target at t of an oscillation that starts at rest at `from`.
static double damped_oscillation(double inertia, PoiseSpring spring, double from, double t) {
    double decay = spring.damping / (2.0 * inertia);
    double turn = sqrt(spring.stiffness / inertia - decay * decay);
    return from * exp(-decay * t) * (cos(turn * t) + decay / turn * sin(turn * t));
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
                worst = fmax(worst, fabs(bench.angle - exact) / target);
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
            BallPull pull = bench_ball_pull(&bench, spring, poise_quat_exp(target));
            cr_assert(bench_drive_ball(&bench, &pull, steps[s]));
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

// Returns the largest distance to implicit Euler over 500 steps; expects that the oscillation never
// grows.
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
        worst = fmax(worst, fabs(bench.angle - scalar.angle));
        if (!(fabs(bench.angle) < 2.0)) {
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

// Returns the distance for a sphere on the ground: the scalar step about each world axis, then the
// rotation by h w.
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
        BallPull pull = bench_ball_pull(&bench, spring, target);
        cr_assert(bench_drive_ball(&bench, &pull, dt));
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
    // a ramp is tracked without lag if the target's velocity is given
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_GROUND);
    const double dt = 0.01;
    PoiseHingeDrive drive = {{200.0, 20.0}, 0.0, 1.5};
    for (int i = 1; i <= 300; i++) {
        drive.target = 1.5 * dt * i;
        bench_step(&bench, &drive, 0.0, INF, dt);
    }
    // the row uses the target at the end of the step: lag of h v
    EXPECT_NEAR(bench_rate(&bench), 1.5, 1e-9);
    EXPECT_NEAR(bench.angle, drive.target, 1.5 * dt + 1e-9);
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
            EXPECT_NEAR(bench.angle * p / 100.0, 1.0, 1e-9);
            EXPECT_NEAR(bench_torque(&bench).x, -100.0, 1e-7);
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
            EXPECT_NEAR(bench.angle, ends[e], 1e-9);
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
            EXPECT_NEAR(bench.angle, 0.6, 1e-9);
            bench_finish(&bench);
        }
        Bench bench;
        bench_make(&bench, POISE_NODE_BALL, order);
        PoiseQuat target = poise_quat_exp(poise_vec3(0.4, -0.7, 0.5));
        for (int i = 0; i < 4000; i++) {
            BallPull pull = bench_ball_pull(&bench, (PoiseSpring){200.0, 20.0}, target);
            cr_assert(bench_drive_ball(&bench, &pull, 0.01));
            dWorldStep(bench.world, 0.01);
        }
        EXPECT_NEAR_QUAT(bench_rotation(&bench), target, 1e-5);
        bench_finish(&bench);
    }
}

// ------------------------------------------------------------------------------------- letting go

Test(motor, release_leaves_the_joint_free) {
    for (int k = 0; k < 3; k++) {
        Bench bench;
        bench_make(&bench, KINDS[k], ORDER_PARENT_CHILD);
        if (KINDS[k] == POISE_NODE_BALL) {
            BallPull pull = bench_ball_pull(&bench, (PoiseSpring){50.0, 1.0},
                                            poise_quat_exp(poise_vec3(0, 0, 1)));
            bench_drive_ball(&bench, &pull, 0.01);
        } else {
            PoiseHingeDrive drive = {{50.0, 1.0}, 1.0, 0.0};
            bench_drive_hinge(&bench, &drive, 0.0, INF, 0.01);
        }
        dWorldStep(bench.world, 0.01);
        double rate = bench_rate(&bench);
        cr_expect(rate > 0.1 && poise_length(bench_torque(&bench)) > 0.1);
        poise__motor_release(&bench.motor);
        cr_expect(poise_length(bench_torque(&bench)) == 0.0);
        for (int i = 0; i < 100; i++) {
            dWorldStep(bench.world, 0.01);
        }
        EXPECT_NEAR(bench_rate(&bench), rate, 1e-9);
        EXPECT_NEAR(poise_length(bench_torque(&bench)), 0.0, 0.0);
        bench_finish(&bench);
    }
}

static const struct Unusable {
    double stiffness, damping, target, velocity, feed_forward, limit, dt;
} UNUSABLE[] = {{NOT_A_NUMBER, 1, 1, 0, 0, 9, 0.01},
                {-1, 1, 1, 0, 0, 9, 0.01},
                {HUGE_VAL, 1, 1, 0, 0, 9, 0.01},
                {1, NOT_A_NUMBER, 1, 0, 0, 9, 0.01},
                {1, -1, 1, 0, 0, 9, 0.01},
                {1, HUGE_VAL, 1, 0, 0, 9, 0.01},
                {1, 1, NOT_A_NUMBER, 0, 0, 9, 0.01},
                {1, 1, HUGE_VAL, 0, 0, 9, 0.01},
                {1, 1, 1, NOT_A_NUMBER, 0, 9, 0.01},
                {1, 1, 1, -HUGE_VAL, 0, 9, 0.01},
                {1, 1, 1, 0, NOT_A_NUMBER, 9, 0.01},
                {1, 1, 1, 0, HUGE_VAL, 9, 0.01},
                {1, 1, 1, 0, 0, NOT_A_NUMBER, 0.01},
                {1, 1, 1, 0, 0, -1, 0.01},
                {1, 1, 1, 0, 0, 0, 0.01},
                {1, 1, 1, 0, 0, 9, NOT_A_NUMBER},
                {1, 1, 1, 0, 0, 9, 0},
                {1, 1, 1, 0, 0, 9, -0.01},
                {1, 1, 1, 0, 0, 9, HUGE_VAL},
                {1e300, 0, 1, 0, 0, 9, 0.01},
                {1, 1e300, 1, 0, 0, 9, 0.01},
                {1, 0, 1e300, 0, 0, HUGE_VAL, 0.01},
                {0, 1, 0, 1e300, 0, HUGE_VAL, 0.01},
                {0, 0, 1, 0, 0, 9, 0.01}};

static bool drive_unusable(Bench* bench, const struct Unusable* row) {
    PoiseSpring spring = {row->stiffness, row->damping};
    if (bench->kind == POISE_NODE_BALL) {
        BallPull ball = {spring, poise_vec3(0, row->target, 0), poise_vec3(0, row->velocity, 0),
                         poise_vec3(0, row->feed_forward, 0), row->limit};
        return bench_drive_ball(bench, &ball, row->dt);
    }
    PoiseHingeDrive hinge = {spring, row->target, row->velocity};
    return bench_drive_hinge(bench, &hinge, row->feed_forward, row->limit, row->dt);
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

// At rest on its target a step gives exactly 0, and counts as a step.
Test(motor, a_step_that_gives_nothing_is_told_from_none) {
    for (size_t k = 0; k < sizeof SCALAR_KINDS / sizeof SCALAR_KINDS[0]; k++) {
        Bench bench;
        bench_make(&bench, SCALAR_KINDS[k], ORDER_CHILD_GROUND);
        const PoiseHingeDrive drive = {.spring = {100.0, 10.0}};
        for (int i = 0; i < 3; i++) {
            cr_assert(bench_drive_hinge(&bench, &drive, 0.0, HUGE_VAL, 0.01));
            cr_expect_not(poise__motor_gave(&bench.motor), "before step %d", i);
            dWorldStep(bench.world, 0.01);
            cr_expect(poise__motor_gave(&bench.motor), "after step %d", i);
            cr_expect_eq(poise_length(bench_torque(&bench)), 0.0);
        }
        bench_finish(&bench);
    }
}
