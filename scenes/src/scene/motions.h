// SPDX-License-Identifier: MIT
// A scene's recorded motion, which the points' goals and the joints' natural postures follow.
#ifndef POISE_MOTIONS_H
#define POISE_MOTIONS_H

#include "builder.h"
#include "motion.h"

/// The scene's motion while the tracks of points and joints are built from it.
typedef struct Tracks {
    Builder* builder;
    const Motion* motion;
    const Element* element; ///< the element `motion` of the scene's file
    MotionPlace place;
    PoisePose* poses; ///< memory for the poses of all joints in a frame
    PoisePose* track;
    int first; ///< first frame that the scene uses
    bool repeat;
    double* times;
} Tracks;

/// Returns the number of frames from `first` on.
int poise__tracks_count(const Tracks* tracks);
/// Returns the motion's joint with this name and stores its index in the reference; -1 after an
/// error.
int poise__tracks_need_joint(const Tracks* tracks, PoiseRef* named);
/// Makes the goal a path with one place or one rotation in each frame.
void poise__tracks_lead_place(const Tracks* tracks, const PoiseVec3* places,
                              PoisePositionGoal* goal);
void poise__tracks_lead_turn(const Tracks* tracks, const PoiseQuat* turns,
                             PoiseOrientationGoal* goal);

/// Sets the natural postures of the joints between the listed bodies from the motion.
void poise__build_motion_posture(const Tracks* tracks, const PostureList* posture);

#endif
