// SPDX-License-Identifier: MIT
// What the functions of nodes do with arguments that are no good.
#include "refuse.h"
#include "shared/node_numbers.h"

BENCH_TEST(node_refuses, defs) {
    REFUSES_TO_MAKE(bench, POISE_ERROR_INVALID_ARGUMENT, poise_node_create(bench->tree, NULL));
    NO_NODE(hinge, cookie, 0);
    NO_NODE(hinge, kind, (PoiseNodeKind)0);
    NO_NODE(hinge, kind, (PoiseNodeKind)99);
    NO_NODE(hinge, axis, poise_vec3(0.0, 0.0, 0.0));
    NO_NODE(hinge, lower, NOT_A_NUMBER);
    NO_NODE(hinge, upper, NOT_A_NUMBER);
    NO_NODE(hinge, lower, HUGE_VAL);
    NO_NODE(hinge, upper, -HUGE_VAL);
    NO_NODE(hinge, bias, 0.0);
    NO_NODE(hinge, bias, -1.0);
    NO_NODE(hinge, mass, -1.0);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_NODE(hinge, axis, bad_vec3(i));
        NO_NODE(hinge, angle, bad_numbers[i]);
        NO_NODE(hinge, bias, bad_numbers[i]);
        NO_NODE(hinge, mass, bad_numbers[i]);
        NO_NODE(hinge, com_link, bad_vec3(i));
        NO_NODE(hinge, joint_in_parent.p, bad_vec3(i));
        NO_NODE(hinge, link_in_joint.p, bad_vec3(i));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        NO_NODE(hinge, joint_in_parent.q, bad_quat(i));
        NO_NODE(hinge, link_in_joint.q, bad_quat(i));
        PoiseNodeDef ball = poise_default_ball_def();
        ball.rotation = bad_quat(i);
        expect_no_node(bench, POISE_ERROR_INVALID_ARGUMENT, ball, "rotation of a ball");
    }
    PoiseNodeDef crossed = poise_default_hinge_def();
    crossed.lower = 0.5;
    crossed.upper = -0.5;
    expect_no_node(bench, POISE_ERROR_INVALID_ARGUMENT, crossed, "lower > upper");
    PoiseNodeDef lost = poise_default_hinge_def();
    lost.parent = bench->dead_node;
    expect_no_node(bench, POISE_ERROR_INVALID_HANDLE, lost, "a destroyed parent");
    lost.parent = bench->foreign_node;
    expect_no_node(bench, POISE_ERROR_INVALID_HANDLE, lost, "a parent of another tree");
    lost.parent = bench->hinge;
    lost.parent.index1 = 1000;
    expect_no_node(bench, POISE_ERROR_INVALID_HANDLE, lost, "a parent that never was");
}

BENCH_TEST(node_refuses, handles) {
    const PoiseNodeId bad[] = {poise_null_node(), bench->dead_node, bench->foreign_node};
    const PoisePose here = poise_pose_identity();
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        if (bad[i].index1 != 0) {
            REFUSES(bench, expected, poise_node_destroy(tree, bad[i]));
        }
        REFUSES(bench, expected, poise_node_set_enabled(tree, bad[i], false));
        REFUSES(bench, expected, poise_node_set_bias(tree, bad[i], 2.0));
        REFUSES(bench, expected, poise_node_set_limits(tree, bad[i], poise_range(-1.0, 1.0)));
        REFUSES(bench, expected, poise_node_set_mass(tree, bad[i], 1.0, here.p));
        REFUSES(bench, expected, poise_node_set_angle(tree, bad[i], 0.5));
        REFUSES(bench, expected, poise_node_set_base(tree, bad[i], here));
        REFUSES(bench, expected, poise_node_set_base_velocity(tree, bad[i], here.p, here.p));
        REFUSES(bench, expected, poise_node_measure(tree, bad[i], here, here));
        REFUSES(bench, expected, poise_register(tree, bench->place, bad[i]));
        REFUSES(bench, expected, poise_unregister(tree, bench->place, bad[i]));
        REFUSES(bench, expected, poise_node_follow(tree, bad[i], bench->hinge, 1.0, 0.0));
        if (bad[i].index1 != 0) {
            REFUSES(bench, expected, poise_node_follow(tree, bench->hinge, bad[i], 1.0, 0.0));
            REFUSES(bench, expected, poise_register_chain(tree, bench->place, bad[i]));
        }
    }
}

