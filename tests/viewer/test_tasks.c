// SPDX-License-Identifier: MIT
// Five tasks that people have for the viewer, from its start and without its README. Each is a
// script of at most five gestures.
#include <string.h>
#include <unistd.h>

#include "panels_fixture.h"

enum { MAX_GESTURES = 5 };

/// Returns the app as the program starts without a scene: the Panda with the list of scenes.
static PoiseApp* begun_app(void) {
    PoiseApp* app = known_app();
    app->ui = poise__ui_create(1.0, NULL);
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, 1280, 720);
    poise__scene_list_add(&app->scenes, POISE_SOURCE_DIR "/scenes");
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/panda_square.yaml"));
    app->panels.popup = POISE_POPUP_SCENES;
    app->panels.popup_opened = true;
    poise__screen_draw(app);
    return app;
}

/// Counts the gestures of a script. Its other lines may only wait or check.
static int count_gestures(const char* text) {
    static const char* const gestures[] = {"drag ", "press ", "click ", "slide ",
                                           "key ",  "type ",  "drop "};
    static const char* const looks[] = {"wait ", "expect ", "read ", "#"};
    int count = 0;
    for (const char* line = text; line && *line != '\0';
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        bool known = *line == '\n';
        for (size_t i = 0; i < sizeof gestures / sizeof *gestures; i++) {
            const bool is = strncmp(line, gestures[i], strlen(gestures[i])) == 0;
            count += is;
            known = known || is;
        }
        for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
            known = known || strncmp(line, looks[i], strlen(looks[i])) == 0;
        }
        cr_expect(known, "neither a gesture nor a look: %.40s", line);
    }
    return count;
}

/// Opens an app and runs the script of a task. The caller closes the app.
static PoiseApp* do_task(const char* name) {
    char path[512];
    char text[2048];
    snprintf(path, sizeof path, POISE_SOURCE_DIR "/tests/viewer/tasks/%s.script", name);
    FILE* file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_expect_leq(count_gestures(text), MAX_GESTURES, "%s takes %d gestures", name,
                  count_gestures(text));
    cr_assert_eq(chdir(POISE_SOURCE_DIR), 0);
    PoiseApp* app = begun_app();
    PoiseNote note = {""};
    cr_expect(does(app, path, text, &note), "%s", note.text);
    return app;
}

/// Expects that a place is inside the picture, and no panel covers it.
static void expect_seen(const PoiseApp* app, PoiseVec3 place, const char* what) {
    double x = -1.0, y = -1.0;
    poise__camera_project(&app->camera, place, &x, &y);
    cr_expect(x > 0.0 && x < app->camera.width - app->camera.inset && y > 0.0 &&
                  y < app->camera.height - app->camera.covered_below,
              "%s is at %.0f, %.0f", what, x, y);
    cr_expect_not(poise__ui_covers(app->ui, x, y), "a panel covers %s at %.0f, %.0f", what, x, y);
}

static void expect_point_seen(const PoiseApp* app, const char* name) {
    const int index = known_point(app, name);
    const PoisePointView point = poise_simulation_point(app->session.simulation, index);
    expect_seen(app, point.pose_world.p, name);
    expect_seen(app, point.goal_world.p, name);
}

/// Expects that a label has these words, inside the picture.
static void expect_label_seen(PoiseApp* app, const char* words) {
    poise__screen_draw(app);
    for (int i = 0; i < app->list.label_count; i++) {
        const PoiseLabel* label = &app->list.labels[i];
        if (strstr(label->text, words)) {
            cr_expect(label->always, "%s is shown only near the pointer", label->text);
            expect_seen(
                app,
                poise_vec3((double)label->place.x, (double)label->place.y, (double)label->place.z),
                label->text);
            return;
        }
    }
    cr_expect_fail("no label says %s", words);
}

/// Returns how far a body moves in a second when it is pulled towards a place 0.3 m below, m.
static double yield_of(PoiseApp* app, const char* body) {
    const PoiseSimulation* simulation = app->session.simulation;
    const int index = poise__find(simulation, POISE_OWNER_LINK, body);
    const PoiseVec3 before = poise_simulation_body(simulation, index).com_world;
    PoiseChange pull = {.kind = POISE_CHANGE_PULL,
                        .index = index,
                        .to = poise_add(before, poise_vec3(0.0, 0.0, -0.3))};
    cr_assert_geq(poise__app_change(app, &pull), 0);
    cr_assert(poise__app_run_to(app, poise_simulation_time(simulation) + 1.0));
    const PoiseVec3 after = poise_simulation_body(simulation, index).com_world;
    pull.kind = POISE_CHANGE_LET_GO;
    cr_assert_geq(poise__app_change(app, &pull), 0);
    return poise_length(poise_sub(after, before));
}

Test(tasks, open_my_robot_and_move_its_tip) {
    PoiseApp* app = do_task("open");
    expect_point_seen(app, "torch");
    close_app(app);
}

Test(tasks, find_which_joint_stops_it) {
    PoiseApp* app = do_task("limit");
    expect_point_seen(app, "tip");
    expect_label_seen(app, ": limit");
    close_app(app);
}

Test(tasks, make_it_softer) {
    PoiseApp* app = do_task("softer");
    PoiseUiItem slider;
    cr_expect(poise__ui_find(app->ui, "joints.joint2.ik.spring", &slider));
    expect_point_seen(app, "torch");
    const double soft = yield_of(app, "flange");
    run(app, "key Ctrl+Z\nwait 0.5\n"); // restore the stiffness
    const double hard = yield_of(app, "flange");
    cr_expect_gt(soft, 1.2 * hard, "%g m, %g before", soft, hard);
    close_app(app);
}

Test(tasks, see_the_force_on_a_wall) {
    PoiseApp* app = do_task("wall");
    expect_point_seen(app, "finger");
    expect_label_seen(app, "of 20 N");
    close_app(app);
}

// window.clicks_cancels_scrubs_films_reloads_and_takes_what_is_dropped tests the film itself.
Test(tasks, save_a_film) {
    PoiseApp* app = do_task("film");
    expect_point_seen(app, "pen");
    cr_expect(app->requests & POISE_REQUEST_RECORD);
    close_app(app);
}
