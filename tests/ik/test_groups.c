// SPDX-License-Identifier: MIT
// Checks that points without a common node do not affect each other: two arms in one tree move as
// in two trees. A solve's memory survives changes of weights, biases, ranges and switches.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "works.h"

enum { LINKS = 4, ARMS = 2, STEPS = 200 };

// Adds an arm of hinges on the base at x, with a point at its tip.
static void add_arm(Model* model, double x, double length, double weight) {
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.joint_in_parent.p = poise_vec3(x, 0.0, 0.0);
    for (int i = 0; i < LINKS; i++) {
        hinge.angle = 0.3;
        hinge.parent = model_add_node(model, &hinge);
        hinge.joint_in_parent.p = poise_vec3(length, 0.0, 0.0);
    }
    PoisePointDef point = poise_default_position_def();
    point.link = hinge.parent;
    point.in_link.p = poise_vec3(length, 0.0, 0.0);
    point.weight = weight;
    (void)model_add_point(model, &point);
}

static const double lengths[ARMS] = {1.0, 0.1};
static const double weights[ARMS] = {100.0, 1.0};

static Model make(unsigned arms) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    for (int a = 0; a < ARMS; a++) {
        if ((arms >> a & 1) != 0) {
            add_arm(&model, 3.0 * a, lengths[a], weights[a]);
        }
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    return model;
}

// Returns an arm's goal. The first arm's jumps between two places out of its reach; the second's is
// constant.
static PoiseVec3 goal_of(int arm, int step) {
    const double side = arm == 0 && step % 3 == 0 ? -1.0 : 1.0;
    const double far = arm == 0 ? 9.0 : 2.5;
    return poise_vec3(3.0 * arm + far * lengths[arm] * side, 0.5 * far * lengths[arm], 0.0);
}

static double farthest_apart(const Model* both, Model alone[ARMS]) {
    double worst = 0.0;
    for (int n = 0; n < ARMS * LINKS; n++) {
        const Model* one = &alone[n / LINKS];
        const double angle = poise_node_angle(both->tree, both->nodes[n]);
        worst = fmax(worst, fabs(angle - poise_node_angle(one->tree, one->nodes[n % LINKS])));
    }
    return worst;
}

// The damping's eps depends on the trace T of the whole tree, so the arms are independent only if
// the damping is 0.
Test(groups, arms_in_one_tree_move_as_in_trees_of_their_own) {
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        Model both = make(3), alone[ARMS] = {make(1), make(2)};
        PoiseSolveDef def = poise_default_solve_def();
        def.solver = (PoiseSolver)solver;
        def.damping = 0.0;
        double worst = 0.0;
        for (int step = 0; step < STEPS; step++) {
            for (int a = 0; a < ARMS; a++) {
                const PoiseVec3 goal = goal_of(a, step);
                cr_assert(poise_point_set_position(both.tree, both.points[a], goal) == POISE_OK);
                cr_assert(poise_point_set_position(alone[a].tree, alone[a].points[0], goal) ==
                          POISE_OK);
                cr_assert(model_step(&alone[a], &def, NULL) == POISE_OK);
            }
            cr_assert(model_step(&both, &def, NULL) == POISE_OK);
            worst = fmax(worst, farthest_apart(&both, alone));
        }
        cr_expect(worst < 1e-9, "solver %d: %g rad apart", solver, worst);
        model_finish(&both);
        model_finish(&alone[0]);
        model_finish(&alone[1]);
    }
}

// The first arm delays the second by at most 1 step, with the default eps.
Test(groups, an_arm_out_of_reach_does_not_slow_another_down) {
    int steps[2];
    for (int beside = 0; beside < 2; beside++) {
        Model model = make(beside ? 3 : 2);
        const PoisePointId point = model.points[beside];
        for (steps[beside] = 0; steps[beside] < STEPS; steps[beside]++) {
            const int step = steps[beside];
            if (beside) {
                WORKS(poise_point_set_position(model.tree, model.points[0], goal_of(0, step)));
            }
            WORKS(poise_point_set_position(model.tree, point, goal_of(1, step)));
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
            if (poise_point_planned_error(model.tree, point) < 1e-6) {
                break;
            }
        }
        model_finish(&model);
    }
    cr_log_info("%d steps alone, %d beside", steps[0], steps[1]);
    cr_expect(steps[1] <= steps[0] + 1 && steps[0] < 20, "%d steps alone, %d beside", steps[0],
              steps[1]);
}

