// SPDX-License-Identifier: MIT
// What the functions of points and registration do with arguments that are no good.
#include "refuse.h"

BENCH_TEST(point_refuses, defs) {
    REFUSES_TO_MAKE(bench, POISE_ERROR_INVALID_ARGUMENT, poise_point_create(bench->tree, NULL));
    NO_POINT(pose, cookie, 0);
    NO_POINT(pose, kind, (PoisePointKind)0);
    NO_POINT(pose, kind, (PoisePointKind)9);
    NO_POINT(pose, weight, -1.0);
    NO_POINT(pose, yield, (PoiseYield)3);
    NO_POINT(pose, yield_rows, 64u);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_POINT(pose, weight, bad_numbers[i]);
        NO_POINT(pose, in_link.p, bad_vec3(i));
        NO_POINT(pose, goal.p, bad_vec3(i));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        NO_POINT(pose, in_link.q, bad_quat(i));
        NO_POINT(pose, goal.q, bad_quat(i));
    }
    PoisePointDef lost = poise_default_position_def();
    expect_no_point(bench, POISE_ERROR_INVALID_HANDLE, lost, "no link");
    lost.link = bench->dead_node;
    expect_no_point(bench, POISE_ERROR_INVALID_HANDLE, lost, "a destroyed link");
    lost.link = bench->foreign_node;
    expect_no_point(bench, POISE_ERROR_INVALID_HANDLE, lost, "a link of another tree");
}

BENCH_TEST(point_refuses, handles) {
    const PoisePointId bad[] = {poise_null_point(), bench->dead_point, bench->foreign_point};
    const PoisePose here = poise_pose_identity();
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        if (bad[i].index1 != 0) {
            REFUSES(bench, expected, poise_point_destroy(tree, bad[i]));
        }
        REFUSES(bench, expected, poise_point_set_position(tree, bad[i], here.p));
        REFUSES(bench, expected, poise_point_set_orientation(tree, bad[i], here.q));
        REFUSES(bench, expected, poise_point_set_velocity(tree, bad[i], here.p));
        REFUSES(bench, expected, poise_point_set_angular_velocity(tree, bad[i], here.p));
        REFUSES(bench, expected, poise_point_follow(tree, bad[i], false));
        REFUSES(bench, expected, poise_point_set_force(tree, bad[i], here.p));
        REFUSES(bench, expected, poise_point_set_torque(tree, bad[i], here.p));
        REFUSES(bench, expected, poise_point_set_enabled(tree, bad[i], false));
        REFUSES(bench, expected, poise_point_set_weight(tree, bad[i], 2.0));
        REFUSES(bench, expected, poise_point_set_yield(tree, bad[i], POISE_YIELD_NONE, 0));
        REFUSES(bench, expected, poise_register(tree, bad[i], bench->hinge));
        REFUSES(bench, expected, poise_unregister(tree, bad[i], bench->hinge));
        REFUSES(bench, expected, poise_register_chain(tree, bad[i], bench->hinge));
    }
}

BENCH_TEST(point_refuses, null_tree) {
    const PoisePose here = poise_pose_identity();
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    PoisePointDef def = poise_default_position_def();
    def.link = bench->ball;
    cr_expect_eq(poise_point_create(NULL, &def).index1, 0u);
    GIVES(expected, poise_point_destroy(NULL, bench->place));
    GIVES(expected, poise_point_set_position(NULL, bench->place, here.p));
    GIVES(expected, poise_point_set_orientation(NULL, bench->turn, here.q));
    GIVES(expected, poise_point_set_velocity(NULL, bench->place, here.p));
    GIVES(expected, poise_point_set_angular_velocity(NULL, bench->turn, here.p));
    GIVES(expected, poise_point_follow(NULL, bench->place, true));
    PoiseVec3 velocity = {1.0, 1.0, 1.0}, angular = velocity;
    poise_point_goal_velocity(NULL, bench->place, &velocity, &angular);
    cr_expect(poise_length(velocity) == 0.0 && poise_length(angular) == 0.0);
    poise_point_goal_velocity(bench->tree, poise_null_point(), NULL, NULL);
    GIVES(expected, poise_point_set_force(NULL, bench->place, here.p));
    GIVES(expected, poise_point_set_torque(NULL, bench->place, here.p));
    GIVES(expected, poise_point_set_enabled(NULL, bench->place, false));
    GIVES(expected, poise_point_set_weight(NULL, bench->place, 2.0));
    GIVES(expected, poise_point_set_yield(NULL, bench->place, POISE_YIELD_NONE, 0));
    GIVES(expected, poise_register(NULL, bench->place, bench->hinge));
    GIVES(expected, poise_unregister(NULL, bench->place, bench->hinge));
    GIVES(expected, poise_register_chain(NULL, bench->place, bench->hinge));
}

