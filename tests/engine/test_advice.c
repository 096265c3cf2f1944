// SPDX-License-Identifier: MIT
// The advice on springs that do not suit their inertia. Oracles: inertias in closed form, and ODE's
// motion of the joint with the present and the proposed springs.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"

static const double STEP = 0.01;

// Opens two bars of 1 m and 3 kg in a row along x, on hinges about z (or a ball, a slider along x).
static void open_bars(Mechanism* m, PoiseNodeKind kind, PoiseSpring spring) {
    mechanism_open(m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
    dBodyID before = NULL;
    for (int i = 0; i < 2; i++) {
        const PoiseBindDef like = mechanism_springs(spring.stiffness, spring.damping);
        const LinkDef link = {
            .parent = before,
            .kind = kind,
            .pivot = {{i, 0.0, 0.0}, {kind == POISE_NODE_SLIDER, 0.0, kind != POISE_NODE_SLIDER}},
            .at = {i + 0.5, 0.0, 0.0},
            .size = {1.0, 0.1, 0.2},
            .mass = 3.0,
            .like = &like};
        before = mechanism_link(m, &link);
    }
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, poise_vec3(2.0, 0.0, 0.0));
}

static PoiseSpringAdvice advice_for(PoiseNodeKind kind, PoiseSpring spring, int joint) {
    Mechanism m;
    open_bars(&m, kind, spring);
    PoiseSpringAdvice advice;
    cr_assert_eq(poise_rig_advise(m.rig, poise_tree_node(m.tree, joint), STEP, &advice), POISE_OK);
    mechanism_close(&m);
    return advice;
}

Test(advice, inertia_is_that_of_all_links_behind_the_joint) {
    const PoiseSpring spring = {1000.0, 100.0};
    // bars of length a with the centre at the distance r: m ((a^2 + b^2) / 12 + r^2)
    const double bar = 3.0 * (1.0 + 0.01) / 12.0;
    const double both = 2.0 * bar + 3.0 * (0.25 + 2.25);
    EXPECT_NEAR(advice_for(POISE_NODE_HINGE, spring, 0).inertia, both, 1e-12);
    EXPECT_NEAR(advice_for(POISE_NODE_HINGE, spring, 1).inertia, bar + 0.75, 1e-12);
    EXPECT_NEAR(advice_for(POISE_NODE_SLIDER, spring, 0).inertia, 6.0, 1e-12);
    PoiseSpringAdvice ball = advice_for(POISE_NODE_BALL, spring, 1);
    const double across = 3.0 * (1.0 + 0.04) / 12.0 + 0.75;
    EXPECT_NEAR(ball.inertia, across, 1e-12);
    EXPECT_NEAR(ball.least_inertia, 3.0 * (0.01 + 0.04) / 12.0, 1e-12);
    EXPECT_NEAR(ball.omega, sqrt(1000.0 / across), 1e-9);
    EXPECT_NEAR(ball.damping_ratio, 50.0 / sqrt(1000.0 * across), 1e-9);
}

Test(advice, each_spring_gets_its_verdict) {
    static const struct {
        PoiseSpring spring;
        unsigned verdict;
        const char* name;
    } rows[] = {
        {{1000.0, 100.0}, 0, "fine"},
        {{1e7, 1000.0}, POISE_SPRING_TOO_STIFF | POISE_SPRING_RINGS, "too stiff"},
        {{1.0, 3.0}, POISE_SPRING_TOO_SOFT, "too soft"},
        {{1000.0, 1.0}, POISE_SPRING_RINGS, "hardly damped"},
        {{100.0, 1000.0}, POISE_SPRING_CRAWLS, "damped too much"},
        {{1e6, 3e4}, 0, "fine"}, // its own damper is more than the step's
        {{0.0, 0.0}, 0, "fine"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        PoiseSpringAdvice advice = advice_for(POISE_NODE_HINGE, rows[i].spring, 0);
        cr_expect_eq(advice.verdict, rows[i].verdict, "row %d: verdict %u", (int)i, advice.verdict);
        cr_expect_str_eq(poise_spring_verdict_name(advice.verdict), rows[i].name);
        if (advice.verdict != 0) {
            // the proposed spring has no fault
            PoiseSpringAdvice better = advice_for(POISE_NODE_HINGE, advice.proposed, 0);
            cr_expect_eq(better.verdict, 0u, "row %d: %u as proposed", (int)i, better.verdict);
        }
    }
}

// Returns the number of steps until the tip stays within 1 % of its displacement.
static int settling(PoiseSpring spring) {
    Mechanism m;
    open_bars(&m, POISE_NODE_HINGE, spring);
    const PoiseVec3 goal = poise_vec3(1.6, 0.9, 0.0);
    const double distance = poise_length(poise_sub(goal, mechanism_tip(&m)));
    mechanism_goal(&m, goal);
    int last = 0;
    for (int i = 1; i <= 2000; i++) {
        mechanism_step(&m, STEP);
        last = mechanism_error(&m) > 0.01 * distance ? i : last;
    }
    mechanism_close(&m);
    return last;
}

Test(advice, the_proposed_spring_settles_sooner) {
    static const PoiseSpring springs[] = {{1.0, 3.0}, {1000.0, 1.0}, {100.0, 1000.0}};
    for (int i = 0; i < 3; i++) {
        PoiseSpringAdvice advice = advice_for(POISE_NODE_HINGE, springs[i], 0);
        const int before = settling(springs[i]);
        const int after = settling(advice.proposed);
        cr_expect_leq(after, before / 4, "row %d: %d steps, %d before", i, after, before);
        cr_expect_leq(after, 400, "row %d: %d steps", i, after);
    }
}

Test(advice, each_advice_is_logged_once) {
    Mechanism m;
    open_bars(&m, POISE_NODE_HINGE, (PoiseSpring){1000.0, 1.0});
    const int before = m.host.messages;
    mechanism_step(&m, STEP);
    cr_expect_eq(m.host.messages, before + 1);
    cr_expect_not_null(strstr(m.host.last_message, "hardly damped"), "%s", m.host.last_message);
    mechanism_run(&m, STEP, 10);
    cr_expect_eq(m.host.messages, before + 1);
    mechanism_step(&m, 2.0 * STEP);
    cr_expect_eq(m.host.messages, before + 2);
    mechanism_close(&m);
}
