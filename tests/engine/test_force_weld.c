// SPDX-License-Identifier: MIT
// Forces and torques asked at a tip that is welded to the environment. Oracle: the feedback of the
// weld.
#include <criterion/criterion.h>

#include "near.h"
#include "poise/forecast.h"
#include "press_bench.h"

static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

// The tip is welded to the environment, a little rotated and off its goal: the weld holds exactly
// the asked force and torque.
Test(force_weld, a_weld_feels_force_and_torque) {
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 3; k++) {
            PressDef def = press_def(references[r]);
            def.links = 4;
            def.pose = true;
            def.gap = 1.0;
            def.force = k == 1 ? poise_vec3(0.0, 0.0, 0.0) : poise_vec3(12.0, -9.0, 0.0);
            const double torque = k == 0 ? 0.0 : 5.0;
            PressBench b;
            press_open(&b, &def);
            cr_assert_eq(poise_point_set_torque(b.tree, b.point, poise_vec3(0.0, 0.0, torque)),
                         POISE_OK);
            // off in the directions that yield
            PoisePose goal = poise_point_goal(b.tree, b.point);
            goal.p = poise_add_scaled(goal.p, 0.01 / 15.0, def.force);
            cr_assert_eq(poise_point_set_position(b.tree, b.point, goal.p), POISE_OK);
            PoiseQuat turn = poise_quat_exp(poise_vec3(0.0, 0.0, torque > 0.0 ? 0.1 : 0.0));
            cr_assert_eq(poise_point_set_orientation(b.tree, b.point, poise_quat_mul(turn, goal.q)),
                         POISE_OK);
            dJointID weld = dJointCreateFixed(poise_world_ode(b.world), NULL);
            dJointAttach(weld, b.links[3], NULL);
            dJointSetFixed(weld);
            dJointFeedback held;
            dJointSetFeedback(weld, &held);
            (void)press_run(&b, 2000);
            PoiseVec3 force = poise_vec3(-held.f1[0], -held.f1[1], -held.f1[2]);
            PoiseVec3 arm =
                poise_sub(press_tip(&b, 3), poise_vec3(dBodyGetPosition(b.links[3])[0],
                                                       dBodyGetPosition(b.links[3])[1],
                                                       dBodyGetPosition(b.links[3])[2]));
            // moment about the point
            PoiseVec3 about = poise_sub(poise_vec3(-held.t1[0], -held.t1[1], -held.t1[2]),
                                        poise_cross(arm, force));
            EXPECT_NEAR3(force, def.force, 0.01 * 15.0);
            EXPECT_NEAR(about.z, torque, 0.01 * 5.0);
            PoisePointReading reading;
            cr_assert_eq(poise_rig_read_point(b.rig, b.point, &reading), POISE_OK);
            EXPECT_NEAR3(reading.force_measured, force, 1e-3);
            EXPECT_NEAR(reading.torque_measured.z, about.z, 1e-3);
            press_close(&b);
        }
    }
}

// A natural posture far off pulls where the tip cannot move: this pull gives the weld no force,
// neither along the asked force nor across it nor about it.
Test(force_weld, a_weld_feels_nothing_of_the_natural_posture) {
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 8; k++) {
            PressDef def = press_def(references[r]);
            def.links = k % 2 == 0 ? 4 : 6;
            def.pose = true;
            def.gap = 1.0;
            def.force = poise_vec3(12.0, -9.0, 0.0);
            for (int i = 0; i < def.links; i++) {
                def.stiffness[i] = k % 4 < 2 ? 2000.0 : 4000.0 / (1 << i);
                def.damping[i] = 0.1 * def.stiffness[i];
                def.original[i] = k < 4 ? 400.0 : 2000.0;
                def.natural[i] = 0.8 - 0.4 * i;
            }
            PressBench b;
            press_open(&b, &def);
            dJointID weld = dJointCreateFixed(poise_world_ode(b.world), NULL);
            dJointAttach(weld, b.links[def.links - 1], NULL);
            dJointSetFixed(weld);
            dJointFeedback held;
            dJointSetFeedback(weld, &held);
            (void)press_run(&b, 4000);
            const PoiseVec3 force = poise_vec3(-held.f1[0], -held.f1[1], -held.f1[2]);
            const PoiseVec3 arm =
                poise_sub(press_tip(&b, def.links - 1), body_place(b.links[def.links - 1]));
            const double about = -held.t1[2] - poise_cross(arm, force).z;
            cr_expect_leq(poise_length(poise_sub(force, def.force)), 1e-3, "%d, %d: %g, %g N", r, k,
                          force.x, force.y);
            cr_expect_leq(fabs(about), 1e-3, "%d, %d: %g N m", r, k, about);
            press_close(&b);
        }
    }
}

// The forecast simulates own postures with a natural one: it gives the whole force of the weld, for
// each order of the weld's bodies.
Test(force_weld, what_a_weld_will_feel_is_foreseen) {
    for (int k = 0; k < 4; k++) {
        PressDef def = press_def(POISE_REFERENCE_OWN);
        def.links = 4;
        def.pose = true;
        def.gap = 1.0;
        def.force = k < 2 ? poise_vec3(12.0, -9.0, 0.0) : poise_vec3(-3.0, 4.0, 0.0);
        for (int i = 0; i < def.links; i++) {
            def.original[i] = 400.0;
            def.natural[i] = 0.8 - 0.4 * i;
        }
        PressBench b;
        press_open(&b, &def);
        dJointID weld = dJointCreateFixed(poise_world_ode(b.world), NULL);
        dJointAttach(weld, k % 2 == 0 ? b.links[3] : NULL, k % 2 == 0 ? NULL : b.links[3]);
        dJointSetFixed(weld);
        dJointFeedback held;
        dJointSetFeedback(weld, &held);
        (void)press_run(&b, 1);
        PoiseForecast forecast;
        forecast = foresee(b.rig, b.point, 0.0);
        cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%d: %s", k, forecast.why);
        (void)press_run(&b, 4000);
        const PoiseVec3 force = poise_vec3(-held.f1[0], -held.f1[1], -held.f1[2]);
        const double size = poise_length(def.force);
        cr_expect_leq(poise_length(poise_sub(force, def.force)), 0.01 * size, "%d: %g %g N", k,
                      force.x, force.y);
        cr_expect_leq(poise_length(poise_sub(forecast.force, force)), 0.01 * size,
                      "%d: foreseen %g %g N, felt %g %g N", k, forecast.force.x, forecast.force.y,
                      force.x, force.y);
        press_close(&b);
    }
}
