// SPDX-License-Identifier: MIT
// Scripts of the viewer, run without pictures on tests/viewer/known.yaml, for at most FRAMES
// frames. A script must succeed, or fail with its line and reason. Its changes are saved as a
// script. Seeds: tests/fuzz/seeds/script.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ode/ode.h>

#include "demand.h"
#include "screen.h"
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { FRAMES = 60, WIDTH = 640, HEIGHT = 400 };

typedef struct Stage {
    PoiseApp* app;
    int frames;
} Stage;

static bool run_frame(void* user, double seconds, PoiseNote* note) {
    Stage* stage = user;
    if (stage->frames++ >= FRAMES) {
        return poise__note_fail(note, "enough frames");
    }
    do {
        poise__app_frame(stage->app, seconds);
        poise__screen_draw(stage->app);
        seconds = 0.0;
    } while (stage->app->input.count > 0);
    return stage->app->trouble.text[0] == '\0' ||
           poise__note_fail(note, "%s", stage->app->trouble.text);
}

static PoiseApp* open_app(void) {
    const PoiseSceneSource source = {.path = POISE_SOURCE_DIR "/tests/viewer/known.yaml",
                                     .trust = POISE_TRUST_FOLDER};
    PoiseSession session;
    PoiseApp* app = calloc(1, sizeof *app);
    demand(app && poise__session_open(&session, &source, stderr) && poise__app_init(app, session),
           "the scene");
    // made once, since drawing its letters takes most of the time
    static PoiseUi* ui;
    ui = ui ? ui : poise__ui_create(1.0, NULL);
    app->ui = ui;
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, WIDTH, HEIGHT);
    poise__screen_draw(app);
    return app;
}

// Silences ODE, which reports blow-ups to stderr.
static void ignore_message(int number, const char* text, va_list arguments) {
    (void)number;
    (void)text;
    (void)arguments;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    char* text = malloc(size + 1);
    demand(text, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    dSetMessageHandler(ignore_message);
    Stage stage = {open_app(), 0};
    const PoiseScriptHost host = {
        .frame = run_frame, .user = &stage, .frame_seconds = 1.0 / 30.0, .shows_time = true};
    PoiseNote note = {""};
    const bool done = poise__script_run(stage.app, &host, "fuzz", text, &note);
    demand(done || strncmp(note.text, "fuzz:", 5) == 0, "a script that failed without its line");
    poise__script_save(stage.app, "/dev/null", &note);
    stage.app->ui = NULL;
    poise__app_finish(stage.app);
    free(stage.app);
    free(text);
    return 0;
}
