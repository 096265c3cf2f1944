// SPDX-License-Identifier: MIT
// The real window on a display of its own: a target is dragged, and the picture shows it there.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "png_file.h"

enum { FROM_X, FROM_Y, TO_X, TO_Y, SLIDE_X, SLIDE_Y, SLIDE_TO_X, SLIDE_TO_Y, WAY };
enum { WIDTH = 900, HEIGHT = 700 };
enum { NO_DISPLAY = 77 }; // window.sh: Xvfb is there and does not work

#define SPRING "joints.left_shoulder.ik.spring"
static const double STIFFER = 300.0;

/// Where to take the goal of `left_tip` and where to put it; and the slider of a spring. Returns
/// the place in the world that the goal is to have then.
static PoiseVec3 plan_drags(int way[WAY]) {
    PoiseApp* app = known_app();
    app->ui = poise__ui_create(1.0, poise__ui_system_font());
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, WIDTH, HEIGHT);
    poise__screen_inset(app);
    poise__app_act(app, POISE_ACTION_FRAME);
    for (int i = 0; i < 3; i++) {
        poise__screen_draw(app);
    }
    double x = 0.0;
    double y = 0.0;
    int point = known_point(app, "left_tip");
    PoiseVec3 goal = poise_simulation_point(app->session.simulation, point).goal_world.p;
    seen_at(app, goal, &x, &y);
    way[FROM_X] = (int)x;
    way[FROM_Y] = (int)y;
    way[TO_X] = (int)x + 90;
    way[TO_Y] = (int)y + 25;
    PoiseUiItem item;
    cr_assert(poise__ui_find(app->ui, SPRING, &item));
    way[SLIDE_X] = (int)item.left + 3;
    way[SLIDE_TO_X] = way[SLIDE_X] + (int)(100.0 * log(STIFFER / item.value) + 0.5);
    way[SLIDE_Y] = way[SLIDE_TO_Y] = (int)(0.5f * (item.top + item.bottom));
    PoiseDrag drag;
    cr_assert(
        poise__drag_begin(&drag, (PoisePointer){&app->camera, way[FROM_X], way[FROM_Y]}, goal));
    goal = poise__drag_place(&drag, (PoisePointer){&app->camera, way[TO_X], way[TO_Y]});
    poise__ui_destroy(app->ui);
    app->ui = NULL;
    known_app_close(app);
    return goal;
}

/// Runs window.sh in a directory; its exit code, and what it said.
static int run_window(const char* directory, const int way[WAY], char said[4096]) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && '" POISE_SOURCE_DIR "/tests/viewer/window.sh' '" POISE_VIEW
             "' '" POISE_SOURCE_DIR "/tests/viewer/known.yaml' %d %d %d %d %d %d %d %d 2>&1",
             directory, way[FROM_X], way[FROM_Y], way[TO_X], way[TO_Y], way[SLIDE_X], way[SLIDE_Y],
             way[SLIDE_TO_X], way[SLIDE_TO_Y]);
    FILE* pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    said[fread(said, 1, 4095, pipe)] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The file of that name in the directory; the caller frees it.
static char* read_text(const char* directory, const char* name) {
    char path[96];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE* file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char* text = calloc(1, 1 << 16);
    cr_assert_not_null(text);
    cr_assert_gt(fread(text, 1, (1 << 16) - 1, file), 0);
    fclose(file);
    return text;
}

/// What stands behind the last line with these words.
static const char* last_of(const char* text, const char* words) {
    const char* found = NULL;
    for (const char* next = strstr(text, words); next; next = strstr(next + 1, words)) {
        found = next + strlen(words);
    }
    return found;
}

static void remove_directory(const char* directory) {
    static const char* const files[] = {"poise-001.png", "log", "done.script"};
    char path[96];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
}

Test(window, a_target_and_a_slider_are_dragged_with_the_mouse) {
    if (system("command -v Xvfb >/dev/null 2>&1 && command -v xdotool >/dev/null 2>&1") != 0) {
        cr_skip("Xvfb or xdotool is not installed: apt install xvfb xdotool");
    }
    char directory[] = "/tmp/poise-view-XXXXXX";
    char path[64];
    char said[4096];
    int way[WAY];
    int width = 0;
    int height = 0;
    cr_assert_not_null(mkdtemp(directory));
    PoiseVec3 wanted = plan_drags(way);
    int code = run_window(directory, way, said);
    if (code == NO_DISPLAY) {
        remove_directory(directory);
        cr_skip("%s", said);
    }
    cr_assert_eq(code, 0, "exit %d: %s", code, said);
    cr_expect_not_null(strstr(said, "paused"), "%s", said);
    // paused and untouched: at most 1 % of a core
    const char* idle = strstr(said, "idle ");
    cr_assert_not_null(idle, "%s", said);
    cr_expect(strtol(idle + strlen("idle "), NULL, 10) <= 10, "%s", said);

    // what the program says was done
    char* done = read_text(directory, "done.script");
    const char* hold = last_of(done, "hold target:left_tip ");
    const char* set = last_of(done, "set " SPRING " ");
    PoiseVec3 place = {0.0, 0.0, 0.0};
    cr_assert(hold && sscanf(hold, "%lf %lf %lf", &place.x, &place.y, &place.z) == 3, "%s", done);
    EXPECT_NEAR3(place, wanted, 1e-9);
    cr_assert_not_null(set, "%s", done);
    // a pixel is a hundredth of it
    double stiffness = strtod(set, NULL);
    cr_expect(stiffness > 0.98 * STIFFER && stiffness < 1.02 * STIFFER, "%g", stiffness);
    free(done);

    // and a picture of the window's size
    snprintf(path, sizeof path, "%s/poise-001.png", directory);
    unsigned char* rgb = poise__png_read(path, &width, &height, NULL);
    cr_assert_not_null(rgb);
    cr_expect_eq(width, WIDTH);
    cr_expect_eq(height, HEIGHT);
    const unsigned char* goal = rgb + 3 * (way[TO_Y] * width + way[TO_X]);
    cr_expect(goal[0] > 180 && goal[2] < 120, "%d %d %d", goal[0], goal[1], goal[2]);
    free(rgb);
    remove_directory(directory);
}
