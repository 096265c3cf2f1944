// SPDX-License-Identifier: MIT
#include "pacing.h"
#include "resolution.h"

#include <criterion/criterion.h>
#include <math.h>
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

/// Cost of a frame, s: a fixed part, and a part for all pixels of the window.
typedef struct FrameCost {
    double fixed;
    double pixels;
} FrameCost;

/// Draws frames of a moving scene at this cost. Returns the least scale of them.
static double draw_frames(PoiseResolution* resolution, FrameCost cost, int frames) {
    double least = 1.0;
    for (int i = 0; i < frames; i++) {
        const double scale = resolution->scale;
        least = fmin(least, scale);
        poise__resolution_next(resolution, cost.fixed + cost.pixels * scale * scale, false, 1.0);
    }
    return least;
}

/// Measured in a window of 1280 x 720 for reach, full_body and a Panda with meshes: processor time
/// on two cores, then 60 % of it as wall-clock time.
static const FrameCost MEASURED[] = {{0.0200, 0.0310}, {0.0235, 0.0293}, {0.0243, 0.0324},
                                     {0.0120, 0.0186}, {0.0141, 0.0176}, {0.0146, 0.0194}};
enum { MEASURED_COUNT = (int)(sizeof MEASURED / sizeof *MEASURED) };

Test(pacing, slow_first_frames_do_not_leave_a_moving_scene_coarse) {
    for (int i = 0; i < MEASURED_COUNT; i++) {
        PoiseResolution resolution = {.scale = 1.0, .part = 1.0};
        const FrameCost cost = MEASURED[i];
        for (int frame = 0; frame < 4; frame++) {
            poise__resolution_next(&resolution, 0.117, false, 1.0);
        }
        const double least = draw_frames(&resolution, cost, 400);
        cr_expect_geq(least, 0.5, "cost %d: %g", i, least);
        // two of three frames have the finest of the three scales that allows 30 frames a second
        const double finer = 0.75 * 0.75 * cost.pixels + cost.fixed < 0.025 ? 0.75 : 0.5;
        int frames_there = 0;
        for (int frame = 0; frame < 900; frame++) {
            draw_frames(&resolution, cost, 1);
            frames_there += resolution.scale == finer;
        }
        cr_expect_gt(frames_there, 600, "cost %d: %d of 900 frames at %g", i, frames_there, finer);
    }
}

Test(pacing, a_moving_scene_gets_full_resolution_when_frames_get_cheaper) {
    for (int i = 0; i < MEASURED_COUNT; i++) {
        PoiseResolution resolution = {.scale = 1.0, .part = 1.0};
        const FrameCost cost = MEASURED[i];
        draw_frames(&resolution, cost, 600);
        // the whole picture costs 20 ms from now on
        const double part = 0.02 / (cost.fixed + cost.pixels);
        draw_frames(&resolution, (FrameCost){part * cost.fixed, part * cost.pixels}, 450);
        cr_expect_eq(resolution.scale, 1.0, "cost %d: %g", i, resolution.scale);
    }
}

Test(pacing, a_scene_at_rest_has_full_resolution_until_a_frame_moves) {
    PoiseResolution resolution = {.scale = 1.0, .part = 1.0};
    draw_frames(&resolution, MEASURED[0], 60);
    cr_expect_eq(resolution.scale, 0.5);
    for (int frame = 0; frame < 60; frame++) {
        poise__resolution_next(&resolution, 0.051, true, 1.0);
        cr_expect_eq(resolution.scale, 1.0);
    }
    poise__resolution_next(&resolution, 0.051, false, 1.0);
    cr_expect_eq(resolution.scale, 0.5);
    // a very slow machine gets 0.5
    cr_expect_eq(draw_frames(&resolution, (FrameCost){1.0, 1.0}, 100), 0.5);
}

Test(pacing, a_scene_of_which_little_moves_keeps_its_resolution) {
    // also where a frame costs much more than its pixels
    static const FrameCost slow = {0.1, 0.1};
    for (int i = 0; i <= MEASURED_COUNT; i++) {
        PoiseResolution resolution = {.scale = 1.0, .part = 1.0};
        const FrameCost cost = i < MEASURED_COUNT ? MEASURED[i] : slow;
        double last = 0.0;
        int coarse = 0;
        for (int frame = 0; frame < 400; frame++) {
            // a new scale draws the whole picture once
            const double part = resolution.scale != last ? 1.0 : frame % 7 == 0 ? 0.35 : 0.15;
            last = resolution.scale;
            coarse += frame >= 100 && last < 1.0;
            poise__resolution_next(&resolution, cost.fixed + part * cost.pixels * last * last,
                                   false, part);
        }
        cr_expect_eq(coarse, 0, "cost %d: %d of 300 frames are coarse", i, coarse);
    }
}
