// SPDX-License-Identifier: MIT
// BVH files. Any input must give an error, or a motion whose joints come after their parents and
// whose tracks can be made. All memory comes from one arena.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "demand.h"
#include "motion.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void follow(Arena* arena, const Motion* motion) {
    const size_t joints = (size_t)motion->joint_count;
    const size_t frames = (size_t)motion->frame_count;
    PoisePose* poses = poise__arena_allocate(arena, joints, sizeof *poses);
    PoisePose* track = poise__arena_allocate(arena, frames, sizeof *track);
    demand(poses && track, "memory");
    for (int i = 0; i < motion->joint_count; i++) {
        const MotionJoint* joint = &motion->joints[i];
        demand(joint->parent < i && (i == 0) == (joint->parent < 0), "parents first, one root");
        demand(joint->first + joint->channel_count <= motion->channel_count, "channels in a frame");
    }
    const MotionPlace place = {true, 1.0, poise_pose_identity()};
    poise__motion_track(motion, motion->joint_count - 1, &place, poses, track);
    const int stretches = poise__motion_plant(track, motion->frame_count, motion->frame_time,
                                              (MotionStance){0.05, 0.4});
    demand(stretches >= 0 && stretches <= motion->frame_count, "stretches");
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Arena arena;
    poise__arena_init(&arena, NULL);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    Document document = {.arena = &arena, .diagnostics = diagnostics, .file = "a.bvh"};
    const Motion* motion = poise__bvh_read(&document, (const char*)data, size);
    demand((motion != NULL) == (poise_diagnostics_count(diagnostics, POISE_ERROR) == 0),
           "a motion and errors, or neither");
    if (motion && (size_t)motion->frame_count * (size_t)motion->joint_count < 100000) {
        follow(&arena, motion);
    }
    poise_diagnostics_destroy(diagnostics);
    poise__arena_finish(&arena);
    return 0;
}