typedef void Change(Model* model, int step);

static void change_nothing(Model* model, int step) {
    (void)model;
    (void)step;
}

static void change_weight(Model* model, int step) {
    WORKS(poise_point_set_weight(model->tree, model->points[0], weights[0] + 1e-13 * step));
}

static void change_bias(Model* model, int step) {
    WORKS(poise_node_set_bias(model->tree, model->nodes[1], 1.0 + 1e-15 * step));
}

static void change_range(Model* model, int step) {
    WORKS(poise_node_set_limits(model->tree, model->nodes[1], poise_range(-100.0, 100.0 + step)));
}

static void change_rows(Model* model, int step) {
    (void)step;
    // Setting the same rows again changes nothing, but discards the sets Cp and Nd.
    WORKS(
        poise_point_set_rows(model->tree, model->points[0], POISE_ROWS_ALL, POISE_ROW_AXES_WORLD));
}

static void switch_the_other(Model* model, int step) {
    WORKS(poise_point_set_enabled(model->tree, model->points[1], step % 2 == 0));
}

// A goal that jumps makes the damping grow. A change without effect must not reset the damping.
Test(groups, damping_outlives_changes) {
    static Change* const changes[] = {change_nothing, change_weight, change_bias,
                                      change_range,   change_rows,   switch_the_other};
    double gains[6], angles[6][LINKS];
    for (int c = 0; c < 6; c++) {
        Model model = make(3);
        PoiseSolveReport report = {0};
        PoiseSolveDef def = poise_default_solve_def();
        def.damping = 0.0;
        for (int step = 0; step < 60; step++) {
            const PoiseVec3 goal = poise_vec3(1.0, step % 2 == 0 ? 3.0 : -3.0, 0.0);
            cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
            changes[c](&model, step);
            cr_assert(model_step(&model, &def, &report) == POISE_OK);
        }
        gains[c] = report.damping_gain;
        for (int n = 0; n < LINKS; n++) {
            angles[c][n] = poise_node_angle(model.tree, model.nodes[n]);
        }
        model_finish(&model);
    }
    cr_expect(gains[0] > 0.3, "%g", gains[0]);
    for (int c = 1; c < 6; c++) {
        EXPECT_NEAR(gains[c], gains[0], 1e-12);
        for (int n = 0; n < LINKS; n++) {
            EXPECT_NEAR(angles[c][n], angles[0][n], 1e-6);
        }
    }
}

static void read_step(const Model* model, const PoiseTree* tree, double omega[ARMS * LINKS]) {
    for (int n = 0; n < ARMS * LINKS; n++) {
        WORKS(poise_node_omega(tree, model->nodes[n], &omega[n]));
    }
}

// Each of two groups, and each of two levels of priority, keeps its own damping factor k.
Test(groups, every_group_and_level_keeps_its_damping) {
    for (int priority = 0; priority < 2; priority++) {
        Model model = make(3);
        PoiseSolveReport report = {0};
        PoiseSolveDef def = poise_default_solve_def();
        def.damping = 0.0;
        cr_assert(poise_point_set_priority(model.tree, model.points[1], priority) == POISE_OK);
        double omegas[4][ARMS * LINKS];
        for (int step = 0; step < 31; step++) {
            const PoiseVec3 on = poise_vec3(3.2, step < 30 ? 0.2 : 0.1, 0.0);
            WORKS(poise_point_set_position(model.tree, model.points[0],
                                           goal_of(0, step < 20 ? step : 20)));
            WORKS(poise_point_set_position(model.tree, model.points[1], on));
            cr_assert(step == 30 || model_step(&model, &def, &report) == POISE_OK);
        }
        PoiseTree* copy = poise_tree_clone(model.tree);
        cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
        read_step(&model, model.tree, omegas[0]);
        for (int i = 1; i < 4; i++) {
            // The last solve sets the floor of both to the damping factor of the first.
            def.damping_frozen = i < 3;
            def.adaptive = false;
            def.damping_floor = i < 3 ? def.damping_floor : report.damping_gain;
            cr_assert(poise_solve(copy, &def, NULL) == POISE_OK);
            read_step(&model, copy, omegas[i]);
        }
        cr_expect_gt(report.damping_gain, 0.3);
        cr_expect_arr_eq(omegas[1], omegas[0], sizeof omegas[0]);
        cr_expect_arr_eq(omegas[2], omegas[0], sizeof omegas[0]);
        cr_expect_arr_eq(omegas[3], omegas[0], LINKS * sizeof(double));
        cr_expect_gt(fabs(omegas[3][LINKS] - omegas[0][LINKS]), 1e-6);
        poise_tree_destroy(copy);
        model_finish(&model);
    }
}

