// SPDX-License-Identifier: MIT
// Springs for several postures, dampers for a settling time, natural angles for a load. Oracles:
// forecasts and steps of the world with what the designs found.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "poise/design.h"

enum { LINKS = 3 };

static const double STEP = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

static void open_arm(Mechanism* m, double original, double damping) {
    static const double angles[LINKS] = {0.6, 0.7, 0.2};
    static const double ik[LINKS] = {900.0, 400.0, 250.0};
    PoiseBindDef likes[LINKS];
    for (int i = 0; i < LINKS; i++) {
        likes[i] = mechanism_springs(ik[i], damping);
        likes[i].original = (PoiseSpring){original, 0.1 * original};
        likes[i].natural[0] = angles[i];
    }
    mechanism_open(m, no_gravity, POISE_REFERENCE_OWN);
    mechanism_planar(m, angles, likes);
}

static void set_springs(const Mechanism* m, const PoiseDesignedSpring* springs, int count) {
    for (int i = 0; i < count; i++) {
        cr_assert_eq(poise_rig_set_ik(m->rig, springs[i].node, springs[i].ik), POISE_OK);
    }
}

// ---------------------------------------------------------------------------------------- postures

// Returns the compliance along x and y with the goal moved.
static void read_compliance(const Mechanism* m, PoiseVec3 goal, double along[2]) {
    mechanism_goal((Mechanism*)m, goal);
    const PoiseForecast forecast = mechanism_foresee(m, STEP);
    cr_assert_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
    along[0] = forecast.compliance[0];
    along[1] = forecast.compliance[4];
}

// One set of springs for two postures. The wishes are the compliances of random springs, and are
// met in both postures.
Test(design_rests, springs_for_two_postures_at_once) {
    static const double sources[2][LINKS] = {{1500.0, 300.0, 90.0}, {200.0, 2000.0, 600.0}};
    for (int trial = 0; trial < 2; trial++) {
        Mechanism m;
        open_arm(&m, 0.0, 50.0);
        const PoiseVec3 here = poise_point_goal(m.tree, m.point).p;
        const PoiseVec3 there = poise_add(here, poise_vec3(0.5, -0.9, 0.0));
        PoiseDesignedSpring springs[LINKS];
        for (int i = 0; i < LINKS; i++) {
            springs[i].node = poise_rig_node_of_body(m.rig, m.bodies[i]);
            springs[i].ik = (PoiseSpring){900.0, 50.0};
        }
        PoiseComplianceWish wishes[2];
        for (int w = 0; w < 2; w++) {
            double along[2];
            PoiseDesignedSpring source[LINKS];
            memcpy(source, springs, sizeof source);
            for (int i = 0; i < LINKS; i++) {
                source[i].ik.stiffness = sources[trial][i];
            }
            set_springs(&m, source, LINKS);
            read_compliance(&m, w == 0 ? here : there, along);
            wishes[w] = poise_default_compliance_wish();
            wishes[w].point = m.point;
            memcpy(wishes[w].along, along, sizeof along);
            wishes[w].elsewhere = w == 1;
            wishes[w].goal.p = there;
        }
        set_springs(&m, springs, LINKS);
        mechanism_goal(&m, here);
        const PoiseDesignDef def = {.wishes = wishes, .wish_count = 2, .step = STEP};
        PoiseDesign design;
        cr_assert_eq(poise_rig_design(m.rig, &def, springs, LINKS, &design), POISE_OK, "%s",
                     poise_rig_message(m.rig));
        cr_expect_eq(design.end, POISE_DESIGN_MET, "%s", design.why);
        set_springs(&m, springs, LINKS);
        for (int w = 0; w < 2; w++) {
            double along[2];
            read_compliance(&m, w == 0 ? here : there, along);
            for (int a = 0; a < 2; a++) {
                EXPECT_NEAR(along[a], wishes[w].along[a], 0.01 * wishes[w].along[a]);
            }
        }
        mechanism_close(&m);
    }
}

