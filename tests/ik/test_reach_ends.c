// SPDX-License-Identifier: MIT
// Tests the end and the reason of a reach that does not meet its goals, by the slopes of E from
// matrices alone. Tests the effect of other postures.
#include <criterion/criterion.h>
#include <string.h>

#include "arm.h"
#include "near.h"
#include "works.h"

#define PI 3.14159265358979323846

static double slope(const Arm* arm, const double* q, PoisePose goal, int joint) {
    const double h = 1e-5;
    double at[ARM_MOST], sides[2];
    for (int side = 0; side < 2; side++) {
        memcpy(at, q, sizeof at);
        at[joint] += side == 0 ? -h : h;
        sides[side] = arm_error(arm, at, goal);
    }
    return (sides[1] - sides[0]) / (2.0 * h);
}

// Makes an elbow arm of six hinges, similar to a small factory robot's, with the given ranges.
static Arm six_hinges(double range) {
    static const double x[6] = {0.0, 0.05, 0.35, 0.05, 0.0, 0.0};
    static const double z[6] = {0.3, 0.1, 0.0, 0.0, 0.35, 0.0};
    static const int axis[6] = {2, 1, 1, 2, 1, 2};
    Arm arm = {.count = 6};
    for (int i = 0; i < 6; i++) {
        arm_origin(arm.joints[i].origin, poise_vec3(x[i], 0.0, z[i]), 0.0, 0.0, 0.0);
        arm.joints[i].axis[axis[i]] = 1.0;
        arm.joints[i].lower = -range;
        arm.joints[i].upper = range;
    }
    arm_origin(arm.tool, poise_vec3(0.0, 0.0, 0.12), 0.0, 0.0, 0.0);
    return arm;
}

// Goals are anywhere. Nearly all reaches that miss their goal end at a local minimum of E, and the
// reason agrees with the slopes.
Test(reach_ends, reasons_are_what_the_slopes_say) {
    static const double ranges[3] = {0.7, 1.6, 3.1};
    int count[5] = {0};
    for (int k = 0; k < 3; k++) {
        const Arm arm = six_hinges(ranges[k]);
        Model model = arm_model(&arm);
        Random random = random_from(71);
        for (int i = 0; i < 400; i++) {
            const PoiseVec3 p = random_vec3(&random, i % 2 == 0 ? 0.7 : 2.0);
            const PoisePose goal = poise_pose(p, random_turn(&random, 3.0));
            double q[ARM_MOST];
            arm_middle(&arm, q);
            arm_set(&model, q);
            arm_aim(&model, goal);
            PoiseReachReport report;
            const PoiseStatus status = poise_reach(model.tree, NULL, &report);
            arm_get(&model, q);
            count[report.reason]++;
            EXPECT_NEAR(report.error, arm_error(&arm, q, goal), 1e-7 * (1.0 + report.error));
            cr_expect((status == POISE_OK) == (report.reason == POISE_REACH_MET));
            if (report.reason == POISE_REACH_MET || report.reason == POISE_REACH_BUDGET) {
                continue;
            }
            const double flat = 2e-5 * (1.0 + report.error);
            double pressed = 0.0;
            for (int n = 0; n < arm.count; n++) {
                const double s = slope(&arm, q, goal, n);
                const int side = poise_node_at_limit(model.tree, model.nodes[n]);
                const bool out = (side < 0 && s > 0.0) || (side > 0 && s < 0.0);
                cr_expect(out || fabs(s) < flat, "goal %d, joint %d (%d): slope %g", i, n, side, s);
                pressed = fmax(pressed, out ? fabs(s) : 0.0);
            }
            if (pressed > flat) {
                cr_expect(report.reason == POISE_REACH_AT_LIMITS, "goal %d: %d", i,
                          (int)report.reason);
            } else {
                cr_expect(report.reason == POISE_REACH_UNREACHABLE || pressed > 0.0, "goal %d: %d",
                          i, (int)report.reason);
            }
        }
        model_finish(&model);
    }
    cr_expect(count[POISE_REACH_MET] > 100 && count[POISE_REACH_AT_LIMITS] > 300 &&
                  count[POISE_REACH_UNREACHABLE] > 100,
              "%d met, %d limits, %d unreachable", count[POISE_REACH_MET],
              count[POISE_REACH_AT_LIMITS], count[POISE_REACH_UNREACHABLE]);
    cr_expect(count[POISE_REACH_BUDGET] <= 2, "%d without a reason", count[POISE_REACH_BUDGET]);
}

// Steps with second derivatives converge fast where errors stay, and so reach an end. The posture
// at the end is a local minimum by slopes from matrices.
Test(reach_ends, poses_out_of_reach_end_before_the_budget) {
    static const char* const names[] = {"panda", "iiwa14"};
    int budget = 0, iterations = 0, missed = 0;
    for (int k = 0; k < 2; k++) {
        Arm arm;
        ARM_OR_SKIP(&arm, names[k]);
        Model model = arm_model(&arm);
        Random random = random_from(74);
        for (int i = 0; i < 400; i++) {
            const PoiseVec3 way = random_vec3(&random, 1.0);
            const double far = random_between(&random, 0.0, 2.0) / poise_length(way);
            const PoisePose goal = poise_pose(poise_scale(far, way), random_turn(&random, 3.0));
            double q[ARM_MOST];
            arm_middle(&arm, q);
            arm_set(&model, q);
            arm_aim(&model, goal);
            PoiseReachReport report;
            cr_assert(poise_reach(model.tree, NULL, &report) >= POISE_OK);
            budget += report.reason == POISE_REACH_BUDGET;
            if (report.reason == POISE_REACH_MET || report.reason == POISE_REACH_BUDGET) {
                continue;
            }
            missed++;
            iterations += report.iterations;
            arm_get(&model, q);
            for (int n = 0; n < arm.count; n++) {
                const double s = slope(&arm, q, goal, n);
                const int side = poise_node_at_limit(model.tree, model.nodes[n]);
                cr_expect((side < 0 && s > 0.0) || (side > 0 && s < 0.0) ||
                              fabs(s) < 2e-5 * (1.0 + report.error),
                          "%s, goal %d, joint %d (%d): slope %g", names[k], i, n, side, s);
            }
        }
        model_finish(&model);
    }
    cr_expect(budget <= 2 && iterations < 80 * missed, "%d of 800, %d iterations for %d", budget,
              iterations, missed);
}

