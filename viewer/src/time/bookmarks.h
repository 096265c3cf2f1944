// SPDX-License-Identifier: MIT
// Views and poses of a scene that a person saves from run to run. Each scene has a file, in the
// folder of recent.h.
#ifndef POISE_BOOKMARKS_H
#define POISE_BOOKMARKS_H

#include "scene_pose.h"

enum { POISE_BOOKMARKS_CAPACITY = 9 };

typedef enum PoiseBookmarkKind {
    POISE_BOOKMARK_VIEW = 0,
    POISE_BOOKMARK_POSE = 1,
    POISE_BOOKMARK_KINDS
} PoiseBookmarkKind;

/// A view, or a pose of all bodies.
typedef struct PoiseBookmark {
    /// Direction, distance and centre of a camera, as in PoiseCamera.
    double azimuth;
    double elevation;
    double distance;
    PoiseVec3 focus;
    PoiseScenePose pose;
} PoiseBookmark;

/// The bookmarks of one kind, the oldest first. `last` is the index of the one shown last; -1:
/// none.
typedef struct PoiseBookmarkList {
    PoiseBookmark marks[POISE_BOOKMARKS_CAPACITY];
    int count;
    int last;
} PoiseBookmarkList;

typedef struct PoiseBookmarks {
    PoiseBookmarkList of[POISE_BOOKMARK_KINDS];
} PoiseBookmarks;

/// Adds a bookmark and becomes its owner. A full list discards its oldest bookmark.
void poise__bookmarks_add(PoiseBookmarkList* list, PoiseBookmark mark);
/// Reads the bookmarks of the scene; `kept` must be empty.
void poise__bookmarks_read(PoiseBookmarks* kept, const PoiseSession* session);
/// Writes all bookmarks. Returns NULL, or an error message, after which the file is unchanged.
const char* poise__bookmarks_write(const PoiseBookmarks* kept, const PoiseSession* session);
/// Frees the bookmarks; the file stays. A struct of zeros is allowed.
void poise__bookmarks_drop(PoiseBookmarks* kept);

#endif
