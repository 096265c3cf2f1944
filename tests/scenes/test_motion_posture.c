// SPDX-License-Identifier: MIT
// A recorded motion as natural posture, blended with control points (rows 2.1-2.4 and 2.10). Root,
// joints and points are switched on and off while the scene runs, and a number blends between
// motion and IK: all that the article's demo can switch. Limbs have the recorded directions for any
// rest pose. Without points the figure follows the motion alone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "motion.h"
#include "near.h"
#include "running.h"

#define SCENE POISE_SOURCE_DIR "/scenes/full_body_points.yaml"

static double parameter(const Running* running, const char* key) {
    PoiseParameter found;
    const int index = poise_simulation_find_parameter(running->simulation, key);
    cr_assert(index >= 0 && poise_simulation_parameter(running->simulation, index, &found), "%s",
              key);
    return found.value;
}

static void set(const Running* running, const char* key, double value) {
    const int index = poise_simulation_find_parameter(running->simulation, key);
    cr_assert(index >= 0 && poise_simulation_set_parameter(running->simulation, index, value) >= 0,
              "%s = %g", key, value);
}

static void switch_points(const Running* running, double on) {
    for (int i = 0; i < running->loaded.scene->point_count; i++) {
        char key[160];
        snprintf(key, sizeof key, "control_points.%s.enabled",
                 running->loaded.scene->points[i].name);
        set(running, key, on);
    }
}

// A limb between two bodies, and the two joints of the recording at its ends.
static const struct {
    const char* from;
    const char* to;
    const char* joint;
    const char* next;
} limbs[] = {
    {"left_upper_arm", "left_forearm", "LeftShoulder", "LeftElbow"},
    {"left_forearm", "left_hand", "LeftElbow", "LeftWrist"},
    {"right_upper_arm", "right_forearm", "RightShoulder", "RightElbow"},
    {"right_forearm", "right_hand", "RightElbow", "RightWrist"},
    {"left_thigh", "left_shank", "LeftHip", "LeftKnee"},
    {"left_shank", "left_foot", "LeftKnee", "LeftAnkle"},
    {"right_thigh", "right_shank", "RightHip", "RightKnee"},
    {"right_shank", "right_foot", "RightKnee", "RightAnkle"},
};
enum { LIMBS = sizeof limbs / sizeof limbs[0] };

/// A recording that the test reads itself.
typedef struct Recording {
    Motion* motion;
    PoisePose poses[200];
} Recording;

static void read_recording(Recording* recording, const char* path) {
    static char text[300000];
    FILE* file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    Document document = {.arena = kept_arena(), .diagnostics = kept_diagnostics(), .file = path};
    recording->motion = poise__bvh_read(&document, text, size);
    cr_assert(recording->motion && recording->motion->joint_count <= 200);
}

// Returns the direction of the limb in the scene's axes, length 1: x' = z, y' = x, z' = y.
static PoiseVec3 recorded_line(Recording* recording, int frame, int limb) {
    poise__motion_poses(recording->motion, frame, recording->poses);
    const int a = poise__motion_find(recording->motion, limbs[limb].joint);
    const int b = poise__motion_find(recording->motion, limbs[limb].next);
    cr_assert(a >= 0 && b >= 0);
    const PoiseVec3 line = poise_sub(recording->poses[b].p, recording->poses[a].p);
    return poise_scale(1.0 / poise_length(line), poise_vec3(line.z, line.x, line.y));
}

static const PoiseSceneJoint* joint_of(const PoiseScene* scene, const char* body) {
    for (int i = 0; i < scene->body_count; i++) {
        if (strcmp(scene->bodies[i].name, body) == 0) {
            return &scene->joints[scene->bodies[i].joint];
        }
    }
    cr_assert_fail("no body %s", body);
    return NULL;
}

// Returns the rotation of the body at a time, from the tracks of the joints that carry the body.
static PoiseQuat body_turn(const PoiseScene* scene, int body, double time) {
    PoiseQuat turn = poise_quat_identity();
    while (body >= 0 && scene->bodies[body].joint >= 0) {
        const PoiseSceneJoint* joint = &scene->joints[scene->bodies[body].joint];
        if (joint->track) {
            turn = poise_quat_mul(poise_orientation_goal_at(&joint->track->turn, time, NULL), turn);
        }
        body = joint->parent.index;
    }
    return turn;
}

