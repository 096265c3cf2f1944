// SPDX-License-Identifier: MIT
// Tests legs and arms in closed form (rows 1.6, 1.7 of DOCUMENTS.md). Oracles: printed vectors,
// products of elementary matrices, and answers that poise_reach finds on the same limb as a tree.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "person.h"
#include "poise/limb.h"
#include "sample.h"

#define PI 3.14159265358979323846

static const char leg_axes[] = "ZXYYYX";
static const char arm_axes[] = "YXZYZYX";

typedef struct Links {
    const char* axes;
    double upper; ///< m; thigh or upper arm
    double lower;
} Links;

// Computes a limb's pose by matrices: rotations about its axes, links down -z before joint 3 and
// the joint after.
static void forward(const Links* limb, const double* q, double p[3], double m[9]) {
    const char* axes = limb->axes;
    const double links[2] = {limb->upper, limb->lower};
    for (int e = 0; e < 9; e++) {
        m[e] = e % 4 == 0 ? 1.0 : 0.0;
    }
    p[0] = p[1] = p[2] = 0.0;
    for (int i = 0; axes[i]; i++) {
        if (i == 3 || i == 4) {
            for (int r = 0; r < 3; r++) {
                p[r] -= links[i - 3] * m[3 * r + 2];
            }
        }
        const int a = axes[i] - 'X', b = (a + 1) % 3, c = (a + 2) % 3;
        const double cosine = cos(q[i]), sine = sin(q[i]);
        for (int r = 0; r < 3; r++) {
            const double old = m[3 * r + b];
            m[3 * r + b] = cosine * old + sine * m[3 * r + c];
            m[3 * r + c] = cosine * m[3 * r + c] - sine * old;
        }
    }
}

static PoisePose pose_of(const char* axes, double upper, double lower, const double* q) {
    double p[3], m[9];
    forward(&(Links){axes, upper, lower}, q, p, m);
    return poise_pose(poise_vec3(p[0], p[1], p[2]), poise_quat_from_rows(m));
}

// Returns |p - p'| plus the largest difference of the matrices.
static double miss(const char* axes, double upper, double lower, const double* a, const double* b) {
    double pa[3], pb[3], ma[9], mb[9], worst = 0.0;
    forward(&(Links){axes, upper, lower}, a, pa, ma);
    forward(&(Links){axes, upper, lower}, b, pb, mb);
    for (int e = 0; e < 9; e++) {
        worst = fmax(worst, fabs(ma[e] - mb[e]));
    }
    return fmax(worst, sqrt(pow(pa[0] - pb[0], 2) + pow(pa[1] - pb[1], 2) + pow(pa[2] - pb[2], 2)));
}

static void expect_angles(const double* q, const double* expected, int count, double tolerance) {
    for (int i = 0; i < count; i++) {
        EXPECT_NEAR(q[i], expected[i], tolerance);
    }
}

static void expect_inside(const double* q, const double* lower, const double* upper, int count) {
    for (int i = 0; i < count; i++) {
        cr_expect(q[i] >= lower[i] && q[i] <= upper[i], "joint %d: %.17g", i, q[i]);
    }
}

typedef struct Printed {
    double q[7];
    double p[3];
    double turn[4];
} Printed;

static PoisePose printed_pose(const Printed* row) {
    return poise_pose(poise_vec3(row->p[0], row->p[1], row->p[2]),
                      poise_quat(row->turn[0], row->turn[1], row->turn[2], row->turn[3]));
}

