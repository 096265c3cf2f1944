// SPDX-License-Identifier: MIT
// Solves one target at a time. Every reachable target is met inside the ranges on every path. Other
// targets get the nearest answer and the reason.
#include <criterion/criterion.h>
#include <stdio.h>

#include "chains.h"
#include "near.h"
#include "works.h"

enum { ROBOTS = 4, TARGETS = 1000, DRAWN = 200 };

static const char* const robots[ROBOTS] = {"panda", "ur5", "iiwa14", "ball5"};

// Solves the shared problems on one path. Each is met, by matrices that are independent of the
// library.
static void solve_shared(const char* name, PoiseBodyPath path) {
    static ArmTarget targets[TARGETS];
    Arm arm;
    ARM_OR_SKIP(&arm, name);
    const int count = arm_read_targets(&arm, name, targets, TARGETS);
    cr_assert_eq(count, TARGETS);
    Model model = arm_model(&arm);
    Chain chain = chain_of(&model, path);
    int iterations = 0;
    for (int t = 0; t < count; t++) {
        double posture[ARM_MOST];
        double distance;
        double angle;
        PoiseBodyReport report;
        arm_middle(&arm, posture);
        const PoiseStatus status = chain_solve(chain, NULL, targets[t].pose, posture, &report);
        arm_miss(&arm, posture, targets[t].pose, &distance, &angle);
        // Each path ends within 5e-10 of the target, so that any two agree to 1e-9.
        cr_expect(status == POISE_OK && distance <= 5e-10 && angle <= 5e-10,
                  "%s, %s, target %d: %s, %g m and %g rad off", name, chain_path_name(path), t,
                  poise_status_name(status), distance, angle);
        EXPECT_NEAR(report.error, distance, 1e-13);
        cr_expect(chain_is_inside(chain, posture, 0.0));
        iterations = report.iterations > iterations ? report.iterations : iterations;
    }
    // An iteration of one lane costs less than half a microsecond: the budget is 0.5 ms.
    cr_expect_lt(iterations, 1000, "%d iterations", iterations);
    chain_destroy(chain);
    model_finish(&model);
}

Test(chain_solve, meets_every_shared_problem_on_every_path) {
    for (int r = 0; r < ROBOTS * CHAIN_PATHS; r++) {
        solve_shared(robots[r / CHAIN_PATHS], chain_paths[r % CHAIN_PATHS]);
    }
}

// Checks that the posture meets the parts of the target that the goal kind asks for.
static void expect_goal_met(Chain chain, PoiseBodyGoal goal, const double* posture,
                            PoisePose target, const char* what) {
    double distance;
    double angle;
    chain_miss(chain, posture, target, &distance, &angle);
    cr_expect(goal == POISE_BODY_ORIENTATION || distance <= 1e-9, "%s: %g m off", what, distance);
    cr_expect(goal == POISE_BODY_POSITION || angle <= 1e-9, "%s: %g rad off", what, angle);
    cr_expect(chain_is_inside(chain, posture, 0.0), "%s: outside its ranges", what);
}

Test(chain_solve, meets_targets_with_every_kind_of_joint_and_goal_on_every_path) {
    Random random = random_from(11);
    for (int t = 0; t < DRAWN; t++) {
        // at least the 6 degrees of freedom that a pose needs
        Model model = chain_random_model(&random, 6 + t % 3, t % 4 == 3);
        Chain scalar = chain_of(&model, POISE_BODY_EXACT);
        double drawn[CHAIN_POSTURE];
        chain_draw(scalar, &random, drawn);
        const PoisePose target = poise_body_forward(scalar.body, drawn, 0);
        ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
        def.goal = (PoiseBodyGoal)(t % 3);
        for (int p = 0; p < CHAIN_PATHS; p++) {
            Chain chain = chain_of(&model, chain_paths[p]);
            double posture[CHAIN_POSTURE];
            char what[64];
            snprintf(what, sizeof what, "chain %d, %s", t, chain_path_name(chain_paths[p]));
            cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
            cr_expect(chain_solve(chain, &def, target, posture, NULL) == POISE_OK, "%s", what);
            expect_goal_met(chain, def.goal, posture, target, what);
            chain_destroy(chain);
        }
        chain_destroy(scalar);
        model_finish(&model);
    }
}

