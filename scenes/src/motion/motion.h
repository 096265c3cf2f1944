// SPDX-License-Identifier: MIT
// A recorded motion: a skeleton and its posture in each frame, as in a BVH file.
#ifndef POISE_MOTION_H
#define POISE_MOTION_H

#include "document.h"

enum { MOTION_CHANNELS = 6, MOTION_MOST_JOINTS = 1000, MOTION_MOST_FRAMES = 1000000 };

/// The coordinate of a joint that one number of a frame sets.
typedef enum MotionChannel {
    MOTION_X,
    MOTION_Y,
    MOTION_Z,
    MOTION_TURN_X,
    MOTION_TURN_Y,
    MOTION_TURN_Z
} MotionChannel;

typedef struct MotionJoint {
    const char* name; ///< name of the joint; an end site has its joint's name with _end
    PoiseMark mark;
    int parent;       ///< index below its own; -1 for the root
    PoiseVec3 offset; ///< position in the parent joint, in the file's unit
    MotionChannel channels[MOTION_CHANNELS];
    int channel_count;
    int first; ///< index of the joint's first number in a frame
} MotionJoint;

/// A motion. Lengths are in the file's own unit, rotations in degrees.
typedef struct Motion {
    MotionJoint* joints;
    int joint_count;
    int joint_capacity;
    int channel_count; ///< how many numbers a frame has
    int frame_count;
    double frame_time; ///< duration of a frame, s
    double* values;    ///< the numbers of all frames, frame by frame
} Motion;

/// Reads the motion of a BVH text: any skeleton with one root, channels in any order. NULL with
/// errors reported.
Motion* poise__bvh_read(Document* document, const char* text, size_t size);

/// Returns the index of the joint with this name; -1 if missing.
int poise__motion_find(const Motion* motion, const char* name);

/// Computes the poses of all joints in a frame, in the file's axes. Frame -1 is the rest pose, with
/// all rotations 0.
void poise__motion_poses(const Motion* motion, int frame, PoisePose* poses);

/// The placement of a motion in a scene: its up axis becomes z, then it is rotated, scaled and
/// moved.
typedef struct MotionPlace {
    bool y_up; ///< True if y is up and z is ahead, as in most files; else z is up
    double scale;
    PoisePose pose;
} MotionPlace;

/// Computes a joint's poses in all frames: its position in the scene and its rotation since the
/// rest pose. `poses`: scratch for `joint_count` poses.
void poise__motion_track(const Motion* motion, int joint, const MotionPlace* place,
                         PoisePose* poses, PoisePose* track);

/// Rotates a direction of the file into the scene's axes, without scaling.
PoiseVec3 poise__motion_direction(const MotionPlace* place, PoiseVec3 line);

/// A foot stands in a frame if its height and its speed are within these bounds.
typedef struct MotionStance {
    double height; ///< largest height of a standing foot above the lowest point of the track, m
    double speed;  ///< largest speed of a standing foot, m/s
} MotionStance;

/// Keeps a foot's track at its mean position while the foot is low and slow, in each such stretch
/// of frames. Between two stretches the displacement is interpolated. Returns the number of
/// stretches.
int poise__motion_plant(PoisePose* track, int count, double frame_time, MotionStance stance);

#endif
