// SPDX-License-Identifier: MIT
// Tests recorded motions. BVH files are compared with products of matrices. Whole figures follow a
// motion: standing feet do not slide, hands reach their goals, no joint leaves its range. Motions
// are written as BVH, keyframes and tables. Files with a fault: bad/bvh.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loaded.h"
#include "motion.h"
#include "near.h"
#include "program.h"
#include "text.h"

#define PI 3.14159265358979323846

static const Motion* read_text(const char* text) {
    Document document = {.arena = kept_arena(), .diagnostics = kept_diagnostics(), .file = "a.bvh"};
    return poise__bvh_read(&document, text, strlen(text));
}

static const char two_joints[] =
    "HIERARCHY\nROOT Hips {\n OFFSET 1 2 3\n"
    " CHANNELS 6 Zrotation Xposition Yrotation Zposition Xrotation Yposition\n"
    " JOINT Left Arm\n {\n OFFSET 0 0.5 -1e-1\n CHANNELS 3 Xrotation Zrotation Yrotation\n"
    " End Site { OFFSET 0.25 0 0 }\n }\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.5\n"
    "0 1 0 3 0 2 0 0 0\n30 4 -50 6 70 5 20 -40 60\n";

// Fills the rotation matrix, 3 x 3, row-major.
static void turn_about(int axis, double degrees, double m[9]) {
    const double c = cos(degrees * PI / 180.0), s = sin(degrees * PI / 180.0);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    memset(m, 0, 9 * sizeof *m);
    m[4 * axis] = 1.0;
    m[4 * u] = m[4 * v] = c;
    m[3 * u + v] = -s;
    m[3 * v + u] = s;
}

static void multiply(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3] +
                 a[i / 3 * 3 + 2] * b[6 + i % 3];
    }
}

static void turns(const int axes[3], const double degrees[3], double out[9]) {
    double a[9], b[9], c[9], ab[9];
    turn_about(axes[0], degrees[0], a);
    turn_about(axes[1], degrees[1], b);
    turn_about(axes[2], degrees[2], c);
    multiply(a, b, ab);
    multiply(ab, c, out);
}

Test(motion, channels_in_any_order_are_products_of_matrices) {
    const Motion* motion = read_text(two_joints);
    cr_assert_not_null(motion);
    cr_expect(motion->joint_count == 3 && motion->frame_count == 2 && motion->channel_count == 9);
    cr_expect(motion->frame_time == 0.5);
    cr_assert_eq(poise__motion_find(motion, "Left Arm"), 1);
    cr_assert_eq(poise__motion_find(motion, "Left Arm_end"), 2);
    PoisePose poses[3];
    poise__motion_poses(motion, -1, poses);
    EXPECT_NEAR3(poses[2].p, poise_vec3(1.25, 2.5, 2.9), 1e-15);
    poise__motion_poses(motion, 1, poses);
    double root[9], arm[9], both[9];
    turns((int[3]){2, 1, 0}, (double[3]){30, -50, 70}, root);
    turns((int[3]){0, 2, 1}, (double[3]){20, -40, 60}, arm);
    multiply(root, arm, both);
    PoiseVec3 place =
        poise_vec3(4.0 + root[1] * 0.5 - root[2] * 0.1, 5.0 + root[4] * 0.5 - root[5] * 0.1,
                   6.0 + root[7] * 0.5 - root[8] * 0.1);
    EXPECT_NEAR3(poses[1].p, place, 1e-14);
    EXPECT_NEAR_QUAT(poses[1].q, poise_quat_from_rows(both), 1e-14);
    place = poise_add_scaled(place, 0.25, poise_vec3(both[0], both[3], both[6]));
    EXPECT_NEAR3(poses[2].p, place, 1e-14);
}

