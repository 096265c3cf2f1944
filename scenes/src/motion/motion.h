// SPDX-License-Identifier: MIT
// A recorded motion: a skeleton and its posture in each frame, as a BVH file has them.
#ifndef POISE_MOTION_H
#define POISE_MOTION_H

#include "document.h"

enum { MOTION_CHANNELS = 6, MOTION_MOST_JOINTS = 1000, MOTION_MOST_FRAMES = 1000000 };

/// What a number of a frame says of its joint.
typedef enum MotionChannel {
    MOTION_X,
    MOTION_Y,
    MOTION_Z,
    MOTION_TURN_X,
    MOTION_TURN_Y,
    MOTION_TURN_Z
} MotionChannel;

typedef struct MotionJoint {
    const char* name; ///< of an end site that of its joint with _end
    PoiseMark mark;
    int parent;       ///< -1 for the root; smaller than its own index
    PoiseVec3 offset; ///< in the joint before
    MotionChannel channels[MOTION_CHANNELS];
    int channel_count;
    int first; ///< of its numbers in a frame
} MotionJoint;

/// Lengths are in the file's own unit, turns in degrees, as the file has them.
typedef struct Motion {
    MotionJoint* joints;
    int joint_count;
    int joint_capacity;
    int channel_count; ///< numbers of a frame
    int frame_count;
    double frame_time; ///< s
    double* values;    ///< frame after frame
} Motion;

/// The motion of a BVH text; NULL with errors reported. Any skeleton, channels in any order; one
/// root.
Motion* poise__bvh_read(Document* document, const char* text, size_t size);

/// -1: none.
int poise__motion_find(const Motion* motion, const char* name);

/// Where the joints are in a frame (-1: in the rest pose, all turns 0), `joint_count` poses in the
/// file's axes.
void poise__motion_poses(const Motion* motion, int frame, PoisePose* poses);

/// How a motion is laid into a scene: its up axis becomes z, then it is turned, scaled and moved.
typedef struct MotionPlace {
    bool y_up; ///< y is up and z is ahead, as most files have it; else z is up
    double scale;
    PoisePose pose;
} MotionPlace;

/// The places of a joint in all frames, in the scene, and its turns since the rest pose there;
/// `frame_count` each, NULL: not wanted. `poses`: scratch, `joint_count`.
void poise__motion_track(const Motion* motion, int joint, const MotionPlace* place,
                         PoisePose* poses, PoisePose* track);

/// A direction or line of the file in the scene's axes, not scaled.
PoiseVec3 poise__motion_direction(const MotionPlace* place, PoiseVec3 line);

/// What keeps still while it is low and slow: a foot that bears.
typedef struct MotionStance {
    double height; ///< above the lowest place of the track, m
    double speed;  ///< m/s
} MotionStance;

/// Holds a track's place fast through each stretch of frames in which it is low and slow, at the
/// middle of its places there; the path between two stretches takes up the difference. Returns how
/// many stretches there were.
int poise__motion_plant(PoisePose* track, int count, double frame_time, MotionStance stance);

#endif
