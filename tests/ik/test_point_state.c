// SPDX-License-Identifier: MIT
// Tests the reason for a point's place: each state is reported by every solver, with the joints
// that hold a point back.
#include <criterion/criterion.h>

#include "models.h"
#include "works.h"

enum { LINKS = 4, SETTLED = 400 };

static Model bent_arm(PoiseNodeKind kind) {
    Model model = model_chain(kind, LINKS, 1.0, POISE_POINT_POSITION);
    const double q[4] = {cos(0.15), 0.0, 0.0, sin(0.15)};
    const double angle = 0.3;
    for (int n = 0; n < LINKS; n++) {
        WORKS(poise_node_set_posture(model.tree, model.nodes[n],
                                     kind == POISE_NODE_BALL ? q : &angle,
                                     kind == POISE_NODE_BALL ? 4 : 1));
    }
    return model;
}

static PoiseSolveDef def_of(int solver) {
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = (PoiseSolver)solver;
    return def;
}

static void go_to(Model* model, PoiseVec3 goal) {
    cr_assert(poise_point_set_position(model->tree, model->points[0], goal) == POISE_OK);
}

static PoiseSolveReport settle(Model* model, const PoiseSolveDef* def) {
    PoiseSolveReport report;
    for (int step = 0; step < SETTLED; step++) {
        cr_assert(model_step(model, def, &report) == POISE_OK);
    }
    return report;
}

static void expect_state(const Model* model, int point, PoisePointState expected, int solver) {
    const PoisePointState state = poise_point_state(model->tree, model->points[point]);
    cr_expect(state == expected, "solver %d: %s, not %s", solver, poise_point_state_name(state),
              poise_point_state_name(expected));
}

Test(point_state, a_point_is_moving_then_met) {
    for (int kind = POISE_NODE_HINGE; kind <= POISE_NODE_BALL; kind += 2) {
        for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
            Model model = bent_arm((PoiseNodeKind)kind);
            const PoiseSolveDef def = def_of(solver);
            expect_state(&model, 0, POISE_POINT_IDLE, solver);
            go_to(&model, poise_vec3(1.0, 2.0, 0.0));
            PoiseSolveReport report;
            cr_assert(model_step(&model, &def, &report) == POISE_OK);
            expect_state(&model, 0, POISE_POINT_MOVING, solver);
            cr_expect(report.state == POISE_POINT_MOVING);
            report = settle(&model, &def);
            expect_state(&model, 0, POISE_POINT_MET, solver);
            cr_expect(report.state == POISE_POINT_MET);
            cr_expect(poise_point_limited_by(model.tree, model.points[0], NULL, 0) == 0);
            model_finish(&model);
        }
    }
}

Test(point_state, unreachable_at_the_nearest_place) {
    static const double parts[] = {1.05, 1.3, 3.0};
    for (int kind = POISE_NODE_HINGE; kind <= POISE_NODE_BALL; kind += 2) {
        for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
            for (int i = 0; i < 3; i++) {
                Model model = bent_arm((PoiseNodeKind)kind);
                const PoiseSolveDef def = def_of(solver);
                go_to(&model, poise_vec3(0.6 * LINKS * parts[i], 0.8 * LINKS * parts[i], 0.0));
                const PoiseSolveReport report = settle(&model, &def);
                expect_state(&model, 0, POISE_POINT_UNREACHABLE, solver);
                cr_expect(report.state == POISE_POINT_UNREACHABLE);
                model_finish(&model);
            }
        }
    }
}

