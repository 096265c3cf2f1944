// SPDX-License-Identifier: MIT
// A compiled chain is the same mechanism as the tree that it was made from: frames, J, ranges,
// postures.
#include <criterion/criterion.h>

#include "chains.h"
#include "host.h"
#include "near.h"
#include "works.h"

enum { TREES = 60, POSTURES = 5 };

static PoisePose tip_of(const Model* model) {
    WORKS(poise_forward(model->tree));
    return poise_point_planned_pose(model->tree, model->points[0]);
}

// Expects the chain's tip at the tree's pose of the tip.
static void expect_tip(const Model* model, Chain chain, const double* posture, double tolerance) {
    cr_assert(poise_body_write(chain.body, model->tree, posture) == POISE_OK);
    const PoisePose tip = tip_of(model);
    const PoisePose got = poise_body_forward(chain.body, posture, 0);
    EXPECT_NEAR3(got.p, tip.p, tolerance);
    EXPECT_NEAR_QUAT(got.q, tip.q, tolerance);
}

Test(chain, frames_equal_those_of_the_tree) {
    Random random = random_from(1);
    for (int t = 0; t < TREES; t++) {
        Model model = chain_random_model(&random, 1 + t % 9, t % 2 == 1);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        double posture[CHAIN_POSTURE];
        for (int i = 0; i < POSTURES; i++) {
            chain_draw(chain, &random, posture);
            expect_tip(&model, chain, posture, 1e-12);
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

// The axes coincide, are parallel, opposite, at a tiny angle, or far apart.
Test(chain, frames_are_the_trees_where_axes_are_parallel_or_nearly) {
    const double tilts[] = {0.0, 3.14159265358979323846, 1e-16, 1e-13, 1e-9, 1e-5, 1e-3, 0.5};
    Random random = random_from(2);
    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            Model model = model_empty(POISE_BALL_THREE_AXES);
            PoiseNodeDef def = a % 2 == 0 ? poise_default_hinge_def() : poise_default_slider_def();
            for (int i = 0; i < 4; i++) {
                const PoiseVec3 x = poise_vec3(1.0, 0.0, 0.0);
                def.joint_in_parent.p = random_vec3(&random, b % 3 == 0 ? 0.0 : 1.0);
                def.joint_in_parent.q = poise_quat_from_axis_angle(x, tilts[i % 2 == 0 ? a : b]);
                def.axis = poise_vec3(0.0, 0.0, i == b % 4 ? -1.0 : 1.0);
                def.parent = model_add_node(&model, &def);
            }
            model_add_pose(&model, def.parent, random_pose(&random, 0.3, 3.0));
            Chain chain = chain_of(&model, POISE_BODY_FUSED);
            double posture[CHAIN_POSTURE];
            chain_draw(chain, &random, posture);
            expect_tip(&model, chain, posture, 1e-12);
            chain_destroy(chain);
            model_finish(&model);
        }
    }
}

// Returns the tip's pose after a step of h: number `dof` is moved, or a ball is turned about a
// world axis.
static PoisePose nudged(const Model* model, PoiseNodeId node, int dof, double h) {
    model_nudge((Model*)model, node, dof, h);
    return poise_point_planned_pose(model->tree, model->points[0]);
}

Test(chain, jacobian_matches_central_differences) {
    const double h = 1e-6;
    Random random = random_from(3);
    for (int t = 0; t < 20; t++) {
        Model model = chain_random_model(&random, 2 + t % 6, false);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        const int dofs = poise_body_dof(chain.body);
        double posture[CHAIN_POSTURE];
        double jacobian[6 * CHAIN_DOF];
        chain_draw(chain, &random, posture);
        cr_assert(poise_body_write(chain.body, model.tree, posture) == POISE_OK);
        cr_assert(poise_body_jacobian(chain.body, posture, 0, jacobian) == POISE_OK);
        int d = 0;
        for (int n = 0; n < model.node_count; n++) {
            for (int k = 0; k < model_dof(&model, n); k++, d++) {
                (void)tip_of(&model);
                const ModelPosture kept = model_posture(&model, model.nodes[n]);
                const PoisePose more = nudged(&model, model.nodes[n], k, h);
                model_put_back(&model, model.nodes[n], kept);
                const PoisePose less = nudged(&model, model.nodes[n], k, -h);
                model_put_back(&model, model.nodes[n], kept);
                double column[6];
                pose_rates(less, more, 2.0 * h, column);
                for (int row = 0; row < 6; row++) {
                    EXPECT_NEAR(jacobian[row * dofs + d], column[row], 1e-8);
                }
            }
        }
        cr_expect_eq(d, dofs);
        chain_destroy(chain);
        model_finish(&model);
    }
}

Test(chain, numbers_are_the_nodes_with_their_ranges) {
    Random random = random_from(4);
    Model model = chain_random_model(&random, 8, true);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    int at = 0;
    for (int n = 0; n < model.node_count; n++) {
        double numbers[POISE_MAX_POSTURE];
        const int count = poise_node_posture(model.tree, model.nodes[n], numbers);
        for (int k = 0; k < count; k++, at++) {
            cr_expect_eq(poise_body_node(chain.body, at).index1, model.nodes[n].index1);
            if (count <= 2) {
                const PoiseLimits limits = poise_node_limits(model.tree, model.nodes[n]);
                cr_expect_eq(poise_body_lower(chain.body, at), limits.lower[k]);
                cr_expect_eq(poise_body_upper(chain.body, at), limits.upper[k]);
            }
        }
    }
    cr_expect_eq(at, poise_body_posture_size(chain.body));
    cr_expect_eq(poise_body_node(chain.body, at).index1, 0u);
    cr_expect_eq(poise_body_lower(chain.body, at), -HUGE_VAL);
    cr_expect_eq(poise_body_upper(chain.body, -1), HUGE_VAL);
    chain_destroy(chain);
    model_finish(&model);
}

Test(chain, a_posture_is_read_as_it_was_written) {
    Random random = random_from(5);
    Model model = chain_random_model(&random, 7, true);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    double written[CHAIN_POSTURE];
    double read[CHAIN_POSTURE];
    chain_draw(chain, &random, written);
    cr_assert(poise_body_write(chain.body, model.tree, written) == POISE_OK);
    cr_assert(poise_body_read(chain.body, model.tree, read) == POISE_OK);
    const PoisePose a = poise_body_forward(chain.body, written, 0);
    const PoisePose b = poise_body_forward(chain.body, read, 0);
    EXPECT_NEAR3(a.p, b.p, 1e-14);
    EXPECT_NEAR_QUAT(a.q, b.q, 1e-14);
    // The chain does not need the tree any more.
    cr_assert(poise_node_destroy(model.tree, model.nodes[3]) == POISE_OK);
    cr_expect(poise_body_read(chain.body, model.tree, read) == POISE_ERROR_INVALID_HANDLE);
    cr_expect(poise_body_write(chain.body, model.tree, read) == POISE_ERROR_INVALID_HANDLE);
    model_finish(&model);
    EXPECT_NEAR3(poise_body_forward(chain.body, written, 0).p, a.p, 0.0);
    chain_destroy(chain);
}

Test(chain, nodes_that_are_not_enabled_are_rigid) {
    Model model = model_chain(POISE_NODE_HINGE, 4, 0.5, POISE_POINT_POSE);
    WORKS(poise_node_set_angle(model.tree, model.nodes[1], 0.7));
    WORKS(poise_node_set_enabled(model.tree, model.nodes[1], false));
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    cr_expect_eq(poise_body_dof(chain.body), 3);
    const double posture[3] = {0.1, 0.2, 0.3};
    expect_tip(&model, chain, posture, 1e-14);
    EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[1]), 0.7, 0.0);
    chain_destroy(chain);
    model_finish(&model);
}

