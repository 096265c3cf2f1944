// SPDX-License-Identifier: MIT
// Bad arguments of the tree's own functions.
#include "refuse.h"

static void expect_no_tree(PoiseTreeDef def, const char* what) {
    PoiseTree* tree = poise_tree_create(&def);
    cr_expect_null(tree, "a tree came from a def with %s", what);
    poise_tree_destroy(tree);
}

static void* no_memory(size_t size, size_t alignment, void* user) {
    (void)size, (void)alignment, (void)user;
    return NULL;
}

static void no_release(void* memory, size_t size, void* user) {
    (void)memory, (void)size, (void)user;
}

Test(tree_refuses, defs) {
    cr_expect_null(poise_tree_create(NULL));
    PoiseTreeDef def = poise_default_tree_def();
    def.cookie = 0;
    expect_no_tree(def, "no cookie");
    def = poise_default_tree_def();
    def.node_capacity = -1;
    expect_no_tree(def, "node_capacity -1");
    def = poise_default_tree_def();
    def.point_capacity = -1;
    expect_no_tree(def, "point_capacity -1");
    def = poise_default_tree_def();
    def.node_capacity = 0x7fffffff;
    expect_no_tree(def, "node_capacity 2^31 - 1");
    def = poise_default_tree_def();
    def.ball_axes = (PoiseBallAxes)7;
    expect_no_tree(def, "ball_axes 7");
    def = poise_default_tree_def();
    def.host.allocate = no_memory;
    expect_no_tree(def, "allocate without release");
    def = poise_default_tree_def();
    def.host.release = no_release;
    expect_no_tree(def, "release without allocate");
    def = poise_default_tree_def();
    def.host.allocate = no_memory;
    def.host.release = no_release;
    expect_no_tree(def, "no memory");
}

Test(tree_refuses, null) {
    poise_tree_destroy(NULL);
    poise_tree_clear_status(NULL);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_tree_status(NULL));
    cr_expect_str_eq(poise_tree_message(NULL), "");
    cr_expect_eq(poise_tree_node_count(NULL), 0);
    cr_expect_eq(poise_tree_point_count(NULL), 0);
    cr_expect_eq(poise_tree_node(NULL, 0).index1, 0u);
    cr_expect_eq(poise_tree_point(NULL, 0).index1, 0u);
    cr_expect_not(poise_tree_is_fresh(NULL));
}

// The ball axes of a tree are constant.
BENCH_TEST(tree_refuses, a_copy_between_trees_of_other_ball_axes) {
    PoiseTreeDef def = poise_default_tree_def();
    def.ball_axes =
        def.ball_axes == POISE_BALL_REDUCED ? POISE_BALL_THREE_AXES : POISE_BALL_REDUCED;
    PoiseTree* other = poise_tree_create(&def);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_tree_copy(other, bench->tree));
    cr_expect(strstr(poise_tree_message(other), "other ball axes"), "%s",
              poise_tree_message(other));
    cr_expect_eq(poise_tree_node_count(other), 0);
    poise_tree_destroy(other);
}

BENCH_TEST(tree_refuses, index_past_the_end) {
    cr_expect_eq(poise_tree_node(bench->tree, -1).index1, 0u);
    cr_expect_eq(poise_tree_node(bench->tree, poise_tree_node_count(bench->tree)).index1, 0u);
    cr_expect_eq(poise_tree_point(bench->tree, -1).index1, 0u);
    cr_expect_eq(poise_tree_point(bench->tree, poise_tree_point_count(bench->tree)).index1, 0u);
}

BENCH_TEST(tree_refuses, the_first_error_sticks) {
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_node_set_bias(bench->tree, bench->hinge, -1.0));
    char first[256];
    snprintf(first, sizeof first, "%s", poise_tree_message(bench->tree));
    GIVES(POISE_ERROR_WRONG_KIND, poise_node_set_angle(bench->tree, bench->ball, 0.5));
    cr_expect_eq(poise_tree_status(bench->tree), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_str_eq(poise_tree_message(bench->tree), first);
    poise_tree_clear_status(bench->tree);
    cr_expect_eq(poise_tree_status(bench->tree), POISE_OK);
    cr_expect_str_eq(poise_tree_message(bench->tree), "");
}