// Settings changed in a tree that has been solved give the same step as a tree that had them from
// the start.
Test(groups, settings_changed_in_place_are_those_of_a_new_tree) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        Random random = random_from(31000 + seed), same = random;
        RandomTree kinds = {8, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        kinds.ball_axes = seed % 2 == 0 ? POISE_BALL_THREE_AXES : POISE_BALL_REDUCED;
        Model models[2] = {model_random(&random, &kinds), model_random(&same, &kinds)};
        model_reachable_goals(&models[0], &random, 0.6);
        model_reachable_goals(&models[1], &same, 0.6);
        const PoiseSolveDef def = model_plain_def(POISE_SOLVER_AUTO, 1e-3);
        for (int m = 0; m < 2; m++) {
            // only the first tree has been solved before
            cr_assert(m > 0 || poise_solve(models[m].tree, &def, NULL) == POISE_OK);
            Random settings = random_from(seed);
            for (int n = 0; n < 8; n++) {
                PoiseTree* tree = models[m].tree;
                PoiseNodeId node = models[m].nodes[n];
                const double width = random_between(&settings, 0.0, 0.2);
                WORKS(poise_node_set_bias(tree, node, random_between(&settings, 0.5, 5.0)));
                if (random_index(&settings, 2) == 0 &&
                    poise_node_kind(tree, node) == POISE_NODE_BALL) {
                    WORKS(poise_node_set_limits(tree, node, poise_cone(2.0 + width, -3.0, 3.0)));
                } else if (poise_node_kind(tree, node) != POISE_NODE_BALL) {
                    const double angle = poise_node_angle(tree, node);
                    WORKS(poise_node_set_limits(tree, node,
                                                poise_range(angle - width, angle + width)));
                }
            }
            for (int p = 0; p < 3; p++) {
                WORKS(poise_point_set_weight(models[m].tree, models[m].points[p],
                                             random_between(&settings, 0.1, 10.0)));
            }
            cr_assert(poise_solve(models[m].tree, &def, NULL) == POISE_OK);
        }
        for (int n = 0; n < 8; n++) {
            double a[POISE_MAX_DOF], b[POISE_MAX_DOF];
            const int count = poise_node_omega(models[0].tree, models[0].nodes[n], a);
            GETS(poise_node_omega(models[1].tree, models[1].nodes[n], b));
            for (int d = 0; d < count; d++) {
                cr_expect(a[d] == b[d], "seed %d: %.17g, anew %.17g", (int)seed, a[d], b[d]);
            }
        }
        model_finish(&models[0]);
        model_finish(&models[1]);
    }
}

// A slot has 65,536 different handles; after them the slot is not used again.
Test(groups, handles_of_destroyed_nodes_are_never_used_again) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef hinge = poise_default_hinge_def();
    const PoiseNodeId root = poise_node_create(tree, &hinge);
    hinge.parent = root;
    PoisePointDef def = poise_default_position_def();
    def.link = root;
    const PoiseNodeId first = poise_node_create(tree, &hinge);
    const PoisePointId first_point = poise_point_create(tree, &def);
    PoiseNodeId node = first;
    PoisePointId point = first_point;
    for (int i = 0; i < 70000; i++) {
        cr_assert(poise_node_destroy(tree, node) == POISE_OK);
        cr_assert(poise_point_destroy(tree, point) == POISE_OK);
        node = poise_node_create(tree, &hinge);
        point = poise_point_create(tree, &def);
        cr_assert(poise_node_is_valid(tree, node) && poise_point_is_valid(tree, point));
        cr_assert(!poise_node_is_valid(tree, first) && !poise_point_is_valid(tree, first_point),
                  "after %d", i);
    }
    cr_expect(node.index1 == first.index1 + 1 && point.index1 == first_point.index1 + 1);
    cr_expect(poise_tree_node_count(tree) == 2 && poise_tree_point_count(tree) == 1);
    poise_tree_destroy(tree);
}