// A base on a plane carries three hinges and a ball. Disabled axes stay where they are; the others
// meet the targets.
Test(chain, disabled_axes_stay_where_they_are) {
    Random random = random_from(29);
    for (int t = 0; t < 20; t++) {
        Model model = model_empty(POISE_BALL_THREE_AXES);
        PoiseNodeDef base = t % 2 == 0 ? poise_default_translation_def() : poise_default_free_def();
        base.free_axes = POISE_AXIS_X | POISE_AXIS_Z | (t % 4 == 1 ? POISE_AXES_TURN : 0u);
        base.translation = random_vec3(&random, 1.0);
        base.rotation = random_turn(&random, 2.0);
        base.joint_in_parent = random_pose(&random, 1.0, 3.0);
        PoiseNodeDef hinge = poise_default_hinge_def();
        hinge.parent = model_add_node(&model, &base);
        for (int i = 0; i < 4; i++) {
            hinge.axis = random_direction(&random);
            hinge.joint_in_parent = random_pose(&random, 0.4, 3.0);
            hinge.parent = model_add_node(&model, &hinge);
        }
        PoiseNodeDef ball = poise_default_ball_def();
        ball.parent = hinge.parent;
        ball.link_in_joint = random_pose(&random, 0.4, 3.0);
        (void)model_add_node(&model, &ball);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        cr_expect_eq(poise_body_dof(chain.body), t % 4 == 1 ? 12 : 9);
        double posture[CHAIN_POSTURE];
        double drawn[CHAIN_POSTURE];
        cr_assert(poise_body_read(chain.body, model.tree, drawn) == POISE_OK);
        drawn[0] += 0.3;
        drawn[2] -= 0.2;
        cr_assert(poise_body_write(chain.body, model.tree, drawn) == POISE_OK);
        WORKS(poise_forward(model.tree));
        const PoiseNodeId last = model.nodes[model.node_count - 1];
        const PoisePose there = poise_node_link_world(model.tree, last);
        const PoisePose here = poise_body_forward(chain.body, drawn, 0);
        EXPECT_NEAR3(here.p, there.p, 1e-14);
        EXPECT_NEAR_QUAT(here.q, there.q, 1e-14);
        cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
        // The caller's value for a disabled axis is ignored.
        posture[1] = 5.0;
        cr_expect(chain_solve(chain, NULL, there, posture, NULL) == POISE_OK);
        EXPECT_NEAR(posture[1], base.translation.y, 0.0);
        cr_assert(poise_body_write(chain.body, model.tree, posture) == POISE_OK);
        WORKS(poise_forward(model.tree));
        EXPECT_NEAR3(poise_node_link_world(model.tree, last).p, there.p, 1e-9);
        EXPECT_NEAR(poise_body_lower(chain.body, 1), base.translation.y, 0.0);
        EXPECT_NEAR(poise_body_upper(chain.body, 1), base.translation.y, 0.0);
        chain_destroy(chain);
        model_finish(&model);
    }
}

