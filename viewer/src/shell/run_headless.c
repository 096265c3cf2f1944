// SPDX-License-Identifier: MIT
// Makes pictures and films without a display. Each frame advances time by a fixed amount, however
// long it takes.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "context.h"
#include "png_file.h"
#include "recorder.h"
#include "shell.h"

typedef struct Studio {
    PoiseApp* app;
    const PoiseOptions* options;
    PoiseContext* context;
    PoiseRenderer* renderer;
    PoiseUi* ui;
    unsigned char* rgb;
    /// The film that is being recorded; NULL: none.
    PoiseRecorder* recorder;
    PoiseNote note;
} Studio;

static int fail(const Studio* studio, int code) {
    return poise__note_print(&studio->note) ? POISE_EXIT_SCENE : code;
}

static bool open_studio(Studio* studio) {
    const PoiseOptions* options = studio->options;
    PoiseQuality quality = options->record ? POISE_QUALITY_NORMAL : POISE_QUALITY_HIGH;
    if (options->has_quality) {
        quality = options->quality;
    }
    // read the meshes while the rest is set up
    studio->app->shows_looks = true;
    poise__scene_view_read_looks(&studio->app->view, studio->app->session.simulation);
    studio->context = poise__context_create(&studio->note);
    if (!studio->context) {
        return false;
    }
    studio->renderer = poise__renderer_create(quality, &studio->note);
    studio->rgb = malloc((size_t)options->width * (size_t)options->height * 3);
    if (!studio->rgb) {
        poise__note_fail(&studio->note, "out of memory for a picture");
    }
    // pixels per window unit
    studio->ui = poise__ui_create(options->ui_scale, poise__ui_system_font());
    studio->app->ui = studio->ui;
    if (!studio->ui) {
        poise__note_fail(&studio->note, "out of memory");
    }
    return studio->renderer && studio->rgb && studio->ui &&
           poise__renderer_set_ui(studio->renderer, studio->ui, &studio->note);
}

static void close_studio(Studio* studio) {
    free(studio->rgb);
    studio->app->ui = NULL;
    poise__renderer_destroy(studio->renderer);
    poise__ui_destroy(studio->ui);
    poise__context_destroy(studio->context);
}

/// Lays the panels out in two frames: each frame uses the sizes of the frame before, and the first
/// has none.
static void lay_out(Studio* studio) {
    poise__screen_draw(studio->app);
    poise__screen_draw(studio->app);
}

static bool shoot(Studio* studio) {
    poise__looks_wait(studio->app->view.looks);
    const PoiseOptions* options = studio->options;
    const PoisePicture picture = {poise__screen_draw(studio->app),
                                  &studio->app->camera,
                                  options->width,
                                  options->height,
                                  1.0,
                                  false,
                                  false};
    return poise__renderer_draw(studio->renderer, &picture, &studio->note) &&
           poise__renderer_read(studio->renderer, studio->rgb, &studio->note);
}

static int take_picture(Studio* studio) {
    const PoiseOptions* options = studio->options;
    if (!poise__app_run_to(studio->app, options->at)) {
        studio->note = studio->app->trouble;
        return fail(studio, POISE_EXIT_BLEW_UP);
    }
    lay_out(studio);
    if (!options->has_camera || options->distance <= 0.0) {
        poise__camera_frame_simulation(&studio->app->camera, studio->app->session.simulation, 0.0);
    }
    if (!poise__app_may_write(studio->app, options->screenshot, &studio->note) || !shoot(studio) ||
        !poise__png_write(options->screenshot, studio->rgb, options->width, options->height,
                          &studio->note)) {
        return fail(studio, POISE_EXIT_USAGE);
    }
    return POISE_EXIT_DONE;
}

static void show_progress(int frame, int frames) {
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\rframe %d of %d%s", frame, frames, frame == frames ? "\n" : "");
    }
}

static int film_frames(Studio* studio, PoiseRecorder* recorder) {
    const PoiseOptions* options = studio->options;
    int frames = (int)fmax(1.0, round(options->seconds * options->frames_per_second));
    lay_out(studio);
    for (int frame = 0; frame < frames; frame++) {
        double time = options->at + (double)frame / options->frames_per_second;
        if (!poise__app_run_to(studio->app, time)) {
            studio->note = studio->app->trouble;
            return POISE_EXIT_BLEW_UP;
        }
        if (!shoot(studio) || !poise__recorder_add(recorder, studio->rgb, &studio->note)) {
            return POISE_EXIT_USAGE;
        }
        show_progress(frame + 1, frames);
    }
    return POISE_EXIT_DONE;
}

