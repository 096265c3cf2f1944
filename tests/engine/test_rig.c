// SPDX-License-Identifier: MIT
// The rig in a world of the user: angles past pi and stops; memory and extreme
// numbers; loops.
#include <criterion/criterion.h>

#include "linkage.h"
#include "near.h"

static const double PI = 3.14159265358979323846;
static const double STEP = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};
static const PoiseVec3 about_z = {0.0, 0.0, 1.0};

// ------------------------------------------------------------------------- one hinge about z

static double spin_of(dBodyID body) {
    return dBodyGetAngularVel(body)[2];
}

// Row 0.15: a goal that circles three times in each direction; the angle includes the full turns.
Test(rig, a_hinge_follows_a_goal_round_and_round) {
    PoiseBindDef like = mechanism_springs(1e4, 1e3);
    for (int r = 0; r < 2; r++) {
        Mechanism m;
        PoiseNodeId node =
            mechanism_bar(&m, r == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED, &like);
        for (int sense = 1; sense >= -1; sense -= 2) {
            const double start = sense > 0 ? 0.0 : 6.0 * PI;
            const double rate = 3.0 * sense;
            const int steps = (int)(6.0 * PI / 3.0 / STEP);
            for (int i = 0; i < steps; i++) {
                const double at = start + rate * STEP * (i + 1);
                mechanism_goal(&m, poise_vec3(cos(at), sin(at), 0.0));
                PoiseVec3 velocity = poise_vec3(-rate * sin(at), rate * cos(at), 0.0);
                cr_assert_eq(poise_point_set_velocity(m.tree, m.point, velocity), POISE_OK);
                mechanism_step(&m, STEP);
                cr_expect_leq(fabs(spin_of(m.bodies[0])), 6.0, "spins at %g rad/s",
                              spin_of(m.bodies[0]));
            }
            cr_assert_eq(poise_point_set_velocity(m.tree, m.point, no_gravity), POISE_OK);
            const double end = sense > 0 ? 6.0 * PI : 0.0;
            mechanism_goal(&m, poise_vec3(1.0, 0.0, 0.0));
            mechanism_run(&m, STEP, 300);
            cr_assert_eq(poise_rig_update(m.rig, STEP, NULL), POISE_OK);
            EXPECT_NEAR(mechanism_read(&m, node).q[0], end, 1e-6);
        }
        mechanism_close(&m);
    }
}

// If the natural posture pulls too, theta_orig is measured within the same full turn as theta_ik.
Test(rig, the_natural_angle_does_not_wind_a_hinge_back) {
    PoiseBindDef like = mechanism_springs(900.0, 100.0);
    like.original.stiffness = 100.0;
    like.original.damping = 10.0;
    Mechanism m;
    PoiseNodeId node = mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
    for (int i = 0; i < 1200; i++) {
        const double at = fmin(2.0 * PI + 0.5, 0.01 * (i + 1));
        mechanism_goal(&m, poise_vec3(cos(at), sin(at), 0.0));
        mechanism_step(&m, STEP);
    }
    cr_assert_eq(poise_rig_update(m.rig, STEP, NULL), POISE_OK);
    EXPECT_NEAR(mechanism_read(&m, node).q[0], 2.0 * PI + 0.9 * 0.5, 1e-6);
    EXPECT_NEAR(mechanism_foresee(&m, STEP).miss, mechanism_error(&m), 0.01 * mechanism_error(&m));
    mechanism_close(&m);
}

// Row 0.15: a stop that the user sets in ODE between the bar and its goal, with springs from soft
// to hard.
Test(rig, a_spring_presses_a_joint_on_an_unknown_stop) {
    static const double stiffnesses[] = {1e2, 1e4, 1e6};
    for (int i = 0; i < 3; i++) {
        PoiseBindDef like = mechanism_springs(stiffnesses[i], stiffnesses[i] / 10.0);
        Mechanism m;
        PoiseNodeId node = mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
        // the tree does not know the stop: the spring keeps pulling
        dJointSetHingeParam(m.joints[0], dParamLoStop, -1.0);
        dJointSetHingeParam(m.joints[0], dParamHiStop, 1.0);
        mechanism_goal(&m, poise_vec3(cos(1.5), sin(1.5), 0.0));
        mechanism_run(&m, STEP, 1000);
        const double at = dJointGetHingeAngle(m.joints[0]);
        EXPECT_NEAR(at, 1.0, 1e-3);
        EXPECT_NEAR(mechanism_read(&m, node).torque[0], stiffnesses[i] * (1.5 - at),
                    1e-6 * stiffnesses[i]);
        // the bar leaves the stop again
        mechanism_goal(&m, poise_vec3(cos(0.2), sin(0.2), 0.0));
        for (int k = 0; k < 600; k++) {
            mechanism_step(&m, STEP);
            cr_expect_leq(fabs(spin_of(m.bodies[0])), 1.3 * 1.3 / STEP);
        }
        EXPECT_NEAR(dJointGetHingeAngle(m.joints[0]), 0.2, 1e-6);
        mechanism_close(&m);
    }
}

