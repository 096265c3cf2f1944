// SPDX-License-Identifier: MIT
// Tests the real window on its own display: a target is dragged, and the picture shows it there.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "context.h"
#include "fixture.h"
#include "text.h"

enum { FROM_X, FROM_Y, TO_X, TO_Y, SLIDE_X, SLIDE_Y, SLIDE_TO_X, SLIDE_TO_Y, POSITION_COUNT };
enum { WIDTH = 900, HEIGHT = 780 };
enum { NO_DISPLAY = 77 }; // exit code of window.sh if Xvfb is installed but fails

#define SPRING "joints.left_shoulder.ik.spring"
static const double STIFFER = 300.0;

/// Computes where to drag the goal of `left_tip`, and where to drag the slider of a spring. Returns
/// the goal's place in the world after the drag.
static PoiseVec3 plan_drags(int positions[POSITION_COUNT]) {
    PoiseApp* app = known_app();
    app->ui = poise__ui_create(1.0, poise__ui_system_font());
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, WIDTH, HEIGHT);
    poise__screen_inset(app);
    poise__app_do(app, "frame");
    for (int i = 0; i < 3; i++) {
        poise__screen_draw(app);
    }
    double x = 0.0, y = 0.0;
    int point = known_point(app, "left_tip");
    PoiseVec3 goal = poise_simulation_point(app->session.simulation, point).goal_world.p;
    seen_at(app, goal, &x, &y);
    positions[FROM_X] = (int)x;
    positions[FROM_Y] = (int)y;
    positions[TO_X] = (int)x + 90;
    positions[TO_Y] = (int)y + 25;
    PoiseUiItem item;
    cr_assert(poise__ui_find(app->ui, SPRING, &item));
    positions[SLIDE_X] = (int)item.left + 3;
    positions[SLIDE_TO_X] = positions[SLIDE_X] + (int)(100.0 * log(STIFFER / item.value) + 0.5);
    positions[SLIDE_Y] = positions[SLIDE_TO_Y] = (int)(0.5f * (item.top + item.bottom));
    PoiseDrag drag;
    cr_assert(poise__drag_begin(
        &drag, (PoisePointer){&app->camera, positions[FROM_X], positions[FROM_Y]}, goal));
    goal = poise__drag_place(&drag, (PoisePointer){&app->camera, positions[TO_X], positions[TO_Y]});
    poise__ui_destroy(app->ui);
    app->ui = NULL;
    known_app_close(app);
    return goal;
}

/// Returns the text of a file in the directory; the caller frees it.
static char* read_text(const char* directory, const char* name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return text_of(path);
}

/// Returns the text behind the last occurrence of these words; NULL: none.
static const char* last_of(const char* text, const char* words) {
    const char* found = NULL;
    for (const char* next = strstr(text, words); next; next = strstr(next + 1, words)) {
        found = next + strlen(words);
    }
    return found;
}

static void remove_directory(const char* directory) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    cr_expect_eq(system(command), 0);
}

static bool has_tools(void) {
    return system("command -v Xvfb >/dev/null 2>&1 && command -v xdotool >/dev/null 2>&1") == 0;
}

/// Runs a shell script. Returns its exit code, and the beginning of its output.
static int run_script(const char* directory, const char* script, const char* arguments,
                      char output[4096]) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && '" POISE_SOURCE_DIR "/tests/viewer/%s' '" POISE_VIEW "' %s 2>&1", directory,
             script, arguments);
    FILE* pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    output[fread(output, 1, 4095, pipe)] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Expects few wakes of the threads, as window.sh prints them. Paused and untouched, also with a
/// text field, the loop looks for events ten times a second and renders nothing. While a scene
/// rests and time runs, it looks for motion 60 times a second and renders the panels twice: 14
/// wakes of two threads a frame were counted.
static void expect_few_wakes(const char* output) {
    static const struct {
        const char* name;
        // most wakes a second
        double loop;
        double renderer;
    } costs[] = {{"standing ", 150.0, 100.0}, {"idle ", 20.0, 0.0}, {"typing ", 20.0, 0.0}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        const char* cost = strstr(output, costs[i].name);
        double hundredths = 0.0, loop = 0.0, renderer = 0.0;
        cr_assert(cost && sscanf(cost + strlen(costs[i].name), "%lf %lf %lf", &hundredths, &loop,
                                 &renderer) == 3,
                  "%s", output);
        // a loop that never sleeps is not woken
        cr_expect(loop >= 2.0 && loop <= 0.01 * hundredths * costs[i].loop + 10.0, "%s", output);
        cr_expect_leq(renderer, 0.01 * hundredths * costs[i].renderer, "%s", output);
    }
}