// The file has y up and z ahead, in centimetres. The scene has z up and x ahead, and is turned by
// 90 degrees about z.
Test(motion, a_track_is_laid_into_the_scene) {
    const Motion* motion = read_text(two_joints);
    cr_assert_not_null(motion);
    PoisePose poses[3], track[2];
    const PoiseQuat left = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), 0.5 * PI);
    const MotionPlace place = {true, 0.01, poise_pose(poise_vec3(10.0, 0.0, 0.0), left)};
    poise__motion_track(motion, 0, &place, poses, track);
    // The file's (1, 2, 3) becomes (3, 1, 2) with z up, and (-1, 3, 2) after the rotation.
    EXPECT_NEAR3(track[0].p, poise_vec3(9.99, 0.03, 0.02), 1e-15);
    EXPECT_NEAR_QUAT(track[0].q, poise_quat_identity(), 1e-15);
}

Test(motion, a_low_slow_foot_stays_in_place) {
    enum { COUNT = 40 };
    PoisePose track[COUNT];
    double raw[COUNT];
    for (int f = 0; f < COUNT; f++) {
        // the foot stands for ten frames, creeps by 1 mm in each, then swings by half a metre
        const int step = f / 20, in = f % 20;
        const double swing = in < 10 ? 0.0 : (in - 9) / 11.0;
        raw[f] = 0.51 * step + 0.001 * (in < 10 ? in : 9) + 0.5 * swing;
        track[f] = poise_pose(poise_vec3(raw[f], 0.0, in < 10 ? 0.0 : 0.2), poise_quat_identity());
    }
    cr_expect_eq(poise__motion_plant(track, COUNT, 0.04, (MotionStance){0.05, 0.4}), 2);
    for (int f = 1; f < COUNT; f++) {
        // a frame's speed is taken between its neighbours: the first and last frame of a stand are
        // fast
        const bool stands = f % 20 < 9 && f % 20 > 1;
        const double way = track[f].p.x - track[f - 1].p.x;
        cr_expect(!stands || way == 0.0, "frame %d moves by %g", f, way);
        // Planting spreads its corrections: no frame moves much more than before.
        cr_expect(fabs(way) <= fabs(raw[f] - raw[f - 1]) + 0.002, "frame %d leaps by %g", f, way);
        cr_expect(fabs(track[f].p.x - raw[f]) <= 0.01);
    }
}

// ------------------------------------------------------------------------------- whole figures

/// A line of the output of `poise motion`.
typedef struct Line {
    double rms, most, angle, slide;
    int stands;
} Line;

static Line line_of(const Outcome* outcome, const char* point) {
    char head[40];
    Line line = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, -1};
    snprintf(head, sizeof head, "\n%s ", point);
    const char* at = strstr(outcome->out, head);
    cr_assert(at && sscanf(at + strlen(head), "%lf %lf %lf %d %lf", &line.rms, &line.most,
                           &line.angle, &line.stands, &line.slide) == 5,
              "no %s in\n%s%s", point, outcome->out, outcome->err);
    return line;
}

static void expect_kept(const Outcome* outcome, int least_stands) {
    static const char* const ends[] = {"left_foot", "right_foot", "left_hand", "right_hand"};
    for (int i = 0; i < 4; i++) {
        const Line line = line_of(outcome, ends[i]);
        cr_expect(line.most < 20.0, "%s: %g mm", ends[i], line.most);
        cr_expect(i >= 2 || line.slide < 5.0, "%s slides by %g mm", ends[i], line.slide);
        cr_expect(i >= 2 || line.stands >= least_stands, "%s stands %d times", ends[i],
                  line.stands);
    }
    const char* beyond = strstr(outcome->out, "joints beyond their ranges: ");
    cr_assert_not_null(beyond);
    cr_expect_leq(strtod(strchr(beyond, ':') + 1, NULL), 1e-9, "%s", beyond);
}

PROGRAM_TEST(motion, the_shipped_walk_keeps_its_motion) {
    run_program(outcome, "motion walk");
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    expect_kept(outcome, 4);
}

