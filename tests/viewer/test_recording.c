// SPDX-License-Identifier: MIT
// Tests that a run is saved as a short replay, and that the viewer repeats it.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "panels_fixture.h"
#include "recording.h"

static const double FRAME = 1.0 / 60.0;

static uint64_t hash(const PoiseApp* app) {
    return poise_simulation_state_hash(app->session.simulation);
}

/// A hand that moves from place to place in 0.5 to 1.1 s, fastest in the middle, and then rests for
/// 0.3 to 1 s.
typedef struct Mover {
    uint64_t state;
    double from[2];
    double to[2];
    double time;
    double length;
    double rest;
} Mover;

/// Moves for a frame. Writes the position of the pointer, whole pixels as a mouse has them.
static void move(Mover* mover, double* x, double* y) {
    mover->time += FRAME;
    if (mover->time >= mover->length + mover->rest) {
        for (int i = 0; i < 2; i++) {
            mover->from[i] = mover->to[i];
            mover->to[i] = (i == 0 ? 640.0 : 360.0) + 250.0 * next_random(&mover->state);
        }
        mover->length = 0.8 + 0.3 * next_random(&mover->state);
        mover->rest = 0.65 + 0.35 * next_random(&mover->state);
        mover->time = 0.0;
    }
    const double t = fmin(1.0, mover->time / mover->length);
    const double part = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
    *x = round(mover->from[0] + part * (mover->to[0] - mover->from[0]));
    *y = round(mover->from[1] + part * (mover->to[1] - mover->from[1]));
}

/// Drags a target of the app for `seconds`.
static void drag(PoiseApp* app, double seconds) {
    const int left = known_point(app, "left_tip");
    double x = 0.0;
    double y = 0.0;
    poise__camera_resize(&app->camera, 1280.0, 720.0);
    seen_at(app, poise_simulation_point(app->session.simulation, left).goal_world.p, &x, &y);
    cr_assert(poise__app_take_target(app, left, POISE_GIZMO_MIDDLE, x, y));
    Mover mover = {.state = 5, .from = {x, y}, .to = {x, y}};
    for (int frame = 0; frame < (int)lround(seconds / FRAME); frame++) {
        const double x_before = x;
        const double y_before = y;
        move(&mover, &x, &y);
        if (x != x_before || y != y_before) {
            poise__app_move_hand(app, x, y);
        }
        poise__app_frame(app, FRAME);
    }
    poise__app_drop_hand(app);
}

static long size_of(const char* path) {
    FILE* file = fopen(path, "rb");
    cr_assert(file && fseek(file, 0, SEEK_END) == 0);
    const long size = ftell(file);
    fclose(file);
    return size;
}

APP_TEST(recording, a_minute_of_dragging_takes_two_kilobytes) {
    PoiseNote note = {""};
    app->makes_all_steps = true;
    drag(app, 60.0);
    cr_assert(poise__recording_save(&app->timeline, "minute.replay", &note), "%s", note.text);
    cr_expect_gt(app->timeline.log_done, 1500);
    cr_expect_leq(size_of("minute.replay"), 2048, "%d changes take %ld bytes",
                  app->timeline.log_done, size_of("minute.replay"));
    const uint64_t end = hash(app);
    const long steps = poise_simulation_step_count(app->session.simulation);
    // the window opens the same run
    cr_assert(poise__app_open(app, "minute.replay"), "%s", app->open_error.text);
    cr_expect_eq(poise_simulation_step_count(app->session.simulation), 0);
    cr_expect_eq(app->timeline.end_step, steps);
    cr_assert(poise__timeline_go(&app->timeline, steps, &note), "%s", note.text);
    cr_expect_eq(hash(app), end);
    cr_expect_eq(app->timeline.first_different, 0);
    unlink("minute.replay");
}

APP_TEST(recording, a_difference_from_the_recording_is_said) {
    PoiseNote note = {""};
    app->makes_all_steps = true;
    drag(app, 3.0);
    cr_assert(poise__recording_save(&app->timeline, "short.replay", &note), "%s", note.text);
    cr_assert(poise__app_open(app, "short.replay"), "%s", app->open_error.text);
    // another gravity than in the recording, unknown to the log
    PoiseSimulation* simulation = app->session.simulation;
    const int gravity = poise_simulation_find_parameter(simulation, "world.gravity.z");
    cr_assert_eq(poise_simulation_set_parameter(simulation, gravity, -5.0), POISE_OK);
    cr_assert(poise__app_run_to(app, 2.5));
    cr_expect_eq(app->timeline.first_different,
                 poise_replay_second(poise_simulation_step_length(app->session.simulation)));
    cr_expect_str_eq(app->message.text, "the run differs from its recording at 1.000 s");
    unlink("short.replay");
}

APP_TEST(recording, going_back_and_changing_records_the_new_run) {
    PoiseNote note = {""};
    app->makes_all_steps = true;
    drag(app, 2.5);
    cr_assert(poise__app_go(app, 1.2));
    drag(app, 1.5);
    const uint64_t end = hash(app);
    cr_assert(poise__recording_save(&app->timeline, "branch.replay", &note), "%s", note.text);
    cr_assert(poise__app_open(app, "branch.replay"), "%s", app->open_error.text);
    cr_assert(poise__timeline_go(&app->timeline, app->timeline.end_step, &note), "%s", note.text);
    cr_expect_eq(hash(app), end);
    cr_expect_eq(app->timeline.first_different, 0);
    unlink("branch.replay");
}

APP_TEST(recording, a_cut_replay_leaves_the_scene) {
    PoiseNote note = {""};
    cr_assert(poise__recording_save(&app->timeline, "cut.replay", &note), "%s", note.text);
    cr_assert_eq(truncate("cut.replay", 60), 0);
    const PoiseSimulation* before = app->session.simulation;
    cr_expect_not(poise__app_open(app, "cut.replay"));
    cr_expect(app->session.simulation == before && strstr(app->open_error.text, "cut.replay:"),
              "%s", app->open_error.text);
    unlink("cut.replay");
}
