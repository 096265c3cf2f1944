// SPDX-License-Identifier: MIT
// Tests panels without OpenGL. Widgets are found by name and pressed through the queue of events.
// They must show the values of the scene.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "panels_fixture.h"
#include "text.h"
#include "viewpoint.h"

PANELS_TEST(panels, a_press_and_release_in_one_slow_frame_reach_a_button) {
    PoiseUiItem item;
    cr_assert(poise__ui_find(app->ui, "do/pause", &item));
    double x = 0.5 * (double)(item.left + item.right);
    double y = 0.5 * (double)(item.top + item.bottom);
    poise__input_push_pointer(&app->input, x, y);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    // the pointer is elsewhere when the events are taken
    poise__input_push_pointer(&app->input, 5.0, 5.0);
    for (int i = 0; i < 6; i++) {
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
    }
    cr_expect(app->pacing.paused);
}

PANELS_TEST(panels, events_over_a_panel_do_not_reach_the_scene) {
    double azimuth = app->camera.azimuth;
    double distance = app->camera.distance;
    poise__input_push_pointer(&app->input, 1200.0, 300.0);
    poise__input_push_wheel(&app->input, 0.0, -3.0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_pointer(&app->input, 700.0, 300.0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, 0);
    for (int i = 0; i < 6; i++) {
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
    }
    EXPECT_NEAR(app->camera.azimuth, azimuth, 0.0);
    EXPECT_NEAR(app->camera.distance, distance, 0.0);
    cr_expect_eq(app->gesture, POISE_GESTURE_NONE);
}

PANELS_TEST(panels, a_command_is_found_by_its_words_and_done_by_enter) {
    run(app, "key Ctrl+K\ntype forces asked\nkey Enter\n");
    cr_expect_eq(app->panels.popup, POISE_POPUP_NONE);
    cr_expect(app->highlight.parts & POISE_SHOW_FORCES);
}

PANELS_TEST(panels, a_scene_is_found_by_its_name_first_and_arrows_choose) {
    run(app, "key Ctrl+O\ntype reach\nkey Enter\nwait 0.1\n");
    cr_expect_not_null(strstr(app->session.scene->file, "/reach.yaml"), "%s",
                       app->session.scene->file);
    // select the second match, and the first again
    run(app, "key Ctrl+O\ntype reach\nkey Down\n");
    cr_expect_eq(app->panels.row, 1);
    run(app, "key Up\nkey Up\n");
    cr_expect_eq(app->panels.row, 0);
    run(app, "key Down\nkey Enter\n");
    cr_expect_null(strstr(app->session.scene->file, "/reach.yaml"));
    // no row matches, and Enter selects nothing
    run(app, "key Ctrl+O\ntype qqq\nkey Enter\n");
    cr_expect_eq(app->panels.popup, POISE_POPUP_SCENES);
}

PANELS_TEST(panels, a_film_shows_no_messages) {
    app->highlight.parts = POISE_VIEW_CLEAN;
    int silent = letters_drawn(app);
    poise__app_say(app, "filming");
    cr_expect_gt(letters_drawn(app), silent);
    app->filmed = true;
    cr_expect_eq(letters_drawn(app), silent);
}

PANELS_TEST(panels, a_wall_is_not_looked_at_from_behind) {
    PoiseCamera usual = poise__camera_default();
    EXPECT_NEAR(app->camera.azimuth, usual.azimuth, 0.0); // nothing hides the points
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/press_wall.yaml"));
    cr_expect_eq(poise__viewpoint_seen(&app->camera, app->session.simulation), 2);
    app->camera.azimuth = usual.azimuth;
    poise__app_do(app, "frame");
    cr_expect_lt(poise__viewpoint_seen(&app->camera, app->session.simulation), 2);
}

static double late_clock(void* user) {
    double* now = user;
    return *now += 0.02; // a step takes 20 ms
}

PANELS_TEST(panels, the_measured_speed_is_shown) {
    double now = 0.0;
    for (int i = 0; i < 100; i++) {
        poise__app_frame(app, 1.0 / 60.0);
    }
    cr_expect(fabs(app->measured_speed - 1.0) < 0.1, "%g", app->measured_speed);
    app->clock = late_clock;
    app->clock_user = &now;
    for (int i = 0; i < 20; i++) {
        poise__app_frame(app, 0.2);
    }
    cr_expect_lt(app->measured_speed, 0.5);
    app->clock = NULL;
}

PANELS_TEST(panels, letters_typed_into_a_field_are_no_commands) {
    run(app, "key Ctrl+K\n");
    run(app, "key F\nkey Space\ntype zz\n");
    cr_expect_not(app->pacing.paused);
    run(app, "expect control_points.left_tip.enabled > 0.5\nkey Esc\n");
    cr_expect_eq(app->panels.popup, POISE_POPUP_NONE);
    cr_expect_eq(app->requests, 0u);
}

PANELS_TEST(panels, another_scene_is_opened_from_the_list) {
    run(app, "key Ctrl+O\ntype reach\nclick scenes/reach\nwait 0.1\n");
    cr_expect_not_null(strstr(app->session.scene->file, "reach.yaml"));
    run(app, "key ]\nkey [\n");
    cr_expect_not_null(strstr(app->session.scene->file, "reach.yaml"));
    // a scene that cannot be read leaves the present one
    cr_expect_not(poise__app_open(app, "/nowhere/bad.yaml"));
    cr_expect_not_null(strstr(app->session.scene->file, "reach.yaml"));
}

Test(panels, any_value_is_watched_plotted_and_written_as_csv) {
    char path[] = "/tmp/poise-view-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    PoiseApp* app = app_with_panels();
    run(app, "click watch/open\ntype shoulder torque\nclick watch/left_shoulder.torque\nkey Esc\n"
             "wait 0.5\n");
    cr_assert(poise__watch_has(&app->watch, "left_shoulder.torque"));
    PoiseUiItem item;
    cr_expect(poise__ui_find(app->ui, "plot/left_shoulder.torque", &item));
    PoiseNote note = {""};
    cr_assert(poise__watch_write(&app->watch, path, &note), "%s", note.text);
    char line[256] = "";
    char last[256] = "";
    FILE* csv = fopen(path, "r");
    cr_assert_not_null(csv);
    cr_assert_not_null(fgets(line, sizeof line, csv));
    cr_expect_str_eq(line, "time,left_tip.error,left_shoulder.torque\n");
    while (fgets(line, sizeof line, csv)) {
        memcpy(last, line, sizeof last);
    }
    fclose(csv);
    unlink(path);
    double time = 0.0, error = 0.0, torque = 0.0;
    cr_assert_eq(sscanf(last, "%lf,%lf,%lf", &time, &error, &torque), 3, "%s", last);
    int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    EXPECT_NEAR(torque, poise_simulation_joint(app->session.simulation, joint).torque.x, 1e-4);
    close_app(app);
}

PANELS_TEST(panels, the_time_bar_goes_back_and_a_change_branches_off) {
    run(app, "wait 2\nslide run/time 0.5\nexpect time > 0.4\nexpect time < 0.6\n");
    cr_expect(app->pacing.paused);
    cr_expect_eq(app->timeline.ghost_end, 0);
    run(app, "key N\nkey U\n");
    cr_expect_gt(app->timeline.ghost_end, 190);
}

Test(panels, any_value_of_the_scene_is_set_and_it_starts_again) {
    PoiseApp* app = app_with_panels();
    PoiseNote note = {""};
    run(app, "wait 0.3\nkey V\ntype world.step=0.004\nkey Enter\nexpect time < 0.1\n");
    EXPECT_NEAR(poise_simulation_step_length(app->session.simulation), 0.004, 0.0);
    cr_expect_eq(app->panels.popup, POISE_POPUP_NONE);
    // set a list, keep its range in the run, and replace the step again
    run(app, "restart joints.left_shoulder.limits=[-0.1, 0.2]\nrestart world.step=0.005\nwait 2\n"
             "expect left_shoulder.angle < 0.21\n");
    EXPECT_NEAR(poise_simulation_step_length(app->session.simulation), 0.005, 0.0);
    cr_expect_eq(app->session.override_count, 2);
    // an impossible value gets a message, and the run stays
    long steps = poise_simulation_step_count(app->session.simulation);
    cr_expect_not(does(app, "test", "restart world.stepp=1\n", &note));
    cr_expect(strstr(note.text, "world.stepp") || strstr(note.text, "stepp"), "%s", note.text);
    cr_expect_not(does(app, "test", "restart nonsense\n", &note));
    cr_expect_eq(poise_simulation_step_count(app->session.simulation), steps);
    // a saved script has the values
    char path[] = "/tmp/poise-script-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    cr_assert(poise__script_save(app, path, &note), "%s", note.text);
    uint64_t state = poise_simulation_state_hash(app->session.simulation);
    close_app(app);
    app = known_app();
    run_file(app, path);
    cr_expect_eq(poise_simulation_state_hash(app->session.simulation), state);
    known_app_close(app);
    unlink(path);
}

PANELS_TEST(panels, the_place_of_a_target_is_set_as_numbers) {
    int right = known_point(app, "right_tip");
    run(app, "key Space\nclick choose/right_tip\n");
    PoiseVec3 start = poise_simulation_point(app->session.simulation, right).goal_world.p;
    PoiseUiItem item;
    cr_assert(poise__ui_find(app->ui, "goal/x", &item));
    // Ctrl+click turns the number into a text field
    poise__input_push_pointer(&app->input, 0.5 * (double)(item.left + item.right),
                              0.5 * (double)(item.top + item.bottom));
    poise__input_push_key(&app->input, POISE_KEY_LEFT_CTRL, true, false, 0);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, true, POISE_MOD_CTRL);
    poise__input_push_button(&app->input, POISE_BUTTON_LEFT, false, POISE_MOD_CTRL);
    poise__input_push_key(&app->input, POISE_KEY_LEFT_CTRL, false, false, POISE_MOD_CTRL);
    for (int i = 0; i < 4; i++) {
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
    }
    run(app, "type 0.4321\nkey Enter\n");
    PoiseVec3 place = poise_simulation_point(app->session.simulation, right).goal_world.p;
    EXPECT_NEAR3(place, poise_vec3(0.4321, start.y, start.z), 1e-9);
}

