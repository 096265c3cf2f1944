// SPDX-License-Identifier: MIT
#include "panels_fixture.h"

#include <string.h>

PoiseApp* app_with_panels(PoiseUi** ui) {
    PoiseApp* app = known_app();
    *ui = poise__ui_create(1.0, NULL);
    cr_assert_not_null(*ui);
    app->ui = *ui;
    app->highlight.parts = POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    poise__camera_resize(&app->camera, 1280, 1100);
    poise__screen_draw(app);
    poise__app_act(app, POISE_ACTION_FRAME);
    poise__scene_files_add(&app->scenes, POISE_SOURCE_DIR "/scenes");
    return app;
}

void close_app(PoiseApp* app, PoiseUi* ui) {
    app->ui = NULL;
    known_app_close(app);
    poise__ui_destroy(ui);
}

void run(PoiseApp* app, const char* text) {
    PoiseNote note = {""};
    PoiseScriptHost host = poise__script_plain_host(app);
    cr_assert(poise__script_run(app, &host, "test", text, &note), "%s", note.text);
}

bool fails(PoiseApp* app, const char* text, const char* why) {
    PoiseNote note = {""};
    PoiseScriptHost host = poise__script_plain_host(app);
    bool failed = !poise__script_run(app, &host, "test", text, &note);
    cr_expect(failed, "'%s' was done", text);
    cr_expect_not_null(strstr(note.text, why), "'%s' is not in '%s'", why, note.text);
    return failed;
}
