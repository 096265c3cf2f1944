// SPDX-License-Identifier: MIT
// Tests numbers in the panels: dragged, typed, set by scripts, undone.
#include <string.h>

#include "panels_fixture.h"

#define SPRING "joints.left_shoulder.ik.spring"

/// Drags a number by `distance` window units in five steps.
static void drag_number(PoiseApp* app, const PoiseUiItem* item, double distance, int mods) {
    double x = 0.5 * (double)(item->left + item->right);
    double y = 0.5 * (double)(item->top + item->bottom);
    poise__input_push_pointer(&app->input, x, y);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, mods);
    for (int i = 1; i <= 5; i++) {
        for (int frame = 0; frame < 2; frame++) {
            poise__app_frame(app, 0.0);
            poise__screen_draw(app);
        }
        poise__input_push_pointer(&app->input, x + distance * i / 5.0, y);
    }
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, mods);
    poise__input_push_key(&app->input, POISE_KEY_LEFT_SHIFT, false, false, 0);
    for (int i = 0; i < 30; i++) { // wait, so that the next press is no double click
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
    }
}

PANELS_TEST(numbers, one_undo_reverses_the_whole_drag_of_a_slider) {
    run(app, "do pause\nslide joints.left_shoulder.ik.spring 2000.125\n"
             "expect joints.left_shoulder.ik.spring > 2000.1249\n"
             "expect joints.left_shoulder.ik.spring < 2000.1251\n"
             "key Ctrl+Z\nexpect joints.left_shoulder.ik.spring < 100.0001\n"
             "expect joints.left_shoulder.ik.spring > 99.9999\n"
             "key Ctrl+Y\nexpect joints.left_shoulder.ik.spring > 1200\n");
}

PANELS_TEST(numbers, the_last_motion_counts_if_it_comes_with_the_release) {
    run(app, "do pause\nclick section/ik\n");
    PoiseUiItem item;
    cr_assert(poise__ui_find(app->ui, "ik.damping_floor", &item));
    double before = item.value;
    drag_number(app, &item, 150.0, 0);
    cr_assert(poise__ui_find(app->ui, "ik.damping_floor", &item));
    PoiseParameter damping;
    int index = poise_simulation_find_parameter(app->session.simulation, "ik.damping_floor");
    cr_assert(poise_simulation_parameter(app->session.simulation, index, &damping));
    EXPECT_NEAR(damping.value,
                before + 150.0 / 600.0 * (damping.slider_upper - damping.slider_lower), 1e-6);
}

PANELS_TEST(numbers, a_number_grows_with_the_motion_and_slowly_with_shift) {
    PoiseUiItem item;
    run(app, "do pause\n");
    cr_assert(poise__ui_find(app->ui, SPRING, &item));
    EXPECT_NEAR(item.value, 100.0, 0.0);
    drag_number(app, &item, 100.0, 0);
    cr_assert(poise__ui_find(app->ui, SPRING, &item));
    EXPECT_NEAR(item.value, 271.828, 0.01);
    drag_number(app, &item, -100.0, POISE_MOD_SHIFT);
    cr_assert(poise__ui_find(app->ui, SPRING, &item));
    EXPECT_NEAR(item.value, 245.960, 0.01);
    // each drag is one edit for undo
    run(app, "key Ctrl+Z\nkey Ctrl+Z\nexpect " SPRING " < 100.0001\n");
}

/// Clicks on the middle of a number with Ctrl, and types.
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

