// SPDX-License-Identifier: MIT
// Tests the DUAL solver with many rows against the damped normal equations in the unknowns, solved
// densely in the test, and special problems. Random problems: test_random_problems.c.
#include <criterion/criterion.h>

#include "dense.h"
#include "models.h"
#include "near.h"
#include "size.h"
#include "works.h"

enum { MOST = DENSE_MOST, MOST_ROWS = 6 * 50 };

// Solves the model's problem by both solvers; returns the relative difference.
static double compare(Model* model, double damping) {
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, damping);
    PoiseSolveReport report;
    cr_assert(poise_solve(model->tree, &def, &report) == POISE_OK);
    double j[MOST_ROWS * MOST], v[MOST_ROWS], expected[MOST], actual[MOST];
    int columns;
    int rows = model_problem(model, j, v, &columns);
    cr_assert(report.rows == rows && report.columns == columns);
    // Checks the report's numbers of the problem.
    double trace = 0.0;
    for (int i = 0; i < rows * columns; i++) {
        trace += j[i] * j[i];
    }
    EXPECT_NEAR(report.goal_norm, norm(v, rows), 1e-13 * norm(v, rows));
    cr_assert(model_unknowns(model, actual) == columns);
    EXPECT_NEAR(report.lambda, damping * trace / rows, 1e-13 * report.lambda);
    cr_assert(dense_damped_least_squares(&(DenseProblem){j, rows, columns, v, report.lambda, NULL},
                                         expected));
    EXPECT_NEAR(report.residual,
                sqrt(dense_damped_cost(&(DenseProblem){j, rows, columns, v, 0.0, NULL}, actual)),
                1e-13 * (1.0 + report.goal_norm));
    for (int i = 0; i < columns; i++) {
        actual[i] -= expected[i];
    }
    return norm(actual, columns) / fmax(norm(expected, columns), 1e-300);
}

// Makes `points` poses along a chain of 60 hinges, each moved by all hinges before it.
static Model many_poses(Random* random, int points) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    for (int n = 0; n < 60; n++) {
        def.axis = random_direction(random);
        def.joint_in_parent.p = random_vec3(random, 0.2);
        def.parent = model_add_node(&model, &def);
    }
    for (int p = 0; p < points; p++) {
        PoisePointDef point = poise_default_pose_def();
        point.link = model.nodes[59 - p];
        point.in_link.p = random_vec3(random, 0.2);
        (void)model_add_point(&model, &point);
    }
    model_reachable_goals(&model, random, 0.3);
    return model;
}

// Solves one factorisation of many rows; the dense oracle's time limits their number.
Test(dual, solves_many_rows) {
    for (int points = 11; points <= 50; points += 13) {
        Random random = random_from(3600 + (uint64_t)points);
        Model model = many_poses(&random, points);
        for (double damping = 1e-6; damping < 1.0; damping *= 1e3) {
            PoiseSolveReport report;
            const double off = compare(&model, damping);
            cr_expect(off < 1e-9, "%d poses, damping %g: off by %g", points, damping, off);
            PoiseSolveDef def = model_plain_def(POISE_SOLVER_AUTO, damping);
            WORKS(poise_solve(model.tree, &def, &report));
            cr_expect(report.solver ==
                      (6 * points <= 4 * 60 ? POISE_SOLVER_DUAL : POISE_SOLVER_CGLS));
        }
        model_finish(&model);
    }
}

// 6 rows of 1 degree of freedom: more than 4 rows for each, but few enough for one factorisation.
Test(dual, few_rows_are_solved_by_one_factorisation) {
    Model model = model_chain(POISE_NODE_HINGE, 1, 1.0, POISE_POINT_POSE);
    const PoiseSolveDef def = model_plain_def(POISE_SOLVER_AUTO, 1e-3);
    PoiseSolveReport report;
    WORKS(poise_solve(model.tree, &def, &report));
    cr_expect_eq(report.solver, POISE_SOLVER_DUAL);
    model_finish(&model);
}

