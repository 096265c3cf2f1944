// SPDX-License-Identifier: MIT
// Tests priorities: the first level is solved as if alone, the others as closely as the first
// allows (row 2.6 of DOCUMENTS.md), and null-space vectors (row 2.7).
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "dense.h"
#include "host.h"
#include "models.h"
#include "near.h"
#include "two_levels.h"
#include "works.h"

enum { MOST = 64 };

// The two priorities may have any different values. The points stay where they settle.
Test(priority, the_first_priority_is_met_and_the_second_gets_as_near_as_it_can) {
    static const int levels[3][2] = {{0, 1}, {0, 15}, {3, 7}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            Model model = planar_arm(cases[i].high, cases[i].low, levels[k][0], levels[k][1]);
            double worst_high = 0.0, worst_low = 0.0, low = 0.0;
            for (int step = 0; step < 600; step++) {
                PoiseSolveReport report;
                cr_assert(model_step(&model, NULL, &report) == POISE_OK);
                cr_expect(report.levels == 2 && report.solver == POISE_SOLVER_DUAL);
                if (step >= 300) {
                    worst_high =
                        fmax(worst_high, poise_point_planned_error(model.tree, model.points[0]));
                    low = poise_point_planned_error(model.tree, model.points[1]);
                    worst_low = fmax(worst_low, fabs(low - cases[i].best_low));
                }
            }
            cr_expect(worst_high < 1e-6, "case %d: high %g", i, worst_high);
            cr_expect(worst_low < fmax(0.01 * cases[i].best_low, 1e-6), "case %d: low %g, best %g",
                      i, low, cases[i].best_low);
            model_finish(&model);
        }
    }
}

// The first is met from any posture; the second may end in another fold of the arm.
Test(priority, the_first_priority_is_met_from_any_posture) {
    for (uint64_t seed = 0; seed < 150; seed++) {
        Random random = random_from(11000 + seed);
        const Case* c = &cases[seed % 3];
        Model model = planar_arm(c->high, c->low, 0, 1);
        for (int n = 0; n < LINKS; n++) {
            WORKS(poise_node_set_angle(model.tree, model.nodes[n],
                                       random_between(&random, -1.5, 1.5)));
        }
        double worst = 0.0;
        for (int step = 0; step < 600; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
            const double high = poise_point_planned_error(model.tree, model.points[0]);
            worst = step >= 400 ? fmax(worst, high) : 0.0;
        }
        cr_expect(worst < 1e-6, "seed %d: %g", (int)seed, worst);
        model_finish(&model);
    }
}

// The priority number of a single level changes no bit.
Test(priority, one_level_changes_nothing) {
    Model a = planar_arm(cases[0].high, cases[0].low, 0, 0);
    Model b = planar_arm(cases[0].high, cases[0].low, 9, 9);
    PoiseSolveReport report;
    for (int step = 0; step < 50; step++) {
        cr_assert(model_step(&a, NULL, NULL) == POISE_OK);
        cr_assert(model_step(&b, NULL, &report) == POISE_OK);
        cr_expect(report.levels == 1);
    }
    cr_expect(model_hash(&a) == model_hash(&b));
    model_finish(&a);
    model_finish(&b);
}

// Makes a random tree with points of random priorities.
static Model random_levels(Random* random, int nodes, int points) {
    RandomTree kinds = {nodes, 0, true, true, true, true, true, POISE_BALL_THREE_AXES};
    Model model = model_random(random, &kinds);
    for (int p = 0; p < points; p++) {
        PoisePointDef def =
            random_index(random, 3) == 0 ? poise_default_pose_def() : poise_default_position_def();
        def.link = model.nodes[random_index(random, nodes)];
        def.in_link.p = random_vec3(random, 0.4);
        def.priority = random_index(random, 4);
        (void)model_add_point(&model, &def);
    }
    return model;
}

enum { ORACLE_NODES = 6, ORACLE_ROWS = 64 };
// weight of the rows that hold earlier levels
#define HEAVY 1e5

// Displacement of each joint to its reference, the reference's weight, and the joint's range.
typedef struct Wishes {
    double way[ORACLE_NODES], pull[ORACLE_NODES], bounds[2 * ORACLE_NODES];
} Wishes;

