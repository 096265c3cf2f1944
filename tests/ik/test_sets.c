// SPDX-License-Identifier: MIT
// Tests Cp(node), Nd(point), Nd(node) (sec. 4.2; rows 0.5, 0.6, 0.7) against a brute-force table.
#include <criterion/criterion.h>
#include <string.h>

#include "models.h"
#include "near.h"
#include "works.h"

// A trunk with two arms: point a on the left hand, b on the right.
typedef struct Fork {
    Model model;
    PoiseNodeId trunk, left, right;
    PoisePointId a, b;
} Fork;

static Fork make_fork(void) {
    Fork fork;
    fork.model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    fork.trunk = model_add_node(&fork.model, &def);
    def.parent = fork.trunk;
    def.joint_in_parent.p = poise_vec3(1.0, 0.3, 0.0);
    fork.left = model_add_node(&fork.model, &def);
    def.joint_in_parent.p = poise_vec3(1.0, -0.3, 0.0);
    fork.right = model_add_node(&fork.model, &def);
    PoisePointDef point = poise_default_position_def();
    point.in_link.p = poise_vec3(0.7, 0.1, 0.0);
    point.link = fork.left;
    fork.a = poise_point_create(fork.model.tree, &point);
    point.link = fork.right;
    fork.b = poise_point_create(fork.model.tree, &point);
    fork.model.points[0] = fork.a;
    fork.model.points[1] = fork.b;
    fork.model.point_count = 2;
    cr_assert(poise_forward(fork.model.tree) == POISE_OK);
    return fork;
}

static void fill_blocks(PoiseTree* tree) {
    cr_assert(poise_stage_jacobians(tree) == POISE_OK);
    cr_assert(poise_stage_blocks(tree) == POISE_OK);
}

// Row 0.6 of DOCUMENTS.md
Test(sets, node_that_cannot_move_a_point_has_no_block) {
    Fork fork = make_fork();
    PoiseTree* tree = fork.model.tree;
    cr_assert(poise_register_chain(tree, fork.a, poise_null_node()) == POISE_OK);
    cr_expect(poise_register(tree, fork.a, fork.right) == POISE_ERROR_CANNOT_MOVE);
    cr_expect(strstr(poise_tree_message(tree), "node 3") != NULL &&
                  strstr(poise_tree_message(tree), "point 1") != NULL,
              "%s", poise_tree_message(tree));
    cr_assert(poise_register(tree, fork.b, fork.right) == POISE_OK);
    fill_blocks(tree);
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    cr_expect(poise_jacobian(tree, fork.a, fork.left, block) == 3);
    cr_expect(poise_jacobian(tree, fork.a, fork.trunk, block) == 3);
    cr_expect(poise_jacobian(tree, fork.a, fork.right, block) == 0, "absent, not zero");
    cr_expect(poise_jacobian(tree, fork.b, fork.trunk, block) == 0, "not registered");
    cr_expect(poise_register_chain(tree, fork.a, fork.right) == POISE_ERROR_CANNOT_MOVE);
    model_finish(&fork.model);
}

// Row 0.7 of DOCUMENTS.md
Test(sets, two_nodes_that_share_a_point_have_a_gamma) {
    Fork fork = make_fork();
    PoiseTree* tree = fork.model.tree;
    double gamma[POISE_MAX_DOF * POISE_MAX_DOF], back[POISE_MAX_DOF * POISE_MAX_DOF];
    cr_assert(poise_register(tree, fork.a, fork.left) == POISE_OK);
    cr_assert(poise_register(tree, fork.b, fork.trunk) == POISE_OK);
    fill_blocks(tree);
    cr_expect(poise_block_gamma(tree, fork.left, fork.trunk, gamma) == 0);
    cr_expect(poise_node_neighbours(tree, fork.left, NULL, 0) == 1);
    cr_assert(poise_register(tree, fork.a, fork.trunk) == POISE_OK);
    fill_blocks(tree);
    cr_expect(poise_block_gamma(tree, fork.left, fork.trunk, gamma) == 1);
    cr_expect(poise_block_gamma(tree, fork.trunk, fork.left, back) == 1);
    cr_expect(gamma[0] == back[0] && gamma[0] != 0.0);
    cr_expect(poise_node_neighbours(tree, fork.left, NULL, 0) == 2);
    // The arms never share a point.
    cr_assert(poise_register(tree, fork.b, fork.right) == POISE_OK);
    fill_blocks(tree);
    cr_expect(poise_block_gamma(tree, fork.left, fork.right, gamma) == 0);
    cr_expect(poise_node_neighbours(tree, fork.trunk, NULL, 0) == 3);
    cr_expect(poise_node_neighbours(tree, fork.right, NULL, 0) == 2);
    // A disabled point makes no nodes neighbours.
    cr_assert(poise_point_set_enabled(tree, fork.a, false) == POISE_OK);
    cr_expect(poise_node_neighbours(tree, fork.left, NULL, 0) == 0);
    cr_expect(poise_node_points(tree, fork.left, NULL, 0) == 1, "the registration stays");
    cr_expect(poise_node_dof(tree, fork.left) == 0);
    cr_assert(poise_point_set_enabled(tree, fork.a, true) == POISE_OK);
    cr_expect(poise_node_neighbours(tree, fork.left, NULL, 0) == 2);
    model_finish(&fork.model);
}