PANELS_TEST(numbers, a_typed_number_counts_when_it_is_complete) {
    run(app, "do pause\n");
    type_into(app, SPRING, "3");
    run(app, "expect " SPRING " > 99.9\ntype 00\nexpect " SPRING " < 100.1\nkey Enter\n"
             "expect " SPRING " > 299.999\nexpect " SPRING " < 300.001\n");
    // one change, and one edit for undo
    run(app, "key Ctrl+Z\nexpect " SPRING " < 100.001\nkey Ctrl+Y\n");
    // Esc keeps the number, closes nothing else and shows no message
    type_into(app, SPRING, "7");
    run(app, "key Esc\nexpect " SPRING " > 299.999\n");
    cr_expect_null(strstr(app->message.text, "quits"), "%s", app->message.text);
    // Ctrl+A selects the whole text, also in a slow frame
    type_into(app, SPRING, "12");
    poise__input_push_key(&app->input, POISE_KEY_LEFT_CTRL, true, false, 0);
    poise__input_push_key(&app->input, 'A', true, false, POISE_MOD_CTRL);
    poise__input_push_key(&app->input, 'A', false, false, POISE_MOD_CTRL);
    poise__input_push_key(&app->input, POISE_KEY_LEFT_CTRL, false, false, POISE_MOD_CTRL);
    run(app, "type 45\nkey Enter\nexpect " SPRING " < 45.001\nexpect " SPRING " > 44.999\n");
}

PANELS_TEST(numbers, an_invalid_number_gets_a_message) {
    run(app, "do pause\n");
    type_into(app, SPRING, "-50");
    run(app, "key Enter\nexpect " SPRING " > 99.9\n");
    cr_expect_str_eq(app->message.text, SPRING " cannot be -50: 0 or more");
    fails(app, "slide " SPRING " -50\n", SPRING " is 100 and not -50: ");
    fails(app, "click section/ik\nslide ik.sweeps 10.5\n", "ik.sweeps is");
}

PANELS_TEST(numbers, the_orientation_of_a_goal_is_typed) {
    run(app, "do pause\nclick choose/right_tip\nslide goal/roll 10\nslide goal/pitch -20\n"
             "slide goal/yaw 120\n");
    const int tip = known_point(app, "right_tip");
    const PoisePointView point = poise_simulation_point(app->session.simulation, tip);
    // rotated about the fixed x, then y, then z
    const double degree = 3.14159265358979323846 / 180.0;
    const PoiseQuat x = poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), 10.0 * degree);
    const PoiseQuat y = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), -20.0 * degree);
    const PoiseQuat z = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), 120.0 * degree);
    const PoiseQuat wanted = poise_quat_mul(z, poise_quat_mul(y, x));
    const PoiseVec3 off =
        poise_quat_log(poise_quat_mul(point.goal_world.q, poise_quat_conjugate(wanted)));
    EXPECT_NEAR(poise_length(off), 0.0, 1e-9);
    cr_expect(point.turn_held);
    // a goal without orientation has no such numbers
    PoiseUiItem item;
    cr_expect(poise__ui_find(app->ui, "goal/yaw", &item));
    run(app, "click choose/left_tip\nwait 0.05\n");
    cr_expect_not(poise__ui_find(app->ui, "goal/yaw", &item));
}

PANELS_TEST(numbers, a_joint_shows_its_place_in_its_range_and_its_part_of_the_torque_limit) {
    run(app,
        "restart joints.left_shoulder.limits=[-1, 2]\nrestart joints.left_shoulder.max_torque=50\n"
        "click section/springs\nclick section/joints\nwait 0.4\n");
    const PoiseJointView joint = poise_simulation_joint(
        app->session.simulation,
        poise__find(app->session.simulation, POISE_OWNER_JOINT, "left_shoulder"));
    PoiseUiItem range;
    PoiseUiItem torque;
    cr_assert(poise__ui_find(app->ui, "range/left_shoulder", &range));
    cr_assert(poise__ui_find(app->ui, "torque/left_shoulder", &torque));
    EXPECT_NEAR(range.value, (joint.q[0] + 1.0) / 3.0, 1e-9);
    EXPECT_NEAR(torque.value, poise_length(joint.torque) / 50.0, 1e-9);
    cr_expect_gt(torque.value, 0.0);
}
