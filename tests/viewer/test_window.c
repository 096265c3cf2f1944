// SPDX-License-Identifier: MIT
// The real window on a display of its own: a target is dragged, and the picture shows it there.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "png_file.h"

enum { FROM_X, FROM_Y, TO_X, TO_Y };
enum { NO_DISPLAY = 77 }; // window.sh: Xvfb is there and does not work

/// Where to take the goal of `left_tip`, and where to put it.
static void plan_drag(int way[4]) {
    PoiseApp* app = known_app();
    double x = 0.0;
    double y = 0.0;
    int point = known_point(app, "left_tip");
    seen_at(app, poise_simulation_point(app->session.simulation, point).goal_world.p, &x, &y);
    way[FROM_X] = (int)x;
    way[FROM_Y] = (int)y;
    way[TO_X] = (int)x + 90;
    way[TO_Y] = (int)y + 25;
    known_app_close(app);
}

/// Runs window.sh in a directory; its exit code, and what it said.
static int run_window(const char* directory, const int way[4], char said[4096]) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && '" POISE_SOURCE_DIR "/tests/viewer/window.sh' '" POISE_VIEW
             "' '" POISE_SOURCE_DIR "/tests/viewer/known.yaml' %d %d %d %d 2>&1",
             directory, way[FROM_X], way[FROM_Y], way[TO_X], way[TO_Y]);
    FILE* pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    said[fread(said, 1, 4095, pipe)] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_marker(const unsigned char* rgb, int width, int x, int y) {
    const unsigned char* pixel = rgb + 3 * (y * width + x);
    return pixel[0] > 180 && pixel[2] < 120;
}

static void remove_directory(const char* directory) {
    static const char* const files[] = {"poise-001.png", "log"};
    char path[96];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
}

Test(window, a_target_is_dragged_with_the_mouse) {
    if (system("command -v Xvfb >/dev/null 2>&1 && command -v xdotool >/dev/null 2>&1") != 0) {
        cr_skip("Xvfb or xdotool is not installed: apt install xvfb xdotool");
    }
    char directory[] = "/tmp/poise-view-XXXXXX";
    char path[64];
    char said[4096];
    int way[4];
    int width = 0;
    int height = 0;
    cr_assert_not_null(mkdtemp(directory));
    plan_drag(way);
    int code = run_window(directory, way, said);
    if (code == NO_DISPLAY) {
        remove_directory(directory);
        cr_skip("%s", said);
    }
    cr_assert_eq(code, 0, "exit %d: %s", code, said);
    cr_expect_not_null(strstr(said, "paused"), "%s", said);
    snprintf(path, sizeof path, "%s/poise-001.png", directory);
    unsigned char* rgb = poise__png_read(path, &width, &height, NULL);
    cr_assert_not_null(rgb);
    cr_assert_eq(width, 640);
    cr_assert_eq(height, 360);
    cr_expect(is_marker(rgb, width, way[TO_X], way[TO_Y]));
    cr_expect_not(is_marker(rgb, width, way[FROM_X], way[FROM_Y]));
    free(rgb);
    remove_directory(directory);
}
