// SPDX-License-Identifier: MIT
// Tests a ball's swing cone and twist range, and the nodes' speeds (row 2.5 of DOCUMENTS.md).
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "poise/task.h"
#include "works.h"

// Row 2.5 of DOCUMENTS.md
Test(cone, the_printed_swing_and_twist) {
    const PoiseVec3 x = {1.0, 0.0, 0.0};
    PoiseQuat q = poise_quat_mul(poise_quat_from_axis_angle(poise_vec3(0.0, 0.6, 0.8), 0.9),
                                 poise_quat_from_axis_angle(x, 0.4));
    PoiseQuat swing;
    EXPECT_NEAR(poise_quat_twist(q, x, &swing), 0.4, 1e-15);
    EXPECT_NEAR(swing.x, 0.0, 1e-15);
    EXPECT_NEAR(swing.y, 0.26097932, 5e-9);
    EXPECT_NEAR(swing.z, 0.34797243, 5e-9);
    EXPECT_NEAR(poise_length(poise_quat_log(swing)), 0.9, 1e-15);
}

Test(cone, swing_and_twist_make_the_rotation) {
    Random random = random_from(3);
    for (int i = 0; i < 1000; i++) {
        PoiseVec3 axis = random_direction(&random);
        PoiseQuat q = random_turn(&random, 6.0), swing;
        double twist = poise_quat_twist(q, axis, &swing);
        PoiseQuat made = poise_quat_mul(swing, poise_quat_from_axis_angle(axis, twist));
        EXPECT_NEAR_QUAT(made, q, 1e-14);
        EXPECT_NEAR(poise_dot(poise_vec3(swing.x, swing.y, swing.z), axis), 0.0, 1e-15);
    }
}

// Row 2.5 of DOCUMENTS.md: a posture never leaves its cone, with either solver and any goal;
// reachable goals are met
Test(cone, posture_never_leaves_its_cone) {
    double worst = 0.0;
    for (int s = POISE_SOLVER_GAUSS_SEIDEL; s <= POISE_SOLVER_DUAL; s++) {
        for (uint64_t seed = 0; seed < 40; seed++) {
            Random random = random_from(400 + seed);
            Model model = model_chain(POISE_NODE_BALL, 3, 0.5, POISE_POINT_POSE);
            for (int n = 0; n < 3; n++) {
                cr_assert(poise_node_set_limits(model.tree, model.nodes[n],
                                                poise_cone(0.5, -0.3, 0.2)) == POISE_OK);
            }
            PoisePose goal = random_pose(&random, 1.0, 3.0);
            cr_assert(poise_point_set_position(model.tree, model.points[0], goal.p) == POISE_OK);
            cr_assert(poise_point_set_orientation(model.tree, model.points[0], goal.q) == POISE_OK);
            PoiseSolveDef def = poise_default_solve_def();
            def.solver = (PoiseSolver)s;
            int limited = 0;
            for (int step = 0; step < 60; step++) {
                PoiseSolveReport report;
                cr_assert(model_step(&model, &def, &report) == POISE_OK);
                limited += report.limited_dofs > 0;
                for (int n = 0; n < 3; n++) {
                    PoiseQuat swing;
                    double twist = poise_quat_twist(poise_node_pose(model.tree, model.nodes[n]).q,
                                                    poise_vec3(0.0, 0.0, 1.0), &swing);
                    double over = poise_length(poise_quat_log(swing)) - 0.5;
                    worst = fmax(worst, fmax(over, fmax(twist - 0.2, -0.3 - twist)));
                }
            }
            cr_expect(limited > 0, "seed %d", (int)seed);
            model_finish(&model);
        }
    }
    cr_expect(worst < 1e-9, "outside by %g", worst);
}

static void set_rotation(const Model* model, PoiseQuat q) {
    const double numbers[POISE_MAX_NQ] = {q.w, q.x, q.y, q.z};
    WORKS(poise_node_set_posture(model->tree, model->nodes[0], numbers, 4));
}

