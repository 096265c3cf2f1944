// SPDX-License-Identifier: MIT
// Ranges have no effect while none is met, and the other joints do what a joint at its end cannot
// (rows 0.16, 2.5 for hinges and sliders). test_random_steps.c tests that no solver exceeds a
// range, test_box.c compares the answers with the optimum.
#include <criterion/criterion.h>
#include <string.h>

#include "dense.h"
#include "models.h"
#include "near.h"
#include "works.h"

enum { MOST = DENSE_MOST, NODES = 6 };

// The result is equal to the last bit.
Test(limits, ranges_that_are_not_met_change_nothing) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        for (uint64_t seed = 0; seed < 50; seed++) {
            Random random = random_from(4500 + seed);
            RandomTree kinds = {NODES, 2, true, true, true, true, true, POISE_BALL_THREE_AXES};
            Model model = model_random(&random, &kinds);
            model_reachable_goals(&model, &random, 0.3);
            PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 1e-2);
            double without[MOST], with[MOST];
            PoiseSolveReport report;
            cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
            int count = model_omega(&model, without);
            for (int n = 0; n < NODES; n++) {
                if (model_dof(&model, n) == 1) {
                    cr_assert(poise_node_set_limits(model.tree, model.nodes[n],
                                                    poise_range(-90.0, 90.0)) == POISE_OK);
                }
            }
            cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
            cr_expect(report.limited_dofs == 0);
            cr_assert(model_omega(&model, with) == count);
            cr_expect(memcmp(without, with, (size_t)count * sizeof *with) == 0);
            model_finish(&model);
        }
    }
}

// A posture set outside its range returns with the first step.
Test(limits, posture_outside_its_range_comes_back) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    cr_assert(poise_node_set_limits(model.tree, model.nodes[1], poise_range(-0.5, 0.5)) ==
              POISE_OK);
    cr_assert(poise_node_set_angle(model.tree, model.nodes[1], 0.8) == POISE_OK);
    cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
    cr_expect_leq(poise_node_angle(model.tree, model.nodes[1]), 0.5);
    model_finish(&model);
}

// A goal lies beyond a joint's limit. The joint stays on its limit, and all other joints approach
// the goal.
Test(limits, goal_behind_a_limit_is_approached_by_the_others) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = model_chain(POISE_NODE_HINGE, 2, 1.0, POISE_POINT_POSITION);
        cr_assert(poise_node_set_angle(model.tree, model.nodes[1], 0.2) == POISE_OK);
        cr_assert(poise_node_set_limits(model.tree, model.nodes[0], poise_range(-0.3, 0.3)) ==
                  POISE_OK);
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.2, 1.6, 0.0)) == POISE_OK);
        PoiseSolveDef def = poise_default_solve_def();
        def.solver = (PoiseSolver)solver;
        for (int step = 0; step < 200; step++) {
            cr_assert(model_step(&model, &def, NULL) == POISE_OK);
        }
        // The second link points from its joint to the goal.
        PoiseVec3 elbow = poise_vec3(cos(0.3), sin(0.3), 0.0);
        double best = atan2(1.6 - elbow.y, 0.2 - elbow.x) - 0.3;
        EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[0]), 0.3, 1e-12);
        EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[1]), best, 1e-6);
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        cr_expect(report.limited_dofs == 1, "%d", report.limited_dofs);
        model_finish(&model);
    }
}

