// SPDX-License-Identifier: MIT
// Views and poses that the person kept of a scene, from run to run: a file for each scene in the
// folder of recent.h.
#ifndef POISE_KEPT_H
#define POISE_KEPT_H

#include "standing.h"

enum { POISE_KEPT_MOST = 9, POISE_NEXT_KEPT = -1 };

/// From where a scene is seen.
typedef struct PoiseView {
    double azimuth;
    double elevation;
    double distance;
    PoiseVec3 focus;
} PoiseView;

/// Views and poses of a scene that the person kept, the oldest first; the one shown last.
typedef struct PoiseKept {
    PoiseView views[POISE_KEPT_MOST];
    int view_count;
    int view;
    PoiseStanding poses[POISE_KEPT_MOST];
    int pose_count;
    int pose;
} PoiseKept;

/// What was kept of the scene before; `kept` is empty.
void poise__kept_read(PoiseKept* kept, const PoiseSession* session);
/// Writes all of it. NULL, or why that cannot be: then the file is as it was.
const char* poise__kept_write(const PoiseKept* kept, const PoiseSession* session);
/// Forgets it; the file stays. All zero is allowed.
void poise__kept_drop(PoiseKept* kept);

#endif
