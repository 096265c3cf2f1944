// SPDX-License-Identifier: MIT
// Makes goals that follow a recorded motion: the joints' tracks become paths.
#include <math.h>
#include <string.h>

#include "builder.h"
#include "file_path.h"
#include "motions.h"

static const Motion* read_motion(Builder* builder, const MotionSpec* spec, PoiseMark mark) {
    const char* path = poise__path_beside(builder->arena, builder->path, spec->bvh);
    size_t size = 0;
    const char* text =
        path && poise__build_may_read(builder, spec->bvh, path, mark)
            ? poise__file_read(builder->arena, path, &size, mark, builder->diagnostics)
            : NULL;
    if (!text) {
        return NULL;
    }
    Document document = {.arena = builder->arena,
                         .diagnostics = builder->diagnostics,
                         .file = path,
                         .fence = builder->fence};
    return poise__bvh_read(&document, text, size);
}

static bool begin(Tracks* tracks, const MotionSpec* spec) {
    Builder* builder = tracks->builder;
    const PoiseMark mark = poise__value_mark(tracks->element, "bvh");
    tracks->motion = read_motion(builder, spec, mark);
    if (!tracks->motion) {
        return false;
    }
    const Motion* motion = tracks->motion;
    tracks->repeat = spec->repeat;
    tracks->place = (MotionPlace){spec->up == MOTION_UP_Y, spec->scale, spec->pose};
    tracks->first = (int)fmin(ceil(spec->start / motion->frame_time - 1e-9), 1e9);
    if (tracks->first >= motion->frame_count) {
        REFUSE(builder, poise__value_mark(tracks->element, "start"), "the motion is %.4g s long",
               motion->frame_count * motion->frame_time);
        return false;
    }
    const size_t frames = (size_t)motion->frame_count;
    tracks->poses =
        poise__arena_allocate(builder->arena, (size_t)motion->joint_count, sizeof(PoisePose));
    tracks->track = poise__arena_allocate(builder->arena, frames, sizeof(PoisePose));
    tracks->times = poise__arena_allocate(builder->arena, frames, sizeof(double));
    if (!tracks->poses || !tracks->track || !tracks->times) {
        return false;
    }
    for (int f = 0; f < motion->frame_count; f++) {
        tracks->times[f] = f * motion->frame_time;
    }
    return true;
}

static void follow_place(const Tracks* tracks, const MotionSpec* motion, PoiseScenePoint* point) {
    PoisePositionGoal* goal = &point->position;
    const int joint = poise__tracks_need_joint(tracks, &goal->motion);
    const int count = poise__tracks_count(tracks);
    PoiseVec3* places =
        poise__arena_allocate(tracks->builder->arena, (size_t)count, sizeof *places);
    if (joint < 0 || !places) {
        return;
    }
    poise__motion_track(tracks->motion, joint, &tracks->place, tracks->poses, tracks->track);
    if (goal->planted) {
        const MotionStance stance = {motion->stance_height, motion->stance_speed};
        const int stretches = poise__motion_plant(tracks->track, tracks->motion->frame_count,
                                                  tracks->motion->frame_time, stance);
        if (stretches == 0) {
            WARN(tracks->builder, goal->motion.mark,
                 "'%.60s' is never within 'stance_height' %g m of its lowest place and "
                 "slower than 'stance_speed' %g m/s: it is not planted",
                 goal->motion.name, stance.height, stance.speed);
        }
    }
    for (int f = 0; f < count; f++) {
        places[f] = tracks->track[tracks->first + f].p;
    }
    poise__tracks_lead_place(tracks, places, goal);
}

static void follow_turn(const Tracks* tracks, PoiseScenePoint* point) {
    PoiseOrientationGoal* goal = &point->orientation;
    const char* name = point->body.name;
    const int joint = poise__tracks_need_joint(tracks, &goal->motion);
    const int frame = name ? poise__build_find_frame(tracks->builder, name) : -1;
    const int count = poise__tracks_count(tracks);
    PoiseQuat* turns = poise__arena_allocate(tracks->builder->arena, (size_t)count, sizeof *turns);
    if (joint < 0 || frame < 0 || !turns) {
        return;
    }
    const PoiseSceneFrame* on = &tracks->builder->frames[frame];
    const PoiseQuat body = poise_quat_mul(tracks->builder->bodies[on->body].pose.q, on->in_body.q);
    const PoiseQuat rest = poise_quat_mul(body, point->in_body.q);
    poise__motion_track(tracks->motion, joint, &tracks->place, tracks->poses, tracks->track);
    for (int f = 0; f < count; f++) {
        turns[f] = poise_quat_normalize(poise_quat_mul(tracks->track[tracks->first + f].q, rest));
    }
    poise__tracks_lead_turn(tracks, turns, goal);
}

void poise__build_motion(Builder* builder, const Element* element) {
    MotionSpec* motion = &builder->spec->motion;
    Tracks tracks = {.builder = builder, .element = element};
    const bool read = motion->bvh && begin(&tracks, motion);
    for (int i = 0; i < builder->spec->points.count; i++) {
        PoiseScenePoint* point = &builder->spec->points.items[i];
        const PoiseRef* place = &point->position.motion;
        const PoiseRef* turn = &point->orientation.motion;
        if ((place->name || turn->name) && !motion->bvh) {
            REFUSE(builder, (place->name ? place : turn)->mark,
                   "'%.60s' follows a motion, and the scene has none: motion: {bvh: FILE}",
                   point->name);
        }
        if (read && place->name) {
            follow_place(&tracks, motion, point);
        }
        if (read && turn->name) {
            follow_turn(&tracks, point);
        }
    }
    if (read && motion->posture.count > 0) {
        poise__build_motion_posture(&tracks, &motion->posture);
    }
}