BENCH_TEST(node_refuses, null_tree) {
    const PoisePose here = poise_pose_identity();
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    PoiseNodeDef def = poise_default_hinge_def();
    cr_expect_eq(poise_node_create(NULL, &def).index1, 0u);
    GIVES(expected, poise_node_shift(NULL, bench->hinge, NULL, 1));
    GIVES(expected, poise_node_set_step_range(NULL, bench->hinge, -1.0, 1.0));
    GIVES(expected, poise_node_destroy(NULL, bench->hinge));
    GIVES(expected, poise_node_set_enabled(NULL, bench->hinge, false));
    GIVES(expected, poise_node_set_bias(NULL, bench->hinge, 2.0));
    GIVES(expected, poise_node_set_limits(NULL, bench->hinge, poise_range(-1.0, 1.0)));
    GIVES(expected, poise_node_set_mass(NULL, bench->hinge, 1.0, here.p));
    GIVES(expected, poise_node_set_angle(NULL, bench->hinge, 0.5));
    GIVES(expected, poise_node_set_base(NULL, bench->hinge, here));
    GIVES(expected, poise_node_set_base_velocity(NULL, bench->hinge, here.p, here.p));
    GIVES(expected, poise_node_measure(NULL, bench->hinge, here, here));
    GIVES(expected, poise_node_follow(NULL, bench->twig, bench->hinge, 1.0, 0.0));
    GIVES(expected, poise_follow_leaders(NULL));
    GIVES(expected, poise_forward(NULL));
    GIVES(expected, poise_advance(NULL));
}

BENCH_TEST(node_refuses, numbers) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    const PoisePose here = poise_pose_identity();
    REFUSES(bench, expected, poise_node_set_bias(tree, bench->hinge, 0.0));
    REFUSES(bench, expected, poise_node_set_bias(tree, bench->hinge, -2.0));
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->hinge, poise_range(1.0, -1.0)));
    REFUSES(bench, expected,
            poise_node_set_limits(tree, bench->hinge, poise_range(NOT_A_NUMBER, 1.0)));
    REFUSES(bench, expected,
            poise_node_set_limits(tree, bench->hinge, poise_range(-1.0, NOT_A_NUMBER)));
    REFUSES(bench, expected,
            poise_node_set_limits(tree, bench->hinge, poise_range(HUGE_VAL, HUGE_VAL)));
    REFUSES(bench, expected, poise_node_set_mass(tree, bench->hinge, -1.0, here.p));
    REFUSES(bench, expected, poise_node_follow(tree, bench->twig, bench->hinge, 0.0, 0.0));
    REFUSES(bench, expected, poise_node_follow(tree, bench->twig, bench->twig, 1.0, 0.0));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        const double bad = bad_numbers[i];
        REFUSES(bench, expected, poise_node_follow(tree, bench->twig, bench->hinge, bad, 0.0));
        REFUSES(bench, expected, poise_node_follow(tree, bench->twig, bench->hinge, 1.0, bad));
        REFUSES(bench, expected, poise_node_set_bias(tree, bench->hinge, bad));
        REFUSES(bench, expected, poise_node_set_mass(tree, bench->hinge, bad, here.p));
        REFUSES(bench, expected, poise_node_set_mass(tree, bench->hinge, 1.0, bad_vec3(i)));
        REFUSES(bench, expected, poise_node_set_angle(tree, bench->hinge, bad));
        REFUSES(bench, expected, poise_node_set_angle(tree, bench->slider, bad));
        const PoisePose off = poise_pose(bad_vec3(i), here.q);
        REFUSES(bench, expected, poise_node_set_base(tree, bench->hinge, off));
        REFUSES(bench, expected, poise_node_set_base_velocity(tree, bench->hinge, off.p, here.p));
        REFUSES(bench, expected, poise_node_set_base_velocity(tree, bench->hinge, here.p, off.p));
        REFUSES(bench, expected, poise_node_measure(tree, bench->hinge, off, here));
        REFUSES(bench, expected, poise_node_measure(tree, bench->hinge, here, off));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        const PoisePose turned = poise_pose(here.p, bad_quat(i));
        REFUSES(bench, expected, poise_node_set_base(tree, bench->hinge, turned));
        REFUSES(bench, expected, poise_node_measure(tree, bench->hinge, turned, here));
    }
    REFUSES(bench, expected, poise_node_measure_at(tree, bench->hinge, NULL, &here));
    REFUSES(bench, expected, poise_node_measure_at(tree, bench->hinge, &here, NULL));
}

