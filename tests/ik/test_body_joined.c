// SPDX-License-Identifier: MIT
// Tests tips whose rows join limbs: a hand in the frame of the other hand, a centre of mass. The
// judges are the frames and masses of the tree.
#include <criterion/criterion.h>
#include <string.h>

#include "bodies.h"
#include "near.h"
#include "works.h"

enum { SETS = 200 };

/// A body with such tips.
typedef struct Joined {
    BodyModel body;
    PoiseBody* all;
} Joined;

static Joined joined_of(BodyKind kind, bool hand, bool mass) {
    Joined joined = {.body = body_model(kind)};
    body_join(&joined.body, hand, mass);
    joined.all = body_of(&joined.body);
    return joined;
}

static void finish(Joined* joined) {
    poise_body_destroy(joined->all);
    body_model_finish(&joined->body);
}

// Moves the tree to a random posture inside the ranges. The targets are the tips there.
static void draw(Joined* joined, Random* random, PoiseBodyTarget* targets) {
    body_draw(&joined->body, joined->all, random, 0.3, targets);
}

static double miss_of(Joined* joined, const double* posture, const PoiseBodyTarget* targets) {
    return body_miss(&joined->body, joined->all, posture, targets);
}

// Solves targets of random postures from the middle of the ranges. At least `least` are met, each
// to 1e-9 and inside the ranges.
static void solve_joined(BodyKind kind, bool hand, bool mass, int least) {
    Joined joined = joined_of(kind, hand, mass);
    Random random = random_from(31);
    int met = 0;
    for (int i = 0; i < SETS; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        draw(&joined, &random, targets);
        WORKS(poise_body_middle(joined.all, posture));
        MAY_FAIL(poise_body_solve(joined.all, NULL, targets, posture, &report));
        const double miss = miss_of(&joined, posture, targets);
        if (report.reason == POISE_REACH_MET) {
            met++;
            cr_expect_leq(miss, 1e-9);
            cr_expect(body_is_inside(&joined.body, joined.all, posture));
        }
        cr_expect_leq(fabs(fmax(report.error, report.angle_error) - miss), 1e-10);
    }
    cr_expect_geq(met, least, "%s%s%s: %d of %d met", body_kind_name(kind),
                  hand ? ", a hand in the other" : "", mass ? ", a centre of mass" : "", met, SETS);
    cr_log_info("%s%s%s: %d of %d", body_kind_name(kind), hand ? ", hand" : "",
                mass ? ", mass" : "", met, SETS);
    finish(&joined);
}

Test(body_joined, a_hand_in_the_other_and_a_centre_of_mass_are_met) {
    solve_joined(BODY_TWO_ARMS, true, false, SETS);
    solve_joined(BODY_TWO_ARMS, false, true, SETS);
    solve_joined(BODY_TWO_ARMS, true, true, SETS);
    solve_joined(BODY_HUMANOID, true, true, SETS);
    solve_joined(BODY_HUMANOID_FREE, true, true, SETS);
    solve_joined(BODY_QUADRUPED, false, true, SETS);
    solve_joined(BODY_BALLS, true, true, SETS);
}

// The elbows of two arms bend together, the second by less.
Test(body_joined, coupled_joints_of_two_limbs_stay_coupled) {
    Joined joined = {.body = body_model(BODY_TWO_ARMS)};
    PoiseTree* tree = joined.body.model.tree;
    const PoiseNodeId* nodes = joined.body.model.nodes;
    Random random = random_from(36);
    WORKS(poise_node_couple(tree, nodes[13], nodes[6], 0.7, 0.2));
    joined.all = body_of(&joined.body);
    for (int i = 0; i < SETS; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        draw(&joined, &random, targets);
        WORKS(poise_body_middle(joined.all, posture));
        cr_expect_eq(poise_body_solve(joined.all, NULL, targets, posture, NULL), POISE_OK, "set %d",
                     i);
        double elbows[2] = {0.0, 0.0};
        for (int k = 0; k < poise_body_posture_size(joined.all); k++) {
            const PoiseNodeId node = poise_body_node(joined.all, k);
            elbows[0] = node.index1 == nodes[6].index1 ? posture[k] : elbows[0];
            elbows[1] = node.index1 == nodes[13].index1 ? posture[k] : elbows[1];
        }
        EXPECT_NEAR(elbows[1], 0.7 * elbows[0] + 0.2, 2e-12);
        cr_expect_leq(miss_of(&joined, posture, targets), 1e-9);
        cr_expect(body_is_inside(&joined.body, joined.all, posture));
    }
    finish(&joined);
}

Test(body_joined, all_paths_give_the_same_bits) {
    Joined joined = joined_of(BODY_HUMANOID_FREE, true, true);
    Random random = random_from(32);
    for (int i = 0; i < 20; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double postures[2][POISE_BODY_MOST_POSTURE];
        draw(&joined, &random, targets);
        for (int scalar = 0; scalar < 2; scalar++) {
            PoiseBodySolveDef def = poise_default_body_solve_def();
            def.path = scalar ? POISE_BODY_PLAIN : POISE_BODY_EXACT;
            WORKS(poise_body_middle(joined.all, postures[scalar]));
            WORKS(poise_body_solve(joined.all, &def, targets, postures[scalar], NULL));
        }
        const size_t size = (size_t)poise_body_posture_size(joined.all) * sizeof postures[0][0];
        cr_expect_eq(memcmp(postures[0], postures[1], size), 0, "set %d", i);
    }
    finish(&joined);
}