// Solves the model once and fills omega; returns the number of unknowns.
static int solve_omega(Model* model, PoiseSolver solver, double* omega) {
    PoiseSolveDef def = model_plain_def(solver, 1e-4);
    cr_assert(poise_forward(model->tree) == POISE_OK);
    cr_assert(poise_solve(model->tree, &def, NULL) == POISE_OK);
    return model_omega(model, omega);
}

// Row 0.7 of DOCUMENTS.md: registering twice changes nothing; unregistering restores the result
Test(sets, registering_twice_and_unregistering_change_no_result) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Random random = random_from(20);
        RandomTree kinds = {8, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.3);
        double first[32], again[32], after[32];
        int count = solve_omega(&model, (PoiseSolver)solver, first);
        for (int p = 0; p < model.point_count; p++) {
            PoiseNodeId registered[8];
            int nodes = poise_point_nodes(model.tree, model.points[p], registered, 8);
            for (int n = 0; n < nodes; n++) {
                cr_assert(poise_register(model.tree, model.points[p], registered[n]) == POISE_OK);
            }
            cr_expect(poise_point_nodes(model.tree, model.points[p], NULL, 0) == nodes);
        }
        cr_assert(solve_omega(&model, (PoiseSolver)solver, again) == count);
        cr_expect(memcmp(first, again, (size_t)count * sizeof *first) == 0);
        // A further point that is registered with all nodes and removed again changes no bit.
        PoisePointDef def = poise_default_pose_def();
        def.link = model.nodes[7];
        def.has_goal = true;
        def.goal.p = poise_vec3(0.1, 0.2, 0.3);
        PoisePointId extra = poise_point_create(model.tree, &def);
        cr_assert(poise_register_chain(model.tree, extra, poise_null_node()) == POISE_OK);
        double with[32];
        (void)solve_omega(&model, (PoiseSolver)solver, with);
        cr_expect(memcmp(first, with, (size_t)count * sizeof *first) != 0);
        PoiseNodeId node = model.nodes[7];
        while (node.index1 != 0) {
            cr_assert(poise_unregister(model.tree, extra, node) == POISE_OK);
            cr_assert(poise_unregister(model.tree, extra, node) == POISE_OK, "twice is allowed");
            node = poise_node_parent(model.tree, node);
        }
        cr_assert(solve_omega(&model, (PoiseSolver)solver, after) == count);
        for (int i = 0; i < count; i++) {
            EXPECT_NEAR(after[i], first[i], 1e-15);
        }
        cr_expect(memcmp(first, after, (size_t)count * sizeof *first) == 0);
        model_finish(&model);
    }
}

// Row 0.7 of DOCUMENTS.md: the order of registrations does not change any bit
Test(sets, order_of_registration_does_not_matter) {
    double reference[64];
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        for (int order = 0; order < 20; order++) {
            Random random = random_from(21);
            RandomTree kinds = {10, 4, true, true, true, false, true, POISE_BALL_THREE_AXES};
            Model model = model_random(&random, &kinds);
            model_reachable_goals(&model, &random, 0.3);
            // removes all registrations and makes them again in a shuffled order
            PoiseNodeId nodes[64];
            PoisePointId points[64];
            int count = 0;
            for (int p = 0; p < model.point_count; p++) {
                int of_point = poise_point_nodes(model.tree, model.points[p], &nodes[count], 10);
                for (int n = 0; n < of_point; n++) {
                    points[count++] = model.points[p];
                }
            }
            for (int i = 0; i < count; i++) {
                cr_assert(poise_unregister(model.tree, points[i], nodes[i]) == POISE_OK);
            }
            Random shuffle = random_from((uint64_t)order);
            for (int i = count - 1; i > 0 && order > 0; i--) {
                int k = random_index(&shuffle, i + 1);
                PoiseNodeId node = nodes[i];
                nodes[i] = nodes[k];
                nodes[k] = node;
                PoisePointId point = points[i];
                points[i] = points[k];
                points[k] = point;
            }
            for (int i = 0; i < count; i++) {
                cr_assert(poise_register(model.tree, points[i], nodes[i]) == POISE_OK);
            }
            double omega[64];
            int dofs = solve_omega(&model, (PoiseSolver)solver, omega);
            cr_assert(dofs > 10);
            if (order == 0) {
                memcpy(reference, omega, sizeof omega);
            }
            cr_expect(memcmp(reference, omega, (size_t)dofs * sizeof *omega) == 0, "order %d",
                      order);
            model_finish(&model);
        }
    }
}