// A small turn around the cone of a ball whose twist is at its end. The turn keeps the swing and
// the twist, so that a step reaches it to second order.
Test(cone, a_step_around_the_cone_keeps_the_twist) {
    enum { AROUND = 16 };
    const PoiseVec3 z = {0.0, 0.0, 1.0};
    const double by = 1e-3;
    for (int i = 0; i < 2 * AROUND; i++) {
        Model model = model_chain(POISE_NODE_BALL, 1, 0.5, POISE_POINT_POSE);
        const double side = i < AROUND ? 1.0 : -1.0, turn = 2.0 * POISE_PI * i / AROUND;
        const PoiseQuat twist = poise_quat_from_axis_angle(z, 0.4 * side);
        PoiseQuat posture[2];
        for (int k = 0; k < 2; k++) {
            const PoiseSinCos at = poise_sincos(turn + k * by * (i % 2 == 0 ? 1.0 : -1.0));
            const PoiseVec3 about = poise_vec3(at.cosine, at.sine, 0.0);
            posture[k] = poise_quat_mul(poise_quat_from_axis_angle(about, 1.3), twist);
        }
        WORKS(poise_node_set_limits(model.tree, model.nodes[0], poise_cone(1.5, -0.4, 0.4)));
        set_rotation(&model, posture[1]);
        WORKS(poise_forward(model.tree));
        const PoisePose goal = poise_point_planned_pose(model.tree, model.points[0]);
        WORKS(poise_point_set_position(model.tree, model.points[0], goal.p));
        WORKS(poise_point_set_orientation(model.tree, model.points[0], goal.q));
        PoiseTasks* tasks = poise_tasks_create(model.tree);
        PoiseTaskDef task = poise_default_task_def(POISE_TASK_POINT);
        task.point = model.points[0];
        cr_assert_eq(poise_tasks_add(tasks, &task), 0);
        for (int by_tasks = 0; by_tasks < 2; by_tasks++) {
            set_rotation(&model, posture[0]);
            WORKS(by_tasks ? poise_tasks_step(tasks, NULL, NULL) : model_step(&model, NULL, NULL));
            const PoiseQuat left = poise_quat_mul(
                posture[1], poise_quat_conjugate(poise_node_pose(model.tree, model.nodes[0]).q));
            cr_expect_lt(poise_length(poise_quat_log(left)), 1e-5, "%d: %g of %g rad", i,
                         poise_length(poise_quat_log(left)), by);
        }
        poise_tasks_destroy(tasks);
        model_finish(&model);
    }
}

// The axis of a single ball has a goal outside its cone and ends on the cone, on the shortest path
// to the goal.
Test(cone, an_axis_with_a_goal_outside_ends_on_the_cone) {
    Model model = model_chain(POISE_NODE_BALL, 1, 0.5, POISE_POINT_DIRECTION);
    cr_assert(poise_node_set_limits(model.tree, model.nodes[0],
                                    poise_cone(0.6, -HUGE_VAL, HUGE_VAL)) == POISE_OK);
    PoiseVec3 goal = poise_vec3(sin(1.4), 0.0, cos(1.4));
    cr_assert(poise_point_set_direction(model.tree, model.points[0], goal) == POISE_OK);
    for (int step = 0; step < 30; step++) {
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
    }
    EXPECT_NEAR3(poise_point_axis(model.tree, model.points[0]), poise_vec3(sin(0.6), 0.0, cos(0.6)),
                 1e-12);
    // The goal returns into the cone, and the axis with it.
    goal = poise_vec3(sin(0.3), 0.0, cos(0.3));
    cr_assert(poise_point_set_direction(model.tree, model.points[0], goal) == POISE_OK);
    for (int step = 0; step < 30; step++) {
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
    }
    EXPECT_NEAR3(poise_point_axis(model.tree, model.points[0]), goal, 1e-9);
    model_finish(&model);
}

