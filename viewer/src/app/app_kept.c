// SPDX-License-Identifier: MIT
// Views and poses that the person kept of a scene. On disk as lines: "view AZ EL DIST X Y Z", and
// "pose", each with the changes of it below, as scripts have them.
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "poise/output.h"
#include "recent.h"

/// Of a scene: a name from its path's bits (FNV-1a).
static bool find_file(const PoiseApp* app, char path[512]) {
    char* whole = realpath(app->session.scene->file, NULL);
    char name[40];
    uint64_t bits = 0xcbf29ce484222325u;
    for (const char* c = whole; c && *c != '\0'; c++) {
        bits = (bits ^ (unsigned char)*c) * 0x100000001b3u;
    }
    snprintf(name, sizeof name, "kept-%016llx", (unsigned long long)bits);
    const bool found = whole && app->keeps_recent && poise__state_file(name, path);
    free(whole);
    return found;
}

static void write_kept(const PoiseApp* app) {
    const PoiseKept* kept = &app->kept_here;
    char path[512];
    char words[512];
    PoiseOutput output;
    memset(&output, 0, sizeof output);
    if (!find_file(app, path) || poise_output_open(&output, path)) {
        return;
    }
    for (int i = 0; i < kept->view_count; i++) {
        const PoiseView* view = &kept->views[i];
        fprintf(output.file, "view %.17g %.17g %.17g %.17g %.17g %.17g\n", view->azimuth,
                view->elevation, view->distance, view->focus.x, view->focus.y, view->focus.z);
    }
    for (int i = 0; i < kept->pose_count; i++) {
        fputs("pose\n", output.file);
        for (int k = 0; k < kept->poses[i].count; k++) {
            poise__change_print(&kept->poses[i].changes[k], app->session.simulation, words);
            fprintf(output.file, "%s\n", words);
        }
    }
    (void)poise_output_close(&output);
}

static bool read_view(const char* line, PoiseView* view) {
    return sscanf(line, "view %lf %lf %lf %lf %lf %lf", &view->azimuth, &view->elevation,
                  &view->distance, &view->focus.x, &view->focus.y, &view->focus.z) == 6 &&
           isfinite(view->azimuth + view->elevation + view->distance) &&
           poise_is_finite3(view->focus) && view->distance > 0.0;
}

void poise__app_read_kept(PoiseApp* app) {
    PoiseKept* kept = &app->kept_here;
    const PoiseSimulation* simulation = app->session.simulation;
    char path[512];
    char line[640];
    FILE* file = find_file(app, path) ? fopen(path, "r") : NULL;
    bool in_pose = false;
    while (file && fgets(line, sizeof line, file)) {
        PoiseChange change;
        PoiseView view;
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "pose") == 0) {
            in_pose = kept->pose_count < POISE_KEPT_MOST &&
                      poise__standing_init(&kept->poses[kept->pose_count], simulation);
            kept->pose_count += in_pose;
        } else if (read_view(line, &view) && kept->view_count < POISE_KEPT_MOST) {
            kept->views[kept->view_count++] = view;
        } else if (in_pose && poise__change_parse(line, simulation, &change, NULL)) {
            poise__standing_add(&kept->poses[kept->pose_count - 1], simulation, &change);
        }
    }
    if (file) {
        fclose(file);
    }
    kept->view = kept->pose = -1;
}

void poise__app_drop_kept(PoiseApp* app) {
    for (int i = 0; i < app->kept_here.pose_count; i++) {
        poise__standing_finish(&app->kept_here.poses[i]);
    }
    memset(&app->kept_here, 0, sizeof app->kept_here);
    app->kept_here.view = app->kept_here.pose = -1;
}

void poise__app_keep_view(PoiseApp* app, int unused) {
    (void)unused;
    PoiseKept* kept = &app->kept_here;
    const PoiseCamera* camera = &app->camera;
    if (kept->view_count == POISE_KEPT_MOST) {
        memmove(kept->views, kept->views + 1, (POISE_KEPT_MOST - 1) * sizeof *kept->views);
        kept->view_count--;
    }
    kept->view = kept->view_count++;
    kept->views[kept->view] =
        (PoiseView){camera->azimuth, camera->elevation, camera->distance, camera->focus};
    write_kept(app);
    poise__app_say(app, "view %d is kept", kept->view_count);
}

void poise__app_keep_pose(PoiseApp* app, int unused) {
    (void)unused;
    PoiseKept* kept = &app->kept_here;
    PoiseStanding standing;
    if (!poise__standing_take(&standing, app->session.simulation)) {
        poise__app_say(app, "out of memory");
        return;
    }
    if (kept->pose_count == POISE_KEPT_MOST) {
        poise__standing_finish(&kept->poses[0]);
        memmove(kept->poses, kept->poses + 1, (POISE_KEPT_MOST - 1) * sizeof *kept->poses);
        kept->pose_count--;
    }
    kept->pose = kept->pose_count++;
    kept->poses[kept->pose] = standing;
    write_kept(app);
    poise__app_say(app, "pose %d is kept", kept->pose_count);
}

void poise__app_show_view(PoiseApp* app, int index) {
    PoiseKept* kept = &app->kept_here;
    if (kept->view_count == 0) {
        char keys[128];
        poise__app_say(app, "no view is kept: %s keeps this one",
                       poise__action_keys(POISE_ACTION_KEEP_VIEW, keys));
        return;
    }
    index = index == POISE_NEXT_KEPT ? (kept->view + 1) % kept->view_count : index;
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
    PoiseKept* kept = &app->kept_here;
    PoiseEdit edit = {.whole = true};
    if (kept->pose_count == 0) {
        char keys[128];
        poise__app_say(app, "no pose is kept: %s keeps this one",
                       poise__action_keys(POISE_ACTION_KEEP_POSE, keys));
        return;
    }
    index = index == POISE_NEXT_KEPT ? (kept->pose + 1) % kept->pose_count : index;
    kept->pose = index;
    poise__app_drop_hand(app);
    poise__edit_begin(&edit, &app->timeline);
    poise__standing_put(&kept->poses[index], &app->timeline);
    poise__edits_push(&app->edits, &edit, &app->timeline);
    poise__app_say(app, "pose %d", index + 1);
}
