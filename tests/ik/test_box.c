// SPDX-License-Identifier: MIT
// Tests the step inside the ranges against the bounded optimum (rows 0.16, 2.5 for hinges and
// sliders). Oracles: a lower bound of the cost that holds for any convex function, brute force over
// the active sets, and projected Gauss-Seidel in long double.
#include <criterion/criterion.h>
#include <string.h>

#include "dense.h"
#include "models.h"
#include "near.h"
#include "sample.h"

enum { MOST = DENSE_MOST, PROBLEMS_A_TREE = 20 };

// Draws new goals, and ranges around the current posture: a fifth of the joints are free, a fifth
// are on a bound; the ranges are tight or wide.
static void pose_problem(Model* model, Random* random, double* bounds) {
    model_reachable_goals(model, random, random_between(random, 0.05, 1.0));
    const double width = exp(random_between(random, log(1e-3), log(0.5)));
    int row = 0;
    for (int n = 0; n < model->node_count; n++) {
        const int dof = poise_node_dof(model->tree, model->nodes[n]);
        double lower = -HUGE_VAL, upper = HUGE_VAL, angle = 0.0;
        if (model_dof(model, n) == 1) {
            const int sort = random_index(random, 5);
            angle = poise_node_angle(model->tree, model->nodes[n]);
            lower = sort == 0 ? -HUGE_VAL : angle - random_between(random, 0.0, width);
            upper = sort == 0   ? HUGE_VAL
                    : sort == 1 ? angle
                                : angle + random_between(random, 0.0, width);
            cr_assert(poise_node_set_limits(model->tree, model->nodes[n],
                                            poise_range(lower, upper)) == POISE_OK);
        }
        const double scale = sqrt(model->bias[n]);
        for (int d = 0; d < dof; d++, row++) {
            bounds[2 * row] = scale * (lower - angle);
            bounds[2 * row + 1] = scale * (upper - angle);
        }
    }
}

// Bounds how far f(x) may be above the optimum. f(y) >= f(x) + g (y - x) + lambda |y - x|^2 for
// every y. The least right side in the box is thus a lower bound of the cost. It separates into one
// problem for each unknown.
static double most_above_best(const DenseProblem* problem, const double* x) {
    const double* const j = problem->j;
    const double* const v = problem->v;
    const int rows = problem->rows;
    const int columns = problem->columns;
    const double* const bounds = problem->bounds;
    const double lambda = problem->lambda;
    long double gap = 0.0L, rest[MOST];
    for (int k = 0; k < rows; k++) {
        rest[k] = -(long double)v[k];
        for (int c = 0; c < columns; c++) {
            rest[k] += (long double)j[k * columns + c] * (long double)x[c];
        }
    }
    for (int c = 0; c < columns; c++) {
        long double g = 2.0L * (long double)lambda * (long double)x[c];
        for (int k = 0; k < rows; k++) {
            g += 2.0L * (long double)j[k * columns + c] * rest[k];
        }
        const long double lower = (long double)bounds[2 * c] - (long double)x[c];
        const long double upper = (long double)bounds[2 * c + 1] - (long double)x[c];
        const long double step = fminl(fmaxl(-g / (2.0L * (long double)lambda), lower), upper);
        gap -= step * (g + (long double)lambda * step);
    }
    return (double)gap;
}

typedef struct Tally {
    int problems;
    int active;
    int most_cycles;
    double worst;
    double farthest;
} Tally;

static void solve_and_judge(Model* model, const PoiseSolveDef* def, const double* bounds,
                            Tally* tally, uint64_t seed) {
    double j[MOST * MOST], v[MOST], x[MOST];
    PoiseSolveReport report;
    int columns;
    cr_assert(poise_solve(model->tree, def, &report) == POISE_OK);
    const int rows = model_problem(model, j, v, &columns);
    cr_assert(columns <= MOST && rows <= MOST && model_unknowns(model, x) == columns);
    tally->problems++;
    for (int c = 0; c < columns; c++) {
        const double outside = fmax(bounds[2 * c] - x[c], x[c] - bounds[2 * c + 1]);
        cr_expect(isfinite(x[c]), "seed %d", (int)seed);
        tally->farthest = fmax(tally->farthest, outside);
    }
    if (!(report.lambda > 0.0 && report.goal_norm > 0.0)) {
        return; // no column can move, or every goal is met
    }
    const double cost =
        dense_damped_cost(&(DenseProblem){j, rows, columns, v, report.lambda, NULL}, x);
    const double above =
        most_above_best(&(DenseProblem){j, rows, columns, v, report.lambda, bounds}, x);
    const double still = report.goal_norm * report.goal_norm;
    cr_expect(cost <= still * (1.0 + 1e-12), "seed %d: worse than standing still", (int)seed);
    cr_expect(above <= 1e-6 * (cost - above), "seed %d: up to %g above the best, %g", (int)seed,
              above, cost - above);
    tally->worst = fmax(tally->worst, above / cost);
    tally->active += report.limited_dofs > 0;
    if (report.solver == POISE_SOLVER_BOX && report.sweeps > tally->most_cycles) {
        tally->most_cycles = report.sweeps;
    }
}

