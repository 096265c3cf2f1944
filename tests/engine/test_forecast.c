// SPDX-License-Identifier: MIT
// Forecasts of miss and compliance (sec. 5.1, section 4 of the method), compared with ODE's rest:
// random rigs (ten in tests/nightly) with two points each. Both references; weight fed forward or
// not; asked forces; the integral; points with some active rows only.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "fork.h"
#include "near.h"
#include "sample.h"
#include "works.h"

static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

// A compliance below this is 0, m/N; springs of these rigs give 1e-3.
static const double STIFF = 1e-6;
// Largest error of a row that is met, m and rad.
static const double STILL = 1e-6;

static void expect_compliance(const double measured[9], const double foreseen[9],
                              const char* what) {
    for (int axis = 0; axis < 3; axis++) {
        PoiseVec3 is = poise_vec3(measured[axis], measured[3 + axis], measured[6 + axis]);
        PoiseVec3 said = poise_vec3(foreseen[axis], foreseen[3 + axis], foreseen[6 + axis]);
        const double off = poise_length(poise_sub(is, said));
        cr_expect_leq(off, 0.01 * poise_length(said) + STIFF,
                      "%s, axis %d: (%g %g %g) m/N, not (%g %g %g)", what, axis, is.x, is.y, is.z,
                      said.x, said.y, said.z);
    }
}

// Compares the forecast of both points with ODE; false if a point does not press on its wall.
static bool expect_foreseen(const ForkDef* def) {
    Fork fork;
    fork_open(&fork, def);
    // the own posture follows yielding points, so it depends on the earlier motion
    if (def->wall && def->reference == POISE_REFERENCE_OWN) {
        (void)fork_settle(&fork, &fork.tips[0], poise_vec3(0.0, 0.0, 0.0));
        if (!fork_rests(&fork)) {
            fork_close(&fork);
            return false;
        }
    }
    PoiseForecast before[FORK_POINTS];
    for (int t = 0; t < FORK_POINTS; t++) {
        before[t] = foresee(fork.m.rig, fork.tips[t].point, 0.01);
        cr_expect_eq(before[t].end, POISE_FORECAST_SETTLES, "seed %d: %s", (int)def->seed,
                     before[t].why);
        cr_expect_eq(before[t].yields, fork.tips[t].on_wall);
    }
    (void)fork_settle(&fork, &fork.tips[0], poise_vec3(0.0, 0.0, 0.0));
    for (int t = 0; t < FORK_POINTS; t++) {
        const ForkTip* tip = &fork.tips[t];
        const double foreseen[4] = {before[t].miss, before[t].row_miss, before[t].angle_miss,
                                    before[t].row_angle_miss};
        const double measured[4] = {fork_miss(&fork, tip), fork_row_miss(&fork, tip),
                                    def->partial ? fork_angle_miss(&fork, tip) : 0.0,
                                    def->partial ? fork_row_angle_miss(&fork, tip) : 0.0};
        for (int i = 0; i < 4; i++) {
            cr_expect_leq(fabs(foreseen[i] - measured[i]), 0.01 * measured[i] + STILL,
                          "seed %d, reference %d, point %d: miss %d %g, not %g", (int)def->seed,
                          (int)def->reference, t, i, foreseen[i], measured[i]);
        }
    }
    for (int t = 0; t < FORK_POINTS; t++) {
        char what[64];
        snprintf(what, sizeof what, "seed %d, reference %d, point %d", (int)def->seed,
                 (int)def->reference, t);
        double measured[9];
        fork_compliance(&fork, &fork.tips[t], measured);
        expect_compliance(measured, before[t].compliance, what);
    }
    fork_close(&fork);
    return true;
}

typedef ForkDef RigOf(uint64_t seed);

// Compares `count` rigs, from a seed on, with a reference; returns how many press on their walls.
static int expect_rigs(RigOf* rig_of, PoiseReference reference, int first, int count) {
    int pressing = 0;
    for (int i = 0; i < count; i++) {
        ForkDef def = rig_of((uint64_t)(first + i));
        def.reference = reference;
        pressing += expect_foreseen(&def);
    }
    return pressing;
}

