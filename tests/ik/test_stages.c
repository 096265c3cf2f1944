// SPDX-License-Identifier: MIT
// Tests the paper's stages: alpha, beta, gamma (eqs. 18-20; row 0.8) and the sweeps (eqs. 21-23,
// corrected; row 0.9) against printed numbers and a dense Gauss-Seidel.
#include <criterion/criterion.h>
#include <string.h>

#include "dense.h"
#include "models.h"
#include "near.h"
#include "works.h"

static Model planar_arm(void) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    static const double q[3] = {0.3, 0.4, 0.5};
    for (int i = 0; i < 3; i++) {
        cr_assert(poise_node_set_angle(model.tree, model.nodes[i], q[i]) == POISE_OK);
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    PoiseVec3 tip = poise_point_planned_pose(model.tree, model.points[0]).p;
    PoiseVec3 goal = poise_add(tip, poise_vec3(0.05, -0.03, 0.0));
    cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
    return model;
}

static void fill_blocks(const Model* model) {
    cr_assert(poise_stage_jacobians(model->tree) == POISE_OK);
    cr_assert(poise_stage_blocks(model->tree) == POISE_OK);
}

// Row 0.8 of DOCUMENTS.md
Test(stages, planar_arm_has_the_printed_blocks) {
    static const double alpha[3] = {7.840507048327845, 3.7551651237807455, 1.0};
    static const double beta[3] = {-0.15606494191991588, -0.11262883691308073,
                                   -0.057472686932661526};
    static const double gamma[3][3] = {{7.840507048327845, 5.2978360860542955, 2.4991925301610376},
                                       {5.2978360860542955, 3.7551651237807455, 1.877582561890373},
                                       {2.4991925301610376, 1.877582561890373, 1.0}};
    Model model = planar_arm();
    fill_blocks(&model);
    for (int a = 0; a < 3; a++) {
        double of_node[POISE_MAX_DOF * POISE_MAX_DOF];
        cr_assert(poise_block_alpha(model.tree, model.nodes[a], of_node) == 1);
        EXPECT_NEAR(of_node[0], alpha[a], 1e-14);
        cr_assert(poise_block_beta(model.tree, model.nodes[a], of_node) == 1);
        EXPECT_NEAR(of_node[0], beta[a], 1e-15);
        for (int b = 0; b < 3; b++) {
            cr_assert(poise_block_gamma(model.tree, model.nodes[a], model.nodes[b], of_node) == 1);
            EXPECT_NEAR(of_node[0], gamma[a][b], 1e-14);
        }
    }
    model_finish(&model);
}

// Row 0.9 of DOCUMENTS.md
Test(stages, planar_arm_has_the_printed_iterates) {
    static const struct {
        int sweep;
        double omega[3];
        double residual;
    } expected[] = {
        {1,
         {-0.019904955248168554, -0.0019108738155335795, -0.004138548109230165},
         1.6207867824600743e-2},
        {2,
         {-0.01729459795239964, -0.0035243259855102407, -0.007632943905074838},
         1.3685162934212288e-2},
        {3,
         {-0.015090534759406067, -0.00488664927637363, -0.010583447718425058},
         1.155510931867754e-2},
        {10,
         {-0.0067922119516547206, -0.010015811848499354, -0.02169212788989816},
         3.5354334057025845e-3},
        {50,
         {-0.0031381480654255525, -0.012274375193841443, -0.026583697906954213},
         4.068235684052789e-6},
        {200, {-0.0031339384772412705, -0.012276977124696787, -0.026589333138298185}, 0.0},
    };
    Model model = planar_arm();
    fill_blocks(&model);
    int sweep = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double residual = 0.0, omega[8];
        for (; sweep < expected[i].sweep; sweep++) {
            cr_assert(poise_stage_sweep(model.tree, 0.0, &residual) == POISE_OK);
        }
        cr_assert(model_omega(&model, omega) == 3);
        for (int k = 0; k < 3; k++) {
            // rounding of 200 sweeps
            EXPECT_NEAR(omega[k], expected[i].omega[k], 1e-14);
        }
        EXPECT_NEAR(residual, expected[i].residual, 1e-15);
    }
    // advance applies the omega of the last sweep
    cr_assert(poise_advance(model.tree) == POISE_OK);
    EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[0]), 0.3 - 0.0031339384772412705, 1e-15);
    model_finish(&model);
}

