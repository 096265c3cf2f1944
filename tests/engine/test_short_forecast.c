// SPDX-License-Identifier: MIT
// Each allocation of a forecast fails in turn: the forecast reports it, or gives the result with
// memory, and no block is left.
#include <criterion/criterion.h>
#include <math.h>

#include "box_person.h"
#include "linkage.h"
#include "poise/forecast.h"
#include "sample.h"
#include "works.h"

// Later allocations: every SPARSE-th in each run, all with POISE_WHOLE.
enum { FIRST = 60, REQUESTS = 4000, SPARSE = 12 };
static const double STEP = 0.01;

// True for equal numbers, and for two NANs.
static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

// True if two forecasts have the same figures; their padding may differ.
static bool are_same(const PoiseForecast* a, const PoiseForecast* b) {
    bool same = is_same(a->miss, b->miss) && is_same(a->angle_miss, b->angle_miss) &&
                a->end == b->end && a->limited == b->limited;
    for (int i = 0; i < 9; i++) {
        same = same && is_same(a->compliance[i], b->compliance[i]);
    }
    return same;
}

// Repeats a forecast whose n-th allocation fails: first each n up to FIRST, then one n of
// every SPARSE * `every`, until no allocation fails. Returns how many forecasts fail.
static int foresee_def(TestHost* host, PoiseRig* rig, const PoiseForecastDef* def, int every) {
    PoiseForecast whole;
    host->fail_in = 0;
    // memory that is allocated once and kept is there now
    cr_assert_geq(poise_rig_forecast(rig, def, &whole), POISE_OK, "%s", poise_rig_message(rig));
    const long blocks = host->live_blocks;
    int failures = 0;
    const int stride = every * SPARSE / sample_of(1, SPARSE);
    for (long n = 1; n < REQUESTS; n += n < FIRST ? 1 : stride) {
        PoiseForecast now;
        host->fail_in = n;
        const PoiseStatus status = poise_rig_forecast(rig, def, &now);
        const bool failed = host->fail_in == 0;
        host->fail_in = 0;
        cr_expect(status >= 0 || status == POISE_ERROR_OUT_OF_MEMORY, "request %ld: %s", n,
                  poise_rig_message(rig));
        cr_expect(status < 0 || are_same(&now, &whole), "request %ld: another forecast", n);
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

static int foresee_each(TestHost* host, PoiseRig* rig, PoisePointId point, int every) {
    const PoiseForecastDef def = {.points = &point, .count = 1, .seconds = 0.5, .budget = 1e3};
    return foresee_def(host, rig, &def, every);
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
    cr_expect_gt(foresee_each(&figure.m.host, figure.m.rig, figure.hand_points[0], 1), 0);
    figure_close(&figure);
}

// A head on two rails with its goal to the side. A box welded to the head presses on a wall with
// friction.
Test(short_forecast, forecasts_with_friction) {
    const PoiseVec3 up = {0.0, 0.0, 1.0}, size = {0.1, 0.1, 0.1}, origin = {0.0, 0.0, 0.0};
    Mechanism m;
    mechanism_open(&m, origin, POISE_REFERENCE_OWN);
    dBodyID carriage = mechanism_box(&m, origin, size, 1.0);
    dBodyID head = mechanism_box(&m, origin, size, 1.0);
    (void)mechanism_join(&m, POISE_NODE_SLIDER, carriage, NULL,
                         pivot(origin, poise_vec3(1.0, 0.0, 0.0)));
    (void)mechanism_join(&m, POISE_NODE_SLIDER, head, carriage, pivot(origin, up));
    mechanism_weld(&m, mechanism_box(&m, poise_vec3(0.0, 0.0, 0.1), size, 0.1), head);
    const PoiseBindDef like = mechanism_springs(1000.0, 400.0);
    cr_assert_eq(poise_rig_import(m.rig, carriage, &like), 2);
    (void)linkage_point(&m, 1, origin);
    WORKS(poise_point_set_force(m.tree, m.point, poise_scale(20.0, up)));
    mechanism_goal(&m, poise_vec3(0.05, 0.0, 0.0));
    const PoiseWall wall = {m.point, poise_scale(-1.0, up), 0.8, NULL, 0.0};
    const PoiseForecastDef def = {.points = &m.point,
                                  .count = 1,
                                  .walls = &wall,
                                  .wall_count = 1,
                                  .seconds = 0.5,
                                  .budget = 1e3};
    cr_expect_gt(foresee_def(&m.host, m.rig, &def, 1), 20);
    mechanism_close(&m);
}

// Opens three hinges, the last without a spring. A natural posture and a weight that is not fed
// forward pull them off their goal.
static void open_sagging(Mechanism* m, PoiseReference reference, double limit) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 40.0);
    def.reference = reference;
    def.gravity = poise_vec3(0.0, -9.8, 0.0);
    const double p = reference == POISE_REFERENCE_OWN ? 100.0 : 0.1;
    def.like.original = (PoiseSpring){p, 0.1 * p};
    def.like.torque_limit = limit;
    chain_open(m, &def);
    RIG_SET(m->rig, gravity, false);
    mechanism_goal(m, reference == POISE_REFERENCE_OWN ? poise_vec3(1.0, 2.5, 0.0)
                                                       : poise_vec3(3.0, 2.0, 0.0));
}

