// SPDX-License-Identifier: MIT
// Tests the reference posture: tracked without points, filling the null space with points (row
// 2.4).
#include <criterion/criterion.h>

#include "dense.h"
#include "models.h"
#include "near.h"
#include "works.h"

// Row 2.4 of DOCUMENTS.md: the reference is tracked exactly without points, by every kind of node,
// in either form
Test(reference, references_without_points_are_tracked) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        Random random = random_from(900 + seed);
        RandomTree kinds = {8, 0, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random_kinds(&random, &kinds);
        double wanted[8][POISE_MAX_POSTURE], now[POISE_MAX_POSTURE];
        for (int n = 0; n < 8; n++) {
            int count = poise_node_posture(model.tree, model.nodes[n], wanted[n]);
            cr_assert(poise_node_set_reference(model.tree, model.nodes[n], wanted[n], count) ==
                      POISE_OK);
            cr_assert(poise_node_set_reference_weight(model.tree, model.nodes[n],
                                                      seed < 10 ? 0.0 : 0.01) == POISE_OK);
        }
        model_scatter(&model, &random, 1.0);
        PoiseSolveDef def = poise_default_solve_def();
        def.posture_rate = seed < 10 ? 0.1 : 0.0;
        for (int step = 0; step < 10; step++) {
            cr_assert(model_step(&model, &def, NULL) == POISE_OK);
            // Sets the references again in each step, as a simulation does; nothing changes.
            const uint64_t revision = poise_tree_revision(model.tree);
            for (int n = 0; n < 8; n++) {
                const int count = poise_node_posture(model.tree, model.nodes[n], now);
                WORKS(poise_node_set_reference(model.tree, model.nodes[n], wanted[n], count));
            }
            cr_expect(poise_tree_revision(model.tree) == revision);
        }
        for (int n = 0; n < 8; n++) {
            int count = poise_node_posture(model.tree, model.nodes[n], now);
            double plus = 0.0, minus = 0.0;
            for (int i = 0; i < count; i++) {
                plus = fmax(plus, fabs(now[i] - wanted[n][i]));
                minus = fmax(minus, fabs(now[i] + wanted[n][i]));
            }
            // a quaternion and its negative are the same rotation
            EXPECT_NEAR(count >= 4 ? fmin(plus, minus) : plus, 0.0, 1e-14);
        }
        model_finish(&model);
    }
}

// Row 2.4 of DOCUMENTS.md: the point is met, and no motion that keeps the point there comes nearer
// to the reference
Test(reference, references_act_in_the_null_space_of_points) {
    for (int k = POISE_NODE_HINGE; k <= POISE_NODE_BALL; k += 2) {
        Model model = model_chain((PoiseNodeKind)k, 6, 0.4, POISE_POINT_POSITION);
        for (int n = 0; n < 6; n++) {
            PoiseQuat q = poise_quat_from_axis_angle(poise_vec3(0, 0, 1), 0.2 + 0.1 * n);
            const double angle = 0.2 + 0.1 * n;
            const double ball[4] = {q.w, q.x, q.y, q.z};
            cr_assert(poise_node_set_reference(model.tree, model.nodes[n],
                                               k == POISE_NODE_BALL ? ball : &angle,
                                               k == POISE_NODE_BALL ? 4 : 1) == POISE_OK);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.9, 1.1, 0.0)) == POISE_OK);
        PoiseSolveDef def = poise_default_solve_def();
        def.posture_rate = 0.2;
        for (int step = 0; step < 400; step++) {
            cr_assert(model_step(&model, &def, NULL) == POISE_OK);
        }
        EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 0.0, 1e-5);
        // At rest the remaining displacement to the reference lies in the row space, so the step is
        // 0.
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        for (int n = 0; n < 6; n++) {
            double omega[POISE_MAX_DOF] = {0.0};
            GETS(poise_node_omega(model.tree, model.nodes[n], omega));
            EXPECT_NEAR(poise_length(poise_vec3(omega[0], omega[1], omega[2])), 0.0, 1e-6);
        }
        model_finish(&model);
    }
}

// A step range bounds the step of a solve, not the sweeps that find it: a range that holds the
// whole step changes no bit of it. The pull to the reference alone is 400 times as long here.
Test(reference, a_step_range_around_the_step_changes_nothing) {
    enum { NODES = 6 };
    Model model = model_chain(POISE_NODE_HINGE, NODES, 0.4, POISE_POINT_POSITION);
    for (int n = 0; n < NODES; n++) {
        const double angle = 0.2 + 0.1 * n;
        WORKS(poise_node_set_reference(model.tree, model.nodes[n], &angle, 1));
    }
    WORKS(poise_point_set_position(model.tree, model.points[0], poise_vec3(0.9, 1.1, 0.0)));
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = POISE_SOLVER_GAUSS_SEIDEL;
    def.posture_rate = 0.2;
    def.step = 0.01;
    for (int step = 0; step < 600; step++) {
        WORKS(model_step(&model, &def, NULL));
    }
    double before[NODES][POISE_MAX_DOF], omega[POISE_MAX_DOF];
    WORKS(poise_solve(model.tree, &def, NULL));
    for (int n = 0; n < NODES; n++) {
        GETS(poise_node_omega(model.tree, model.nodes[n], before[n]));
        EXPECT_NEAR(before[n][0], 0.0, 1e-6);
        WORKS(poise_node_set_step_range(model.tree, model.nodes[n], -1e-4, 1e-4));
    }
    WORKS(poise_solve(model.tree, &def, NULL));
    for (int n = 0; n < NODES; n++) {
        GETS(poise_node_omega(model.tree, model.nodes[n], omega));
        cr_expect_eq(omega[0], before[n][0], "node %d: %g, %g", n, omega[0], before[n][0]);
    }
    model_finish(&model);
}

