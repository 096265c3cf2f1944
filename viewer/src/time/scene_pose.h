// SPDX-License-Identifier: MIT
// The pose of all bodies of a scene, by name. It can be restored in the same scene, or in one that
// has most of the bodies.
#ifndef POISE_SCENE_POSE_H
#define POISE_SCENE_POSE_H

#include "timeline.h"

enum { POISE_CHANGE_TEXT = 512 };

typedef struct PoiseScenePose {
    /// POSE of each driven joint and PLACE of each body that no joint carries, in the syntax of
    /// scripts.
    char (*changes)[POISE_CHANGE_TEXT];
    int count;
    int capacity;
} PoiseScenePose;

/// Stores the present pose of all bodies in an empty pose. Returns false when memory is short.
bool poise__scene_pose_take(PoiseScenePose* pose, const PoiseSimulation* simulation);
/// Adds a change. Returns false when memory is short.
bool poise__scene_pose_add(PoiseScenePose* pose, const char* change);
/// Moves all bodies to the stored pose, at rest, by changes at the present step. Names that the
/// scene does not have, or whose joint has another number of coordinates, are skipped.
void poise__scene_pose_put(const PoiseScenePose* pose, PoiseTimeline* timeline);
/// Frees the pose, which may be all zero.
void poise__scene_pose_finish(PoiseScenePose* pose);

#endif
