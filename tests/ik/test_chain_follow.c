// SPDX-License-Identifier: MIT
// Tests compiled chains whose joints follow others, in the chain or outside it: the frames and J
// equal the tree's, and every target is met with the relation held, on every path.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"
#include "near.h"
#include "works.h"

enum { CHAINS = 12, TARGETS = 60, NODES = 9 };

// Makes a chain of hinges, sliders and balls, some of which follow others.
static Model tied_chain(uint64_t seed) {
    Random random = random_from(seed);
    Model model = chain_random_model(&random, NODES, false);
    int tied = 0;
    for (int i = 1; i < NODES && tied < 2; i++) {
        for (int k = 0; k < i && tied < 2; k++) {
            const double ratio = random_between(&random, 0.4, 1.1);
            const double offset = random_between(&random, -0.1, 0.1);
            const bool alike = poise_node_kind(model.tree, model.nodes[i]) ==
                               poise_node_kind(model.tree, model.nodes[k]);
            const bool free =
                poise_node_leader(model.tree, model.nodes[i], NULL, NULL).index1 == 0 && alike;
            tied += free && poise_node_couple(model.tree, model.nodes[i], model.nodes[k],
                                              tied > 0 ? -ratio : ratio, offset) == POISE_OK;
        }
    }
    poise_tree_clear_status(model.tree);
    cr_assert_gt(tied, 0);
    return model;
}

static PoisePose tip_of(Model* model, Chain chain, const double* posture) {
    cr_assert(poise_body_write(chain.body, model->tree, posture) == POISE_OK);
    cr_assert(poise_forward(model->tree) == POISE_OK);
    return poise_point_planned_pose(model->tree, model->points[0]);
}