// The two outer joints end on their upper bounds and are named; the inner ones are free.
Test(point_state, at_limits_names_the_joints_that_hold_it_back) {
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        Model model = bent_arm(POISE_NODE_HINGE);
        const PoiseSolveDef def = def_of(solver);
        for (int n = 2; n < LINKS; n++) {
            cr_assert(poise_node_set_limits(model.tree, model.nodes[n], poise_range(-0.4, 0.5)) ==
                      POISE_OK);
        }
        cr_assert(poise_node_set_limits(model.tree, model.nodes[1], poise_range(-0.4, 0.4)) ==
                  POISE_OK);
        go_to(&model, poise_vec3(0.5, 0.2, 0.0));
        const PoiseSolveReport report = settle(&model, &def);
        expect_state(&model, 0, POISE_POINT_AT_LIMITS, solver);
        cr_expect(report.state == POISE_POINT_AT_LIMITS && report.limited_dofs == 3);
        PoiseNodeId nodes[LINKS];
        cr_assert(poise_point_limited_by(model.tree, model.points[0], nodes, LINKS) == 3);
        for (int n = 0; n < 3; n++) {
            cr_expect(nodes[n].index1 == model.nodes[n + 1].index1);
            cr_expect(poise_node_at_limit(model.tree, nodes[n]) == 1);
        }
        // The list is cut to the given capacity; the returned number is not.
        nodes[1] = poise_null_node();
        cr_expect(poise_point_limited_by(model.tree, model.points[0], nodes, 1) == 3);
        cr_expect(nodes[0].index1 == model.nodes[1].index1 && nodes[1].index1 == 0);
        model_finish(&model);
    }
}

Test(point_state, a_cone_is_a_limit_too) {
    Model model = model_chain(POISE_NODE_BALL, 1, 1.0, POISE_POINT_POSITION);
    // The cone is about z, across the link: the link may swing by 0.4 out of the plane and twist by
    // 0.5 in the plane.
    cr_assert(poise_node_set_limits(model.tree, model.nodes[0], poise_cone(0.4, -0.5, 0.5)) ==
              POISE_OK);
    go_to(&model, poise_vec3(0.0, 1.0, 0.0));
    const PoiseSolveDef def = def_of(POISE_SOLVER_AUTO);
    (void)settle(&model, &def);
    expect_state(&model, 0, POISE_POINT_AT_LIMITS, 0);
    cr_expect(poise_point_limited_by(model.tree, model.points[0], NULL, 0) == 1);
    model_finish(&model);
}

Test(point_state, singular_on_the_axis_of_a_hinge_and_on_the_line_of_an_arm) {
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        Model one = model_chain(POISE_NODE_HINGE, 1, 1.0, POISE_POINT_POSITION);
        PoiseSolveDef def = def_of(solver);
        go_to(&one, poise_vec3(0.0, 0.0, 0.5));
        (void)settle(&one, &def);
        expect_state(&one, 0, POISE_POINT_SINGULAR, solver);
        model_finish(&one);
        Model straight = model_chain(POISE_NODE_HINGE, LINKS, 1.0, POISE_POINT_POSITION);
        def.escape = false;
        go_to(&straight, poise_vec3(2.0, 0.0, 0.0));
        (void)settle(&straight, &def);
        expect_state(&straight, 0, POISE_POINT_SINGULAR, solver);
        // The goal is on the same line, out of reach: the stretched arm is optimal.
        go_to(&straight, poise_vec3(5.0, 0.0, 0.0));
        (void)settle(&straight, &def);
        expect_state(&straight, 0, POISE_POINT_UNREACHABLE, solver);
        model_finish(&straight);
    }
}

Test(point_state, nearest_in_the_dead_zone_is_unreachable) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef hinge = poise_default_hinge_def();
    PoiseNodeId shoulder = model_add_node(&model, &hinge);
    hinge.parent = shoulder;
    hinge.joint_in_parent.p = poise_vec3(1.0, 0.0, 0.0);
    hinge.angle = 0.5;
    model_add_tip(&model, model_add_node(&model, &hinge), poise_vec3(0.3, 0.0, 0.0));
    go_to(&model, poise_vec3(0.2, 0.2, 0.0));
    const PoiseSolveDef def = def_of(POISE_SOLVER_AUTO);
    (void)settle(&model, &def);
    expect_state(&model, 0, POISE_POINT_UNREACHABLE, 0);
    model_finish(&model);
}