// Makes hinges and sliders with tight ranges, a third of them with a weighted reference.
static Model ranged_levels(Random* random, Wishes* wishes) {
    RandomTree kinds = {ORACLE_NODES, 0, true, true, false, true, true, POISE_BALL_THREE_AXES};
    Model model = model_random(random, &kinds);
    for (int p = 0; p < 3; p++) {
        PoisePointDef def = poise_default_position_def();
        def.link = model.nodes[random_index(random, ORACLE_NODES)];
        def.in_link.p = random_vec3(random, 0.4);
        def.priority = random_index(random, 3);
        (void)model_add_point(&model, &def);
    }
    model_reachable_goals(&model, random, 0.7);
    for (int n = 0, c = 0; n < ORACLE_NODES; n++) {
        const double angle = poise_node_angle(model.tree, model.nodes[n]);
        const double lower = angle - random_between(random, 0.0, 0.3);
        const double upper = angle + random_between(random, 0.0, 0.3);
        double reference = angle, weight = 0.0;
        WORKS(poise_node_set_limits(model.tree, model.nodes[n], poise_range(lower, upper)));
        if (random_index(random, 3) == 0) {
            reference += random_between(random, -0.4, 0.4);
            weight = random_index(random, 2);
            weight *= random_between(random, 0.0, 0.5);
            WORKS(poise_node_set_reference(model.tree, model.nodes[n], &reference, 1));
            WORKS(poise_node_set_reference_weight(model.tree, model.nodes[n], weight));
        }
        if (poise_node_dof(model.tree, model.nodes[n]) == 1) {
            const double scale = sqrt(model.bias[n]);
            wishes->bounds[2 * c] = scale * (lower - angle);
            wishes->bounds[2 * c + 1] = scale * (upper - angle);
            wishes->way[c] = scale * (reference - angle);
            wishes->pull[c++] = weight / model.bias[n];
        }
    }
    return model;
}

// A matrix to which rows are appended.
typedef struct Rows {
    double j[ORACLE_ROWS * ORACLE_NODES], v[ORACLE_ROWS];
    int count;
    int columns;
} Rows;

static void add_row(Rows* rows, int column, double weight, double to) {
    for (int c = 0; c < rows->columns; c++) {
        rows->j[rows->count * rows->columns + c] = c == column ? sqrt(weight) : 0.0;
    }
    rows->v[rows->count++] = sqrt(weight) * to;
}

// Solves one level after the other, each by brute force over the active sets.
static void solve_levels_densely(const Model* model, const PoiseSolveDef* def, const Wishes* wishes,
                                 double* x) {
    double j[ORACLE_ROWS * ORACLE_NODES], v[ORACLE_ROWS];
    const double *const way = wishes->way, *const pull = wishes->pull;
    const double* const bounds = wishes->bounds;
    int columns, last = 0;
    const int all = model_problem(model, j, v, &columns);
    for (int p = 0; p < model->point_count; p++) {
        const int priority = poise_point_priority(model->tree, model->points[p]);
        last = priority > last ? priority : last;
    }
    for (int c = 0; c < columns; c++) {
        x[c] = pull[c] > 0.0 ? 0.0 : def->posture_rate * way[c];
    }
    for (int level = 0; level <= last; level++) {
        Rows rows = {.columns = columns};
        double before[ORACLE_NODES], trace = 0.0;
        int own = 0;
        memcpy(before, x, sizeof before);
        for (int r = 0; r < all; r++) {
            const int of_row = poise_point_priority(model->tree, model->points[r / 3]);
            const double weight = of_row == level ? 1.0 : HEAVY;
            if (of_row > level) {
                continue;
            }
            rows.v[rows.count] = of_row == level ? v[r] : 0.0;
            for (int c = 0; c < columns; c++) {
                const double entry = j[r * columns + c];
                rows.j[rows.count * columns + c] = weight * entry;
                rows.v[rows.count] += of_row == level ? 0.0 : weight * entry * before[c];
                trace += of_row == level ? entry * entry : 0.0;
            }
            own += of_row == level;
            rows.count++;
        }
        for (int c = 0; own > 0 && c < columns; c++) {
            add_row(&rows, c, def->damping * trace / own, before[c]);
            add_row(&rows, c, level == last ? pull[c] : 0.0, way[c]);
        }
        if (own > 0 && trace > 0.0) {
            (void)dense_box_least_squares(
                &(DenseProblem){rows.j, rows.count, columns, rows.v, 1e-25, bounds}, x);
        }
    }
}

