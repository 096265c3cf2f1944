// SPDX-License-Identifier: MIT
// A spring on one joint compared with a hand-written implicit Euler step; its limit and its
// reading; joints and bodies that are destroyed, asleep or cannot move.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "poise/joint_spring.h"

typedef enum Order { CHILD_PARENT, PARENT_CHILD, CHILD_GROUND, GROUND_CHILD, ORDERS } Order;

static const char* const order_names[ORDERS] = {"(child, parent)", "(parent, child)", "(child, 0)",
                                                "(0, child)"};

// A child with a joint along or about z to a parent or the ground, at their centres of mass,
// without gravity. Bodies turn by exactly h |w| in a step, as the model assumes.
typedef struct Yard {
    dWorldID world;
    dBodyID child;
    dBodyID parent;
    dJointID joint;
    PoiseJointSpring* spring;
    double inertia; ///< inertia of the child (slider: mass), reduced by the parent's
} Yard;

static const double INF = HUGE_VAL;
static const double CHILD[2] = {0.2, 2.0}, PARENT[2] = {0.5, 3.0}; ///< inertia and mass
static const dJointType types[3] = {dJointTypeHinge, dJointTypeSlider, dJointTypeBall};

static dBodyID make_body(dWorldID world, const double size[2]) {
    dMass m;
    dMassSetParameters(&m, size[1], 0.0, 0.0, 0.0, size[0], size[0], size[0], 0.0, 0.0, 0.0);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &m);
    dBodySetFiniteRotationMode(body, 1);
    return body;
}

static Yard yard_start(dJointType type, Order order, double limit) {
    dInitODE2(0);
    Yard yard = {.world = dWorldCreate()};
    yard.child = make_body(yard.world, CHILD);
    yard.parent = order <= PARENT_CHILD ? make_body(yard.world, PARENT) : NULL;
    const bool back = order == PARENT_CHILD || order == GROUND_CHILD;
    const JointDef def = {type,
                          back ? yard.parent : yard.child,
                          back ? yard.child : yard.parent,
                          {0.0, 0.0, 0.0},
                          {{0.0, 0.0, 1.0}}};
    yard.joint = joint_make(yard.world, &def);
    const double child = CHILD[type == dJointTypeSlider], parent = PARENT[type == dJointTypeSlider];
    yard.inertia = yard.parent ? child * parent / (child + parent) : child;
    PoiseJointSpringDef spring = poise_default_joint_spring_def();
    spring.child = yard.child;
    spring.max_torque = limit;
    yard.spring = poise_spring_on_joint(yard.joint, &spring);
    cr_assert_not_null(yard.spring);
    return yard;
}

static void yard_finish(Yard* yard) {
    poise_joint_spring_destroy(yard->spring);
    dWorldDestroy(yard->world);
    dCloseODE();
}

static void yard_set(const Yard* yard, PoiseHingeDrive drive) {
    cr_assert_eq(poise_joint_spring_set(yard->spring, 0, drive), POISE_OK);
}

// Returns the position of the joint before the step.
static double yard_step(const Yard* yard, double h) {
    double q[3];
    cr_assert_eq(poise_joint_spring_update(yard->spring, h), POISE_OK);
    cr_assert_geq(poise_joint_spring_read(yard->spring, q), 1);
    dWorldStep(yard->world, h);
    return q[0];
}

static PoiseVec3 given(const Yard* yard) {
    double torque[3] = {0.0, 0.0, 0.0};
    cr_assert_geq(poise_joint_spring_given(yard->spring, torque), 1);
    return poise_vec3(torque[0], torque[1], torque[2]);
}

static PoiseVec3 rate_of(const Yard* yard, bool slides) {
    const dReal* (*get)(dBodyID) = slides ? dBodyGetLinearVel : dBodyGetAngularVel;
    const dReal* child = get(yard->child);
    const dReal none[3] = {0.0, 0.0, 0.0};
    const dReal* parent = yard->parent ? get(yard->parent) : none;
    return poise_vec3(child[0] - parent[0], child[1] - parent[1], child[2] - parent[2]);
}

// ------------------------------------------------------------------------------ hinge and slider