Test(body_joined, a_step_toward_near_targets_leaves_a_hundredth_of_the_error) {
    Joined joined = joined_of(BODY_TWO_ARMS, true, true);
    Random random = random_from(33);
    for (int i = 0; i < 50; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        draw(&joined, &random, targets);
        WORKS(poise_body_read(joined.all, joined.body.model.tree, posture));
        for (int k = 0; k < poise_body_posture_size(joined.all); k++) {
            posture[k] += random_between(&random, -1e-3, 1e-3);
        }
        const double before = miss_of(&joined, posture, targets);
        cr_expect_eq(poise_body_track(joined.all, NULL, targets, posture, &report),
                     POISE_NOT_CONVERGED);
        EXPECT_NEAR(fmax(report.error, report.angle_error), before, 1e-9);
        cr_expect_leq(miss_of(&joined, posture, targets), 0.01 * before);
    }
    finish(&joined);
}

Test(body_joined, columns_of_j_of_a_hand_in_the_other_are_differences_of_the_frames) {
    Joined joined = joined_of(BODY_TWO_ARMS, true, true);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    double posture[POISE_BODY_MOST_POSTURE];
    double jacobian[6 * POISE_BODY_MOST_DOF];
    Random random = random_from(34);
    const double step = 1e-6;
    draw(&joined, &random, targets);
    WORKS(poise_body_read(joined.all, joined.body.model.tree, posture));
    WORKS(poise_body_jacobian(joined.all, posture, 1, jacobian));
    const int dof = poise_body_dof(joined.all);
    for (int i = 0; i < dof; i++) {
        const double at = posture[i];
        posture[i] = at + step;
        const PoisePose up = poise_body_forward(joined.all, posture, 1);
        posture[i] = at - step;
        const PoisePose down = poise_body_forward(joined.all, posture, 1);
        posture[i] = at;
        const PoiseVec3 v = poise_scale(0.5 / step, poise_sub(up.p, down.p));
        const PoiseVec3 w = poise_scale(
            0.5 / step, poise_quat_log(poise_quat_mul(up.q, poise_quat_conjugate(down.q))));
        const double column[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int row = 0; row < 6; row++) {
            EXPECT_NEAR(jacobian[row * dof + i], column[row], 1e-8);
        }
    }
    cr_expect_eq(poise_body_jacobian(joined.all, posture, 2, jacobian),
                 POISE_ERROR_INVALID_ARGUMENT);
    finish(&joined);
}

Test(body_joined, a_centre_of_mass_out_of_reach_gets_the_nearest_posture) {
    Joined joined = joined_of(BODY_TWO_ARMS, false, true);
    Random random = random_from(35);
    for (int i = 0; i < 10; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        PoiseBodySolveDef def = poise_default_body_solve_def();
        def.iterations = 100;
        draw(&joined, &random, targets);
        targets[2].pose.p.x += 3.0;
        WORKS(poise_body_middle(joined.all, posture));
        cr_expect_eq(poise_body_solve(joined.all, &def, targets, posture, &report),
                     POISE_NOT_CONVERGED);
        cr_expect(report.reason == POISE_REACH_AT_LIMITS ||
                      report.reason == POISE_REACH_UNREACHABLE,
                  "%s", poise_reach_reason_name(report.reason));
    }
    finish(&joined);
}

// Expects that the tips are refused with a message that has `words`.
static void expect_refusal(const Joined* joined, int count, const char* words) {
    PoiseBodyDef def = poise_default_body_def();
    def.tips = joined->body.tips;
    def.tip_count = count;
    poise_tree_clear_status(joined->body.model.tree);
    cr_expect_null(poise_body_compile(joined->body.model.tree, &def));
    cr_expect(strstr(poise_tree_message(joined->body.model.tree), words), "%s",
              poise_tree_message(joined->body.model.tree));
}

Test(body_joined, what_cannot_be_compiled_is_refused_in_words) {
    Joined joined = joined_of(BODY_TWO_ARMS, true, true);
    const PoiseBodyTip hand = joined.body.tips[1];
    joined.body.tips[1].frame.generation++;
    expect_refusal(&joined, 2, "the frame of tip 1 is not a node");
    joined.body.tips[1].frame = joined.body.tips[1].link;
    expect_refusal(&joined, 2, "no enabled node moves tip 1, or its frame");
    joined.body.tips[1] = hand;
    for (int t = 2; t < 6; t++) {
        joined.body.tips[t] = hand;
    }
    joined.body.tips[6] =
        (PoiseBodyTip){.link = joined.body.model.nodes[0], .centre_of_mass = true};
    expect_refusal(&joined, 6, "more than 24 rows");
    joined.body.tips[2] = joined.body.tips[6];
    joined.body.tips[3] = joined.body.tips[6];
    expect_refusal(&joined, 4, "at most one centre of mass");
    for (int i = 0; i < joined.body.model.node_count; i++) {
        WORKS(poise_node_set_mass(joined.body.model.tree, joined.body.model.nodes[i], 0.0,
                                  poise_vec3(0.0, 0.0, 0.0)));
    }
    expect_refusal(&joined, 3, "of links with a mass");
    finish(&joined);
}

// The arms of a humanoid bend together, and its legs: 7 couplings, and 2 of the legs are too many.
Test(body_joined, nine_couplings_of_limbs_are_refused_and_eight_are_not) {
    Joined joined = {.body = body_model(BODY_HUMANOID)};
    PoiseTree* tree = joined.body.model.tree;
    const PoiseNodeId* nodes = joined.body.model.nodes;
    for (int i = 0; i < 8; i++) {
        const int first = i < 7 ? 3 + i : 17;
        WORKS(poise_node_couple(tree, nodes[first + (i < 7 ? 7 : 6)], nodes[first], 1.0, 0.0));
    }
    joined.all = body_of(&joined.body);
    WORKS(poise_node_couple(tree, nodes[24], nodes[18], 1.0, 0.0));
    expect_refusal(&joined, joined.body.tip_count, "more than 8 couplings join limbs");
    finish(&joined);
}
