// SPDX-License-Identifier: MIT
// Compares poise_solve's Gauss-Seidel in residual form with the gamma form of the stages (row 0.9).
#include <criterion/criterion.h>

#include "dense.h"
#include "models.h"
#include "near.h"

enum { MOST = DENSE_MOST };

Test(sweep, residual_form_has_the_iterates_of_the_gamma_form) {
    double worst = 0.0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        Random random = random_from(2000 + seed);
        int nodes = 3 + random_index(&random, 8);
        int points = 1 + random_index(&random, 4);
        RandomTree kinds = {nodes, points,        true,          true,
                            true,  seed % 2 == 0, seed % 3 == 0, POISE_BALL_THREE_AXES};
        kinds.ball_axes = seed % 5 == 0 ? POISE_BALL_REDUCED : POISE_BALL_THREE_AXES;
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.4);
        // every fourth problem is undamped
        PoiseSolveDef def =
            model_plain_def(POISE_SOLVER_GAUSS_SEIDEL,
                            seed % 4 == 0 ? 0.0 : exp(random_between(&random, -12.0, 0.0)));
        def.sweeps = 1 + random_index(&random, 100);
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        double solved[MOST], swept[MOST];
        int count = model_omega(&model, solved);
        cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
        cr_assert(poise_stage_blocks(model.tree) == POISE_OK);
        double residual = 0.0;
        for (int sweep = 0; sweep < report.sweeps; sweep++) {
            cr_assert(poise_stage_sweep(model.tree, report.lambda, &residual) == POISE_OK);
        }
        cr_assert(model_omega(&model, swept) == count);
        for (int i = 0; i < count; i++) {
            worst = fmax(worst, fabs(solved[i] - swept[i]));
            EXPECT_NEAR(solved[i], swept[i], 1e-11);
        }
        EXPECT_NEAR(report.residual, residual, 1e-11);
        model_finish(&model);
    }
    cr_log_info("worst difference %g", worst);
}

// Many sweeps end at the solution of the damped normal equations.
Test(sweep, many_damped_sweeps_reach_the_dense_answer) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        Random random = random_from(2700 + seed);
        RandomTree kinds = {6, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_reachable_goals(&model, &random, 0.4);
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_GAUSS_SEIDEL, 0.1);
        def.sweeps = 4000;
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        double j[MOST * MOST], v[MOST], expected[MOST], actual[MOST];
        int columns;
        int rows = model_problem(&model, j, v, &columns);
        cr_assert(dense_damped_least_squares(
            &(DenseProblem){j, rows, columns, v, report.lambda, NULL}, expected));
        cr_assert(model_unknowns(&model, actual) == columns);
        for (int i = 0; i < columns; i++) {
            EXPECT_NEAR(actual[i], expected[i], 1e-11);
        }
        model_finish(&model);
    }
}

// Each sweep of a damped solve lowers the minimised sum.
Test(sweep, more_sweeps_never_make_it_worse) {
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
