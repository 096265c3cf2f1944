// SPDX-License-Identifier: MIT
// A scene's recorded motion, as what the points' goals and the joints' natural postures follow.
#ifndef POISE_MOTIONS_H
#define POISE_MOTIONS_H

#include "builder.h"
#include "motion.h"

/// The scene's motion while points and joints take their tracks from it.
typedef struct Tracks {
    Builder* builder;
    const Motion* motion;
    const Element* element; ///< of the scene's `motion`
    MotionPlace place;
    PoisePose* poses; ///< scratch
    PoisePose* track;
    int first; ///< frame that the scene begins with
    bool repeat;
    double* times;
} Tracks;

/// Frames from the first on that the scene has.
int poise__tracks_count(const Tracks* tracks);
/// The motion's joint that is named, which the reference gets; -1 with an error.
int poise__tracks_need_joint(const Tracks* tracks, PoiseRef* named);
/// Makes the goal go through one place, one turn, a frame.
void poise__tracks_lead_place(const Tracks* tracks, const PoiseVec3* places,
                              PoisePositionGoal* goal);
void poise__tracks_lead_turn(const Tracks* tracks, const PoiseQuat* turns,
                             PoiseOrientationGoal* goal);

/// Tracks of the joints between the bodies of the list.
void poise__build_motion_posture(const Tracks* tracks, const PostureList* posture);

#endif
