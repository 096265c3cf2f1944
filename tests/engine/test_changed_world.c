// SPDX-License-Identifier: MIT
// Worlds that change under a rig: bodies, welds and joints are destroyed. The rig drives the
// remaining joints, and its forecast equals that of a rig that never had the destroyed ones.
#include <criterion/criterion.h>

#include "linkage.h"
#include "near.h"
#include "poise/closure.h"
#include "poise/snapshot.h"
#include "poise/stance.h"
#include "works.h"

static const double STEP = 0.01;
static const PoiseVec3 gravity = {0.0, -9.81, 0.0};
static const PoiseVec3 about_z = {0.0, 0.0, 1.0};
static const PoiseVec3 bar_size = {1.0, 0.1, 0.1};

// Opens two separate bars on hinges, which sag.
static void open_two(Mechanism* m, PoiseReference reference) {
    mechanism_open(m, gravity, reference);
    RIG_SET(m->rig, gravity, false);
    RIG_SET(m->rig, integral, 0.1);
    for (int i = 0; i < 2; i++) {
        const PoiseBindDef like = mechanism_springs(100.0, 20.0);
        const LinkDef link = {NULL,
                              POISE_NODE_HINGE,
                              {{5.0 * i, 0.0, 0.0}, {0.0, 0.0, 1.0}},
                              {0.5 + 5.0 * i, 0.0, 0.0},
                              bar_size,
                              1.0,
                              &like};
        dBodyID bar = mechanism_link(m, &link);
        mechanism_point(m, poise_rig_node_of_body(m->rig, bar), bar,
                        poise_vec3(1.0 + 5.0 * i, 0.0, 0.0));
    }
}

Test(changed_world, a_destroyed_bar_leaves_the_other_driven) {
    static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};
    for (int i = 0; i < 2; i++) {
        Mechanism m;
        open_two(&m, references[i]);
        mechanism_run(&m, STEP, 300);
        PoiseForecast whole, rest;
        PoiseVec3 both, one;
        WORKS(poise_rig_outside_force(m.rig, NULL, &both));
        whole = foresee(m.rig, m.point, STEP);
        dBodyDestroy(m.bodies[0]);
        rest = foresee(m.rig, m.point, STEP);
        cr_expect_eq(whole.end, POISE_FORECAST_SETTLES);
        cr_expect_eq(rest.end, POISE_FORECAST_NO_COPY);
        cr_expect(strstr(rest.why, "gone"), "%s", rest.why);
        WORKS(poise_rig_outside_force(m.rig, NULL, &one));
        cr_expect_gt(both.z, 9.0);
        EXPECT_NEAR(one.z, 0.5 * both.z, 1e-3 * both.z);
        // the other bar presses as asked, and a changed dt gives a warning
        WORKS(poise_point_set_force(m.tree, m.point, poise_vec3(0.0, -1.0, 0.0)));
        cr_expect_eq(poise_rig_update(m.rig, 2.0 * STEP, NULL), POISE_DEGRADED);
        PoisePointReading reading;
        cr_assert_eq(poise_rig_read_point(m.rig, m.point, &reading), POISE_OK);
        cr_expect(reading.presses);
        dBodyDestroy(m.bodies[1]);
        const PoiseForecastDef def = {.points = &m.point, .count = 1};
        cr_expect_eq(poise_rig_forecast(m.rig, &def, &rest), POISE_ERROR_GONE);
        mechanism_close(&m);
    }
}

// A bar with a box welded to it, and a second box welded to the first.
Test(changed_world, a_weld_of_a_weld) {
    const PoiseVec3 size = poise_vec3(0.1, 0.1, 0.1);
    Mechanism m;
    mechanism_open(&m, gravity, POISE_REFERENCE_OWN);
    dBodyID bar = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), bar_size, 1.0);
    dBodyID near = mechanism_box(&m, poise_vec3(1.0, 0.0, 0.0), size, 0.1);
    dBodyID far = mechanism_box(&m, poise_vec3(1.1, 0.0, 0.0), size, 0.1);
    (void)mechanism_join(&m, POISE_NODE_HINGE, bar, NULL, pivot(poise_vec3(0, 0, 0), about_z));
    mechanism_weld(&m, near, bar);
    mechanism_weld(&m, far, near);
    const PoiseBindDef like = mechanism_springs(100.0, 20.0);
    cr_assert_eq(poise_rig_import(m.rig, bar, &like), 1);
    const PoiseNodeId node = poise_rig_node_of_body(m.rig, far);
    cr_assert_neq(node.index1, 0u);
    mechanism_point(&m, node, bar, poise_vec3(1.0, 0.0, 0.0));
    mechanism_run(&m, STEP, 3);
    PoiseSpringAdvice advice;
    WORKS(poise_rig_advise(m.rig, node, STEP, &advice));
    const double bar_alone = 1.0 / 3.0 + 0.01 / 12.0, box = 0.1 * 0.01 / 6.0;
    EXPECT_NEAR(advice.inertia, bar_alone + 0.1 * 1.0 + 0.1 * 1.21 + 2.0 * box, 1e-4);
    // a body tied to the far box is an unknown load
    dJointID tie = dJointCreateBall(m.world, NULL);
    dJointAttach(tie, far, dBodyCreate(m.world));
    PoiseForecast forecast;
    forecast = foresee(m.rig, m.point, STEP);
    cr_expect_neq(forecast.end, POISE_FORECAST_SETTLES);
    dBodyDestroy(near);
    cr_expect_eq(poise_rig_node_of_body(m.rig, near).index1, 0u);
    cr_expect_eq(poise_rig_node_of_body(m.rig, far).index1, 0u);
    WORKS(poise_rig_advise(m.rig, node, STEP, &advice));
    EXPECT_NEAR(advice.inertia, bar_alone, 1e-4);
    forecast = foresee(m.rig, m.point, STEP);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.rigs = &m.rig;
    def.rig_count = 1;
    char memory[1];
    cr_expect_eq(poise_snapshot_save(&def, memory, 1), POISE_ERROR_GONE);
    dBodyDestroy(bar);
    cr_expect_eq(poise_rig_node_of_body(m.rig, far).index1, 0u);
    mechanism_close(&m);
}