typedef struct Row {
    PoiseSpring spring;
    double step;
    double limit;
} Row;

// Steps a spring whose target begins at 0.7 and moves at 0.2, and computes the same by implicit
// Euler. Position, velocity and torque agree, at the limit and below.
static void expect_steps(dJointType type, Order order, const Row* row) {
    const bool slides = type == dJointTypeSlider;
    const double h = row->step, p = row->spring.stiffness, d = row->spring.damping;
    Yard yard = yard_start(type, order, row->limit);
    yard_set(&yard, (PoiseHingeDrive){row->spring, 0.7, 0.2});
    double q = 0.0, v = 0.0, worst = 0.0, torque_off = 0.0;
    int limited = 0;
    for (int i = 0; i < 300; i++) {
        const double pull = p * (0.7 - q) + d * 0.2;
        worst = fmax(worst, fabs(yard_step(&yard, h) - q));
        double next = (yard.inertia * v + h * pull) / (yard.inertia + h * d + h * h * p);
        double torque = pull - (h * p + d) * next;
        if (fabs(torque) > row->limit) {
            limited++;
            torque = copysign(row->limit, torque);
            next = v + h * torque / yard.inertia;
        }
        v = next;
        q += h * v;
        worst = fmax(worst, fabs(rate_of(&yard, slides).z - v) * h);
        torque_off = fmax(torque_off, fabs(given(&yard).x - torque));
    }
    // the torque is the small difference of the large terms p e and d v
    cr_expect(worst < 1e-12 && torque_off < 1e-10 + 1e-15 * (p + d),
              "%s %s, p %g, d %g, step %g, limit %g: off by %g, torque %g",
              slides ? "slider" : "hinge", order_names[order], p, d, h, row->limit, worst,
              torque_off);
    cr_expect(isinf(row->limit) == (limited == 0), "%d steps at the limit", limited);
    yard_finish(&yard);
}

Test(joint_spring, hinges_and_sliders_make_the_implicit_step) {
    static const double stiffnesses[] = {0.0, 0.5, 1e3, 1e6, 1e9, 1e12};
    static const double dampings[] = {0.0, 1.0, 1e3, 1e6};
    static const double steps[] = {0.01, 0.001, 0.1, 1.0};
    for (int i = 0; i < 2 * ORDERS * 6 * 4 * 4; i++) {
        const Row row = {{stiffnesses[i / 8 % 6], dampings[i / 48 % 4]}, steps[i / 192], INF};
        expect_steps(types[i % 2], (Order)(i / 2 % 4), &row);
    }
    const Row limited = {{100.0, 20.0}, 0.01, 5.0};
    for (int i = 0; i < 2 * ORDERS; i++) {
        expect_steps(types[i % 2], (Order)(i / 2), &limited);
    }
}

// A slider turns about z at 2 rad/s with its child 1 m out, where p q = I w^2 r. The rotation of
// the slider's axis is no motion along it.
Test(joint_spring, a_slider_on_a_turning_parent_has_its_own_motion_alone) {
    const double turn = 2.0, total = CHILD[1] + PARENT[1];
    Yard yard = yard_start(dJointTypeSlider, PARENT_CHILD, INF);
    poise_joint_spring_destroy(yard.spring);
    dBodySetPosition(yard.child, 1.0, 0.0, 0.0);
    dJointSetSliderAxis(yard.joint, 1.0, 0.0, 0.0);
    PoiseJointSpringDef def = poise_default_joint_spring_def();
    def.child = yard.child;
    yard.spring = poise_spring_on_joint(yard.joint, &def);
    dBodySetLinearVel(yard.child, 0.0, turn * PARENT[1] / total, 0.0);
    dBodySetLinearVel(yard.parent, 0.0, -turn * CHILD[1] / total, 0.0);
    dBodySetAngularVel(yard.child, 0.0, 0.0, turn);
    dBodySetAngularVel(yard.parent, 0.0, 0.0, turn);
    // d is small, since ODE steps along the circle's tangent: the row sees a speed of h w^2 r / 2
    yard_set(&yard, (PoiseHingeDrive){{400.0, 8.0}, 0.0, 0.0});
    double q = 0.0;
    for (int i = 0; i < 5000; i++) {
        q = yard_step(&yard, 1e-3);
    }
    const double speed = dBodyGetAngularVel(yard.parent)[2];
    const double pull = yard.inertia * speed * speed * (1.0 + q);
    EXPECT_NEAR(given(&yard).x, -pull, 0.01 * pull);
    EXPECT_NEAR(400.0 * q, pull, 0.01 * pull);
    yard_finish(&yard);
}

