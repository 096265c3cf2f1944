// SPDX-License-Identifier: MIT
// Tests one step at a time after a moving target: Newton's step where the error is small, a bounded
// step where it is large, inside the ranges.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"
#include "near.h"
#include "works.h"

// Returns a pose on a tilted figure of eight around `centre`, the tip's pose in a bent posture.
static PoisePose on_track(PoisePose centre, double phase, double size) {
    const PoiseVec3 way = poise_vec3(size * sin(phase), size * sin(phase) * cos(phase), 0.0);
    const PoiseQuat tilt = poise_quat_from_axis_angle(poise_vec3(1.0, 0.5, 0.0), 0.2 * sin(phase));
    return poise_pose(poise_add(centre.p, way), poise_quat_mul(centre.q, tilt));
}

// Returns the largest distance or angle left after a step along the track, m or rad.
static double follow(Chain chain, double pace) {
    double posture[ARM_MOST] = {0.3, -0.4, 0.2, -1.9, 0.1, 1.8, 0.5};
    const PoisePose centre = poise_body_forward(chain.body, posture, 0);
    double worst = 0.0;
    for (int step = 1; step * pace < 10.0; step++) {
        double distance;
        double angle;
        const PoisePose target = on_track(centre, step * pace, 0.08);
        cr_expect_geq(chain_track(chain, NULL, target, posture, NULL), POISE_OK);
        chain_miss(chain, posture, target, &distance, &angle);
        worst = fmax(worst, fmax(distance, angle));
        cr_expect(chain_is_inside(chain, posture, 0.0));
    }
    return worst;
}

Test(chain_track, follows_a_track_on_every_path_with_an_error_of_second_order) {
    Arm arm;
    ARM_OR_SKIP(&arm, "panda");
    Model model = arm_model(&arm);
    for (int p = 0; p < CHAIN_PATHS; p++) {
        Chain chain = chain_of(&model, chain_paths[p]);
        // 0.4 mm and 0.001 rad for each step, then half of that
        const double coarse = follow(chain, 0.005);
        const double fine = follow(chain, 0.0025);
        cr_expect_leq(coarse, 2e-6, "%s: %g", chain_path_name(chain_paths[p]), coarse);
        cr_expect_leq(fine, coarse / 3.5, "%g then %g", coarse, fine);
        chain_destroy(chain);
    }
    model_finish(&model);
}

Test(chain_track, reports_the_error_and_rests_where_the_target_is_met) {
    Model model = model_chain(POISE_NODE_BALL, 5, 1.0, POISE_POINT_POSE);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    Random random = random_from(3);
    double posture[20];
    double kept[20];
    chain_draw(chain, &random, posture);
    PoisePose target = poise_body_forward(chain.body, posture, 0);
    PoiseBodyReport report;
    memcpy(kept, posture, sizeof posture);
    cr_expect(chain_track(chain, NULL, target, posture, &report) == POISE_OK);
    cr_expect_arr_eq(posture, kept, sizeof posture);
    cr_expect_eq(report.reason, POISE_REACH_MET);
    target.p.x += 0.003;
    target.q =
        poise_quat_mul(target.q, poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), 0.002));
    cr_expect(chain_track(chain, NULL, target, posture, &report) == POISE_NOT_CONVERGED);
    EXPECT_NEAR(report.error, 0.003, 1e-12);
    EXPECT_NEAR(report.angle_error, 0.002, 1e-9);
    cr_expect(chain_track(chain, NULL, target, posture, &report) == POISE_NOT_CONVERGED);
    cr_expect_lt(report.error, 1e-5);
    chain_destroy(chain);
    model_finish(&model);
}

