// SPDX-License-Identifier: MIT
// Repeats forward, solve and advance with perfect tracking (rows 0.10, 0.16 of DOCUMENTS.md): steps
// to the goal, rest beyond reach, bias, damping.
#include <criterion/criterion.h>
#include <stdio.h>

#include "models.h"
#include "near.h"
#include "works.h"

static PoiseSolveDef default_def(PoiseSolver solver) {
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    return def;
}

// Returns the number of steps until the error is at most `enough`; -1 if `most` steps do not
// suffice.
static int steps_to(Model* model, const PoiseSolveDef* def, double enough, int most) {
    for (int step = 1; step <= most; step++) {
        cr_assert(model_step(model, def, NULL) >= POISE_OK);
        if (poise_point_planned_error(model->tree, model->points[0]) <= enough) {
            return step;
        }
    }
    return -1;
}

// Row 0.16 of DOCUMENTS.md: Springhead's scenes with perfect tracking need the same number of steps
// for links of any length
static void springhead_scene(PoiseSolver solver) {
    static const int balls[] = {2, 5, 10};
    static const double lengths[] = {0.03, 1.0, 10.0};
    for (int b = 0; b < 3; b++) {
        int fewest = 1000, most = 0;
        for (int l = 0; l < 3; l++) {
            Model model = model_springhead(balls[b], lengths[l]);
            double reach = (0.1 + balls[b]) * lengths[l];
            PoiseVec3 goal = poise_vec3(0.45 * reach, 0.55 * reach, 0.2 * reach);
            cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
            PoiseSolveDef def = default_def(solver);
            int steps = steps_to(&model, &def, 0.01 * reach, 100);
            cr_expect(steps > 0 && steps <= 10, "%d balls of %g m: %d steps", balls[b], lengths[l],
                      steps);
            fewest = steps < fewest ? steps : fewest;
            most = steps > most ? steps : most;
            // The point stays at its goal.
            int exact = steps_to(&model, &def, 1e-6 * lengths[l], 300);
            cr_expect(exact > 0, "%d balls of %g m: never within 1e-6", balls[b], lengths[l]);
            model_finish(&model);
        }
        cr_expect(most - fewest <= 1, "%d balls: %d to %d steps", balls[b], fewest, most);
        cr_log_info("%d balls: %d to %d steps", balls[b], fewest, most);
    }
}

Test(loop, reaches_springheads_target_in_ten_steps) {
    springhead_scene(POISE_SOLVER_DUAL);
    springhead_scene(POISE_SOLVER_GAUSS_SEIDEL);
}

// Row 0.10 of DOCUMENTS.md: reachable goals, places and poses, are met to a micrometre
static void reaches_random_goals(PoiseSolver solver, PoisePointKind kind, int most_steps) {
    int worst = 0, failed = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        Random random = random_from(9000 + seed);
        RandomTree kinds = {7, 0, true, false, true, false, false, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        PoisePointDef def = model_point_def(kind);
        def.link = model.nodes[6];
        def.in_link.p = random_vec3(&random, 0.3);
        (void)model_add_point(&model, &def);
        cr_assert(poise_forward(model.tree) == POISE_OK);
        model_reachable_goals(&model, &random, 0.4);
        PoiseSolveDef solve = default_def(solver);
        int step = 0;
        bool met = false;
        while (!met && step < most_steps) {
            cr_assert(model_step(&model, &solve, NULL) == POISE_OK);
            step++;
            met = poise_point_planned_error(model.tree, model.points[0]) < 1e-6 &&
                  poise_point_planned_angle_error(model.tree, model.points[0]) < 1e-6;
        }
        failed += !met;
        worst = step > worst ? step : worst;
        model_finish(&model);
    }
    cr_expect(failed == 0, "%d of 100 not met in %d steps", failed, most_steps);
    cr_log_info("solver %d, point kind %d: at most %d steps", (int)solver, (int)kind, worst);
}

Test(loop, meets_reachable_goals) {
    reaches_random_goals(POISE_SOLVER_DUAL, POISE_POINT_POSITION, 100);
    reaches_random_goals(POISE_SOLVER_DUAL, POISE_POINT_POSE, 300);
    reaches_random_goals(POISE_SOLVER_GAUSS_SEIDEL, POISE_POINT_POSITION, 300);
}

// Returns the largest rotation of a node in the last solve, rad.
static double largest_turn(const Model* model) {
    double largest = 0.0;
    for (int n = 0; n < model->node_count; n++) {
        double omega[POISE_MAX_DOF] = {0.0};
        GETS(poise_node_omega(model->tree, model->nodes[n], omega));
        largest =
            fmax(largest, sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]));
    }
    return largest;
}