// Each level's answer is the optimum inside the ranges that leaves the levels before unchanged.
Test(priority, every_level_is_the_best_inside_the_ranges) {
    double worst = 0.0;
    int met = 0, levels = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        Random random = random_from(15000 + seed);
        double x[ORACLE_NODES], expected[ORACLE_NODES];
        Wishes wishes;
        Model model = ranged_levels(&random, &wishes);
        const double* const bounds = wishes.bounds;
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_AUTO, 1e-2);
        def.posture_rate = seed % 2 == 0 ? 0.0 : 0.5;
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        if (report.levels > 1) {
            const int columns = model_unknowns(&model, x);
            solve_levels_densely(&model, &def, &wishes, expected);
            for (int c = 0; c < columns; c++) {
                worst = fmax(worst, fabs(x[c] - expected[c]));
                cr_expect(fabs(x[c] - expected[c]) < 1e-6, "seed %d: %g, not %g", (int)seed, x[c],
                          expected[c]);
                cr_expect(x[c] >= bounds[2 * c] - 1e-12 && x[c] <= bounds[2 * c + 1] + 1e-12);
            }
            met += report.limited_dofs > 0;
            levels += report.levels;
        }
        model_finish(&model);
    }
    cr_expect(met > 500 && levels > 1500, "%d met a range, %d levels", met, levels);
    cr_log_info("off by %g at most; %d met a range, %d levels", worst, met, levels);
}

// Adds J x of the points before the last priority to `rows`, six for each point. x is omega, or the
// velocity.
static void add_motion(const Model* model, int last, bool velocity, double* rows) {
    for (int p = 0; p < model->point_count; p++, rows += 6) {
        for (int n = 0; n < model->node_count; n++) {
            double block[POISE_MAX_ROWS * POISE_MAX_DOF], x[POISE_MAX_DOF];
            const int dof = velocity ? poise_node_velocity(model->tree, model->nodes[n], x)
                                     : poise_node_omega(model->tree, model->nodes[n], x);
            const bool before = poise_point_priority(model->tree, model->points[p]) < last;
            const int size =
                before ? poise_jacobian(model->tree, model->points[p], model->nodes[n], block) : 0;
            for (int i = 0; i < size; i++) {
                rows[i / dof] += block[i] * x[i % dof];
            }
        }
    }
}

// Gives hinges and sliders this step range, or none if it is infinite.
static void bound_steps(const Model* model, double most) {
    for (int n = 0; n < model->node_count; n++) {
        if (poise_node_dof(model->tree, model->nodes[n]) == 1) {
            WORKS(poise_node_set_step_range(model->tree, model->nodes[n], -most, most));
        }
    }
}

// Gives hinges and sliders so little room, and steps so short, that many steps end on a bound.
static void tighten(const Model* model, Random* random) {
    bound_steps(model, random_between(random, 0.02, 0.1));
    for (int n = 0; n < model->node_count; n++) {
        if (poise_node_dof(model->tree, model->nodes[n]) == 1 && random_index(random, 2) == 0) {
            const double at = poise_node_angle(model->tree, model->nodes[n]);
            const double lower = at - random_between(random, 0.0, 0.1);
            const double upper = at + random_between(random, 0.0, 0.1);
            WORKS(poise_node_set_limits(model->tree, model->nodes[n], poise_range(lower, upper)));
        }
    }
}

// Solves, and stores by dof the velocities in `out[0]` and omega in `out[1]`.
static int solve_to(const Model* model, const PoiseSolveDef* def, double out[2][MOST]) {
    PoiseSolveReport report;
    cr_assert(poise_solve(model->tree, def, &report) == POISE_OK);
    for (int n = 0, dof = 0; n < model->node_count; n++) {
        cr_assert(poise_node_velocity(model->tree, model->nodes[n], &out[0][dof]) >= 0);
        dof += poise_node_omega(model->tree, model->nodes[n], &out[1][dof]);
    }
    return report.limited_dofs;
}

// Step ranges do not change velocities. Without them, omega is what it was before.
Test(priority, step_ranges_change_no_velocity_and_leave_nothing_behind) {
    int limited = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        Random random = random_from(12000 + seed);
        Model model = random_levels(&random, 8, 4);
        model_reachable_goals(&model, &random, 0.6);
        for (int p = 0; p < model.point_count; p++) {
            WORKS(poise_point_set_velocity(model.tree, model.points[p], random_vec3(&random, 0.5)));
        }
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_AUTO, 1e-3);
        def.step = 0.01;
        def.lambda = 1e-4;
        double free[2][MOST] = {{0.0}}, bounded[2][MOST] = {{0.0}}, after[2][MOST] = {{0.0}};
        (void)solve_to(&model, &def, free);
        bound_steps(&model, 0.05);
        limited += solve_to(&model, &def, bounded) > 0;
        bound_steps(&model, HUGE_VAL);
        (void)solve_to(&model, &def, after);
        for (int i = 0; i < MOST; i++) {
            cr_expect_float_eq(bounded[0][i], free[0][i], 1e-6, "seed %d", (int)seed);
            cr_expect_float_eq(after[0][i], free[0][i], 1e-6, "seed %d", (int)seed);
            cr_expect_float_eq(after[1][i], free[1][i], 1e-6, "seed %d", (int)seed);
        }
        model_finish(&model);
    }
    cr_expect_gt(limited, 300, "%d of 500 limited", limited);
}

