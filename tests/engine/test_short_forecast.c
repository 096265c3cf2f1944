// SPDX-License-Identifier: MIT
// Each request for memory of a forecast fails in its turn: it says so, or foresees what it does
// with memory, and nothing is left.
#include <criterion/criterion.h>
#include <math.h>

#include "figure.h"
#include "linkage.h"
#include "poise/forecast.h"
#include "sample.h"
#include "works.h"

// later requests: one of SPARSE in each run, all with POISE_WHOLE
enum { FIRST = 60, REQUESTS = 4000, SPARSE = 12 };
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

// the forecast, with the n-th request failing for each of the first and one of `every` n; returns
// how many fail
static int foresee_def(TestHost* host, PoiseRig* rig, const PoiseForecastDef* def, int every) {
    PoiseForecast whole;
    host->fail_in = 0;
    // what is made once and kept is made
    cr_assert_geq(poise_rig_foresee(rig, def, &whole), POISE_OK, "%s", poise_rig_message(rig));
    const long blocks = host->live_blocks;
    int failures = 0;
    const int stride = every * SPARSE / sample_of(1, SPARSE);
    for (long n = 1; n < REQUESTS; n += n < FIRST ? 1 : stride) {
        PoiseForecast now;
        host->fail_in = n;
        const PoiseStatus status = poise_rig_foresee(rig, def, &now);
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

static int foresee_each(TestHost* host, PoiseRig* rig, PoisePointId point, int every) {
    const PoiseForecastDef def = {&point, 1, NULL, 0, 0.0};
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

// two rails to a goal beside, with a box welded to the head, which presses on a wall with friction:
// ways beside the own one are rehearsed too
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
    const PoiseForecastDef def = {&m.point, 1, &wall, 1, 0.0};
    cr_expect_gt(foresee_def(&m.host, m.rig, &def, 1), 50);
    mechanism_close(&m);
}

// three hinges, the last without a spring, pulled off their goal by a natural posture and a weight
// that nothing feeds forward
static void open_sagging(Mechanism* m, PoiseReference reference, double limit) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 40.0);
    def.reference = reference;
    def.gravity = poise_vec3(0.0, -9.8, 0.0);
    // measured, what holds the null space is so soft that it comes to rest by Newton's steps alone
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
            // a weight that nothing opposes in the null space
            WORKS(
                poise_rig_set_original(m.rig, poise_tree_node(m.tree, 1), (PoiseSpring){0.0, 0.0}));
        }
        mechanism_run(&m, STEP, 3);
        cr_expect_gt(foresee_each(&m.host, m.rig, m.point, i < 2 ? 1 : 3), 10, "%d", i);
        mechanism_close(&m);
    }
}

// a rest that Newton's steps alone come to
Test(short_forecast, forecasts_that_soft_springs_hold) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 40.0);
    def.reference = POISE_REFERENCE_MEASURED;
    def.gravity = poise_vec3(0.0, -9.8, 0.0);
    def.like.original = (PoiseSpring){1.0, 0.1};
    Mechanism m;
    chain_open(&m, &def);
    RIG_SET(m.rig, gravity, false);
    mechanism_goal(&m, poise_vec3(-2.0, 1.0, 0.0));
    cr_expect_gt(foresee_each(&m.host, m.rig, m.point, 1), 5);
    mechanism_close(&m);
}

// what cannot be rehearsed, for a stopped universal joint hangs on it: other ways to a rest are
// gone
Test(short_forecast, forecasts_without_a_rehearsal) {
    Mechanism m;
    open_sagging(&m, POISE_REFERENCE_OWN, 15.0);
    dBodyID other = mechanism_box(&m, poise_vec3(0.0, 3.6, 0.0), poise_vec3(0.2, 1.0, 0.2), 0.1);
    dJointID joint = mechanism_universal(m.world, other, m.bodies[2], other, 0.0);
    dJointSetUniversalParam(joint, dParamLoStop1, -2.0);
    dJointSetUniversalParam(joint, dParamHiStop1, 2.0);
    cr_expect_gt(foresee_each(&m.host, m.rig, m.point, 1), 10);
    mechanism_close(&m);
}

// likewise a loop, and a slider
Test(short_forecast, loops_and_sliders_without_a_rehearsal) {
    for (int i = 0; i < 2; i++) {
        LinkageDef def = linkage_def(800.0, 40.0);
        def.gravity = poise_vec3(0.0, 0.0, -9.8);
        def.like.torque_limit = 1.0;
        def.like.force_limit = 3.0;
        def.like.ik_linear = def.like.ik;
        Mechanism m;
        if (i == 0) {
            five_bar_open(&m, &def);
            linkage_point(&m, 2, poise_vec3(0.7, 0.0, 1.4));
        } else {
            const PoiseVec3 size = {0.1, 0.1, 0.1}, up = {0.0, 0.0, 1.0};
            mechanism_open(&m, def.gravity, POISE_REFERENCE_OWN);
            dBodyID box = mechanism_box(&m, up, size, 1.0);
            mechanism_join(&m, POISE_NODE_SLIDER, box, NULL, pivot(up, up));
            cr_assert_eq(poise_rig_import(m.rig, box, &def.like), 1);
            linkage_point(&m, 0, up);
        }
        RIG_SET(m.rig, gravity, false);
        dBodyID other = mechanism_box(&m, poise_vec3(0.0, 0.0, 5.0), poise_vec3(1, 1, 1), 0.1);
        dJointID joint = mechanism_universal(m.world, other, m.bodies[0], other, 5.0);
        dJointSetUniversalParam(joint, dParamLoStop1, -2.0);
        dJointSetUniversalParam(joint, dParamHiStop1, 2.0);
        PoiseForecast forecast;
        cr_assert_geq(poise_rig_forecast(m.rig, m.point, &forecast), POISE_OK);
        cr_expect(forecast.tied && forecast.held_back, "%d", i);
        cr_expect_gt(foresee_each(&m.host, m.rig, m.point, i == 0 ? 5 : 1), 5, "%d", i);
        mechanism_close(&m);
    }
}

// each call that reads the tree's sets anew fails where a point that came since finds no room, and
// goes on once there is some
Test(short_forecast, a_point_that_came_since) {
    Mechanism m;
    open_sagging(&m, POISE_REFERENCE_OWN, HUGE_VAL);
    WORKS(poise_point_set_force(m.tree, m.point, poise_vec3(5.0, 0.0, 0.0)));
    mechanism_run(&m, STEP, 3);
    for (int call = 0; call < 3; call++) {
        PoiseForecast forecast;
        const PoisePointDef def = poise_default_position_def();
        PoisePointDef more = def;
        more.link = poise_tree_node(m.tree, 0);
        GETS(poise_point_create(m.tree, &more).index1);
        for (int fails = 1; fails >= 0; fails--) {
            m.host.fail_in = fails;
            const PoiseStatus status = call == 0 ? poise_rig_forecast(m.rig, m.point, &forecast)
                                       : call == 1
                                           ? poise_rig_take_posture(m.rig)
                                           : poise_rig_predicted_miss(m.rig, m.point, NULL, NULL);
            cr_expect_eq(status, fails ? POISE_ERROR_OUT_OF_MEMORY : POISE_OK, "call %d: %s", call,
                         poise_rig_message(m.rig));
            m.host.fail_in = 0;
        }
    }
    mechanism_close(&m);
}