Test(window, a_target_and_a_slider_are_dragged_with_the_mouse) {
    if (!has_tools()) {
        cr_skip("Xvfb or xdotool is not installed: apt install xvfb xdotool");
    }
    char directory[] = "/tmp/poise-view-XXXXXX";
    char path[64];
    char output[4096];
    int positions[POSITION_COUNT];
    int width = 0, height = 0;
    cr_assert_not_null(mkdtemp(directory));
    PoiseVec3 wanted = plan_drags(positions);
    char arguments[512];
    snprintf(arguments, sizeof arguments,
             "'" POISE_SOURCE_DIR "/tests/viewer/known.yaml' %d %d %d %d %d %d %d %d",
             positions[FROM_X], positions[FROM_Y], positions[TO_X], positions[TO_Y],
             positions[SLIDE_X], positions[SLIDE_Y], positions[SLIDE_TO_X], positions[SLIDE_TO_Y]);
    int code = run_script(directory, "window.sh", arguments, output);
    if (code == NO_DISPLAY) {
        remove_directory(directory);
        cr_skip("%s", output);
    }
    cr_assert_eq(code, 0, "exit %d: %s", code, output);
    cr_expect_not_null(strstr(output, "paused"), "%s", output);
    expect_few_wakes(output);

    // the saved script has the drags
    char* done = read_text(directory, "done.script");
    const char* hold = last_of(done, "hold target:left_tip ");
    const char* set = last_of(done, "set " SPRING " ");
    PoiseVec3 place = {0.0, 0.0, 0.0};
    cr_assert(hold && sscanf(hold, "%lf %lf %lf", &place.x, &place.y, &place.z) == 3, "%s", done);
    // a goal is rounded to a grid of 2^-9 m, less than a pixel here
    EXPECT_NEAR3(place, wanted, 0.5 / 512.0 + 1e-9);
    cr_assert_not_null(set, "%s", done);
    // a pixel changes the value by 1 %
    double stiffness = strtod(set, NULL);
    cr_expect(stiffness > 0.98 * STIFFER && stiffness < 1.02 * STIFFER, "%g", stiffness);
    free(done);

    // the picture has the window's size
    snprintf(path, sizeof path, "%s/poise-001.png", directory);
    unsigned char* rgb = read_picture(path, &width, &height);
    cr_expect_eq(width, WIDTH);
    cr_expect_eq(height, HEIGHT);
    const unsigned char* goal = rgb + 3 * (positions[TO_Y] * width + positions[TO_X]);
    cr_expect(goal[0] > 180 && goal[2] < 120, "%d %d %d", goal[0], goal[1], goal[2]);
    free(rgb);
    remove_directory(directory);
}

// ------------------------------------------------------------- faults that were once found by hand

#ifndef POISE_DROP
#define POISE_DROP ""
#endif

/// Writes the known scene under another title, with a left target that moves to and fro by 1 cm.
static void write_moving(const char* directory, const char* name, const char* title) {
    static const char still[] = "position: [0.5, 0.15, 1.45]";
    char path[96];
    char* text = read_text(POISE_SOURCE_DIR "/tests/viewer", "known.yaml");
    char* from = strstr(text, "Known to the tests");
    char* place = strstr(text, still);
    cr_assert(from && place && from < place);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file);
    fprintf(file, "%.*s%s%.*s", (int)(from - text), text, title,
            (int)(place - from - (long)strlen("Known to the tests")),
            from + strlen("Known to the tests"));
    fputs("position: {path: [{time: 0, to: [0.495, 0.15, 1.45]}, {time: 1, to: [0.505, 0.15, "
          "1.45]}], repeat: true}",
          file);
    fputs(place + strlen(still), file);
    fclose(file);
    free(text);
}

/// Computes the positions of the left target, of the timeline's knob during the run, and of the
/// bar's middle.
static void plan_hands(int positions[5]) {
    PoiseApp* app = known_app();
    app->ui = poise__ui_create(1.0, poise__ui_system_font());
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, WIDTH, HEIGHT);
    poise__screen_inset(app);
    poise__app_do(app, "frame");
    cr_assert(poise__app_run_to(app, 3.0));
    for (int i = 0; i < 3; i++) {
        poise__screen_draw(app);
    }
    double x = 0.0, y = 0.0;
    const int point = known_point(app, "left_tip");
    seen_at(app, poise_simulation_point(app->session.simulation, point).goal_world.p, &x, &y);
    PoiseUiItem bar;
    cr_assert(poise__ui_find(app->ui, "run/time", &bar));
    positions[0] = (int)x;
    positions[1] = (int)y;
    positions[2] = (int)bar.right;
    positions[3] = (int)(0.5f * (bar.top + bar.bottom));
    positions[4] = (int)(0.5f * (bar.left + bar.right));
    poise__ui_destroy(app->ui);
    app->ui = NULL;
    known_app_close(app);
}

/// Returns the text behind the first occurrence of `begin`; ends the test if there is none.
static const char* line_of(const char* output, const char* begin) {
    const char* found = strstr(output, begin);
    cr_assert_not_null(found, "no '%s' in: %s", begin, output);
    return found + strlen(begin);
}

/// Returns the time in a title such as "Before - 1.50 s - paused - Poise"; -1: none.
static double time_of(const char* title) {
    const char* dash = strstr(title, " - ");
    return dash ? strtod(dash + 3, NULL) : -1.0;
}