// ----------------------------------------------------------------------------------- what is asked

Test(chain_solve, steps_follow_from_the_posture) {
    // The elbow of a planar arm may bend to either side: it stays on the side on which it starts.
    Model model = model_chain(POISE_NODE_HINGE, 2, 1.0, POISE_POINT_POSITION);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    const ChainSolveDef def = chain_goal_def(POISE_BODY_POSITION);
    PoisePose target = poise_pose_identity();
    target.p = poise_vec3(1.2, 0.5, 0.0);
    for (int side = -1; side <= 1; side += 2) {
        double posture[2] = {0.1, 0.4 * side};
        cr_expect(chain_descend(chain, &def, target, 30, posture));
        cr_expect_gt(side * posture[1], 0.1);
        expect_goal_met(chain, def.goal, posture, target, "planar arm");
    }
    chain_destroy(chain);
    model_finish(&model);
}

Test(chain_solve, hinges_without_a_range_stay_within_half_a_turn_of_the_start) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    ChainSolveDef def = chain_goal_def(POISE_BODY_POSITION);
    PoisePose target = poise_pose_identity();
    target.p = poise_vec3(-1.0, 1.0, 0.0);
    double posture[3] = {100.0, -50.0, 7.0};
    const double start[3] = {100.0, -50.0, 7.0};
    cr_expect(chain_solve(chain, &def, target, posture, NULL) == POISE_OK);
    for (int i = 0; i < 3; i++) {
        EXPECT_NEAR(posture[i], start[i], 3.1415927);
    }
    double distance;
    double angle;
    chain_miss(chain, posture, target, &distance, &angle);
    cr_expect_leq(distance, 1e-9);
    chain_destroy(chain);
    model_finish(&model);
}

// Turns by half a turn, and by 1e-9 less: the axis of the turn is that of the symmetric part.
Test(chain_solve, turns_by_half_a_turn) {
    const double turns[] = {3.14159265358979323846, 3.14159265258979323846, 3.1406};
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_ball_def();
    def.parent = model_add_node(&model, &def);
    (void)model_add_node(&model, &def);
    for (int p = 0; p < CHAIN_PATHS; p++) {
        Chain chain = chain_of(&model, chain_paths[p]);
        ChainSolveDef solve = chain_goal_def(POISE_BODY_ORIENTATION);
        for (int i = 0; i < 3; i++) {
            const PoiseVec3 axis = poise_vec3(1.0, 1.0, 0.2);
            const PoisePose target =
                poise_pose(poise_vec3(0.0, 0.0, 0.0), poise_quat_from_axis_angle(axis, turns[i]));
            double posture[8] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
            cr_expect(chain_descend(chain, &solve, target, 30, posture), "%s by %.17g",
                      chain_path_name(chain_paths[p]), turns[i]);
            EXPECT_NEAR_QUAT(poise_body_forward(chain.body, posture, 0).q, target.q, 1e-9);
        }
        chain_destroy(chain);
    }
    model_finish(&model);
}

// ------------------------------------------------------------------------------- out of reach

Test(chain_solve, out_of_reach_gives_the_nearest_and_says_why) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    for (int p = 0; p < CHAIN_PATHS; p++) {
        Chain chain = chain_of(&model, chain_paths[p]);
        ChainSolveDef def = chain_goal_def(POISE_BODY_POSITION);
        PoiseBodyReport report;
        double posture[3] = {0.3, 0.4, 0.5};
        PoisePose target = poise_pose_identity();
        target.p = poise_vec3(3.0, 4.0, 0.0);
        cr_expect(chain_solve(chain, &def, target, posture, &report) == POISE_NOT_CONVERGED);
        cr_expect_eq(report.reason, POISE_REACH_OUT_OF_REACH);
        EXPECT_NEAR(report.beyond, 2.0, 1e-8);
        // The arm is stretched toward the target: 5 m away with 3 m of arm.
        EXPECT_NEAR(report.error, 2.0, 1e-9);
        EXPECT_NEAR(posture[0], atan2(4.0, 3.0), 1e-4);
        cr_expect_eq(report.limited_dofs, 0);
        cr_expect_eq(report.answers, 0);
        chain_destroy(chain);
    }
    model_finish(&model);
}

