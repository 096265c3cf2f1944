// SPDX-License-Identifier: MIT
// Bodies, joints, trees and worlds that are destroyed in any order while the rig exists.
#include <criterion/criterion.h>

#include "mechanism.h"
#include "near.h"
#include "poise/forecast.h"
#include "works.h"

static const double STEP = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

Test(rig_gone, bodies_joints_and_worlds_that_go_away) {
    ChainDef def = chain_def(POISE_NODE_BALL, 4, 1e4, 1e3);
    Mechanism m;
    chain_open(&m, &def);
    mechanism_run(&m, STEP, 5);
    PoiseRigReport report;
    // destroy a joint
    m.host.messages = 0;
    dJointDestroy(m.joints[3]);
    cr_expect_eq(poise_rig_update(m.rig, STEP, &report), POISE_DEGRADED);
    cr_expect(strstr(poise_rig_problem(m.rig), "has been destroyed"));
    cr_expect(strstr(m.host.last_message, "has been destroyed"), "%s", m.host.last_message);
    cr_expect_eq(report.skipped, 1);
    cr_expect_eq(report.driven, 3);
    dWorldStep(m.world, STEP);
    // destroy a body, and with it both its joints
    dBodyDestroy(m.bodies[2]);
    cr_expect_eq(poise_rig_update(m.rig, STEP, &report), POISE_DEGRADED);
    cr_expect_eq(report.skipped, 2);
    cr_expect_eq(report.driven, 2);
    dWorldStep(m.world, STEP);
    // attach a joint to other bodies
    dJointAttach(m.joints[1], m.bodies[1], NULL);
    cr_expect_eq(poise_rig_update(m.rig, STEP, &report), POISE_DEGRADED);
    cr_expect_eq(report.skipped, 3);
    cr_expect_eq(m.host.messages, 1, "told once: %s", m.host.last_message);
    cr_expect_eq(poise_rig_place_bodies(m.rig), POISE_ERROR_GONE);
    cr_expect_eq(poise_rig_take_posture(m.rig), POISE_OK);
    // destroy the last body
    dBodyDestroy(m.bodies[0]);
    cr_expect_eq(poise_rig_update(m.rig, STEP, &report), POISE_ERROR_GONE);
    cr_expect_eq(poise_rig_status(m.rig), POISE_ERROR_GONE);
    PoiseJointReading reading;
    for (int i = 0; i < 4; i++) {
        PoiseNodeId node = poise_tree_node(m.tree, i);
        cr_expect_eq(poise_rig_read_joint(m.rig, node, &reading), POISE_OK);
        EXPECT_NEAR(reading.torque[0], 0.0, 0.0);
    }
    mechanism_close(&m);
}

// Opens a floating base with springs along and about all axes, and an arm that presses down.
static void open_pressing(Mechanism* m) {
    mechanism_open(m, no_gravity, POISE_REFERENCE_OWN);
    for (int i = 0; i < 3; i++) {
        const PoiseVec3 size = {0.1, 0.1, 0.3};
        dBodyID body = mechanism_box(m, poise_vec3(0.4 * i, 0.0, 1.0), size, 1.0);
        if (i > 0) {
            const PoiseVec3 between = poise_vec3(0.4 * i - 0.2, 0.0, 1.0);
            MAY_FAIL(mechanism_join(m, POISE_NODE_HINGE, body, m->bodies[i - 1],
                                    pivot(between, poise_vec3(0.0, 1.0, 0.0))));
        }
    }
    PoiseBindDef base = mechanism_springs(0.0, 0.0);
    base.original = (PoiseSpring){500.0, 50.0};
    base.original_linear = (PoiseSpring){5000.0, 500.0};
    base.ik_linear = (PoiseSpring){100.0, 10.0};
    cr_assert_neq(poise_rig_add_base(m->rig, m->bodies[0], &base).index1, 0u);
    const PoiseBindDef like = mechanism_springs(400.0, 20.0);
    cr_assert_geq(poise_rig_import(m->rig, m->bodies[0], &like), 0);
    m->point = mechanism_point(m, poise_rig_node_of_body(m->rig, m->bodies[2]), m->bodies[2],
                               poise_vec3(0.8, 0.0, 1.0));
    WORKS(poise_point_set_yield(m->tree, m->point, POISE_YIELD_ALONG, 0.0));
    WORKS(poise_point_set_force(m->tree, m->point, poise_vec3(0.0, 0.0, -5.0)));
}

