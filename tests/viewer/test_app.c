// SPDX-License-Identifier: MIT
#include <string.h>

#include "fixture.h"

static PoiseVec3 goal_of(const PoiseApp* app, int point) {
    return poise_simulation_point(app->session.simulation, point).goal_world.p;
}

static void key(PoiseApp* app, int code) {
    poise__input_push_key(&app->input, code, true, false, 0);
    poise__input_push_key(&app->input, code, false, false, 0);
    poise__app_frame(app, 0.0);
}

/// Presses at the goal of a point and moves by dx, dy; the button stays pressed.
static void take_goal(PoiseApp* app, int point, double dx, double dy) {
    double x = 0.0, y = 0.0;
    seen_at(app, goal_of(app, point), &x, &y);
    poise__input_push_pointer(&app->input, x, y);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_pointer(&app->input, x + dx, y + dy);
    poise__app_frame(app, 0.0);
    poise__app_frame(app, 0.0);
}

static void let_go(PoiseApp* app) {
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    poise__app_frame(app, 0.0);
}

APP_TEST(app, a_goal_follows_the_pointer_and_stays_where_it_is_dropped) {
    int point = known_point(app, "left_tip");
    double x = 0.0, y = 0.0, moved_x = 0.0, moved_y = 0.0;
    seen_at(app, goal_of(app, point), &x, &y);
    take_goal(app, point, 40.0, 15.0);
    cr_expect_eq(app->highlight.held, point);
    let_go(app);
    cr_expect_eq(app->highlight.held, -1);
    cr_assert(poise__app_run_to(app, 0.1));
    seen_at(app, goal_of(app, point), &moved_x, &moved_y);
    // a goal is rounded to less than a pixel in each axis of the world
    EXPECT_NEAR(moved_x, x + 40.0, 0.9);
    EXPECT_NEAR(moved_y, y + 15.0, 0.9);
}

