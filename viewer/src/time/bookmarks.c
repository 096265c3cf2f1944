// SPDX-License-Identifier: MIT
// Saves bookmarks as lines of a file: "view AZ EL DIST X Y Z", and "pose" followed by its changes
// in the syntax of scripts.
#include "bookmarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/output.h"
#include "recent.h"

/// Finds the file with the scene's bookmarks. Its name is the FNV-1a hash of the scene's path.
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

void poise__bookmarks_add(PoiseBookmarkList* list, PoiseBookmark mark) {
    if (list->count == POISE_BOOKMARKS_CAPACITY) {
        poise__scene_pose_finish(&list->marks[0].pose);
        list->count--;
        memmove(list->marks, list->marks + 1, (size_t)list->count * sizeof *list->marks);
    }
    list->last = list->count;
    list->marks[list->count++] = mark;
}

const char* poise__bookmarks_write(const PoiseBookmarks* kept, const PoiseSession* session) {
    char path[512];
    PoiseOutput output = {0};
    if (!find_file(session, path)) {
        return "there is no home folder";
    }
    const char* trouble = poise_output_open(&output, path);
    if (trouble) {
        return trouble;
    }
    const PoiseBookmarkList* views = &kept->of[POISE_BOOKMARK_VIEW];
    const PoiseBookmarkList* poses = &kept->of[POISE_BOOKMARK_POSE];
    for (int i = 0; i < views->count; i++) {
        const PoiseBookmark* view = &views->marks[i];
        fprintf(output.file, "view %.17g %.17g %.17g %.17g %.17g %.17g\n", view->azimuth,
                view->elevation, view->distance, view->focus.x, view->focus.y, view->focus.z);
    }
    for (int i = 0; i < poses->count; i++) {
        fputs("pose\n", output.file);
        for (int k = 0; k < poses->marks[i].pose.count; k++) {
            fprintf(output.file, "%s\n", poses->marks[i].pose.changes[k]);
        }
    }
    return poise_output_close(&output);
}

void poise__bookmarks_read(PoiseBookmarks* kept, const PoiseSession* session) {
    PoiseBookmarkList* poses = &kept->of[POISE_BOOKMARK_POSE];
    char path[512];
    char line[640];
    FILE* file = find_file(session, path) ? fopen(path, "r") : NULL;
    PoiseScenePose* pose = NULL; // the pose whose changes are being read
    while (file && fgets(line, sizeof line, file)) {
        PoiseBookmark mark = {.distance = 0.0};
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "pose") == 0) {
            poise__bookmarks_add(poses, mark);
            pose = &poses->marks[poses->last].pose;
        } else if (sscanf(line, "view %lf %lf %lf %lf %lf %lf", &mark.azimuth, &mark.elevation,
                          &mark.distance, &mark.focus.x, &mark.focus.y, &mark.focus.z) == 6 &&
                   isfinite(mark.azimuth + mark.elevation + mark.distance) &&
                   poise_is_finite3(mark.focus) && mark.distance > 0.0) {
            poise__bookmarks_add(&kept->of[POISE_BOOKMARK_VIEW], mark);
        } else if (pose && poise__change_is_one(line) && !poise__scene_pose_add(pose, line)) {
            pose = NULL; // if memory runs out, the pose has fewer bodies
        }
    }
    if (file) {
        fclose(file);
    }
    kept->of[POISE_BOOKMARK_VIEW].last = poses->last = -1;
}

void poise__bookmarks_drop(PoiseBookmarks* kept) {
    for (int kind = 0; kind < POISE_BOOKMARK_KINDS; kind++) {
        for (int i = 0; i < kept->of[kind].count; i++) {
            poise__scene_pose_finish(&kept->of[kind].marks[i].pose);
        }
        kept->of[kind].count = 0;
        kept->of[kind].last = -1;
    }
}
