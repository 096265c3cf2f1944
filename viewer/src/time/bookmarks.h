// SPDX-License-Identifier: MIT
// Views and poses that the person kept of a scene, from run to run: a file for each scene in the
// folder of recent.h.
#ifndef POISE_BOOKMARKS_H
#define POISE_BOOKMARKS_H

#include "scene_pose.h"

enum { POISE_BOOKMARKS_MOST = 9, POISE_NEXT_BOOKMARK = -1 };

/// From where a scene is seen.
typedef struct PoiseView {
    double azimuth;
    double elevation;
    double distance;
    PoiseVec3 focus;
} PoiseView;

/// Views and poses of a scene that the person kept, the oldest first; the one shown last.
typedef struct PoiseBookmarks {
    PoiseView views[POISE_BOOKMARKS_MOST];
    int view_count;
    int view;
    PoiseScenePose poses[POISE_BOOKMARKS_MOST];
    int pose_count;
    int pose;
} PoiseBookmarks;

/// What was kept of the scene before; `kept` is empty.
void poise__bookmarks_read(PoiseBookmarks* kept, const PoiseSession* session);
/// Writes all of it. NULL, or why that cannot be: then the file is as it was.
const char* poise__bookmarks_write(const PoiseBookmarks* kept, const PoiseSession* session);
/// Forgets it; the file stays. All zero is allowed.
void poise__bookmarks_drop(PoiseBookmarks* kept);

#endif
