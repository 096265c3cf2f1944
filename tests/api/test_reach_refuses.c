// SPDX-License-Identifier: MIT
// What reaches, null-space vectors, copies, saved states and tables of arms do with arguments that
// are no good.
#include "poise/dh.h"
#include "refuse.h"
#include "shared/saved.h"

static PoiseStatus reach_with(PoiseTree* tree, PoiseReachDef def) {
    return poise_reach(tree, &def, NULL);
}

// a row of the table below: the default with one member set wrong
#define NO_REACH(member, value)                                                                    \
    do {                                                                                           \
        PoiseReachDef def_ = poise_default_reach_def();                                            \
        def_.member = (value);                                                                     \
        cr_expect_not_null(poise_reach_def_problem(&def_));                                        \
        REFUSES(bench, POISE_ERROR_INVALID_ARGUMENT, reach_with(bench->tree, def_));               \
        REFUSES(bench, POISE_ERROR_INVALID_ARGUMENT, poise_reach_begin(bench->tree, &def_));       \
    } while (0)

BENCH_TEST(reach_refuses, defs) {
    NO_REACH(cookie, 0);
    NO_REACH(iterations, 0);
    NO_REACH(iterations, -1);
    NO_REACH(starts, 0);
    NO_REACH(starts, 1000001);
    NO_REACH(position_tolerance, 0.0);
    NO_REACH(position_tolerance, -1.0);
    NO_REACH(position_tolerance, NOT_A_NUMBER);
    NO_REACH(angle_tolerance, 0.0);
    NO_REACH(angle_tolerance, NOT_A_NUMBER);
    const PoiseReachDef good = poise_default_reach_def();
    cr_expect_null(poise_reach_def_problem(&good));
    cr_expect_not_null(poise_reach_def_problem(NULL));
    const PoiseSolveDef solve = poise_default_solve_def();
    cr_expect_null(poise_solve_def_problem(&solve));
    cr_expect_not_null(poise_solve_def_problem(NULL));
}

Test(reach_refuses, reasons_that_are_none) {
    cr_expect_str_eq(poise_reach_reason_name((PoiseReachReason)77), "unknown");
    cr_expect_str_eq(poise_reach_reason_name((PoiseReachReason)-1), "unknown");
    const char* const names[] = {"met",    "at limits", "unreachable", "singular",
                                 "budget", "leap",      "searching"};
    for (int i = 0; i < 7; i++) {
        cr_expect_str_eq(poise_reach_reason_name((PoiseReachReason)i), names[i]);
    }
    cr_expect_str_eq(poise_reach_reason_name((PoiseReachReason)7), "unknown");
}

BENCH_TEST(reach_refuses, null_tree) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    double x[8] = {0.0};
    GIVES(expected, poise_reach(NULL, NULL, NULL));
    GIVES(expected, poise_reach_begin(NULL, NULL));
    GIVES(expected, poise_reach_continue(NULL, 1, NULL));
    GIVES(expected, poise_null_space_project(NULL, x, 8, x));
    cr_expect_eq(poise_manipulability(NULL, bench->place), 0.0);
    cr_expect_eq(poise_node_at_limit(NULL, bench->hinge), 0);
    cr_expect_null(poise_tree_clone(NULL));
    cr_expect_null(poise_tree_create_like(NULL));
    GIVES(expected, poise_tree_copy(NULL, bench->tree));
    GIVES(expected, poise_tree_copy(bench->tree, NULL));
    cr_expect_eq(poise_tree_revision(NULL), 0u);
    cr_expect_eq(poise_tree_save_size(NULL), 0u);
    GIVES(expected, poise_tree_save(NULL, x, sizeof x));
    GIVES(expected, poise_tree_restore(NULL, x, sizeof x));
    cr_expect_not_null(poise_tree_restore_problem(NULL, x, sizeof x));
}