// the points of scenes/walk.yaml for the skeleton of the shared recording
static const char shared_points[] =
    "control_points:\n"
    "  left_foot: {body: left_foot, at: [0.075, 0, 0.037], position: {motion: LeftToe, planted: "
    "on}, "
    "orientation: {motion: LeftAnkle}}\n"
    "  right_foot: {body: right_foot, at: [0.075, 0, 0.037], position: {motion: RightToe, planted: "
    "on}, orientation: {motion: RightAnkle}}\n"
    "  hips: {body: pelvis, at: [0.04, 0, 0.03], weight: 0.02, position: {motion: Hips}, "
    "orientation: {motion: Hips}}\n"
    "  left_hand: {body: left_hand, at: [0, 0, 0.09], position: {motion: LeftWrist}}\n"
    "  right_hand: {body: right_hand, at: [0, 0, 0.09], position: {motion: RightWrist}}\n"
    "  chest: {body: chest, weight: 0.005, orientation: {motion: Chest2}}\n";

// Writes walk.yaml with other points.
static void write_walk(const char* name, const char* points) {
    char* text = text_of(POISE_SOURCE_DIR "/scenes/walk.yaml");
    char* at = strstr(text, "control_points:");
    cr_assert_not_null(at);
    snprintf(at, (size_t)(text + TEXT_MOST - at), "%s", points);
    write_scratch(name, text);
    free(text);
}

PROGRAM_TEST(motion, a_recorded_walk_is_kept) {
    static const char recording[] = POISE_TEST_DATA "/mocap/walk_30fps.bvh";
    if (access(recording, R_OK) != 0) {
        cr_skip("POISE_TEST_DATA has no mocap/walk_30fps.bvh");
    }
    char* text = text_of(recording);
    write_walk("walk.yaml", shared_points);
    char* motions = strstr(text, "HIERARCHY");
    cr_assert_not_null(motions);
    write_scratch("recorded.bvh", motions);
    free(text);
    run_shell(outcome, "sed -i 's#motions/walk.bvh#recorded.bvh#' walk.yaml && "
                       "$POISE motion walk.yaml --seconds 7.9");
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    expect_kept(outcome, 5);
}

// Every body of the same figure follows the written motion.
PROGRAM_TEST(motion, a_motion_written_as_bvh_is_followed) {
    static const char own[] =
        "control_points:\n"
        "  hips: {body: pelvis, position: {motion: pelvis}, orientation: {motion: pelvis}}\n"
        "  chest: {body: chest, orientation: {motion: chest}}\n"
        "  left_hand: {body: left_hand, at: [0, 0, 0.09], position: {motion: left_hand}, "
        "orientation: {motion: left_hand}}\n"
        "  right_hand: {body: right_hand, at: [0, 0, 0.09], position: {motion: right_hand}}\n"
        "  left_foot: {body: left_foot, at: [-0.05, 0, 0.06], position: {motion: left_foot}, "
        "orientation: {motion: left_foot}}\n"
        "  right_foot: {body: right_foot, at: [-0.05, 0, 0.06], position: {motion: right_foot}}\n"
        "  shin: {body: left_shank, at: [0, 0, -0.21], position: {motion: left_shank}}\n";
    run_program(outcome, "motion walk --fps 25 --bvh out.bvh --csv out.csv --keyframes out.xml");
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    write_walk("again.yaml", own);
    run_shell(outcome, "sed -i 's#motions/walk.bvh#out.bvh#' again.yaml && "
                       "$POISE motion again.yaml --fps 25");
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    static const char* const points[] = {"hips",      "chest",      "left_hand", "right_hand",
                                         "left_foot", "right_foot", "shin"};
    for (int i = 0; i < 7; i++) {
        const Line line = line_of(outcome, points[i]);
        cr_expect(line.most < 0.01 && line.angle < 0.001, "%s: %g mm, %g deg", points[i], line.most,
                  line.angle);
    }
    char* csv = read_scratch("out.csv");
    char* keys = read_scratch("out.xml");
    cr_assert(csv && keys);
    cr_expect(strncmp(csv, "time,root_x,root_y,root_z,root_turn.w,", 37) == 0, "%.60s", csv);
    const char* qpos = strstr(keys, "name=\"frame10\" time=\"0.4\" qpos=\"");
    cr_assert_not_null(qpos);
    // The keyframe has one number per column of the table except the time, and the same number for
    // the gantry.
    const char* row = csv;
    for (int i = 0; i <= 10; i++) {
        row = strchr(row, '\n') + 1;
    }
    double time = 0.0, x = 0.0, key = 0.0;
    cr_assert_eq(sscanf(row, "%lf,%lf", &time, &x), 2);
    cr_assert_eq(sscanf(strchr(strstr(qpos, "qpos"), '"') + 1, "%lf", &key), 1);
    EXPECT_NEAR(time, 0.4, 1e-12);
    EXPECT_NEAR(key, x, 1e-11);
    int columns = 0, numbers = 0;
    for (const char* p = csv; *p != '\n'; p++) {
        columns += *p == ',';
    }
    for (const char* p = strstr(qpos, "qpos=\"") + 6; *p != '"'; p++) {
        numbers += *p == ' ';
    }
    cr_expect_eq(numbers, columns);
}