// A ball with two axes across r has the same omega in the world as a ball with three axes.
Test(dual, reduced_balls_give_the_same_answer) {
    int reduced_balls = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        Random random = random_from(6500 + seed), same = random;
        RandomTree kinds = {6, 2, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        kinds.ball_axes = POISE_BALL_REDUCED;
        Model reduced = model_random(&same, &kinds);
        model_reachable_goals(&model, &random, 0.5);
        model_reachable_goals(&reduced, &same, 0.5);
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 1e-3);
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        cr_assert(poise_solve(reduced.tree, &def, NULL) == POISE_OK);
        for (int n = 0; n < 6; n++) {
            double a[POISE_MAX_DOF], b[POISE_MAX_DOF];
            int count = poise_node_omega(model.tree, model.nodes[n], a);
            cr_assert(poise_node_omega(reduced.tree, reduced.nodes[n], b) == count);
            reduced_balls += poise_node_dof(reduced.tree, reduced.nodes[n]) == 2;
            for (int d = 0; d < count; d++) {
                EXPECT_NEAR(b[d], a[d], 1e-10);
            }
        }
        model_finish(&model);
        model_finish(&reduced);
    }
    cr_expect(reduced_balls > 100, "%d", reduced_balls);
}

// Two equal points have the same rows, so that one's rows depend on the other's; there is no
// damping.
Test(dual, solves_with_equal_rows) {
    Random random = random_from(40);
    RandomTree kinds = {7, 0, true, false, true, false, false, POISE_BALL_THREE_AXES};
    Model model = model_random(&random, &kinds);
    PoisePointDef def = poise_default_pose_def();
    def.link = model.nodes[6];
    def.in_link.p = poise_vec3(0.1, 0.2, 0.3);
    (void)model_add_point(&model, &def);
    (void)model_add_point(&model, &def);
    model_reachable_goals(&model, &random, 0.2);
    PoiseSolveDef plain = model_plain_def(POISE_SOLVER_DUAL, 0.0);
    PoiseSolveReport report;
    cr_assert(poise_solve(model.tree, &plain, &report) == POISE_OK);
    cr_expect(report.residual < 1e-9, "%g", report.residual);
    double omega[MOST];
    int count = model_omega(&model, omega);
    cr_expect(norm(omega, count) < 5.0, "%g rad", norm(omega, count));
    model_finish(&model);
}

// Two arms share no joint: the small weight of one does not drop the other's rows.
Test(dual, light_points_are_served_beside_heavy_ones) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    for (int arm = 0; arm < 2; arm++) {
        PoiseNodeDef def = poise_default_ball_def();
        def.parent = model_add_node(&model, &def);
        def.joint_in_parent.p = poise_vec3(0.0, 1.0, 0.0);
        def.rotation = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), 0.5);
        PoisePointDef point = poise_default_position_def();
        point.link = model_add_node(&model, &def);
        point.in_link.p = poise_vec3(0.0, 1.0, 0.0);
        point.weight = arm == 0 ? 1e8 : 1.0;
        (void)model_add_point(&model, &point);
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    for (int p = 0; p < 2; p++) {
        PoiseVec3 goal = poise_point_planned_pose(model.tree, model.points[p]).p;
        WORKS(poise_point_set_position(model.tree, model.points[p],
                                       poise_add(goal, poise_vec3(0.01, -0.02, 0.03))));
    }
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 0.0);
    cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
    for (int n = 0; n < 2; n++) {
        double heavy[POISE_MAX_DOF], light[POISE_MAX_DOF];
        GETS(poise_node_omega(model.tree, model.nodes[n], heavy));
        GETS(poise_node_omega(model.tree, model.nodes[2 + n], light));
        EXPECT_NEAR3(poise_vec3(light[0], light[1], light[2]),
                     poise_vec3(heavy[0], heavy[1], heavy[2]), 1e-9);
    }
    model_finish(&model);
}

