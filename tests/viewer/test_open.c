// SPDX-License-Identifier: MIT
// Tests files in the window: dropped, typed, opened before, saved while shown.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "panels_fixture.h"
#include "recent.h"
#include "text.h"
#include "window.h"

#define KNOWN POISE_SOURCE_DIR "/tests/viewer/known.yaml"

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

/// Replaces the first `old` in the text by a `fresh` of at most the same length.
static void replace(char* text, const char* old, const char* fresh) {
    char* at = strstr(text, old);
    cr_assert_not_null(at, "%s", old);
    memmove(at + strlen(fresh), at + strlen(old), strlen(at + strlen(old)) + 1);
    memcpy(at, fresh, strlen(fresh));
}

static void frames(PoiseApp* app, int count, double seconds) {
    for (int i = 0; i < count; i++) {
        poise__app_frame(app, seconds);
        poise__screen_draw(app);
    }
}

PANELS_TEST(open, a_file_that_is_dropped_on_the_window_is_shown) {
    poise__input_push_drop(&app->input, POISE_SOURCE_DIR "/scenes/robots/panda.urdf");
    frames(app, 2, 0.0);
    cr_expect_not_null(strstr(app->session.scene->file, "panda.urdf"), "%s",
                       app->session.scene->file);
    cr_expect_eq(app->open_error.text[0], '\0');
}

Test(open, a_file_that_cannot_be_read_gets_a_message_and_the_run_continues) {
    char path[] = "/tmp/poise-open-XXXXXX";
    PoiseApp* app = app_with_panels();
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    write_file(path, "poise: 1\nbodies: {a: {sphere: -1}}\n");
    frames(app, 3, 0.1);
    long steps = poise_simulation_step_count(app->session.simulation);
    poise__input_push_drop(&app->input, path);
    frames(app, 3, 0.1);
    cr_expect_not_null(strstr(app->session.scene->file, "known.yaml"));
    cr_expect_gt(poise_simulation_step_count(app->session.simulation), steps);
    cr_expect_not_null(strstr(app->open_error.text, ":2:"), "%s", app->open_error.text);
    PoiseUiItem item;
    cr_expect(poise__ui_find(app->ui, "refused/close", &item));
    run(app, "key Esc\n");
    cr_expect_eq(app->open_error.text[0], '\0');
    unlink(path);
    close_app(app);
}

PANELS_TEST(open, a_path_is_typed_into_the_list_of_scenes) {
    run(app, "key Ctrl+O\ntype " POISE_SOURCE_DIR "/scenes/robots/pan\n");
    cr_expect_gt(app->panels.found.count, 0);
    run(app, "type da.urdf\nkey Enter\n");
    cr_expect_not_null(strstr(app->session.scene->file, "panda.urdf"), "%s",
                       app->session.scene->file);
    cr_expect_eq(app->panels.popup, POISE_POPUP_NONE);
    // Enter on a folder continues with its contents
    run(app, "key Ctrl+O\ntype " POISE_SOURCE_DIR "/scenes/robot\nkey Enter\n");
    cr_expect_eq(app->panels.popup, POISE_POPUP_SCENES);
    cr_expect_str_eq(app->panels.filter, POISE_SOURCE_DIR "/scenes/robots/");
}

Test(open, a_study_is_no_scene) {
    static PoiseSceneList files;
    poise__scene_list_add(&files, POISE_SOURCE_DIR "/scenes/studies");
    cr_expect_eq(files.count, 0, "%s", files.files[0].path);
    poise__scene_list_find(&files, POISE_SOURCE_DIR "/scenes/studies/");
    cr_expect_eq(files.count, 0, "%s", files.files[0].path);
    poise__scene_list_add(&files, POISE_SOURCE_DIR "/scenes");
    cr_expect_gt(files.count, 20);
}

PANELS_TEST(open, backspace_edits_what_was_typed) {
    run(app, "key Ctrl+O\ntype reax\nkey Backspace\n");
    cr_expect_str_eq(app->panels.filter, "rea");
    // also after an Enter that selected nothing the field keeps the keyboard
    run(app, "type qq\nkey Enter\nwait 0.05\nkey Backspace\nkey Backspace\ntype ch\n");
    cr_expect_str_eq(app->panels.filter, "reach");
    cr_expect_gt(poise_simulation_step_count(app->session.simulation), -1);
    run(app, "key Enter\n");
    cr_expect_not_null(strstr(app->session.scene->file, "/reach.yaml"), "%s",
                       app->session.scene->file);
}

/// Opens a copy of the known scene in a file of its own, which the app follows.
static PoiseApp* followed(const char* path) {
    char* text = text_of(KNOWN);
    write_file(path, text);
    free(text);
    PoiseApp* app = app_with_panels();
    cr_assert(poise__app_open(app, path));
    app->follows_files = true;
    return app;
}

