// SPDX-License-Identifier: MIT
// Tests the straight arm whose target lies on its own line (rows 0.10, 0.16 of DOCUMENTS.md), and
// arms for which no kick helps: they must not creep.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "works.h"

enum { NODES = 6 };

static Model straight_arm(PoiseNodeKind kind, const double* lengths, int count) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def =
        kind == POISE_NODE_BALL ? poise_default_ball_def() : poise_default_hinge_def();
    for (int i = 0; i < count; i++) {
        def.joint_in_parent.p = poise_vec3(i > 0 ? lengths[i - 1] : 0.0, 0.0, 0.0);
        def.parent = model_add_node(&model, &def);
    }
    model_add_tip(&model, def.parent, poise_vec3(lengths[count - 1], 0.0, 0.0));
    cr_assert(poise_forward(model.tree) == POISE_OK);
    return model;
}

// Returns the largest difference of a joint angle to a given posture, rad.
static double distance(const Model* model, const double* angles) {
    double largest = 0.0;
    for (int n = 0; n < model->node_count; n++) {
        double off = poise_node_angle(model->tree, model->nodes[n]) - angles[n];
        largest = fmax(largest, fabs(off));
    }
    return largest;
}

static void leaves_after_one_kick(PoiseSolver solver, PoiseNodeKind kind) {
    static const double lengths[NODES] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    int fewest = 1000, most = 0;
    for (int count = 2; count <= NODES; count++) {
        for (double part = 0.3; part < 0.95; part += 0.3) {
            Model model = straight_arm(kind, lengths, count);
            PoiseVec3 goal = poise_vec3(part * count, 0.0, 0.0);
            cr_assert(poise_point_set_position(model.tree, model.points[0], goal) == POISE_OK);
            PoiseSolveDef def = poise_default_solve_def();
            def.solver = solver;
            int kicks = 0, steps = 0;
            while (poise_point_planned_error(model.tree, model.points[0]) > 1e-6 && steps < 400) {
                PoiseSolveReport report;
                cr_assert(model_step(&model, &def, &report) == POISE_OK);
                kicks += report.kicks;
                steps++;
            }
            cr_expect(kicks == 1, "%d links, target at %g of the reach: %d kicks", count, part,
                      kicks);
            cr_expect(steps <= 60, "%d links, target at %g of the reach: %d steps", count, part,
                      steps);
            fewest = steps < fewest ? steps : fewest;
            most = steps > most ? steps : most;
            model_finish(&model);
        }
    }
    cr_log_info("solver %d, node kind %d: %d to %d steps", (int)solver, (int)kind, fewest, most);
}

Test(escape, straight_arms_leave_after_one_kick) {
    static const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_BALL};
    for (int k = 0; k < 2; k++) {
        leaves_after_one_kick(POISE_SOLVER_DUAL, kinds[k]);
        leaves_after_one_kick(POISE_SOLVER_GAUSS_SEIDEL, kinds[k]);
    }
}

// Shows that the test above can fail: without the kick the arm does not move.
Test(escape, without_escape_the_arm_stays) {
    static const double lengths[] = {1.0, 1.0, 1.0};
    Model model = straight_arm(POISE_NODE_HINGE, lengths, 3);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(1.5, 0, 0)) ==
              POISE_OK);
    PoiseSolveDef def = poise_default_solve_def();
    def.escape = false;
    for (int step = 0; step < 100; step++) {
        PoiseSolveReport report;
        cr_assert(model_step(&model, &def, &report) == POISE_OK);
        cr_expect(report.kicks == 0);
    }
    double straight[3] = {0.0};
    cr_expect(distance(&model, straight) == 0.0);
    model_finish(&model);
}

// Runs `before` steps; then nothing may move for `more` steps. Returns the number of kicks in all.
static int expect_rest(Model* model, const PoiseSolveDef* def, int before, int more) {
    int kicks = 0;
    double rest[NODES];
    for (int step = 0; step < before; step++) {
        PoiseSolveReport report;
        cr_assert(model_step(model, def, &report) == POISE_OK);
        kicks += report.kicks;
    }
    for (int n = 0; n < model->node_count; n++) {
        rest[n] = poise_node_angle(model->tree, model->nodes[n]);
    }
    double farthest = 0.0;
    for (int step = 0; step < more; step++) {
        PoiseSolveReport report;
        cr_assert(model_step(model, def, &report) == POISE_OK);
        cr_expect(report.kicks == 0, "step %d", step);
        farthest = fmax(farthest, distance(model, rest));
    }
    cr_expect(farthest < 1e-6, "the joints creep %g rad in %d steps", farthest, more);
    return kicks;
}

// The links are unequal, and the target is nearer to the root than the folded arm can be.
Test(escape, target_in_the_dead_zone_does_not_make_joints_creep) {
    static const double lengths[] = {1.0, 0.3};
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = straight_arm(POISE_NODE_HINGE, lengths, 2);
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.3, 0.0, 0.0)) == POISE_OK);
        PoiseSolveDef def = poise_default_solve_def();
        def.solver = (PoiseSolver)solver;
        int kicks = 0, last_kick = -1000;
        for (int step = 0; step < 400; step++) {
            PoiseSolveReport report;
            cr_assert(model_step(&model, &def, &report) == POISE_OK);
            if (report.kicks > 0) {
                cr_expect(step - last_kick >= 20, "kicks %d steps apart", step - last_kick);
                last_kick = step;
                kicks++;
            }
        }
        (void)expect_rest(&model, &def, 0, 2000);
        // The first kick helps, the next three do not.
        cr_expect(kicks == 4, "%d kicks", kicks);
        // Folded, the tip is as near as it can be.
        EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 0.7 - 0.3, 1e-6);
        model_finish(&model);
    }
}

