// SPDX-License-Identifier: MIT
// Numbers in the panels: dragged, typed, set by scripts, undone.
#include <string.h>

#include "panels_fixture.h"

#define SPRING "joints.left_shoulder.ik.spring"

/// Drags a number by so many window units, in steps that a hand makes.
static void drag_number(PoiseApp* app, const PoiseUiItem* item, double way, int mods) {
    double x = 0.5 * (double)(item->left + item->right);
    double y = 0.5 * (double)(item->top + item->bottom);
    poise__input_push_pointer(&app->input, x, y);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, mods);
    for (int i = 1; i <= 5; i++) {
        for (int frame = 0; frame < 2; frame++) {
            poise__app_frame(app, 0.0);
            poise__screen_draw(app);
        }
        poise__input_push_pointer(&app->input, x + way * i / 5.0, y);
    }
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, mods);
    poise__input_push_key(&app->input, POISE_KEY_LEFT_SHIFT, false, false, 0);
    for (int i = 0; i < 30; i++) { // and the next press is no double click
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
    }
}

Test(numbers, a_slider_sets_a_spring_and_one_undo_takes_all_of_its_way_back) {
    PoiseUi* ui = NULL;
    PoiseApp* app = app_with_panels(&ui);
    run(app, "do pause\nslide joints.left_shoulder.ik.spring 2000.125\n"
             "expect joints.left_shoulder.ik.spring > 2000.1249\n"
             "expect joints.left_shoulder.ik.spring < 2000.1251\n"
             "key Ctrl+Z\nexpect joints.left_shoulder.ik.spring < 100.0001\n"
             "expect joints.left_shoulder.ik.spring > 99.9999\n"
             "key Ctrl+Y\nexpect joints.left_shoulder.ik.spring > 1200\n");
    close_app(app, ui);
}

Test(numbers, a_numbers_last_way_counts_though_it_comes_with_the_release) {
    PoiseUi* ui = NULL;
    PoiseApp* app = app_with_panels(&ui);
    run(app, "do pause\nclick section/ik\n");
    PoiseUiItem item;
    cr_assert(poise__ui_find(ui, "world.gravity.z", &item));
    double before = item.value;
    drag_number(app, &item, 150.0, 0);
    cr_assert(poise__ui_find(ui, "world.gravity.z", &item));
    PoiseParameter gravity;
    int index = poise_simulation_find_parameter(app->session.simulation, "world.gravity.z");
    cr_assert(poise_simulation_parameter(app->session.simulation, index, &gravity));
    EXPECT_NEAR(gravity.value,
                before + 150.0 / 600.0 * (gravity.slider_upper - gravity.slider_lower), 1e-6);
    close_app(app, ui);
}

Test(numbers, a_number_grows_by_the_way_and_finely_with_shift) {
    PoiseUi* ui = NULL;
    PoiseApp* app = app_with_panels(&ui);
    PoiseUiItem item;
    run(app, "do pause\n");
    cr_assert(poise__ui_find(ui, SPRING, &item));
    EXPECT_NEAR(item.value, 100.0, 0.0);
    drag_number(app, &item, 100.0, 0);
    cr_assert(poise__ui_find(ui, SPRING, &item));
    EXPECT_NEAR(item.value, 271.828, 0.01);
    drag_number(app, &item, -100.0, POISE_MOD_SHIFT);
    cr_assert(poise__ui_find(ui, SPRING, &item));
    EXPECT_NEAR(item.value, 245.960, 0.01);
    // its whole way is one thing to undo
    run(app, "key Ctrl+Z\nkey Ctrl+Z\nexpect " SPRING " < 100.0001\n");
    close_app(app, ui);
}

/// Presses at the middle of a number with Ctrl, lets go, and types.
static void type_into(PoiseApp* app, const char* name, const char* text) {
    PoiseUiItem item;
    char line[128];
    cr_assert(poise__ui_find(app->ui, name, &item));
    poise__input_push_pointer(&app->input, 0.5 * (double)(item.left + item.right),
                              0.5 * (double)(item.top + item.bottom));
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, POISE_MOD_CTRL);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, POISE_MOD_CTRL);
    poise__input_push_key(&app->input, POISE_KEY_LEFT_CTRL, false, false, 0);
    snprintf(line, sizeof line, "type %s\n", text);
    run(app, line);
}

Test(numbers, a_number_that_is_typed_counts_when_it_is_whole) {
    PoiseUi* ui = NULL;
    PoiseApp* app = app_with_panels(&ui);
    run(app, "do pause\n");
    type_into(app, SPRING, "3");
    run(app, "expect " SPRING " > 99.9\ntype 00\nexpect " SPRING " < 100.1\nkey Enter\n"
             "expect " SPRING " > 299.999\nexpect " SPRING " < 300.001\n");
    // one change, and one to undo
    run(app, "key Ctrl+Z\nexpect " SPRING " < 100.001\nkey Ctrl+Y\n");
    // Esc leaves what was, and nothing else is closed or said
    type_into(app, SPRING, "7");
    run(app, "key Esc\nexpect " SPRING " > 299.999\n");
    cr_expect_null(strstr(app->message.text, "quits"), "%s", app->message.text);
    // with Ctrl+A all of it is chosen, however slow the frame that it comes in
    type_into(app, SPRING, "12");
    poise__input_push_key(&app->input, POISE_KEY_LEFT_CTRL, true, false, 0);
    poise__input_push_key(&app->input, 'A', true, false, POISE_MOD_CTRL);
    poise__input_push_key(&app->input, 'A', false, false, POISE_MOD_CTRL);
    poise__input_push_key(&app->input, POISE_KEY_LEFT_CTRL, false, false, POISE_MOD_CTRL);
    run(app, "type 45\nkey Enter\nexpect " SPRING " < 45.001\nexpect " SPRING " > 44.999\n");
    close_app(app, ui);
}

Test(numbers, a_number_that_cannot_be_says_why) {
    PoiseUi* ui = NULL;
    PoiseApp* app = app_with_panels(&ui);
    run(app, "do pause\n");
    type_into(app, SPRING, "-50");
    run(app, "key Enter\nexpect " SPRING " > 99.9\n");
    cr_expect_str_eq(app->message.text, SPRING " cannot be -50: 0 or more");
    fails(app, "slide " SPRING " -50\n", SPRING " is 100 and not -50: ");
    fails(app, "click section/ik\nslide ik.sweeps 10.5\n", "ik.sweeps is");
    close_app(app, ui);
}