Test(short_forecast, forecasts_by_either_reference) {
    static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};
    for (int i = 0; i < 4; i++) {
        Mechanism m;
        open_sagging(&m, references[i % 2], i < 2 ? HUGE_VAL : 15.0);
        if (i % 2 == 1) {
            // the springs do not carry the weight in the null space
            WORKS(
                poise_rig_set_original(m.rig, poise_tree_node(m.tree, 1), (PoiseSpring){0.0, 0.0}));
        }
        mechanism_run(&m, STEP, 3);
        cr_expect_gt(foresee_each(&m.host, m.rig, m.point, i < 2 ? 1 : 3), 10, "%d", i);
        mechanism_close(&m);
    }
}

// Long enough for the search for the end of the null space's creep.
Test(short_forecast, every_request_of_forecasts_that_end_a_creep_may_fail) {
    Mechanism m;
    open_sagging(&m, POISE_REFERENCE_OWN, HUGE_VAL);
    RIG_SET(m.rig, posture_rate, 0.01);
    mechanism_run(&m, STEP, 3);
    const PoiseForecastDef def = {.points = &m.point, .count = 1, .seconds = 2.0, .budget = 1e3};
    cr_expect_gt(foresee_def(&m.host, m.rig, &def, 1), 20);
    mechanism_close(&m);
}

// Each call that reads the changed sets fails while memory for a new point is refused, and works
// once it is granted.
Test(short_forecast, calls_without_memory_for_a_new_point_fail_once) {
    Mechanism m;
    open_sagging(&m, POISE_REFERENCE_OWN, HUGE_VAL);
    WORKS(poise_point_set_force(m.tree, m.point, poise_vec3(5.0, 0.0, 0.0)));
    mechanism_run(&m, STEP, 3);
    const PoiseForecastDef asked = {.points = &m.point, .count = 1, .seconds = 0.5, .budget = 1e3};
    for (int call = 0; call < 2; call++) {
        PoiseForecast forecast;
        const PoisePointDef def = poise_default_position_def();
        PoisePointDef more = def;
        more.link = poise_tree_node(m.tree, 0);
        GETS(poise_point_create(m.tree, &more).index1);
        for (int fails = 1; fails >= 0; fails--) {
            m.host.fail_in = fails;
            const PoiseStatus status = call == 0 ? poise_rig_forecast(m.rig, &asked, &forecast)
                                                 : poise_rig_take_posture(m.rig);
            cr_expect_eq(status, fails ? POISE_ERROR_OUT_OF_MEMORY : POISE_OK, "call %d: %s", call,
                         poise_rig_message(m.rig));
            m.host.fail_in = 0;
        }
    }
    mechanism_close(&m);
}