// An arm that has used its kicks gets new ones when its goal moves.
Test(escape, a_moved_goal_gets_new_kicks) {
    static const double lengths[] = {1.0, 0.3};
    Model model = straight_arm(POISE_NODE_HINGE, lengths, 2);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(0.3, 0.0, 0.0)) ==
              POISE_OK);
    PoiseSolveDef def = poise_default_solve_def();
    (void)expect_rest(&model, &def, 400, 100);
    // The arm is straight again, with a target that it can reach.
    for (int n = 0; n < 2; n++) {
        cr_assert(poise_node_set_angle(model.tree, model.nodes[n], 0.0) == POISE_OK);
    }
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(0.9, 0.0, 0.0)) ==
              POISE_OK);
    for (int step = 0; step < 100; step++) {
        cr_assert(model_step(&model, &def, NULL) == POISE_OK);
    }
    cr_expect(poise_point_planned_error(model.tree, model.points[0]) < 1e-6);
    model_finish(&model);
}

// An arm that is stretched toward a target out of reach is at its optimum.
Test(escape, stretched_arm_is_not_kicked) {
    static const double lengths[] = {1.0, 1.0, 1.0};
    Model model = straight_arm(POISE_NODE_HINGE, lengths, 3);
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(5, 0, 0)) ==
              POISE_OK);
    for (int step = 0; step < 200; step++) {
        PoiseSolveReport report;
        cr_assert(model_step(&model, NULL, &report) == POISE_OK);
        cr_expect(report.kicks == 0);
    }
    double straight[3] = {0.0};
    cr_expect(distance(&model, straight) == 0.0);
    model_finish(&model);
}

// A kick keeps each joint in its range.
Test(escape, kicks_stay_inside_the_ranges) {
    static const double lengths[] = {1.0, 1.0, 1.0};
    for (int lower = 0; lower < 2; lower++) {
        Model model = straight_arm(POISE_NODE_HINGE, lengths, 3);
        for (int n = 0; n < 3; n++) {
            cr_assert(poise_node_set_limits(model.tree, model.nodes[n],
                                            poise_range(lower ? 0.0 : -3.0, lower ? 3.0 : 0.0)) ==
                      POISE_OK);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(1.5, 0, 0)) ==
                  POISE_OK);
        for (int step = 0; step < 300; step++) {
            cr_assert(poise_forward(model.tree) == POISE_OK);
            cr_assert(poise_solve(model.tree, NULL, NULL) == POISE_OK);
            for (int n = 0; n < 3; n++) {
                double omega[POISE_MAX_DOF];
                GETS(poise_node_omega(model.tree, model.nodes[n], omega));
                double next = poise_node_angle(model.tree, model.nodes[n]) + omega[0];
                cr_expect(next >= (lower ? 0.0 : -3.0) - 1e-12 &&
                          next <= (lower ? 3.0 : 0.0) + 1e-12);
            }
            cr_assert(poise_advance(model.tree) == POISE_OK);
        }
        model_finish(&model);
    }
}

// Both trees get the same kicks.
Test(escape, two_trees_get_the_same_kicks) {
    static const double lengths[] = {1.0, 1.0, 1.0};
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        Model model = straight_arm(POISE_NODE_BALL, lengths, 3);
        cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(1.5, 0, 0)) ==
                  POISE_OK);
        for (int step = 0; step < 50; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        }
        hash[i] = model_hash(&model);
        model_finish(&model);
    }
    cr_expect(hash[0] == hash[1]);
}

// A base that turns about the line of the arm gets no kick: the arm bends.
Test(escape, a_floating_base_is_left_alone) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef base = poise_default_free_def();
    base.free_axes = POISE_AXIS_TURN_X;
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.parent = model_add_node(&model, &base);
    for (int i = 0; i < 3; i++) {
        hinge.joint_in_parent.p = poise_vec3(i > 0 ? 1.0 : 0.0, 0.0, 0.0);
        hinge.parent = model_add_node(&model, &hinge);
    }
    model_add_tip(&model, hinge.parent, poise_vec3(1.0, 0.0, 0.0));
    cr_assert(poise_point_set_position(model.tree, model.points[0], poise_vec3(1.5, 0.0, 0.0)) ==
              POISE_OK);
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_assert(model_step(&model, NULL, NULL) >= POISE_OK);
    const PoiseQuat q = poise_node_pose(model.tree, model.nodes[0]).q;
    EXPECT_NEAR(poise_length(poise_quat_log(q)), 0.0, 0.0);
    for (int i = 0; i < 100; i++) {
        cr_assert(model_step(&model, NULL, NULL) >= POISE_OK);
    }
    EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 0.0, 1e-6);
    model_finish(&model);
}
