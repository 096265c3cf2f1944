// SPDX-License-Identifier: MIT
// Torque limits and the law of the two springs. If the motors can exert the torques of eq. 24, the
// joints rest where eq. 24 says, whatever the limits. If not, the forecast says where they rest,
// and names the joints at their limits. Measurements come from ODE's bodies.
#include <criterion/criterion.h>

#include <string.h>

#include "linkage.h"
#include "near.h"

static const double STEP = 0.01;
static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

static double bar_angle(const Mechanism* m) {
    const PoiseVec3 tip = mechanism_tip(m);
    return atan2(tip.y, tip.x);
}

// p_ik = p_orig = 1000, natural posture 0, goal at 0.3 rad: eq. 24 gives 0.15 rad. There the
// motor's torque is 0, or with a weight the 0.73 N m that are fed forward, so no limit may change
// this angle. Beyond 0.65 rad the weight exceeds the smallest limit. In measured mode the solver's
// damping keeps theta_ik from the goal: the expected angle is the one without a limit.
Test(limits, two_springs_rest_where_eq_24_says_whatever_the_limit) {
    static const double limits[] = {HUGE_VAL, 400.0, 160.0, 100.0, 50.0, 10.0, 3.0};
    enum { LIMITS = sizeof limits / sizeof limits[0], CASES = 4 };
    for (int c = 0; c < CASES; c++) {
        const PoiseReference reference = references[c % 2];
        double free = 0.15;
        for (int i = 0; i < LIMITS; i++) {
            Mechanism m;
            PoiseBindDef like = mechanism_springs(1000.0, 50.0);
            like.original = like.ik;
            like.torque_limit = limits[i];
            mechanism_bar(&m, reference, &like);
            dWorldSetGravity(m.world, c < 2 ? 0.0 : 9.81, 0.0, 0.0);
            mechanism_goal(&m, poise_vec3(cos(0.3), sin(0.3), 0.0));
            PoiseForecast forecast;
            forecast = foresee(m.rig, m.point, STEP);
            mechanism_run(&m, STEP, 3000);
            EXPECT_NEAR(bar_angle(&m), 0.15, reference == POISE_REFERENCE_OWN ? 1e-6 : 2e-3);
            free = i == 0 ? bar_angle(&m) : free;
            cr_expect_leq(fabs(bar_angle(&m) - free), 1e-6,
                          "case %d, limit %g N m: rests at %g rad", c, limits[i], bar_angle(&m));
            EXPECT_NEAR(forecast.miss, mechanism_error(&m), 1e-6);
            cr_expect_eq(forecast.limited, 0);
            mechanism_close(&m);
        }
    }
}

// If torque limits slow joints during the motion, the final rest depends on the length of the
// steps. A forecast uses the length that the caller gives, else that of the last update. If there
// is neither, the forecast is an estimate.
Test(limits, a_forecast_before_the_first_update_needs_the_step) {
    static const double limits[] = {15.0, 20.0, 40.0};
    const double dt = 0.2 * STEP;
    for (int i = 0; i < 3; i++) {
        Mechanism m;
        ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 80.0);
        def.gravity = poise_vec3(0.0, 0.0, 0.0);
        def.like.original = (PoiseSpring){300.0, 30.0};
        def.like.torque_limit = limits[i];
        chain_open(&m, &def);
        mechanism_goal(&m, poise_vec3(1.0, 1.0, 0.0));
        const PoiseForecast guess = mechanism_foresee(&m, 0.0);
        cr_expect_eq(guess.end, POISE_FORECAST_ESTIMATE);
        cr_expect(strstr(guess.why, "step is not known"), "%g N m: %s", limits[i], guess.why);
        const PoiseForecast given = mechanism_foresee(&m, dt);
        cr_expect_eq(given.end, POISE_FORECAST_SETTLES, "%s", given.why);
        mechanism_run(&m, dt, 1);
        const PoiseForecast after = mechanism_foresee(&m, 0.0);
        cr_expect_eq(after.end, POISE_FORECAST_SETTLES, "%s", after.why);
        mechanism_run(&m, dt, 15000);
        const double miss = mechanism_error(&m);
        EXPECT_NEAR(given.miss, miss, 0.01 * miss);
        EXPECT_NEAR(after.miss, miss, 0.01 * miss);
        // the assumed step gives an error of more than 1 %
        cr_expect_gt(fabs(guess.miss - miss), 0.01 * miss, "%g N m: %g m", limits[i], guess.miss);
        mechanism_close(&m);
    }
}

