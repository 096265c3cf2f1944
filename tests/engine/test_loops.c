// SPDX-License-Identifier: MIT
// Closed chains: the loop stays closed in the solve and the own posture; goals within reach are
// met; forecasts of miss and compliance agree with ODE's rest.
#include <criterion/criterion.h>
#include <stdio.h>

#include "linkage.h"
#include "near.h"
#include "poise/closure.h"
#include "sample.h"

static const double STEP = 0.01;
static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

// Compares the forecast of miss and compliance with ODE. `plane`: the chain moves in the xz plane.
static void expect_foreseen(Mechanism* m, const char* what, double load, bool plane) {
    PoiseForecast forecast;
    forecast = foresee(m->rig, m->point, STEP);
    const PoiseVec3 at = mechanism_settle(m, poise_vec3(0.0, 0.0, 0.0), STEP, 4000);
    const double miss = mechanism_error(m);
    cr_expect(fabs(miss - forecast.miss) <= 0.01 * miss + 1e-5, "%s: miss %g, foreseen %g", what,
              miss, forecast.miss);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s: %s", what, forecast.why);
    // a sample pushes in space along x only
    for (int axis = 0; axis < 3; axis += plane ? 2 : 3 / sample_of(1, 3)) {
        const PoiseVec3 f =
            poise_vec3(axis == 0 ? load : 0.0, axis == 1 ? load : 0.0, axis == 2 ? load : 0.0);
        const PoiseVec3 there = mechanism_settle(m, f, STEP, 3000);
        const PoiseVec3 back = mechanism_settle(m, poise_scale(-1.0, f), STEP, 3000);
        const PoiseVec3 moved = poise_scale(0.5, poise_sub(there, back));
        const PoiseVec3 said =
            poise_scale(load, poise_vec3(forecast.compliance[axis], forecast.compliance[3 + axis],
                                         forecast.compliance[6 + axis]));
        cr_expect_leq(poise_length(poise_sub(moved, said)), 0.01 * poise_length(said) + 1e-8,
                      "%s, axis %d: moved (%g %g %g), foreseen (%g %g %g)", what, axis, moved.x,
                      moved.y, moved.z, said.x, said.y, said.z);
    }
    const PoiseVec3 again = mechanism_settle(m, poise_vec3(0.0, 0.0, 0.0), STEP, 3000);
    cr_expect_leq(poise_length(poise_sub(again, at)), 1e-5, "%s: %g m lost", what,
                  poise_length(poise_sub(again, at)));
}

static const double originals[] = {0.0, 1e-4, 20.0, 400.0};

static const PoiseVec3 tips[3] = {{0.2, 0.0, 1.8}, {0.45, 0.0, 1.6}, {0.7, 0.0, 1.4}};

enum { CASES = 24 };

// Returns the stride of a sample: every stride-th case is run.
static int stride(void) {
    return CASES / sample_of(8, CASES);
}

// A case of the five-bar: reference posture, pull to the natural posture, and place of the point.
typedef struct Case {
    int reference;
    int original;
    int point;
    char what[80];
} Case;

static Case five_bar_case(Mechanism* m, int index) {
    Case c = {index % 2, index / 2 % 4, index / 8, ""};
    LinkageDef def = linkage_def(800.0, 40.0);
    def.reference = references[c.reference];
    def.like.original = (PoiseSpring){originals[c.original], 0.05 * originals[c.original]};
    def.gravity = poise_vec3(0.0, 0.0, (c.original + c.point) % 2 == 0 ? 0.0 : -9.81);
    five_bar_open(m, &def);
    linkage_point(m, c.point + 1, tips[c.point]);
    snprintf(c.what, sizeof c.what, "reference %d, p_orig %g, point %d", c.reference,
             originals[c.original], c.point);
    return c;
}

// Three points of the chain with goals in reach. A pull to the natural posture makes a miss, as
// forecast.
Test(loops, five_bars_reach_goals_or_miss_as_foreseen) {
    static const PoiseVec3 goals[3] = {{0.25, 0.0, 1.85}, {0.5, 0.0, 1.65}, {0.6145, 0.0, 1.4516}};
    for (int i = 0; i < CASES; i += stride()) {
        // in measured mode such a soft pull would take hours to come to rest
        if (i % 2 == 1 && originals[i / 2 % 4] == 1e-4) {
            continue;
        }
        Mechanism m;
        const Case c = five_bar_case(&m, i);
        mechanism_goal(&m, goals[c.point]);
        expect_foreseen(&m, c.what, 2.0, true);
        const double off = mechanism_error(&m);
        cr_expect(originals[c.original] >= 1.0 || off <= 2e-4, "%s: %g m off", c.what, off);
        cr_expect_leq(linkage_opening(&m), 1e-6, "%s: open by %g", c.what, linkage_opening(&m));
        mechanism_close(&m);
    }
}

