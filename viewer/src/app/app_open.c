// SPDX-License-Identifier: MIT
// Opens another scene, or reads the present one again.
#include <string.h>

#include "app.h"
#include "poise/output.h"
#include "recent.h"
#include "recording.h"
#include "viewpoint.h"

/// Time between two checks of the scene's files, s.
static const double CHECK_INTERVAL = 0.25;

/// Closes the present session, and shows another.
static bool change_scene(PoiseApp* app, const PoiseSession* session) {
    poise__app_end_scene(app);
    app->session = *session;
    app->trouble.text[0] = '\0';
    app->open_error.text[0] = '\0';
    poise__pacing_drop_backlog(&app->pacing);
    if (!poise__app_begin_scene(app)) {
        poise__app_say(app, "out of memory");
        return false;
    }
    return true;
}

bool poise__app_open_replay(PoiseApp* app, const char* path) {
    PoiseSession session;
    PoiseReplay* replay =
        poise__recording_open(&session, path, app->session.trust, &app->open_error);
    fputs(app->open_error.text, stderr);
    const bool good =
        replay && change_scene(app, &session) && poise__recording_play(&app->timeline, replay);
    if (good) {
        poise__viewpoint_choose(&app->camera, session.simulation, POISE_ROOM_FOR_HANDS);
        poise__app_say(app, "a recorded run of %s; a change of yours ends it",
                       session.scene->title ? session.scene->title : replay->scene);
    }
    poise_replay_destroy(replay);
    return good;
}

bool poise__app_open(PoiseApp* app, const char* path) {
    if (poise__is_replay(path)) {
        return poise__app_open_replay(app, path);
    }
    PoiseSceneSource source = {.path = path, .trust = app->session.trust};
    PoiseSession session;
    bool good = poise__session_try(&session, &source, &app->open_error);
    fputs(app->open_error.text, stderr);
    if (!good) {
        return false;
    }
    if (!change_scene(app, &session)) {
        return false;
    }
    poise__viewpoint_choose(&app->camera, session.simulation, POISE_ROOM_FOR_HANDS);
    poise__app_say(app, "%s", session.scene->title ? session.scene->title : path);
    if (app->keeps_recent) {
        poise__recent_add(&app->recent, session.scene->file);
    }
    return true;
}

bool poise__app_open_with(PoiseApp* app, const char* override, PoiseNote* note) {
    PoiseSession session;
    PoiseFindings findings;
    if (!poise__session_open_again(&session, &app->session, override, &findings)) {
        return poise__note_fail(note, "%.*s", (int)strcspn(findings.text, "\n"), findings.text);
    }
    if (!change_scene(app, &session)) {
        return poise__note_fail(note, "out of memory");
    }
    poise__app_say(app, "started again with %s", override);
    return true;
}

bool poise__app_may_write(PoiseApp* app, const char* path, PoiseNote* note) {
    poise_diagnostics_add_file(app->session.read, app->script);
    const char* replaced = poise_output_replaced(path, app->session.read);
    return !replaced ||
           poise__note_fail(note, "cannot write %s: it would replace '%s'", path, replaced);
}

// -------------------------------------------------------------------------------------- read again

/// The pose, and the names of watched values, which are kept when the files are read again.
typedef struct Kept {
    PoiseScenePose pose;
    char watched[POISE_WATCH_CAPACITY][POISE_WATCH_NAME];
    int watch_count;
} Kept;

static bool keep_run(Kept* kept, const PoiseApp* app) {
    memset(kept, 0, sizeof *kept);
    for (int i = 0; i < app->watch.count; i++) {
        snprintf(kept->watched[kept->watch_count++], POISE_WATCH_NAME, "%s",
                 app->watch.values[i].name);
    }
    return poise__scene_pose_take(&kept->pose, app->session.simulation);
}

bool poise__app_read_again(PoiseApp* app) {
    PoiseSession session;
    PoiseFindings findings;
    Kept kept;
    bool good = poise__session_open_again(&session, &app->session, NULL, &findings);
    fputs(findings.text, stderr);
    if (!good) {
        snprintf(app->open_error.text, sizeof app->open_error.text,
                 "The file was saved and cannot be run as it is now; this is still the run of "
                 "before.\n%.3900s",
                 findings.text);
        return false;
    }
    bool has_run = keep_run(&kept, app);
    poise__app_drop_hand(app);
    good = change_scene(app, &session);
    if (good && has_run) {
        // Sets the pose by changes at the start of the new run, so that a replay repeats them.
        poise__scene_pose_put(&kept.pose, &app->timeline);
        app->watch.count = 0;
        for (int i = 0; i < kept.watch_count; i++) {
            poise__watch_toggle(&app->watch, app->session.simulation, kept.watched[i]);
        }
        poise__app_say(app, "read again, at the same pose (Backspace: from its start)");
    }
    poise__scene_pose_finish(&kept.pose);
    return good;
}

bool poise__app_follow_files(PoiseApp* app) {
    if (!app->follows_files || app->wall - app->last_check < CHECK_INTERVAL) {
        return false;
    }
    app->last_check = app->wall;
    return poise__watched_files_changed(&app->session.watched_files) &&
           (poise__app_read_again(app) || app->open_error.text[0] != '\0');
}