// A bar that its motor cannot hold up falls until the limit balances the weight.
Test(limits, a_bar_that_is_too_heavy_rests_where_limit_and_weight_balance) {
    for (int r = 0; r < 2; r++) {
        Mechanism m;
        PoiseBindDef like = mechanism_springs(1000.0, 50.0);
        like.torque_limit = 3.0;
        (void)mechanism_bar(&m, references[r], &like);
        RIG_SET(m.rig, gravity, false);
        dWorldSetGravity(m.world, 0.0, -9.81, 0.0);
        mechanism_goal(&m, poise_vec3(1.0, 0.0, 0.0));
        const PoiseForecast forecast = mechanism_foresee(&m, STEP);
        mechanism_run(&m, STEP, 3000);
        // m g l / 2 cos a = 3 N m
        const double there = acos(3.0 / (0.5 * 9.81));
        EXPECT_NEAR(-bar_angle(&m), there, 1e-5);
        EXPECT_NEAR(forecast.miss, 2.0 * sin(0.5 * there), 1e-5);
        cr_expect_eq(forecast.limited, 1);
        cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
        // the friction band is not known for a joint at its limit
        cr_expect(isinf(poise_forecast_friction_band(&forecast, poise_vec3(1.0, 0.0, 0.0), 0.5)));
        mechanism_close(&m);
    }
}

// The motor gives at most 10 N m, so the bar falls to its stop under a load of 20 N m. The springs
// carry a load of 8 N m.
Test(limits, a_joint_at_its_limit_is_named) {
    for (int r = 0; r < 2; r++) {
        for (int heavy = 0; heavy < 2; heavy++) {
            Mechanism m;
            PoiseBindDef like = mechanism_springs(1000.0, 50.0);
            like.torque_limit = 10.0;
            const PoiseNodeId node = mechanism_bar(&m, references[r], &like);
            RIG_SET(m.rig, gravity, false);
            // the centre of 1 kg is half a metre from the axis
            const double weight = heavy ? 40.0 : 16.0;
            dWorldSetGravity(m.world, 0.0, -weight, 0.0);
            mechanism_goal(&m, poise_vec3(1.0, 0.0, 0.0));
            PoiseForecast forecast;
            forecast = foresee(m.rig, m.point, STEP);
            mechanism_run(&m, STEP, 6000);
            const PoiseJointReading reading = mechanism_read(&m, node);
            cr_expect_eq(reading.at_limit, (bool)heavy);
            cr_expect_eq(forecast.limited, heavy);
            cr_expect(!heavy || forecast.limited_nodes[0].index1 == node.index1);
            EXPECT_NEAR(forecast.miss, mechanism_error(&m), 0.01 * mechanism_error(&m));
            // 10 N m against the weight
            cr_expect(!heavy || fabs(20.0 * cos(bar_angle(&m)) - 10.0) <= 0.01, "%g N m",
                      20.0 * cos(bar_angle(&m)));
            mechanism_close(&m);
        }
    }
}

// A ball without a goal carries 0.5 N m about x and about z: the limit applies to each axis.
Test(limits, a_ball_without_a_goal_is_at_its_limit_by_axis) {
    for (int limited = 0; limited < 2; limited++) {
        Mechanism m;
        ChainDef def = chain_def(POISE_NODE_BALL, 1, 0.0, 0.0);
        def.like.original = (PoiseSpring){1e5, 1e3};
        def.like.torque_limit = limited ? 0.4 : 0.6;
        def.gravity = poise_vec3(1.0, 0.0, 1.0);
        chain_open(&m, &def);
        PoiseForecast forecast;
        forecast = foresee(m.rig, m.point, STEP);
        cr_expect_eq(forecast.limited, limited);
        mechanism_run(&m, STEP, 1000);
        cr_expect_eq(mechanism_tip(&m).x > 1e-3, (bool)limited, "%g m", mechanism_tip(&m).x);
        mechanism_close(&m);
    }
}

