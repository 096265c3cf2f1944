// SPDX-License-Identifier: MIT
// Tests the report of a solve, its clamp and joint cap, and that nodes and points with overflowing
// numbers are left out.
#include <criterion/criterion.h>
#include <string.h>

#include "models.h"
#include "near.h"
#include "shared/node_numbers.h"
#include "works.h"

enum { MOST = 64 };

static double turn_of(const Model* model, int node) {
    double omega[POISE_MAX_DOF] = {0.0};
    GETS(poise_node_omega(model->tree, model->nodes[node], omega));
    return sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
}

Test(report, the_report_has_the_numbers_of_the_solve) {
    Model model = model_chain(POISE_NODE_BALL, 3, 1.0, POISE_POINT_POSE);
    PoisePointDef def = poise_default_position_def();
    def.link = model.nodes[1];
    PoisePointId elbow = model_add_point(&model, &def);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(2.9, 0.3, 0.4)) ==
              POISE_OK);
    PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), 0.25);
    cr_assert(poise_point_set_orientation(model.tree, model.points[0], turn) == POISE_OK);
    PoiseSolveReport report;
    memset(&report, 0xff, sizeof report);
    cr_assert(poise_solve(model.tree, NULL, &report) == POISE_OK);
    cr_expect(report.status == POISE_OK && report.solver == POISE_SOLVER_DUAL);
    cr_expect(report.rows == 9 && report.columns == 9);
    EXPECT_NEAR(report.largest_error, sqrt(0.1 * 0.1 + 0.3 * 0.3 + 0.4 * 0.4), 1e-15);
    EXPECT_NEAR(report.largest_angle_error, 0.25, 1e-15);
    cr_expect(report.frozen_points == 0 && report.frozen_nodes == 0 && report.limited_dofs == 0);
    cr_expect(report.kicks == 0 && report.scale == 1.0);
    cr_expect(report.damping_gain == poise_default_solve_def().damping_floor);
    cr_expect(report.lambda > 0.0 && report.residual >= 0.0 && report.goal_norm > 0.0);
    cr_assert(poise_point_set_enabled(model.tree, elbow, false) == POISE_OK);
    cr_assert(poise_node_set_enabled(model.tree, model.nodes[0], false) == POISE_OK);
    cr_assert(poise_solve(model.tree, NULL, &report) == POISE_OK);
    cr_expect(report.rows == 6 && report.columns == 6);
    model_finish(&model);
}

Test(report, the_report_of_a_tree_without_goals_is_empty) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseSolveReport report;
    cr_expect(poise_solve(model.tree, NULL, &report) == POISE_OK);
    cr_expect(report.rows == 0 && report.columns == 0 && report.residual == 0.0);
    PoiseNodeDef def = poise_default_hinge_def();
    (void)model_add_node(&model, &def);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        PoiseSolveDef solve = model_plain_def((PoiseSolver)solver, 0.0);
        cr_expect(poise_solve(model.tree, &solve, &report) == POISE_OK);
        cr_expect(report.rows == 0 && report.columns == 0);
        cr_expect(isfinite(report.lambda) && isfinite(report.residual));
    }
    cr_expect(poise_stage_jacobians(model.tree) == POISE_OK);
    cr_expect(poise_stage_blocks(model.tree) == POISE_OK);
    cr_expect(poise_stage_sweep(model.tree, 0.0, NULL) == POISE_OK);
    cr_expect(poise_advance(model.tree) == POISE_OK);
    model_finish(&model);
}

// A point whose squared error overflows must be left out, and the others solved for.
static void freezes_a_point(PoiseSolver solver) {
    Model model = model_chain(POISE_NODE_BALL, 3, 1.0, POISE_POINT_POSITION);
    PoisePointDef def = poise_default_pose_def();
    // The far point is on the same link: if it were held in place, the other point could not move
    // either.
    def.link = model.nodes[2];
    def.has_goal = true;
    def.goal.p = poise_vec3(-1e308, 1e308, 1e308);
    PoisePointId far = model_add_point(&model, &def);
    PoiseVec3 goal = poise_vec3(1.8, 1.1, -0.4);
    cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
    PoiseSolveDef solve = poise_default_solve_def();
    solve.solver = solver;
    for (int step = 0; step < 30; step++) {
        PoiseSolveReport report;
        cr_assert(model_step(&model, &solve, &report) == POISE_DEGRADED);
        cr_expect(report.status == POISE_DEGRADED && report.frozen_points == 1);
        cr_expect(report.frozen_nodes == 0);
        cr_expect(isfinite(report.lambda) && isfinite(report.residual) &&
                  isfinite(report.goal_norm) && isfinite(report.largest_error));
    }
    EXPECT_NEAR3(poise_point_planned_pose(model.tree, model.points[0]).p, goal, 1e-6);
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    cr_assert(poise_jacobian(model.tree, far, model.nodes[2], block) == 18);
    for (int i = 0; i < 18; i++) {
        cr_expect(block[i] == 0.0);
    }
    // The point is solved for again once its error is finite.
    cr_assert(poise_point_set_position(model.tree, far, poise_vec3(1.0, 0.5, 0.0)) == POISE_OK);
    PoiseSolveReport report;
    cr_assert(model_step(&model, &solve, &report) == POISE_OK);
    cr_expect(report.frozen_points == 0);
    model_finish(&model);
}

