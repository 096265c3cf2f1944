// SPDX-License-Identifier: MIT
// Keeps views and poses for the person, and shows them again.
#include <string.h>

#include "app.h"

// Writes all bookmarks to disk and shows a message about the last. A bookmark that cannot be
// written lasts for this run.
static void write_kept(PoiseApp* app, const char* what, int number) {
    const char* trouble =
        app->keeps_recent ? poise__bookmarks_write(&app->bookmarks, &app->session) : NULL;
    if (trouble) {
        poise__app_say(app, "%s %d is kept until the window closes: %s", what, number, trouble);
    } else {
        poise__app_say(app, "%s %d is kept", what, number);
    }
}

void poise__app_keep_view(PoiseApp* app, int unused) {
    (void)unused;
    PoiseBookmarks* kept = &app->bookmarks;
    const PoiseCamera* camera = &app->camera;
    if (kept->view_count == POISE_BOOKMARKS_CAPACITY) {
        memmove(kept->views, kept->views + 1, (POISE_BOOKMARKS_CAPACITY - 1) * sizeof *kept->views);
        kept->view_count--;
    }
    kept->view = kept->view_count++;
    kept->views[kept->view] =
        (PoiseView){camera->azimuth, camera->elevation, camera->distance, camera->focus};
    write_kept(app, "view", kept->view_count);
}

void poise__app_keep_pose(PoiseApp* app, int unused) {
    (void)unused;
    PoiseBookmarks* kept = &app->bookmarks;
    PoiseScenePose pose;
    if (!poise__scene_pose_take(&pose, app->session.simulation)) {
        poise__app_say(app, "out of memory");
        return;
    }
    if (kept->pose_count == POISE_BOOKMARKS_CAPACITY) {
        poise__scene_pose_finish(&kept->poses[0]);
        memmove(kept->poses, kept->poses + 1, (POISE_BOOKMARKS_CAPACITY - 1) * sizeof *kept->poses);
        kept->pose_count--;
    }
    kept->pose = kept->pose_count++;
    kept->poses[kept->pose] = pose;
    write_kept(app, "pose", kept->pose_count);
}

void poise__app_show_view(PoiseApp* app, int index) {
    PoiseBookmarks* kept = &app->bookmarks;
    if (kept->view_count == 0) {
        poise__app_say(app, "no view is kept: Shift+D keeps this one");
        return;
    }
    index = index == POISE_NEXT_BOOKMARK ? (kept->view + 1) % kept->view_count : index;
    const PoiseView* view = &kept->views[index];
    kept->view = index;
    app->followed = -1;
    app->camera.azimuth = view->azimuth;
    app->camera.elevation = view->elevation;
    app->camera.distance = view->distance;
    app->camera.focus = view->focus;
    poise__app_say(app, "view %d", index + 1);
}

void poise__app_put_pose(PoiseApp* app, int index) {
    PoiseBookmarks* kept = &app->bookmarks;
    if (kept->pose_count == 0) {
        poise__app_say(app, "no pose is kept: Ctrl+Shift+D keeps this one");
        return;
    }
    index = index == POISE_NEXT_BOOKMARK ? (kept->pose + 1) % kept->pose_count : index;
    kept->pose = index;
    poise__app_drop_hand(app);
    poise__timeline_edit_begin(&app->timeline);
    poise__scene_pose_put(&kept->poses[index], &app->timeline);
    poise__timeline_edit_end(&app->timeline, true);
    poise__app_say(app, "pose %d", index + 1);
}