Test(window, clicks_cancels_scrubs_films_reloads_and_takes_what_is_dropped) {
    char directory[] = "/tmp/poise-view-XXXXXX";
    char arguments[512];
    char output[4096];
    int positions[5];
    if (!has_tools()) {
        cr_skip("Xvfb or xdotool is not installed: apt install xvfb xdotool");
    }
    cr_assert_not_null(mkdtemp(directory));
    write_moving(directory, "moving.yaml", "Before");
    write_moving(directory, "other.yaml", "Other");
    plan_hands(positions);
    snprintf(arguments, sizeof arguments, "moving.yaml %d %d %d %d %d '%s'", positions[0],
             positions[1], positions[2], positions[3], positions[4], POISE_DROP);
    const int code = run_script(directory, "window_hands.sh", arguments, output);
    remove_directory(directory);
    if (code == NO_DISPLAY) {
        cr_skip("%s", output);
    }
    cr_assert_eq(code, 0, "exit %d: %s", code, output);
    cr_expect_eq(strncmp(line_of(output, "begun: "), "Before", 6), 0, "%s", output);
    cr_expect_eq(strtol(line_of(output, "clicked: "), NULL, 10), 0, "a click froze it: %s", output);
    cr_expect_eq(strtol(line_of(output, "chosen: "), NULL, 10), 1, "a click chose nothing: %s",
                 output);
    // the drag held the target, and Esc released it
    const char* cancelled = line_of(output, "cancelled: ");
    const char* held = strstr(cancelled, "hold target:left_tip");
    const char* back = strstr(cancelled, "release target:left_tip");
    cr_expect(held && back && held < back, "%s", output);
    // the knob was dragged to the middle of the bar, from its own middle and from its edge
    const char* rest = output;
    for (int i = 0; i < 2; i++) {
        const double live = time_of(rest = line_of(rest, "live: "));
        const double scrubbed = time_of(rest = line_of(rest, "scrubbed: "));
        cr_expect(scrubbed > 0.4 * live && scrubbed < 0.62 * live, "%s", output);
    }
    if (strstr(output, "filmed: ")) { // the first box of an MP4 is called so
        cr_expect_eq(strncmp(line_of(output, "filmed: "), "ftyp", 4), 0, "%s", output);
    }
    cr_expect_eq(strncmp(line_of(output, "saved: "), "After", 5), 0, "%s", output);
    if (POISE_DROP[0] != '\0') {
        cr_expect_eq(strncmp(line_of(output, "dropped: "), "Other", 5), 0, "%s", output);
    } else {
        fprintf(stderr, "no file was dropped: built without Xlib (apt install libx11-dev)\n");
    }
}

// ------------------------------------------------------------------- sharpness of saved pictures

/// Returns the energy of the finest octave of a picture, per value of a pixel: the squared
/// differences of pixels to the mean of their 2 x 2 block. The picture must have the window's size.
static double finest_octave(const char* directory, const char* name) {
    char path[96];
    int width = 0, height = 0;
    double energy = 0.0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unsigned char* rgb = read_picture(path, &width, &height);
    cr_expect_eq(width, WIDTH, "%s", name);
    cr_expect_eq(height, HEIGHT, "%s", name);
    for (int y = 0; y + 1 < height; y += 2) {
        for (int x = 0; x < 3 * (width - 1); x += x % 3 == 2 ? 4 : 1) {
            const unsigned char* upper = rgb + 3 * y * width + x;
            const unsigned char* lower = upper + 3 * width;
            const double values[4] = {upper[0], upper[3], lower[0], lower[3]};
            const double mean = 0.25 * (values[0] + values[1] + values[2] + values[3]);
            for (int i = 0; i < 4; i++) {
                energy += (values[i] - mean) * (values[i] - mean);
            }
        }
    }
    free(rgb);
    return energy / (3.0 * width * height);
}

Test(window, a_picture_and_a_film_are_as_sharp_as_without_a_window) {
    char directory[] = "/tmp/poise-view-XXXXXX";
    char output[4096];
    PoiseContext* context = poise__context_create(NULL);
    poise__context_destroy(context);
    if (!has_tools() || !context) {
        cr_skip("Xvfb or xdotool is not installed (apt install xvfb xdotool), or no EGL context");
    }
    cr_assert_not_null(mkdtemp(directory));
    const int code =
        run_script(directory, "window_saved.sh",
                   "'" POISE_SOURCE_DIR "/scenes/reach.yaml' -40,20,2.6,0.2,0,0.9", output);
    if (code == NO_DISPLAY) {
        remove_directory(directory);
        cr_skip("%s", output);
    }
    cr_assert_eq(code, 0, "exit %d: %s", code, output);
    const double wanted = finest_octave(directory, "headless.png");
    const double picture = finest_octave(directory, "poise-001.png");
    const double film = finest_octave(directory, "poise-001_0006.png");
    remove_directory(directory);
    cr_expect(fabs(picture - wanted) < 0.1 * wanted, "picture: %g for %g", picture, wanted);
    cr_expect(fabs(film - wanted) < 0.1 * wanted, "film: %g for %g", film, wanted);
}
