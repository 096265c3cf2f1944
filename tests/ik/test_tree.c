// SPDX-License-Identifier: MIT
// Tests handles, the order of creation, and the tree's messages about errors.
#include <criterion/criterion.h>
#include <string.h>

#include "host.h"
#include "models.h"
#include "near.h"
#include "works.h"

static bool same_node(PoiseNodeId a, PoiseNodeId b) {
    return a.index1 == b.index1 && a.generation == b.generation && a.tree == b.tree;
}

static bool same_point(PoisePointId a, PoisePointId b) {
    return a.index1 == b.index1 && a.generation == b.generation && a.tree == b.tree;
}

static PoiseTree* tree_with_host(TestHost* host, int nodes, int points) {
    PoiseTreeDef def = poise_default_tree_def();
    def.host = test_host(host);
    def.node_capacity = nodes;
    def.point_capacity = points;
    return poise_tree_create(&def);
}

Test(tree, destroyed_handles_stay_dead_when_the_slot_is_used_again) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    PoiseTree* tree = model.tree;
    PoiseNodeId old_node = model.nodes[2];
    PoisePointId old_point = model.points[0];
    cr_assert(poise_node_destroy(tree, old_node) == POISE_OK);
    cr_expect_not(poise_node_is_valid(tree, old_node));
    // The point was on the destroyed link.
    cr_expect_not(poise_point_is_valid(tree, old_point));
    PoiseNodeDef def = poise_default_hinge_def();
    def.parent = model.nodes[1];
    PoiseNodeId node = poise_node_create(tree, &def);
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = node;
    PoisePointId point = poise_point_create(tree, &point_def);
    cr_expect(node.index1 == old_node.index1, "the slot is used again");
    cr_expect(point.index1 == old_point.index1);
    cr_expect_not(same_node(node, old_node));
    cr_expect_not(poise_node_is_valid(tree, old_node));
    cr_expect_not(poise_point_is_valid(tree, old_point));
    cr_expect(poise_point_set_position(tree, old_point, poise_vec3(0, 0, 0)) ==
              POISE_ERROR_INVALID_HANDLE);
    cr_expect(strstr(poise_tree_message(tree), "destroyed") != NULL, "%s",
              poise_tree_message(tree));
    cr_expect(poise_node_destroy(tree, old_node) == POISE_ERROR_INVALID_HANDLE);
    cr_expect(poise_register(tree, old_point, node) == POISE_ERROR_INVALID_HANDLE);
    cr_expect(poise_register(tree, point, old_node) == POISE_ERROR_INVALID_HANDLE);
    cr_expect(poise_register(tree, point, node) == POISE_OK);
    model_finish(&model);
}

