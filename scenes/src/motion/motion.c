// SPDX-License-Identifier: MIT
// Computes the poses of a motion's joints in the scene's axes. Plants feet: a foot that is low and
// slow gets a constant position.
#include "motion.h"

#include <math.h>
#include <string.h>

#include "number.h"

int poise__motion_find(const Motion* motion, const char* name) {
    for (int i = 0; i < motion->joint_count; i++) {
        if (strcmp(motion->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static PoiseVec3 axis_of(int k) {
    return poise_vec3(k == 0, k == 1, k == 2);
}

// Returns the joint's pose in its parent. A position channel replaces that coordinate of the
// offset; rotations are applied in the file's order.
static PoisePose local_pose(const MotionJoint* joint, const double* numbers) {
    double place[3] = {joint->offset.x, joint->offset.y, joint->offset.z};
    PoiseQuat turn = poise_quat_identity();
    for (int i = 0; numbers && i < joint->channel_count; i++) {
        const int channel = (int)joint->channels[i];
        if (channel < MOTION_TURN_X) {
            place[channel] = numbers[joint->first + i];
        } else {
            const double angle = numbers[joint->first + i] * PI / 180.0;
            turn = poise_quat_mul(
                turn, poise_quat_from_axis_angle(axis_of(channel - MOTION_TURN_X), angle));
        }
    }
    return poise_pose(poise_vec3(place[0], place[1], place[2]), poise_quat_normalize(turn));
}

void poise__motion_poses(const Motion* motion, int frame, PoisePose* poses) {
    const double* numbers =
        frame < 0 ? NULL : &motion->values[(size_t)frame * (size_t)motion->channel_count];
    for (int i = 0; i < motion->joint_count; i++) {
        const PoisePose local = local_pose(&motion->joints[i], numbers);
        const int parent = motion->joints[i].parent;
        poses[i] = parent < 0 ? local : poise_pose_mul(poses[parent], local);
    }
}

static PoiseQuat axes_of(const MotionPlace* place) {
    // from a file's y up to z up: rotation by 120 degrees about (1, 1, 1): x' = z, y' = x, z' = y
    const PoiseQuat up = poise_quat(0.5, 0.5, 0.5, 0.5);
    return poise_quat_mul(place->pose.q, place->y_up ? up : poise_quat_identity());
}

PoiseVec3 poise__motion_direction(const MotionPlace* place, PoiseVec3 line) {
    return poise_quat_rotate(axes_of(place), line);
}

void poise__motion_track(const Motion* motion, int joint, const MotionPlace* place,
                         PoisePose* poses, PoisePose* track) {
    const PoiseQuat axes = axes_of(place);
    for (int f = 0; f < motion->frame_count; f++) {
        poise__motion_poses(motion, f, poses);
        const PoiseVec3 p = poise_quat_rotate(axes, poise_scale(place->scale, poses[joint].p));
        // All rotations of the rest pose are the identity, so this is the rotation since the rest
        // pose.
        const PoiseQuat turn =
            poise_quat_mul(poise_quat_mul(axes, poses[joint].q), poise_quat_conjugate(axes));
        track[f] = poise_pose(poise_add(place->pose.p, p), turn);
    }
}

/// A track in which stances are searched.
typedef struct Foot {
    PoisePose* track;
    int count;
    double frame_time;
    double height; ///< largest height of a stance, m
    double speed;  ///< largest speed of a stance, m/s
} Foot;

static double speed_at(const Foot* foot, int frame) {
    const int before = frame > 0 ? frame - 1 : frame;
    const int after = frame + 1 < foot->count ? frame + 1 : frame;
    const double time = foot->frame_time * (after - before);
    const PoiseVec3 offset = poise_sub(foot->track[after].p, foot->track[before].p);
    return time > 0.0 ? poise_length(offset) / time : 0.0;
}

static bool is_standing(const Foot* foot, int frame) {
    return foot->track[frame].p.z <= foot->height && speed_at(foot, frame) <= foot->speed;
}

/// Consecutive frames in which a foot stands, both ends included, and the position where it is
/// held.
typedef struct Stretch {
    int first;
    int last;
    PoiseVec3 place;
} Stretch;

// Finds the next stretch of standing frames at or after `from`; false if missing. A single frame is
// no stretch, since a moving foot may be slow for one frame.
static bool next_stretch(const Foot* foot, int from, Stretch* stretch) {
    for (int f = from; f < foot->count; f++) {
        if (!is_standing(foot, f)) {
            continue;
        }
        stretch->first = f;
        PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
        while (f < foot->count && is_standing(foot, f)) {
            sum = poise_add(sum, foot->track[f++].p);
        }
        stretch->last = f - 1;
        const int length = f - stretch->first;
        stretch->place = poise_scale(1.0 / length, sum);
        if (length > 1) {
            return true;
        }
    }
    return false;
}

// Moves the frames `first` to `last`, which lie between two stretches. Their displacement is
// interpolated from `before`, that of the stretch before them, to `after`, that of the next
// stretch.
static void spread_displacement(PoisePose* track, int first, int last, PoiseVec3 before,
                                PoiseVec3 after) {
    for (int f = first; f <= last; f++) {
        const double part = (double)(f - first + 1) / (double)(last - first + 2);
        const PoiseVec3 off = poise_add_scaled(poise_scale(1.0 - part, before), part, after);
        track[f].p = poise_add(track[f].p, off);
    }
}

int poise__motion_plant(PoisePose* track, int count, double frame_time, MotionStance stance) {
    double lowest = track[0].p.z;
    for (int f = 1; f < count; f++) {
        lowest = fmin(lowest, track[f].p.z);
    }
    const Foot foot = {track, count, frame_time, lowest + stance.height, stance.speed};
    int stretches = 0;
    int done = 0; // number of frames that are final
    PoiseVec3 before = poise_vec3(0.0, 0.0, 0.0);
    Stretch now, next;
    bool found = next_stretch(&foot, 0, &now);
    while (found) {
        const PoiseVec3 begin = poise_sub(now.place, track[now.first].p);
        const PoiseVec3 end = poise_sub(now.place, track[now.last].p);
        // Speeds are measured in the track as recorded, so the next stretch is searched before its
        // frames are moved.
        const bool more = next_stretch(&foot, now.last + 1, &next);
        spread_displacement(track, done, now.first - 1, stretches > 0 ? before : begin, begin);
        for (int f = now.first; f <= now.last; f++) {
            track[f].p = now.place;
        }
        done = now.last + 1;
        before = end;
        now = next;
        stretches++;
        found = more;
    }
    if (stretches > 0) {
        spread_displacement(track, done, count - 1, before, before);
    }
    return stretches;
}
