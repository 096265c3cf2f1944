// SPDX-License-Identifier: MIT
// Targets out of reach of compiled chains: bounds that no posture breaks, and ends that are at
// rest, as near as many random descents come.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"
#include "near.h"
#include "sample.h"
#include "works.h"

enum { CHAINS = 60, POSTURES = 200, DESCENTS = 100 };

// Makes a random chain. In every third chain the balls have cones.
static Model limited_model(Random* random, int which) {
    Model model = chain_random_model(random, 2 + which % 5, which % 2 == 0);
    for (int n = 0; n < model.node_count; n++) {
        if (poise_node_kind(model.tree, model.nodes[n]) == POISE_NODE_BALL && which % 3 == 0) {
            const double swing = random_between(random, 0.3, 2.0);
            const PoiseLimits limits = poise_cone(swing, -0.5, random_between(random, 0.2, 2.0));
            WORKS(poise_node_set_limits(model.tree, model.nodes[n], limits));
        }
    }
    return model;
}

// A target that some posture meets is never out of reach.
Test(chain_rest, bounds_hold_at_every_posture) {
    Random random = random_from(41);
    for (int c = 0; c < CHAINS; c++) {
        Model model = limited_model(&random, c);
        Chain chain = chain_of(&model, POISE_BODY_EXACT);
        ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
        for (int t = 0; t < sample_of(20, POSTURES); t++) {
            double posture[CHAIN_POSTURE];
            PoiseBodyReport report;
            def.goal = (PoiseBodyGoal)(t % 3);
            chain_draw(chain, &random, posture);
            PoisePose target = poise_body_forward(chain.body, posture, 0);
            for (int i = 0; i < poise_body_posture_size(chain.body) && t % 4 == 0; i++) {
                const double lower = poise_body_lower(chain.body, i);
                posture[i] = isfinite(lower) && random_unit(&random) < 0.7 ? lower : posture[i];
            }
            // a solve brings rotations to length 1 and into their cones
            WORKS(chain_solve(chain, &def, target, posture, NULL));
            target = poise_body_forward(chain.body, posture, 0);
            WORKS(poise_body_middle(chain.body, posture));
            WORKS(chain_solve(chain, &def, target, posture, &report));
            cr_expect(report.reason != POISE_REACH_OUT_OF_REACH && report.beyond == 0.0,
                      "chain %d, posture %d: %s, %g m", c, t,
                      poise_reach_reason_name(report.reason), report.beyond);
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

// Two links of 1 and 0.5 m with an elbow of 40 to 120 degrees, on a slider across them of 0.2 m.
Test(chain_rest, says_by_how_much_a_target_is_out_of_reach) {
    const double pi = 3.14159265358979323846;
    for (int slides = 0; slides < 2; slides++) {
        Model model = model_empty(POISE_BALL_THREE_AXES);
        PoiseNodeDef slider = poise_default_slider_def();
        slider.axis = poise_vec3(0.0, 1.0, 0.0);
        slider.lower = 0.0;
        slider.upper = 0.2;
        PoiseNodeDef hinge = poise_default_hinge_def();
        hinge.parent = slides ? model_add_node(&model, &slider) : poise_null_node();
        hinge.parent = model_add_node(&model, &hinge);
        hinge.joint_in_parent.p = poise_vec3(1.0, 0.0, 0.0);
        hinge.lower = 40.0 * pi / 180.0;
        hinge.upper = 120.0 * pi / 180.0;
        model_add_pose(&model, model_add_node(&model, &hinge),
                       poise_pose(poise_vec3(0.5, 0.0, 0.0), poise_quat_identity()));
        // largest and least reach, m: by the law of cosines, and 0.1 m to either side by the slider
        const double most = sqrt(1.25 + cos(hinge.lower)) + 0.1 * slides;
        const double least = sqrt(1.25 + cos(hinge.upper)) - 0.1 * slides;
        const PoiseVec3 middle = poise_vec3(0.0, 0.1 * slides, 0.0);
        for (int p = 0; p < CHAIN_PATHS; p++) {
            Chain chain = chain_of(&model, chain_paths[p]);
            const ChainSolveDef def = chain_goal_def(POISE_BODY_POSITION);
            const double at[] = {most + 0.3, most + 1e-6, most - 1e-6, least + 1e-6, 0.3 * least};
            for (int i = 0; i < 5; i++) {
                PoiseBodyReport report;
                double posture[3] = {0.0, 0.0, 1.0};
                const double beyond = fmax(fmax(at[i] - most, least - at[i]), 0.0);
                PoisePose target = poise_pose_identity();
                target.p = poise_add(middle, poise_scale(at[i], poise_vec3(0.0, 1.0, 0.0)));
                WORKS(chain_solve(chain, &def, target, posture, &report));
                EXPECT_NEAR(report.beyond, beyond, 1e-8);
                cr_expect_eq(report.reason == POISE_REACH_OUT_OF_REACH, beyond > 0.0);
                cr_expect(report.error >= report.beyond);
            }
            chain_destroy(chain);
        }
        model_finish(&model);
    }
}

// ----------------------------------------------------------------------------- ends at rest

// Returns (distance / unit)^2 + angle^2, which the search minimises. A unit is a quarter of the
// reach.
static double merit_of(Chain chain, PoiseBodyGoal goal, const double* posture, PoisePose target) {
    double distance;
    double angle;
    chain_miss(chain, posture, target, &distance, &angle);
    distance = goal == POISE_BODY_ORIENTATION ? 0.0 : distance / poise_body_unit(chain.body);
    angle = goal == POISE_BODY_POSITION ? 0.0 : angle;
    return distance * distance + angle * angle;
}

// Moves each number by at most `size`, inside the ranges.
static void shake(Chain chain, Random* random, double size, double* posture) {
    for (int i = 0; i < poise_body_posture_size(chain.body); i++) {
        posture[i] = fmin(
            fmax(posture[i] + random_between(random, -size, size), poise_body_lower(chain.body, i)),
            poise_body_upper(chain.body, i));
    }
}

// To second order, no posture near an end is nearer to the target.
Test(chain_rest, ends_are_minima_with_every_kind_of_joint_and_goal) {
    Random random = random_from(42);
    int ends = 0;
    int unsure = 0;
    for (int c = 0; c < 4 * CHAINS; c++) {
        Model model = chain_random_model(&random, 2 + c % 6, c % 2 == 0);
        Chain chain = chain_of(&model, c / 4 % 2 == 0 ? POISE_BODY_EXACT : POISE_BODY_FUSED);
        const size_t size = (size_t)poise_body_posture_size(chain.body) * sizeof(double);
        ChainSolveDef def = chain_goal_def((PoiseBodyGoal)(c % 3));
        double end[CHAIN_POSTURE];
        PoiseBodyReport report;
        PoisePose target = random_pose(&random, 1.0, 3.0);
        target.p = poise_scale(c % 5 == 0 ? 30.0 : 3.0, target.p);
        WORKS(poise_body_middle(chain.body, end));
        WORKS(chain_solve(chain, &def, target, end, &report));
        const double least = merit_of(chain, def.goal, end, target);
        for (int t = 0; t < sample_of(50, POSTURES) && report.reason != POISE_REACH_MET &&
                        report.reason != POISE_REACH_BUDGET;
             t++) {
            double near[CHAIN_POSTURE];
            memcpy(near, end, size);
            shake(chain, &random, t % 2 == 0 ? 1e-3 : 1e-5, near);
            const double merit = merit_of(chain, def.goal, near, target);
            cr_expect(merit >= least * (1.0 - 1e-9), "chain %d (%s): %.17g, near %.17g", c,
                      poise_reach_reason_name(report.reason), least, merit);
        }
        unsure += report.reason == POISE_REACH_BUDGET;
        ends += report.reason != POISE_REACH_MET;
        chain_destroy(chain);
        model_finish(&model);
    }
    cr_expect_gt(ends, CHAINS, "%d", ends);
    // a long free translation under a ball has a valley that bends
    cr_expect_leq(unsure, 4, "%d", unsure);
}

// Returns the least merit of descents from random postures.
static double best_of_descents(Chain chain, Random* random, PoisePose target) {
    double least = HUGE_VAL;
    for (int d = 0; d < sample_of(30, DESCENTS); d++) {
        double posture[ARM_MOST];
        chain_draw(chain, random, posture);
        MAY_FAIL(chain_descend(chain, NULL, target, 200, posture));
        least = fmin(least, merit_of(chain, POISE_BODY_POSE, posture, target));
    }
    return least;
}

// Just beyond the arm, far off, and at random poses in the ball that the arm can reach.
Test(chain_rest, ends_are_as_near_as_a_hundred_random_descents) {
    static const char* const names[] = {"panda", "iiwa14", "ball5"};
    enum { COUNT = 60 };
    for (int r = 0; r < 3; r++) {
        Arm arm;
        ARM_OR_SKIP(&arm, names[r]);
        Random random = random_from(43);
        Model model = arm_model(&arm);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        int farther = 0;
        int unmet = 0;
        for (int t = 0; t < COUNT; t++) {
            const double far[] = {0.55, 1.5, 0.4};
            PoisePose target = random_pose(&random, 1.0, 3.0);
            PoiseBodyReport report;
            double posture[ARM_MOST];
            target.p = poise_scale(far[t % 3] * 4.0 * poise_body_unit(chain.body),
                                   random_direction(&random));
            arm_middle(&arm, posture);
            WORKS(chain_solve(chain, NULL, target, posture, &report));
            unmet += report.reason != POISE_REACH_MET;
            const double least = best_of_descents(chain, &random, target);
            farther +=
                merit_of(chain, POISE_BODY_POSE, posture, target) > least * (1.0 + 1e-6) + 1e-16;
        }
        cr_expect_leq(farther, r == 2 ? 5 : 2, "%s: %d of %d", names[r], farther, COUNT);
        cr_expect_gt(unmet, COUNT / 2);
        chain_destroy(chain);
        model_finish(&model);
    }
}