// Compares ten rigs with each reference; a sample has the rig of seed 3 with the first reference,
// and of seed 4 with the second.
static void expect_sample(RigOf* rig_of) {
    const int count = sample_of(1, 10);
    for (int r = 0; r < 2; r++) {
        (void)expect_rigs(rig_of, references[r], count == 1 ? 3 + r : 1, count);
    }
}

static ForkDef loaded(uint64_t seed) {
    return (ForkDef){.seed = seed, .unfed = seed % 2 == 1, .presses = seed % 3 == 0};
}

Test(forecast, miss_and_compliance_of_random_rigs) {
    expect_sample(loaded);
}

static ForkDef integrated(uint64_t seed) {
    return (ForkDef){.seed = seed,
                     .unfed = true,
                     .hangs = true,
                     .integral = 1.0,
                     .integral_most = seed % 2 == 1 ? 1.0 : 0.02};
}

// The weight is not fed forward: the integral carries all of it, or its bound. If it carries all,
// no load moves the point.
Test(forecast, the_integral_of_random_rigs_is_foreseen) {
    expect_sample(integrated);
}

static ForkDef on_a_wall(uint64_t seed) {
    return (ForkDef){.seed = seed, .wall = true};
}

// The wall holds the point along the force, the springs across it. Some rigs do not rest on it in
// own-posture mode: they press along a straight arm, or creep.
Test(forecast, points_that_press_on_a_wall_of_random_rigs) {
    const int count = sample_of(1, 14);
    for (int r = 0; r < 2; r++) {
        const int pressing = expect_rigs(on_a_wall, references[r], count == 1 ? 2 + r : 1, count);
        cr_expect_geq(7 * pressing, 5 * count, "reference %d: %d of %d", r, pressing, count);
    }
}

static ForkDef in_some_rows(uint64_t seed) {
    ForkDef def = loaded(seed);
    def.partial = true;
    return def;
}

// Only some rows of the points are active, along and about the axes of the world, link or goal.
Test(forecast, points_that_count_in_some_rows_of_random_rigs) {
    expect_sample(in_some_rows);
}

// A forecast of both points has the same bits as two calls.
Test(forecast, a_forecast_of_two_points_has_the_bits_of_two_forecasts) {
    const bool whole = sample_of(0, 1) == 1;
    for (uint64_t seed = whole ? 1 : 4; seed <= 10; seed += whole ? 1 : 6) {
        for (int r = 0; r < 2; r++) {
            Fork fork;
            fork_open(&fork, &(ForkDef){.seed = seed,
                                        .reference = references[r],
                                        .unfed = seed % 2 == 1,
                                        .presses = seed % 3 == 0,
                                        .wall = seed % 4 == 0,
                                        .partial = seed % 5 == 0});
            PoisePointId points[FORK_POINTS];
            PoiseForecast both[FORK_POINTS];
            for (int t = 0; t < FORK_POINTS; t++) {
                points[t] = fork.tips[t].point;
            }
            PoiseForecastDef def = {.points = points,
                                    .count = FORK_POINTS,
                                    .step = 0.01,
                                    .seconds = 300.0,
                                    .budget = 1e3};
            cr_assert_eq(poise_rig_forecast(fork.m.rig, &def, both), POISE_OK);
            for (int t = 0; t < FORK_POINTS; t++) {
                const PoiseForecast alone = foresee(fork.m.rig, points[t], 0.01);
                cr_expect_eq(memcmp(&alone, &both[t], sizeof alone), 0,
                             "seed %d, reference %d, point %d: miss %.17g, alone %.17g", (int)seed,
                             r, t, both[t].miss, alone.miss);
            }
            fork_close(&fork);
        }
    }
}

// ------------------------------------------------------------------------- where it is not defined

static bool is_clean(const PoiseForecast* forecast) {
    return isfinite(forecast->miss) && isfinite(forecast->angle_miss);
}

// Opens four bent hinges in a plane, with given springs.
static void open_planar(Mechanism* m, PoiseReference reference, const double stiffness[4],
                        double original) {
    static const double headings[4] = {0.4, 1.3, 2.0, 1.0};
    mechanism_open(m, poise_vec3(0.0, -9.81, 0.0), reference);
    dBodyID before = NULL;
    PoiseVec3 at = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; i++) {
        PoiseVec3 link = poise_vec3(cos(headings[i]), sin(headings[i]), 0.0);
        PoiseBindDef like = mechanism_springs(stiffness[i], 0.1 * stiffness[i]);
        like.original.stiffness = original;
        const LinkDef def = {.parent = before,
                             .kind = POISE_NODE_HINGE,
                             .pivot = {.anchor = at},
                             .at = poise_add_scaled(at, 0.5, link),
                             .like = &like};
        before = mechanism_link(m, &def);
        at = poise_add(at, link);
    }
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, at);
}