// A joint on its bound has no velocity; the others compensate.
Test(limits, a_joint_on_its_bound_has_no_velocity) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = model_chain(POISE_NODE_HINGE, 4, 1.0, POISE_POINT_POSITION);
        for (int n = 0; n < 4; n++) {
            cr_assert(poise_node_set_angle(model.tree, model.nodes[n], 0.3) == POISE_OK);
        }
        cr_assert(poise_node_set_limits(model.tree, model.nodes[1], poise_range(-1.0, 0.3)) ==
                  POISE_OK);
        cr_assert(poise_forward(model.tree) == POISE_OK);
        PoiseVec3 tip = poise_point_planned_pose(model.tree, model.points[0]).p;
        PoiseVec3 onward = poise_vec3(-0.2, 0.1, 0.0);
        cr_assert(poise_point_set_position(model.tree, model.points[0], poise_add(tip, onward)) ==
                  POISE_OK);
        cr_assert(poise_point_set_velocity(model.tree, model.points[0], onward) == POISE_OK);
        PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 1e-9);
        def.step = 0.01;
        def.sweeps = 5000;
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        cr_expect(report.limited_dofs == 1);
        double j[MOST], moved[3] = {0.0};
        int columns;
        cr_assert(model_jacobian(&model, j, &columns) == 3);
        for (int n = 0; n < 4; n++) {
            double velocity[POISE_MAX_DOF];
            GETS(poise_node_velocity(model.tree, model.nodes[n], velocity));
            cr_expect(n == 1 ? velocity[0] == 0.0 : fabs(velocity[0]) > 1e-4, "node %d: %g", n,
                      velocity[0]);
            for (int k = 0; k < 3; k++) {
                moved[k] += j[k * columns + n] * velocity[0];
            }
        }
        EXPECT_NEAR3(poise_vec3(moved[0], moved[1], moved[2]), onward, 1e-6);
        model_finish(&model);
    }
}

// Fills the angular velocities of the chain's hinges after a solve that holds `limited` dofs.
static void solve_velocities(Model* model, const PoiseSolveDef* def, int limited, double out[4]) {
    PoiseSolveReport report;
    cr_assert(poise_solve(model->tree, def, &report) == POISE_OK);
    cr_expect(report.limited_dofs == limited, "%d limited", report.limited_dofs);
    for (int n = 0; n < 4; n++) {
        double velocity[POISE_MAX_DOF];
        GETS(poise_node_velocity(model->tree, model->nodes[n], velocity));
        out[n] = velocity[0];
    }
}

// A bound of a step by a step range or a speed stops no joint. A joint that would exceed its speed
// keeps it, and the others are slower by the same factor.
Test(limits, only_an_end_of_the_range_stops_a_joint) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = model_chain(POISE_NODE_HINGE, 4, 1.0, POISE_POINT_POSITION);
        for (int n = 0; n < 4; n++) {
            cr_assert(poise_node_set_angle(model.tree, model.nodes[n], 0.3) == POISE_OK);
        }
        cr_assert(poise_forward(model.tree) == POISE_OK);
        const PoiseVec3 tip = poise_point_planned_pose(model.tree, model.points[0]).p;
        const PoiseVec3 onward = poise_vec3(-0.2, 0.1, 0.0);
        const PoiseVec3 goal = poise_add_scaled(tip, 0.01, onward);
        cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
        cr_assert(poise_point_set_velocity(model.tree, model.points[0], onward) == POISE_OK);
        PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 1e-9);
        def.step = 0.01;
        def.sweeps = 20000;
        double free[4], ranged[4], slow[4];
        solve_velocities(&model, &def, 0, free);
        const double half = 0.5 * def.step * fabs(free[0]);
        cr_assert(poise_node_set_step_range(model.tree, model.nodes[0], -half, half) == POISE_OK);
        solve_velocities(&model, &def, 1, ranged);
        const double inf = HUGE_VAL;
        cr_assert(poise_node_set_step_range(model.tree, model.nodes[0], -inf, inf) == POISE_OK);
        const double speed = 0.6 * fabs(free[0]);
        cr_assert(poise_node_set_max_speed(model.tree, model.nodes[0], speed) == POISE_OK);
        solve_velocities(&model, &def, 1, slow);
        for (int n = 0; n < 4; n++) {
            cr_expect_gt(fabs(free[n]), 1e-4);
            EXPECT_NEAR(ranged[n], free[n], 1e-6);
            EXPECT_NEAR(slow[n], 0.6 * free[n], 1e-6);
        }
        cr_expect_leq(fabs(slow[0]), speed * (1.0 + 1e-15));
        model_finish(&model);
    }
}

