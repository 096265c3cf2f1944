// SPDX-License-Identifier: MIT
// Tests strict priorities of a compiled body's targets. Oracles: the known least errors of a
// planar arm, and solves of the first level alone.
#include <string.h>

#include "bodies.h"
#include "near.h"
#include "two_levels.h"
#include "works.h"

enum { SETS = 7 };

// Compiles the points of a planar arm, with their goals and priorities as targets.
static PoiseBody* arm_body(const Model* model, PoiseBodyTarget targets[2]) {
    PoiseBodyTip tips[2];
    memset(tips, 0, sizeof tips);
    for (int p = 0; p < 2; p++) {
        tips[p].link = model->nodes[p == 0 ? LINKS - 1 : 2];
        tips[p].in_link = poise_pose(poise_vec3(1.0, 0.0, 0.0), poise_quat_identity());
        targets[p] = poise_default_body_target(poise_point_goal(model->tree, model->points[p]));
        targets[p].goal = POISE_BODY_POSITION;
        targets[p].priority = poise_point_priority(model->tree, model->points[p]);
    }
    PoiseBodyDef def = poise_default_body_def();
    def.tips = tips;
    def.tip_count = 2;
    PoiseBody* body = poise_body_compile(model->tree, &def);
    cr_assert(body, "%s", poise_tree_message(model->tree));
    return body;
}

static double miss_of(const PoiseBody* body, const double* posture, const PoiseBodyTarget* targets,
                      int tip) {
    return poise_length(poise_sub(targets[tip].pose.p, poise_body_forward(body, posture, tip).p));
}

Test(body_levels, the_first_priority_is_met_and_the_second_gets_as_near_as_it_can) {
    static const int levels[3][2] = {{0, 1}, {-1, 15}, {3, 7}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            Model model = planar_arm(cases[i].high, cases[i].low, levels[k][0], levels[k][1]);
            PoiseBodyTarget targets[2];
            double posture[POISE_BODY_MOST_POSTURE];
            PoiseBody* body = arm_body(&model, targets);
            PoiseBodyReport report;
            WORKS(poise_body_middle(body, posture));
            const bool all = cases[i].best_low == 0.0;
            cr_expect_eq(poise_body_solve(body, NULL, targets, posture, &report),
                         all ? POISE_OK : POISE_NOT_CONVERGED);
            cr_expect_eq(report.reason == POISE_REACH_MET, all);
            EXPECT_NEAR(miss_of(body, posture, targets, 0), 0.0, 1e-9);
            EXPECT_NEAR(miss_of(body, posture, targets, 1), cases[i].best_low, 1e-8);
            poise_body_destroy(body);
            model_finish(&model);
        }
    }
}

// The arm stretched to its first target has no freedom for the second.
Test(body_levels, the_first_priority_out_of_reach_stays_as_near_as_alone) {
    Model model = planar_arm(poise_vec3(4.0, 4.0, 0.0), poise_vec3(-1.0, 1.0, 0.0), 0, 1);
    PoiseBodyTarget targets[2];
    double posture[POISE_BODY_MOST_POSTURE];
    PoiseBody* body = arm_body(&model, targets);
    PoiseBodyReport report;
    WORKS(poise_body_middle(body, posture));
    WORKS(poise_body_solve(body, NULL, targets, posture, &report));
    cr_expect_eq(report.reason, POISE_REACH_OUT_OF_REACH);
    EXPECT_NEAR(report.beyond, 4.0 * sqrt(2.0) - LINKS, 1e-6);
    EXPECT_NEAR(miss_of(body, posture, targets, 0), 4.0 * sqrt(2.0) - LINKS, 1e-9);
    poise_body_destroy(body);
    model_finish(&model);
}

// Gives the targets three priorities, and moves those of the last two out of reach.
static void draw(BodyModel* body, const PoiseBody* all, Random* random, PoiseBodyTarget* targets) {
    body_draw(body, all, random, 0.3, targets);
    for (int t = 0; t < body->tip_count; t++) {
        targets[t].priority = 2 * (t % 3);
        const PoiseVec3 off = random_vec3(random, 0.5);
        targets[t].pose.p = poise_add_scaled(targets[t].pose.p, t % 3 != 0, off);
    }
}