Test(report, points_that_are_not_finite_are_left_out) {
    freezes_a_point(POISE_SOLVER_DUAL);
    freezes_a_point(POISE_SOLVER_GAUSS_SEIDEL);
}

// Measures a joint at a place whose square overflows, as after a simulation has diverged. Expects
// that the joint is left out.
static void freezes_a_node(PoiseSolver solver, double far) {
    Model model = model_chain(POISE_NODE_HINGE, 4, 1.0, POISE_POINT_POSITION);
    for (int n = 0; n < 4; n++) {
        WORKS(poise_node_set_angle(model.tree, model.nodes[n], 0.3));
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(1.0, 2.0, 0.0)) ==
              POISE_OK);
    PoisePose link = poise_node_link_world(model.tree, model.nodes[1]);
    cr_assert(poise_node_set_frames(model.tree, model.nodes[1],
                                    poise_pose(poise_vec3(far, far, 0.0), link.q),
                                    link) == POISE_OK);
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    PoiseSolveReport report;
    cr_expect(poise_solve(model.tree, &def, &report) == POISE_DEGRADED);
    cr_expect(report.frozen_nodes == 1, "%d nodes left out", report.frozen_nodes);
    cr_expect(report.frozen_points == 0);
    cr_expect(isfinite(report.lambda) && isfinite(report.residual));
    for (int n = 0; n < 4; n++) {
        double turn = turn_of(&model, n);
        cr_expect(isfinite(turn), "node %d", n);
        cr_expect(n == 1 ? turn == 0.0 : turn > 1e-3, "node %d turns by %g", n, turn);
    }
    model_finish(&model);
}

Test(report, nodes_measured_too_far_away_are_left_out) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        freezes_a_node((PoiseSolver)solver, 1e308);
        freezes_a_node((PoiseSolver)solver, 1e200);
        freezes_a_node((PoiseSolver)solver, 1e160);
        freezes_a_node((PoiseSolver)solver, 1e60);
    }
}

// Found by fuzzing: numbers whose products overflow gave a step that was not finite.
Test(report, nodes_of_points_that_weigh_too_much_are_left_out) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        for (double weight = 1e-40; weight < 1e308; weight *= 1e20) {
            Model model = model_chain(POISE_NODE_UNIVERSAL, 1, 1.0, POISE_POINT_POSE);
            const double posture[2] = {3.645, 1.084};
            WORKS(poise_node_set_posture(model.tree, model.nodes[0], posture, 2));
            WORKS(poise_point_set_orientation(model.tree, model.points[0],
                                              poise_quat(-0.34, 0.54, 0.54, 0.54)));
            WORKS(poise_point_set_weight(model.tree, model.points[0], weight));
            WORKS(poise_forward(model.tree));
            PoiseSolveDef def = poise_default_solve_def();
            def.solver = (PoiseSolver)solver;
            PoiseSolveReport report;
            const PoiseStatus status = poise_solve(model.tree, &def, &report);
            cr_expect_eq(status, weight < 1e69 ? POISE_OK : POISE_DEGRADED, "weight %g", weight);
            cr_expect_eq(report.frozen_nodes, weight < 1e69 ? 0 : 1, "weight %g", weight);
            double omega[POISE_MAX_DOF];
            cr_assert_eq(poise_node_omega(model.tree, model.nodes[0], omega), 2);
            cr_expect(isfinite(omega[0]) && isfinite(omega[1]), "weight %g", weight);
            cr_expect(weight < 0.5 || weight > 1e69 || fabs(omega[0]) > 1e-6, "weight %g: %g",
                      weight, omega[0]);
            model_finish(&model);
        }
    }
}

