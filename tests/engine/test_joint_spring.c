// SPDX-License-Identifier: MIT
// A spring on one joint compared with closed forms: the implicit Euler step of a spring-damper;
// statics; refused arguments; destroyed joints.
#include <criterion/criterion.h>
#include <math.h>
#include <ode/ode.h>
#include <string.h>

#include "poise/joint_spring.h"

typedef struct Yard {
    dWorldID world;
    dBodyID body;
    dJointID joint;
} Yard;

static const double INERTIA = 0.3;
static const double MASS = 2.0;

// Makes a body that turns about its own centre of mass, or slides.
static Yard yard_start(dJointType type) {
    dInitODE2(0);
    Yard yard = {dWorldCreate(), NULL, NULL};
    dMass mass;
    dMassSetParameters(&mass, MASS, 0, 0, 0, INERTIA, INERTIA, INERTIA, 0, 0, 0);
    yard.body = dBodyCreate(yard.world);
    dBodySetMass(yard.body, &mass);
    if (type == dJointTypeSlider) {
        yard.joint = dJointCreateSlider(yard.world, NULL);
        dJointAttach(yard.joint, yard.body, NULL);
        dJointSetSliderAxis(yard.joint, 0, 0, 1);
    } else if (type == dJointTypeBall) {
        yard.joint = dJointCreateBall(yard.world, NULL);
        dJointAttach(yard.joint, yard.body, NULL);
        dJointSetBallAnchor(yard.joint, 0, 0, 0);
    } else {
        yard.joint = dJointCreateHinge(yard.world, NULL);
        dJointAttach(yard.joint, yard.body, NULL);
        dJointSetHingeAnchor(yard.joint, 0, 0, 0);
        dJointSetHingeAxis(yard.joint, 0, 0, 1);
    }
    return yard;
}

static void yard_finish(Yard* yard) {
    dWorldDestroy(yard->world);
    dCloseODE();
}

static const struct {
    PoiseSpring spring;
    double step;
} rows[] = {{{10.0, 1.0}, 0.01}, {{1e4, 10.0}, 0.01}, {{1e9, 0.0}, 0.01},   {{0.0, 50.0}, 0.1},
            {{1e9, 1e6}, 0.1},   {{300.0, 0.0}, 1.0}, {{1e-3, 1e-3}, 0.001}};

static void expect_steps(dJointType type, double inertia) {
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        Yard yard = yard_start(type);
        PoiseJointSpring* spring = poise_spring_on_joint(yard.joint, NULL);
        cr_assert_not_null(spring);
        const double h = rows[r].step;
        const double p = rows[r].spring.stiffness;
        const double d = rows[r].spring.damping;
        const PoiseHingeDrive drive = {rows[r].spring, 0.7, 0.2};
        cr_assert_eq(poise_joint_spring_set(spring, 0, drive), POISE_OK);
        double q = 0.0, v = 0.0;
        for (int step = 0; step < 20; step++) {
            // (I + h d + h^2 p) v1 = I v0 + h p (target - q0) + h d v_ref, q1 = q0 + h v1
            v = (inertia * v + h * p * (0.7 - q) + h * d * 0.2) / (inertia + h * d + h * h * p);
            q += h * v;
            cr_assert_eq(poise_joint_spring_update(spring, h), POISE_OK);
            dWorldStep(yard.world, h);
            const bool slides = type == dJointTypeSlider;
            const double rate = slides ? dJointGetSliderPositionRate(yard.joint)
                                       : dJointGetHingeAngleRate(yard.joint);
            cr_expect_float_eq(rate, v, 1e-9 * (1.0 + fabs(v)), "row %zu step %d: %.17g, not %.17g",
                               r, step, rate, v);
            if (slides) {
                // ODE rotates bodies by finite steps: angles drift from the sum, displacements do
                // not
                cr_expect_float_eq(dJointGetSliderPosition(yard.joint), q, 1e-9);
            } else {
                q = dJointGetHingeAngle(yard.joint);
            }
        }
        poise_joint_spring_destroy(spring);
        yard_finish(&yard);
    }
}

Test(joint_spring, a_hinge_makes_the_implicit_step_at_any_stiffness) {
    expect_steps(dJointTypeHinge, INERTIA);
}

Test(joint_spring, a_slider_makes_the_implicit_step_at_any_stiffness) {
    expect_steps(dJointTypeSlider, MASS);
}