// The arm starts far from its goal and gets fast, so its joints without dampers still swing.
Test(design_rests, a_goal_without_a_rest_is_said) {
    Mechanism m;
    open_arm(&m, 0.0, 0.0);
    PoiseComplianceWish wish = poise_default_compliance_wish();
    wish.point = m.point;
    wish.along[0] = 1e-3;
    wish.elsewhere = true;
    wish.goal.p = poise_vec3(0.0, 2.0, 0.0);
    const PoiseDesignDef def = {.wishes = &wish, .wish_count = 1, .step = 2e-3};
    PoiseDesignedSpring springs[LINKS];
    PoiseDesign design;
    cr_assert_eq(poise_rig_design(m.rig, &def, springs, LINKS, &design), POISE_OK);
    cr_expect_eq(design.end, POISE_DESIGN_NO_REST);
    cr_expect_not_null(strstr(design.why, "with its goal at ("), "%s", design.why);
    mechanism_close(&m);
}

// --------------------------------------------------------------------------------- settling time

// Pushes the tip and lets it go. Returns the time, s, after which less than 2 % of its displacement
// remain.
static double measure_settling(Mechanism* m, PoiseVec3 force, double dt) {
    const PoiseVec3 rest = mechanism_settle(m, no_gravity, dt, (int)(8.0 / dt));
    const PoiseVec3 pushed = mechanism_settle(m, force, dt, (int)(8.0 / dt));
    const double first = poise_length(poise_sub(pushed, rest));
    double last = 0.0;
    for (int i = 0; i < (int)(6.0 / dt); i++) {
        const PoiseVec3 at = mechanism_settle(m, no_gravity, dt, 1);
        if (poise_length(poise_sub(at, rest)) > 0.02 * first) {
            last = (i + 1) * dt;
        }
    }
    return last;
}

// The slowest mode settles in the wished time, and so does a push in any direction in the world.
// The dampers from before the design need longer.
Test(design_rests, dampers_for_a_settling_time) {
    static const double wished = 1.0, dt = 2e-3;
    Mechanism m;
    open_arm(&m, 0.0, 1.0);
    PoiseComplianceWish wish = poise_default_compliance_wish();
    wish.point = m.point;
    wish.along[0] = 6e-3;
    wish.along[1] = 1e-3;
    const PoiseDesignDef def = {
        .wishes = &wish, .wish_count = 1, .settling_time = wished, .step = dt};
    PoiseDesignedSpring springs[LINKS];
    PoiseDesign design;
    cr_assert_eq(poise_rig_design(m.rig, &def, springs, LINKS, &design), POISE_OK);
    cr_expect_eq(design.end, POISE_DESIGN_MET, "%s", design.why);
    cr_expect(design.settling_time > 0.0 && design.settling_time <= wished, "%g s",
              design.settling_time);
    cr_expect_gt(measure_settling(&m, poise_vec3(0.5, 0.0, 0.0), dt), wished);
    set_springs(&m, springs, design.spring_count);
    const double x = measure_settling(&m, poise_vec3(0.5, 0.0, 0.0), dt);
    const double y = measure_settling(&m, poise_vec3(0.0, 0.5, 0.0), dt);
    cr_log_info("settles in %g and %g s, designed %g", x, y, design.settling_time);
    cr_expect(fmax(x, y) <= 1.05 * wished, "%g and %g s of %g", x, y, wished);
    mechanism_close(&m);
}

