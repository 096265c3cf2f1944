// SPDX-License-Identifier: MIT
// Saves views and poses as bookmarks, and shows them again.
#include "app.h"

static const char* const WORDS[] = {[POISE_BOOKMARK_VIEW] = "view", [POISE_BOOKMARK_POSE] = "pose"};

void poise__app_keep(PoiseApp* app, int kind) {
    PoiseBookmarkList* list = &app->bookmarks.of[kind];
    const PoiseCamera* camera = &app->camera;
    PoiseBookmark mark = {camera->azimuth, camera->elevation, camera->distance, camera->focus,
                          .pose = {.count = 0}};
    if (kind == POISE_BOOKMARK_POSE &&
        !poise__scene_pose_take(&mark.pose, app->session.simulation)) {
        poise__app_say(app, "out of memory");
        return;
    }
    poise__bookmarks_add(list, mark);
    const char* trouble =
        app->keeps_recent ? poise__bookmarks_write(&app->bookmarks, &app->session) : NULL;
    if (trouble) {
        poise__app_say(app, "%s %d is kept until the window closes: %s", WORDS[kind], list->count,
                       trouble);
    } else {
        poise__app_say(app, "%s %d is kept", WORDS[kind], list->count);
    }
}

void poise__app_show_bookmark(PoiseApp* app, PoiseBookmarkKind kind, int index) {
    PoiseBookmarkList* list = &app->bookmarks.of[kind];
    const PoiseBookmark* mark = &list->marks[index];
    list->last = index;
    if (kind == POISE_BOOKMARK_VIEW) {
        app->followed = -1;
        app->camera.azimuth = mark->azimuth;
        app->camera.elevation = mark->elevation;
        app->camera.distance = mark->distance;
        app->camera.focus = mark->focus;
    } else {
        poise__app_drop_hand(app);
        poise__timeline_edit_begin(&app->timeline);
        poise__scene_pose_put(&mark->pose, &app->timeline);
        poise__timeline_edit_end(&app->timeline, true);
    }
    poise__app_say(app, "%s %d", WORDS[kind], index + 1);
}

void poise__app_show_next(PoiseApp* app, int kind) {
    const PoiseBookmarkList* list = &app->bookmarks.of[kind];
    if (list->count == 0) {
        poise__app_say(app, "no %s is kept: %s+D keeps this one", WORDS[kind],
                       kind == POISE_BOOKMARK_VIEW ? "Shift" : "Ctrl+Shift");
        return;
    }
    poise__app_show_bookmark(app, (PoiseBookmarkKind)kind, (list->last + 1) % list->count);
}
