// SPDX-License-Identifier: MIT
// Row 0.12, sec. 5.1: the distance to the goal when the spring to the natural posture acts too, and
// its forecast. Oracle: the posture in which ODE's bodies rest.
#include <criterion/criterion.h>

#include "mechanism.h"
#include "near.h"

static const double STEP = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};
static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

// A planar arm of three unit links on hinges about z: their angles, springs and natural angles.
typedef struct Planar {
    double angles[3];
    PoiseBindDef like[3];
    PoiseVec3 gravity;
    PoiseReference reference;
} Planar;

static const double theta_ik[3] = {0.6, 0.7, 0.2};
static const double theta_orig[3] = {0.3, 0.4, 0.5};

static Planar planar_def(double ik, double original) {
    Planar def;
    for (int i = 0; i < 3; i++) {
        def.angles[i] = theta_ik[i];
        def.like[i] = mechanism_springs(ik, 50.0);
        def.like[i].original.stiffness = original;
        def.like[i].natural[0] = theta_orig[i];
    }
    def.gravity = no_gravity;
    def.reference = POISE_REFERENCE_OWN;
    return def;
}

static void open_planar(Mechanism* m, const Planar* def) {
    mechanism_open(m, def->gravity, def->reference);
    mechanism_planar(m, def->angles, def->like);
}

static double predicted(Mechanism* m) {
    const PoiseForecast forecast = mechanism_foresee(m, STEP);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
    return forecast.miss;
}

// Expects the forecast before the first step, and at rest.
static void expect_predicted(Mechanism* m, const char* what, int reference) {
    const double before = predicted(m);
    mechanism_run(m, STEP, 6000);
    const double error = mechanism_error(m);
    const double after = predicted(m);
    cr_expect_leq(fabs(before - error), 0.01 * error, "%s, reference %d: %g for %g", what,
                  reference, before, error);
    cr_expect_leq(fabs(after - error), 0.01 * error, "%s, reference %d: %g at rest at %g", what,
                  reference, after, error);
}

// Ratios of the two springs from vectors/blend_reach.json.
static const double ratios[] = {0.1, 0.5, 1.0, 2.0, 5.0, 9.0, 99.0, 999.0};
static const double own_misses[] = {1.0266943426135937,   0.7547949746241475,   0.5665869970931183,
                                    0.37778949580764076,  0.18879591979059385,  0.11323180047643439,
                                    0.011315009332253368, 0.0011314066366746034};

Test(predict, the_miss_of_the_papers_example) {
    for (int i = 0; i < 8; i++) {
        Planar def = planar_def(1000.0, 1000.0 / ratios[i]);
        Mechanism m;
        open_planar(&m, &def);
        EXPECT_NEAR(predicted(&m), own_misses[i], 1e-6 * own_misses[i]);
        mechanism_run(&m, STEP, 3000);
        EXPECT_NEAR(mechanism_error(&m), own_misses[i], 1e-6 * own_misses[i]);
        mechanism_close(&m);
    }
}

// In measured mode the springs balance elsewhere. The solver's damping changes that place by less
// than 1 %.
Test(predict, the_miss_of_the_papers_example_in_measured_mode) {
    static const double measured_ratios[] = {0.1, 1.0, 5.0, 9.0};
    static const double misses[] = {1.0251, 0.5636, 0.1886, 0.1132};
    for (int i = 0; i < 4; i++) {
        for (int damped = 0; damped < 2; damped++) {
            Planar def = planar_def(1000.0, 1000.0 / measured_ratios[i]);
            def.reference = POISE_REFERENCE_MEASURED;
            Mechanism m;
            open_planar(&m, &def);
            if (!damped) {
                mechanism_solve_exactly(&m);
            }
            expect_predicted(&m, damped ? "damped" : "undamped", 1);
            EXPECT_NEAR(mechanism_error(&m), misses[i], damped ? 0.01 * misses[i] : 5e-5);
            mechanism_close(&m);
        }
    }
}