/// Returns the number of rings in the picture with this id.
static int rings_of(const PoiseApp* app, PoiseDrawKind kind, int index) {
    int count = 0;
    for (int i = 0; i < app->list.instance_count; i++) {
        const PoiseInstance* instance = &app->list.instances[i];
        count += instance->mesh == POISE_MESH_RING && instance->id == poise__draw_id(kind, index);
    }
    return count;
}

PANELS_TEST(panels, what_is_pointed_at_in_the_picture_stands_out_in_the_matrices) {
    run(app, "key Space\nshow solver\n");
    PoiseUiItem cells;
    cr_assert(poise__ui_find(app->ui, "solver/J", &cells));
    double side = ((double)cells.right - (double)cells.left) / 2.0;
    uint64_t before[2];
    uint64_t after[2];
    double corner[2][2] = {{(double)cells.left, (double)cells.top},
                           {(double)cells.left + side, (double)cells.top + side}};
    for (int i = 0; i < 2; i++) {
        before[i] = poise__ui_colours_at(app->ui, corner[i][0], corner[i][1]);
    }
    double x = 0.0, y = 0.0;
    int right = known_point(app, "right_tip");
    seen_at(app, poise_simulation_point(app->session.simulation, right).goal_world.p, &x, &y);
    poise__input_push_pointer(&app->input, x, y);
    for (int i = 0; i < 3; i++) {
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
    }
    cr_assert_eq(app->highlight.hover.index, right);
    for (int i = 0; i < 2; i++) {
        after[i] = poise__ui_colours_at(app->ui, corner[i][0], corner[i][1]);
    }
    cr_expect_neq(after[0], before[0], "the other point's block goes dim");
    cr_expect_eq(after[1], before[1], "its own stays");
}