Test(chain_solve, reports_that_ranges_hold_the_tip_back) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    for (int n = 0; n < 3; n++) {
        WORKS(poise_node_set_limits(model.tree, model.nodes[n], poise_range(-0.2, 0.2)));
    }
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    ChainSolveDef def = chain_goal_def(POISE_BODY_POSITION);
    PoiseBodyReport report;
    double posture[3] = {0.0, 0.0, 0.0};
    PoisePose target = poise_pose_identity();
    target.p = poise_vec3(0.0, 2.0, 0.0);
    cr_expect(chain_solve(chain, &def, target, posture, &report) == POISE_NOT_CONVERGED);
    cr_expect_eq(report.reason, POISE_REACH_AT_LIMITS);
    cr_expect_eq(report.limited_dofs, 3);
    for (int i = 0; i < 3; i++) {
        EXPECT_NEAR(posture[i], 0.2, 1e-12);
    }
    chain_destroy(chain);
    model_finish(&model);
}

// Extreme targets and starts and short budgets give finite numbers inside the ranges.
Test(chain_solve, answers_are_finite_and_inside_the_ranges) {
    Random random = random_from(21);
    for (int t = 0; t < DRAWN; t++) {
        Model model = chain_random_model(&random, 1 + t % 8, t % 2 == 0);
        Chain chain = chain_of(&model, chain_paths[t % CHAIN_PATHS]);
        ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
        def.goal = (PoiseBodyGoal)(t % 3);
        def.all.iterations = 1 + t;
        const double sizes[] = {1.0, 1e6, 1e-9, 0.0, 1e150};
        PoisePose target = random_pose(&random, 1.0, 3.0);
        target.p = poise_scale(sizes[t % 5], target.p);
        double posture[CHAIN_POSTURE];
        PoiseBodyReport report;
        chain_draw(chain, &random, posture);
        cr_expect_geq(chain_solve(chain, &def, target, posture, &report), POISE_OK);
        cr_expect(chain_is_inside(chain, posture, 0.0), "chain %d", t);
        cr_expect(isfinite(report.error) && isfinite(report.angle_error), "chain %d", t);
        chain_destroy(chain);
        model_finish(&model);
    }
}

Test(chain_solve, the_scale_of_a_chain_changes_no_answer) {
    Arm arm;
    static ArmTarget targets[300];
    ARM_OR_SKIP(&arm, "panda");
    const int count = arm_read_targets(&arm, "panda", targets, 300);
    const double scales[] = {1.0, 0.01, 1000.0};
    int iterations[3] = {0};
    for (int s = 0; s < 3; s++) {
        Arm scaled = arm;
        for (int i = 0; i <= arm.count; i++) {
            double* origin = i < arm.count ? scaled.joints[i].origin : scaled.tool;
            for (int k = 3; k < 12; k += 4) {
                origin[k] *= scales[s];
            }
        }
        Model model = arm_model(&scaled);
        Chain chain = chain_of(&model, POISE_BODY_EXACT);
        ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
        def.all.position_tolerance *= scales[s];
        for (int t = 0; t < count; t++) {
            double posture[ARM_MOST];
            PoiseBodyReport report;
            PoisePose target = targets[t].pose;
            target.p = poise_scale(scales[s], target.p);
            arm_middle(&arm, posture);
            cr_expect(chain_solve(chain, &def, target, posture, &report) == POISE_OK);
            iterations[s] += report.iterations;
        }
        chain_destroy(chain);
        model_finish(&model);
    }
    for (int s = 1; s < 3; s++) {
        EXPECT_NEAR((double)iterations[s], (double)iterations[0], 0.02 * iterations[0]);
    }
}
