// SPDX-License-Identifier: MIT
// Pictures and films without a display: time goes by the frame, not by the clock.
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
    unsigned char* rgb;
    PoiseNote note;
} Studio;

static int fail(const Studio* studio, int code) {
    fprintf(stderr, "poise-view: %s\n", studio->note.text);
    return code;
}

static bool open_studio(Studio* studio) {
    const PoiseOptions* options = studio->options;
    PoiseQuality quality = options->record ? POISE_QUALITY_NORMAL : POISE_QUALITY_HIGH;
    if (options->has_quality) {
        quality = options->quality;
    }
    studio->context = poise__context_create(&studio->note);
    if (!studio->context) {
        return false;
    }
    studio->renderer = poise__renderer_create(quality, &studio->note);
    studio->rgb = malloc((size_t)options->width * (size_t)options->height * 3);
    if (!studio->rgb) {
        poise__note_fail(&studio->note, "out of memory for a picture");
    }
    return studio->renderer && studio->rgb;
}

static void close_studio(Studio* studio) {
    free(studio->rgb);
    poise__renderer_destroy(studio->renderer);
    poise__context_destroy(studio->context);
}

static bool shoot(Studio* studio) {
    const PoiseOptions* options = studio->options;
    const PoiseDrawList* list = poise__app_draw(studio->app);
    return poise__renderer_draw(studio->renderer, list, &studio->app->camera, options->width,
                                options->height, &studio->note) &&
           poise__renderer_read(studio->renderer, studio->rgb, &studio->note);
}

static int take_picture(Studio* studio) {
    const PoiseOptions* options = studio->options;
    if (!poise__app_run_to(studio->app, options->at)) {
        studio->note = studio->app->trouble;
        return fail(studio, POISE_EXIT_BLEW_UP);
    }
    if (!shoot(studio) || !poise__png_write(options->screenshot, studio->rgb, options->width,
                                            options->height, &studio->note)) {
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

static int make_film(Studio* studio) {
    const PoiseOptions* options = studio->options;
    PoiseRecorderDef def = {.path = options->record,
                            .width = options->width,
                            .height = options->height,
                            .frames_per_second = options->frames_per_second};
    PoiseRecorder* recorder = poise__recorder_create(&def, &studio->note);
    if (!recorder) {
        return fail(studio, POISE_EXIT_USAGE);
    }
    if (studio->note.text[0] != '\0') {
        fprintf(stderr, "poise-view: %s\n", studio->note.text);
    }
    int code = film_frames(studio, recorder);
    PoiseNote* note = code == POISE_EXIT_DONE ? &studio->note : NULL;
    if (!poise__recorder_finish(recorder, note) && code == POISE_EXIT_DONE) {
        code = POISE_EXIT_USAGE;
    }
    return code == POISE_EXIT_DONE ? code : fail(studio, code);
}

int poise__run_headless(PoiseApp* app, const PoiseOptions* options) {
    Studio studio = {.app = app, .options = options};
    int code = open_studio(&studio) ? POISE_EXIT_DONE : fail(&studio, POISE_EXIT_USAGE);
    if (code == POISE_EXIT_DONE && options->screenshot) {
        code = take_picture(&studio);
    }
    if (code == POISE_EXIT_DONE && options->record) {
        code = make_film(&studio);
    }
    close_studio(&studio);
    return code;
}