// Row 0.10 of DOCUMENTS.md: beyond reach the error falls until the joints are at rest
static void rests_beyond_reach(Model* model, const PoiseSolveDef* def, PoiseVec3 goal,
                               const char* what) {
    cr_assert(poise_point_set_position(model->tree, model->points[0], goal) == POISE_OK);
    double scale = poise_point_reach(model->tree, model->points[0]);
    double error = poise_point_planned_error(model->tree, model->points[0]);
    double worst_rise = 0.0, worst_turn = 0.0, worst_tip = 0.0;
    for (int step = 0; step < 600; step++) {
        PoiseVec3 tip = poise_point_planned_pose(model->tree, model->points[0]).p;
        cr_assert(poise_forward(model->tree) == POISE_OK);
        cr_assert(poise_solve(model->tree, def, NULL) == POISE_OK);
        double turn = largest_turn(model);
        cr_assert(poise_advance(model->tree) == POISE_OK);
        cr_assert(poise_forward(model->tree) == POISE_OK);
        double next = poise_point_planned_error(model->tree, model->points[0]);
        worst_rise = fmax(worst_rise, (next - error) / scale);
        error = next;
        if (step >= 400) {
            PoiseVec3 now = poise_point_planned_pose(model->tree, model->points[0]).p;
            worst_turn = fmax(worst_turn, turn);
            worst_tip = fmax(worst_tip, poise_length(poise_sub(now, tip)));
        }
    }
    cr_expect(worst_rise <= 1e-9, "%s: the error rose by %g of the reach", what, worst_rise);
    cr_expect(worst_turn <= 1e-3, "%s: %g rad a step at rest", what, worst_turn);
    cr_expect(worst_tip <= 1e-6, "%s: the tip moves %g m a step at rest", what, worst_tip);
}

static void rests_with(PoiseSolver solver) {
    static const double parts[] = {1.05, 1.3, 3.0};
    for (int p = 0; p < 3; p++) {
        for (int balls = 2; balls <= 10; balls += 3) {
            char what[64];
            snprintf(what, sizeof what, "%d balls, %g of the reach", balls, parts[p]);
            Model model = model_springhead(balls, 1.0);
            PoiseVec3 direction = poise_vec3(0.6, 0.48, 0.64);
            PoiseVec3 goal =
                poise_add_scaled(poise_vec3(0.0, 0.1, 0.0), parts[p] * balls, direction);
            PoiseSolveDef def = default_def(solver);
            rests_beyond_reach(&model, &def, goal, what);
            model_finish(&model);
        }
        Model model = model_chain(POISE_NODE_HINGE, 5, 1.0, POISE_POINT_POSITION);
        for (int n = 0; n < 5; n++) {
            WORKS(poise_node_set_angle(model.tree, model.nodes[n], 0.5));
        }
        cr_assert(poise_forward(model.tree) == POISE_OK);
        PoiseSolveDef def = default_def(solver);
        rests_beyond_reach(&model, &def, poise_vec3(0.0, 5.0 * parts[p], 0.0), "5 hinges");
        model_finish(&model);
    }
}

Test(loop, a_chain_rests_at_a_goal_beyond_reach) {
    rests_with(POISE_SOLVER_DUAL);
    rests_with(POISE_SOLVER_GAUSS_SEIDEL);
}

// Row 0.16 of DOCUMENTS.md: the goal is met for biases from 0.5 to 16, and a small motion has the
// weighted least norm
static void bias_shares_the_motion(PoiseSolver solver) {
    static const double biases[] = {16.0, 8.0, 4.0, 2.0, 1.0, 0.5};
    Model model = model_chain(POISE_NODE_HINGE, 6, 1.0, POISE_POINT_POSITION);
    for (int n = 0; n < 6; n++) {
        cr_assert(poise_node_set_bias(model.tree, model.nodes[n], biases[n]) == POISE_OK);
        cr_assert(poise_node_set_angle(model.tree, model.nodes[n], 0.2) == POISE_OK);
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(1.5, 3.0, 0.0)) ==
              POISE_OK);
    PoiseSolveDef def = default_def(solver);
    int steps = steps_to(&model, &def, 1e-6, 300);
    cr_expect(steps > 0, "never met");
    cr_log_info("solver %d: met in %d steps", (int)solver, steps);
    model_finish(&model);
}

Test(loop, meets_a_goal_with_uneven_biases) {
    bias_shares_the_motion(POISE_SOLVER_DUAL);
    bias_shares_the_motion(POISE_SOLVER_GAUSS_SEIDEL);
}