PANELS_TEST(panels, the_solvers_matrices_point_at_joints_and_points) {
    run(app, "show solver\n");
    PoiseUiItem cells;
    cr_assert(poise__ui_find(app->ui, "solver/J", &cells));
    double side = ((double)cells.right - (double)cells.left) / 2.0;
    // row of right_tip, column of right_shoulder
    poise__input_push_pointer(&app->input, (double)cells.left + 1.5 * side,
                              (double)cells.top + 1.5 * side);
    for (int i = 0; i < 3; i++) {
        poise__app_frame(app, 0.0);
        poise__screen_draw(app);
    }
    cr_expect_eq(app->panels.focus.point, known_point(app, "right_tip"));
    cr_expect_eq(app->panels.focus.joint,
                 poise_scene_find_joint(app->session.scene, "right_shoulder"));
    // the joint and its only point are ringed in the picture
    cr_expect_gt(rings_of(app, POISE_DRAW_JOINT, app->panels.focus.joint), 0);
    run(app, "click solver/sweep_none\nclick solver/sweep\nclick solver/sweep\n");
    cr_expect_eq(app->panels.sweeps, 2);
}

PANELS_TEST(panels, scripts_report_their_errors) {
    fails(app, "wait 0.1\nfly away\n", "test:2: 'fly' is no command");
    fails(app, "drag target:nobody by 0 0 1\n", "no target 'nobody'");
    fails(app, "drag link:nobody by 0 0 1\n", "no link 'nobody'");
    fails(app, "drag target:left_tip ring:x 10\n", "no orientation");
    fails(app, "click nothing/here\n", "no widget 'nothing/here'");
    fails(app, "slide do/pause 3\n", "is no slider");
    fails(app, "wiat 1\n", "did you mean 'wait'");
    fails(app, "press target:left_tp\n", "did you mean 'left_tip'");
    fails(app, "hold target:left_tp 0 0 1\n", "did you mean 'left_tip'");
    fails(app, "slide joints.left_sholder.ik.spring 3\n",
          "did you mean 'joints.left_shoulder.ik.spring'");
    fails(app, "set ik.sweps 3\n", "did you mean 'ik.sweeps'");
    fails(app, "do puase\n", "did you mean 'pause'");
    fails(app, "expect left_tip.eror < 3\n", "did you mean 'left_tip.error'");
    fails(app, "picture f.jpg\n", "should end in .png");
    fails(app, "key Hyper\n", "is no key");
    fails(app, "do nonsense\n", "is no action");
    // a time that no run reaches
    fails(app, "at 1e300\n", "word 2 is 1e+300 s; a script waits for 0 to 86400 s");
    fails(app, "wait 86401\n", "a script waits for 0 to 86400 s");
    fails(app, "wait -1\n", "a script waits for 0 to 86400 s");
    fails(app, "wiat 1\n", "'wiat' is no command of scripts; did you mean 'wait'?");
    fails(app, "expect left_tip.error < -1\n", "left_tip.error is");
    fails(app, "expect nothing < 1\n", "there is no value 'nothing'");
    fails(app, "hold target:left_tip 1 2\n", "numbers cannot be read");
    fails(app, "set ik.sweeps 0\n", "ik.sweeps");
    fails(app, "set ik.nonsense 1\n", "'ik.nonsense' is not a parameter");
}