static bool open_film(Studio* studio, const char* path) {
    const PoiseOptions* options = studio->options;
    PoiseRecorderDef def = {.path = path,
                            .width = options->width,
                            .height = options->height,
                            .frames_per_second = options->frames_per_second};
    if (!poise__app_may_write(studio->app, path, &studio->note)) {
        return false;
    }
    studio->recorder = poise__recorder_create(&def, &studio->note);
    if (studio->recorder && studio->note.text[0] != '\0') {
        fprintf(stderr, "poise-view: %s\n", studio->note.text);
    }
    studio->app->filmed = studio->recorder != NULL;
    return studio->recorder != NULL;
}

static int close_film(Studio* studio, int code) {
    PoiseNote* note = code == POISE_EXIT_DONE ? &studio->note : NULL;
    bool whole = poise__recorder_finish(studio->recorder, note);
    studio->recorder = NULL;
    studio->app->filmed = false;
    return !whole && code == POISE_EXIT_DONE ? POISE_EXIT_USAGE : code;
}

static int make_film(Studio* studio) {
    const PoiseOptions* options = studio->options;
    if (!open_film(studio, options->record)) {
        return fail(studio, POISE_EXIT_USAGE);
    }
    int code = close_film(studio, film_frames(studio, studio->recorder));
    return code == POISE_EXIT_DONE ? code : fail(studio, code);
}

// ----------------------------------------------------------------------------------------- scripts

/// Runs a frame of a script. A frame that takes time is added to the film.
static bool script_frame(void* user, double seconds, PoiseNote* note) {
    Studio* studio = user;
    PoiseApp* app = studio->app;
    do {
        poise__app_frame(app, seconds);
        poise__screen_draw(app);
        if (studio->recorder && seconds > 0.0 &&
            (!shoot(studio) || !poise__recorder_add(studio->recorder, studio->rgb, note))) {
            return note->text[0] != '\0' || poise__note_fail(note, "%s", studio->note.text);
        }
        seconds = 0.0;
    } while (app->input.count > 0);
    return app->trouble.text[0] == '\0' || poise__note_fail(note, "%s", app->trouble.text);
}

static bool script_picture(void* user, const char* path, PoiseNote* note) {
    Studio* studio = user;
    if (!poise__app_may_write(studio->app, path, note)) {
        return false;
    }
    // as in a film, a picture of a drag shows the pointer and no hints
    const bool filmed = studio->app->filmed;
    studio->app->filmed = filmed || studio->app->hand.grip != POISE_GRIP_NONE;
    const bool good = shoot(studio);
    studio->app->filmed = filmed;
    if (!good) {
        return poise__note_fail(note, "%s", studio->note.text);
    }
    return poise__png_write(path, studio->rgb, studio->options->width, studio->options->height,
                            note);
}

static bool script_film(void* user, const char* path, PoiseNote* note) {
    Studio* studio = user;
    if ((path != NULL) == (studio->recorder != NULL)) {
        return poise__note_fail(note, path ? "a film is under way" : "no film is under way");
    }
    if (path) {
        return open_film(studio, path) || poise__note_fail(note, "%s", studio->note.text);
    }
    bool whole = poise__recorder_finish(studio->recorder, note);
    studio->recorder = NULL;
    studio->app->filmed = false;
    return whole;
}

static int run_script(Studio* studio) {
    const PoiseOptions* options = studio->options;
    PoiseScriptHost host = {.frame = script_frame,
                            .picture = script_picture,
                            .film = script_film,
                            .user = studio,
                            .frame_seconds = 1.0 / options->frames_per_second,
                            .shows_time = options->record != NULL};
    if (options->record && !open_film(studio, options->record)) {
        return fail(studio, POISE_EXIT_USAGE);
    }
    studio->app->makes_all_steps = true; // make every step, however slow the picture is
    bool done =
        poise__script_run(studio->app, &host, options->script, options->script_text, &studio->note);
    int code = done ? POISE_EXIT_DONE : POISE_EXIT_SCRIPT;
    if (studio->recorder) {
        code = close_film(studio, code);
    }
    return code == POISE_EXIT_DONE ? code : fail(studio, code);
}

int poise__run_headless(PoiseApp* app, const PoiseOptions* options) {
    Studio studio = {.app = app, .options = options};
    int code = open_studio(&studio) ? POISE_EXIT_DONE : fail(&studio, POISE_EXIT_USAGE);
    if (code == POISE_EXIT_DONE && options->script) {
        code = run_script(&studio);
    }
    if (code == POISE_EXIT_DONE && options->screenshot) {
        code = take_picture(&studio);
    }
    if (code == POISE_EXIT_DONE && options->record && !options->script) {
        code = make_film(&studio);
    }
    close_studio(&studio);
    return code;
}