BENCH_TEST(reach_refuses, slices_of_no_search) {
    REFUSES(bench, POISE_ERROR_STALE, poise_reach_continue(tree, 1, NULL));
    GIVES(POISE_OK, poise_reach_begin(bench->tree, NULL));
    REFUSES(bench, POISE_ERROR_INVALID_ARGUMENT, poise_reach_continue(tree, 0, NULL));
    GIVES(POISE_OK, poise_reach_continue(bench->tree, 1, NULL));
    GIVES(POISE_OK, poise_point_set_weight(bench->tree, bench->place, 0.5));
    REFUSES(bench, POISE_ERROR_STALE, poise_reach_continue(tree, 1, NULL));
}

BENCH_TEST(reach_refuses, manipulability_of_what_is_no_point) {
    const PoisePointId bad[] = {poise_null_point(), bench->dead_point, bench->foreign_point};
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(poise_manipulability(bench->tree, bad[i]), 0.0);
        cr_expect_eq(poise_tree_status(bench->tree), POISE_ERROR_INVALID_HANDLE);
        poise_tree_clear_status(bench->tree);
    }
    GIVES(POISE_OK, poise_node_set_angle(bench->tree, bench->hinge, 0.3));
    cr_expect_eq(poise_manipulability(bench->tree, bench->place), 0.0);
    cr_expect_eq(poise_tree_status(bench->tree), POISE_ERROR_STALE);
}

BENCH_TEST(reach_refuses, null_space_vectors) {
    double x[8] = {0.0};
    REFUSES(bench, POISE_ERROR_STALE, poise_null_space_project(tree, x, 5, x));
    GIVES(POISE_OK, poise_solve(tree, NULL, NULL));
    // hinge, slider and ball serve points: 1 + 1 + 3
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    REFUSES(bench, expected, poise_null_space_project(tree, x, 4, x));
    REFUSES(bench, expected, poise_null_space_project(tree, x, 6, x));
    REFUSES(bench, expected, poise_null_space_project(tree, x, -1, x));
    REFUSES(bench, expected, poise_null_space_project(tree, NULL, 5, x));
    REFUSES(bench, expected, poise_null_space_project(tree, x, 5, NULL));
    GIVES(POISE_OK, poise_null_space_project(tree, x, 5, x));
}

BENCH_TEST(reach_refuses, states_that_do_not_fit) {
    static unsigned char memory[65536];
    const size_t size = poise_tree_save_size(tree);
    cr_assert(size > 0 && size <= sizeof memory);
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    GIVES(expected, poise_tree_save(tree, memory, size - 1));
    GIVES(expected, poise_tree_save(tree, NULL, size));
    GIVES(POISE_OK, poise_tree_save(tree, memory, size));
    REFUSES(bench, expected, poise_tree_restore(tree, NULL, size));
    REFUSES(bench, expected, poise_tree_restore(tree, memory, size - 1));
    REFUSES(bench, expected, poise_tree_restore(tree, memory, 0));
    cr_expect_not_null(poise_tree_restore_problem(tree, NULL, size));
    cr_expect_not_null(poise_tree_restore_problem(tree, memory, size - 1));
    memory[0] ^= 1;
    cr_expect_not_null(poise_tree_restore_problem(tree, memory, size));
    REFUSES(bench, expected, poise_tree_restore(tree, memory, size));
    memory[0] ^= 1;
    cr_expect_null(poise_tree_restore_problem(tree, memory, size));
    cr_expect_eq((int)poise_node_saved_kind(NULL, size, bench->hinge), 0);
    cr_expect_eq((int)poise_node_saved_kind(memory, 16, bench->hinge), 0);
    cr_expect_neq((int)poise_node_saved_kind(memory, size, bench->hinge), 0);
    PoiseSavedHead head, found;
    memcpy(&head, memory, sizeof head);
    cr_expect_null(poise_saved_problem(&head, memory, size, &found));
    cr_expect_not_null(poise_saved_problem(NULL, memory, size, &found));
    cr_expect_not_null(poise_saved_problem(&head, NULL, size, &found));
    cr_expect_not_null(poise_saved_problem(&head, memory, sizeof head - 1, &found));
    cr_expect_not_null(poise_saved_problem(&head, memory, size, NULL));
    GIVES(expected, poise_saved_seal(NULL, memory, size));
    GIVES(expected, poise_saved_seal(&head, NULL, size));
    GIVES(expected, poise_saved_seal(&head, memory, size - 1)); // no whole words
    GIVES(expected, poise_saved_seal(&head, memory, sizeof head - 8));
}

