// SPDX-License-Identifier: MIT
// Two floating bodies of one rig, each on its own feet: neither carries the weight of the other.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "poise/stance.h"
#include "works.h"

static const double STEP = 0.01;
static const double G = 9.81;

enum { BODIES = 2 };
static const double masses[BODIES] = {2.0, 5.0};

typedef struct Stand {
    Mechanism m;
    PoiseNodeId bases[BODIES];
    PoisePointId feet[BODIES];
} Stand;

static PoisePointId add_foot(Stand* s, int i, PoisePointDef def) {
    def.link = s->bases[i];
    def.in_link.p = poise_vec3(0.0, 0.0, -0.2);
    const PoisePointId point = poise_point_create(s->m.tree, &def);
    WORKS(poise_register_all(s->m.tree, point));
    return point;
}

// Opens two boxes side by side; the first has a sole, the second a foot with a given normal.
static void open_stand(Stand* s) {
    memset(s, 0, sizeof *s);
    mechanism_open(&s->m, poise_vec3(0.0, 0.0, -G), POISE_REFERENCE_OWN);
    for (int i = 0; i < BODIES; i++) {
        dBodyID body = mechanism_box(&s->m, poise_vec3(2.0 * i, 0.0, 0.2),
                                     poise_vec3(0.2, 0.2, 0.4), masses[i]);
        const PoiseBindDef unsprung = mechanism_springs(0.0, 0.0);
        s->bases[i] = poise_rig_add_base(s->m.rig, body, &unsprung);
        s->feet[i] = add_foot(s, i, poise_default_pose_def());
        PoiseStanceDef stance = poise_default_stance_def();
        stance.point = s->feet[i];
        stance.sole = 0.1;
        stance.normal = poise_vec3(0.0, 0.0, i == 0 ? 0.0 : 1.0);
        cr_assert_eq(poise_rig_add_stance(s->m.rig, &stance), POISE_OK, "%s",
                     poise_rig_message(s->m.rig));
    }
}

static void expect_carried(Stand* s, int i) {
    PoiseVec3 force, moment;
    cr_assert_eq(poise_rig_read_stance(s->m.rig, s->feet[i], &force, &moment), POISE_OK);
    EXPECT_NEAR3(force, poise_vec3(0.0, 0.0, masses[i] * G), 1e-7);
    EXPECT_NEAR3(moment, poise_vec3(0.0, 0.0, 0.0), 1e-9);
    PoiseSupport support;
    cr_assert_eq(poise_rig_read_support(s->m.rig, s->bases[i], &support), POISE_OK);
    cr_expect_eq(support.verdict, 0u, "%s", poise_support_verdict_name(support.verdict));
}

Test(two_stand, each_foot_bears_its_own_body) {
    Stand s;
    open_stand(&s);
    PoiseRigReport report;
    cr_assert_eq(poise_rig_update(s.m.rig, STEP, &report), POISE_OK, "%s",
                 poise_rig_message(s.m.rig));
    cr_expect_eq(report.unsupported, 0);
    for (int i = 0; i < BODIES; i++) {
        expect_carried(&s, i);
    }
    PoiseVec3 force;
    WORKS(poise_rig_read_stance(s.m.rig, s.feet[0], NULL, NULL));
    cr_expect_eq(poise_rig_read_stance(s.m.rig, poise_null_point(), &force, NULL),
                 POISE_ERROR_INVALID_HANDLE);
    cr_expect_eq(poise_rig_read_stance(NULL, s.feet[0], &force, NULL),
                 POISE_ERROR_INVALID_ARGUMENT);
    // destroy one of them: the other stays up
    dBodyDestroy(s.m.bodies[0]);
    cr_expect_eq(poise_rig_update(s.m.rig, STEP, &report), POISE_DEGRADED);
    expect_carried(&s, 1);
    WORKS(poise_rig_read_stance(s.m.rig, s.feet[0], &force, NULL));
    EXPECT_NEAR(poise_length(force), 0.0, 0.0);
    PoiseSupport support;
    cr_expect_eq(poise_rig_read_support(s.m.rig, s.bases[0], &support), POISE_ERROR_INVALID_HANDLE);
    mechanism_close(&s.m);
}