// The base's place is NaN, so a measurement that reads the freed body is not a number.
Test(rig_gone, a_base_that_goes_while_its_arm_presses) {
    Mechanism m;
    open_pressing(&m);
    mechanism_run(&m, STEP, 5);
    dBodySetPosition(m.bodies[0], (dReal)NAN, (dReal)NAN, (dReal)NAN);
    dBodyDestroy(m.bodies[0]);
    PoiseRigReport report;
    cr_expect_eq(poise_rig_update(m.rig, STEP, &report), POISE_DEGRADED);
    cr_expect_eq(report.skipped, 2, "%d", report.skipped);
    const PoisePointReading reading = mechanism_read_point(&m);
    cr_expect(reading.presses);
    // force of the remaining hinge, whose spring has lifted the link by the asked force or less
    cr_expect_lt(poise_length(reading.force_measured), 5.0, "%g",
                 poise_length(reading.force_measured));
    mechanism_close(&m);
}

typedef enum Owner { OWNER_RIG, OWNER_TREE, OWNER_WORLD } Owner;

static const Owner orders[6][3] = {
    {OWNER_RIG, OWNER_TREE, OWNER_WORLD}, {OWNER_RIG, OWNER_WORLD, OWNER_TREE},
    {OWNER_TREE, OWNER_RIG, OWNER_WORLD}, {OWNER_TREE, OWNER_WORLD, OWNER_RIG},
    {OWNER_WORLD, OWNER_RIG, OWNER_TREE}, {OWNER_WORLD, OWNER_TREE, OWNER_RIG}};

static void destroy_in_order(const Mechanism* m, const Owner order[3]) {
    for (int k = 0; k < 3; k++) {
        if (order[k] == OWNER_RIG) {
            poise_rig_destroy(m->rig);
        } else if (order[k] == OWNER_TREE) {
            poise_tree_destroy(m->tree);
        } else if (m->own) {
            poise_world_destroy(m->own);
        } else {
            dWorldDestroy(m->world);
        }
    }
}

// Balls with finite_rotation, which must be restored.
Test(rig_gone, any_order_of_destruction) {
    for (int i = 0; i < 6; i++) {
        ChainDef def = chain_def(POISE_NODE_BALL, 3, 1e4, 1e3);
        Mechanism m;
        chain_open(&m, &def);
        mechanism_run(&m, STEP, 5);
        destroy_in_order(&m, orders[i]);
        dCloseODE();
        cr_expect_eq(m.host.live_blocks, 0, "order %d: %ld blocks are left", i, m.host.live_blocks);
    }
}

// Opens two bars above the ground, kept apart, with a forecast, whose copy the rig stores. Only the
// world and the copy use ODE.
static void open_forecast(Mechanism* m) {
    const PoiseWorldDef def = poise_default_world_def();
    const PoiseBindDef like = mechanism_springs(1000.0, 50.0);
    mechanism_open_world(m, &def, POISE_REFERENCE_OWN);
    const PoiseVec3 size = {0.6, 0.1, 0.1};
    for (int i = 0; i < 2; i++) {
        const PoiseVec3 anchor = poise_vec3(0.8 * i, 0.0, 1.0);
        const LinkDef link = {.parent = i > 0 ? m->bodies[0] : NULL,
                              .kind = POISE_NODE_HINGE,
                              .pivot = pivot(anchor, poise_vec3(0.0, 1.0, 0.0)),
                              .at = poise_add(anchor, poise_vec3(0.4, 0.0, 0.0)),
                              .size = size,
                              .like = &like};
        mechanism_link(m, &link);
    }
    // dWorldStep moves this box: the exact step has no rows for skewed axes of a hinge-2 joint
    const dVector3 upright = {0.0, 0.0, 1.0, 0.0}, skew = {0.0, 1.0, 0.1, 0.0};
    const dJointID wheel = dJointCreateHinge2(m->world, NULL);
    dJointAttach(wheel, m->bodies[1], mechanism_box(m, poise_vec3(1.2, 0.3, 1.0), size, 0.1));
    dJointSetHinge2Anchor(wheel, 1.2, 0.2, 1.0);
    dJointSetHinge2Axes(wheel, upright, skew);
    poise_world_add_ground(m->own, 0.0);
    m->point = mechanism_point(m, poise_rig_node_of_body(m->rig, m->bodies[1]), m->bodies[1],
                               poise_vec3(1.6, 0.0, 1.0));
    WORKS(poise_rig_keep_apart(m->rig, poise_world_space(m->own), 0.01));
    PoiseForecast forecast;
    const PoiseForecastDef points = {.points = &m->point, .count = 1, .step = STEP};
    cr_assert_geq(poise_rig_forecast(m->rig, &points, &forecast), 0);
    cr_assert_neq(forecast.end, POISE_FORECAST_NO_COPY, "%s", forecast.why);
}