Test(point_state, outweighed_by_other_points_and_references) {
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        for (int how = 0; how < 3; how++) {
            Model model = bent_arm(POISE_NODE_HINGE);
            const PoiseSolveDef def = def_of(solver);
            PoisePointDef point = poise_default_position_def();
            point.link = model.nodes[LINKS - 1];
            point.in_link.p = poise_vec3(1.0, 0.0, 0.0);
            point.has_goal = true;
            point.goal.p = poise_vec3(2.0, -1.0, 0.0);
            point.weight = how == 0 ? 1.0 : 50.0;
            point.enabled = how < 2;
            (void)model_add_point(&model, &point);
            const double angle = 0.3;
            for (int n = 0; how == 2 && n < LINKS; n++) {
                WORKS(poise_node_set_reference(model.tree, model.nodes[n], &angle, 1));
                WORKS(poise_node_set_reference_weight(model.tree, model.nodes[n], 1.0));
            }
            go_to(&model, poise_vec3(1.0, 2.0, 0.0));
            const PoiseSolveReport report = settle(&model, &def);
            expect_state(&model, 0, POISE_POINT_OUTWEIGHED, solver);
            expect_state(&model, 1, how == 2 ? POISE_POINT_IDLE : POISE_POINT_OUTWEIGHED, solver);
            cr_expect(report.state == POISE_POINT_OUTWEIGHED);
            model_finish(&model);
        }
    }
}

// The first point has the higher priority and is met, the second is not.
Test(point_state, outweighed_by_a_higher_priority) {
    Model model = bent_arm(POISE_NODE_HINGE);
    PoisePointDef point = poise_default_position_def();
    point.link = model.nodes[LINKS - 1];
    point.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    point.has_goal = true;
    point.goal.p = poise_vec3(2.0, -1.0, 0.0);
    point.priority = 1;
    (void)model_add_point(&model, &point);
    go_to(&model, poise_vec3(1.0, 2.0, 0.0));
    const PoiseSolveDef def = def_of(POISE_SOLVER_AUTO);
    (void)settle(&model, &def);
    expect_state(&model, 0, POISE_POINT_MET, 0);
    expect_state(&model, 1, POISE_POINT_OUTWEIGHED, 0);
    model_finish(&model);
}

// At rest, a point with named joints comes nearer without their ranges. A point without named
// joints that is not outweighed does not.
Test(point_state, without_the_ranges_of_the_named_joints_it_comes_nearer) {
    int limited = 0, others = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        Random random = random_from(33000 + seed);
        RandomTree kinds = {5, 0, true, false, false, false, false, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        model_add_tip(&model, model.nodes[4], random_vec3(&random, 0.4));
        PoiseVec3 goal = poise_point_planned_pose(model.tree, model.points[0]).p;
        go_to(&model, poise_add(goal, random_vec3(&random, 0.8)));
        for (int n = 0; n < 5; n++) {
            const double angle = poise_node_angle(model.tree, model.nodes[n]);
            const double width = seed % 2 == 0 ? 0.3 : 1.5;
            WORKS(poise_node_set_limits(model.tree, model.nodes[n],
                                        poise_range(angle - width, angle + width)));
        }
        PoiseSolveDef def = def_of(POISE_SOLVER_AUTO);
        def.escape = false;
        (void)settle(&model, &def);
        const PoisePointState state = poise_point_state(model.tree, model.points[0]);
        const double before = poise_point_planned_error(model.tree, model.points[0]);
        PoiseNodeId nodes[5];
        const int count = poise_point_limited_by(model.tree, model.points[0], nodes, 5);
        cr_expect((state == POISE_POINT_AT_LIMITS) == (count > 0), "seed %d: %s, %d named",
                  (int)seed, poise_point_state_name(state), count);
        for (int i = 0; i < count; i++) {
            WORKS(poise_node_set_limits(model.tree, nodes[i], poise_range(-HUGE_VAL, HUGE_VAL)));
        }
        (void)settle(&model, &def);
        const double after = poise_point_planned_error(model.tree, model.points[0]);
        cr_expect(count > 0 ? after < before - 1e-6 : after < before + 1e-6,
                  "seed %d: %s, %d named: %g m, then %g", (int)seed, poise_point_state_name(state),
                  count, before, after);
        limited += count > 0;
        others += count == 0;
        model_finish(&model);
    }
    cr_expect(limited > 50 && others > 20, "%d limited, %d not", limited, others);
}