// Compares the motion of points, and the velocities that follow from those of their goals, with and
// without the points of the last priority. In every second tree the last points push joints to
// their bounds.
Test(priority, last_points_do_not_affect_those_before) {
    int levels[4] = {0}, pushed = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        Random random = random_from(12000 + seed);
        Model model = random_levels(&random, 8, 4);
        model_reachable_goals(&model, &random, 0.6);
        if (seed % 2 == 1) {
            tighten(&model, &random);
        }
        int last = 0;
        for (int p = 0; p < model.point_count; p++) {
            const int priority = poise_point_priority(model.tree, model.points[p]);
            last = priority > last ? priority : last;
            WORKS(poise_point_set_velocity(model.tree, model.points[p], random_vec3(&random, 0.5)));
        }
        PoiseSolveDef def = model_plain_def(POISE_SOLVER_AUTO, 1e-3);
        def.step = 0.01;
        double moved[2][6 * 4] = {{0.0}}, followed[2][6 * 4] = {{0.0}};
        int limited[2] = {0};
        for (int with = 1; with >= 0; with--) {
            PoiseSolveReport report;
            cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
            levels[report.levels > 0 && with ? report.levels - 1 : 0]++;
            limited[with] = report.limited_dofs;
            add_motion(&model, last, false, moved[with]);
            add_motion(&model, last, true, followed[with]);
            for (int p = 0; p < model.point_count; p++) {
                const bool before = poise_point_priority(model.tree, model.points[p]) < last;
                WORKS(poise_point_set_enabled(model.tree, model.points[p], before));
            }
        }
        for (int i = 0; i < 24; i++) {
            EXPECT_NEAR(moved[1][i], moved[0][i], 1e-9);
            EXPECT_NEAR(followed[1][i], followed[0][i], 1e-9);
        }
        pushed += limited[1] > limited[0];
        model_finish(&model);
    }
    cr_expect(levels[2] > 100 && levels[3] > 20, "%d and %d of 3 and 4 levels", levels[2],
              levels[3]);
    cr_expect(pushed > 50, "%d trees have joints that the last points push to a bound", pushed);
}

// Projects a random vector: checks |J x| and |x - in|, and that a second projection changes
// nothing.
static void null_vector(Model* model, Random* random) {
    double in[MOST], out[MOST], again[MOST], moved[6 * 8] = {0.0};
    int count = 0;
    for (int n = 0; n < model->node_count; n++) {
        const bool serves = poise_node_dof(model->tree, model->nodes[n]) > 0;
        for (int d = 0; serves && d < model_dof(model, n); d++) {
            in[count++] = random_between(random, -1.0, 1.0);
        }
    }
    cr_assert(poise_stage_jacobians(model->tree) == POISE_OK);
    cr_assert(poise_null_space_project(model->tree, in, count, out) == POISE_OK);
    cr_assert(poise_null_space_project(model->tree, out, count, again) == POISE_OK);
    for (int i = 0; i < count; i++) {
        EXPECT_NEAR(again[i], out[i], 1e-12);
    }
    for (int p = 0; p < model->point_count; p++) {
        const double* x = out;
        for (int n = 0; n < model->node_count; n++) {
            double block[POISE_MAX_ROWS * POISE_MAX_DOF];
            const int dof = poise_node_dof(model->tree, model->nodes[n]);
            const int size = poise_jacobian(model->tree, model->points[p], model->nodes[n], block);
            for (int i = 0; i < size; i++) {
                moved[6 * p + i / dof] += block[i] * x[i % dof];
            }
            x += dof;
        }
    }
    for (int i = 0; i < 6 * model->point_count; i++) {
        EXPECT_NEAR(moved[i], 0.0, 1e-12);
    }
}

Test(priority, null_space_vectors_move_no_point) {
    int left = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        Random random = random_from(14000 + seed);
        Model model = random_levels(&random, 3 + random_index(&random, 10), 3);
        null_vector(&model, &random);
        model_finish(&model);
    }
    // 5 hinges and a place in the plane leave 3 degrees of freedom
    Model model = planar_arm(cases[0].high, cases[0].low, 0, 0);
    cr_assert(poise_point_set_enabled(model.tree, model.points[1], false) == POISE_OK);
    cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
    double trace = 0.0;
    for (int i = 0; i < LINKS; i++) {
        double unit[LINKS] = {0.0};
        unit[i] = 1.0;
        cr_assert(poise_null_space_project(model.tree, unit, LINKS, unit) == POISE_OK);
        trace += unit[i];
        left += unit[i] != 0.0;
    }
    EXPECT_NEAR(trace, 3.0, 1e-12);
    cr_expect(left == LINKS);
    model_finish(&model);
}
