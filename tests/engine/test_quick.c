// SPDX-License-Identifier: MIT
// The accuracy of a world's steps: dWorldStep is exact, dWorldQuickStep depends on its iterations,
// and the rig warns if these do not suit its springs.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "mechanism.h"

static const double DT = 0.01;

// Seven hinges that hold a bent posture against gravity: the largest step error of the last hundred
// steps, the distance of the tip from its goal, and whether the rig warned.
typedef struct Outcome {
    double step_error;
    double tip;
    bool warned;
} Outcome;

static Outcome run_arm(int iterations, double stiffness, PoiseNodeKind kind) {
    ChainDef def = chain_def(kind, 7, stiffness, 0.1 * stiffness);
    def.scale = 0.3;
    def.gravity = poise_vec3(0.0, -9.81, 0.0);
    Mechanism m;
    chain_open(&m, &def);
    mechanism_goal(&m, poise_vec3(0.9, 1.2, 0.0));
    m.host.messages = 0;
    if (iterations > 0) {
        dWorldSetQuickStepNumIterations(m.world, iterations);
    }
    dRandSetSeed(1);
    Outcome outcome = {0.0, 0.0, false};
    for (int i = 0; i < 600; i++) {
        cr_assert_eq(poise_rig_update(m.rig, DT, NULL), POISE_OK);
        if (iterations > 0) {
            dWorldQuickStep(m.world, DT);
        } else {
            dWorldStep(m.world, DT);
        }
        double error;
        cr_assert_eq(poise_rig_step_error(m.rig, &error, NULL), POISE_OK);
        outcome.step_error = i >= 500 ? fmax(outcome.step_error, error) : 0.0;
        outcome.tip = i >= 500 ? fmax(outcome.tip, mechanism_error(&m)) : 0.0;
    }
    outcome.warned = m.host.messages > 0 && strstr(m.host.last_message, "dWorldQuickStep") != NULL;
    cr_expect_leq(m.host.messages, 1, "once: %d", m.host.messages);
    mechanism_close(&m);
    return outcome;
}

Test(quick, dworldstep_does_what_the_springs_ask) {
    const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_BALL};
    for (int k = 0; k < 2; k++) {
        for (double stiffness = 500.0; stiffness < 1e6; stiffness *= 10.0) {
            Outcome outcome = run_arm(0, stiffness, kinds[k]);
            cr_expect_lt(outcome.step_error, 1e-6, "kind %d, p %g: %g", k, stiffness,
                         outcome.step_error);
            cr_expect_not(outcome.warned);
            cr_expect_lt(outcome.tip, 1e-4, "kind %d, p %g: %g", k, stiffness, outcome.tip);
        }
    }
}

// Checks the accuracy that the README states for QuickStep.
Test(quick, dworldquickstep_is_said_to_be_off_when_it_is) {
    static const struct {
        int iterations;
        double stiffness;
        bool warned;
        double least_tip; ///< least distance of the tip from its goal, m
        double most_tip;
    } rows[] = {
        {20, 500.0, true, 0.1, 1.0},    {50, 500.0, true, 0.01, 0.2},
        {100, 500.0, true, 1e-3, 0.05}, {200, 500.0, false, 0.0, 5e-3},
        {500, 500.0, false, 0.0, 1e-4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Outcome outcome = run_arm(rows[i].iterations, rows[i].stiffness, POISE_NODE_HINGE);
        cr_expect(outcome.warned == rows[i].warned && outcome.tip >= rows[i].least_tip &&
                      outcome.tip <= rows[i].most_tip,
                  "%d iterations, p %g: step error %g, tip %g m off, warned: %d",
                  rows[i].iterations, rows[i].stiffness, outcome.step_error, outcome.tip,
                  outcome.warned);
    }
}