static Tally run(PoiseSolver solver, int problems, uint64_t first_seed) {
    Tally tally = {0};
    double bounds[2 * MOST];
    for (uint64_t seed = first_seed; tally.problems < problems; seed++) {
        Random random = random_from(seed);
        RandomTree kinds = {
            2 + random_index(&random, 17), 1, true, true, seed % 4 == 0, seed % 2 == 0, true,
            POISE_BALL_THREE_AXES};
        kinds.points += random_index(&random, 5);
        Model model = model_random(&random, &kinds);
        for (int i = 0; i < PROBLEMS_A_TREE; i++) {
            pose_problem(&model, &random, bounds);
            const PoiseSolveDef def =
                model_plain_def(solver, exp(random_between(&random, log(1e-6), 0.0)));
            solve_and_judge(&model, &def, bounds, &tally, seed);
        }
        model_finish(&model);
    }
    return tally;
}

Test(box, answers_are_the_best_inside_the_ranges) {
    Tally tally = run(POISE_SOLVER_AUTO, sample_problems(), 10000);
    cr_expect(tally.active > tally.problems / 2, "%d met a range", tally.active);
    cr_expect(tally.farthest <= 1e-9, "%g outside its range", tally.farthest);
    cr_expect(tally.most_cycles <= 8, "%d cycles", tally.most_cycles);
    cr_log_info("%d of %d on a range; at most %g above the best, %d cycles", tally.active,
                tally.problems, tally.worst, tally.most_cycles);
}

Test(box, box_needs_no_dual_solve_first) {
    Tally tally = run(POISE_SOLVER_BOX, sample_problems() / 20, 20000);
    cr_expect(tally.farthest <= 1e-9, "%g outside its range", tally.farthest);
}

// A joint on its limit leaves the limit in the first step if the goal asks for that.
Test(box, joint_leaves_its_limit_when_the_goal_says_so) {
    for (int side = -1; side <= 1; side += 2) {
        Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
        for (int n = 0; n < 3; n++) {
            cr_assert(poise_node_set_limits(model.tree, model.nodes[n], poise_range(-0.5, 0.5)) ==
                      POISE_OK);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.0, 3.0 * side, 0.0)) == POISE_OK);
        for (int step = 0; step < 100; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        }
        for (int n = 0; n < 3; n++) {
            EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[n]), 0.5 * side, 1e-12);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(2.85, -0.3 * side, 0.0)) == POISE_OK);
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        cr_expect(side * poise_node_angle(model.tree, model.nodes[0]) < 0.499);
        for (int step = 0; step < 50; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        }
        cr_expect(poise_point_planned_error(model.tree, model.points[0]) < 1e-6, "%g m",
                  poise_point_planned_error(model.tree, model.points[0]));
        model_finish(&model);
    }
}

// While no range is met, a step costs the same as DUAL's.
Test(box, auto_stays_with_dual_while_no_range_is_met) {
    Model model = model_chain(POISE_NODE_HINGE, 5, 1.0, POISE_POINT_POSITION);
    PoiseSolveReport report;
    cr_assert(poise_node_set_limits(model.tree, model.nodes[2], poise_range(-1.0, 1.0)) ==
              POISE_OK);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(4.9, 0.2, 0.0)) ==
              POISE_OK);
    cr_assert(poise_solve(model.tree, NULL, &report) == POISE_OK);
    cr_expect(report.solver == POISE_SOLVER_DUAL && report.sweeps == 1);
    cr_assert(poise_node_set_limits(model.tree, model.nodes[2], poise_range(0.0, 0.0)) == POISE_OK);
    cr_assert(poise_solve(model.tree, NULL, &report) == POISE_OK);
    cr_expect(report.solver == POISE_SOLVER_BOX && report.limited_dofs == 1);
    model_finish(&model);
}