APP_TEST(app, a_whole_drag_within_one_slow_frame_is_not_lost) {
    int point = known_point(app, "left_tip");
    double x = 0.0, y = 0.0, moved_x = 0.0, moved_y = 0.0;
    seen_at(app, goal_of(app, point), &x, &y);
    poise__input_push_pointer(&app->input, x, y);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_pointer(&app->input, x - 30.0, y + 10.0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    // after the release the pointer moves on without the goal
    poise__input_push_pointer(&app->input, x - 200.0, y + 100.0);
    for (int i = 0; i < 4; i++) {
        poise__app_frame(app, 0.0);
    }
    seen_at(app, goal_of(app, point), &moved_x, &moved_y);
    EXPECT_NEAR(moved_x, x - 30.0, 0.9);
    EXPECT_NEAR(moved_y, y + 10.0, 0.9);
    cr_expect_eq(app->gesture, POISE_GESTURE_NONE);
}

APP_TEST(app, escape_undoes_the_drag_and_never_quits) {
    int point = known_point(app, "left_tip");
    PoiseVec3 before = goal_of(app, point);
    take_goal(app, point, 50.0, 50.0);
    cr_expect_gt(poise_length(poise_sub(goal_of(app, point), before)), 0.05);
    key(app, POISE_KEY_ESCAPE);
    EXPECT_NEAR3(goal_of(app, point), before, 1e-12);
    cr_expect_eq(app->requests, 0u);
    let_go(app);
    key(app, POISE_KEY_ESCAPE);
    key(app, POISE_KEY_ESCAPE);
    key(app, 'Q');
    cr_expect_eq(app->requests, 0u);
    cr_expect_not_null(strstr(app->message.text, "Ctrl+Q quits"));
    poise__input_push_key(&app->input, 'Q', true, false, POISE_MOD_CTRL);
    poise__app_frame(app, 0.0);
    cr_expect_eq(app->requests, (unsigned)POISE_REQUEST_QUIT);
}

APP_TEST(app, a_cancelled_second_drag_goes_back_to_the_end_of_the_first) {
    int point = known_point(app, "left_tip");
    take_goal(app, point, 30.0, 0.0);
    let_go(app);
    PoiseVec3 first = goal_of(app, point);
    take_goal(app, point, 0.0, 60.0);
    key(app, POISE_KEY_ESCAPE);
    EXPECT_NEAR3(goal_of(app, point), first, 1e-12);
    let_go(app);
    key(app, 'R');
    EXPECT_NEAR3(goal_of(app, point), poise_vec3(0.5, 0.15, 1.45), 1e-12);
}

APP_TEST(app, a_press_without_a_link_shows_a_message_and_adding_continues) {
    int before = poise_simulation_point_count(app->session.simulation);
    key(app, 'A');
    poise__input_push_pointer(&app->input, 5.0, 5.0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    poise__app_frame(app, 0.0);
    poise__app_frame(app, 0.0);
    cr_expect(app->adding);
    cr_expect_not_null(strstr(app->message.text, "no link is there"));
    cr_expect_eq(poise_simulation_point_count(app->session.simulation), before);
    key(app, POISE_KEY_ESCAPE);
    cr_expect_not(app->adding);
}

APP_TEST(app, a_left_drag_away_from_goals_orbits) {
    double azimuth = app->camera.azimuth;
    PoiseVec3 focus = app->camera.focus;
    poise__input_push_pointer(&app->input, 5.0, 5.0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_pointer(&app->input, 65.0, 5.0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    poise__input_push_pointer(&app->input, 300.0, 5.0);
    for (int i = 0; i < 4; i++) {
        poise__app_frame(app, 0.0);
    }
    EXPECT_NEAR(azimuth - app->camera.azimuth, 60.0 * 0.0039, 1e-9);
    EXPECT_NEAR3(app->camera.focus, focus, 0.0);
}

Test(app, a_right_drag_moves_the_view_a_middle_drag_orbits_and_the_wheel_zooms) {
    const PoiseButton buttons[] = {POISE_BUTTON_RIGHT, POISE_BUTTON_MIDDLE};
    PoiseApp* app = known_app();
    for (int i = 0; i < 2; i++) {
        PoiseVec3 focus = app->camera.focus;
        const double azimuth = app->camera.azimuth;
        poise__input_push_pointer(&app->input, 300.0, 200.0);
        poise__input_push_button(&app->input, buttons[i], true, 0);
        poise__input_push_pointer(&app->input, 340.0, 200.0);
        poise__input_push_button(&app->input, buttons[i], false, 0);
        for (int k = 0; k < 3; k++) {
            poise__app_frame(app, 0.0);
        }
        const double moved = poise_length(poise_sub(app->camera.focus, focus));
        cr_expect(i == 0 ? moved > 0.01 : moved <= 0.0, "%g", moved);
        cr_expect_eq(app->camera.azimuth != azimuth, i == 1);
    }
    double distance = app->camera.distance;
    poise__input_push_wheel(&app->input, 0.0, 1.0);
    poise__app_frame(app, 0.0);
    cr_expect_lt(app->camera.distance, distance);
    known_app_close(app);
}

APP_TEST(app, space_pauses_right_steps_and_backspace_starts_again) {
    const double length = 0.01;
    poise__app_frame(app, 0.055);
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 5 * length, 1e-9);
    key(app, POISE_KEY_SPACE);
    poise__app_frame(app, 0.055);
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 5 * length, 1e-9);
    key(app, POISE_KEY_RIGHT);
    key(app, POISE_KEY_RIGHT);
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 7 * length, 1e-9);
    key(app, POISE_KEY_BACKSPACE);
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 0.0, 0.0);
    cr_expect(app->pacing.paused);
}

APP_TEST(app, a_restart_releases_dragged_goals) {
    int point = known_point(app, "left_tip");
    PoiseVec3 before = goal_of(app, point);
    take_goal(app, point, 50.0, 20.0);
    key(app, POISE_KEY_BACKSPACE);
    EXPECT_NEAR3(goal_of(app, point), before, 1e-12);
    cr_expect_eq(app->hand.grip, POISE_GRIP_NONE);
    // the button is still pressed, but the pointer moves nothing now
    poise__input_push_pointer(&app->input, 10.0, 10.0);
    poise__app_frame(app, 0.0);
    EXPECT_NEAR3(goal_of(app, point), before, 1e-12);
}

static double slow_clock(void* user) {
    double* now = (double*)user;
    *now += 0.02;
    return *now;
}

APP_TEST(app, slow_steps_do_not_freeze_the_window) {
    double now = 0.0;
    app->clock = slow_clock;
    app->clock_user = &now;
    poise__app_frame(app, 0.1);
    // two steps of 20 ms exceed the frame's budget
    cr_expect_lt(poise_simulation_time(app->session.simulation), 0.035);
    EXPECT_NEAR(app->pacing.due, 0.0, 0.0);
}

APP_TEST(app, a_run_to_a_time_ends_at_the_nearest_step) {
    cr_assert(poise__app_run_to(app, 0.333));
    EXPECT_NEAR(poise_simulation_time(app->session.simulation), 0.33, 1e-9);
}

APP_TEST(app, the_title_shows_the_time_and_the_pause) {
    char title[256];
    key(app, POISE_KEY_SPACE);
    poise__app_title(app, title);
    cr_expect_not_null(strstr(title, "0.00 s"));
    cr_expect_not_null(strstr(title, "paused"));
}
