// SPDX-License-Identifier: MIT
// Forces and torques asked at a tip that is welded to the environment. Oracle: the feedback of the
// weld.
#include <criterion/criterion.h>

#include "near.h"
#include "press_bench.h"

static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

enum { LINKS = 4 };

// A chain of 4 links far from its wall whose tip is welded to the environment.
typedef struct Welded {
    Mechanism m;
    dJointFeedback held;
} Welded;

static PressDef welded_def(PoiseReference reference, PoiseVec3 force) {
    PressDef def = press_def(reference);
    def.links = LINKS;
    def.pose = true;
    def.gap = 1.0;
    def.force = force;
    return def;
}

// Gives the chain springs toward a distant natural posture.
static void pull(PressDef* def, double stiffness) {
    for (int i = 0; i < def->links; i++) {
        def->original[i] = stiffness;
        def->natural[i] = 0.8 - 0.4 * i;
    }
}

// Welds the last link, attached (link, 0) or the reverse.
static void weld(Welded* w, bool reversed) {
    dBodyID last = w->m.point_body;
    dJointSetFeedback(mechanism_weld(&w->m, reversed ? NULL : last, reversed ? last : NULL),
                      &w->held);
}

// Returns the force that the weld transmits, and its moment about z at the point.
static PoiseVec3 felt(const Welded* w, double* about) {
    const dReal* f = w->held.f1;
    const PoiseVec3 force = poise_vec3(-f[0], -f[1], -f[2]);
    const PoiseVec3 arm = poise_sub(mechanism_tip(&w->m), body_place(w->m.point_body));
    *about = -w->held.t1[2] - poise_cross(arm, force).z;
    return force;
}

// The tip is slightly rotated and off its goal; the weld transmits exactly the asked force and
// torque.
Test(force_weld, a_weld_transmits_force_and_torque) {
    for (int i = 0; i < 6; i++) {
        const int k = i / 2;
        const PoiseVec3 asked = poise_vec3(k == 1 ? 0.0 : 12.0, k == 1 ? 0.0 : -9.0, 0.0);
        const PressDef def = welded_def(references[i % 2], asked);
        const double torque = k == 0 ? 0.0 : 5.0;
        Welded w;
        Mechanism* m = &w.m;
        press_open(m, &def);
        cr_assert_eq(poise_point_set_torque(m->tree, m->point, poise_vec3(0.0, 0.0, torque)),
                     POISE_OK);
        // off in the directions that yield
        const PoisePose goal = poise_point_goal(m->tree, m->point);
        mechanism_goal(m, poise_add_scaled(goal.p, 0.01 / 15.0, asked));
        const PoiseQuat turn = poise_quat_exp(poise_vec3(0.0, 0.0, torque > 0.0 ? 0.1 : 0.0));
        cr_assert_eq(poise_point_set_orientation(m->tree, m->point, poise_quat_mul(turn, goal.q)),
                     POISE_OK);
        weld(&w, false);
        mechanism_run(m, PRESS_STEP, 2000);
        double about;
        const PoiseVec3 force = felt(&w, &about);
        EXPECT_NEAR3(force, asked, 0.01 * 15.0);
        EXPECT_NEAR(about, torque, 0.01 * 5.0);
        const PoisePointReading reading = mechanism_read_point(m);
        EXPECT_NEAR3(reading.force_measured, force, 1e-3);
        EXPECT_NEAR(reading.torque_measured.z, about, 1e-3);
        mechanism_close(m);
    }
}

// A distant natural posture pulls in directions in which the tip cannot move. This pull changes the
// weld's force and moment in no direction.
Test(force_weld, the_natural_posture_adds_no_force_at_a_weld) {
    for (int i = 0; i < 16; i++) {
        const int k = i / 2;
        PressDef def = welded_def(references[i % 2], poise_vec3(12.0, -9.0, 0.0));
        def.links = k % 2 == 0 ? LINKS : PRESS_LINKS;
        pull(&def, k < 4 ? 400.0 : 2000.0);
        for (int link = 0; link < def.links; link++) {
            def.stiffness[link] = k % 4 < 2 ? 2000.0 : 4000.0 / (1 << link);
            def.damping[link] = 0.1 * def.stiffness[link];
        }
        Welded w;
        press_open(&w.m, &def);
        weld(&w, false);
        mechanism_run(&w.m, PRESS_STEP, 4000);
        double about;
        const PoiseVec3 force = felt(&w, &about);
        cr_expect_leq(poise_length(poise_sub(force, def.force)), 1e-3, "%d: %g, %g N", i, force.x,
                      force.y);
        cr_expect_leq(fabs(about), 1e-3, "%d: %g N m", i, about);
        mechanism_close(&w.m);
    }
}

// The forecast simulates own postures with a natural one: it gives the whole force of the weld, for
// each order of the weld's bodies.
Test(force_weld, the_force_at_a_weld_is_foreseen) {
    for (int k = 0; k < 4; k++) {
        const PoiseVec3 asked = poise_vec3(k < 2 ? 12.0 : -3.0, k < 2 ? -9.0 : 4.0, 0.0);
        PressDef def = welded_def(POISE_REFERENCE_OWN, asked);
        pull(&def, 400.0);
        Welded w;
        press_open(&w.m, &def);
        weld(&w, k % 2 == 1);
        mechanism_run(&w.m, PRESS_STEP, 1);
        const PoiseForecast forecast = mechanism_foresee(&w.m, 0.0);
        cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%d: %s", k, forecast.why);
        mechanism_run(&w.m, PRESS_STEP, 4000);
        double about;
        const PoiseVec3 force = felt(&w, &about);
        const double size = poise_length(asked);
        cr_expect_leq(poise_length(poise_sub(force, asked)), 0.01 * size, "%d: %g %g N", k, force.x,
                      force.y);
        cr_expect_leq(poise_length(poise_sub(forecast.force, force)), 0.01 * size,
                      "%d: foreseen %g %g N, felt %g %g N", k, forecast.force.x, forecast.force.y,
                      force.x, force.y);
        mechanism_close(&w.m);
    }
}