// Returns the largest miss of the targets of a priority.
static double miss_at(const BodyModel* body, const PoiseBody* all, const double* posture,
                      const PoiseBodyTarget* targets, int priority) {
    double most = 0.0;
    for (int t = 0; t < body->tip_count; t++) {
        if (targets[t].priority == priority) {
            most = fmax(most, miss_of(all, posture, targets, t));
        }
    }
    return most;
}

Test(body_levels, reachable_first_targets_are_met_whatever_the_others_ask) {
    static const BodyKind kinds[4] = {BODY_HUMANOID, BODY_TWO_ARMS, BODY_HUMANOID_FREE, BODY_BALLS};
    for (int k = 0; k < 4; k++) {
        BodyModel body = body_model(kinds[k]);
        PoiseBody* all = body_of(&body);
        Random random = random_from(41);
        PoiseBodySolveDef def = poise_default_body_solve_def();
        def.iterations = 300;
        for (int i = 0; i < SETS; i++) {
            PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
            double posture[2][POISE_BODY_MOST_POSTURE];
            draw(&body, all, &random, targets);
            for (int plain = 0; plain < 2; plain++) {
                def.path = plain ? POISE_BODY_PLAIN : POISE_BODY_EXACT;
                WORKS(poise_body_middle(all, posture[plain]));
                MAY_FAIL(poise_body_solve(all, &def, targets, posture[plain], NULL));
            }
            const size_t size = (size_t)poise_body_posture_size(all) * sizeof posture[0][0];
            cr_expect_eq(memcmp(posture[0], posture[1], size), 0, "%s, set %d: bits",
                         body_kind_name(kinds[k]), i);
            cr_expect_leq(miss_at(&body, all, posture[0], targets, 0), 1e-9, "%s, set %d",
                          body_kind_name(kinds[k]), i);
            cr_expect(body_is_inside(&body, all, posture[0]));
        }
        poise_body_destroy(all);
        body_model_finish(&body);
    }
}

// Steps toward a second target that cannot be met keep the first, which is met at the start.
Test(body_levels, steps_keep_the_first_priority_and_bring_the_second_near) {
    Model model = planar_arm(cases[2].high, cases[2].low, 0, 1);
    PoiseBodyTarget targets[2];
    double posture[POISE_BODY_MOST_POSTURE];
    PoiseBody* body = arm_body(&model, targets);
    WORKS(poise_body_middle(body, posture));
    for (int i = 0; i < LINKS; i++) {
        posture[i] = 0.3 - 0.2 * i;
    }
    targets[1].weights[0] = targets[1].weights[1] = targets[1].weights[2] = 0.0;
    WORKS(poise_body_solve(body, NULL, targets, posture, NULL));
    targets[1].weights[0] = targets[1].weights[1] = targets[1].weights[2] = 1.0;
    double last = HUGE_VAL;
    for (int i = 0; i < 300; i++) {
        cr_expect_eq(poise_body_track(body, NULL, targets, posture, NULL), POISE_NOT_CONVERGED);
        const double first = miss_of(body, posture, targets, 0);
        cr_expect(i < 40 || first < 1e-6, "step %d: %g", i, first);
        last = miss_of(body, posture, targets, 1);
    }
    EXPECT_NEAR(last, cases[2].best_low, 1e-4);
    poise_body_destroy(body);
    model_finish(&model);
}

Test(body_levels, priorities_out_of_range_are_refused) {
    Model model = planar_arm(cases[0].high, cases[0].low, 0, 1);
    PoiseBodyTarget targets[2];
    double posture[POISE_BODY_MOST_POSTURE];
    PoiseBody* body = arm_body(&model, targets);
    WORKS(poise_body_middle(body, posture));
    static const int wrong[2] = {-2, 16};
    for (int i = 0; i < 2; i++) {
        int tip;
        targets[1].priority = wrong[i];
        cr_expect(poise_body_targets_problem(body, targets, &tip) && tip == 1);
        cr_expect_eq(poise_body_solve(body, NULL, targets, posture, NULL),
                     POISE_ERROR_INVALID_ARGUMENT);
    }
    poise_body_destroy(body);
    model_finish(&model);
}