// Only one crank has a spring; the other joints follow.
Test(loops, joints_of_a_loop_without_springs_follow) {
    for (int r = 0; r < sample_of(2, 2); r++) {
        for (int o = 0; o < 3; o++) {
            LinkageDef def = linkage_def(800.0, 40.0);
            def.reference = references[r];
            def.gravity = poise_vec3(0.0, 0.0, -9.81);
            def.unsprung = 6;
            def.like.original = (PoiseSpring){100.0 * o, 10.0 * o};
            Mechanism m;
            four_bar_open(&m, &def);
            linkage_point(&m, 1, poise_vec3(0.7, 0.0, 1.6));
            // a place on the point's circle about the last hinge, 0.1 rad farther
            const double c = cos(0.1), s = sin(0.1);
            mechanism_goal(&m, poise_vec3(0.6 + 0.1 * c + 0.6 * s, 0.0, 1.0 + 0.6 * c - 0.1 * s));
            char what[80];
            snprintf(what, sizeof what, "four bars, reference %d, p_orig %g", r, 100.0 * o);
            expect_foreseen(&m, what, 5.0, true);
            cr_expect_leq(linkage_opening(&m), 1e-6);
            mechanism_close(&m);
        }
    }
}

// Fingers stay parallel, driven by one crank each.
Test(loops, a_parallel_gripper_stays_parallel) {
    LinkageDef def = linkage_def(300.0, 15.0);
    def.unsprung = 6 | 6 << 3;
    Mechanism m;
    gripper_open(&m, &def);
    linkage_point(&m, 1, poise_vec3(-0.15, 0.0, 0.4));
    // the bar from (-0.05, 0) to (-0.15, 0.2), turned by 0.3 rad
    const double c = cos(0.3), s = sin(0.3);
    mechanism_goal(&m, poise_vec3(-0.05 - 0.1 * c + 0.2 * s, 0.0, 0.1 * s + 0.2 * c + 0.2));
    expect_foreseen(&m, "gripper", 2.0, true);
    cr_expect_leq(mechanism_error(&m), 1e-6);
    const PoiseVec3 up = poise_quat_rotate(body_turn(m.bodies[1]), poise_vec3(0.0, 0.0, 1.0));
    EXPECT_NEAR3(up, poise_vec3(0.0, 0.0, 1.0), 1e-4);
    mechanism_close(&m);
}

Test(loops, two_arms_hold_one_bar) {
    for (int r = 2 - sample_of(1, 2); r < 2; r++) {
        LinkageDef def = linkage_def(400.0, 20.0);
        def.reference = references[r];
        def.gravity = poise_vec3(0.0, 0.0, -9.81);
        def.like.original = (PoiseSpring){40.0, 2.0};
        Mechanism m;
        two_arms_open(&m, &def);
        linkage_point(&m, m.body_count - 1, poise_vec3(0.0, 0.0, 0.7));
        mechanism_goal(&m, poise_vec3(0.05, 0.04, 0.75));
        expect_foreseen(&m, r == 0 ? "two arms" : "two arms, measured", 1.0, false);
        mechanism_close(&m);
    }
}

// Six sliders drive the platform; the other joints have no springs.
Test(loops, a_platform_on_six_legs) {
    for (int r = 0; r < sample_of(1, 2); r++) {
        LinkageDef def = linkage_def(2e4, 1e3);
        def.reference = references[r];
        def.gravity = poise_vec3(0.0, 0.0, -9.81);
        Mechanism m;
        stewart_open(&m, &def);
        PoisePointDef pose = poise_default_pose_def();
        pose.link = poise_rig_node_of_body(m.rig, m.bodies[0]);
        m.point = poise_point_create(m.tree, &pose);
        m.point_body = m.bodies[0];
        cr_assert_eq(poise_register_chain(m.tree, m.point, poise_null_node()), POISE_OK);
        mechanism_goal(&m, poise_vec3(0.05, -0.03, 0.65));
        expect_foreseen(&m, r == 0 ? "platform" : "platform, measured", 5.0, false);
        cr_expect_leq(mechanism_error(&m), 1e-5);
        mechanism_close(&m);
    }
}