PANELS_TEST(panels, every_view_is_laid_out_at_any_size_and_scene) {
    const int sizes[][2] = {{320, 200}, {640, 360}, {1920, 1080}};
    for (int scene = 0; scene < app->scenes.count; scene++) {
        char path[512];
        memcpy(path, app->scenes.files[scene].path, sizeof path);
        cr_assert(poise__app_open(app, path), "%s", path);
        cr_assert(poise__app_run_to(app, 0.05), "%s: %s", path, app->trouble.text);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            poise__camera_resize(&app->camera, sizes[i][0], sizes[i][1]);
            app->highlight.parts = POISE_VIEW_ALL | POISE_SHOW_PANELS;
            poise__app_frame(app, 0.0);
            poise__screen_draw(app);
            cr_expect(poise__ui_has_frame(app->ui));
        }
    }
    cr_expect_gt(app->scenes.count, 5);
}

PANELS_TEST(panels, the_first_five_minutes) {
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/press_wall.yaml"));
    run_file(app, POISE_SOURCE_DIR "/tests/viewer/five_minutes.script");
}

PANELS_TEST(panels, letters_for_a_finer_screen_have_the_same_size) {
    unsigned made = poise__ui_letters(app->ui);
    poise__screen_draw(app);
    double wide = poise__ui_text_width(app->ui, "control point");
    poise__ui_set_pixels(app->ui, 1.0);
    cr_expect_eq(poise__ui_letters(app->ui), made, "the same screen");
    poise__ui_set_pixels(app->ui, 2.0);
    cr_expect_eq(poise__ui_letters(app->ui), made + 1);
    poise__screen_draw(app);
    EXPECT_NEAR(poise__ui_text_width(app->ui, "control point"), wide, 0.02 * wide);
}

Test(panels, the_script_of_the_readme_runs) {
    char* readme = text_of(POISE_SOURCE_DIR "/viewer/README.md");
    char* script = strstr(readme, "show clean,panels\n");
    cr_assert_not_null(script);
    char* end = strstr(script, "```");
    cr_assert_not_null(end);
    *end = '\0';
    PoiseApp* app = app_with_panels();
    poise__camera_resize(&app->camera, 1280, 720);
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/panda_square.yaml"));
    run(app, script);
    free(readme);
    close_app(app);
}