// Row 0.9 of DOCUMENTS.md: poise_solve runs the same iterates
Test(stages, planar_arm_solve_stops_at_the_printed_iterates) {
    Model model = planar_arm();
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_GAUSS_SEIDEL, 0.0);
    PoiseSolveReport report;
    double omega[8];
    def.sweeps = 1;
    cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
    cr_assert(model_omega(&model, omega) == 3);
    EXPECT_NEAR(omega[0], -0.019904955248168554, 1e-15);
    EXPECT_NEAR(omega[1], -0.0019108738155335795, 1e-15);
    EXPECT_NEAR(omega[2], -0.004138548109230165, 1e-15);
    EXPECT_NEAR(report.residual, 1.6207867824600743e-2, 1e-15);
    cr_expect(report.sweeps == 1 && report.solver == POISE_SOLVER_GAUSS_SEIDEL);
    def.sweeps = 200;
    cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
    cr_expect(report.residual < 1e-15, "%g", report.residual);
    cr_expect(report.sweeps < 200, "a residual of zero ends the sweeps: %d", report.sweeps);
    model_finish(&model);
}

// Makes a ball at the origin, an elbow about z and a wrist about y. The point is at (0.6, 0.2,
// 0.1).
static Model ball_and_hinges(PoiseBallAxes ball_axes) {
    Model model = model_empty(ball_axes);
    PoiseNodeDef def = poise_default_ball_def();
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.parent = model_add_node(&model, &def);
    hinge.joint_in_parent.p = poise_vec3(0.3, 0.1, 0.0);
    hinge.parent = model_add_node(&model, &hinge);
    hinge.joint_in_parent.p = poise_vec3(0.2, 0.05, 0.05);
    hinge.axis = poise_vec3(0.0, 1.0, 0.0);
    PoisePointDef point = poise_default_position_def();
    point.link = model_add_node(&model, &hinge);
    point.in_link.p = poise_vec3(0.1, 0.05, 0.05);
    point.has_goal = true;
    point.goal.p = poise_vec3(0.61, 0.22, 0.09);
    (void)model_add_point(&model, &point);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    return model;
}

// rows 0.4, 0.8, 0.9: eqs. 6-11 in a chain. The choice of the two axes across r is free; the
// rotation in world axes is unique
Test(stages, reduced_ball_has_the_printed_blocks_and_iterates) {
    static const PoiseVec3 e1 = {0.3492151478847897, -0.8381163549234937, -0.41905817746174684};
    static const PoiseVec3 e2 = {0.0, -0.44721359549995787, 0.8944271909999157};
    static const struct {
        int sweep;
        double omega[4];
        double residual;
    } expected[] = {
        {1,
         {-0.02793721183078313, 0.014179943271949885, 0.0, 0.035121951219512185},
         0.013495983935654106},
        {2,
         {-0.023031164875133413, 0.01743627546048021, 0.0, 0.06750267697798926},
         0.012442638847993298},
        {10,
         {0.004670700672300739, 0.03582306981444956, 0.0, 0.25033959627340935},
         0.006494953418723777},
        {100,
         {0.03490135657929866, 0.055888319658210395, 0.0, 0.4498669524671965},
         4.328036565617188e-06},
        {500, {0.034921514788482266, 0.05590169943748724, 0.0, 0.45}, 0.0},
    };
    Model model = ball_and_hinges(POISE_BALL_REDUCED);
    fill_blocks(&model);
    double beta[POISE_MAX_DOF], gamma[POISE_MAX_DOF * POISE_MAX_DOF];
    cr_assert(poise_block_beta(model.tree, model.nodes[0], beta) == 2);
    EXPECT_NEAR(hypot(beta[0], beta[1]), hypot(-0.011454256850621083, 0.005813776741499452), 1e-16);
    cr_assert(poise_block_gamma(model.tree, model.nodes[0], model.nodes[1], gamma) == 2);
    EXPECT_NEAR(hypot(gamma[0], gamma[1]), hypot(0.08590692637965812, 0.18335757415498272), 1e-15);
    cr_assert(poise_block_gamma(model.tree, model.nodes[1], model.nodes[2], gamma) == 1);
    EXPECT_NEAR(gamma[0], -0.005, 1e-16);
    int sweep = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double residual = 0.0, ball[POISE_MAX_DOF], elbow[POISE_MAX_DOF], wrist[POISE_MAX_DOF];
        for (; sweep < expected[i].sweep; sweep++) {
            cr_assert(poise_stage_sweep(model.tree, 0.0, &residual) == POISE_OK);
        }
        cr_assert(poise_node_omega(model.tree, model.nodes[0], ball) == 3);
        GETS(poise_node_omega(model.tree, model.nodes[1], elbow));
        GETS(poise_node_omega(model.tree, model.nodes[2], wrist));
        PoiseVec3 world =
            poise_add(poise_scale(expected[i].omega[0], e1), poise_scale(expected[i].omega[1], e2));
        // rounding of 500 sweeps, as in the printed elbow angle
        EXPECT_NEAR3(poise_vec3(ball[0], ball[1], ball[2]), world, 1e-13);
        EXPECT_NEAR(elbow[0], expected[i].omega[2], 1e-13);
        EXPECT_NEAR(wrist[0], expected[i].omega[3], 1e-13);
        EXPECT_NEAR(residual, expected[i].residual, 1e-15);
    }
    model_finish(&model);
}