static double angle_of(const PoiseApp* app, const char* joint) {
    return poise_simulation_joint(app->session.simulation,
                                  poise_scene_find_joint(app->session.scene, joint))
        .q[0];
}

Test(open, a_good_save_takes_effect_at_the_same_pose) {
    char path[] = "/tmp/poise-open-XXXXXX.yaml";
    int file = mkstemps(path, 5);
    cr_assert_geq(file, 0);
    close(file);
    PoiseApp* app = followed(path);
    run(app, "wait 1\ndo pause\n");
    double angle = angle_of(app, "left_shoulder");
    PoisePose right =
        poise_simulation_body(app->session.simulation,
                              poise__find(app->session.simulation, POISE_OWNER_LINK, "right_arm"))
            .pose_world;
    PoiseCamera camera = app->camera;
    cr_assert_gt(angle, 0.3);
    char* text = text_of(KNOWN);
    replace(text, "spring: 100", "spring: 90");
    write_file(path, text);
    frames(app, 6, 0.3);
    run(app, "expect joints.left_shoulder.ik.spring < 90.001\n");
    EXPECT_NEAR(angle_of(app, "left_shoulder"), angle, 1e-9);
    PoisePose now =
        poise_simulation_body(app->session.simulation,
                              poise__find(app->session.simulation, POISE_OWNER_LINK, "right_arm"))
            .pose_world;
    EXPECT_NEAR3(now.p, right.p, 1e-6); // the parts of an ODE joint drift apart by up to this, m
    cr_expect_eq(memcmp(&camera, &app->camera, sizeof camera), 0);
    // the run can go back to the step at which the file was read again
    uint64_t state = poise_simulation_state_hash(app->session.simulation);
    run(app, "do pause\nwait 0.5\ngo 0\n");
    cr_expect_eq(poise_simulation_state_hash(app->session.simulation), state);
    free(text);
    unlink(path);
    close_app(app);
}

Test(open, a_bad_save_shows_its_error_and_keeps_the_run) {
    char path[] = "/tmp/poise-open-XXXXXX.yaml";
    int file = mkstemps(path, 5);
    cr_assert_geq(file, 0);
    close(file);
    PoiseApp* app = followed(path);
    run(app, "wait 0.5\n");
    char* text = text_of(KNOWN);
    replace(text, "hinge: [", "hinge [");
    write_file(path, text);
    frames(app, 6, 0.3);
    cr_expect_gt(poise_simulation_time(app->session.simulation), 1.5);
    cr_expect_not_null(strstr(app->open_error.text, ".yaml:"), "%s", app->open_error.text);
    // the next good save ends that
    replace(text, "hinge [", "hinge:[");
    replace(text, "hinge:[0.1, 0.15", "hinge: [.1, .15");
    write_file(path, text);
    frames(app, 6, 0.3);
    cr_expect_eq(app->open_error.text[0], '\0', "%s", app->open_error.text);
    free(text);
    unlink(path);
    close_app(app);
}

Test(open, the_file_opened_last_is_listed_first) {
    char folder[] = "/tmp/poise-recent-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    setenv("XDG_STATE_HOME", folder, 1);
    PoiseApp* app = app_with_panels();
    app->keeps_recent = true;
    run(app, "open " POISE_SOURCE_DIR "/scenes/reach.yaml\nopen " POISE_SOURCE_DIR
             "/scenes/robots/panda.urdf\n");
    static PoiseSceneList recent;
    poise__recent_read(&recent);
    cr_assert_eq(recent.count, 2);
    cr_expect_not_null(strstr(recent.files[0].path, "panda.urdf"));
    cr_expect_not_null(strstr(recent.files[1].path, "reach.yaml"));
    run(app, "key Ctrl+O\nkey Down\nkey Enter\n");
    cr_expect_not_null(strstr(app->session.scene->file, "/reach.yaml"), "%s",
                       app->session.scene->file);
    close_app(app);
    char path[128];
    snprintf(path, sizeof path, "%s/poise/recent", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/poise", folder);
    rmdir(path);
    rmdir(folder);
}

Test(open, letters_follow_the_scale_of_the_screen) {
    // three window systems: pixels with scale 2; units of two pixels with scale 2; scale 1
    EXPECT_NEAR(poise__window_unit(2.0, 1.0, 1.0), 2.0, 0.0);
    EXPECT_NEAR(poise__window_unit(2.0, 2.0, 1.0), 1.0, 0.0);
    EXPECT_NEAR(poise__window_unit(1.0, 1.0, 1.5), 1.5, 0.0);
    EXPECT_NEAR(poise__window_unit(0.0, 0.0, 1.0), 1.0, 0.0);
}