// Returns how many of 2000 poses of the arm are met; fills the number of other postures.
static int count_met(bool other_postures, int* others) {
    const Arm arm = six_hinges(PI);
    Model model = arm_model(&arm);
    Random random = random_from(72);
    PoiseReachDef def = poise_default_reach_def();
    def.other_postures = other_postures;
    int met = 0;
    *others = 0;
    for (int i = 0; i < 2000; i++) {
        double q[ARM_MOST];
        for (int n = 0; n < arm.count; n++) {
            q[n] = random_between(&random, -PI, PI);
        }
        const PoisePose goal = arm_pose(&arm, q);
        arm_middle(&arm, q);
        arm_set(&model, q);
        arm_aim(&model, goal);
        PoiseReachReport report;
        met += poise_reach(model.tree, &def, &report) == POISE_OK;
        *others += report.other_postures;
    }
    model_finish(&model);
    return met;
}

Test(reach_ends, other_postures_solve_most_of_what_one_descent_does_not) {
    int others;
    const int without = count_met(false, &others);
    cr_expect(others == 0);
    const int with_them = count_met(true, &others);
    cr_expect(others > 0 && others < 8 * (2000 - without));
    cr_expect(2000 - with_them < (2000 - without) / 6, "%d without, %d with", without, with_them);
}

// The small steps to one side make the arm fold without other postures.
Test(reach_ends, a_straight_arm_folds_without_other_postures) {
    for (int count = 2; count <= 5; count++) {
        Model model = model_chain(POISE_NODE_HINGE, count, 0.4, POISE_POINT_POSITION);
        PoiseReachDef def = poise_default_reach_def();
        def.other_postures = false;
        arm_aim(&model, poise_pose(poise_vec3(0.2 * count, 0.0, 0.0), poise_quat_identity()));
        PoiseReachReport report;
        cr_expect(poise_reach(model.tree, &def, &report) == POISE_OK, "%d links: %d", count,
                  (int)report.reason);
        cr_expect(report.other_postures == 0);
        model_finish(&model);
    }
}

// A goal circles where the joints' ranges end. Without other postures the arm follows in small
// steps; with them the sum of the errors is no larger.
Test(reach_ends, following_a_goal_it_stays_near_or_does_better) {
    const Arm arm = six_hinges(1.2);
    double worst_step = 0.0, sums[2] = {0.0, 0.0};
    for (int with_it = 0; with_it < 2; with_it++) {
        Model model = arm_model(&arm);
        PoiseReachDef def = poise_default_reach_def();
        def.other_postures = with_it == 1;
        double q[ARM_MOST], before[ARM_MOST];
        arm_middle(&arm, q);
        arm_set(&model, q);
        for (int i = 0; i <= 400; i++) {
            const double t = i * PI / 200.0;
            const PoiseVec3 p = poise_vec3(0.5 + 0.15 * cos(t), 0.3 * sin(t), 0.55);
            const PoisePose goal =
                poise_pose(p, poise_quat_exp(poise_vec3(0.0, 1.2, 0.3 * sin(t))));
            memcpy(before, q, sizeof before);
            arm_aim(&model, goal);
            WORKS(poise_reach(model.tree, &def, NULL));
            arm_get(&model, q);
            sums[with_it] += arm_error(&arm, q, goal);
            for (int n = 0; n < arm.count && with_it == 0 && i > 0; n++) {
                worst_step = fmax(worst_step, fabs(q[n] - before[n]));
            }
        }
        model_finish(&model);
    }
    cr_expect(worst_step < 0.1, "a step of %g rad", worst_step);
    cr_expect(sums[1] <= sums[0] * (1.0 + 1e-9), "%g with, %g without", sums[1], sums[0]);
}

// E of the goal is infinite, so no step lowers E; the posture stays finite.
Test(reach_ends, a_goal_whose_error_is_infinite) {
    Model model = model_chain(POISE_NODE_BALL, 3, 0.5, POISE_POINT_POSITION);
    WORKS(poise_point_set_weight(model.tree, model.points[0], 1e300));
    WORKS(poise_point_set_position(model.tree, model.points[0], poise_vec3(1e6, 0.0, 0.0)));
    PoiseReachDef def = poise_default_reach_def();
    def.starts = 3;
    MAY_FAIL(poise_reach(model.tree, &def, NULL));
    double q[POISE_MAX_POSTURE];
    cr_assert_eq(poise_node_posture(model.tree, model.nodes[1], q), 4);
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-12);
    model_finish(&model);
}
