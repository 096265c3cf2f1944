// SPDX-License-Identifier: MIT
// How all bodies of a scene stand, by names: to be put back in the same scene, or in one that has
// most of them too.
#ifndef POISE_SCENE_POSE_H
#define POISE_SCENE_POSE_H

#include "timeline.h"

typedef struct PoiseScenePose {
    /// POSE of each driven joint, PLACE of each body that nothing carries; and whose.
    PoiseChange* changes;
    char (*names)[160];
    int count;
} PoiseScenePose;

/// Room for that of this simulation, none yet; false when memory is short.
bool poise__scene_pose_init(PoiseScenePose* pose, const PoiseSimulation* simulation);
/// As everything stands now; false when memory is short.
bool poise__scene_pose_take(PoiseScenePose* pose, const PoiseSimulation* simulation);
/// Adds what a change of these two kinds says; others, and more than there is room for, are left
/// out.
void poise__scene_pose_add(PoiseScenePose* pose, const PoiseSimulation* simulation,
                           const PoiseChange* change);
/// Puts everything there, at rest, as changes of now. What the scene has not, or has otherwise, is
/// left out.
void poise__scene_pose_put(const PoiseScenePose* pose, PoiseTimeline* timeline);
/// All zero is allowed.
void poise__scene_pose_finish(PoiseScenePose* pose);

#endif
