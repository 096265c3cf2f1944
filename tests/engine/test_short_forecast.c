// SPDX-License-Identifier: MIT
// Each request for memory of a forecast fails in its turn: it says so, or foresees what it does
// with memory, and nothing is left.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "linkage.h"
#include "poise/forecast.h"

enum { REQUESTS = 4000 };
static const double STEP = 0.01;

// the same number, or none in both
static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

// what was foreseen, without what is beside its numbers in memory
static bool are_alike(const PoiseForecast* a, const PoiseForecast* b) {
    bool alike = is_same(a->miss, b->miss) && is_same(a->angle_miss, b->angle_miss) &&
                 a->rests == b->rests && a->limited == b->limited;
    for (int i = 0; i < 9; i++) {
        alike = alike && is_same(a->compliance[i], b->compliance[i]);
    }
    return alike;
}

// the forecast with the n-th request failing, for one of `every` n; returns how many fail
static int foresee_each(TestHost* host, PoiseRig* rig, PoisePointId point, int every) {
    PoiseForecast whole;
    host->fail_in = 0;
    // what is made once and kept is made
    cr_assert_geq(poise_rig_forecast(rig, point, &whole), POISE_OK, "%s", poise_rig_message(rig));
    const long blocks = host->live_blocks;
    int failures = 0;
    for (long n = 1; n < REQUESTS; n += every) {
        PoiseForecast now;
        host->fail_in = n;
        const PoiseStatus status = poise_rig_forecast(rig, point, &now);
        const bool failed = host->fail_in == 0;
        host->fail_in = 0;
        cr_expect(status >= 0 || status == POISE_ERROR_OUT_OF_MEMORY, "request %ld: %s", n,
                  poise_rig_message(rig));
        cr_expect(status < 0 || are_alike(&now, &whole), "request %ld: another forecast", n);
        cr_expect_eq(host->live_blocks, blocks, "request %ld: %ld blocks are left", n,
                     host->live_blocks - blocks);
        poise_rig_clear_status(rig);
        if (!failed) {
            break;
        }
        failures += status < 0;
    }
    return failures;
}

typedef void Open(Mechanism* m, const LinkageDef* def);

static void foresee_linkage(Open* open, int body, PoiseVec3 place, double limit, int every) {
    LinkageDef def = linkage_def(800.0, 40.0);
    def.gravity = poise_vec3(0.0, 0.0, -9.8);
    def.like.torque_limit = limit;
    Mechanism m;
    open(&m, &def);
    linkage_point(&m, body, place);
    cr_assert_eq(poise_point_set_force(m.tree, m.point, poise_vec3(0.0, 0.0, 5.0)), POISE_OK);
    mechanism_run(&m, STEP, 3);
    cr_expect_gt(foresee_each(&m.host, m.rig, m.point, every), 0);
    mechanism_close(&m);
}

Test(short_forecast, forecasts_of_loops) {
    const PoiseVec3 corner = poise_vec3(0.7, 0.0, 1.4);
    foresee_linkage(five_bar_open, 2, corner, HUGE_VAL, 1);
    foresee_linkage(gripper_open, 1, poise_vec3(0.0, 0.0, 1.0), HUGE_VAL, 1);
    // a limit that is touched, so that the way is rehearsed
    foresee_linkage(five_bar_open, 2, corner, 3.0, 5);
}

Test(short_forecast, forecasts_of_a_standing_figure) {
    Figure figure;
    FigureDef def = figure_def();
    def.points = true;
    def.ground = true;
    figure_open(&figure, def);
    for (int i = 0; i < 20; i++) {
        figure_step(&figure, STEP);
    }
    cr_expect_gt(foresee_each(&figure.host, figure.rig, figure.hand_points[0], 1), 0);
    figure_close(&figure);
}