// The arm is straight and the target far out of reach: the posture is nearly singular, and no joint
// jumps.
Test(chain_track, does_not_jump_where_the_posture_is_singular) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    ChainSolveDef def = chain_goal_def(POISE_BODY_POSITION);
    double posture[3] = {1e-4, -1e-4, 1e-4};
    PoisePose target = poise_pose_identity();
    for (int step = 0; step < 500; step++) {
        double before[3];
        memcpy(before, posture, sizeof posture);
        target.p = poise_vec3(3.0 + 2.0 * sin(0.1 * step), 0.01 * cos(0.3 * step), 0.0);
        cr_expect_geq(chain_track(chain, &def, target, posture, NULL), POISE_OK);
        for (int i = 0; i < 3; i++) {
            EXPECT_NEAR(posture[i], before[i], 0.5);
        }
    }
    chain_destroy(chain);
    model_finish(&model);
}

Test(chain_track, a_slider_and_a_hinge_stop_at_their_ranges_and_the_rest_go_on) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_slider_def();
    def.axis = poise_vec3(1.0, 0.0, 0.0);
    def.lower = 0.0;
    def.upper = 0.1;
    def.parent = model_add_node(&model, &def);
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.parent = model.nodes[0];
    hinge.joint_in_parent.p = poise_vec3(0.2, 0.0, 0.0);
    hinge.parent = model_add_node(&model, &hinge);
    hinge.joint_in_parent.p = poise_vec3(1.0, 0.0, 0.0);
    hinge.parent = model_add_node(&model, &hinge);
    model_add_tip(&model, hinge.parent, poise_vec3(1.0, 0.0, 0.0));
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    ChainSolveDef solve = chain_goal_def(POISE_BODY_POSITION);
    PoisePose target = poise_pose_identity();
    target.p = poise_vec3(1.9, 0.6, 0.0);
    double posture[3] = {0.05, 0.3, 0.3};
    for (int step = 0; step < 30; step++) {
        cr_expect_geq(chain_track(chain, &solve, target, posture, NULL), POISE_OK);
        cr_expect(chain_is_inside(chain, posture, 0.0));
    }
    EXPECT_NEAR3(poise_body_forward(chain.body, posture, 0).p, target.p, 1e-9);
    chain_destroy(chain);
    model_finish(&model);
}

// A step may leave an angle beyond 1e5 rad, the largest that a start may have.
Test(chain_track, a_hinge_at_the_end_of_a_range_of_many_turns_is_counted) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.lower = 99999.9;
    hinge.upper = 100000.1;
    hinge.angle = 100000.0;
    (void)model_add_node(&model, &hinge);
    model_add_tip(&model, model.nodes[0], poise_vec3(1.0, 0.0, 0.0));
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    ChainSolveDef solve = chain_goal_def(POISE_BODY_POSITION);
    PoisePose target = poise_pose_identity();
    target.p = poise_vec3(cos(100000.5), sin(100000.5), 0.0);
    double posture = 100000.0;
    PoiseBodyReport report;
    cr_expect_eq(chain_track(chain, &solve, target, &posture, &report), POISE_NOT_CONVERGED);
    cr_expect_eq(posture, hinge.upper, "%.17g", posture);
    cr_expect_eq(report.limited_dofs, 1);
    chain_destroy(chain);
    model_finish(&model);
}

// Lengths near the largest number leave no step, but the posture stays finite.
Test(chain_track, a_posture_stays_finite_at_any_length) {
    const double lengths[] = {1e-300, 1e-150, 1e150, 1e300};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (int kind = POISE_NODE_HINGE; kind <= POISE_NODE_SLIDER; kind++) {
            Model model = model_chain((PoiseNodeKind)kind, 3, lengths[l], POISE_POINT_POSE);
            for (int p = 0; p < CHAIN_PATHS; p++) {
                Chain chain = chain_of(&model, chain_paths[p]);
                ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
                const PoisePose target =
                    poise_pose(poise_vec3(-2.0, 2.0, -2.0), poise_quat(0.0, 1.0, 0.0, 0.0));
                double posture[3] = {0.0, 0.0, 0.0};
                MAY_FAIL(chain_track(chain, &def, target, posture, NULL));
                for (int i = 0; i < 3; i++) {
                    cr_expect(isfinite(posture[i]), "%g m: %g", lengths[l], posture[i]);
                }
                chain_destroy(chain);
            }
            model_finish(&model);
        }
    }
}