// A mode of w rad/s settles no sooner than critically damped: log(50) / w.
Test(design_rests, a_settling_time_that_no_dampers_reach) {
    const PoiseBindDef like = mechanism_springs(100.0, 1.0);
    Mechanism m;
    (void)mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
    PoiseComplianceWish wish = poise_default_compliance_wish();
    wish.point = m.point;
    wish.along[1] = 1e-2;
    const PoiseDesignDef def = {
        .wishes = &wish, .wish_count = 1, .settling_time = 0.01, .step = STEP};
    PoiseDesignedSpring spring;
    PoiseDesign design;
    cr_assert_eq(poise_rig_design(m.rig, &def, &spring, 1, &design), POISE_OK);
    dMass mass;
    dBodyGetMass(m.bodies[0], &mass);
    const PoiseVec3 centre = body_place(m.bodies[0]);
    const double inertia = (double)mass.I[10] + (double)mass.mass * centre.x * centre.x;
    const double least = log(50.0) / sqrt(spring.ik.stiffness / inertia);
    EXPECT_NEAR(design.settling_time, least, 0.01 * least);
    mechanism_close(&m);
}

// ------------------------------------------------------------------------------------ natural

// The natural angles found let the loaded arm rest at its goal, in the world too.
Test(design_rests, natural_angles_hold_a_known_load) {
    Mechanism m;
    open_arm(&m, 300.0, 50.0);
    const PoiseVec3 goal = poise_point_goal(m.tree, m.point).p;
    const PoiseNaturalDef def = {.point = m.point,
                                 .rest = {goal, poise_quat_identity()},
                                 .place = true,
                                 .force = {20.0, -35.0, 0.0},
                                 .step = STEP};
    PoiseNaturalPosture postures[LINKS];
    PoiseNaturalDesign design;
    cr_expect_eq(poise_rig_design_natural(m.rig, &def, postures, LINKS - 1, &design),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_not_null(strstr(poise_rig_message(m.rig), "room"), "%s", poise_rig_message(m.rig));
    cr_assert_eq(poise_rig_design_natural(m.rig, &def, postures, LINKS, &design), POISE_OK, "%s",
                 poise_rig_message(m.rig));
    cr_expect_eq(design.end, POISE_DESIGN_MET, "%s", design.why);
    cr_expect_eq(design.count, LINKS);
    const PoiseVec3 before = mechanism_settle(&m, def.force, STEP, 3000);
    EXPECT_NEAR(design.miss_before, poise_length(poise_sub(before, goal)), 1e-6);
    cr_expect_gt(design.miss_before, 0.02);
    for (int i = 0; i < design.count; i++) {
        cr_assert_eq(poise_rig_set_natural_posture(m.rig, postures[i].node, postures[i].posture,
                                                   postures[i].count),
                     POISE_OK);
    }
    const PoiseVec3 after = mechanism_settle(&m, def.force, STEP, 3000);
    EXPECT_NEAR3(after, goal, 2e-6);
    mechanism_close(&m);
}

// No natural angles hold a load without springs to the natural posture, nor a load across the
// plane.
Test(design_rests, a_load_that_no_natural_angles_hold) {
    for (int trial = 0; trial < 2; trial++) {
        Mechanism m;
        open_arm(&m, trial == 0 ? 0.0 : 300.0, 50.0);
        PoiseVec3 goal = poise_point_goal(m.tree, m.point).p;
        goal.z = trial == 0 ? 0.0 : 0.01;
        const PoiseNaturalDef def = {.point = m.point,
                                     .rest = {goal, poise_quat_identity()},
                                     .place = true,
                                     .force = {5.0, -5.0, 0.0},
                                     .step = STEP};
        PoiseNaturalPosture postures[LINKS];
        PoiseNaturalDesign design;
        cr_assert_eq(poise_rig_design_natural(m.rig, &def, postures, LINKS, &design), POISE_OK);
        cr_expect_eq(design.end, POISE_DESIGN_NEAREST);
        cr_expect_eq(design.count, trial == 0 ? 0 : LINKS);
        cr_expect_not_null(strstr(design.why, "no natural postures"), "%s", design.why);
        if (trial == 1) {
            EXPECT_NEAR(design.miss, 0.01, 1e-5);
        }
        mechanism_close(&m);
    }
}
