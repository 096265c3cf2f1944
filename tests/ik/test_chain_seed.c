// SPDX-License-Identifier: MIT
// Tests the postures from which searches start: the seeds that a chain stores, and their benefit.
#include <criterion/criterion.h>

#include "chains.h"
#include "near.h"

enum { ARMS = 6, TARGETS = 200, JOINTS = 6 };

// Makes an arm of hinges whose axes neither meet nor are at right angles.
static Arm crooked_arm(Random* random, double range) {
    Arm arm = {.count = JOINTS};
    for (int i = 0; i < arm.count; i++) {
        ArmJoint* joint = &arm.joints[i];
        const PoiseVec3 p = random_vec3(random, 0.3);
        const double roll = random_between(random, 0.8, 1.6);
        arm_origin(joint->origin, p, i % 2 == 0 ? roll : -roll, 0.0,
                   random_between(random, -1.0, 1.0));
        joint->axis[2] = 1.0;
        joint->lower = -range;
        joint->upper = range;
    }
    arm_origin(arm.tool, poise_vec3(0.0, 0.0, 0.1), 0.0, 0.0, 0.0);
    return arm;
}

static void draw_posture(const Arm* arm, Random* random, double* posture) {
    for (int i = 0; i < arm->count; i++) {
        posture[i] = random_between(random, arm->joints[i].lower, arm->joints[i].upper);
    }
}

// In a batch each lane runs the starts of its own target, so that no iteration is in vain.
Test(chain_seed, crooked_arms_take_few_iterations) {
    Random random = random_from(404);
    long iterations = 0;
    for (int a = 0; a < ARMS; a++) {
        const Arm arm = crooked_arm(&random, 2.6);
        Model model = arm_model(&arm);
        const Chain chain = chain_of(&model, POISE_BODY_EXACT);
        PoisePose targets[TARGETS];
        double postures[TARGETS * JOINTS];
        PoiseBodyReport reports[TARGETS];
        for (int t = 0; t < TARGETS; t++) {
            double* posture = &postures[t * JOINTS];
            draw_posture(&arm, &random, posture);
            targets[t] = poise_body_forward(chain.body, posture, 0);
            cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
        }
        const ChainBatch batch = {TARGETS, targets, postures, reports};
        cr_expect(chain_solve_batch(chain, NULL, &batch) == POISE_OK, "arm %d", a);
        for (int t = 0; t < TARGETS; t++) {
            cr_expect(chain_is_inside(chain, &postures[t * JOINTS], 0.0));
            iterations += reports[t].iterations;
        }
        chain_destroy(chain);
        model_finish(&model);
    }
    // 512 seeds chosen by the distance of their tips, and no start that leaves the ranges, took 38
    // iterations.
    cr_expect_lt(iterations, 24L * ARMS * TARGETS, "%g iterations in the mean",
                 (double)iterations / (ARMS * TARGETS));
}

Test(chain_seed, every_number_of_seeds_meets_all_targets) {
    const int counts[] = {8, 64, 65, 1000, 65536};
    Random random = random_from(405);
    const Arm arm = crooked_arm(&random, 2.0);
    Model model = arm_model(&arm);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const PoiseBodyTip tip = {.link = model.nodes[model.node_count - 1],
                                  .in_link = poise_pose_identity()};
        PoiseBodyDef def = poise_default_body_def();
        def.tips = &tip;
        def.tip_count = 1;
        def.seeds = counts[i];
        Chain chain = {poise_body_compile(model.tree, &def), POISE_BODY_FUSED};
        cr_assert(chain.body);
        for (int t = 0; t < TARGETS; t++) {
            double posture[JOINTS];
            draw_posture(&arm, &random, posture);
            const PoisePose target = poise_body_forward(chain.body, posture, 0);
            cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
            cr_expect(chain_solve(chain, NULL, target, posture, NULL) == POISE_OK,
                      "%d seeds, target %d", counts[i], t);
        }
        chain_destroy(chain);
    }
    model_finish(&model);
}

// A range may have only a lower or only an upper end: starts are drawn from that end, and answers
// stay inside.
Test(chain_seed, answers_stay_inside_ranges_with_one_end) {
    static const double ends[][2] = {{0.2, HUGE_VAL}, {-HUGE_VAL, -0.2}, {-HUGE_VAL, HUGE_VAL}};
    Random random = random_from(406);
    for (int i = 0; i < 18; i++) {
        Model model = model_empty(POISE_BALL_THREE_AXES);
        for (int k = 0; k < 4; k++) {
            PoiseNodeDef def =
                (i + k) % 3 == 0 ? poise_default_slider_def() : poise_default_hinge_def();
            def.parent = k > 0 ? model.nodes[k - 1] : poise_null_node();
            def.axis = random_direction(&random);
            def.joint_in_parent.p = poise_vec3(0.4, 0.0, 0.0);
            def.lower = ends[(i / 3 + k) % 3][0];
            def.upper = ends[(i / 3 + k) % 3][1];
            def.angle = fmin(fmax(0.0, def.lower), def.upper);
            (void)model_add_node(&model, &def);
        }
        model_add_tip(&model, model.nodes[3], poise_vec3(0.4, 0.0, 0.0));
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        ChainSolveDef solve = chain_goal_def(POISE_BODY_POSITION);
        double posture[4], middle[4];
        cr_assert_eq(poise_body_middle(chain.body, middle), POISE_OK);
        cr_expect(chain_is_inside(chain, middle, 0.0));
        for (int k = 0; k < 4; k++) {
            posture[k] =
                fmin(fmax(random_between(&random, -1.0, 1.0), poise_body_lower(chain.body, k)),
                     poise_body_upper(chain.body, k));
        }
        const PoisePose target = poise_body_forward(chain.body, posture, 0);
        cr_expect_eq(chain_solve(chain, &solve, target, middle, NULL), POISE_OK, "%d", i);
        cr_expect(chain_is_inside(chain, middle, 0.0));
        EXPECT_NEAR3(poise_body_forward(chain.body, middle, 0).p, target.p, 1e-9);
        // The tree's own reach, with many starts, meets the target too.
        PoiseReachDef reach = poise_default_reach_def();
        reach.starts = 30;
        cr_assert_eq(poise_point_set_position(model.tree, model.points[0], target.p), POISE_OK);
        cr_expect_eq(poise_reach(model.tree, &reach, NULL), POISE_OK, "%d", i);
        for (int k = 0; k < 4; k++) {
            const double q = poise_node_angle(model.tree, model.nodes[k]);
            cr_expect(q >= poise_body_lower(chain.body, k) && q <= poise_body_upper(chain.body, k));
        }
        // No start can meet this target, so all starts are tried: the angles are still inside and
        // finite.
        cr_assert_eq(
            poise_point_set_position(model.tree, model.points[0], random_vec3(&random, 1000.0)),
            POISE_OK);
        cr_expect_geq(poise_reach(model.tree, &reach, NULL), POISE_OK, "%d", i);
        for (int k = 0; k < 4; k++) {
            const double q = poise_node_angle(model.tree, model.nodes[k]);
            cr_expect(q >= poise_body_lower(chain.body, k) && q <= poise_body_upper(chain.body, k),
                      "%g", q);
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}