// A force larger than friction makes one of two bodies slide or tip over; poise_rig_read_support
// is degraded for this body.
Test(two_stand, the_body_that_slides_or_tips_is_named) {
    for (int which = 0; which < BODIES; which++) {
        Stand s;
        open_stand(&s);
        PoisePointDef hand = poise_default_position_def();
        const PoisePointId point = add_foot(&s, which, hand);
        // at the sole: all of it slides
        WORKS(poise_point_set_force(s.m.tree, point, poise_vec3(-0.9 * G * masses[which], 0, 0)));
        PoiseRigReport report;
        const PoiseStatus status = poise_rig_update(s.m.rig, STEP, &report);
        cr_expect_geq(status, POISE_OK, "%s", poise_rig_message(s.m.rig));
        cr_expect_eq(report.unsupported, 1);
        PoiseSupport support;
        cr_expect_eq(poise_rig_read_support(s.m.rig, s.bases[which], &support), POISE_DEGRADED);
        cr_expect((support.verdict & POISE_SUPPORT_SLIDES) != 0, "%d: %s", which,
                  poise_support_verdict_name(support.verdict));
        cr_expect(strstr(s.m.host.last_message, "slides"), "%s", s.m.host.last_message);
        // a null base is the first one
        PoiseSupport any;
        cr_expect_eq(poise_rig_read_support(s.m.rig, poise_null_node(), &any),
                     which == 0 ? POISE_DEGRADED : POISE_OK);
        cr_expect_eq(poise_rig_read_support(s.m.rig, s.bases[1 - which], &support), POISE_OK);
        mechanism_close(&s.m);
    }
}

// Feet that only have a place, or only a direction of their sole.
Test(two_stand, feet_with_a_place_or_a_direction_alone_stand) {
    for (int kind = 0; kind < 2; kind++) {
        Stand s;
        open_stand(&s);
        const PoisePointId foot = add_foot(
            &s, 0, kind == 0 ? poise_default_position_def() : poise_default_orientation_def());
        PoiseStanceDef stance = poise_default_stance_def();
        stance.point = foot;
        stance.share = 3.0;
        cr_assert_eq(poise_rig_add_stance(s.m.rig, &stance), POISE_OK);
        cr_assert_geq(poise_rig_update(s.m.rig, STEP, NULL), POISE_OK);
        PoiseVec3 sum = {0.0, 0.0, 0.0};
        PoiseVec3 force;
        WORKS(poise_rig_read_stance(s.m.rig, foot, &sum, NULL));
        WORKS(poise_rig_read_stance(s.m.rig, s.feet[0], &force, NULL));
        EXPECT_NEAR3(poise_add(sum, force), poise_vec3(0.0, 0.0, masses[0] * G), 1e-7);
        // the goal follows the pushed body along the ground
        dBodySetPosition(s.m.bodies[0], 0.05, 0.0, 0.2);
        for (int i = 0; i < 200; i++) {
            cr_assert_geq(poise_rig_update(s.m.rig, STEP, NULL), POISE_OK);
        }
        const PoiseVec3 goal = poise_point_goal(s.m.tree, foot).p;
        cr_expect(kind == 1 || fabs(goal.x - 0.05) < 1e-3, "%g", goal.x);
        cr_assert_eq(poise_rig_remove_stance(s.m.rig, foot), POISE_OK);
        cr_expect_eq(poise_rig_stance_count(s.m.rig), BODIES);
        mechanism_close(&s.m);
    }
}

