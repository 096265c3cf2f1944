// SPDX-License-Identifier: MIT
// The pose of all bodies of a scene, by name. It can be restored in the same scene, or in another
// scene that has most of the bodies.
#ifndef POISE_SCENE_POSE_H
#define POISE_SCENE_POSE_H

#include "timeline.h"

enum { POISE_CHANGE_TEXT = 512 };

typedef struct PoiseScenePose {
    /// A POSE of each driven joint, and a PLACE of each body that no joint carries, in the syntax
    /// of scripts.
    char (*changes)[POISE_CHANGE_TEXT];
    int count;
    int capacity;
} PoiseScenePose;

/// Stores the present pose of all bodies in an empty struct. Returns false if memory runs out.
bool poise__scene_pose_take(PoiseScenePose* pose, const PoiseSimulation* simulation);
/// Adds a change to the pose. Returns false if memory runs out.
bool poise__scene_pose_add(PoiseScenePose* pose, const char* change);
/// Moves all bodies to the stored pose, at rest, by changes at the present step. Skips names that
/// the scene does not have, and joints that have another number of coordinates.
void poise__scene_pose_put(const PoiseScenePose* pose, PoiseTimeline* timeline);
/// Frees the pose. A struct of zeros is allowed.
void poise__scene_pose_finish(PoiseScenePose* pose);

#endif
