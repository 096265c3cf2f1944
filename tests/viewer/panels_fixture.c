// SPDX-License-Identifier: MIT
#include "panels_fixture.h"

#include <stdlib.h>
#include <string.h>

PoiseApp* app_with_panels(void) {
    PoiseApp* app = known_app();
    app->ui = poise__ui_create(1.0, NULL);
    cr_assert_not_null(app->ui);
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, 1280, 1100);
    poise__screen_draw(app);
    poise__app_do(app, "frame");
    poise__scene_list_add(&app->scenes, POISE_SOURCE_DIR "/scenes");
    return app;
}

void close_app(PoiseApp* app) {
    PoiseUi* ui = app->ui;
    app->ui = NULL;
    known_app_close(app);
    poise__ui_destroy(ui);
}

int letters_drawn(PoiseApp* app) {
    poise__screen_draw(app);
    return poise__ui_index_count(app->ui);
}

// Runs a frame for a script without showing it.
static bool plain_frame(void* user, double seconds, PoiseNote* note) {
    PoiseApp* app = user;
    bool makes_all_steps = app->makes_all_steps;
    app->makes_all_steps = true;
    do {
        poise__app_frame(app, seconds);
        seconds = 0.0;
        poise__screen_draw(app);
    } while (app->input.count > 0);
    app->makes_all_steps = makes_all_steps;
    return app->trouble.text[0] == '\0' || poise__note_fail(note, "%s", app->trouble.text);
}

bool does(PoiseApp* app, const char* name, const char* text, PoiseNote* note) {
    const PoiseScriptHost host = {.frame = plain_frame, .user = app, .frame_seconds = 1.0 / 60.0};
    return poise__script_run(app, &host, name, text, note);
}

void run(PoiseApp* app, const char* text) {
    PoiseNote note = {""};
    cr_assert(does(app, "test", text, &note), "%s", note.text);
}

void run_file(PoiseApp* app, const char* path) {
    PoiseNote note = {""};
    char* text = poise__script_load(path, &note);
    cr_assert(text && does(app, path, text, &note), "%s", note.text);
    free(text);
}

bool fails(PoiseApp* app, const char* text, const char* why) {
    PoiseNote note = {""};
    bool failed = !does(app, "test", text, &note);
    cr_expect(failed, "'%s' was done", text);
    cr_expect_not_null(strstr(note.text, why), "'%s' is not in '%s'", why, note.text);
    return failed;
}