// A joint of a chain has a low speed limit. The other joints make up for it, and the point moves
// nearly as without the limit. A limit applied after the solve would leave the point behind.
Test(cone, others_make_up_for_a_slow_node) {
    static const PoiseNodeKind kinds[] = {POISE_NODE_BALL, POISE_NODE_FREE, POISE_NODE_TRANSLATION};
    for (int k = 0; k < 3; k++) {
        for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
            Model model = model_empty(POISE_BALL_THREE_AXES);
            PoiseNodeDef def = poise_default_ball_def();
            for (int n = 0; n < 4; n++) {
                PoiseNodeDef slow = k == 0   ? poise_default_ball_def()
                                    : k == 1 ? poise_default_free_def()
                                             : poise_default_translation_def();
                slow.free_axes = k == 1 ? POISE_AXES_TURN : POISE_AXES_ALL;
                slow.max_speed = 0.01;
                PoiseNodeDef next = n == 1 ? slow : def;
                next.parent = n > 0 ? model.nodes[n - 1] : poise_null_node();
                next.joint_in_parent.p = poise_vec3(n > 0 ? 0.5 : 0.0, 0.1 * n, 0.0);
                (void)model_add_node(&model, &next);
            }
            model_add_tip(&model, model.nodes[3], poise_vec3(0.5, 0.0, 0.0));
            cr_assert(poise_forward(model.tree) == POISE_OK);
            const PoiseVec3 wish = poise_vec3(-0.02, 0.05, 0.03);
            const PoiseVec3 start = poise_point_planned_pose(model.tree, model.points[0]).p;
            cr_assert(poise_point_set_position(model.tree, model.points[0],
                                               poise_add(start, wish)) == POISE_OK);
            PoiseSolveDef solve = model_plain_def((PoiseSolver)solver, 1e-9);
            solve.step = 0.1;
            solve.sweeps = 5000;
            PoiseSolveReport report;
            cr_assert(poise_solve(model.tree, &solve, &report) == POISE_OK);
            double omega[POISE_MAX_DOF];
            GETS(poise_node_omega(model.tree, model.nodes[1], omega));
            const double* v = &omega[kinds[k] == POISE_NODE_FREE ? 3 : 0];
            EXPECT_NEAR(poise_length(poise_vec3(v[0], v[1], v[2])), 0.001, 1e-9);
            // The residual belongs to the returned omega: no clamp changed the solve's result.
            cr_expect(report.residual < 1e-4 * report.goal_norm, "kind %d, solver %d: %g of %g",
                      (int)kinds[k], solver, report.residual, report.goal_norm);
            PoiseVec3 moved = poise_vec3(0.0, 0.0, 0.0);
            for (int n = 0; n < 4; n++) {
                double block[POISE_MAX_ROWS * POISE_MAX_DOF];
                const int size = poise_jacobian(model.tree, model.points[0], model.nodes[n], block);
                const int dof = poise_node_dof(model.tree, model.nodes[n]);
                double all[POISE_MAX_DOF];
                GETS(poise_node_omega(model.tree, model.nodes[n], all));
                // A free node's three rotations are its last numbers.
                const double* x =
                    dof == 3 && poise_node_kind(model.tree, model.nodes[n]) == POISE_NODE_FREE
                        ? &all[3]
                        : all;
                for (int i = 0; i < size; i++) {
                    double* of_row = i / dof == 0 ? &moved.x : i / dof == 1 ? &moved.y : &moved.z;
                    *of_row += block[i] * x[i % dof];
                }
            }
            EXPECT_NEAR3(moved, wish, 1e-4 * poise_length(wish));
            model_finish(&model);
        }
    }
}

Test(cone, nodes_keep_their_speed) {
    static const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_BALL, POISE_NODE_UNIVERSAL};
    for (int k = 0; k < 3; k++) {
        Model model = model_chain(kinds[k], 3, 0.5, POISE_POINT_POSITION);
        for (int n = 0; n < 3; n++) {
            cr_assert(poise_node_set_max_speed(model.tree, model.nodes[n], 0.7) == POISE_OK);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.3, 0.8, 0.0)) == POISE_OK);
        PoiseSolveDef def = poise_default_solve_def();
        def.step = 0.01;
        for (int step = 0; step < 400; step++) {
            cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
            for (int n = 0; n < 3; n++) {
                double omega[POISE_MAX_DOF] = {0.0};
                int dof = poise_node_omega(model.tree, model.nodes[n], omega);
                for (int d = 0; d < dof; d++) {
                    cr_expect(fabs(omega[d]) <= 0.007 * (1.0 + 1e-12));
                }
            }
            cr_assert(poise_advance(model.tree) == POISE_OK);
            cr_assert(poise_forward(model.tree) == POISE_OK);
        }
        EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 0.0,
                    kinds[k] == POISE_NODE_UNIVERSAL ? 1e-3 : 1e-6);
        model_finish(&model);
    }
}

// The goal jumps back and forth, so each step turns back on the one before. The step is solved once
// more, with more damping, from bounds that the first solve has set.
Test(cone, nodes_keep_their_speed_while_their_goal_turns_back) {
    Model model = model_chain(POISE_NODE_BALL, 3, 0.5, POISE_POINT_POSITION);
    for (int n = 0; n < 3; n++) {
        cr_assert(poise_node_set_max_speed(model.tree, model.nodes[n], 0.7) == POISE_OK);
    }
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.01;
    double most = 0.0;
    for (int step = 0; step < 60; step++) {
        const PoiseVec3 goal = poise_vec3(0.3, step % 2 == 0 ? 0.8 : -0.8, 0.3);
        cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        most = fmax(most, report.damping_gain);
        for (int n = 0; n < 3; n++) {
            double omega[POISE_MAX_DOF] = {0.0};
            cr_assert(poise_node_omega(model.tree, model.nodes[n], omega) == 3);
            const double speed = poise_length(poise_vec3(omega[0], omega[1], omega[2]));
            cr_expect(speed <= 0.007 * (1.0 + 1e-12), "step %d: %g rad", step, speed);
        }
        cr_assert(poise_advance(model.tree) == POISE_OK);
        cr_assert(poise_forward(model.tree) == POISE_OK);
    }
    cr_expect(most > 2.0 * def.damping_floor, "the damping rose to %g only", most);
    model_finish(&model);
}