Test(joint_spring, angles_are_counted_on_over_whole_turns) {
    for (int order = 0; order < ORDERS; order++) {
        Yard yard = yard_start(dJointTypeHinge, (Order)order, INF);
        yard_set(&yard, (PoiseHingeDrive){{100.0, 20.0}, order % 2 ? -20.0 : 20.0, 0.0});
        double q = 0.0;
        for (int i = 0; i < 2000; i++) {
            q = yard_step(&yard, 0.005);
        }
        EXPECT_NEAR(q, order % 2 ? -20.0 : 20.0, 1e-6);
        yard_finish(&yard);
    }
}

Test(joint_spring, both_axes_of_a_universal_go_where_they_are_sent) {
    static const double targets[] = {0.6, -0.9};
    Yard yard = yard_start(dJointTypeHinge, CHILD_GROUND, INF);
    poise_joint_spring_destroy(yard.spring);
    dJointDestroy(yard.joint);
    yard.joint = mechanism_universal(yard.world, yard.child, NULL, NULL, 0.0);
    yard.spring = poise_spring_on_joint(yard.joint, NULL);
    cr_assert_eq(poise_joint_spring_axes(yard.spring), 2);
    double q[3];
    for (int i = 0; i < 300; i++) {
        for (int axis = 0; axis < 2; axis++) {
            const PoiseHingeDrive drive = {{2e3, 50.0}, targets[axis], 0.0};
            cr_assert_eq(poise_joint_spring_set(yard.spring, axis, drive), POISE_OK);
        }
        (void)yard_step(&yard, 0.01);
    }
    cr_assert_eq(poise_joint_spring_read(yard.spring, q), 2);
    EXPECT_NEAR(q[0], targets[0], 1e-5);
    EXPECT_NEAR(q[1], targets[1], 1e-5);
    yard_finish(&yard);
}

// ------------------------------------------------------------------------------------------ balls

static PoiseQuat rotation_of(const Yard* yard) {
    const PoiseQuat child = body_turn(yard->child);
    return yard->parent ? poise_quat_mul(poise_quat_conjugate(body_turn(yard->parent)), child)
                        : child;
}

static PoiseVec3 error_of(PoiseQuat target, PoiseQuat rotation) {
    return poise_quat_log(poise_quat_mul(target, poise_quat_conjugate(rotation)));
}

// Steps a sphere on the ground and the model about each axis, which then turns by h w.
static double ball_off_by(PoiseSpring spring) {
    const double h = 0.01;
    const PoiseQuat target = poise_quat_exp(poise_vec3(0.9, -1.1, 1.7));
    Yard yard = yard_start(dJointTypeBall, CHILD_GROUND, INF);
    PoiseVec3 rate = poise_vec3(1.0, -2.0, 0.5);
    dBodySetAngularVel(yard.child, rate.x, rate.y, rate.z);
    const PoiseBallDrive drive = {spring, target, poise_vec3(0.0, 0.0, 0.0)};
    cr_assert_eq(poise_joint_spring_set_ball(yard.spring, drive), POISE_OK);
    PoiseQuat rotation = poise_quat_identity();
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        (void)yard_step(&yard, h);
        const PoiseVec3 e = error_of(target, rotation);
        rate =
            poise_scale(1.0 / (yard.inertia + h * (h * spring.stiffness + spring.damping)),
                        poise_add_scaled(poise_scale(yard.inertia, rate), h * spring.stiffness, e));
        rotation =
            poise_quat_normalize(poise_quat_mul(poise_quat_exp(poise_scale(h, rate)), rotation));
        worst = fmax(worst, poise_length(error_of(rotation, rotation_of(&yard))));
    }
    yard_finish(&yard);
    return worst;
}