// omega minimises |W^-1/2 omega| among the steps that give the point the same motion. Thus K omega
// = J^T y for some y, K = diag(bias).
Test(loop, a_small_motion_with_bias_has_the_weighted_least_norm) {
    static const double biases[] = {0.5, 1.0, 2.0, 4.0, 16.0};
    Model model = model_chain(POISE_NODE_HINGE, 5, 1.0, POISE_POINT_POSITION);
    for (int n = 0; n < 5; n++) {
        cr_assert(poise_node_set_bias(model.tree, model.nodes[n], biases[n]) == POISE_OK);
        cr_assert(poise_node_set_angle(model.tree, model.nodes[n], 0.4) == POISE_OK);
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    PoiseVec3 tip = poise_point_planned_pose(model.tree, model.points[0]).p;
    cr_assert(poise_point_set_position(model.tree, model.points[0],
                                       poise_add(tip, poise_vec3(1e-3, 2e-3, 0.0))) == POISE_OK);
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 1e-13);
    cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
    double j[64], omega[8];
    int columns;
    cr_assert(model_jacobian(&model, j, &columns) == 3 && columns == 5);
    cr_assert(model_omega(&model, omega) == 5);
    // y follows from the first two joints by Cramer's rule; the others must agree.
    double a = j[0], b = j[5], c = j[1], d = j[6];
    double det = a * d - b * c;
    double first = biases[0] * omega[0], second = biases[1] * omega[1];
    double y0 = (first * d - b * second) / det;
    double y1 = (a * second - first * c) / det;
    double moved_x = 0.0, moved_y = 0.0;
    for (int n = 0; n < 5; n++) {
        EXPECT_NEAR(biases[n] * omega[n], j[n] * y0 + j[5 + n] * y1, 1e-12);
        moved_x += j[n] * omega[n];
        moved_y += j[5 + n] * omega[n];
    }
    EXPECT_NEAR(moved_x, 1e-3, 1e-12);
    EXPECT_NEAR(moved_y, 2e-3, 1e-12);
    model_finish(&model);
}

// A bent chain whose tip starts on its goal does not move (row 0.16).
Test(loop, a_chain_at_its_goal_does_not_move) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = model_springhead(5, 1.0);
        Random random = random_from(50);
        model_scatter(&model, &random, 1.0);
        PoiseVec3 tip = poise_point_planned_pose(model.tree, model.points[0]).p;
        cr_assert(poise_point_set_position(model.tree, model.points[0], tip) == POISE_OK);
        PoiseQuat start[5];
        for (int n = 0; n < 5; n++) {
            start[n] = poise_node_pose(model.tree, model.nodes[n]).q;
        }
        PoiseSolveDef def = default_def((PoiseSolver)solver);
        for (int step = 0; step < 10000; step++) {
            cr_assert(model_step(&model, &def, NULL) == POISE_OK);
        }
        EXPECT_NEAR3(poise_point_planned_pose(model.tree, model.points[0]).p, tip, 1e-13);
        // Rotations are normalised in each step and do not drift.
        for (int n = 0; n < 5; n++) {
            EXPECT_NEAR_QUAT(poise_node_pose(model.tree, model.nodes[n]).q, start[n], 1e-13);
        }
        model_finish(&model);
    }
}

// Half a turn away the error has no slope, but it has an axis.
Test(loop, orientation_half_a_turn_away_is_reached) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        for (int axis = 0; axis < 4; axis++) {
            Model model = model_chain(POISE_NODE_BALL, 3, 1.0, POISE_POINT_ORIENTATION);
            PoiseQuat goal =
                poise_quat(0.0, axis == 0 || axis == 3, axis == 1 || axis == 3, axis == 2);
            cr_assert(poise_point_set_orientation(model.tree, model.points[0], goal) == POISE_OK);
            PoiseSolveDef def = default_def((PoiseSolver)solver);
            double error = poise_point_planned_angle_error(model.tree, model.points[0]);
            EXPECT_NEAR(error, 3.14159265358979323846, 1e-12);
            for (int step = 0; step < 60; step++) {
                cr_assert(model_step(&model, &def, NULL) == POISE_OK);
                double next = poise_point_planned_angle_error(model.tree, model.points[0]);
                cr_expect(next <= error + 1e-9, "step %d: %g after %g", step, next, error);
                error = next;
            }
            EXPECT_NEAR(error, 0.0, 1e-6);
            model_finish(&model);
        }
    }
}