// ----------------------------------------------------------------------------------------- forces

// Expects 20 N asked along a direction at ODE's contact, and in the rig's reading.
static void expect_force(Mechanism* m, PoiseVec3 along, const char* what) {
    mechanism_run(m, STEP, 500);
    Wall wall = wall_before(m, along, 0.001);
    cr_assert_eq(poise_point_set_force(m->tree, m->point, poise_scale(20.0, along)), POISE_OK);
    const PoiseRigReport report = wall_run(m, &wall, STEP, 3000, 100);
    PoisePointReading reading;
    cr_assert_eq(poise_rig_read_point(m->rig, m->point, &reading), POISE_OK);
    const double said = poise_dot(reading.force_measured, along);
    cr_expect(fabs(wall.force - 20.0) <= 0.2, "%s: %g N at the contact", what, wall.force);
    cr_expect(fabs(said - wall.force) <= 0.005 * wall.force, "%s: %g N measured, %g at the contact",
              what, said, wall.force);
    cr_expect(report.force_error <= 0.2, "%s: %g N", what, report.force_error);
}

Test(loops, five_bars_press_as_asked) {
    static const PoiseVec3 directions[3] = {{1.0, 0.0, 0.0}, {0.6, 0.0, 0.8}, {-0.8, 0.0, 0.6}};
    for (int i = 0; i < CASES; i += stride()) {
        Mechanism m;
        const Case c = five_bar_case(&m, i);
        // leaves out one of the two motors in the middle
        linkage_remove_springs(&m, c.point == 1 ? 4 : 0);
        expect_force(&m, directions[c.point], c.what);
        mechanism_close(&m);
    }
}

// Six sliders exert the asked force, in any direction.
Test(loops, a_platform_presses_as_asked) {
    static const PoiseVec3 directions[3] = {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.6, -0.8}};
    for (int w = 3 - sample_of(1, 3); w < 3; w++) {
        LinkageDef def = linkage_def(2e4, 1e3);
        def.gravity = poise_vec3(0.0, 0.0, -9.81);
        Mechanism m;
        stewart_open(&m, &def);
        linkage_point(&m, 0, poise_vec3(0.0, 0.0, 0.6));
        expect_force(&m, directions[w], "platform");
        mechanism_close(&m);
    }
}

// The goal is out of reach: the own posture goes as near as the loop permits, and the loop stays
// closed.
Test(loops, a_goal_out_of_reach_opens_no_loop) {
    const LinkageDef def = linkage_def(800.0, 40.0);
    Mechanism m;
    five_bar_open(&m, &def);
    linkage_point(&m, 2, poise_vec3(0.45, 0.0, 1.6));
    mechanism_goal(&m, poise_vec3(1.5, 0.0, 2.5));
    mechanism_run(&m, STEP, 1000);
    double own = 0.0;
    for (int i = 0; i < poise_tree_point_count(m.tree); i++) {
        const PoisePointId point = poise_tree_point(m.tree, i);
        const bool closes = point.index1 != m.point.index1;
        own = fmax(own, closes ? poise_point_planned_error(m.tree, point) : 0.0);
    }
    cr_assert_gt(poise_tree_point_count(m.tree), 1);
    cr_expect_leq(own, 1e-6, "theta_ik is %g m open", own);
    cr_expect_gt(poise_point_planned_error(m.tree, m.point), 0.5);
    mechanism_close(&m);
}

// ------------------------------------------------------------------------------- lost closures

