// SPDX-License-Identifier: MIT
// Solves random problems, in tests/nightly 100,000 for each test: both forms of Gauss-Seidel, and
// DUAL against least squares by other means. BOX: test_box.c; steps: test_random_steps.c.
#include <criterion/criterion.h>

#include "models.h"
#include "orthogonal.h"
#include "sample.h"
#include "size.h"

enum { MOST = DENSE_MOST, PROBLEMS_A_TREE = 20 };

static Model small_tree(Random* random, uint64_t seed, bool reduced) {
    RandomTree kinds = {2, 1, true, true, true, true, seed % 2 == 0, POISE_BALL_THREE_AXES};
    kinds.nodes += random_index(random, 5);
    kinds.points += random_index(random, 3);
    kinds.branched = random_index(random, 4) > 0;
    kinds.ball_axes = reduced ? POISE_BALL_REDUCED : POISE_BALL_THREE_AXES;
    return model_random(random, &kinds);
}

// Computes omega and residual by poise_solve and by the paper's stages; returns the difference,
// divided by |omega| if that is larger than 1.
static double compare_forms(Model* model, Random* random, double damping) {
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_GAUSS_SEIDEL, damping);
    def.sweeps = 1 + random_index(random, 30);
    PoiseSolveReport report;
    cr_assert(poise_solve(model->tree, &def, &report) == POISE_OK);
    double solved[MOST], swept[MOST], residual = 0.0;
    const int count = model_omega(model, solved);
    cr_assert(poise_stage_jacobians(model->tree) == POISE_OK);
    cr_assert(poise_stage_blocks(model->tree) == POISE_OK);
    for (int sweep = 0; sweep < report.sweeps; sweep++) {
        cr_assert(poise_stage_sweep(model->tree, report.lambda, &residual) == POISE_OK);
    }
    cr_assert(model_omega(model, swept) == count);
    double worst = fabs(report.residual - residual);
    for (int i = 0; i < count; i++) {
        cr_assert(isfinite(solved[i]) && isfinite(swept[i]));
        worst = fmax(worst, fabs(solved[i] - swept[i]));
    }
    return worst / fmax(1.0, largest_of(solved, count));
}

// Row 0.9 of DOCUMENTS.md, damped and undamped. The difference is relative where omega is more than
// 1 rad
Test(random_problems, residual_form_has_the_iterates_of_the_gamma_form) {
    double worst = 0.0;
    int done = 0, undamped = 0;
    for (uint64_t seed = 0; done < sample_problems(); seed++) {
        Random random = random_from(100000 + seed);
        Model model = small_tree(&random, seed, seed % 5 == 0);
        for (int i = 0; i < PROBLEMS_A_TREE; i++, done++) {
            model_scatter(&model, &random, 1.0);
            model_reachable_goals(&model, &random, 0.7);
            const double damping = i % 2 == 0 ? 0.0 : exp(random_between(&random, -12.0, 0.0));
            undamped += damping == 0.0;
            const double off = compare_forms(&model, &random, damping);
            cr_expect(off <= 1e-11, "seed %d, problem %d: off by %g", (int)seed, i, off);
            worst = fmax(worst, off);
        }
        model_finish(&model);
    }
    cr_log_info("%d problems, %d undamped: worst difference %g", done, undamped, worst);
}

typedef struct Tally {
    int problems;
    int idle;
    double worst;
} Tally;

static void judge_damped(Model* model, double damping, uint64_t seed, Tally* tally) {
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, damping);
    PoiseSolveReport report;
    cr_assert(poise_solve(model->tree, &def, &report) == POISE_OK);
    cr_assert(report.solver == POISE_SOLVER_DUAL);
    double j[MOST * MOST], v[MOST], expected[MOST], actual[MOST];
    int columns;
    const int rows = model_problem(model, j, v, &columns);
    cr_assert(model_unknowns(model, actual) == columns);
    tally->problems++;
    if (!(report.lambda > 0.0)) {
        // no column can move
        cr_expect(norm(actual, columns) == 0.0);
        tally->idle++;
        return;
    }
    orthogonal_damped_least_squares(&(DenseProblem){j, rows, columns, v, report.lambda, NULL},
                                    expected);
    for (int c = 0; c < columns; c++) {
        cr_assert(isfinite(actual[c]));
        actual[c] -= expected[c];
    }
    const double off = norm(actual, columns) / fmax(norm(expected, columns), 1e-12);
    cr_expect(off <= 1e-10, "seed %d: off by %g", (int)seed, off);
    tally->worst = fmax(tally->worst, off);
}

// Includes problems with fewer dofs than rows, where J J^T alone loses digits.
Test(random_problems, dual_is_damped_least_squares) {
    Tally tally = {0};
    for (uint64_t seed = 0; tally.problems < sample_problems(); seed++) {
        Random random = random_from(200000 + seed);
        Model model = small_tree(&random, seed, false);
        for (int i = 0; i < PROBLEMS_A_TREE; i++) {
            model_scatter(&model, &random, 1.0);
            model_reachable_goals(&model, &random, 0.7);
            judge_damped(&model, exp(random_between(&random, log(1e-5), 0.0)), seed, &tally);
        }
        model_finish(&model);
    }
    cr_expect(tally.idle < tally.problems / 10, "%d had nothing to move", tally.idle);
    cr_log_info("%d problems: worst relative difference %g", tally.problems, tally.worst);
}

// Undamped with independent rows: J omega = v with the least norm.
Test(random_problems, undamped_dual_is_the_least_norm) {
    double worst = 0.0;
    int done = 0, met = 0;
    for (uint64_t seed = 0; done < sample_problems(); seed++) {
        Random random = random_from(300000 + seed);
        RandomTree kinds = {4 + random_index(&random, 4), 0, true, true, true, false, seed % 2 == 0,
                            POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        PoisePointDef point =
            model_point_def(seed % 3 == 0 ? POISE_POINT_POSE : POISE_POINT_POSITION);
        point.link = model.nodes[model.node_count - 1];
        point.in_link = random_pose(&random, 0.3, 3.0);
        (void)model_add_point(&model, &point);
        for (int i = 0; i < PROBLEMS_A_TREE; i++, done++) {
            double j[MOST * MOST], v[MOST], expected[MOST], actual[MOST], condition;
            int columns;
            model_scatter(&model, &random, 1.0);
            model_reachable_goals(&model, &random, 0.7);
            PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 0.0);
            cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
            const int rows = model_problem(&model, j, v, &columns);
            cr_assert(model_unknowns(&model, actual) == columns);
            const int rank = orthogonal_least_norm(&(DenseProblem){j, rows, columns, v, 0.0, NULL},
                                                   1e-14, expected, &condition);
            if (rank < rows || condition > 300.0) {
                continue; // rounding alone exceeds the tolerance of 1e-10
            }
            for (int c = 0; c < columns; c++) {
                actual[c] -= expected[c];
            }
            const double off = norm(actual, columns) / fmax(norm(expected, columns), 1e-12);
            cr_expect(off <= 1e-10, "seed %d: off by %g, condition %g", (int)seed, off, condition);
            worst = fmax(worst, off);
            met++;
        }
        model_finish(&model);
    }
    cr_expect(met > done / 2, "%d of %d", met, done);
    cr_log_info("%d of %d problems: worst relative difference %g", met, done, worst);
}