// The joint that closes the loop is on a box that is welded to the last bar.
Test(changed_world, a_loop_that_a_weld_closes) {
    static const double places[4][2] = {{0.0, 0.0}, {0.0, 1.0}, {1.0, 1.2}, {1.0, 0.0}};
    const PoiseVec3 about_y = poise_vec3(0.0, 1.0, 0.0);
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    for (int i = 0; i < 3; i++) {
        linkage_bar(&m, places[i][0], places[i][1], places[i + 1][0], places[i + 1][1]);
        mechanism_join(&m, POISE_NODE_HINGE, m.bodies[i], i > 0 ? m.bodies[i - 1] : NULL,
                       pivot(poise_vec3(places[i][0], 0.0, places[i][1]), about_y));
    }
    const PoiseVec3 corner = poise_vec3(1.0, 0.0, 0.0);
    dBodyID box = mechanism_box(&m, corner, poise_vec3(0.1, 0.1, 0.1), 0.1);
    mechanism_weld(&m, box, m.bodies[2]);
    dJointID closing = mechanism_join(&m, POISE_NODE_HINGE, box, NULL, pivot(corner, about_y));
    const PoiseBindDef like = mechanism_springs(1000.0, 100.0);
    cr_assert_eq(poise_rig_import(m.rig, m.bodies[0], &like), 3);
    cr_assert_eq(poise_rig_closure_count(m.rig), 1);
    linkage_point(&m, 1, poise_vec3(0.5, 0.0, 1.1));
    const int points = poise_tree_point_count(m.tree);
    mechanism_run(&m, STEP, 20);
    for (int gone = 0; gone < 2; gone++) {
        int enabled = 0;
        for (int i = 0; i < points; i++) {
            enabled += poise_point_enabled(m.tree, poise_tree_point(m.tree, i));
        }
        cr_expect_eq(enabled, gone ? 1 : points, "%d of %d", enabled, points);
        // the bar is held in place until destroying the box opens the loop
        cr_expect_eq(poise_rig_node_of_body(m.rig, box).index1 != 0, !gone);
        if (!gone) {
            dBodyDestroy(box);
            mechanism_run(&m, STEP, 3);
        }
    }
    cr_expect_eq(poise_rig_closure_joint(m.rig, 0), closing);
    mechanism_close(&m);
}

// Forecasts a joint of a loop on its stop, and an open loop as a chain.
Test(changed_world, loops_that_rest_on_a_stop_or_are_open) {
    for (int what = 0; what < 7; what++) {
        LinkageDef def = linkage_def(200.0, 40.0);
        def.reference = what % 2 == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
        def.gravity = poise_vec3(0.0, 0.0, -9.81);
        Mechanism m;
        // only one of a gripper's loops is open
        (what == 6 ? gripper_open : five_bar_open)(&m, &def);
        RIG_SET(m.rig, gravity, what == 4 || what == 5);
        linkage_point(&m, 2, what == 6 ? poise_vec3(-0.1, 0.0, 0.2) : poise_vec3(0.7, 0.0, 1.4));
        mechanism_goal(&m, what == 6 ? poise_vec3(-0.2, 0.0, 0.3) : poise_vec3(0.9, 0.0, 1.2));
        if (what / 2 % 2 == 0 && what < 6) {
            dJointSetHingeParam(m.joints[0], dParamLoStop, -0.05);
            dJointSetHingeParam(m.joints[0], dParamHiStop, 0.05);
            const PoiseNodeId node = poise_tree_node(m.tree, 0);
            WORKS(poise_node_set_limits(m.tree, node, poise_range(-0.05, 0.05)));
        } else {
            dJointDisable(poise_rig_closure_joint(m.rig, 0));
            mechanism_run(&m, STEP, 1);
        }
        const PoiseForecast forecast = mechanism_foresee(&m, STEP);
        mechanism_run(&m, STEP, what == 3 ? 20000 : 3000);
        const double settled = mechanism_error(&m);
        cr_expect_gt(settled, 1e-3, "%d", what);
        cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%d: %s", what, forecast.why);
        cr_expect(fabs(forecast.miss - settled) <= 0.01 * settled, "%d: settled %g, foreseen %g",
                  what, settled, forecast.miss);
        mechanism_close(&m);
    }
}
