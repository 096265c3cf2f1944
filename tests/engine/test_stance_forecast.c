// SPDX-License-Identifier: MIT
// What is foreseen of a figure that stands on its own feet. Oracle: where ODE comes to rest, as it
// is and with a small load more.
#include <criterion/criterion.h>
#include <math.h>

#include "figure.h"

static const double DT = 0.005;

static void run(Figure* f, double seconds) {
    for (int i = 0; i < (int)(seconds / DT + 0.5); i++) {
        figure_step(f, DT);
    }
}

static double uniform(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

// springs at random, with a natural posture that pulls, with or without the weight fed forward
static void shuffle(Figure* f, unsigned* seed) {
    for (int i = 0; i < FIGURE_JOINTS; i++) {
        const PoiseNodeId node = poise_tree_node(f->tree, 1 + i);
        PoiseJointReading joint;
        cr_assert_eq(poise_rig_read_joint(f->rig, node, &joint), POISE_OK);
        const double p = joint.spring.stiffness * (0.6 + 0.8 * uniform(seed));
        const double pull = 0.08 * p * uniform(seed);
        cr_assert_eq(poise_rig_set_ik(f->rig, node, (PoiseSpring){p, 0.05 * p}), POISE_OK);
        cr_assert_eq(poise_rig_set_original(f->rig, node, (PoiseSpring){pull, 0.05 * pull}),
                     POISE_OK);
    }
    cr_assert_eq(poise_rig_set_gravity(f->rig, uniform(seed) > 0.4), POISE_OK);
}

static PoiseVec3 settled_hand(Figure* f, PoiseVec3 load) {
    for (int i = 0; i < (int)(6.0 / DT); i++) {
        dBodyAddForceAtRelPos(f->hands[RIGHT], load.x, load.y, load.z, 0.0, 0.0, -0.04);
        figure_step(f, DT);
    }
    return figure_hand(f, RIGHT);
}

Test(stance_forecast, miss_and_compliance_are_those_that_it_settles_to) {
    unsigned seed = 11;
    for (int k = 0; k < 6; k++) {
        FigureDef def = figure_def();
        def.stiffness = 2500.0;
        Figure f;
        figure_open(&f, def);
        figure_step(&f, DT);
        shuffle(&f, &seed);
        const PoisePointId hand = f.hand_points[RIGHT];
        const PoiseVec3 goal = poise_vec3(0.3 + 0.2 * uniform(&seed), -0.1 - 0.2 * uniform(&seed),
                                          0.9 + 0.4 * uniform(&seed));
        cr_assert_eq(poise_point_set_position(f.tree, hand, goal), POISE_OK);
        const PoiseVec3 rest = settled_hand(&f, poise_vec3(0.0, 0.0, 0.0));
        const double miss = poise_length(poise_sub(rest, goal));
        PoiseForecast forecast;
        cr_assert_eq(poise_rig_forecast(f.rig, hand, &forecast), POISE_OK);
        cr_expect(forecast.rests && !forecast.falls && !forecast.floats && !forecast.loose);
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

// what the ground cannot carry has no rest, and the forecast says why
Test(stance_forecast, a_rest_that_the_ground_cannot_carry_is_none) {
    FigureDef def = figure_def();
    def.friction = 0.05;
    Figure f;
    figure_open(&f, def);
    run(&f, 1.0);
    PoiseForecast forecast;
    const PoisePointId hand = f.hand_points[RIGHT];
    cr_assert_eq(poise_point_set_force(f.tree, hand, poise_vec3(15.0, 0.0, 0.0)), POISE_OK);
    cr_expect_eq(poise_rig_forecast(f.rig, hand, &forecast), POISE_OK);
    cr_expect(forecast.rests && forecast.yields && !forecast.falls);
    cr_assert_eq(poise_point_set_force(f.tree, hand, poise_vec3(60.0, 0.0, 0.0)), POISE_OK);
    cr_expect_eq(poise_rig_forecast(f.rig, hand, &forecast), POISE_NOT_CONVERGED);
    cr_expect(forecast.falls && !forecast.rests);
    cr_expect_eq(poise_rig_predicted_miss(f.rig, hand, NULL, NULL), POISE_NOT_CONVERGED);
    // its feet taken away it floats, and the forecast says what it takes for granted
    cr_assert_eq(poise_rig_remove_stance(f.rig, f.foot_points[LEFT]), POISE_OK);
    cr_assert_eq(poise_rig_remove_stance(f.rig, f.foot_points[RIGHT]), POISE_OK);
    (void)poise_rig_forecast(f.rig, hand, &forecast);
    cr_expect(forecast.floats && !forecast.falls);
    figure_close(&f);
}

// a forecast changes nothing of the rig: the steps after it are the same to the last bit
Test(stance_forecast, foreseeing_changes_nothing) {
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        Figure f;
        figure_open(&f, figure_def());
        cr_assert_eq(poise_point_set_force(f.tree, f.hand_points[LEFT], poise_vec3(0.0, 0.0, -5.0)),
                     POISE_OK);
        for (int i = 0; i < 100; i++) {
            PoiseForecast forecast;
            if (k == 1 && i == 50) {
                (void)poise_rig_forecast(f.rig, f.hand_points[RIGHT], &forecast);
            }
            figure_step(&f, DT);
        }
        hash[k] = poise_state_hash(f.bodies, FIGURE_BODIES);
        figure_close(&f);
    }
    cr_expect_eq(hash[0], hash[1]);
}
