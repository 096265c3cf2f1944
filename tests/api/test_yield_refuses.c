// SPDX-License-Identifier: MIT
// What the functions of forces, yielding and whole Jacobians do with arguments that are no good.
#include "refuse.h"
#include "shared/node_numbers.h"

BENCH_TEST(yield_refuses, handles) {
    const PoisePointId points[] = {poise_null_point(), bench->dead_point, bench->foreign_point};
    const PoiseNodeId nodes[] = {poise_null_node(), bench->dead_node, bench->foreign_node};
    const double step[POISE_MAX_DOF] = {0.0};
    double rows[36] = {7.0};
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        REFUSES(bench, expected, poise_point_set_yield(tree, points[i], POISE_YIELD_NONE, 0u));
        REFUSES(bench, expected, poise_node_shift(tree, nodes[i], step, 1));
        cr_expect_eq(poise_length(poise_point_torque(tree, points[i])), 0.0);
        cr_expect_eq(poise_point_jacobian(tree, points[i], bench->hinge, rows), 0);
        cr_expect_eq(poise_point_jacobian(tree, bench->place, nodes[i], rows), 0);
        cr_expect_eq(poise_point_goal_rows(tree, points[i], rows), 0);
        cr_expect_eq(poise_point_yield_rows(tree, points[i], rows), 0);
        cr_expect_not(poise_is_registered(tree, bench->place, nodes[i]));
        cr_expect_not(poise_is_registered(tree, points[i], bench->hinge));
    }
    cr_expect_eq(poise_point_jacobian(tree, bench->place, bench->twig, rows), 0);
    cr_expect_eq(rows[0], 7.0, "something was written");
}

BENCH_TEST(yield_refuses, null_tree) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    const double step[POISE_MAX_DOF] = {0.0};
    double rows[36];
    GIVES(expected, poise_point_set_yield(NULL, bench->place, POISE_YIELD_NONE, 0u));
    GIVES(expected, poise_node_shift(NULL, bench->hinge, step, 1));
    cr_expect_eq(poise_length(poise_point_torque(NULL, bench->place)), 0.0);
    cr_expect_eq(poise_point_jacobian(NULL, bench->place, bench->hinge, rows), 0);
    cr_expect_eq(poise_point_goal_rows(NULL, bench->place, rows), 0);
    cr_expect_eq(poise_point_yield_rows(NULL, bench->place, rows), 0);
    cr_expect_not(poise_is_registered(NULL, bench->place, bench->hinge));
    cr_expect_not(poise_tree_presses(NULL));
    cr_expect(poise_tree_smoothness(NULL) == 0.0);
}

BENCH_TEST(yield_refuses, nothing_presses_unasked) {
    cr_expect_not(poise_tree_presses(tree));
    WORKS(poise_point_set_torque(tree, bench->place, poise_vec3(0.0, 0.0, 1.0)));
    cr_expect(poise_tree_presses(tree));
    WORKS(poise_point_set_torque(tree, bench->place, poise_vec3(0.0, 0.0, 0.0)));
    cr_expect_not(poise_tree_presses(tree));
    WORKS(poise_point_set_yield(tree, bench->place, POISE_YIELD_ROWS, 1u));
    cr_expect(poise_tree_presses(tree));
}

BENCH_TEST(yield_refuses, numbers) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    double step[POISE_MAX_DOF] = {0.0};
    REFUSES(bench, expected, poise_point_set_yield(tree, bench->place, (PoiseYield)3, 1u));
    REFUSES(bench, expected, poise_point_set_yield(tree, bench->place, POISE_YIELD_ROWS, 64u));
    REFUSES(bench, expected, poise_node_shift(tree, bench->hinge, NULL, 1));
    REFUSES(bench, expected, poise_node_shift(tree, bench->hinge, step, 3));
    REFUSES(bench, expected, poise_node_shift(tree, bench->ball, step, 1));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        step[0] = bad_numbers[i];
        REFUSES(bench, expected, poise_node_shift(tree, bench->hinge, step, 1));
    }
}