// The weight of a pressing arm, if it is not fed forward, pulls the arm from the wall with more
// than the asked force: the forecast ends with LEAVES. If it is fed forward, the arm stays.
Test(limits, a_tip_that_leaves_its_wall_is_foreseen) {
    for (int fed = 0; fed < 2; fed++) {
        Mechanism m;
        ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 80.0);
        def.gravity = poise_vec3(-9.81, 0.0, 0.0);
        def.mass = 3.0;
        chain_open(&m, &def);
        RIG_SET(m.rig, gravity, fed == 1);
        cr_assert_eq(poise_point_set_force(m.tree, m.point, poise_vec3(5.0, 0.0, 0.0)), POISE_OK);
        PoiseForecast forecast;
        forecast = foresee(m.rig, m.point, STEP);
        cr_expect_eq(forecast.end, fed ? POISE_FORECAST_SETTLES : POISE_FORECAST_LEAVES, "%s",
                     forecast.why);
        const double before = mechanism_tip(&m).x;
        Wall wall = wall_before(&m, poise_vec3(1.0, 0.0, 0.0), 0.0);
        (void)wall_run(&m, &wall, STEP, 300, 50);
        const double went = mechanism_tip(&m).x - before;
        cr_expect(fed == 1 ? fabs(went) < 1e-4 : went < -0.01, "fed %d: went %g", fed, went);
        cr_expect(fed == 1 ? fabs(wall.force - 5.0) <= 0.05 : wall.force == 0.0, "%g N",
                  wall.force);
        mechanism_close(&m);
    }
}

// Three hinges with a goal of two rows. The torque limits, which act during the motion, decide
// where the third degree of freedom rests, and so the compliance of the tip.
Test(limits, a_rest_that_depends_on_the_path_is_foreseen) {
    // forecasts at the start, and in the middle of the motion
    for (int i = 0; i < 6; i++) {
        const int k = i / 2;
        Mechanism m;
        ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 80.0);
        def.like.torque_limit = k == 0 ? HUGE_VAL : 20.0;
        chain_open(&m, &def);
        RIG_SET(m.rig, posture_rate, k == 2 ? 0.01 : 0.0);
        mechanism_goal(&m, poise_vec3(1.5, 2.0, 0.0));
        mechanism_run(&m, STEP, i % 2 == 0 ? 0 : 15);
        const PoiseForecast before = mechanism_foresee(&m, STEP);
        cr_expect_eq(before.end, POISE_FORECAST_SETTLES, "case %d: %s", i, before.why);
        mechanism_run(&m, STEP, 3000);
        const PoiseForecast after = mechanism_foresee(&m, STEP);
        cr_expect_leq(mechanism_error(&m), before.miss + 1e-5);
        for (int c = 0; c < 9; c++) {
            EXPECT_NEAR(before.compliance[c], after.compliance[c], 0.01 * after.compliance[0]);
        }
        mechanism_close(&m);
    }
}

// A bar that its limit holds back moves again without a limit.
Test(limits, a_bar_moves_again_without_its_limit) {
    for (int r = 0; r < 2; r++) {
        Mechanism m;
        PoiseBindDef like = mechanism_springs(1000.0, 50.0);
        like.torque_limit = 3.0;
        const PoiseNodeId node = mechanism_bar(&m, references[r], &like);
        dWorldSetGravity(m.world, 0.0, -9.81, 0.0);
        RIG_SET(m.rig, gravity, false);
        mechanism_run(&m, STEP, 1000);
        cr_expect_lt(bar_angle(&m), -0.5);
        cr_assert_eq(poise_rig_set_torque_limit(m.rig, node, HUGE_VAL), POISE_OK);
        mechanism_run(&m, STEP, 1000);
        // p a = m g l / 2 cos a
        EXPECT_NEAR(bar_angle(&m), -0.004905, 1e-4);
        mechanism_close(&m);
    }
}