static const Printed legs[5] = {
    {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, -0.7}, {1.0, 0.0, 0.0, 0.0}},
    {{0.0, 0.0, -0.5235987755982988, 1.0471975511965976, -0.5235987755982988, 0.0},
     {-0.05000000000000002, 0.0, -0.6062177826491071},
     {1.0, 0.0, 0.0, 0.0}},
    {{0.5235987755982988, -0.2617993877991494, -0.7853981633974483, 1.5707963267948966,
      -0.7853981633974483, 0.2617993877991494},
     {0.002817202092697313, -0.14630089339705055, -0.47810889132455353},
     {0.9659258262890682, 0.0, 0.0, 0.25881904510252074}},
    {{-1.5707963267948966, 0.0, -1.0471975511965976, 2.0943951023931953, 0.5235987755982988, 0.0},
     {0.0, 0.086602540378444, -0.35000000000000003},
     {0.5, 0.5, 0.5000000000000001, -0.49999999999999994}},
    {{0.3, -0.2, -0.5, 1.1, -0.4, 0.25},
     {-0.04352609102811947, -0.13686801740410218, -0.5815803421315242},
     {0.9868524155926391, 0.010050346887024192, 0.0999411628338379, 0.12662173722486855}}};

static const Printed arms[3] = {
    {{-0.3, -0.4, 0.2, -1.1, 0.3, 0.2, -0.1},
     {0.2500929398067045, -0.08059560257137541, -0.21736043802643373},
     {0.7658847383899645, -0.29926319154590797, -0.5213898925345282, 0.22806729193359948}},
    {{0.5, -0.2, -0.6, -0.8, -0.4, 0.5, 0.3},
     {-0.047813768752015026, -0.14681185539167335, -0.33450958040384493},
     {0.9160174664806877, 0.01770798416947096, -0.05325589064182746, -0.3971929487174986}},
    {{-0.7853981633974483, -0.5235987755982988, 1.5707963267948966, -2.0943951023931953,
      0.7853981633974483, 0.0, -1.5707963267948966},
     {0.12247448713915893, 0.1, -0.12247448713915896},
     {0.0, 0.0, -0.9999999999999998, 0.0}}};

Test(limb, printed_legs) {
    const PoiseLegDef def = person_leg(0);
    for (int i = 0; i < 5; i++) {
        const PoisePose pose = printed_pose(&legs[i]);
        const PoisePose reached = poise_leg_forward(&def, legs[i].q);
        EXPECT_NEAR3(reached.p, pose.p, 1e-15);
        EXPECT_NEAR_QUAT(reached.q, pose.q, 1e-15);
        double q[POISE_LEG_JOINTS];
        PoiseLimbReport report;
        cr_expect(poise_leg_solve(&def, pose, legs[i].q, q, &report) == POISE_OK);
        cr_expect(report.reason == POISE_LIMB_MET && report.error < 1e-14);
        expect_angles(q, legs[i].q, POISE_LEG_JOINTS, 1e-7);
        cr_expect(miss(leg_axes, 0.3, 0.4, q, legs[i].q) < 1e-14);
        // The ranges leave one answer, from any reference.
        cr_expect(poise_leg_solve(&def, pose, NULL, q, NULL) == POISE_OK);
        expect_angles(q, legs[i].q, POISE_LEG_JOINTS, 1e-7);
    }
}

Test(limb, printed_arms) {
    const PoiseArmDef def = person_arm(0);
    for (int i = 0; i < 3; i++) {
        const PoisePose pose = printed_pose(&arms[i]);
        const PoisePose reached = poise_arm_forward(&def, arms[i].q);
        EXPECT_NEAR3(reached.p, pose.p, 1e-15);
        EXPECT_NEAR_QUAT(reached.q, pose.q, 1e-15);
        double q[POISE_ARM_JOINTS];
        PoiseLimbReport report;
        cr_expect(poise_arm_solve(&def, pose, arms[i].q, q, &report) == POISE_OK);
        cr_expect(report.reason == POISE_LIMB_MET && report.error < 1e-14);
        expect_angles(q, arms[i].q, POISE_ARM_JOINTS, 1e-13);
    }
}

