// SPDX-License-Identifier: MIT
#include "pacing.h"
#include "resolution.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static int steps_due(PoisePacing* pacing, double length) {
    int steps = 0;
    while (poise__pacing_take_step(pacing, length)) {
        steps++;
    }
    return steps;
}

Test(pacing, simulated_time_keeps_up_whatever_the_frame_rate) {
    const double rates[] = {2.0, 7.0, 30.0, 60.0, 144.0, 1000.0};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        PoisePacing pacing = poise__pacing_default();
        int steps = 0;
        double frame = 1.0 / rates[i];
        for (double wall = 0.0; wall < 2.0 - 0.5 * frame; wall += frame) {
            poise__pacing_advance(&pacing, frame);
            steps += steps_due(&pacing, 0.002);
        }
        cr_expect(abs(steps - 1000) <= 1, "%g frames a second: %d steps", rates[i], steps);
    }
}

Test(pacing, speed_doubles_and_halves_within_its_range) {
    PoisePacing pacing = poise__pacing_default();
    poise__pacing_change_speed(&pacing, 1);
    poise__pacing_advance(&pacing, 0.05);
    cr_expect_eq(steps_due(&pacing, 0.0099), 10);
    poise__pacing_change_speed(&pacing, 30);
    cr_expect_eq(pacing.speed, 4.0);
    poise__pacing_change_speed(&pacing, -30);
    cr_expect_eq(pacing.speed, 1.0 / 64.0);
}

Test(pacing, paused_it_steps_only_when_asked) {
    PoisePacing pacing = poise__pacing_default();
    poise__pacing_step(&pacing);
    cr_expect(pacing.paused);
    poise__pacing_advance(&pacing, 1.0);
    cr_expect_eq(steps_due(&pacing, 0.01), 0);
    poise__pacing_step(&pacing);
    poise__pacing_step(&pacing);
    cr_expect_eq(steps_due(&pacing, 0.01), 2);
    poise__pacing_toggle_pause(&pacing);
    cr_expect_eq(steps_due(&pacing, 0.01), 0);
}

Test(pacing, a_stopped_process_is_not_caught_up_with) {
    PoisePacing pacing = poise__pacing_default();
    poise__pacing_advance(&pacing, 3600.0);
    cr_expect_leq(steps_due(&pacing, 0.01), 100);
    poise__pacing_advance(&pacing, -1.0);
    cr_expect_eq(steps_due(&pacing, 0.01), 0);
}

Test(pacing, what_moves_is_drawn_coarser_until_it_is_quick_and_what_rests_whole) {
    // a frame costs 10 ms and 80 ms for its pixels
    double scale = 1.0;
    for (int i = 0; i < 8; i++) {
        scale = poise__resolution_next(scale, 0.005 + 0.08 * scale * scale, false);
    }
    cr_expect_eq(scale, 0.5);
    cr_expect_lt(0.005 + 0.08 * scale * scale, 1.0 / 30.0);
    cr_expect_eq(poise__resolution_next(scale, 0.025, true), 1.0);
    // a quick machine comes back to all of it by itself
    for (int i = 0; i < 4; i++) {
        scale = poise__resolution_next(scale, 0.004 * scale, false);
    }
    cr_expect_eq(scale, 1.0);
    // and none goes below a quarter
    for (int i = 0; i < 10; i++) {
        scale = poise__resolution_next(scale, 1.0, false);
    }
    cr_expect_eq(scale, 0.25);
}