// A disabled or destroyed joint holds nothing: the chain is open again.
Test(loops, a_closure_ends_with_its_joint) {
    for (int how = 0; how < 3; how++) {
        LinkageDef def = linkage_def(800.0, 40.0);
        Mechanism m;
        five_bar_open(&m, &def);
        linkage_point(&m, 2, poise_vec3(0.7, 0.0, 1.4));
        mechanism_run(&m, STEP, 50);
        dJointID closing = m.joints[4];
        cr_assert_eq(poise_rig_closure_joint(m.rig, 0), closing);
        if (how == 0) {
            dJointDisable(closing);
        } else if (how == 1) {
            dJointDestroy(closing);
        } else {
            cr_assert_eq(poise_rig_remove_closure(m.rig, closing), POISE_OK);
            dJointDestroy(closing);
        }
        // out of reach of the closed loop
        mechanism_goal(&m, poise_vec3(0.7, 0.0, 1.9));
        mechanism_run(&m, STEP, 1500);
        const double own = poise_point_planned_error(m.tree, m.point);
        cr_expect_leq(own, 1e-6, "%d: %g m", how, own);
        // without the closure the last bar swings freely, since no goal moves it
        cr_expect(how == 2 || mechanism_error(&m) <= 1e-6, "%d: %g m", how, mechanism_error(&m));
        mechanism_close(&m);
    }
}

// ------------------------------------------------------------------------------- moving bases

// A loop that closes on its base by a hinge, a slider or a weld stays closed if all bodies are
// moved as a whole.
Test(loops, moving_a_base_keeps_its_closure_closed) {
    for (int kind = 0; kind < 3; kind++) {
        Mechanism m;
        mechanism_open(&m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
        dBodyID base = linkage_bar(&m, 0.0, 0.0, 1.0, 0.0);
        static const double places[5][2] = {
            {0.0, 0.0}, {0.0, 0.5}, {0.5, 0.8}, {1.0, 0.5}, {1.0, 0.0}};
        for (int i = 0; i < 4; i++) {
            const double(*p)[2] = &places[i];
            dBodyID bar = linkage_bar(&m, p[0][0], p[0][1], p[1][0], p[1][1]);
            (void)mechanism_join(
                &m, POISE_NODE_HINGE, bar, m.bodies[i],
                pivot(poise_vec3(p[0][0], 0.0, p[0][1]), poise_vec3(0.0, 1.0, 0.0)));
        }
        const Pivot end = pivot(poise_vec3(1.0, 0.0, 0.0),
                                kind == 0 ? poise_vec3(0.0, 1.0, 0.0) : poise_vec3(0.0, 0.0, 1.0));
        dJointID closing =
            kind == 2 ? mechanism_weld(&m, m.bodies[4], base)
                      : mechanism_join(&m, kind == 0 ? POISE_NODE_HINGE : POISE_NODE_SLIDER,
                                       m.bodies[4], base, end);
        PoiseBindDef like = mechanism_springs(500.0, 30.0);
        for (int i = 0; i < 4; i++) {
            cr_assert_neq(poise_rig_add(m.rig, m.joints[i], m.bodies[i + 1], &like).index1, 0u,
                          "%s", poise_rig_message(m.rig));
        }
        cr_assert_eq(poise_rig_add_closure(m.rig, closing), POISE_OK, "%d: %s", kind,
                     poise_rig_message(m.rig));
        // moves all bodies by one rigid motion
        const PoisePose by =
            poise_pose(poise_vec3(0.3, -0.2, 0.5),
                       poise_quat_from_axis_angle(poise_vec3(1.0, 2.0, -1.0), 0.8));
        for (int i = 0; i < m.body_count; i++) {
            const PoisePose now =
                poise_pose_mul(by, poise_pose(body_place(m.bodies[i]), body_turn(m.bodies[i])));
            const dQuaternion q = {now.q.w, now.q.x, now.q.y, now.q.z};
            dBodySetPosition(m.bodies[i], now.p.x, now.p.y, now.p.z);
            dBodySetQuaternion(m.bodies[i], q);
        }
        PoiseRigReport report;
        cr_assert_geq(poise_rig_update(m.rig, STEP, &report), POISE_OK, "%s",
                      poise_rig_message(m.rig));
        cr_assert_gt(poise_tree_point_count(m.tree), 0);
        for (int i = 0; i < poise_tree_point_count(m.tree); i++) {
            const PoisePointId point = poise_tree_point(m.tree, i);
            cr_expect_leq(poise_point_planned_error(m.tree, point), 1e-12, "%d: %g m open", kind,
                          poise_point_planned_error(m.tree, point));
            cr_expect_leq(poise_point_planned_angle_error(m.tree, point), 1e-7, "%d: %g rad open",
                          kind, poise_point_planned_angle_error(m.tree, point));
        }
        mechanism_close(&m);
    }
}