static PoiseForecast forecast_of(Mechanism* m) {
    const PoiseForecast forecast = mechanism_foresee(m, 0.01);
    cr_expect(is_clean(&forecast));
    return forecast;
}

static const double even[4] = {1000.0, 1000.0, 1000.0, 1000.0};
static const double uneven[4] = {3000.0, 300.0, 1000.0, 500.0};

// Measured reference without p_orig: no spring holds the null space. If the springs are equal, the
// compliance is that of the own posture. If not, the arm creeps under any load, so the compliance
// is unknown.
Test(forecast, a_measured_reference_without_a_natural_posture_is_reported) {
    Mechanism m;
    open_planar(&m, POISE_REFERENCE_OWN, even, 0.0);
    PoiseForecast own = forecast_of(&m);
    cr_expect_eq(own.end, POISE_FORECAST_SETTLES, "%s", own.why);
    mechanism_close(&m);
    open_planar(&m, POISE_REFERENCE_MEASURED, even, 0.0);
    PoiseForecast measured = forecast_of(&m);
    cr_expect_eq(measured.end, POISE_FORECAST_SETTLES, "%s", measured.why);
    for (int i = 0; i < 9; i++) {
        EXPECT_NEAR(measured.compliance[i], own.compliance[i], 1e-3 * own.compliance[0]);
    }
    mechanism_close(&m);
    open_planar(&m, POISE_REFERENCE_MEASURED, uneven, 0.0);
    PoiseForecast creeping = forecast_of(&m);
    cr_expect_eq(creeping.end, POISE_FORECAST_SETTLES, "%s", creeping.why);
    cr_expect(isnan(creeping.compliance[0]));
    mechanism_close(&m);
    open_planar(&m, POISE_REFERENCE_MEASURED, uneven, 50.0);
    PoiseForecast held = forecast_of(&m);
    cr_expect(held.end == POISE_FORECAST_SETTLES && isfinite(held.compliance[0]));
    mechanism_close(&m);
}

Test(forecast, a_joint_without_a_spring_says_so) {
    const double soft[4] = {1000.0, 0.0, 1000.0, 1000.0};
    for (int r = 0; r < 2; r++) {
        Mechanism m;
        open_planar(&m, references[r], soft, 0.0);
        // no load moves the joint: an estimate
        dWorldSetGravity(m.world, 0.0, 0.0, 0.0);
        PoiseForecast forecast = forecast_of(&m);
        cr_expect_eq(forecast.end, POISE_FORECAST_ESTIMATE, "%d", r);
        cr_expect(strstr(forecast.why, "without a spring"), "%s", forecast.why);
        // without compensation of gravity its weight lets the joint swing forever
        RIG_SET(m.rig, gravity, false);
        dWorldSetGravity(m.world, 0.0, -9.81, 0.0);
        forecast = forecast_of(&m);
        cr_expect_eq(forecast.end, POISE_FORECAST_MOVES, "%d: %s", r, forecast.why);
        mechanism_close(&m);
    }
}

static void open_soft(Mechanism* m, int count, double original, PoiseVec3 gravity) {
    ChainDef def = chain_def(POISE_NODE_HINGE, count, 800.0, 40.0);
    def.reference = POISE_REFERENCE_MEASURED;
    def.gravity = gravity;
    def.like.original = (PoiseSpring){original, 0.1 * original};
    chain_open(m, &def);
    RIG_SET(m->rig, gravity, false);
}

// The null space goes to the natural posture at the posture rate: this arm would be still after
// 33 s. The copy is set to the end of this creep, and then has to rest by itself.
Test(forecast, a_forecast_skips_the_creep_of_the_null_space) {
    Mechanism m;
    open_planar(&m, POISE_REFERENCE_OWN, uneven, 50.0);
    RIG_SET(m.rig, posture_rate, 0.01);
    mechanism_goal(&m, poise_add(mechanism_tip(&m), poise_vec3(-0.1, -0.6, 0.0)));
    const PoiseForecast forecast = forecast_of(&m);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
    cr_expect_leq(forecast.seconds, 15.0, "%g s", forecast.seconds);
    mechanism_run(&m, 0.01, 6000);
    EXPECT_NEAR(forecast.miss, mechanism_error(&m), 1e-6);
    mechanism_close(&m);
}

