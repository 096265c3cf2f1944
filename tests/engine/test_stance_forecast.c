// SPDX-License-Identifier: MIT
// Forecasts of a figure on its own feet. Oracle: ODE's rest, with and without a small load.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "box_person.h"
#include "mechanism.h"
#include "random.h"

static const double DT = FIGURE_STEP;

// Sets random stiffnesses of IK springs and original springs, and at random feeds the weight
// forward.
static void shuffle(Figure* f, Random* random) {
    for (int i = 0; i < FIGURE_JOINTS; i++) {
        const PoiseNodeId node = poise_tree_node(f->m.tree, 1 + i);
        const PoiseJointReading joint = mechanism_read(&f->m, node);
        const double p = joint.spring.stiffness * (0.6 + 0.8 * random_unit(random));
        const double pull = 0.08 * p * random_unit(random);
        cr_assert_eq(poise_rig_set_ik(f->m.rig, node, (PoiseSpring){p, 0.05 * p}), POISE_OK);
        cr_assert_eq(poise_rig_set_original(f->m.rig, node, (PoiseSpring){pull, 0.05 * pull}),
                     POISE_OK);
    }
    RIG_SET(f->m.rig, gravity, random_unit(random) > 0.4);
}

static PoiseVec3 settled_hand(Figure* f, PoiseVec3 load) {
    for (int i = 0; i < (int)(6.0 / DT); i++) {
        dBodyAddForceAtRelPos(f->hands[RIGHT], load.x, load.y, load.z, 0.0, 0.0, -0.04);
        figure_step(f, DT);
    }
    return figure_hand(f, RIGHT);
}

Test(stance_forecast, a_figure_settles_to_the_foreseen_miss_and_compliance) {
    Random random = random_from(11);
    for (int k = 0; k < 6; k++) {
        FigureDef def = figure_def();
        def.stiffness = 2500.0;
        Figure f;
        figure_open(&f, def);
        figure_step(&f, DT);
        shuffle(&f, &random);
        const PoisePointId hand = f.hand_points[RIGHT];
        const double x = random_between(&random, 0.3, 0.5);
        const double y = random_between(&random, -0.3, -0.1);
        const PoiseVec3 goal = poise_vec3(x, y, random_between(&random, 0.9, 1.3));
        cr_assert_eq(poise_point_set_position(f.m.tree, hand, goal), POISE_OK);
        const PoiseVec3 rest = settled_hand(&f, poise_vec3(0.0, 0.0, 0.0));
        const double miss = poise_length(poise_sub(rest, goal));
        PoiseForecast forecast;
        forecast = foresee(f.m.rig, hand, DT);
        cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
        cr_expect_lt(fabs(forecast.miss - miss), 0.01 * miss, "%d: foreseen %g m, is %g", k,
                     forecast.miss, miss);
        for (int a = 0; a < 3; a++) {
            const PoiseVec3 load = poise_vec3(a == 0, a == 1, a == 2);
            const PoiseVec3 up = settled_hand(&f, load);
            const PoiseVec3 down = settled_hand(&f, poise_scale(-1.0, load));
            const PoiseVec3 is = poise_scale(0.5, poise_sub(up, down));
            const double* c = forecast.compliance;
            const PoiseVec3 foreseen = poise_vec3(c[a], c[3 + a], c[6 + a]);
            cr_expect_lt(poise_length(poise_sub(is, foreseen)), 0.01 * poise_length(is),
                         "%d: column %d: foreseen %g %g %g, is %g %g %g m/N", k, a, foreseen.x,
                         foreseen.y, foreseen.z, is.x, is.y, is.z);
        }
        figure_close(&f);
    }
}

// If friction cannot carry the forces at the posture of rest, the forecast is that the figure
// falls, with the reason.
Test(stance_forecast, a_rest_beyond_the_ground_is_foreseen_to_fall) {
    FigureDef def = figure_def();
    def.friction = 0.05;
    Figure f;
    figure_open(&f, def);
    figure_run(&f, 1.0);
    PoiseForecast forecast;
    const PoisePointId hand = f.hand_points[RIGHT];
    cr_assert_eq(poise_point_set_force(f.m.tree, hand, poise_vec3(15.0, 0.0, 0.0)), POISE_OK);
    forecast = foresee(f.m.rig, hand, DT);
    cr_expect(forecast.end == POISE_FORECAST_SETTLES && forecast.yields, "%s", forecast.why);
    cr_assert_eq(poise_point_set_force(f.m.tree, hand, poise_vec3(60.0, 0.0, 0.0)), POISE_OK);
    forecast = foresee(f.m.rig, hand, DT);
    cr_expect_eq(forecast.end, POISE_FORECAST_FALLS, "%s", forecast.why);
    // a figure with no feet floats
    cr_assert_eq(poise_rig_remove_stance(f.m.rig, f.foot_points[LEFT]), POISE_OK);
    cr_assert_eq(poise_rig_remove_stance(f.m.rig, f.foot_points[RIGHT]), POISE_OK);
    forecast = foresee(f.m.rig, hand, DT);
    cr_expect(forecast.end == POISE_FORECAST_NO_COPY && strstr(forecast.why, "floats"), "%s",
              forecast.why);
    figure_close(&f);
}