// If the tree knows the stop, references stay inside the range, and no torque pushes against the
// stop: with a goal, and with a natural angle, beyond it.
Test(rig, no_torque_pushes_against_a_known_stop) {
    for (int natural = 0; natural < 2; natural++) {
        PoiseBindDef like = mechanism_springs(natural ? 1e3 : 1e5, natural ? 1e2 : 1e4);
        like.original = natural ? (PoiseSpring){1e4, 1e3} : like.original;
        like.natural[0] = natural ? 2.5 : 0.0;
        Mechanism m;
        PoiseNodeId node = mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
        cr_assert_eq(poise_node_set_limits(m.tree, node, poise_range(-1.0, 1.0)), POISE_OK);
        if (!natural) {
            mechanism_goal(&m, poise_vec3(cos(2.5), sin(2.5), 0.0));
        }
        for (int i = 0; i < 500; i++) {
            mechanism_step(&m, STEP);
            cr_expect_leq(mechanism_read(&m, node).q_target[0], 1.0, "natural %d", natural);
        }
        EXPECT_NEAR(dJointGetHingeAngle(m.joints[0]), 1.0, 1e-6);
        mechanism_close(&m);
    }
}

// ---------------------------------------------------------------------------- memory, determinism

Test(rig, an_update_allocates_nothing_after_the_first) {
    for (int r = 0; r < 2; r++) {
        ChainDef def = chain_def(POISE_NODE_BALL, 5, 1e4, 1e3);
        def.reference = r == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
        def.gravity = poise_vec3(0.0, -9.81, 0.0);
        Mechanism m;
        chain_open(&m, &def);
        cr_assert_eq(poise_rig_reserve_forces(m.rig), POISE_OK);
        mechanism_step(&m, STEP);
        const long before = m.host.allocations;
        for (int i = 0; i < 500; i++) {
            mechanism_goal(&m, poise_vec3(2.0 * sin(0.05 * i), 3.0, cos(0.03 * i)));
            cr_assert_eq(poise_point_set_force(m.tree, m.point, poise_vec3(0.1 * i, 0.0, 0.0)),
                         POISE_OK);
            mechanism_step(&m, STEP);
        }
        cr_expect_eq(m.host.allocations, before, "%ld allocations", m.host.allocations - before);
        mechanism_close(&m);
    }
}

// The first force makes memory for 64 points that press; more points double it.
Test(rig, more_points_press_than_memory_was_made_for) {
    enum { POINTS = 140, ROOM = 64 };
    ChainDef chain = chain_def(POISE_NODE_BALL, 5, 1e4, 1e3);
    Mechanism m;
    chain_open(&m, &chain);
    PoisePointId points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        PoisePointDef def = poise_default_position_def();
        def.link = poise_rig_node_of_body(m.rig, m.bodies[1 + i % 4]);
        def.in_link.p = poise_vec3(0.01 * (i % 7), 0.01 * (i % 5), 0.0);
        points[i] = poise_point_create(m.tree, &def);
        cr_assert_eq(poise_register_all(m.tree, points[i]), POISE_OK);
    }
    mechanism_step(&m, STEP);
    static const struct {
        int pressing;
        bool grows;
    } stages[] = {{1, true},     {2, false}, {ROOM, false}, {ROOM + 1, true}, {2 * ROOM + 2, false},
                  {POINTS, true}};
    int pressing = 0;
    for (size_t s = 0; s < sizeof stages / sizeof *stages; s++) {
        while (pressing < stages[s].pressing) {
            cr_assert_eq(
                poise_point_set_force(m.tree, points[pressing++], poise_vec3(0.1, 0.0, 0.0)),
                POISE_OK);
        }
        const long before = m.host.allocations;
        cr_expect_eq(mechanism_step(&m, STEP).pressing, pressing);
        cr_expect_eq(m.host.allocations > before, stages[s].grows, "%d points press", pressing);
    }
    mechanism_close(&m);
}

