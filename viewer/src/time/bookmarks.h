// SPDX-License-Identifier: MIT
// Views and poses that the person keeps of a scene from run to run. Each scene has a file in the
// folder of recent.h.
#ifndef POISE_BOOKMARKS_H
#define POISE_BOOKMARKS_H

#include "scene_pose.h"

enum { POISE_BOOKMARKS_CAPACITY = 9, POISE_NEXT_BOOKMARK = -1 };

/// Direction, distance and centre of a camera, as in PoiseCamera.
typedef struct PoiseView {
    double azimuth;
    double elevation;
    double distance;
    PoiseVec3 focus;
} PoiseView;

/// Views and poses of a scene, the oldest first. `view` and `pose` are the indices shown last, -1:
/// none.
typedef struct PoiseBookmarks {
    PoiseView views[POISE_BOOKMARKS_CAPACITY];
    int view_count;
    int view;
    PoiseScenePose poses[POISE_BOOKMARKS_CAPACITY];
    int pose_count;
    int pose;
} PoiseBookmarks;

/// Reads the bookmarks of the scene; `kept` must be empty.
void poise__bookmarks_read(PoiseBookmarks* kept, const PoiseSession* session);
/// Writes all bookmarks. Returns NULL, or an error message; the file is unchanged then.
const char* poise__bookmarks_write(const PoiseBookmarks* kept, const PoiseSession* session);
/// Forgets the bookmarks; the file stays. `kept` may be all zero.
void poise__bookmarks_drop(PoiseBookmarks* kept);

#endif