Test(chain_follow, frames_and_jacobian_are_those_of_the_tree) {
    const double h = 1e-6;
    for (uint64_t seed = 0; seed < CHAINS; seed++) {
        Random random = random_from(seed);
        Model model = tied_chain(7100 + seed);
        Chain chain = chain_of(&model, POISE_BODY_EXACT);
        double posture[CHAIN_POSTURE];
        double j[6 * CHAIN_DOF];
        chain_draw(chain, &random, posture);
        const PoisePose tip = poise_body_forward(chain.body, posture, 0);
        const PoisePose of_tree = tip_of(&model, chain, posture);
        EXPECT_NEAR3(tip.p, of_tree.p, 1e-12);
        EXPECT_NEAR_QUAT(tip.q, of_tree.q, 1e-12);
        cr_expect(model_relation_error(model.tree) <= 1e-12);
        cr_assert(poise_body_jacobian(chain.body, posture, 0, j) == POISE_OK);
        const int dof = poise_body_dof(chain.body);
        for (int d = 0, i = 0; d < dof; d++, i++) {
            PoisePose side[2];
            const double was = posture[i];
            if (poise_node_kind(model.tree, poise_body_node(chain.body, i)) == POISE_NODE_BALL) {
                d += 2;
                i += 3;
                continue;
            }
            for (int k = 0; k < 2; k++) {
                posture[i] = was + (k == 0 ? -h : h);
                side[k] = poise_body_forward(chain.body, posture, 0);
            }
            posture[i] = was;
            double column[6];
            pose_rates(side[0], side[1], 2.0 * h, column);
            for (int row = 0; row < 6; row++) {
                EXPECT_NEAR(j[row * dof + d], column[row], 1e-8);
            }
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

static void meet_all(PoiseBodyPath path, bool batch) {

    static double postures[TARGETS * CHAIN_POSTURE];
    PoisePose targets[TARGETS];
    PoiseBodyReport reports[TARGETS];
    for (uint64_t seed = 0; seed < CHAINS; seed++) {
        Random random = random_from(100 + seed);
        Model model = tied_chain(7200 + seed);
        Chain chain = chain_of(&model, path);
        const int size = poise_body_posture_size(chain.body);
        for (int t = 0; t < TARGETS; t++) {
            chain_draw(chain, &random, &postures[t * size]);
            targets[t] = poise_body_forward(chain.body, &postures[t * size], 0);
            cr_assert(poise_body_middle(chain.body, &postures[t * size]) == POISE_OK);
        }
        const ChainBatch all = {TARGETS, targets, postures, reports};
        if (batch) {
            WORKS(chain_solve_batch(chain, NULL, &all));
        }
        for (int t = 0; t < TARGETS; t++) {
            double* posture = &postures[t * size];
            if (!batch) {
                WORKS(chain_solve(chain, NULL, targets[t], posture, &reports[t]));
            }
            cr_expect_eq(reports[t].status, POISE_OK, "%s, chain %d, target %d: %g m off",
                         chain_path_name(path), (int)seed, t, reports[t].error);
            const PoisePose tip = tip_of(&model, chain, posture);
            EXPECT_NEAR3(tip.p, targets[t].p, 1e-9);
            EXPECT_NEAR_QUAT(tip.q, targets[t].q, 1e-9);
            cr_expect(model_relation_error(model.tree) <= 1e-12);
            cr_expect(chain_is_inside(chain, posture, 1e-12));
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

Test(chain_follow, every_target_is_met_on_every_path) {
    for (int p = 0; p < CHAIN_PATHS; p++) {
        meet_all(chain_paths[p], false);
        meet_all(chain_paths[p], true);
    }
}

Test(chain_follow, a_step_of_tracking_keeps_the_relation) {
    Random random = random_from(5);
    Model model = tied_chain(7300);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    double posture[CHAIN_POSTURE];
    chain_draw(chain, &random, posture);
    (void)tip_of(&model, chain, posture);
    cr_assert(poise_body_read(chain.body, model.tree, posture) == POISE_OK);
    for (int i = 0; i < 50; i++) {
        PoisePose target = poise_body_forward(chain.body, posture, 0);
        target.p = poise_add(target.p, random_vec3(&random, 0.002));
        cr_assert(chain_track(chain, NULL, target, posture, NULL) >= 0);
        double written[CHAIN_POSTURE];
        (void)tip_of(&model, chain, posture);
        cr_assert(poise_body_read(chain.body, model.tree, written) == POISE_OK);
        for (int k = 0; k < poise_body_posture_size(chain.body); k++) {
            EXPECT_NEAR(written[k], posture[k], 1e-12);
        }
    }
    chain_destroy(chain);
    model_finish(&model);
}

// The second finger of a gripper follows a joint that is not in its chain.
Test(chain_follow, a_chain_of_a_follower_moves_the_leader_outside) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    def.lower = -0.5;
    def.upper = 0.9;
    const PoiseNodeId one = model_add_node(&model, &def);
    def.lower = -2.0;
    def.upper = 2.0;
    const PoiseNodeId other = model_add_node(&model, &def);
    cr_assert(poise_node_couple(model.tree, other, one, -2.0, 0.1) == POISE_OK);
    model_add_pose(&model, other, poise_pose(poise_vec3(1.0, 0.0, 0.0), poise_quat_identity()));
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    EXPECT_NEAR(poise_body_lower(chain.body, 0), -1.7, 1e-12);
    EXPECT_NEAR(poise_body_upper(chain.body, 0), 1.1, 1e-12);
    ChainSolveDef solve = chain_goal_def(POISE_BODY_POSITION);
    const PoisePose target =
        poise_pose(poise_vec3(cos(-0.7), sin(-0.7), 0.0), poise_quat_identity());
    double posture = 0.3;
    cr_assert(chain_solve(chain, &solve, target, &posture, NULL) == POISE_OK);
    EXPECT_NEAR(posture, -0.7, 1e-9);
    cr_assert(poise_body_write(chain.body, model.tree, &posture) == POISE_OK);
    EXPECT_NEAR(poise_node_angle(model.tree, one), 0.4, 1e-9);
    cr_expect(model_relation_error(model.tree) <= 1e-12);
    chain_destroy(chain);
    model_finish(&model);
}

// The leader's angle would overflow: the write is refused before anything moves.
Test(chain_follow, a_leader_without_an_angle_moves_nothing) {
    Model model = model_chain(POISE_NODE_HINGE, 1, 1.0, POISE_POINT_POSITION);
    const PoiseNodeDef def = poise_default_hinge_def();
    const PoiseNodeId other = model_add_node(&model, &def);
    cr_assert(poise_node_couple(model.tree, other, model.nodes[0], 1e-300, 0.0) == POISE_OK);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    const double far = 1e200;
    cr_expect_eq(poise_body_write(chain.body, model.tree, &far), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_node_angle(model.tree, other), 0.0);
    cr_expect_eq(poise_node_angle(model.tree, model.nodes[0]), 0.0);
    chain_destroy(chain);
    model_finish(&model);
}

// Each target of a row is solved from the answer before it. An invalid target changes nothing.
Test(chain_follow, targets_in_a_row_are_followed) {
    enum { JOINTS = 4, ROW = 20 };
    Model model = model_chain(POISE_NODE_HINGE, JOINTS, 0.5, POISE_POINT_POSITION);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    ChainSolveDef def = chain_goal_def(POISE_BODY_POSITION);
    double postures[ROW * JOINTS] = {0.3, 0.4, 0.5, 0.6};
    PoisePose targets[ROW];
    PoiseBodyReport reports[ROW];
    for (int t = 0; t < ROW; t++) {
        targets[t] = poise_pose(poise_vec3(1.2 - 0.02 * t, 0.8, 0.0), poise_quat_identity());
    }
    ChainBatch batch = {ROW, targets, postures, reports};
    cr_assert_eq(chain_solve(chain, &def, targets[0], postures, NULL), POISE_OK);
    cr_assert_eq(chain_follow_batch(chain, &def, &batch), POISE_OK);
    for (int t = 0; t < ROW; t++) {
        EXPECT_NEAR3(poise_body_forward(chain.body, &postures[t * JOINTS], 0).p, targets[t].p,
                     1e-9);
        cr_expect_eq(reports[t].status, POISE_OK);
        for (int i = 0; t > 0 && i < JOINTS; i++) {
            EXPECT_NEAR(postures[t * JOINTS + i], postures[(t - 1) * JOINTS + i], 0.2);
        }
    }
    // Joints would leap to the far target 3: the path stops before it, in one call or two.
    const PoisePose kept = targets[3];
    targets[3].p = poise_vec3(9.0, 0.0, 0.0);
    for (int calls = 1; calls <= 2; calls++) {
        const ChainBatch rest = {ROW - 5, &targets[5], &postures[5 * JOINTS], &reports[5]};
        batch.count = calls == 1 ? ROW : 5;
        def.all.stopped = false;
        cr_expect_eq(chain_follow_batch(chain, &def, &batch), POISE_NOT_CONVERGED);
        memcpy(&postures[5 * JOINTS], &postures[4 * JOINTS], JOINTS * sizeof *postures);
        def.all.stopped = true;
        cr_expect(calls == 1 || chain_follow_batch(chain, &def, &rest) == POISE_NOT_CONVERGED);
        for (int t = 3; t < ROW; t++) {
            const PoisePose tip = poise_body_forward(chain.body, &postures[t * JOINTS], 0);
            cr_expect(reports[2].status == POISE_OK && reports[t].status == POISE_NOT_CONVERGED);
            cr_expect_eq(reports[t].reason, POISE_REACH_LEAP);
            EXPECT_NEAR3(tip.p, targets[2].p, 1e-9);
            EXPECT_NEAR(reports[t].error, poise_length(poise_sub(targets[t].p, tip.p)), 1e-9);
        }
    }
    // With leaps, the path approaches target 3 and meets all other targets.
    def.all.stopped = false;
    def.all.leap = true;
    batch.count = ROW;
    batch.reports = NULL;
    def.all.answers = 20;
    cr_expect_eq(chain_follow_batch(chain, &def, &batch), POISE_NOT_CONVERGED);
    EXPECT_NEAR(poise_body_forward(chain.body, &postures[3 * JOINTS], 0).p.x, 2.0, 1e-3);
    EXPECT_NEAR3(poise_body_forward(chain.body, &postures[9 * JOINTS], 0).p, targets[9].p, 1e-9);
    // an invalid target
    targets[3] = kept;
    targets[ROW - 1].q = poise_quat(0.0, 0.0, 0.0, 0.0);
    const double before = postures[0];
    targets[0].p.x = 0.5;
    cr_expect_eq(chain_follow_batch(chain, &def, &batch), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(postures[0], before);
    chain_destroy(chain);
    model_finish(&model);
}