Test(two_stand, points_that_cannot_be_feet_are_refused) {
    Stand s;
    open_stand(&s);
    PoiseStanceDef stance = poise_default_stance_def();
    // a node that no joint is bound to
    PoiseNodeDef lone = poise_default_hinge_def();
    PoisePointDef def = poise_default_pose_def();
    def.link = poise_node_create(s.m.tree, &lone);
    stance.point = poise_point_create(s.m.tree, &def);
    cr_expect_eq(poise_rig_add_stance(s.m.rig, &stance), POISE_ERROR_WRONG_KIND);
    // an unbound node on a bound one
    lone.parent = s.bases[1];
    def.link = poise_node_create(s.m.tree, &lone);
    stance.point = poise_point_create(s.m.tree, &def);
    cr_expect_eq(poise_rig_add_stance(s.m.rig, &stance), POISE_OK);
    cr_expect_eq(poise_rig_set_balance(s.m.rig, s.feet[0]), POISE_ERROR_WRONG_KIND);
    mechanism_close(&s.m);
}

// Stances change: a foot's body is unbound, or its goal is in the frame of another body.
Test(two_stand, a_foot_of_an_unbound_body_carries_nothing) {
    Stand s;
    open_stand(&s);
    PoiseStanceDef stance = poise_default_stance_def();
    PoisePointDef def = poise_default_pose_def();
    def.frame = s.bases[1];
    def.has_goal = true;
    def.goal.p = poise_vec3(-2.0, 0.0, -0.2);
    stance.point = add_foot(&s, 0, def);
    cr_assert_eq(poise_rig_add_stance(s.m.rig, &stance), POISE_OK);
    dBodySetPosition(s.m.bodies[0], 0.05, 0.0, 0.2);
    for (int i = 0; i < 20; i++) {
        cr_assert_geq(poise_rig_update(s.m.rig, STEP, NULL), POISE_OK);
    }
    EXPECT_NEAR3(poise_point_goal(s.m.tree, stance.point).p, def.goal.p, 0.0);
    cr_expect_geq(poise_point_goal(s.m.tree, s.feet[0]).p.x, 0.03);
    cr_assert_eq(poise_rig_unbind(s.m.rig, s.bases[0]), POISE_OK);
    cr_assert_geq(poise_rig_update(s.m.rig, STEP, NULL), POISE_OK);
    PoiseVec3 force;
    WORKS(poise_rig_read_stance(s.m.rig, s.feet[0], &force, NULL));
    EXPECT_NEAR(poise_length(force), 0.0, 0.0);
    expect_carried(&s, 1);
    mechanism_close(&s.m);
}