// The goals move at extreme speeds.
Test(report, velocity_of_a_goal_stays_finite) {
    Model model = model_chain(POISE_NODE_BALL, 3, 1.0, POISE_POINT_POSITION);
    model_scatter(&model, &(Random){7}, 0.5);
    cr_assert(poise_point_set_velocity(model.tree, model.points[0], poise_vec3(1e300, 0, 1e308)) ==
              POISE_OK);
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.01;
    cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
    for (int n = 0; n < 3; n++) {
        double velocity[POISE_MAX_DOF];
        cr_assert(poise_node_velocity(model.tree, model.nodes[n], velocity) == 3);
        cr_expect(isfinite(velocity[0]) && isfinite(velocity[1]) && isfinite(velocity[2]));
    }
    model_finish(&model);
}

// The clamp of a step bounds the effect of a goal's velocity.
Test(report, clamp_bounds_the_velocity_of_a_goal) {
    double velocities[2][3];
    for (int fast = 0; fast < 2; fast++) {
        Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
        for (int n = 0; n < 3; n++) {
            WORKS(poise_node_set_angle(model.tree, model.nodes[n], 0.4));
        }
        cr_assert(poise_forward(model.tree) == POISE_OK);
        PoiseSolveDef def = poise_default_solve_def();
        def.step = 0.01;
        double most = def.position_clamp * 3.0 / def.step;
        cr_assert(poise_point_set_velocity(model.tree, model.points[0],
                                           poise_vec3(0.0, fast ? 50.0 * most : most, 0.0)) ==
                  POISE_OK);
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        for (int n = 0; n < 3; n++) {
            double velocity[POISE_MAX_DOF];
            GETS(poise_node_velocity(model.tree, model.nodes[n], velocity));
            velocities[fast][n] = velocity[0];
        }
        model_finish(&model);
    }
    for (int n = 0; n < 3; n++) {
        EXPECT_NEAR(velocities[1][n], velocities[0][n], 1e-9);
        cr_expect(fabs(velocities[0][n]) > 1.0);
    }
}

Test(report, clamp_bounds_the_goal_relative_to_the_reach) {
    for (double length = 0.01; length < 200.0; length *= 10.0) {
        Model model = model_chain(POISE_NODE_BALL, 4, length, POISE_POINT_POSE);
        EXPECT_NEAR(poise_point_reach(model.tree, model.points[0]), 4.0 * length, 1e-12 * length);
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(length, -900.0 * length, 0.0)) == POISE_OK);
        cr_assert(poise_point_set_orientation(model.tree, model.points[0],
                                              poise_quat(0.0, 0.0, 1.0, 0.0)) == POISE_OK);
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, NULL, &report) == POISE_OK);
        EXPECT_NEAR(report.goal_norm, hypot(0.4 * 4.0 * length, 0.4), 1e-12 * (1.0 + length));
        // just inside and just outside the clamp
        PoiseVec3 tip = poise_point_planned_pose(model.tree, model.points[0]).p;
        WORKS(poise_point_set_orientation(model.tree, model.points[0], poise_quat_identity()));
        for (double part = 0.395; part < 0.41; part += 0.01) {
            PoiseVec3 off = poise_vec3(-part * 4.0 * length, 0.0, 0.0);
            WORKS(poise_point_set_position(model.tree, model.points[0], poise_add(tip, off)));
            cr_assert(poise_solve(model.tree, NULL, &report) == POISE_OK);
            EXPECT_NEAR(report.goal_norm, fmin(part, 0.4) * 4.0 * length, 1e-12 * length);
        }
        cr_assert(poise_point_set_orientation(model.tree, model.points[0],
                                              poise_quat(0.0, 0.0, 1.0, 0.0)) == POISE_OK);
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(length, -900.0 * length, 0.0)) == POISE_OK);
        PoiseSolveDef def = poise_default_solve_def();
        def.position_clamp = 0.1;
        def.angle_clamp = 0.02;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        EXPECT_NEAR(report.goal_norm, hypot(0.1 * 4.0 * length, 0.02), 1e-12 * (1.0 + length));
        model_finish(&model);
    }
}

