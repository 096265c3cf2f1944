// SPDX-License-Identifier: MIT
// Tests conjugate gradients against the dense damped answer, and the memory that many rows need.
#include <criterion/criterion.h>

#include "dense.h"
#include "host.h"
#include "models.h"
#include "near.h"
#include "sample.h"
#include "works.h"

enum { MOST = DENSE_MOST, MANY_POINTS = 54, ROWS = 6 * MANY_POINTS };

// Makes 324 rows, more than the largest stored factor, over few enough unknowns for the dense
// oracle.
static Model many_rows(Random* random, int nodes) {
    RandomTree kinds = {nodes, 0, true, true, true, true, true, POISE_BALL_THREE_AXES};
    Model model = model_random(random, &kinds);
    for (int p = 0; p < MANY_POINTS; p++) {
        PoisePointDef def = poise_default_pose_def();
        def.link = model.nodes[random_index(random, nodes)];
        def.in_link.p = random_vec3(random, 0.4);
        def.weight = exp(random_between(random, -1.0, 1.0));
        (void)model_add_point(&model, &def);
    }
    model_reachable_goals(&model, random, 0.6);
    return model;
}

// Returns the relative difference |x - y| / |y|.
static double difference(const double* x, const double* y, int count) {
    double off = 0.0, size = 0.0;
    for (int i = 0; i < count; i++) {
        off += (x[i] - y[i]) * (x[i] - y[i]);
        size += y[i] * y[i];
    }
    return sqrt(off / fmax(size, 1e-300));
}

// Solves and compares with the dense answer. Works like model_problem, but its arrays hold the rows
// of many_rows.
static void compare(Model* model, PoiseSolver solver, double damping, double tolerance) {
    double j[ROWS * MOST], v[ROWS], expected[MOST], actual[MOST];
    PoiseSolveDef def = model_plain_def(solver, damping);
    PoiseSolveReport report;
    int columns;
    cr_assert(poise_solve(model->tree, &def, &report) == POISE_OK);
    const int rows = model_problem(model, j, v, &columns);
    cr_assert(columns <= MOST && rows == report.rows && columns == report.columns);
    cr_expect(report.solver == POISE_SOLVER_CGLS && report.sweeps <= rows + 4);
    cr_assert(model_unknowns(model, actual) == columns);
    if (report.lambda > 0.0 && report.goal_norm > 0.0) {
        cr_assert(dense_damped_least_squares(
            &(DenseProblem){j, rows, columns, v, report.lambda, NULL}, expected));
        const double off = difference(actual, expected, columns);
        cr_expect(off < tolerance, "off by %g after %d iterations", off, report.sweeps);
    }
}

Test(cgls, auto_chooses_cgls_for_many_rows) {
    for (uint64_t seed = 0; seed < 50; seed++) {
        Random random = random_from(9500 + seed);
        Model model = many_rows(&random, 12);
        compare(&model, seed % 2 == 0 ? POISE_SOLVER_AUTO : POISE_SOLVER_DUAL, 1e-2, 1e-6);
        model_finish(&model);
    }
}

// Nearly undamped, the iterations end early: a step is never worse than no step, and a loop of
// steps still meets the goals that can be met.
Test(cgls, cgls_meets_goals_with_many_rows) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        Random random = random_from(9600 + seed);
        Model model = many_rows(&random, 12);
        PoiseSolveReport report;
        for (int step = 0; step < 200; step++) {
            cr_assert(model_step(&model, NULL, &report) == POISE_OK);
            cr_expect(report.residual <= report.goal_norm * (1.0 + 1e-12));
            cr_expect(report.solver == POISE_SOLVER_CGLS);
        }
        cr_expect(report.largest_error < 1e-6 && report.largest_angle_error < 1e-6,
                  "seed %d: %g m, %g rad", (int)seed, report.largest_error,
                  report.largest_angle_error);
        model_finish(&model);
    }
}

// If there are ranges and many rows, sweeps and conjugate gradients alternate and end at the
// optimum in the box.
Test(cgls, box_of_many_rows_ends_as_long_sweeps_do) {
    for (int seed = 0; seed < sample_of(10, 30); seed++) {
        Random random = random_from(9700 + (uint64_t)seed);
        Model model = many_rows(&random, 12);
        for (int n = 0; n < model.node_count; n++) {
            if (model_dof(&model, n) == 1) {
                const double angle = poise_node_angle(model.tree, model.nodes[n]);
                WORKS(poise_node_set_limits(model.tree, model.nodes[n],
                                            poise_range(angle - 0.05, angle + 0.1)));
            }
        }
        double j[ROWS * MOST], v[ROWS], x[MOST], y[MOST];
        int columns;
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_AUTO, 1e-2);
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        (void)model_unknowns(&model, x);
        def.solver = POISE_SOLVER_GAUSS_SEIDEL;
        def.sweeps = 20000;
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        (void)model_unknowns(&model, y);
        const int rows = model_problem(&model, j, v, &columns);
        const double least =
            dense_damped_cost(&(DenseProblem){j, rows, columns, v, report.lambda, NULL}, y);
        const double cost =
            dense_damped_cost(&(DenseProblem){j, rows, columns, v, report.lambda, NULL}, x);
        EXPECT_NEAR(cost, least, 1e-6 * least);
        cr_expect(report.limited_dofs == 0 || report.solver == POISE_SOLVER_BOX);
        model_finish(&model);
    }
}

// Returns the bytes that the tree holds after a solve of `points` poses on a chain of `points`
// hinges, each registered with its own hinge alone.
static long bytes_of(int points) {
    TestHost host = {0};
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&host);
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef def = poise_default_hinge_def();
    def.joint_in_parent.p = poise_vec3(0.1, 0.0, 0.0);
    for (int n = 0; n < points; n++) {
        def.parent = poise_node_create(tree, &def);
        PoisePointDef point = poise_default_pose_def();
        point.link = def.parent;
        point.in_link.p = poise_vec3(0.1, 0.0, 0.0);
        cr_assert(poise_register(tree, poise_point_create(tree, &point), def.parent) == POISE_OK);
    }
    cr_assert(poise_forward(tree) == POISE_OK && poise_solve(tree, NULL, NULL) == POISE_OK);
    const long held = host.live_bytes;
    poise_tree_destroy(tree);
    return held;
}

Test(cgls, memory_grows_with_the_blocks_alone) {
    const long small = bytes_of(512), large = bytes_of(2048);
    cr_expect(large < 4 * small + small / 4, "%ld bytes for 512 poses, %ld for 2048", small, large);
}