enum { MOST = DENSE_MOST };

// Fills the first column of each node; `columns` past the last.
static void first_columns(const Model* model, int* first) {
    int at = 0;
    for (int n = 0; n < model->node_count; n++) {
        first[n] = at;
        at += poise_node_dof(model->tree, model->nodes[n]);
    }
    first[model->node_count] = at;
}

// Row 0.9 of DOCUMENTS.md: blocks = dense J^T J and J^T v
Test(stages, blocks_equal_dense_products) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        Random random = random_from(1100 + seed);
        RandomTree kinds = {8, 4, true, true, true, true, seed % 2 == 0, POISE_BALL_THREE_AXES};
        kinds.ball_axes = seed % 3 == 0 ? POISE_BALL_REDUCED : POISE_BALL_THREE_AXES;
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.5);
        fill_blocks(&model);
        double j[MOST * MOST], v[MOST];
        int columns, first[MODEL_POINTS];
        int rows = model_problem(&model, j, v, &columns);
        first_columns(&model, first);
        for (int a = 0; a < model.node_count; a++) {
            double alpha[POISE_MAX_DOF], beta[POISE_MAX_DOF];
            int dof = first[a + 1] - first[a];
            cr_assert(poise_block_alpha(model.tree, model.nodes[a], alpha) == dof);
            cr_assert(poise_block_beta(model.tree, model.nodes[a], beta) == dof);
            for (int b = 0; b < model.node_count; b++) {
                double gamma[POISE_MAX_DOF * POISE_MAX_DOF] = {0.0};
                int other = first[b + 1] - first[b];
                const int found =
                    poise_block_gamma(model.tree, model.nodes[a], model.nodes[b], gamma);
                cr_assert(found == 0 || found == dof * other);
                for (int i = 0; i < dof * other; i++) {
                    double sum = 0.0, size = 1.0, pull = 0.0;
                    for (int r = 0; r < rows; r++) {
                        double ja = j[r * columns + first[a] + i / other];
                        double jb = j[r * columns + first[b] + i % other];
                        sum += ja * jb;
                        size += fabs(ja * jb);
                        pull += ja * v[r];
                    }
                    EXPECT_NEAR(gamma[i], sum, 1e-14 * size);
                    EXPECT_NEAR(beta[i / other], pull, 1e-14 * size);
                    if (a == b && i / other == i % other) {
                        EXPECT_NEAR(alpha[i / other], sum, 1e-14 * size);
                    }
                }
            }
        }
        model_finish(&model);
    }
}