Test(joint_spring, a_ball_turns_straight_to_its_target) {
    Yard yard = yard_start(dJointTypeBall);
    PoiseJointSpring* spring = poise_spring_on_joint(yard.joint, NULL);
    const PoiseVec3 rotation = poise_vec3(0.3, -0.5, 0.4);
    const PoiseBallDrive drive = {{1e4, 200.0}, poise_quat_exp(rotation), poise_vec3(0, 0, 0)};
    cr_assert_eq(poise_joint_spring_set_ball(spring, drive), POISE_OK);
    cr_expect_eq(poise_joint_spring_set(spring, 0, (PoiseHingeDrive){{1, 1}, 0, 0}),
                 POISE_ERROR_WRONG_KIND);
    // the inertia is the same about all axes: the motion is that of a single spring
    double left = poise_length(rotation);
    double v = 0.0;
    const double h = 0.01;
    for (int step = 0; step < 100; step++) {
        v = (INERTIA * v + h * 1e4 * left) / (INERTIA + h * 200.0 + h * h * 1e4);
        left -= h * v;
        cr_assert_eq(poise_joint_spring_update(spring, h), POISE_OK);
        dWorldStep(yard.world, h);
    }
    cr_assert_eq(poise_joint_spring_update(spring, h), POISE_OK);
    double q[3];
    cr_assert_eq(poise_joint_spring_read(spring, q), 3);
    cr_expect_float_eq(q[0], rotation.x, 1e-4);
    cr_expect_float_eq(q[1], rotation.y, 1e-4);
    cr_expect_float_eq(q[2], rotation.z, 1e-4);
    poise_joint_spring_destroy(spring);
    yard_finish(&yard);
}

Test(joint_spring, angles_are_counted_on_over_whole_turns) {
    Yard yard = yard_start(dJointTypeHinge);
    PoiseJointSpring* spring = poise_spring_on_joint(yard.joint, NULL);
    const PoiseHingeDrive drive = {{100.0, 20.0}, 20.0, 0.0};
    cr_assert_eq(poise_joint_spring_set(spring, 0, drive), POISE_OK);
    for (int step = 0; step < 2000; step++) {
        cr_assert_eq(poise_joint_spring_update(spring, 0.005), POISE_OK);
        dWorldStep(yard.world, 0.005);
    }
    double q[3];
    cr_assert_eq(poise_joint_spring_read(spring, q), 1);
    cr_expect_float_eq(q[0], 20.0, 1e-6);
    poise_joint_spring_destroy(spring);
    yard_finish(&yard);
}

Test(joint_spring, it_gives_no_more_than_its_limit_and_tells_what_it_gave) {
    Yard yard = yard_start(dJointTypeHinge);
    PoiseJointSpringDef def = poise_default_joint_spring_def();
    def.max_torque = 4.0;
    PoiseJointSpring* spring = poise_spring_on_joint(yard.joint, &def);
    cr_assert_eq(poise_joint_spring_set(spring, 0, (PoiseHingeDrive){{1e6, 0.0}, 1.0, 0.0}),
                 POISE_OK);
    cr_assert_eq(poise_joint_spring_update(spring, 0.01), POISE_OK);
    dWorldStep(yard.world, 0.01);
    double given[3];
    cr_assert_eq(poise_joint_spring_given(spring, given), 1);
    cr_expect_float_eq(given[0], 4.0, 1e-9);
    cr_expect_float_eq(dJointGetHingeAngleRate(yard.joint), 4.0 * 0.01 / INERTIA, 1e-9);
    poise_joint_spring_destroy(spring);
    yard_finish(&yard);
}

Test(joint_spring, both_axes_of_a_universal_go_where_they_are_sent) {
    Yard yard = yard_start(dJointTypeHinge);
    dJointDestroy(yard.joint);
    yard.joint = dJointCreateUniversal(yard.world, NULL);
    dJointAttach(yard.joint, yard.body, NULL);
    dJointSetUniversalAnchor(yard.joint, 0, 0, 0);
    dJointSetUniversalAxis1(yard.joint, 1, 0, 0);
    dJointSetUniversalAxis2(yard.joint, 0, 1, 0);
    PoiseJointSpring* spring = poise_spring_on_joint(yard.joint, NULL);
    cr_assert_eq(poise_joint_spring_axes(spring), 2);
    const double targets[] = {0.6, -0.9};
    for (int axis = 0; axis < 2; axis++) {
        const PoiseHingeDrive drive = {{2e3, 50.0}, targets[axis], 0.0};
        cr_assert_eq(poise_joint_spring_set(spring, axis, drive), POISE_OK);
    }
    for (int step = 0; step < 300; step++) {
        cr_assert_eq(poise_joint_spring_update(spring, 0.01), POISE_OK);
        dWorldStep(yard.world, 0.01);
    }
    double q[3];
    cr_assert_eq(poise_joint_spring_read(spring, q), 2);
    cr_expect_float_eq(q[0], 0.6, 1e-5, "%g", q[0]);
    cr_expect_float_eq(q[1], -0.9, 1e-5, "%g", q[1]);
    poise_joint_spring_destroy(spring);
    yard_finish(&yard);
}