// After the last world is destroyed ODE is closed, except for the forecast's copy.
Test(rig_gone, a_forecast_that_outlives_the_last_world) {
    for (int i = 0; i < 6; i++) {
        Mechanism m;
        open_forecast(&m);
        destroy_in_order(&m, orders[i]);
        cr_expect_eq(m.host.live_blocks, 0, "order %d: %ld blocks are left", i, m.host.live_blocks);
    }
}

Test(rig_gone, calls_after_the_last_world_are_refused) {
    Mechanism m;
    open_forecast(&m);
    poise_world_destroy(m.own);
    PoiseForecast forecast;
    PoisePointReading reading;
    const PoiseNodeId node = poise_tree_node(m.tree, 0);
    const PoiseForecastDef points = {.points = &m.point, .count = 1, .step = STEP};
    cr_expect_eq(poise_rig_forecast(m.rig, &points, &forecast), POISE_ERROR_GONE);
    cr_expect_eq(poise_rig_update(m.rig, STEP, NULL), POISE_ERROR_GONE);
    cr_expect_eq(poise_rig_place_bodies(m.rig), POISE_ERROR_GONE);
    MAY_FAIL(poise_rig_take_posture(m.rig));
    MAY_FAIL(poise_rig_read_point(m.rig, m.point, &reading));
    cr_expect_eq(poise_rig_keep_apart(m.rig, NULL, 0.01), POISE_OK);
    cr_expect_eq(poise_rig_unbind(m.rig, node), POISE_OK);
    poise_rig_destroy(m.rig);
    poise_tree_destroy(m.tree);
    cr_expect_eq(m.host.live_blocks, 0);
}

Test(rig_gone, a_rig_whose_tree_has_been_destroyed_says_so) {
    Mechanism m;
    ChainDef chain = chain_def(POISE_NODE_HINGE, 3, 1000.0, 50.0);
    chain_open(&m, &chain);
    PoiseNodeId node = poise_tree_node(m.tree, 0);
    mechanism_run(&m, 0.01, 10);
    poise_tree_destroy(m.tree);
    m.tree = NULL;
    const int messages = m.host.messages;
    for (int i = 0; i < 10; i++) {
        cr_expect_eq(poise_rig_update(m.rig, 0.01, NULL), POISE_ERROR_GONE);
    }
    cr_expect_eq(m.host.messages, messages + 1, "%d messages", m.host.messages - messages);
    cr_expect(strstr(poise_rig_message(m.rig), "destroyed"), "%s", poise_rig_message(m.rig));
    cr_expect_null(poise_rig_tree(m.rig));
    PoiseSpring spring = {1.0, 1.0};
    cr_expect_lt(poise_rig_set_ik(m.rig, node, spring), 0);
    cr_expect_lt(poise_rig_place_bodies(m.rig), 0);
    cr_expect_lt(poise_rig_take_posture(m.rig), 0);
    PoiseForecast forecast;
    const PoiseForecastDef def = {.points = &m.point, .count = 1};
    cr_expect_lt(poise_rig_forecast(m.rig, &def, &forecast), 0);
    dWorldStep(m.world, 0.01);
    mechanism_close(&m);
}
