// SPDX-License-Identifier: MIT
// The window's loop: events in, a frame of the app, a picture out.
#include <stdlib.h>
#include <string.h>

#include "png_file.h"
#include "shell.h"
#include "window.h"

/// While nothing moves the window is drawn again this often, s.
static const double IDLE_WAIT = 0.1;
/// A title that changes more often flickers, s.
static const double TITLE_INTERVAL = 0.1;
enum { MAX_SCREENSHOTS = 999 };

typedef struct Stage {
    PoiseApp* app;
    PoiseWindow* window;
    PoiseRenderer* renderer;
    double last_frame;
    double last_title;
    int shown_width;
    int shown_height;
    bool trouble_told;
    PoiseNote note;
} Stage;

static double window_clock(void* user) {
    return poise__window_time(user);
}

/// High for pictures only; a graphics card has time for normal, a processor has not.
static PoiseQuality suitable_quality(const PoiseOptions* options) {
    if (options->has_quality) {
        return options->quality;
    }
    const char* driver = poise__renderer_driver();
    bool software = strstr(driver, "llvmpipe") || strstr(driver, "softpipe") ||
                    strstr(driver, "swrast") || strstr(driver, "SWR");
    return software ? POISE_QUALITY_FAST : POISE_QUALITY_NORMAL;
}

/// The first of poise-001.png and on that is not there yet.
static void choose_picture_name(char path[32]) {
    for (int i = 1; i <= MAX_SCREENSHOTS; i++) {
        snprintf(path, 32, "poise-%03d.png", i);
        FILE* file = fopen(path, "rb");
        if (!file) {
            return;
        }
        fclose(file);
    }
}

static void save_picture(Stage* stage) {
    char path[32];
    size_t size = (size_t)stage->shown_width * (size_t)stage->shown_height * 3;
    unsigned char* rgb = malloc(size + 1);
    if (!rgb || size == 0) {
        free(rgb);
        return;
    }
    choose_picture_name(path);
    if (poise__renderer_read(stage->renderer, rgb, &stage->note) &&
        poise__png_write(path, rgb, stage->shown_width, stage->shown_height, &stage->note)) {
        fprintf(stderr, "poise-view: saved %s\n", path);
    } else {
        fprintf(stderr, "poise-view: %s\n", stage->note.text);
    }
    free(rgb);
}

static void serve_requests(Stage* stage) {
    if (stage->app->requests & POISE_REQUEST_SCREENSHOT) {
        save_picture(stage);
    }
    if (stage->app->requests & POISE_REQUEST_HELP) {
        poise__actions_print(stderr);
    }
    stage->app->requests &= POISE_REQUEST_QUIT;
    if (stage->app->trouble.text[0] != '\0' && !stage->trouble_told) {
        fprintf(stderr, "poise-view: %s; Backspace starts it again\n", stage->app->trouble.text);
    }
    stage->trouble_told = stage->app->trouble.text[0] != '\0';
}

static bool show(Stage* stage) {
    int width = 0;
    int height = 0;
    poise__window_framebuffer_size(stage->window, &width, &height);
    if (width == 0 || height == 0) {
        poise__window_poll(stage->window, IDLE_WAIT); // minimised
        return true;
    }
    stage->shown_width = width;
    stage->shown_height = height;
    const PoiseDrawList* list = poise__app_draw(stage->app);
    if (!poise__renderer_draw(stage->renderer, list, &stage->app->camera, width, height,
                              &stage->note)) {
        return false;
    }
    poise__renderer_present(stage->renderer);
    poise__window_swap(stage->window);
    return true;
}

static void update_title(Stage* stage, double now) {
    if (now - stage->last_title >= TITLE_INTERVAL) {
        char title[256];
        poise__app_title(stage->app, title);
        poise__window_set_title(stage->window, title);
        stage->last_title = now;
    }
}

static bool run_frame(Stage* stage) {
    PoiseApp* app = stage->app;
    bool idle = app->pacing.paused && app->pacing.single_steps == 0 && app->input.count == 0;
    poise__window_poll(stage->window, idle ? IDLE_WAIT : 0.0);
    double now = poise__window_time(stage->window);
    poise__app_frame(app, now - stage->last_frame);
    stage->last_frame = now;
    update_title(stage, now);
    bool shown = show(stage);
    serve_requests(stage);
    return shown;
}

int poise__run_window(PoiseApp* app, const PoiseOptions* options) {
    Stage stage = {.app = app, .last_title = -1.0};
    bool good = true;
    stage.window =
        poise__window_create("Poise", options->width, options->height, &app->input, &stage.note);
    if (stage.window) {
        app->clock = window_clock;
        app->clock_user = stage.window;
        stage.renderer = poise__renderer_create(suitable_quality(options), &stage.note);
        stage.last_frame = poise__window_time(stage.window);
    }
    good = stage.window && stage.renderer;
    while (good && !(app->requests & POISE_REQUEST_QUIT)) {
        good = run_frame(&stage);
    }
    if (!good) {
        fprintf(stderr, "poise-view: %s\n", stage.note.text);
    }
    app->clock = NULL;
    poise__renderer_destroy(stage.renderer);
    poise__window_destroy(stage.window);
    return good ? POISE_EXIT_DONE : POISE_EXIT_USAGE;
}