// The foot keeps its rotation and lies on the line to the goal.
Test(limb, too_far_stretches_and_too_near_folds) {
    static const double far_printed[6] = {0.0, 0.05549850524571683, -0.14334756890536535,
                                          0.0, 0.14334756890536537, -0.05549850524571687};
    const PoiseLegDef leg = person_leg(0);
    PoiseLimbReport report;
    double q[POISE_ARM_JOINTS];
    PoisePose goal = poise_pose(poise_vec3(0.1, 0.05, -0.9), poise_quat_identity());
    cr_expect(poise_leg_solve(&leg, goal, NULL, q, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.reason == POISE_LIMB_TOO_FAR && q[3] == 0.0);
    // The article's formula keeps the goal's x, and therefore ends farther from the goal.
    const double theirs = poise_length(poise_sub(poise_leg_forward(&leg, far_printed).p, goal.p));
    EXPECT_NEAR(theirs, 0.208567, 1e-6);
    cr_expect(report.error < theirs);
    EXPECT_NEAR(report.error, poise_length(goal.p) - 0.7, 1e-14);
    EXPECT_NEAR(report.angle_error, 0.0, 1e-14);
    // printed without ranges: knee pi, hip -pi (or pi), all others 0
    PoiseLegDef open = poise_default_leg_def();
    open.thigh = 0.3;
    open.shank = 0.4;
    goal.p = poise_vec3(0.0, 0.0, -0.05);
    cr_expect(poise_leg_solve(&open, goal, NULL, q, &report) == POISE_NOT_CONVERGED);
    static const double near_printed[6] = {0.0, 0.0, -PI, PI, 0.0, 0.0};
    for (int i = 0; i < POISE_LEG_JOINTS; i++) {
        EXPECT_NEAR(remainder(q[i] - near_printed[i], 2.0 * PI), 0.0, 1e-14);
    }
    cr_expect(report.reason == POISE_LIMB_TOO_NEAR);
    EXPECT_NEAR(report.error, 0.05, 1e-14);
    EXPECT_NEAR(report.angle_error, 0.0, 1e-14);
    // The ranges limit how far the knee folds.
    cr_expect(poise_leg_solve(&leg, goal, NULL, q, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.reason == POISE_LIMB_AT_LIMITS);
    expect_inside(q, leg.lower, leg.upper, POISE_LEG_JOINTS);
    // An arm behaves in the same manner. Its two links have equal lengths, so it can fold to 0.
    PoiseArmDef arm = poise_default_arm_def();
    goal.p = poise_vec3(0.3, -0.6, 0.2);
    cr_expect(poise_arm_solve(&arm, goal, NULL, q, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.reason == POISE_LIMB_TOO_FAR && q[3] == 0.0);
    EXPECT_NEAR(report.error, 0.1, 1e-14);
    EXPECT_NEAR(report.angle_error, 0.0, 1e-14);
    goal.p = poise_vec3(0.0, 0.0, 0.0);
    cr_expect(poise_arm_solve(&arm, goal, NULL, q, &report) == POISE_OK);
    EXPECT_NEAR(fabs(q[3]), PI, 1e-14);
    arm.forearm = 0.2;
    cr_expect(poise_arm_solve(&arm, goal, NULL, q, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.reason == POISE_LIMB_TOO_NEAR && fabs(q[3]) == PI);
    EXPECT_NEAR(report.error, 0.1, 1e-14);
}

// Row 1.6 of DOCUMENTS.md
Test(limb, random_legs_inside_their_ranges) {
    const PoiseLegDef def = person_leg(0);
    Random random = random_from(61);
    for (int i = 0; i < sample_of(1000, 5000); i++) {
        double q[6], reference[6], out[6];
        random_inside(&random, def.lower, def.upper, 6, q);
        random_inside(&random, def.lower, def.upper, 6, reference);
        const PoisePose pose = pose_of(leg_axes, def.thigh, def.shank, q);
        cr_expect(poise_leg_solve(&def, pose, reference, out, NULL) == POISE_OK);
        const double off = miss(leg_axes, def.thigh, def.shank, out, q);
        cr_expect(off < 1e-11, "leg %d: %g", i, off);
        expect_inside(out, def.lower, def.upper, 6);
        // The reference is an answer: it is returned.
        cr_expect(poise_leg_solve(&def, pose, q, out, NULL) == POISE_OK);
        expect_angles(out, q, 6, 1e-6);
    }
}

// Row 1.7 of DOCUMENTS.md
Test(limb, random_arms_inside_their_ranges) {
    const PoiseArmDef def = person_arm(0);
    Random random = random_from(62);
    int missed = 0;
    for (int i = 0; i < sample_of(1000, 5000); i++) {
        double q[7], reference[7], out[7];
        random_inside(&random, def.lower, def.upper, 7, q);
        random_inside(&random, def.lower, def.upper, 7, reference);
        const PoisePose pose = pose_of(arm_axes, def.upper_arm, def.forearm, q);
        if (poise_arm_solve(&def, pose, reference, out, NULL) == POISE_OK) {
            const double off = miss(arm_axes, def.upper_arm, def.forearm, out, q);
            cr_expect(off < 1e-11, "arm %d: %g", i, off);
        } else {
            missed++;
        }
        expect_inside(out, def.lower, def.upper, 7);
        cr_expect(poise_arm_solve(&def, pose, q, out, NULL) == POISE_OK);
        expect_angles(out, q, 7, 1e-6);
    }
    cr_expect(missed == 0, "%d missed", missed);
}

// Returns the direction of the elbow's axis, computed from the angles.
static PoiseVec3 elbow_axis(const double* q) {
    double p[3], m[9];
    double upper_arm[7] = {q[0], q[1], q[2], 0.0, 0.0, 0.0, 0.0};
    forward(&(Links){arm_axes, 1.0, 1.0}, upper_arm, p, m);
    return poise_vec3(m[1], m[4], m[7]);
}

// The answer has the swivel whose elbow axis is nearest to the reference's: no rotation about the
// line is nearer.
Test(limb, an_arm_keeps_the_swivel_of_its_reference) {
    PoiseArmDef def = poise_default_arm_def();
    def.forearm = 0.25;
    Random random = random_from(64);
    for (int i = 0; i < sample_of(500, 2000); i++) {
        double lower[7], upper[7], q[7], reference[7], out[7];
        for (int k = 0; k < 7; k++) {
            lower[k] = -PI;
            upper[k] = PI;
        }
        random_inside(&random, lower, upper, 7, q);
        random_inside(&random, lower, upper, 7, reference);
        const PoisePose pose = pose_of(arm_axes, def.upper_arm, def.forearm, q);
        cr_assert(poise_arm_solve(&def, pose, reference, out, NULL) == POISE_OK);
        cr_expect(miss(arm_axes, def.upper_arm, def.forearm, out, q) < 1e-11);
        // Opposite elbow axes with the elbow bent to opposite sides put the elbow at the same
        // place, so the answer's axis is compared with the sign of the reference's bend.
        const double sign = (sin(out[3]) > 0.0) == (sin(reference[3]) > 0.0) ? 1.0 : -1.0;
        const PoiseVec3 axis = poise_scale(sign, elbow_axis(out));
        const PoiseVec3 wished = elbow_axis(reference);
        const PoiseVec3 line = poise_scale(1.0 / poise_length(pose.p), pose.p);
        EXPECT_NEAR(poise_dot(axis, line), 0.0, 1e-10);
        for (int turn = 1; turn < 64; turn++) {
            const PoiseQuat by = poise_quat_from_axis_angle(line, turn * PI / 32.0);
            cr_expect(poise_dot(axis, wished) >=
                      poise_dot(poise_quat_rotate(by, axis), wished) - 1e-12);
        }
    }
}

// A singular posture keeps the free angles of the reference: hip on the ankle's roll axis, gimbal
// lock of hip, shoulder and wrist, limb folded to one place.
Test(limb, free_angles_stay_at_the_reference) {
    const PoiseLegDef leg = poise_default_leg_def();
    const PoiseArmDef arm = poise_default_arm_def();
    static const double leg_postures[4][6] = {{0.2, 0.1, -0.4, 1.2, 0.0, 0.7},
                                              {0.3, 0.5 * PI, -0.8, 1.0, 0.2, 0.1},
                                              {0.3, -0.5 * PI, 0.5, 0.6, 0.2, 0.1},
                                              {0.3, -0.2, 0.5, PI, 0.2, 0.1}};
    for (int i = 0; i < 4; i++) {
        double q[6], out[6];
        for (int k = 0; k < 6; k++) {
            q[k] = leg_postures[i][k];
        }
        if (i == 0) {
            // the pitch of the ankle at which the hip lies on its axis of roll: the roll is free
            q[4] = atan2(-sin(q[3]), cos(q[3]) + 1.0) - 0.5 * PI;
        }
        const PoisePose pose = pose_of(leg_axes, 0.4, 0.4, q);
        cr_expect(poise_leg_solve(&leg, pose, q, out, NULL) == POISE_OK);
        expect_angles(out, q, 6, 1e-7);
        cr_expect(miss(leg_axes, 0.4, 0.4, out, q) < 1e-11);
    }
    static const double arm_postures[5][7] = {{0.2, 0.5 * PI, -0.4, 1.2, 0.1, 0.7, 0.3},
                                              {0.2, 0.3, -0.4, -1.2, 0.1, 0.5 * PI, 0.3},
                                              {0.2, 0.3, -0.4, 0.0, 0.1, 0.5, 0.3},
                                              {0.2, 0.3, -0.4, PI, 0.1, 0.5, 0.3},
                                              {0.2, 0.3, -0.4, -PI, 0.1, -0.5 * PI, 0.3}};
    for (int i = 0; i < 5; i++) {
        double out[7];
        const PoisePose pose = pose_of(arm_axes, 0.3, 0.3, arm_postures[i]);
        cr_expect(poise_arm_solve(&arm, pose, arm_postures[i], out, NULL) == POISE_OK);
        expect_angles(out, arm_postures[i], 7, 1e-7);
        cr_expect(miss(arm_axes, 0.3, 0.3, out, arm_postures[i]) < 1e-11);
    }
}

// The goal lies on the elbow's own axis: no swivel is nearer than another, and any is right.
Test(limb, a_goal_on_the_elbows_axis_is_met) {
    const PoiseArmDef def = poise_default_arm_def();
    const double reference[7] = {0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0};
    for (int side = -1; side <= 1; side += 2) {
        double q[7];
        PoiseLimbReport report;
        const PoisePose pose = poise_pose(poise_vec3(0.0, 0.45 * side, 0.0), poise_quat_identity());
        cr_expect(poise_arm_solve(&def, pose, reference, q, &report) == POISE_OK);
        cr_expect(report.error < 1e-14 && report.angle_error < 1e-14);
    }
}

// A goal that the ranges put out of reach: the angles stay inside the ranges, and the report has
// the error at these angles.
Test(limb, beyond_its_ranges_a_limb_is_held_on_them) {
    PoiseArmDef arm = person_arm(0);
    PoiseLegDef leg = person_leg(0);
    Random random = random_from(65);
    int held = 0;
    for (int i = 0; i < 300; i++) {
        double q[7];
        PoiseLimbReport report;
        const PoiseVec3 p = random_vec3(&random, 0.35);
        const PoisePose pose = poise_pose(p, random_turn(&random, PI));
        PoiseStatus status = poise_arm_solve(&arm, pose, NULL, q, &report);
        PoisePose reached = pose_of(arm_axes, arm.upper_arm, arm.forearm, q);
        expect_inside(q, arm.lower, arm.upper, 7);
        EXPECT_NEAR(report.error, poise_length(poise_sub(reached.p, p)), 1e-13);
        cr_expect((status == POISE_OK) == (report.reason == POISE_LIMB_MET));
        cr_expect((status == POISE_OK) == (report.error < 1e-9 && report.angle_error < 1e-9));
        held += report.reason == POISE_LIMB_AT_LIMITS;
        status = poise_leg_solve(&leg, pose, NULL, q, &report);
        reached = pose_of(leg_axes, leg.thigh, leg.shank, q);
        expect_inside(q, leg.lower, leg.upper, 6);
        EXPECT_NEAR(report.error, poise_length(poise_sub(reached.p, p)), 1e-13);
        cr_expect((status == POISE_OK) == (report.error < 1e-9 && report.angle_error < 1e-9));
        held += report.reason == POISE_LIMB_AT_LIMITS;
    }
    cr_expect(held > 100, "%d held", held);
}