// Row 0.5 of DOCUMENTS.md
Test(sets, ball_has_two_axes_under_one_place_and_three_under_two) {
    Model model = model_empty(POISE_BALL_REDUCED);
    PoiseNodeDef def = poise_default_ball_def();
    PoiseNodeId ball = model_add_node(&model, &def);
    PoisePointDef point = poise_default_position_def();
    point.link = ball;
    point.in_link.p = poise_vec3(0.6, 0.2, 0.1);
    PoisePointId first = poise_point_create(model.tree, &point);
    cr_expect(poise_node_dof(model.tree, ball) == 0);
    cr_assert(poise_register(model.tree, first, ball) == POISE_OK);
    cr_expect(poise_node_dof(model.tree, ball) == 2);
    point.in_link.p = poise_vec3(0.0, 0.5, 0.1);
    PoisePointId second = poise_point_create(model.tree, &point);
    cr_assert(poise_register(model.tree, second, ball) == POISE_OK);
    cr_expect(poise_node_dof(model.tree, ball) == 3);
    cr_assert(poise_unregister(model.tree, second, ball) == POISE_OK);
    cr_expect(poise_node_dof(model.tree, ball) == 2);
    // An orientation needs all three axes, with or without a place.
    PoisePointDef turn = poise_default_orientation_def();
    turn.link = ball;
    PoisePointId third = poise_point_create(model.tree, &turn);
    cr_assert(poise_register(model.tree, third, ball) == POISE_OK);
    cr_expect(poise_node_dof(model.tree, ball) == 3);
    cr_assert(poise_point_set_enabled(model.tree, third, false) == POISE_OK);
    cr_expect(poise_node_dof(model.tree, ball) == 2);
    cr_assert(poise_unregister(model.tree, first, ball) == POISE_OK);
    cr_assert(poise_point_set_enabled(model.tree, third, true) == POISE_OK);
    cr_expect(poise_node_dof(model.tree, ball) == 3);
    model_finish(&model);
}

// Row 0.5 of DOCUMENTS.md: no target jumps when a second point, already on its goal, is added and
// removed
Test(sets, changing_the_axes_of_a_ball_makes_no_jump) {
    Model model = model_springhead(3, 1.0);
    Model reduced = model_empty(POISE_BALL_REDUCED);
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < 3; i++) {
        PoiseNodeDef def = poise_default_ball_def();
        def.parent = parent;
        def.joint_in_parent.p = poise_vec3(0.0, i > 0 ? 0.5 : 0.1, 0.0);
        def.link_in_joint.p = poise_vec3(0.0, 0.5, 0.0);
        parent = model_add_node(&reduced, &def);
    }
    PoisePointDef def = poise_default_position_def();
    def.link = parent;
    def.in_link.p = poise_vec3(0.0, 0.5, 0.0);
    model_add_point(&reduced, &def);
    PoiseVec3 goal = poise_vec3(0.9, 1.5, 0.4);
    WORKS(poise_point_set_position(model.tree, model.points[0], goal));
    WORKS(poise_point_set_position(reduced.tree, reduced.points[0], goal));
    // The third axis has no effect on the point, so two axes give the same answers as three.
    for (int step = 0; step < 40; step++) {
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        cr_assert(model_step(&reduced, NULL, NULL) == POISE_OK);
        for (int i = 0; i < 3; i++) {
            cr_expect(poise_node_dof(reduced.tree, reduced.nodes[i]) == 2);
            EXPECT_NEAR_QUAT(poise_node_pose(reduced.tree, reduced.nodes[i]).q,
                             poise_node_pose(model.tree, model.nodes[i]).q, 1e-12);
        }
    }
    // At rest, a second point on its goal changes the axes and moves nothing.
    PoisePointDef second = poise_default_position_def();
    second.link = reduced.nodes[2];
    PoisePointId point = poise_point_create(reduced.tree, &second);
    PoiseQuat before[3];
    for (int i = 0; i < 3; i++) {
        before[i] = poise_node_pose(reduced.tree, reduced.nodes[i]).q;
    }
    cr_assert(poise_register_chain(reduced.tree, point, poise_null_node()) == POISE_OK);
    cr_expect(poise_node_dof(reduced.tree, reduced.nodes[0]) == 3);
    cr_assert(model_step(&reduced, NULL, NULL) == POISE_OK);
    cr_assert(poise_point_destroy(reduced.tree, point) == POISE_OK);
    cr_expect(poise_node_dof(reduced.tree, reduced.nodes[0]) == 2);
    cr_assert(model_step(&reduced, NULL, NULL) == POISE_OK);
    for (int i = 0; i < 3; i++) {
        EXPECT_NEAR_QUAT(poise_node_pose(reduced.tree, reduced.nodes[i]).q, before[i], 1e-12);
    }
    model_finish(&model);
    model_finish(&reduced);
}