// A ball 3 rad from its natural rotation gets a target half a radian to the other side.
Test(rig, a_ball_whose_target_jumps_goes_the_short_way) {
    const double step = 1e-3;
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    like.original.stiffness = 100.0;
    like.original.damping = 20.0;
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID body = mechanism_box(&m, no_gravity, poise_vec3(1.0, 0.2, 0.2), 1.0);
    dJointID joint = mechanism_join(&m, POISE_NODE_BALL, body, NULL, pivot(no_gravity, about_z));
    PoiseNodeId node = poise_rig_add(m.rig, joint, body, &like);
    const double far[4] = {cos(1.5), 0.0, 0.0, sin(1.5)};
    const double near[4] = {cos(0.25), 0.0, 0.0, -sin(0.25)};
    cr_assert_eq(poise_rig_set_natural_posture(m.rig, node, far, 4), POISE_OK);
    mechanism_step(&m, step);
    cr_assert_eq(poise_rig_set_natural_posture(m.rig, node, near, 4), POISE_OK);
    double turned = 0.0;
    for (int i = 0; i < 3000; i++) {
        mechanism_step(&m, step);
        turned = fmax(turned, fabs(poise_quat_log(body_turn(body)).z));
    }
    cr_expect_leq(turned, 0.6, "turned as far as %g rad", turned);
    EXPECT_NEAR_QUAT(body_turn(body), quat_of(near), 1e-3);
    mechanism_close(&m);
}

// ------------------------------------------------------------------------------------------- loops

// Five bars: two arms of two links from the ground that meet at their ends. The import starts at
// the first arm; the last bearing closes the loop and has no node. The first arm is driven; the
// second follows, with soft springs or none: the first carries its weight.
Test(rig, a_closed_chain_reaches_with_the_joints_that_are_driven) {
    static const double places[5][2] = {{0.0, 0.0}, {0.0, 0.5}, {0.0, 1.0}, {0.0, 0.5}, {0.0, 0.0}};
    static const struct {
        double gravity;
        double far_spring; ///< spring of the second arm
    } rows[] = {{0.0, 0.0}, {-9.81, 0.0}, {-9.81, 1e-4}};
    for (int row = 0; row < 3; row++) {
        LinkageDef def = linkage_def(2000.0, 100.0);
        def.gravity = poise_vec3(0.0, 0.0, rows[row].gravity);
        Mechanism m;
        linkage_polygon_open(&m, &def, places, 4);
        cr_expect_eq(poise_rig_node_of_joint(m.rig, m.joints[4]).index1, 0, "left to ODE");
        // the second arm has no springs
        for (int i = 2; i < 4; i++) {
            const PoiseNodeId node = poise_rig_node_of_body(m.rig, m.bodies[i]);
            cr_assert_eq(poise_rig_set_ik(m.rig, node, (PoiseSpring){0.0, 0.0}), POISE_OK);
            cr_assert_eq(
                poise_rig_set_original(m.rig, node, (PoiseSpring){rows[row].far_spring, 0}),
                POISE_OK);
        }
        linkage_point(&m, 1, poise_vec3(0.0, 0.0, 1.0));
        mechanism_goal(&m, poise_vec3(0.3, 0.0, 0.6));
        mechanism_run(&m, 0.01, 800);
        const double error = mechanism_error(&m);
        cr_expect_leq(error, 1e-6, "row %d: %g m", row, error);
        // the ends of a bar are at z = -0.25 and 0.25 m of its body
        EXPECT_NEAR3(body_point(m.bodies[2], poise_vec3(0.0, 0.0, -0.25)), mechanism_tip(&m), 1e-4);
        EXPECT_NEAR3(body_point(m.bodies[3], poise_vec3(0.0, 0.0, 0.25)), no_gravity, 1e-4);
        mechanism_close(&m);
    }
}