// Makes a Gauss-Seidel sweep on A = J^T J, root first: x_i <- (b_i - sum over k != i of A_ik x_k) /
// (A_ii + lambda).
static void dense_sweep(const double* a, const double* b, int n, double lambda, double* x) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, a[i * n + i]);
    }
    for (int i = 0; i < n; i++) {
        if (a[i * n + i] <= 1e-12 * largest) {
            continue;
        }
        double sum = b[i];
        for (int k = 0; k < n; k++) {
            sum -= k == i ? 0.0 : a[i * n + k] * x[k];
        }
        x[i] = sum / (a[i * n + i] + lambda);
    }
}

// Row 0.9 of DOCUMENTS.md: eqs. 21-23 are Gauss-Seidel on the normal equations, with several
// points, kinds, weights
Test(stages, sweeps_equal_a_dense_gauss_seidel) {
    for (uint64_t seed = 0; seed < 60; seed++) {
        Random random = random_from(1200 + seed);
        RandomTree kinds = {8, 4, true, true, true, true, seed % 2 == 0, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.5);
        fill_blocks(&model);
        double j[MOST * MOST], v[MOST], a[MOST * MOST], b[MOST], x[MOST] = {0.0}, actual[MOST];
        int columns;
        int rows = model_problem(&model, j, v, &columns);
        for (int i = 0; i < columns; i++) {
            b[i] = 0.0;
            for (int r = 0; r < rows; r++) {
                b[i] += j[r * columns + i] * v[r];
            }
            for (int k = 0; k < columns; k++) {
                a[i * columns + k] = 0.0;
                for (int r = 0; r < rows; r++) {
                    a[i * columns + k] += j[r * columns + i] * j[r * columns + k];
                }
            }
        }
        double lambda = seed % 3 == 0 ? 0.0 : exp(random_between(&random, -8.0, 0.0));
        for (int sweep = 0; sweep < 50; sweep++) {
            double residual;
            cr_assert(poise_stage_sweep(model.tree, lambda, &residual) == POISE_OK);
            dense_sweep(a, b, columns, lambda, x);
            cr_assert(model_unknowns(&model, actual) == columns);
            for (int i = 0; i < columns; i++) {
                EXPECT_NEAR(actual[i], x[i], 1e-11);
            }
            EXPECT_NEAR(residual,
                        sqrt(dense_damped_cost(&(DenseProblem){j, rows, columns, v, 0.0, NULL}, x)),
                        1e-11);
        }
        model_finish(&model);
    }
}

// The printed n_y contains n_x, and the sweeps never converge. The corrected sweeps converge,
// damped or not.
Test(stages, sweeps_converge_on_what_can_be_met) {
    Random random = random_from(1300);
    RandomTree kinds = {8, 0, true, false, true, false, false, POISE_BALL_THREE_AXES};
    Model model = model_random(&random, &kinds);
    model_add_tip(&model, model.nodes[7], poise_vec3(0.2, 0.1, 0.0));
    model_reachable_goals(&model, &random, 0.1);
    fill_blocks(&model);
    double residual = 0.0;
    for (int sweep = 0; sweep < 2000; sweep++) {
        cr_assert(poise_stage_sweep(model.tree, 0.0, &residual) == POISE_OK);
    }
    cr_expect(residual < 1e-12, "%g", residual);
    model_finish(&model);
}

// Each sweep of a damped solve lowers the minimised sum.
Test(stages, more_sweeps_never_make_it_worse) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        Random random = random_from(2900 + seed);
        RandomTree kinds = {8, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.6);
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_GAUSS_SEIDEL, 1e-4);
        double last = HUGE_VAL;
        for (int sweeps = 1; sweeps <= 64; sweeps *= 2) {
            def.sweeps = sweeps;
            PoiseSolveReport report;
            cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
            double j[MOST * MOST], v[MOST], x[MOST];
            int columns;
            int rows = model_problem(&model, j, v, &columns);
            (void)model_unknowns(&model, x);
            double cost =
                dense_damped_cost(&(DenseProblem){j, rows, columns, v, report.lambda, NULL}, x);
            cr_expect(cost <= last * (1.0 + 1e-12), "%d sweeps: %g after %g", sweeps, cost, last);
            last = cost;
        }
        model_finish(&model);
    }
}