// A ball inside its cone whose step its speed bounds keeps the velocity that follows from the
// goal's: only the cone stops it.
Test(limits, a_speed_stops_no_ball_inside_its_cone) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = model_chain(POISE_NODE_BALL, 4, 1.0, POISE_POINT_POSITION);
        const PoiseQuat q = poise_quat_exp(poise_vec3(0.1, 0.2, 0.3));
        const double turned[4] = {q.w, q.x, q.y, q.z};
        const PoiseLimits wide = poise_cone(2.0, -2.0, 2.0);
        for (int n = 0; n < 4; n++) {
            cr_assert(poise_node_set_posture(model.tree, model.nodes[n], turned, 4) == POISE_OK);
            cr_assert(poise_node_set_limits(model.tree, model.nodes[n], wide) == POISE_OK);
        }
        cr_assert(poise_forward(model.tree) == POISE_OK);
        const PoiseVec3 onward = poise_vec3(-0.2, 0.1, 0.0);
        const PoiseVec3 tip = poise_point_planned_pose(model.tree, model.points[0]).p;
        const PoiseVec3 goal = poise_add_scaled(tip, 0.03, onward);
        cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
        cr_assert(poise_point_set_velocity(model.tree, model.points[0], onward) == POISE_OK);
        PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 1e-9);
        def.step = 0.01;
        def.sweeps = 20000;
        double free[POISE_MAX_DOF] = {0.0}, bounded[POISE_MAX_DOF] = {0.0};
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        cr_assert(poise_node_velocity(model.tree, model.nodes[0], free) >= 0);
        const double speed = sqrt(free[0] * free[0] + free[1] * free[1] + free[2] * free[2]);
        cr_assert(poise_node_set_max_speed(model.tree, model.nodes[0], 1.5 * speed) == POISE_OK);
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        cr_assert(poise_node_velocity(model.tree, model.nodes[0], bounded) >= 0);
        cr_expect_gt(report.limited_dofs, 0);
        for (int d = 0; d < 3; d++) {
            EXPECT_NEAR(bounded[d], free[d], 1e-6);
        }
        model_finish(&model);
    }
}

// A joint has a step range. The other joints make up for the motion that it cannot make.
Test(limits, a_step_range_is_kept_and_compensated) {
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = model_chain(POISE_NODE_HINGE, 4, 1.0, POISE_POINT_POSITION);
        Random random = random_from(31);
        model_scatter(&model, &random, 1.0);
        model_reachable_goals(&model, &random, 0.02);
        PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 1e-9);
        def.step = 0.01;
        def.sweeps = 2000;
        cr_assert(poise_node_set_step_range(model.tree, model.nodes[1], -1e-4, 2e-4) == POISE_OK);
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        double omega[POISE_MAX_DOF];
        GETS(poise_node_omega(model.tree, model.nodes[1], omega));
        cr_expect(omega[0] >= -1e-4 && omega[0] <= 2e-4, "solver %d: %g", solver, omega[0]);
        cr_expect(report.limited_dofs == 1, "solver %d: %d limited", solver, report.limited_dofs);
        EXPECT_NEAR(report.residual, 0.0, 1e-6);
        // There is no bound if the step length is 0, or after the range is removed.
        def.step = 0.0;
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        GETS(poise_node_omega(model.tree, model.nodes[1], omega));
        cr_expect_gt(fabs(omega[0]), 2e-4);
        def.step = 0.01;
        const double inf = HUGE_VAL;
        cr_assert(poise_node_set_step_range(model.tree, model.nodes[1], -inf, inf) == POISE_OK);
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        GETS(poise_node_omega(model.tree, model.nodes[1], omega));
        cr_expect_gt(fabs(omega[0]), 2e-4);
        cr_expect(poise_node_set_step_range(model.tree, model.nodes[1], 1.0, -1.0) ==
                  POISE_ERROR_INVALID_ARGUMENT);
        model_finish(&model);
    }
}
