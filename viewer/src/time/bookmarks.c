// SPDX-License-Identifier: MIT
// Saves bookmarks as lines: "view AZ EL DIST X Y Z", and "pose", followed by its changes in the
// syntax of scripts.
#include "bookmarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/output.h"
#include "recent.h"

/// Finds the scene's file of bookmarks. Its name is a hash of the scene's path (FNV-1a).
static bool find_file(const PoiseSession* session, char path[512]) {
    char* whole = realpath(session->scene->file, NULL);
    char name[40];
    uint64_t bits = 0xcbf29ce484222325u;
    for (const char* c = whole; c && *c != '\0'; c++) {
        bits = (bits ^ (unsigned char)*c) * 0x100000001b3u;
    }
    snprintf(name, sizeof name, "kept-%016llx", (unsigned long long)bits);
    const bool found = whole && poise__state_file(name, path);
    free(whole);
    return found;
}

const char* poise__bookmarks_write(const PoiseBookmarks* kept, const PoiseSession* session) {
    char path[512];
    char words[512];
    PoiseOutput output = {0};
    if (!find_file(session, path)) {
        return "there is no home folder";
    }
    const char* trouble = poise_output_open(&output, path);
    if (trouble) {
        return trouble;
    }
    for (int i = 0; i < kept->view_count; i++) {
        const PoiseView* view = &kept->views[i];
        fprintf(output.file, "view %.17g %.17g %.17g %.17g %.17g %.17g\n", view->azimuth,
                view->elevation, view->distance, view->focus.x, view->focus.y, view->focus.z);
    }
    for (int i = 0; i < kept->pose_count; i++) {
        fputs("pose\n", output.file);
        for (int k = 0; k < kept->poses[i].count; k++) {
            poise__change_print(&kept->poses[i].changes[k], session->simulation, words);
            fprintf(output.file, "%s\n", words);
        }
    }
    return poise_output_close(&output);
}

static bool read_view(const char* line, PoiseView* view) {
    return sscanf(line, "view %lf %lf %lf %lf %lf %lf", &view->azimuth, &view->elevation,
                  &view->distance, &view->focus.x, &view->focus.y, &view->focus.z) == 6 &&
           isfinite(view->azimuth + view->elevation + view->distance) &&
           poise_is_finite3(view->focus) && view->distance > 0.0;
}

void poise__bookmarks_read(PoiseBookmarks* kept, const PoiseSession* session) {
    const PoiseSimulation* simulation = session->simulation;
    char path[512];
    char line[640];
    FILE* file = find_file(session, path) ? fopen(path, "r") : NULL;
    bool in_pose = false;
    while (file && fgets(line, sizeof line, file)) {
        PoiseChange change;
        PoiseView view;
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "pose") == 0) {
            in_pose = kept->pose_count < POISE_BOOKMARKS_CAPACITY &&
                      poise__scene_pose_init(&kept->poses[kept->pose_count], simulation);
            kept->pose_count += in_pose;
        } else if (read_view(line, &view) && kept->view_count < POISE_BOOKMARKS_CAPACITY) {
            kept->views[kept->view_count++] = view;
        } else if (in_pose && poise__change_parse(line, simulation, &change, NULL)) {
            poise__scene_pose_add(&kept->poses[kept->pose_count - 1], simulation, &change);
        }
    }
    if (file) {
        fclose(file);
    }
    kept->view = kept->pose = -1;
}

void poise__bookmarks_drop(PoiseBookmarks* kept) {
    for (int i = 0; i < kept->pose_count; i++) {
        poise__scene_pose_finish(&kept->poses[i]);
    }
    memset(kept, 0, sizeof *kept);
    kept->view = kept->pose = -1;
}