enum { MOST_NODES = 6, MOST_ROWS = 2 * DENSE_MOST };

// A tree with random references, half of them weighted, and their rows in the dense problem:
// sqrt(a) (x - c) of each unknown x = sqrt(bias) omega.
typedef struct Posed {
    Model model;
    double weight[MOST_NODES];
    /// displacement to the reference, m or rad; x for a hinge or slider
    PoiseVec3 way[MOST_NODES];
} Posed;

static Posed pose_references(Random* random, const RandomTree* kinds) {
    Posed posed = {.model = model_random(random, kinds)};
    Model* model = &posed.model;
    for (int n = 0; n < model->node_count; n++) {
        double now[POISE_MAX_POSTURE];
        const int count = poise_node_posture(model->tree, model->nodes[n], now);
        if (random_index(random, 3) == 0) {
            continue;
        }
        if (count == 1) {
            posed.way[n].x = random_between(random, -0.5, 0.5);
            now[0] += posed.way[n].x;
        } else {
            const PoiseQuat joint = poise_node_joint_world(model->tree, model->nodes[n]).q;
            posed.way[n] = random_vec3(random, 0.5);
            PoiseQuat turn = poise_quat_exp(poise_quat_unrotate(joint, posed.way[n]));
            turn = poise_quat_mul(turn, poise_quat(now[0], now[1], now[2], now[3]));
            now[0] = turn.w, now[1] = turn.x, now[2] = turn.y, now[3] = turn.z;
        }
        cr_assert(poise_node_set_reference(model->tree, model->nodes[n], now, count) == POISE_OK);
        if (random_index(random, 2) == 0) {
            posed.weight[n] = exp(random_between(random, -6.0, 1.0));
            cr_assert(poise_node_set_reference_weight(model->tree, model->nodes[n],
                                                      posed.weight[n]) == POISE_OK);
        }
    }
    return posed;
}

#define NOTHING 1e-25 // damping that the dense solvers need

// Stacks |J x - v|^2 + sum lambda (x - rate c)^2, or + lambda x^2 + w (x - c)^2, as rows.
static DenseProblem stack_problem(const Posed* posed, double lambda, double rate, double* j,
                                  double* v) {
    const Model* model = &posed->model;
    int columns;
    int rows = model_problem(model, j, v, &columns);
    int column = 0;
    for (int n = 0; n < model->node_count; n++) {
        const double way[3] = {posed->way[n].x, posed->way[n].y, posed->way[n].z};
        const double scale = sqrt(model->bias[n]);
        const int dof = poise_node_dof(model->tree, model->nodes[n]);
        for (int d = 0; d < dof; d++, column++) {
            for (int k = 0; k < 2; k++, rows++) {
                // the row of the damping, then that of the reference
                const double a = k == 0 ? lambda : posed->weight[n] / model->bias[n];
                const double part = k == 0 ? (posed->weight[n] > 0.0 ? 0.0 : rate) : 1.0;
                for (int c = 0; c < columns; c++) {
                    j[rows * columns + c] = c == column ? sqrt(a) : 0.0;
                }
                v[rows] = sqrt(a) * part * scale * way[d];
            }
        }
    }
    return (DenseProblem){j, rows, columns, v, NOTHING, NULL};
}

// Both forms, alone and together, give the dense least squares in every solver.
Test(reference, every_solver_finds_the_dense_answer) {
    static double j[MOST_ROWS * DENSE_MOST];
    double worst[POISE_SOLVER_CGLS + 1] = {0.0};
    int compared = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        Random random = random_from(21000 + seed);
        RandomTree kinds = {2, 1, true, true, true, true, true, POISE_BALL_THREE_AXES};
        kinds.nodes += random_index(&random, MOST_NODES - 1);
        kinds.points += random_index(&random, 2);
        Posed posed = pose_references(&random, &kinds);
        Model* model = &posed.model;
        model_reachable_goals(model, &random, 0.5);
        for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
            PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 1e-2);
            def.posture_rate = seed % 3 == 0 ? 0.0 : 0.3;
            def.sweeps = 30000;
            PoiseSolveReport report;
            cr_assert(poise_solve(model->tree, &def, &report) == POISE_OK);
            double v[MOST_ROWS], x[DENSE_MOST], expected[DENSE_MOST];
            const DenseProblem problem =
                stack_problem(&posed, report.lambda, def.posture_rate, j, v);
            const int columns = problem.columns;
            cr_assert(problem.rows <= MOST_ROWS && model_unknowns(model, x) == columns);
            if (!(report.lambda > 0.0)) {
                continue;
            }
            cr_assert(dense_damped_least_squares(&problem, expected));
            for (int c = 0; c < columns; c++) {
                worst[solver] = fmax(worst[solver], fabs(x[c] - expected[c]));
            }
            compared += columns;
        }
        model_finish(model);
    }
    cr_expect(compared > 5000, "%d", compared);
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        cr_expect(worst[solver] < 1e-9, "solver %d: off by %g", solver, worst[solver]);
    }
}