Test(tree, first_error_sticks_until_it_is_cleared) {
    TestHost host = {0};
    PoiseTree* tree = tree_with_host(&host, 1, 1);
    PoiseNodeDef def = poise_default_hinge_def();
    PoiseNodeId node = poise_node_create(tree, &def);
    cr_expect_str_empty(poise_tree_message(tree));
    cr_expect(poise_node_set_bias(tree, node, -2.5) == POISE_ERROR_INVALID_ARGUMENT);
    // The message names the call, the node and the value.
    cr_expect(strstr(poise_tree_message(tree), "poise_node_set_bias") != NULL);
    cr_expect(strstr(poise_tree_message(tree), "node 1") != NULL);
    cr_expect(strstr(poise_tree_message(tree), "-2.5") != NULL, "%s", poise_tree_message(tree));
    cr_expect(poise_node_set_free_axes(tree, node, 1u) == POISE_ERROR_WRONG_KIND);
    cr_expect(poise_tree_status(tree) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(strstr(poise_tree_message(tree), "-2.5") != NULL);
    cr_expect(host.messages == 2, "each call said its own");
    poise_tree_clear_status(tree);
    cr_expect(poise_tree_status(tree) == POISE_OK);
    cr_expect_str_empty(poise_tree_message(tree));
    cr_expect(poise_node_set_limits(tree, node, poise_range(2.0, 1.0)) ==
              POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(strstr(poise_tree_message(tree), "2 to 1") != NULL, "%s", poise_tree_message(tree));
    poise_tree_destroy(tree);
    cr_expect(host.live_blocks == 0 && host.live_bytes == 0);
}

Test(tree, destroying_a_node_destroys_its_descendants) {
    // two branches on a trunk
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseTree* tree = model.tree;
    PoiseNodeDef def = poise_default_ball_def();
    PoiseNodeId trunk = model_add_node(&model, &def);
    def.parent = trunk;
    PoiseNodeId left = model_add_node(&model, &def);
    PoiseNodeId right = model_add_node(&model, &def);
    def.parent = left;
    PoiseNodeId left_hand = model_add_node(&model, &def);
    PoisePointDef point = poise_default_position_def();
    point.link = left_hand;
    PoisePointId on_left = model_add_point(&model, &point);
    point.link = right;
    PoisePointId on_right = model_add_point(&model, &point);
    point.link = trunk;
    PoisePointId on_trunk = model_add_point(&model, &point);
    cr_assert(poise_node_destroy(tree, left) == POISE_OK);
    cr_expect_not(poise_node_is_valid(tree, left));
    cr_expect_not(poise_node_is_valid(tree, left_hand));
    cr_expect_not(poise_point_is_valid(tree, on_left));
    cr_expect(poise_node_is_valid(tree, trunk) && poise_node_is_valid(tree, right));
    cr_expect(poise_point_is_valid(tree, on_right) && poise_point_is_valid(tree, on_trunk));
    cr_expect(poise_tree_node_count(tree) == 2 && poise_tree_point_count(tree) == 2);
    cr_expect_not(poise_tree_is_fresh(tree));
    cr_expect(poise_forward(tree) == POISE_OK && poise_solve(tree, NULL, NULL) == POISE_OK);
    cr_assert(poise_node_destroy(tree, trunk) == POISE_OK);
    cr_expect(poise_tree_node_count(tree) == 0 && poise_tree_point_count(tree) == 0);
    cr_expect(poise_forward(tree) == POISE_OK && poise_solve(tree, NULL, NULL) == POISE_OK);
    cr_expect(poise_node_destroy(tree, poise_null_node()) == POISE_OK);
    cr_expect(poise_point_destroy(tree, poise_null_point()) == POISE_OK);
    cr_expect(poise_tree_status(tree) == POISE_OK);
    model_finish(&model);
}

// A node is destroyed between the solve and advance.
Test(tree, advance_after_a_destroyed_node_moves_the_others_alone) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    PoisePointDef def = poise_default_position_def();
    def.link = model.nodes[1];
    def.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    PoisePointId middle = model_add_point(&model, &def);
    WORKS(poise_point_set_position(model.tree, middle, poise_vec3(1.5, 0.5, 0.0)));
    cr_assert(poise_solve(model.tree, NULL, NULL) == POISE_OK);
    cr_assert(poise_node_destroy(model.tree, model.nodes[2]) == POISE_OK);
    PoiseNodeDef ball = poise_default_ball_def();
    ball.rotation = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 0.3);
    PoiseNodeId in_its_slot = poise_node_create(model.tree, &ball);
    PoiseQuat before = poise_node_pose(model.tree, in_its_slot).q;
    cr_assert(poise_advance(model.tree) == POISE_OK);
    EXPECT_NEAR_QUAT(poise_node_pose(model.tree, in_its_slot).q, before, 1e-15);
    cr_expect(poise_node_angle(model.tree, model.nodes[0]) != 0.0);
    model_finish(&model);
}

Test(tree, lists_nodes_and_points_in_the_order_of_creation) {
    Random random = random_from(11);
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseTree* tree = model.tree;
    enum { MOST = 64 };
    PoiseNodeId alive[MOST];
    int count = 0;
    for (int i = 0; i < 2000; i++) {
        if (count < MOST && (count == 0 || random_index(&random, 100) < 52)) {
            PoiseNodeDef def = poise_default_slider_def();
            alive[count++] = poise_node_create(tree, &def);
        } else {
            int victim = random_index(&random, count);
            cr_assert(poise_node_destroy(tree, alive[victim]) == POISE_OK);
            memmove(&alive[victim], &alive[victim + 1],
                    (size_t)(count - victim - 1) * sizeof *alive);
            count--;
        }
        cr_assert(poise_tree_node_count(tree) == count);
        for (int k = 0; k < count; k++) {
            cr_assert(same_node(poise_tree_node(tree, k), alive[k]));
        }
    }
    cr_expect(poise_tree_node(tree, count).index1 == 0);
    cr_expect(poise_tree_node(tree, -1).index1 == 0);
    PoiseNodeDef def = poise_default_hinge_def();
    PoisePointDef point = poise_default_orientation_def();
    point.link = poise_node_create(tree, &def);
    PoisePointId first = poise_point_create(tree, &point);
    PoisePointId second = poise_point_create(tree, &point);
    PoisePointId third = poise_point_create(tree, &point);
    cr_assert(poise_point_destroy(tree, first) == POISE_OK);
    PoisePointId fourth = poise_point_create(tree, &point);
    cr_expect(fourth.index1 == first.index1);
    cr_expect(same_point(poise_tree_point(tree, 0), second));
    cr_expect(same_point(poise_tree_point(tree, 1), third));
    cr_expect(same_point(poise_tree_point(tree, 2), fourth));
    cr_expect(poise_tree_point(tree, 3).index1 == 0);
    model_finish(&model);
}