Test(point_state, a_point_that_is_not_solved_for_is_idle) {
    Model model = bent_arm(POISE_NODE_HINGE);
    const PoiseSolveDef def = def_of(POISE_SOLVER_AUTO);
    (void)settle(&model, &def);
    expect_state(&model, 0, POISE_POINT_MET, 0);
    cr_expect(poise_point_state(NULL, model.points[0]) == POISE_POINT_IDLE);
    cr_expect(poise_point_state(model.tree, poise_null_point()) == POISE_POINT_IDLE);
    cr_expect(poise_point_limited_by(NULL, model.points[0], NULL, 0) == 0);
    cr_expect(poise_point_limited_by(model.tree, poise_null_point(), NULL, 0) == 0);
    cr_assert(poise_point_set_enabled(model.tree, model.points[0], false) == POISE_OK);
    expect_state(&model, 0, POISE_POINT_IDLE, 0);
    PoiseSolveReport report;
    cr_assert(model_step(&model, &def, &report) == POISE_OK);
    expect_state(&model, 0, POISE_POINT_IDLE, 0);
    cr_expect(report.state == POISE_POINT_IDLE && report.idle_points == 0);
    for (int state = -1; state <= POISE_POINT_SINGULAR + 1; state++) {
        cr_expect(poise_point_state_name((PoisePointState)state) != NULL);
    }
    model_finish(&model);
}

// An enabled point with a weight but no registered node is included, and so is its error.
Test(point_state, a_point_that_no_node_serves_is_counted) {
    Model model = bent_arm(POISE_NODE_HINGE);
    const PoiseSolveDef def = def_of(POISE_SOLVER_AUTO);
    PoisePointDef point = poise_default_position_def();
    point.link = model.nodes[0];
    const PoisePointId idle = poise_point_create(model.tree, &point);
    const PoiseVec3 place = poise_point_planned_pose(model.tree, idle).p;
    cr_assert(poise_point_set_position(model.tree, idle,
                                       poise_add(place, poise_vec3(0.0, 0.0, 7.0))) == POISE_OK);
    PoiseSolveReport report;
    cr_expect(model_step(&model, &def, &report) == POISE_OK);
    cr_expect(report.idle_points == 1 && report.largest_error >= 7.0, "%d, %g m",
              report.idle_points, report.largest_error);
    cr_expect(poise_point_state(model.tree, idle) == POISE_POINT_IDLE);
    cr_assert(poise_point_set_weight(model.tree, idle, 0.0) == POISE_OK);
    cr_expect(model_step(&model, &def, &report) == POISE_OK);
    cr_expect(report.idle_points == 0 && report.largest_error < 7.0);
    model_finish(&model);
}

