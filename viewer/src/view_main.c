// SPDX-License-Identifier: MIT
// From the command line to one of the two ways to run.
#include <stdlib.h>

#include "shell.h"

static const double DEGREE = 3.14159265358979323846 / 180.0;

static void place_camera(PoiseApp* app, const PoiseOptions* options) {
    poise__camera_resize(&app->camera, options->width, options->height);
    if (options->has_camera) {
        app->camera.azimuth = options->azimuth * DEGREE;
        app->camera.elevation = options->elevation * DEGREE;
    }
    poise__camera_frame(&app->camera, poise__bounds_of_simulation(app->session.simulation));
    if (options->has_camera && options->distance > 0.0) {
        app->camera.distance = options->distance;
    }
}

static int run_scene(const PoiseOptions* options) {
    PoiseSceneSource source = {.path = options->scene,
                               .overrides = options->overrides,
                               .override_count = options->override_count};
    PoiseSession session;
    if (!poise__session_open(&session, &source, stderr)) {
        return POISE_EXIT_SCENE;
    }
    PoiseApp* app = calloc(1, sizeof *app);
    if (!app || !poise__app_init(app, session)) {
        fputs("poise-view: out of memory\n", stderr);
        if (!app) {
            poise__session_close(&session);
        }
        free(app);
        return POISE_EXIT_USAGE;
    }
    place_camera(app, options);
    int code =
        options->headless ? poise__run_headless(app, options) : poise__run_window(app, options);
    poise__app_finish(app);
    free(app);
    return code;
}

int poise__view_main(int argc, char** argv) {
    PoiseOptions options;
    PoiseNote note = {""};
    if (!poise__options_parse(&options, argc, argv, &note)) {
        fprintf(stderr, "poise-view: %s\npoise-view --help lists the options.\n", note.text);
        return POISE_EXIT_USAGE;
    }
    if (options.help) {
        poise__options_print(stdout);
    }
    if (options.help_keys) {
        poise__actions_print(stdout);
    }
    return options.help || options.help_keys ? POISE_EXIT_DONE : run_scene(&options);
}