BENCH_TEST(point_refuses, numbers) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    REFUSES(bench, expected, poise_point_set_yield(tree, bench->place, (PoiseYield)3, 0));
    REFUSES(bench, expected, poise_point_set_yield(tree, bench->place, POISE_YIELD_ROWS, 64));
    REFUSES(bench, expected, poise_point_set_weight(tree, bench->place, -2.0));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        REFUSES(bench, expected, poise_point_set_weight(tree, bench->place, bad_numbers[i]));
        REFUSES(bench, expected, poise_point_set_position(tree, bench->place, bad_vec3(i)));
        REFUSES(bench, expected, poise_point_set_velocity(tree, bench->place, bad_vec3(i)));
        REFUSES(bench, expected, poise_point_set_angular_velocity(tree, bench->turn, bad_vec3(i)));
        REFUSES(bench, expected, poise_point_set_force(tree, bench->place, bad_vec3(i)));
        REFUSES(bench, expected, poise_point_set_torque(tree, bench->place, bad_vec3(i)));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        REFUSES(bench, expected, poise_point_set_orientation(tree, bench->turn, bad_quat(i)));
    }
}

BENCH_TEST(point_refuses, kinds) {
    const PoiseStatus expected = POISE_ERROR_WRONG_KIND;
    const PoisePose here = poise_pose_identity();
    REFUSES(bench, expected, poise_point_set_position(tree, bench->turn, here.p));
    REFUSES(bench, expected, poise_point_set_velocity(tree, bench->turn, here.p));
    REFUSES(bench, expected, poise_point_set_orientation(tree, bench->place, here.q));
    REFUSES(bench, expected, poise_point_set_angular_velocity(tree, bench->place, here.p));
}

BENCH_TEST(point_refuses, nodes_that_cannot_move_it) {
    const PoiseStatus expected = POISE_ERROR_CANNOT_MOVE;
    REFUSES(bench, expected, poise_register(tree, bench->place, bench->twig));
    REFUSES(bench, expected, poise_register_chain(tree, bench->place, bench->twig));
}

BENCH_TEST(point_refuses, a_handle_that_reads_as_nothing) {
    const PoisePointId bad[] = {poise_null_point(), bench->dead_point, bench->foreign_point};
    double block[POISE_MAX_ROWS * POISE_MAX_DOF] = {7.0};
    PoiseNodeId nodes[4];
    for (int i = 0; i < 3; i++) {
        cr_expect_not(poise_point_is_valid(tree, bad[i]));
        cr_expect_eq((int)poise_point_kind(tree, bad[i]), 0);
        cr_expect_eq(poise_point_link(tree, bad[i]).index1, 0u);
        cr_expect_not(poise_point_enabled(tree, bad[i]));
        cr_expect_eq(poise_point_planned_pose(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_point_goal(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_point_force(tree, bad[i]).x, 0.0);
        cr_expect_eq(poise_point_torque(tree, bad[i]).x, 0.0);
        cr_expect_eq(poise_point_jacobian(tree, bad[i], bench->hinge, block), 0);
        cr_expect_eq(poise_point_goal_rows(tree, bad[i], block), 0);
        cr_expect_eq(poise_point_yield_rows(tree, bad[i], block), 0);
        cr_expect_not(poise_is_registered(tree, bad[i], bench->hinge));
        cr_expect_eq(poise_point_planned_error(tree, bad[i]), 0.0);
        cr_expect_eq(poise_point_planned_angle_error(tree, bad[i]), 0.0);
        cr_expect_eq(poise_point_tip_radius(tree, bad[i]), 0.0);
        double miss = 7.0, angle_miss = 7.0;
        poise_point_miss(tree, bad[i], poise_pose_identity(), &miss, &angle_miss);
        cr_expect(miss == 0.0 && angle_miss == 0.0);
        poise_point_miss(tree, bad[i], poise_pose_identity(), NULL, NULL);
        cr_expect_eq(poise_point_reach(tree, bad[i]), 0.0);
        cr_expect_eq(poise_point_nodes(tree, bad[i], nodes, 4), 0);
        cr_expect_eq(poise_jacobian(tree, bad[i], bench->hinge, block), 0);
    }
    cr_expect_eq(block[0], 7.0, "something was written for a handle that is not valid");
    cr_expect_eq(poise_tree_status(tree), POISE_OK);
}

BENCH_TEST(point_refuses, lists_without_room) {
    // as many as there are, whatever the room; nothing is written past it
    PoiseNodeId nodes[2] = {{7, 7, 7}, {7, 7, 7}};
    cr_expect_eq(poise_point_nodes(bench->tree, bench->place, NULL, 0), 3);
    cr_expect_eq(poise_point_nodes(bench->tree, bench->place, nodes, 1), 3);
    cr_expect_eq(poise_node_neighbours(bench->tree, bench->ball, nodes, 1), 3);
    cr_expect_eq(poise_node_neighbours(bench->tree, bench->ball, nodes, -5), 3);
    cr_expect_eq(nodes[1].index1, 7u);
}