// The multiple of the asked forces that ground and friction can carry.
Test(two_stand, the_part_of_a_force_that_the_ground_carries_is_exact) {
    const struct {
        PoiseVec3 normal; ///< normal of the first body's foot
        double friction;
        PoiseVec3 force;
        double gravity;
        bool disabled;
        double part; ///< multiple of the asked forces that is carried
        double used; ///< part of the friction limit
    } rows[] = {
        {{0, 0, 0}, 0.8, {0, 0, 0}, G, false, HUGE_VAL, 0.0},
        {{0, 0, 0}, 0.8, {0, 0, -1e-6}, G, false, HUGE_VAL, 0.0},
        {{0, 0, 0}, 0.8, {0.2 * G, 0, 0}, G, false, 8.0, 0.125},
        {{0, 0, 0}, 0.8, {0.2 * G, 0, 0}, G, true, HUGE_VAL, 0.0},
        // the force lifts the body
        {{0, 0, 0}, 0.0, {0, 0, -0.2 * G}, G, false, 10.0, 0.0},
        // a wall does not carry a weight that slides down along it
        {{1, 0, 0}, 0.0, {0, 0, -0.2 * G}, G, false, 0.0, 0.0},
        // if gravity is 0, the foot pushes in any direction
        {{0, 0, 0}, 0.8, {0.2 * G, 0, 0}, 0.0, false, HUGE_VAL, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Stand s;
        open_stand(&s);
        dWorldSetGravity(s.m.world, 0.0, 0.0, -rows[i].gravity);
        PoiseStanceDef stance = poise_default_stance_def();
        stance.point = s.feet[0];
        stance.sole = 100.0;
        stance.normal = rows[i].normal;
        stance.friction = rows[i].friction;
        cr_assert_eq(poise_rig_add_stance(s.m.rig, &stance), POISE_OK);
        const PoisePointId hand = add_foot(&s, 0, poise_default_position_def());
        WORKS(poise_point_set_force(s.m.tree, hand, rows[i].force));
        WORKS(poise_point_set_enabled(s.m.tree, hand, !rows[i].disabled));
        cr_assert_geq(poise_rig_update(s.m.rig, STEP, NULL), POISE_OK);
        PoiseSupport support;
        cr_assert_geq(poise_rig_read_support(s.m.rig, s.bases[0], &support), POISE_OK);
        cr_expect(support.part == rows[i].part ||
                      fabs(support.part - rows[i].part) <= 0.01 * rows[i].part,
                  "row %zu: %g times", i, support.part);
        cr_expect(fabs(support.friction - rows[i].used) < 1e-3, "row %zu: %g of friction", i,
                  support.friction);
        mechanism_close(&s.m);
    }
}

// A head on a slider of 100 N/m presses with 1 N on a wall with friction 0.8, its goal 50 mm
// higher: it stays 8 mm below the goal, on any feet, as on the ground itself.
Test(two_stand, with_friction_feet_stay_where_they_are) {
    // a sole; then also a foot without a sole; then also a ceiling, which carries nothing
    for (int feet = 1; feet <= 3; feet++) {
        Stand s;
        open_stand(&s);
        const PoiseVec3 up = poise_vec3(0.0, 0.0, 1.0), size = poise_vec3(0.1, 0.1, 0.1);
        dBodyID arm =
            mechanism_box(&s.m, poise_vec3(0.0, 0.0, 0.9), poise_vec3(0.1, 0.1, 1.0), 0.5);
        dBodyID head = mechanism_box(&s.m, poise_vec3(0.0, 0.0, 1.4), size, 0.1);
        mechanism_join(&s.m, POISE_NODE_HINGE, arm, s.m.bodies[0],
                       pivot(poise_vec3(0.0, 0.0, 0.4), poise_vec3(0.0, 1.0, 0.0)));
        mechanism_join(&s.m, POISE_NODE_SLIDER, head, arm, pivot(up, up));
        PoiseBindDef like = mechanism_springs(100.0, 40.0);
        like.ik_linear = like.ik;
        cr_assert_eq(poise_rig_import(s.m.rig, s.m.bodies[0], &like), 2);
        mechanism_point(&s.m, poise_rig_node_of_body(s.m.rig, head), head, poise_vec3(0, 0, 1.4));
        mechanism_goal(&s.m, poise_vec3(0.0, 0.0, 1.45));
        WORKS(poise_point_set_force(s.m.tree, s.m.point, poise_vec3(1.0, 0.0, 0.0)));
        const PoiseWall wall = {
            .point = s.m.point, .normal = poise_vec3(-1.0, 0.0, 0.0), .friction = 0.8};
        const PoiseForecastDef def = {
            .points = &s.m.point, .count = 1, .walls = &wall, .wall_count = 1, .budget = 1e3};
        for (int i = 2; i <= feet; i++) {
            PoiseStanceDef stance = poise_default_stance_def();
            stance.point = add_foot(&s, 0, poise_default_pose_def());
            stance.normal = poise_scale(i == 2 ? 1.0 : -1.0, up);
            cr_assert_eq(poise_rig_add_stance(s.m.rig, &stance), POISE_OK);
        }
        cr_assert_geq(poise_rig_update(s.m.rig, STEP, NULL), POISE_OK);
        PoiseForecast forecast;
        cr_assert_eq(poise_rig_forecast(s.m.rig, &def, &forecast), POISE_OK, "%d", feet);
        cr_expect_eq(forecast.end, POISE_FORECAST_ESTIMATE, "%d: %s", feet, forecast.why);
        EXPECT_NEAR(forecast.row_miss, 0.008, 0.01 * 0.008);
        EXPECT_NEAR(forecast.force.x, 1.0, 0.01);
        mechanism_close(&s.m);
    }
}