static PoiseVec3 figure_line(const PoiseScene* scene, int limb) {
    const PoiseSceneJoint* a = joint_of(scene, limbs[limb].from);
    const PoiseSceneJoint* b = joint_of(scene, limbs[limb].to);
    const PoiseVec3 line = poise_sub(b->anchor, a->anchor);
    return poise_scale(1.0 / poise_length(line), line);
}

static void expect_limbs_as_recorded(const PoiseScene* scene, Recording* recording, double most) {
    for (int f = 0; f < recording->motion->frame_count; f += 7) {
        for (int i = 0; i < (int)LIMBS; i++) {
            const int body = joint_of(scene, limbs[i].from)->child.index;
            const double time = f * recording->motion->frame_time;
            const PoiseVec3 line =
                poise_quat_rotate(body_turn(scene, body, time), figure_line(scene, i));
            const double off = poise_length(poise_sub(line, recorded_line(recording, f, i)));
            cr_expect(off < most, "%s in frame %d: %g off", limbs[i].from, f, off);
        }
    }
}

// The recording's rest pose has spread arms, the figure's arms hang.
Test(motion_posture, limbs_have_the_directions_of_the_recording) {
    Recording recording;
    read_recording(&recording, POISE_SOURCE_DIR "/scenes/motions/exercise.bvh");
    Loaded loaded = required(load_file(SCENE));
    expect_limbs_as_recorded(loaded.scene, &recording, 1e-9);
}

// Returns the largest difference between the unit directions of a limb in the figure and in a frame
// of the recording (rad for small differences).
static double worst_limb(const Running* running, Recording* recording, int frame) {
    const PoiseScene* scene = running->loaded.scene;
    double most = 0.0;
    for (int i = 0; i < (int)LIMBS; i++) {
        const int body = joint_of(scene, limbs[i].from)->child.index;
        const PoiseQuat turn = poise_quat_mul(body_pose(running, limbs[i].from).q,
                                              poise_quat_conjugate(scene->bodies[body].pose.q));
        const PoiseVec3 line = poise_quat_rotate(turn, figure_line(scene, i));
        const double off = poise_length(poise_sub(line, recorded_line(recording, frame, i)));
        most = fmax(most, off);
    }
    return most;
}

static const char walk_path[] = POISE_TEST_DATA "/mocap/walk_30fps.bvh";

// Loads a figure that follows the shared recording. The recording's rest pose has its legs astride;
// it has more joints in the trunk, and elbows and knees that turn about all axes. A limb that is
// nearly straight may differ by 0.015 rad.
static Loaded load_walk(void) {
    FILE* file = fopen(walk_path, "r");
    if (!file) {
        cr_skip("POISE_TEST_DATA has no mocap/walk_30fps.bvh");
    }
    fclose(file);
    char override[600];
    snprintf(override, sizeof override, "motion.bvh=%s", walk_path);
    const char* const overrides[] = {override, "motion.repeat=off"};
    const PoiseSceneSource source = {
        .path = SCENE, .trust = POISE_TRUST_ALL, .overrides = overrides, .override_count = 2};
    return required(load_source(&source));
}

Test(motion_posture, a_walk_of_others_is_laid_over_the_figure) {
    Loaded loaded = load_walk();
    Recording recording;
    read_recording(&recording, walk_path);
    expect_limbs_as_recorded(loaded.scene, &recording, 0.016);
    Running running = run(loaded);
    cr_assert_not_null(running.simulation);
    switch_points(&running, 0.0);
    running_steps(&running, 1.0);
    const double most = worst_limb(&running, &recording, 30); // 30 frames per second
    cr_expect(most < 0.1, "%g rad", most);
}