// Sets the motion of every base of the tree to that of one rigid body.
static void move_bases(Model* model, PoiseVec3 velocity, PoiseVec3 spin) {
    for (int n = 0; n < model->node_count; n++) {
        if (poise_node_parent(model->tree, model->nodes[n]).index1 == 0) {
            // The base's origin moves with the velocity at its place: velocity + spin x place.
            const PoiseVec3 place = poise_node_base(model->tree, model->nodes[n]).p;
            const PoiseVec3 at_place = poise_add(velocity, poise_cross(spin, place));
            cr_assert(poise_node_set_base_velocity(model->tree, model->nodes[n], at_place, spin) ==
                      POISE_OK);
        }
    }
}

// Gives each served point a random goal velocity. Fills `v` with that velocity as the point's base
// sees it, by rows; returns their number.
static int move_goals(Model* model, Random* random, PoiseVec3 base, PoiseVec3 spin, double* v) {
    int row = 0;
    for (int p = 0; p < model->point_count; p++) {
        const PoisePointId point = model->points[p];
        const PoisePointKind kind = poise_point_kind(model->tree, point);
        const PoiseVec3 along = random_vec3(random, 0.5), about = random_vec3(random, 0.5);
        const PoiseVec3 velocities[2] = {along, about};
        const PoiseVec3 place = poise_point_planned_pose(model->tree, point).p;
        const PoiseVec3 carried[2] = {poise_add(base, poise_cross(spin, place)), spin};
        if (poise_point_nodes(model->tree, point, NULL, 0) == 0) {
            continue;
        }
        if (kind != POISE_POINT_ORIENTATION) {
            cr_assert(poise_point_set_velocity(model->tree, point, velocities[0]) == POISE_OK);
        }
        if (kind != POISE_POINT_POSITION) {
            cr_assert(poise_point_set_angular_velocity(model->tree, point, velocities[1]) ==
                      POISE_OK);
        }
        for (int k = 0; k < 2; k++) {
            const PoiseVec3 seen =
                poise_scale(sqrt(model->weight[p]), poise_sub(velocities[k], carried[k]));
            if (kind != (k == 0 ? POISE_POINT_ORIENTATION : POISE_POINT_POSITION)) {
                v[row++] = seen.x;
                v[row++] = seen.y;
                v[row++] = seen.z;
            }
        }
    }
    return row;
}

// The velocity is J^# times the goals' velocities in their bases' frames: the damped answer,
// independent of the errors.
Test(dual, velocity_is_the_damped_answer_for_the_goals_own) {
    for (uint64_t seed = 0; seed < 300; seed++) {
        Random random = random_from(8000 + seed);
        RandomTree kinds = {7, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.5);
        double v[MOST];
        const double moves = seed % 2 == 0 ? 0.0 : 0.5;
        const PoiseVec3 base = random_vec3(&random, moves);
        const PoiseVec3 spin = random_vec3(&random, moves);
        move_bases(&model, base, spin);
        const int row = move_goals(&model, &random, base, spin, v);
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 1e-3);
        PoiseSolveReport report;
        double velocity[POISE_MAX_DOF];
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        GETS(poise_node_velocity(model.tree, model.nodes[0], velocity));
        cr_expect(velocity[0] == 0.0, "no step, no velocity");
        def.step = 0.01;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        double j[MOST * MOST], errors[MOST], expected[MOST];
        int columns;
        int rows = model_problem(&model, j, errors, &columns);
        cr_assert(rows == row);
        if (!(report.lambda > 0.0)) {
            model_finish(&model);
            continue; // no column can move
        }
        cr_assert(dense_damped_least_squares(
            &(DenseProblem){j, rows, columns, v, report.lambda, NULL}, expected));
        int column = 0;
        for (int n = 0; n < model.node_count; n++) {
            GETS(poise_node_velocity(model.tree, model.nodes[n], velocity));
            int dof = poise_node_dof(model.tree, model.nodes[n]);
            for (int d = 0; d < dof; d++, column++) {
                EXPECT_NEAR(velocity[d] * sqrt(model.bias[n]), expected[column], 1e-10);
            }
        }
        model_finish(&model);
    }
}
