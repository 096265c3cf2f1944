// SPDX-License-Identifier: MIT
// Gestures must do what a person expects. Each of these failed once.

#include "panels_fixture.h"

/// Returns the scene `reach`, whose targets move by themselves, after half a second.
static PoiseApp* reaching_app(void) {
    PoiseApp* app = known_app();
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/reach.yaml"));
    cr_assert(poise__app_run_to(app, 0.5));
    poise__screen_draw(app);
    poise__app_do(app, "frame");
    return app;
}

static PoiseVec3 goal_of(const PoiseApp* app, int point) {
    return poise_simulation_point(app->session.simulation, point).goal_world.p;
}

static void press(PoiseApp* app, double x, double y, int mods) {
    poise__input_push_pointer(&app->input, x, y);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, mods);
    poise__app_frame(app, 0.0);
}

static void move(PoiseApp* app, double x, double y) {
    poise__input_push_pointer(&app->input, x, y);
    poise__app_frame(app, 0.0);
}

static void release(PoiseApp* app) {
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    poise__app_frame(app, 0.0);
    poise__app_frame(app, 0.0);
}

Test(gestures, a_click_on_a_moving_target_selects_it_and_lets_it_move) {
    PoiseApp* app = reaching_app();
    const int palm = known_point(app, "left_palm");
    double x = 0.0, y = 0.0;
    seen_at(app, goal_of(app, palm), &x, &y);
    press(app, x, y, 0);
    move(app, x + 1.0, y + 1.0);
    release(app);
    cr_expect_eq(app->highlight.selected, palm);
    cr_expect_not(poise_simulation_point(app->session.simulation, palm).held);
    const PoiseVec3 before = goal_of(app, palm);
    cr_assert(poise__app_run_to(app, 1.5));
    cr_expect_gt(poise_length(poise_sub(goal_of(app, palm), before)), 0.005);
    known_app_close(app);
}

Test(gestures, a_moving_target_is_dragged_from_its_present_position) {
    PoiseApp* app = reaching_app();
    const int palm = known_point(app, "left_palm");
    double x = 0.0, y = 0.0;
    seen_at(app, goal_of(app, palm), &x, &y);
    press(app, x, y, 0);
    cr_assert(poise__app_run_to(app, 1.0));
    const PoiseVec3 there = goal_of(app, palm);
    move(app, x + 4.0, y);
    cr_expect_lt(poise_length(poise_sub(goal_of(app, palm), there)), 1e-12);
    cr_expect(poise_simulation_point(app->session.simulation, palm).held);
    release(app);
    known_app_close(app);
}

Test(gestures, esc_cancels_a_drag_while_ctrl_or_shift_is_held) {
    const int mods[] = {POISE_MOD_CTRL, POISE_MOD_SHIFT, POISE_MOD_CTRL | POISE_MOD_SHIFT};
    for (size_t i = 0; i < sizeof mods / sizeof *mods; i++) {
        PoiseApp* app = known_app();
        const int tip = known_point(app, "left_tip");
        const PoiseVec3 start = goal_of(app, tip);
        double x = 0.0, y = 0.0;
        seen_at(app, start, &x, &y);
        press(app, x, y, 0);
        move(app, x + 40.0, y + 20.0);
        cr_expect_gt(poise_length(poise_sub(goal_of(app, tip), start)), 0.01);
        poise__input_push_key(&app->input, POISE_KEY_ESCAPE, true, false, mods[i]);
        poise__app_frame(app, 0.0);
        EXPECT_NEAR3(goal_of(app, tip), start, 1e-12);
        cr_expect_eq(app->hand.grip, POISE_GRIP_NONE);
        known_app_close(app);
    }
}

Test(gestures, the_moving_knob_of_the_time_bar_is_grabbed_anywhere) {
    const double off[] = {-5.0, -1.0, 0.0, 1.0, 3.0, 5.0};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        PoiseApp* app = app_with_panels();
        PoiseUiItem bar;
        run(app, "wait 2\n");
        cr_assert(poise__ui_find(app->ui, "run/time", &bar));
        // the knob is at the end of the bar while the run continues
        const double x = (double)bar.left + poise__ui_slider_place(&bar, bar.upper) + off[i];
        poise__input_push_pointer(&app->input, x, 0.5 * (double)(bar.top + bar.bottom));
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
        poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
        cr_expect(app->panels.scrubbing, "%g from the middle of the knob", off[i]);
        release(app);
        close_app(app);
    }
}

Test(gestures, a_tether_has_the_length_of_the_error) {
    // the point has rows x and y only: the height of the centre of mass is not restricted
    PoiseApp* app = known_app();
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/full_body.yaml"));
    cr_assert(poise__app_run_to(app, 0.5));
    const int point = known_point(app, "weight_over_feet");
    // move the goal 0.3 m to the side
    PoiseVec3 goal = goal_of(app, point);
    goal.x += 0.3;
    cr_assert_eq(poise_simulation_hold_goal(app->session.simulation, point, goal), POISE_OK);
    cr_assert(poise__app_run_to(app, 0.51));
    const PoisePointView view = poise_simulation_point(app->session.simulation, point);
    app->highlight.parts = POISE_VIEW_CLEAN;
    poise__screen_draw(app);
    int found = 0;
    for (int i = 0; i < app->list.instance_count; i++) {
        PoiseLine line;
        if (line_at(&app->list, i, &line) && line.id == poise__draw_id(POISE_DRAW_TETHER, point)) {
            const PoiseVec3 span =
                poise_vec3((double)(line.to.x - line.from.x), (double)(line.to.y - line.from.y),
                           (double)(line.to.z - line.from.z));
            EXPECT_NEAR(poise_length(span), view.reading.miss, 1e-5);
            EXPECT_NEAR(span.z, 0.0, 1e-6);
            found++;
        }
    }
    cr_expect_eq(found, 1);
    cr_expect_gt(view.reading.miss, 0.1);
    known_app_close(app);
}