// The demo's "original motion" alone: the only error is the lag of springs of 4 kN m/rad.
Test(motion_posture, a_figure_without_points_follows_the_motion) {
    Recording recording;
    read_recording(&recording, POISE_SOURCE_DIR "/scenes/motions/exercise.bvh");
    Running running = running_open(SCENE);
    switch_points(&running, 0.0);
    running_steps(&running, 2.0);
    const double most = worst_limb(&running, &recording, 30); // 15 frames per second
    cr_expect(most < 0.02, "%g rad", most);
}

static double elbow_natural(const Running* running) {
    for (int i = 0; i < running->loaded.scene->joint_count; i++) {
        if (strcmp(running->loaded.scene->joints[i].name, "left_elbow") == 0) {
            return poise_simulation_joint_springs(running->simulation, i).q_natural[0];
        }
    }
    return (double)NAN;
}

// The scene's natural angle is 40 degrees, the motion's 20 to 50.
Test(motion_posture, the_blend_leads_from_the_own_posture_to_the_motions) {
    static const double own = 40.0 * 3.14159265358979323846 / 180.0;
    double led[2];
    const double parts[] = {1.0, 0.25};
    for (int k = 0; k < 2; k++) {
        Running running = running_open(SCENE);
        cr_expect_eq(parameter(&running, "motion.blend"), 1.0);
        set(&running, "motion.blend", parts[k]);
        running_steps(&running, 1.5);
        led[k] = elbow_natural(&running);
        set(&running, "motion.blend", 0.0);
        running_steps(&running, 0.005);
        EXPECT_NEAR(elbow_natural(&running), own, 1e-12);
    }
    cr_expect(fabs(led[0] - own) > 0.02, "%g", led[0]);
    EXPECT_NEAR(led[1], 0.75 * own + 0.25 * led[0], 1e-12);
}

static double worst_first_error(const Running* running) {
    static const char* const first[] = {"left_foot", "right_foot", "left_hand", "right_hand"};
    double worst = 0.0;
    for (int i = 0; i < 4; i++) {
        const PoisePointView view = point_named(running, first[i]);
        worst = fmax(worst, poise_length(poise_sub(view.goal_world.p, view.pose_world.p)));
    }
    return worst;
}

// A switched-off root does not move, and the rest of the body meets its goals; switched on again,
// the root moves with them. A joint behaves the same.
RUNNING_TEST(motion_posture, the_root_and_joints_are_switched_while_it_runs, running_open(SCENE)) {
    running_steps(running, 1.0);
    set(running, "joints.root.enabled", 0.0);
    set(running, "joints.left_elbow.enabled", 0.0);
    running_steps(running, 0.2);
    const PoisePose pelvis = body_pose(running, "pelvis");
    const double elbow = joint_named(running, "left_elbow").q[0];
    running_steps(running, 2.0);
    const double moved = poise_length(poise_sub(body_pose(running, "pelvis").p, pelvis.p));
    cr_expect(moved < 0.002, "switched off, the root moved by %g m", moved);
    EXPECT_NEAR(joint_named(running, "left_elbow").q[0], elbow, 0.02);
    cr_expect(worst_first_error(running) < 0.02, "the rest: %g m", worst_first_error(running));
    set(running, "joints.root.enabled", 1.0);
    set(running, "joints.left_elbow.enabled", 1.0);
    running_steps(running, 2.0);
    const double back = poise_length(poise_sub(body_pose(running, "pelvis").p, pelvis.p));
    cr_expect(back > 0.02, "switched on, the root moved by %g m", back);
    cr_expect(worst_first_error(running) < 0.005, "all: %g m", worst_first_error(running));
}

// Motion, motion and IK, IK: points of the first priority ignore the motion; free directions follow
// it.
RUNNING_TEST(motion_posture, everything_is_switched_while_it_runs, running_open(SCENE)) {
    running_steps(running, 2.0);
    cr_expect(worst_first_error(running) < 0.005, "both: %g m", worst_first_error(running));
    switch_points(running, 0.0);
    running_steps(running, 2.0);
    cr_expect(worst_first_error(running) > 0.1, "the motion alone is elsewhere: %g m",
              worst_first_error(running));
    switch_points(running, 1.0);
    set(running, "motion.blend", 0.0);
    running_steps(running, 2.0);
    cr_expect(worst_first_error(running) < 0.005, "IK alone: %g m", worst_first_error(running));
}