// The damping factor k stays within 0..2, and the step is finite, for any goals.
Test(loop, adaptive_damping_stays_within_its_bounds) {
    double largest = 0.0;
    int adapted = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        Random random = random_from(9500 + seed);
        RandomTree kinds = {7, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        PoiseSolveDef def =
            default_def(seed % 2 == 0 ? POISE_SOLVER_DUAL : POISE_SOLVER_GAUSS_SEIDEL);
        def.damping_floor = seed % 4 < 2 ? 0.0 : 0.05;
        for (int step = 0; step < 100; step++) {
            for (int p = 0; p < 3; p++) {
                if (poise_point_kind(model.tree, model.points[p]) != POISE_POINT_ORIENTATION &&
                    step % 7 == 0) {
                    cr_assert(poise_point_set_position(model.tree, model.points[p],
                                                       random_vec3(&random, 4.0)) == POISE_OK);
                }
            }
            PoiseSolveReport report;
            cr_assert(model_step(&model, &def, &report) == POISE_OK);
            cr_expect(report.damping_gain >= def.damping_floor && report.damping_gain <= 2.0);
            largest = fmax(largest, report.damping_gain);
            adapted += report.damping_gain > def.damping_floor;
            cr_expect(isfinite(report.residual) && isfinite(report.lambda));
        }
        model_finish(&model);
    }
    cr_expect(adapted > 100, "%d steps were damped", adapted);
    cr_log_info("largest k %g, %d of 20000 steps damped", largest, adapted);
}

// k grows while steps turn back, and otherwise falls by a twentieth for each step.
Test(loop, damping_fades_once_the_goal_can_be_met) {
    Model model = model_chain(POISE_NODE_HINGE, 3, 1.0, POISE_POINT_POSITION);
    model_scatter(&model, &(Random){3}, 0.5);
    PoiseSolveDef def = poise_default_solve_def();
    def.damping_floor = 0.01;
    PoiseSolveReport report = {0};
    double most = 0.0;
    for (int step = 0; step < 60; step++) {
        // the goal jumps between two places
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.5, step % 2 == 0 ? 2.0 : -2.0, 0.0)) ==
                  POISE_OK);
        cr_assert(model_step(&model, &def, &report) == POISE_OK);
        most = fmax(most, report.damping_gain);
    }
    cr_expect(most > 0.5 && most <= 2.0, "%g", most);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(1.5, 1.5, 0.0)) ==
              POISE_OK);
    cr_assert(model_step(&model, &def, &report) == POISE_OK);
    double last = report.damping_gain;
    for (int step = 0; step < 3; step++) {
        cr_assert(model_step(&model, &def, &report) == POISE_OK);
        last = report.damping_gain;
    }
    for (int step = 0; step < 150; step++) {
        cr_assert(model_step(&model, &def, &report) == POISE_OK);
        EXPECT_NEAR(report.damping_gain, fmax(0.95 * last, def.damping_floor), 1e-15);
        last = report.damping_gain;
    }
    EXPECT_NEAR(last, def.damping_floor, 0.0);
    model_finish(&model);
}

// Row 0.16 of DOCUMENTS.md, in closed form: sliders in a row divide a displacement in proportion to
// 1 / bias. A damped step makes the part sum / (sum + lambda) of the displacement, whatever the
// proportions, and the loop ends at the whole
Test(loop, biases_of_a_half_to_sixteen_converge_to_the_weighted_answer) {
    static const double biases[] = {0.5, 16.0, 1.0, 8.0, 2.0, 4.0};
    const double way = 0.7;
    double sum = 0.0;
    for (int n = 0; n < 6; n++) {
        sum += 1.0 / biases[n];
    }
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = model_chain(POISE_NODE_SLIDER, 6, 0.0, POISE_POINT_POSITION);
        for (int n = 0; n < 6; n++) {
            cr_assert(poise_node_set_bias(model.tree, model.nodes[n], biases[n]) == POISE_OK);
        }
        // along z, the axis of the sliders
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.0, 0.0, way)) == POISE_OK);
        PoiseSolveDef def = model_plain_def((PoiseSolver)solver, 0.05);
        def.sweeps = 3000;
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        const double part = sum / (sum + report.lambda);
        for (int n = 0; n < 6; n++) {
            double omega[POISE_MAX_DOF];
            GETS(poise_node_omega(model.tree, model.nodes[n], omega));
            EXPECT_NEAR(omega[0], part * way / biases[n] / sum, 1e-12);
        }
        for (int step = 0; step < 40; step++) {
            cr_assert(model_step(&model, &def, NULL) == POISE_OK);
        }
        for (int n = 0; n < 6; n++) {
            EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[n]), way / biases[n] / sum, 1e-12);
        }
        model_finish(&model);
    }
}