// The reach is measured to the farthest registered node, and grows with a slider's range.
Test(report, reach_follows_the_registrations) {
    Model model = model_chain(POISE_NODE_HINGE, 4, 0.5, POISE_POINT_POSITION);
    PoisePointId point = model.points[0];
    cr_assert(poise_unregister(model.tree, point, model.nodes[0]) == POISE_OK);
    EXPECT_NEAR(poise_point_reach(model.tree, point), 1.5, 1e-15);
    cr_assert(poise_unregister(model.tree, point, model.nodes[2]) == POISE_OK);
    EXPECT_NEAR(poise_point_reach(model.tree, point), 1.5, 1e-15);
    PoiseNodeDef def = poise_default_slider_def();
    def.parent = model.nodes[3];
    def.lower = -0.25;
    def.upper = 0.5;
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = model_add_node(&model, &def);
    PoisePointId second = model_add_point(&model, &point_def);
    EXPECT_NEAR(poise_point_reach(model.tree, second), 1.5 + 0.75, 1e-15);
    cr_assert(poise_node_set_limits(model.tree, point_def.link, poise_range(-0.25, HUGE_VAL)) ==
              POISE_OK);
    cr_expect(isinf(poise_point_reach(model.tree, second)));
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(poise_point_set_position(model.tree, second, poise_vec3(5.0, 5.0, 0.0)) == POISE_OK);
    cr_expect(poise_solve(model.tree, NULL, NULL) == POISE_OK);
    model_finish(&model);
}

Test(report, joint_cap_scales_the_whole_step) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        Random random = random_from(6000 + seed);
        // one point, so all its nodes are one group
        RandomTree kinds = {6, 1, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 1.0);
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 1e-3);
        double whole[MOST], capped[MOST];
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        cr_expect(report.scale == 1.0);
        int count = model_omega(&model, whole);
        double largest = 0.0;
        for (int n = 0; n < 6; n++) {
            if (poise_node_kind(model.tree, model.nodes[n]) != POISE_NODE_SLIDER) {
                largest = fmax(largest, turn_of(&model, n));
            }
        }
        def.joint_cap = 0.05;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        cr_assert(model_omega(&model, capped) == count);
        EXPECT_NEAR(report.scale, fmin(1.0, 0.05 / fmax(largest, 1e-9)), 1e-12);
        for (int i = 0; i < count; i++) {
            EXPECT_NEAR(capped[i], report.scale * whole[i], 1e-14 * (1.0 + fabs(whole[i])));
        }
        model_finish(&model);
    }
}

// The numbers in the tree's memory equal those that the functions write.
Test(report, numbers_of_all_nodes_are_those_of_each) {
    Random random = random_from(3500);
    RandomTree kinds = {7, 4, true, true, true, true, true, POISE_BALL_THREE_AXES};
    Model model = model_random_kinds(&random, &kinds);
    PoiseSolveDef solve = poise_default_solve_def();
    solve.step = 0.01;
    for (int n = 0; n < model.node_count; n++) {
        const PoiseVec3 com = poise_vec3(0.1, 0.2, -0.1);
        cr_assert(poise_node_set_mass(model.tree, model.nodes[n], 2.0, com) == POISE_OK);
    }
    const PoisePointId point = poise_tree_point(model.tree, 0);
    const PoiseVec3 velocity = poise_vec3(0.3, -0.2, 0.1);
    cr_assert(poise_point_set_velocity(model.tree, point, velocity) == POISE_OK);
    cr_assert(poise_gravity(model.tree, poise_vec3(1.0, -2.0, -9.8)) == POISE_OK);
    cr_assert(poise_solve(model.tree, &solve, NULL) >= POISE_OK);
    const PoiseNumbers numbers = poise_tree_numbers(model.tree);
    double moved = 0.0;
    for (int n = 0; n < model.node_count; n++) {
        const PoiseNodeId node = model.nodes[n];
        const size_t at = poise_numbers_at(&numbers, node);
        double own[3][POISE_MAX_POSTURE];
        const int nq = poise_node_posture(model.tree, node, own[0]);
        const int nv = poise_node_velocity(model.tree, node, own[1]);
        cr_assert_eq(poise_node_gravity_torque(model.tree, node, own[2]), nv);
        cr_expect(memcmp(own[0], &numbers.posture[at], (size_t)nq * sizeof(double)) == 0);
        cr_expect(memcmp(own[1], &numbers.velocity[at], (size_t)nv * sizeof(double)) == 0);
        cr_expect(memcmp(own[2], &numbers.gravity_torque[at], (size_t)nv * sizeof(double)) == 0);
        moved += fabs(own[1][0]);
    }
    cr_expect_gt(moved, 0.0, "no velocity to compare");
    model_finish(&model);
}

Test(report, a_solved_tree_has_all_its_pieces) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    WORKS(model_step(&model, NULL, NULL));
    for (int k = 0; k < POISE_TREE_PIECES; k++) {
        const PoisePiece piece = poise_tree_piece(model.tree, k);
        cr_expect_eq(piece.count, k == 3 ? 3 : 1, "piece %d of a solved tree", k);
        cr_expect(piece.size > 0 && (piece.count == 1 || piece.stride >= piece.size));
    }
    model_finish(&model);
}