Test(tree, grows_past_its_capacity_and_keeps_everything) {
    TestHost host = {0};
    PoiseTree* tree = tree_with_host(&host, 0, 0);
    enum { MANY = 300 };
    PoiseNodeId nodes[MANY];
    PoisePointId points[MANY];
    for (int i = 0; i < MANY; i++) {
        PoiseNodeDef def = poise_default_hinge_def();
        def.parent = i > 0 ? nodes[i - 1] : poise_null_node();
        def.joint_in_parent.p.x = 0.01 * i;
        def.angle = 1e-3 * i;
        def.bias = 1.0 + i;
        nodes[i] = poise_node_create(tree, &def);
        PoisePointDef point = poise_default_position_def();
        point.link = nodes[i];
        points[i] = poise_point_create(tree, &point);
    }
    cr_assert(poise_tree_status(tree) == POISE_OK, "%s", poise_tree_message(tree));
    for (int i = 0; i < MANY; i++) {
        cr_expect(poise_node_angle(tree, nodes[i]) == 1e-3 * i);
        cr_expect(same_node(poise_point_link(tree, points[i]), nodes[i]));
        cr_expect(i == 0 || same_node(poise_node_parent(tree, nodes[i]), nodes[i - 1]));
    }
    poise_tree_destroy(tree);
    cr_expect(host.live_blocks == 0 && host.live_bytes == 0);
}

// A state is copied repeatedly into one tree: each copy steps as the original does, without
// allocations.
Test(tree, a_copy_takes_the_same_steps_and_no_memory) {
    TestHost host = {0};
    PoiseTreeDef def = poise_default_tree_def();
    def.host = test_host(&host);
    Random random = random_from(14);
    RandomTree kinds = {8, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
    Model model = model_random_kinds(&random, &kinds);
    model_reachable_goals(&model, &random, 0.4);
    Model copy = model;
    copy.tree = poise_tree_create(&def);
    cr_assert(poise_tree_copy(copy.tree, model.tree) == POISE_OK);
    cr_assert(model_step(&copy, NULL, NULL) == POISE_OK);
    // A node that only the copy has is destroyed by the next copy, and its handle becomes invalid.
    PoiseNodeDef own = poise_default_hinge_def();
    own.parent = model.nodes[0];
    const PoiseNodeId extra = poise_node_create(copy.tree, &own);
    cr_assert(poise_node_is_valid(copy.tree, extra));
    cr_assert(poise_tree_copy(copy.tree, model.tree) == POISE_OK);
    cr_expect(!poise_node_is_valid(copy.tree, extra));
    // A point that only the copy has is destroyed too; a copy of a tree onto itself changes
    // nothing.
    PoisePointDef place = poise_default_position_def();
    place.link = model.nodes[0];
    const PoisePointId more = poise_point_create(copy.tree, &place);
    cr_assert(poise_point_is_valid(copy.tree, more));
    cr_assert(poise_tree_copy(copy.tree, copy.tree) == POISE_OK);
    cr_expect(poise_point_is_valid(copy.tree, more));
    cr_assert(poise_tree_copy(copy.tree, model.tree) == POISE_OK);
    cr_expect_not(poise_point_is_valid(copy.tree, more));
    // allocates room for the current slots
    cr_assert(model_step(&copy, NULL, NULL) == POISE_OK);
    const long before = host.allocations;
    for (int round = 0; round < 6; round++) {
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        cr_assert(poise_tree_copy(copy.tree, model.tree) == POISE_OK);
        cr_expect(model_hash(&copy) == model_hash(&model));
        cr_assert(model_step(&copy, NULL, NULL) == POISE_OK);
        cr_assert(poise_tree_copy(copy.tree, model.tree) == POISE_OK);
        cr_assert(model_step(&copy, NULL, NULL) == POISE_OK);
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        cr_expect(model_hash(&copy) == model_hash(&model), "round %d", round);
    }
    cr_expect(host.allocations == before, "%ld allocations", host.allocations - before);
    cr_expect(!same_node(poise_node_create(copy.tree, &own), extra));
    model_finish(&model);
    model_finish(&copy);
    cr_expect(host.live_blocks == 0 && host.live_bytes == 0);
}

Test(tree, revision_changes_with_the_sets_and_only_with_them) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    PoiseTree* tree = model.tree;
    uint64_t revision = poise_tree_revision(tree);
    WORKS(poise_node_set_angle(tree, model.nodes[0], 0.1));
    WORKS(poise_point_set_position(tree, model.points[0], poise_vec3(1.0, 1.0, 0.0)));
    (void)model_step(&model, NULL, NULL);
    cr_expect(poise_register(tree, model.points[0], model.nodes[0]) == POISE_OK);
    cr_expect(poise_tree_revision(tree) == revision);
    cr_expect(poise_unregister(tree, model.points[0], model.nodes[0]) == POISE_OK);
    cr_expect(poise_tree_revision(tree) != revision);
    revision = poise_tree_revision(tree);
    cr_expect(poise_point_set_enabled(tree, model.points[0], false) == POISE_OK);
    cr_expect(poise_tree_revision(tree) != revision);
    model_finish(&model);
}