// Fills the unit vector of the null space of a planar arm of three unit links.
static void null_vector(const double q[3], double t[3]) {
    double jx[3] = {0.0}, jy[3] = {0.0}, heading = 0.0;
    for (int k = 0; k < 3; k++) {
        heading += q[k];
        for (int i = 0; i <= k; i++) {
            jx[i] -= sin(heading);
            jy[i] += cos(heading);
        }
    }
    for (int i = 0; i < 3; i++) {
        t[i] = jx[(i + 1) % 3] * jy[(i + 2) % 3] - jx[(i + 2) % 3] * jy[(i + 1) % 3];
    }
    const double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int i = 0; i < 3; i++) {
        t[i] /= length;
    }
}

// Adds an arm whose own posture begins at `off` rad from the one that is farthest from its natural
// posture: a fixed point of the solve, which the creep leaves. The natural posture lies `far`
// radii of curvature from there.
static void add_balanced_arm(Mechanism* m, double off, double far) {
    static const double at[3] = {0.2, 0.3, 0.4};
    double t[3], ahead[3], back[3], angles[3], turn[3], square = 0.0;
    PoiseBindDef likes[3];
    null_vector(at, t);
    for (int i = 0; i < 3; i++) {
        ahead[i] = at[i] + 1e-4 * t[i];
        back[i] = at[i] - 1e-4 * t[i];
    }
    null_vector(ahead, turn);
    null_vector(back, angles);
    for (int i = 0; i < 3; i++) {
        turn[i] = (turn[i] - angles[i]) / 2e-4;
        square += turn[i] * turn[i];
    }
    for (int i = 0; i < 3; i++) {
        angles[i] = at[i] + off * t[i];
        likes[i] = mechanism_springs(1000.0, 50.0);
        likes[i].original = (PoiseSpring){300.0 + 200.0 * i, 30.0};
        likes[i].natural[0] = at[i] + far * turn[i] / square;
    }
    mechanism_planar(m, angles, likes);
}

// The first arm creeps far before it rests. Newton steps would take the second arm to an unstable
// fixed point.
Test(forecast, a_creep_never_ends_at_an_unstable_equilibrium) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
    add_balanced_arm(&m, 0.5, -1.0);
    add_balanced_arm(&m, 1e-5, 2.0);
    RIG_SET(m.rig, posture_rate, 0.01);
    const PoiseForecast forecast = forecast_of(&m);
    mechanism_run(&m, 0.01, 6000);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
    EXPECT_NEAR(forecast.miss, mechanism_error(&m), 1e-6);
    mechanism_close(&m);
}