static const PoiseDhRow good_row = {POISE_NODE_HINGE, 0.1, 0.2, 0.3, 0.4};

static void refuse_table(Bench* bench, PoiseDhRow row, const char* what) {
    const PoiseDhRow rows[2] = {good_row, row};
    const double q[2] = {0.0, 0.0};
    PoisePose frames[2] = {{{7.0, 7.0, 7.0}, {7.0, 7.0, 7.0, 7.0}}};
    PoiseNodeId nodes[2];
    cr_expect_eq(poise_dh_forward(rows, 2, q, frames), POISE_ERROR_INVALID_ARGUMENT, "%s", what);
    cr_expect_eq(frames[0].p.x, 7.0, "%s: something was written", what);
    REFUSES(bench, POISE_ERROR_INVALID_ARGUMENT,
            poise_dh_create_nodes(bench->tree, bench->hinge, rows, 2, nodes));
}

BENCH_TEST(reach_refuses, tables_of_arms) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < BAD_NUMBERS; i++) {
        PoiseDhRow row = good_row;
        row.a = bad_numbers[i];
        refuse_table(bench, row, "a");
        row = good_row;
        row.alpha = bad_numbers[i];
        refuse_table(bench, row, "alpha");
        row = good_row;
        row.d = bad_numbers[i];
        refuse_table(bench, row, "d");
        row = good_row;
        row.theta = bad_numbers[i];
        refuse_table(bench, row, "theta");
        PoisePose frame;
        GIVES(expected, poise_dh_forward(&good_row, 1, &bad_numbers[i], &frame));
    }
    PoiseDhRow ball = good_row;
    ball.kind = POISE_NODE_BALL;
    refuse_table(bench, ball, "a ball");
    const double q = 0.0;
    PoisePose frame;
    PoiseNodeId node;
    PoiseDhRow row = good_row;
    GIVES(expected, poise_dh_from_classical(NULL, 1, &row, NULL));
    GIVES(expected, poise_dh_from_classical(&good_row, 0, &row, NULL));
    GIVES(expected, poise_dh_from_classical(&good_row, 1, NULL, &frame));
    row.a = bad_numbers[0];
    GIVES(expected, poise_dh_from_classical(&row, 1, &row, &frame));
    GIVES(expected, poise_dh_forward(NULL, 1, &q, &frame));
    GIVES(expected, poise_dh_forward(&good_row, 1, NULL, &frame));
    GIVES(expected, poise_dh_forward(&good_row, 1, &q, NULL));
    GIVES(expected, poise_dh_forward(&good_row, 0, &q, &frame));
    cr_expect_eq(poise_dh_pose(NULL, 0.0).q.w, 1.0);
    const PoiseNodeId base = poise_null_node();
    GIVES(expected, poise_dh_create_nodes(NULL, base, &good_row, 1, &node));
    REFUSES(bench, expected, poise_dh_create_nodes(tree, base, NULL, 1, &node));
    REFUSES(bench, expected, poise_dh_create_nodes(tree, base, &good_row, 0, &node));
    REFUSES(bench, expected, poise_dh_create_nodes(tree, base, &good_row, 1, NULL));
    REFUSES(bench, POISE_ERROR_INVALID_HANDLE,
            poise_dh_create_nodes(tree, bench->dead_node, &good_row, 1, &node));
}