Test(chain, all_memory_is_allocated_by_the_host) {
    TestHost host = {0};
    Model model = model_chain(POISE_NODE_HINGE, 6, 0.5, POISE_POINT_POSE);
    const PoiseBodyTip tip = {.link = model.nodes[5], .in_link = poise_pose_identity()};
    PoiseBodyDef def = poise_default_body_def();
    def.tips = &tip;
    def.tip_count = 1;
    def.host = test_host(&host);
    Chain chain = {poise_body_compile(model.tree, &def), POISE_BODY_EXACT};
    cr_assert(chain.body);
    const long taken = host.allocations;
    cr_expect_gt(taken, 0);
    double posture[6];
    ChainSolveDef solve = chain_goal_def(POISE_BODY_POSE);
    PoisePose target = poise_pose_identity();
    target.p = poise_vec3(1.0, 1.0, 0.0);
    cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
    WORKS(chain_solve(chain, &solve, target, posture, NULL));
    WORKS(chain_track(chain, &solve, target, posture, NULL));
    cr_expect_eq(host.allocations, taken, "a solve took memory");
    chain_destroy(chain);
    cr_expect_eq(host.live_blocks, 0);
    cr_expect_eq(host.live_bytes, 0);
    for (int i = 1; i <= (int)taken; i++) {
        host.fail_in = i;
        cr_expect_null(poise_body_compile(model.tree, &def));
        cr_expect(poise_tree_status(model.tree) == POISE_ERROR_OUT_OF_MEMORY);
        cr_expect_eq(host.live_blocks, 0);
    }
    poise_body_destroy(NULL);
    model_finish(&model);
}