PROGRAM_TEST(motion, a_scene_says_what_its_motion_lacks) {
    static const char* const rows[][2] = {
        {"motion: {bvh: none.bvh}\n", "cannot be read"},
        {"motion: {scale: 2}\n", "'bvh'"},
        {"motion: {bvh: a.bvh, start: 9}\n", "the motion is 1 s long"},
        {"motion: {bvh: a.bvh}\n", "the motion has no joint 'Left Arn'; did you mean 'Left Arm'?"},
        {"", "follows a motion, and the scene has none"},
    };
    write_scratch("a.bvh", two_joints);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char scene[800];
        snprintf(scene, sizeof scene,
                 "poise: 1\n%sbodies:\n  a: {box: [1, 1, 1]}\njoints:\n  j: {ball: [0, 0, 0], "
                 "between: [world, a]}\ncontrol_points:\n  p: {body: a, at: [1, 0, 0], position: "
                 "{motion: Left Arn}}\n",
                 rows[i][0]);
        write_scratch("bad.yaml", scene);
        run_program(outcome, "check bad.yaml");
        cr_expect(outcome->code == 3 &&
                      (strstr(outcome->out, rows[i][1]) || strstr(outcome->err, rows[i][1])),
                  "%s: %s%s", rows[i][1], outcome->out, outcome->err);
    }
    static const struct {
        const char* call;
        int code;
        const char* says;
    } calls[] = {
        {"motion walk --fps x", 2, "--fps"},
        {"motion walk --fps 1e6", 2, "a number above 0 up to 100000 is due, not '1e6'"},
        {"motion walk --seconds x", 2, "--seconds"},
        {"motion walk --fps 100000 --seconds 10000", 3, "are too many: fewer --fps or --seconds"},
        {"motion walk --packages . --fps 1", 0, "joints beyond their ranges"},
        {"motion nothing", 3, "cannot be read"},
        {"motion walk --fps 1 --bvh no/out.bvh", 3, "no/out.bvh: cannot be written"},
        {"motion walk --fps 1 --bvh same --csv same", 3, "same"},
        {"motion walk --fps 1 --csv /dev/full", 3, "No space left on device"}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        run_program(outcome, "%s", calls[i].call);
        cr_expect_eq(outcome->code, calls[i].code, "%s: %d, %s", calls[i].call, outcome->code,
                     outcome->err);
        cr_expect(strstr(outcome->err, calls[i].says) || strstr(outcome->out, calls[i].says),
                  "%s: %s", calls[i].call, outcome->err);
    }
    run_program(outcome, "motion walk --fps 0");
    cr_expect_eq(outcome->code, 2);
    run_program(outcome, "motion walk --seconds 0.1 --bvh walk.bvh --csv walk.bvh");
    cr_expect_neq(outcome->code, 0);
}