// Inside ranges, the answer is the optimum over all active sets.
Test(reference, every_solver_finds_the_best_inside_the_ranges) {
    static double j[MOST_ROWS * DENSE_MOST];
    int met = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        Random random = random_from(22000 + seed);
        RandomTree kinds = {5, 2, true, true, false, true, true, POISE_BALL_THREE_AXES};
        Posed posed = pose_references(&random, &kinds);
        Model* model = &posed.model;
        model_reachable_goals(model, &random, 0.5);
        double bounds[2 * MOST_NODES];
        for (int n = 0, c = 0; n < model->node_count; n++) {
            const double angle = poise_node_angle(model->tree, model->nodes[n]);
            const double lower = -random_between(&random, 0.0, 0.2);
            const double upper = random_between(&random, 0.0, 0.2);
            cr_assert(poise_node_set_limits(model->tree, model->nodes[n],
                                            poise_range(angle + lower, angle + upper)) == POISE_OK);
            if (poise_node_dof(model->tree, model->nodes[n]) == 1) {
                bounds[2 * c] = sqrt(model->bias[n]) * (angle + lower - angle);
                bounds[2 * c++ + 1] = sqrt(model->bias[n]) * (angle + upper - angle);
            }
        }
        for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
            PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 1e-2);
            def.posture_rate = seed % 3 == 0 ? 0.0 : 0.3;
            def.sweeps = 30000;
            PoiseSolveReport report;
            cr_assert(poise_solve(model->tree, &def, &report) == POISE_OK);
            double v[MOST_ROWS], x[DENSE_MOST], expected[DENSE_MOST];
            DenseProblem problem = stack_problem(&posed, report.lambda, def.posture_rate, j, v);
            const int columns = problem.columns;
            problem.bounds = bounds;
            cr_assert(model_unknowns(model, x) == columns);
            if (!(report.lambda > 0.0)) {
                continue;
            }
            met += report.limited_dofs > 0;
            (void)dense_box_least_squares(&problem, expected);
            for (int c = 0; c < columns; c++) {
                EXPECT_NEAR(x[c], expected[c], 1e-9);
            }
        }
        model_finish(model);
    }
    cr_expect(met > 500, "%d met a range", met);
}

// 66 rows are solved by CGLS, by itself or as the exact step of BOX.
Test(reference, many_rows_find_the_answer_of_few_solvers) {
    Model model = model_chain(POISE_NODE_BALL, 12, 0.3, POISE_POINT_POSE);
    for (int p = 0; p < 10; p++) {
        PoisePointDef def = poise_default_pose_def();
        def.link = model.nodes[p + 1];
        (void)model_add_point(&model, &def);
    }
    Random random = random_from(23);
    model_scatter(&model, &random, 0.3);
    for (int n = 0; n < 12; n++) {
        const double straight[4] = {1.0, 0.0, 0.0, 0.0};
        cr_assert(poise_node_set_reference(model.tree, model.nodes[n], straight, 4) == POISE_OK);
        cr_assert(poise_node_set_reference_weight(model.tree, model.nodes[n], n % 2 ? 0.3 : 0.0) ==
                  POISE_OK);
    }
    double expected[36], actual[36];
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_GAUSS_SEIDEL, 1e-3);
    def.posture_rate = 0.5;
    def.sweeps = 100000;
    PoiseSolveReport report;
    cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
    cr_expect(report.rows == 66);
    cr_assert(model_omega(&model, expected) == 36);
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        def.solver = (PoiseSolver)solver;
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        cr_assert(model_omega(&model, actual) == 36);
        for (int i = 0; i < 36; i++) {
            EXPECT_NEAR(actual[i], expected[i], 1e-8);
        }
    }
    model_finish(&model);
}

// References change no bit if the rate is 0, the default.
Test(reference, references_have_no_effect_by_default) {
    uint64_t hash[2];
    for (int with = 0; with < 2; with++) {
        Model model = model_chain(POISE_NODE_HINGE, 5, 0.4, POISE_POINT_POSITION);
        const double angle = 0.5;
        for (int n = 0; with && n < 5; n++) {
            cr_assert(poise_node_set_reference(model.tree, model.nodes[n], &angle, 1) == POISE_OK);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.9, 1.1, 0.0)) == POISE_OK);
        for (int step = 0; step < 30; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        }
        hash[with] = model_hash(&model);
        model_finish(&model);
    }
    cr_expect(hash[0] == hash[1]);
}
