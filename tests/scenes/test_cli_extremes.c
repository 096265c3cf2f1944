// SPDX-License-Identifier: MIT
// Scenes whose numbers are allowed one by one but not together. They may be refused or blow up, but
// never end the process.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

// A body of a chain is a thousand times too small, as if its size were in millimetres.
PROGRAM_TEST(cli_extremes, a_tiny_body_under_tons_ends_with_a_code) {
    static const char* const scenes[] = {
        "poise: 1\n"
        "bodies:\n"
        "  head: {sphere: 1e-5, at: [0, 0, 1.4]}\n"
        "  ear: {sphere: 0.03, at: [0, 0.14, 1.4]}\n"
        "joints:\n"
        "  neck: {ball: [0, 0, 1.2], between: [world, head]}\n"
        "  wiggle: {hinge: [0, 0.1, 1.4], axis: [1, 0, 0], between: [head, ear]}\n"
        "control_points:\n"
        "  goal: {body: head, position: [0.1, 0, 1.4]}\n",
        "poise: 1\n"
        "bodies:\n"
        "  a: {box: [0.0531, 0.435, 0.0428], at: [0, 0, 0]}\n"
        "  b: {sphere: 0.00165, at: [0.3, 0, 1]}\n"
        "  c: {sphere: 4.08, at: [0, 0, 2]}\n"
        "joints:\n"
        "  i: {slider: [0, 0, 0], axis: [0, 0, 1], between: [world, a], ik: {spring: 22.5}}\n"
        "  j: {hinge: [0, 0, 1], axis: [1, 0, 0], between: [a, b], ik: off}\n"
        "  k: {slider: [0, 0, 2], axis: [0, 0, 1], between: [b, c], ik: off}\n",
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        write_scratch("speck.yaml", scenes[i]);
        RUN_PROGRAM(outcome, "run", "speck.yaml", "--seconds", "1", "--quiet");
        expect_calm(outcome, scenes[i]);
        cr_expect(outcome->code == 0 || outcome->code == 3 || outcome->code == 4, "%d: %s",
                  outcome->code, scenes[i]);
    }
}

// Returns 10 to the power of a whole number from `least` to `most`.
static double next_power(unsigned int* state, int least, int most) {
    *state = *state * 1664525u + 1013904223u;
    return pow(10.0, least + (int)((*state >> 16) % (unsigned int)(most - least + 1)));
}

PROGRAM_TEST(cli_extremes, chains_of_any_size_and_spring_do_not_abort) {
    static const char* const kinds[] = {"ball", "hinge", "slider"};
    static const char* const axes[] = {"", "axis: [1, 0, 0], ", "axis: [0, 0, 1], "};
    unsigned int state = 1;
    for (int scene = 0; scene < 100; scene++) {
        char bodies[512] = "";
        char joints[1024] = "";
        char text[2048];
        for (int i = 0; i < 3; i++) {
            int kind = (scene + i) % 3;
            char parent[8] = "world";
            char* body = bodies + strlen(bodies);
            snprintf(body, 128, "  b%d: {sphere: %g, at: [0.3, 0, %d]}\n", i,
                     next_power(&state, -4, 2), i);
            if (i > 0) {
                snprintf(parent, sizeof parent, "b%d", i - 1);
            }
            char* joint = joints + strlen(joints);
            const double spring = next_power(&state, -2, 9), damper = next_power(&state, -3, 6);
            snprintf(
                joint, 256,
                "  j%d: {%s: [0, 0, %d], %sbetween: [%s, b%d], ik: {spring: %g, damper: %g}}\n", i,
                kinds[kind], i, axes[kind], parent, i, spring, damper);
        }
        snprintf(text, sizeof text,
                 "poise: 1\nworld: {step: %g, contacts: off}\nbodies:\n%sjoints:\n%s"
                 "control_points:\n  p: {body: b2, position: [0.5, 0.1, 2]}\n",
                 next_power(&state, -3, -1), bodies, joints);
        write_scratch("any.yaml", text);
        RUN_PROGRAM(outcome, "run", "any.yaml", "--seconds", "0.5", "--quiet");
        expect_calm(outcome, text);
        cr_expect(outcome->code == 0 || outcome->code == 3 || outcome->code == 4, "%d: %s",
                  outcome->code, text);
    }
}