// Weight that is fed forward is no load for a forecast before the first step.
Test(predict, weight_that_is_fed_forward_changes_no_miss) {
    for (int r = 0; r < 2; r++) {
        Planar def = planar_def(1000.0, 200.0);
        def.reference = references[r];
        Mechanism m;
        open_planar(&m, &def);
        const double weightless = predicted(&m);
        mechanism_close(&m);
        def.gravity = poise_vec3(0.0, -9.81, 0.0);
        open_planar(&m, &def);
        EXPECT_NEAR(predicted(&m), weightless, 1e-9);
        expect_predicted(&m, "fed forward", r);
        mechanism_close(&m);
    }
}

// A joint on its limit does not follow its springs.
Test(predict, the_miss_with_a_joint_on_its_limit_is_foreseen) {
    for (int r = 0; r < 2; r++) {
        Planar def = planar_def(1000.0, 500.0);
        def.reference = references[r];
        Mechanism m;
        open_planar(&m, &def);
        dJointSetHingeParam(m.joints[1], dParamLoStop, 0.65);
        dJointSetHingeParam(m.joints[1], dParamHiStop, 2.0);
        PoiseNodeId node = poise_rig_node_of_joint(m.rig, m.joints[1]);
        cr_assert_eq(poise_node_set_limits(m.tree, node, poise_range(0.65, 2.0)), POISE_OK);
        expect_predicted(&m, "a limit", r);
        mechanism_close(&m);
    }
}

// A pose has a miss of its place and a miss of its rotation.
Test(predict, misses_of_place_and_angle_of_a_pose_are_foreseen) {
    for (int r = 0; r < 2; r++) {
        ChainDef def = chain_def(POISE_NODE_BALL, 4, 1000.0, 50.0);
        def.reference = references[r];
        def.like.original.stiffness = 200.0;
        def.like.original.damping = 20.0;
        Mechanism m;
        chain_open(&m, &def);
        cr_assert_eq(poise_point_destroy(m.tree, m.point), POISE_OK);
        PoisePointDef pose = poise_default_pose_def();
        pose.has_goal = true;
        pose.goal =
            poise_pose(poise_vec3(1.5, 2.0, 1.0), poise_quat_exp(poise_vec3(1.0, 0.5, -1.0)));
        const PoisePointId point =
            mechanism_add_point(&m, pose, m.bodies[3], poise_vec3(0.0, 0.5, 0.0));
        const PoiseForecast forecast = foresee(m.rig, point, STEP);
        mechanism_run(&m, STEP, 6000);
        const PoiseVec3 end = body_point(m.bodies[3], poise_vec3(0.0, 0.5, 0.0));
        double error = poise_length(poise_sub(end, pose.goal.p));
        double angle = poise_length(poise_quat_log(
            poise_quat_mul(pose.goal.q, poise_quat_conjugate(body_turn(m.bodies[3])))));
        EXPECT_NEAR(forecast.miss, error, 0.01 * error);
        EXPECT_NEAR(forecast.angle_miss, angle, 0.01 * angle);
        mechanism_close(&m);
    }
}

// A forecast changes nothing of tree, rig and bodies.
Test(predict, a_forecast_changes_no_state) {
    for (int r = 0; r < 2; r++) {
        uint64_t hashes[2];
        for (int ask = 0; ask < 2; ask++) {
            ChainDef def = chain_def(POISE_NODE_BALL, 3, 1e4, 1e3);
            def.reference = references[r];
            def.like.torque_limit = 2e3;
            Mechanism m;
            chain_open(&m, &def);
            mechanism_goal(&m, poise_vec3(1.0, 1.5, 1.0));
            for (int i = 0; i < 200; i++) {
                if (ask == 1 && i % 20 == 7) {
                    (void)predicted(&m);
                }
                mechanism_step(&m, STEP);
            }
            hashes[ask] = mechanism_hash(&m);
            mechanism_close(&m);
        }
        cr_expect_eq(hashes[0], hashes[1]);
    }
}