// A forecast changes nothing of the rig: the steps after it are the same to the last bit.
Test(stance_forecast, a_forecast_of_a_figure_changes_no_step) {
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        Figure f;
        figure_open(&f, figure_def());
        cr_assert_eq(
            poise_point_set_force(f.m.tree, f.hand_points[LEFT], poise_vec3(0.0, 0.0, -5.0)),
            POISE_OK);
        for (int i = 0; i < 100; i++) {
            if (k == 1 && i == 50) {
                (void)foresee(f.m.rig, f.hand_points[RIGHT], DT);
            }
            figure_step(&f, DT);
        }
        hash[k] = poise_state_hash(f.m.bodies, FIGURE_BODIES);
        figure_close(&f);
    }
    cr_expect_eq(hash[0], hash[1]);
}

static const PoiseVec3 hand = {0.125, 0.0, 0.0}, lying_goal = {0.45, 0.0, 0.45};

// Opens a trunk that lies on the ground, with an upper arm and a forearm on hinges on it. Returns
// the point of its hand.
static PoisePointId lying_open(Mechanism* m) {
    const PoiseWorldDef def = poise_default_world_def();
    mechanism_open_world(m, &def, POISE_REFERENCE_OWN);
    cr_assert_not_null(poise_world_add_ground(m->own, 0.0));
    dBodyID trunk = mechanism_box(m, poise_vec3(0.0, 0.0, 0.1), poise_vec3(0.5, 0.3, 0.2), 30.0);
    m->space = NULL; // the arm touches nothing
    LinkDef link = {trunk,
                    POISE_NODE_HINGE,
                    {{0.0, 0.0, 0.25}, {0.0, 1.0, 0.0}},
                    {0.15, 0.0, 0.25},
                    {0.3, 0.09, 0.09},
                    2.0,
                    NULL};
    link.parent = mechanism_link(m, &link);
    link.pivot.anchor.x = 0.3;
    link.at.x = 0.425;
    link.size = poise_vec3(0.25, 0.08, 0.08);
    link.mass = 1.8;
    dBodyID forearm = mechanism_link(m, &link);
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    cr_assert_neq(poise_rig_add_base(m->rig, trunk, &like).index1, 0u);
    like.ik = (PoiseSpring){600.0, 30.0};
    cr_assert_eq(poise_rig_import(m->rig, trunk, &like), 2);
    PoisePointDef point = poise_default_position_def();
    point.has_goal = true;
    point.goal.p = lying_goal;
    return mechanism_add_point(m, point, forearm, hand);
}

// Returns the distance of the hand from its goal after the arm has come to rest.
static double lying_settle(Mechanism* m) {
    mechanism_run(m, DT, 1200);
    return poise_length(poise_sub(lying_goal, body_point(m->bodies[2], hand)));
}

// The rig does not know that the trunk is supported: the weight is not fed forward and the arm
// sags. Its rest cannot be forecast.
Test(stance_forecast, an_arm_on_a_trunk_without_a_stance_sags) {
    Mechanism m;
    const PoisePointId point = lying_open(&m);
    const double sag = lying_settle(&m);
    cr_expect_gt(sag, 0.002);
    const PoiseForecast forecast = foresee(m.rig, point, DT);
    cr_expect(forecast.end == POISE_FORECAST_NO_COPY && strstr(forecast.why, "floats"), "%s",
              forecast.why);
    // a stance under the trunk holds the arm up
    const PoisePointDef under = poise_default_pose_def();
    PoiseStanceDef stance = poise_default_stance_def();
    stance.point = mechanism_add_point(&m, under, m.bodies[0], poise_vec3(0.0, 0.0, -0.1));
    stance.half_length = 0.25;
    stance.half_width = 0.15;
    cr_assert_eq(poise_rig_add_stance(m.rig, &stance), POISE_OK, "%s", poise_rig_message(m.rig));
    const double left = lying_settle(&m);
    cr_expect_lt(left, 2e-4, "%g m", left);
    const PoiseForecast held = foresee(m.rig, point, DT);
    cr_expect_eq(held.end, POISE_FORECAST_SETTLES, "%s", held.why);
    cr_expect_lt(held.miss, 2e-4);
    mechanism_close(&m);
}