BENCH_TEST(node_refuses, kinds) {
    const PoiseStatus expected = POISE_ERROR_WRONG_KIND;
    const PoisePose here = poise_pose_identity();
    REFUSES(bench, expected, poise_node_follow(tree, bench->ball, bench->hinge, 1.0, 0.0));
    REFUSES(bench, expected, poise_node_follow(tree, bench->hinge, bench->ball, 1.0, 0.0));
    REFUSES(bench, expected, poise_node_set_angle(tree, bench->ball, 0.5));
    REFUSES(bench, expected, poise_node_set_base(tree, bench->ball, here));
    REFUSES(bench, expected, poise_node_set_base_velocity(tree, bench->ball, here.p, here.p));
}

Test(node_refuses, numbers_of_no_nodes) {
    const PoiseTreeDef def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&def);
    cr_expect_null(poise_tree_numbers(NULL).posture);
    cr_expect_null(poise_tree_numbers(tree).posture);
    cr_expect_eq(poise_tree_piece(tree, 3).count, 0);
    const PoiseNodeDef hinge = poise_default_hinge_def();
    cr_assert_neq(poise_node_create(tree, &hinge).index1, 0);
    cr_expect_not_null(poise_tree_numbers(tree).posture);
    // pieces of what there is of the tree, and none of NULL
    for (int k = -1; k < 2 * POISE_TREE_PIECES; k++) {
        const PoisePiece piece = poise_tree_piece(tree, k);
        cr_expect_eq(piece.from == NULL, piece.count == 0, "piece %d", k);
        cr_expect_eq(piece.count, k == 0 || k == 3 || k == 5 || k == 6, "piece %d", k);
        cr_expect_eq(poise_tree_piece(NULL, k).count, 0, "piece %d", k);
    }
    cr_expect_eq(poise_tree_status(tree), POISE_OK);
    poise_tree_destroy(tree);
}

BENCH_TEST(node_refuses, a_handle_that_reads_as_nothing) {
    const PoiseNodeId bad[] = {poise_null_node(), bench->dead_node, bench->foreign_node};
    double out[POISE_MAX_DOF * POISE_MAX_DOF] = {7.0};
    PoisePointId points[4];
    PoiseNodeId nodes[4];
    for (int i = 0; i < 3; i++) {
        cr_expect_not(poise_node_is_valid(tree, bad[i]));
        cr_expect_eq((int)poise_node_kind(tree, bad[i]), 0);
        cr_expect_eq(poise_node_parent(tree, bad[i]).index1, 0u);
        cr_expect_eq(poise_node_leader(tree, bad[i], out, out).index1, 0u);
        cr_expect_eq(poise_node_dof(tree, bad[i]), 0);
        cr_expect_not(poise_node_enabled(tree, bad[i]));
        cr_expect_eq(poise_node_angle(tree, bad[i]), 0.0);
        cr_expect_eq(poise_node_joint_world(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_node_link_world(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_node_points(tree, bad[i], points, 4), 0);
        cr_expect_eq(poise_node_neighbours(tree, bad[i], nodes, 4), 0);
        cr_expect_eq(poise_node_omega(tree, bad[i], out), 0);
        cr_expect_eq(poise_node_velocity(tree, bad[i], out), 0);
        cr_expect_eq(poise_node_force_torque(tree, bad[i], out), 0);
        cr_expect_eq(poise_node_gravity_torque(tree, bad[i], out), 0);
        cr_expect_eq(poise_jacobian(tree, bench->place, bad[i], out), 0);
        cr_expect_eq(poise_block_alpha(tree, bad[i], out), 0);
        cr_expect_eq(poise_block_beta(tree, bad[i], out), 0);
        cr_expect_eq(poise_block_gamma(tree, bad[i], bench->hinge, out), 0);
        cr_expect_eq(poise_block_gamma(tree, bench->hinge, bad[i], out), 0);
    }
    cr_expect_eq(out[0], 7.0, "something was written for a handle that is not valid");
    cr_expect_eq(poise_tree_status(tree), POISE_OK);
}