// The distance overflows, so that the point is reported among those left out.
Test(point_state, an_idle_point_whose_error_is_not_finite_is_reported) {
    Model model = bent_arm(POISE_NODE_HINGE);
    PoisePointDef point = poise_default_position_def();
    point.link = model.nodes[0];
    point.in_link.p = poise_vec3(1.5e308, 0.0, 0.0);
    const PoisePointId idle = poise_point_create(model.tree, &point);
    const PoiseVec3 goal = poise_vec3(-1.5e308, -1.5e308, 0.0);
    cr_assert(poise_point_set_position(model.tree, idle, goal) == POISE_OK);
    PoiseSolveReport report;
    PoiseReachReport reach;
    cr_assert(poise_forward(model.tree) == POISE_OK);
    cr_expect(poise_solve(model.tree, NULL, &report) == POISE_DEGRADED);
    cr_expect(report.idle_points == 1 && report.frozen_points == 1);
    cr_expect(poise_solve(model.tree, NULL, NULL) == POISE_DEGRADED);
    cr_expect(poise_reach(model.tree, NULL, &reach) != POISE_OK);
    cr_expect(reach.frozen_points == 1, "%d", reach.frozen_points);
    model_finish(&model);
}

// Few sweeps end by their number; a factorisation has no such limit.
Test(point_state, a_solve_stopped_by_its_budget_is_reported) {
    Model model = bent_arm(POISE_NODE_HINGE);
    go_to(&model, poise_vec3(1.0, 2.0, 0.0));
    PoiseSolveReport report;
    PoiseSolveDef def = def_of(POISE_SOLVER_GAUSS_SEIDEL);
    def.sweeps = 3;
    cr_assert(model_step(&model, &def, &report) == POISE_OK);
    cr_expect(report.budget_used && report.sweeps == 3, "%d sweeps", report.sweeps);
    def = def_of(POISE_SOLVER_AUTO);
    cr_assert(model_step(&model, &def, &report) == POISE_OK);
    cr_expect(!report.budget_used);
    def = def_of(POISE_SOLVER_BOX);
    cr_assert(model_step(&model, &def, &report) == POISE_OK);
    cr_expect(!report.budget_used);
    model_finish(&model);
}

// Definitions and calls that a point of the centre of mass, or its node, refuses.
Test(point_state, what_a_point_or_node_does_not_have_is_refused) {
    Model model = model_springhead(3, 1.0);
    PoiseTree* tree = model.tree;
    PoisePointDef def = poise_default_com_def();
    def.link = model.nodes[0];
    def.frame = model.nodes[1];
    cr_expect(poise_point_create(tree, &def).index1 == 0);
    cr_expect_eq(poise_tree_status(tree), POISE_ERROR_INVALID_ARGUMENT);
    poise_tree_clear_status(tree);
    cr_expect_eq(poise_node_set_step_range(tree, model.nodes[0], -1.0, 1.0),
                 POISE_ERROR_WRONG_KIND);
    poise_tree_clear_status(tree);
    // a handle without a slot that differs from the null handle
    def.frame.index1 = 0;
    cr_expect(poise_point_create(tree, &def).index1 == 0);
    cr_expect_eq(poise_tree_status(tree), POISE_ERROR_INVALID_HANDLE);
    model_finish(&model);
}

// A node of this point has no block; the point still has a state.
Test(point_state, a_massless_end_leaves_the_centre_of_mass_a_state) {
    Model model = model_springhead(3, 1.0);
    PoiseTree* tree = model.tree;
    PoisePointDef def = poise_default_com_def();
    def.link = model.nodes[0];
    PoisePointId com = poise_point_create(tree, &def);
    cr_assert(poise_register_all(tree, com) == POISE_OK);
    cr_assert(poise_node_set_mass(tree, model.nodes[2], 0.0, def.in_link.p) == POISE_OK);
    cr_assert(poise_point_set_position(tree, com, poise_vec3(0.0, 0.0, 9.0)) == POISE_OK);
    for (int i = 0; i < 300; i++) {
        cr_assert(model_step(&model, NULL, NULL) >= POISE_OK);
    }
    // The hand holds the centre of mass back.
    cr_expect_eq(poise_point_state(tree, com), POISE_POINT_OUTWEIGHED, "%d",
                 (int)poise_point_state(tree, com));
    model_finish(&model);
}