// Soft springs hold the null space only weakly, so the motion to rest is long.
Test(forecast, rests_of_soft_springs_are_foreseen) {
    static const struct {
        int count;
        double original;
        PoiseVec3 goal;
    } rows[] = {{3, 1.0, {-2.0, 1.0, 0.0}},
                {3, 2.0, {0.0, 0.0, 0.0}},
                {4, 1.0, {2.0, 2.0, 0.0}},
                {4, 2.0, {0.0, -2.0, 0.0}},
                // far from the goal, where the swinging of the bodies decides the side
                {4, 1.0, {0.5, -3.5, 0.0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += 4 / (size_t)sample_of(1, 4)) {
        Mechanism m;
        open_soft(&m, rows[i].count, rows[i].original, poise_vec3(0.0, -9.8, 0.0));
        mechanism_goal(&m, rows[i].goal);
        const PoiseForecast forecast = forecast_of(&m);
        cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%zu: %s", i, forecast.why);
        mechanism_run(&m, 0.01, 20000);
        EXPECT_NEAR(forecast.miss, mechanism_error(&m), 0.01 * mechanism_error(&m));
        mechanism_close(&m);
    }
}

// If a joint without a spring swings forever, the forecast does not settle.
Test(forecast, a_joint_without_a_spring_among_soft_ones) {
    const PoiseSpring none = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        Mechanism m;
        open_soft(&m, 4, 1.0, poise_vec3(0.0, 0.0, 0.0));
        const PoiseNodeId node = poise_tree_node(m.tree, 2 + i);
        WORKS(poise_rig_set_ik(m.rig, node, none));
        WORKS(poise_rig_set_original(m.rig, node, none));
        mechanism_goal(&m, i == 0 ? poise_vec3(0.0, 3.0, 0.0) : poise_vec3(2.0, 1.0, 0.0));
        const PoiseForecast forecast = forecast_of(&m);
        cr_expect_eq(forecast.end, POISE_FORECAST_MOVES, "%d: %s", i, forecast.why);
        mechanism_close(&m);
    }
}

// Along the force the contact holds the point; across it the springs yield.
Test(forecast, forecasts_of_a_pressing_point) {
    for (int r = 0; r < 2; r++) {
        Mechanism m;
        open_planar(&m, references[r], uneven, 50.0);
        PoiseVec3 goal = mechanism_tip(&m);
        goal.x -= 0.02;
        mechanism_goal(&m, goal);
        cr_assert_eq(poise_point_set_force(m.tree, m.point, poise_vec3(20.0, 0.0, 0.0)), POISE_OK);
        PoiseForecast forecast = forecast_of(&m);
        cr_expect(forecast.end == POISE_FORECAST_SETTLES && forecast.yields, "%s", forecast.why);
        // no part of the natural spring's pull acts on the point
        EXPECT_NEAR(forecast.miss, 0.0, 1e-3);
        EXPECT_NEAR(forecast.compliance[0], 0.0, 1e-9);
        cr_expect_gt(forecast.compliance[4], 1e-5);
        mechanism_close(&m);
    }
}

// The limit is too weak for the weight: the forecast finds no rest.
Test(forecast, a_forecast_without_a_rest_says_so) {
    Mechanism m;
    open_planar(&m, POISE_REFERENCE_OWN, even, 0.0);
    for (int i = 0; i < 4; i++) {
        PoiseNodeId node = poise_tree_node(m.tree, i);
        cr_assert_eq(poise_rig_set_torque_limit(m.rig, node, 1.0), POISE_OK);
    }
    const PoiseForecast forecast = forecast_of(&m);
    // it may hang at rest, but far from its goal
    cr_expect(forecast.end == POISE_FORECAST_MOVES || forecast.miss > 0.5);
    mechanism_close(&m);
}

// A forecast in slices of a small budget has the result of one call. A change between two slices
// restarts it.
Test(forecast, slices_of_a_budget_give_the_forecast_of_one_call) {
    Mechanism m;
    open_planar(&m, POISE_REFERENCE_OWN, uneven, 50.0);
    const PoiseVec3 tip = mechanism_tip(&m);
    mechanism_goal(&m, poise_vec3(tip.x - 0.2, tip.y, tip.z));
    const PoiseForecast whole = forecast_of(&m);
    PoiseForecastDef def = {
        .points = &m.point, .count = 1, .step = 0.01, .seconds = 300.0, .budget = 1e-3};
    PoiseForecast part;
    int calls = 1;
    double before = 0.0;
    while (poise_rig_forecast(m.rig, &def, &part) == POISE_NOT_CONVERGED && calls < 1000) {
        cr_expect_eq(part.end, POISE_FORECAST_MOVES);
        cr_expect_gt(part.seconds, before);
        before = part.seconds;
        calls++;
    }
    cr_expect_gt(calls, 3);
    cr_expect_eq(memcmp(&part, &whole, sizeof whole), 0, "%g m, not %g", part.miss, whole.miss);
    cr_expect_eq(poise_rig_forecast(m.rig, &def, &part), POISE_NOT_CONVERGED);
    const double first = part.seconds;
    mechanism_goal(&m, poise_vec3(tip.x - 0.1, tip.y, tip.z));
    cr_expect_eq(poise_rig_forecast(m.rig, &def, &part), POISE_NOT_CONVERGED);
    cr_expect_eq(part.seconds, first);
    // a step larger than the budget makes no copy
    def.budget = 1e-9;
    cr_expect_eq(poise_rig_forecast(m.rig, &def, &part), POISE_OK);
    cr_expect(part.end == POISE_FORECAST_NO_COPY && strstr(part.why, "budget"), "%s", part.why);
    mechanism_close(&m);
}