Test(joint_spring, balls_make_the_implicit_step) {
    static const double stiffnesses[] = {0.5, 1e3, 1e6, 1e9, 1e12};
    static const double dampings[] = {0.0, 1.0, 1e3, 1e6};
    for (int i = 0; i < 20; i++) {
        const PoiseSpring spring = {stiffnesses[i / 4], dampings[i % 4]};
        const double off = ball_off_by(spring);
        cr_expect(off < 1e-12, "p %g, d %g: off by %g rad", spring.stiffness, spring.damping, off);
    }
}

// The ball reaches its target in each order; its reading is p e - (h p + d) w about the world's
// axes.
Test(joint_spring, balls_turn_to_their_target_and_read_their_torque) {
    const double p = 200.0, d = 20.0, h = 0.01;
    const PoiseQuat target = poise_quat_exp(poise_vec3(0.4, -0.7, 0.5));
    for (int order = 0; order < ORDERS; order++) {
        Yard yard = yard_start(dJointTypeBall, (Order)order, INF);
        const PoiseBallDrive drive = {{p, d}, target, poise_vec3(0.0, 0.0, 0.0)};
        cr_assert_eq(poise_joint_spring_set_ball(yard.spring, drive), POISE_OK);
        cr_expect_eq(poise_joint_spring_set(yard.spring, 0, (PoiseHingeDrive){{1, 1}, 0, 0}),
                     POISE_ERROR_WRONG_KIND);
        for (int i = 0; i < 4000; i++) {
            PoiseVec3 error = error_of(target, rotation_of(&yard));
            error = yard.parent ? poise_quat_rotate(body_turn(yard.parent), error) : error;
            (void)yard_step(&yard, h);
            const PoiseVec3 torque =
                poise_add_scaled(poise_scale(p, error), -(h * p + d), rate_of(&yard, false));
            cr_assert_leq(poise_length(poise_sub(given(&yard), torque)), 1e-9);
        }
        EXPECT_NEAR_QUAT(rotation_of(&yard), target, 1e-5);
        yard_finish(&yard);
    }
    // the limit holds about each axis
    Yard yard = yard_start(dJointTypeBall, CHILD_GROUND, 5.0);
    const PoiseQuat far = poise_quat_exp(poise_vec3(1.0, -1.0, 0.01));
    const PoiseBallDrive drive = {{100.0, 2.0}, far, poise_vec3(0.0, 0.0, 0.0)};
    cr_assert_eq(poise_joint_spring_set_ball(yard.spring, drive), POISE_OK);
    (void)yard_step(&yard, h);
    const PoiseVec3 torque = given(&yard);
    EXPECT_NEAR(torque.x, 5.0, 1e-10);
    EXPECT_NEAR(torque.y, -5.0, 1e-10);
    cr_expect(torque.z > 0.0 && torque.z < 1.0, "z = %g", torque.z);
    yard_finish(&yard);
}

// ---------------------------------------------------------------- asleep, destroyed, not driven

static void drive_any(const Yard* yard, dJointType type) {
    if (type == dJointTypeBall) {
        const PoiseBallDrive drive = {
            {50.0, 1.0}, poise_quat_exp(poise_vec3(0.0, 0.0, 1.0)), poise_vec3(0.0, 0.0, 0.0)};
        cr_assert_eq(poise_joint_spring_set_ball(yard->spring, drive), POISE_OK);
    } else {
        yard_set(yard, (PoiseHingeDrive){{50.0, 1.0}, 1.0, 0.0});
    }
}

// ODE writes no feedback of a sleeping body. Its torque reads 0, not that of the step before, and
// the first step awake applies no torque that was due during the sleep.
Test(joint_spring, a_sleeping_body_gets_no_torque) {
    for (int k = 0; k < 3; k++) {
        Yard yard = yard_start(types[k], GROUND_CHILD, INF);
        drive_any(&yard, types[k]);
        (void)yard_step(&yard, 0.01);
        cr_expect_gt(poise_length(given(&yard)), 1.0);
        const double rate = poise_length(rate_of(&yard, k == 1));
        for (int i = 0; i < 50; i++) {
            dBodyDisable(yard.child);
            (void)yard_step(&yard, 0.01);
            EXPECT_NEAR(poise_length(given(&yard)), 0.0, 0.0);
        }
        dBodyEnable(yard.child);
        (void)yard_step(&yard, 0.01);
        cr_expect_lt(poise_length(rate_of(&yard, k == 1)), 2.0 * rate);
        yard_finish(&yard);
    }
}

Test(joint_spring, a_joint_without_its_spring_is_free) {
    for (int k = 0; k < 3; k++) {
        Yard yard = yard_start(types[k], PARENT_CHILD, INF);
        drive_any(&yard, types[k]);
        (void)yard_step(&yard, 0.01);
        const double rate = rate_of(&yard, k == 1).z;
        cr_expect_gt(rate, 0.1);
        poise_joint_spring_destroy(yard.spring);
        yard.spring = NULL;
        cr_expect_eq(dBodyGetNumJoints(yard.child), 1);
        for (int i = 0; i < 100; i++) {
            dWorldStep(yard.world, 0.01);
        }
        EXPECT_NEAR(rate_of(&yard, k == 1).z, rate, 1e-9);
        yard_finish(&yard);
    }
}

Test(joint_spring, a_body_joint_or_world_that_goes_is_noticed) {
    for (int i = 0; i < 3 * 6; i++) {
        Yard yard = yard_start(types[i % 3], CHILD_PARENT, INF);
        drive_any(&yard, types[i % 3]);
        (void)yard_step(&yard, 0.01);
        const int what = i / 3;
        if (what < 2) {
            dBodyDestroy(what == 0 ? yard.child : yard.parent);
        } else if (what == 2) {
            dJointDestroy(yard.joint);
        } else if (what < 5) {
            dJointAttach(yard.joint, what == 3 ? NULL : yard.child, NULL);
        } else {
            dWorldDestroy(yard.world);
        }
        cr_expect_eq(poise_joint_spring_update(yard.spring, 0.01), POISE_ERROR_GONE, "%d", i);
        cr_expect_eq(poise_length(given(&yard)), 0.0, "%d", i);
        poise_joint_spring_destroy(yard.spring);
        if (what < 5) {
            dWorldStep(yard.world, 0.01);
            dWorldDestroy(yard.world);
        }
        dCloseODE();
    }
}

Test(joint_spring, joints_that_cannot_move_or_are_not_finite_are_not_driven) {
    for (int i = 0; i < 3 * 4; i++) {
        Yard yard = yard_start(types[i % 3], CHILD_PARENT, INF);
        drive_any(&yard, types[i % 3]);
        const int what = i / 3;
        if (what == 0) {
            dJointDisable(yard.joint);
        } else if (what == 1) {
            dBodySetKinematic(yard.child);
            cr_expect_eq(poise_joint_spring_update(yard.spring, 0.01), POISE_OK);
            dBodySetKinematic(yard.parent);
        } else if (what == 2) {
            dBodySetLinearVel(yard.parent, (double)NAN, 0.0, 0.0);
        } else {
            dBodySetPosition(yard.child, 0.0, HUGE_VAL, 0.0);
        }
        cr_expect_eq(poise_joint_spring_update(yard.spring, 0.01), POISE_DEGRADED, "%d", i);
        yard_finish(&yard);
    }
}

// Torques that overflow drive nothing.
Test(joint_spring, numbers_that_are_too_large_are_not_driven) {
    static const PoiseHingeDrive rows[] = {{{1e300, 0.0}, 1.0, 0.0},
                                           {{1.0, 1e300}, 1.0, 0.0},
                                           {{1.0, 0.0}, 1e300, 0.0},
                                           {{0.0, 1.0}, 0.0, 1e300}};
    for (int i = 0; i < 2 * 4; i++) {
        Yard yard = yard_start(types[i % 2], CHILD_PARENT, INF);
        yard_set(&yard, rows[i / 2]);
        cr_expect_geq(poise_joint_spring_update(yard.spring, 0.01), POISE_OK);
        dWorldStep(yard.world, 0.01);
        cr_expect_eq(poise_length(rate_of(&yard, i % 2 == 1)), 0.0, "%d", i);
        cr_expect_eq(poise_length(given(&yard)), 0.0, "%d", i);
        yard_finish(&yard);
    }
}
