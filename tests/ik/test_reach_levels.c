// SPDX-License-Identifier: MIT
// Tests poise_reach with priorities, as strict as poise_solve (row 2.6 of DOCUMENTS.md), and with
// closed loops.
#include "near.h"
#include "two_levels.h"
#include "works.h"

#define TOLERANCE 1e-6

static PoiseReachReport reach(const Model* model, PoiseReachDef def) {
    PoiseReachReport report;
    cr_assert(poise_reach(model->tree, &def, &report) >= 0);
    return report;
}

static PoiseReachReport reach_once(const Model* model) {
    return reach(model, poise_default_reach_def());
}

Test(reach_levels, the_first_priority_is_met_and_the_second_gets_as_near_as_it_can) {
    static const int levels[3][2] = {{0, 1}, {0, 15}, {3, 7}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            Model model = planar_arm(cases[i].high, cases[i].low, levels[k][0], levels[k][1]);
            const PoiseReachReport report = reach_once(&model);
            const double high = poise_point_planned_error(model.tree, model.points[0]);
            const double low = poise_point_planned_error(model.tree, model.points[1]);
            cr_expect(high < TOLERANCE, "case %d: high %g", i, high);
            cr_expect(fabs(low - cases[i].best_low) < 1e-5, "case %d: low %g, best %g", i, low,
                      cases[i].best_low);
            const bool all = cases[i].best_low == 0.0;
            cr_expect(report.status == (all ? POISE_OK : POISE_NOT_CONVERGED));
            cr_expect((report.reason == POISE_REACH_MET) == all, "case %d: %s", i,
                      poise_reach_reason_name(report.reason));
            model_finish(&model);
        }
    }
}

// A descent may leave the second goal at a local minimum, where the arm folds to the other side.
// Searches of the second level from starts of its own avoid that.
Test(reach_levels, the_first_priority_is_met_from_any_posture) {
    int best = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        Random random = random_from(11000 + seed);
        const Case* c = &cases[seed % 3];
        Model model = planar_arm(c->high, c->low, 0, 1);
        for (int n = 0; n < LINKS; n++) {
            WORKS(poise_node_set_angle(model.tree, model.nodes[n],
                                       random_between(&random, -1.5, 1.5)));
        }
        PoiseReachDef def = poise_default_reach_def();
        def.starts = 4;
        def.iterations = 1000;
        (void)reach(&model, def);
        const double high = poise_point_planned_error(model.tree, model.points[0]);
        const double low = poise_point_planned_error(model.tree, model.points[1]);
        cr_expect(high < TOLERANCE, "seed %d: %g", (int)seed, high);
        best += fabs(low - c->best_low) < 1e-4;
        model_finish(&model);
    }
    cr_expect(best >= 145, "%d of 150 seconds as near as they can be", best);
}

// The first goal is out of reach: its error equals that of a solve alone, and the remaining freedom
// serves the second.
Test(reach_levels, the_first_priority_out_of_reach_stays_as_near_as_alone) {
    // The arm stretched to (4, 4) has no freedom for the second goal.
    Model model = planar_arm(poise_vec3(4.0, 4.0, 0.0), poise_vec3(-1.0, 1.0, 0.0), 0, 1);
    PoiseReachDef def = poise_default_reach_def();
    def.iterations = 2000;
    const PoiseReachReport report = reach(&model, def);
    const double high = poise_point_planned_error(model.tree, model.points[0]);
    cr_expect(fabs(high - (4.0 * sqrt(2.0) - LINKS)) < 1e-6, "%g", high);
    cr_expect(report.status == POISE_NOT_CONVERGED);
    model_finish(&model);
}

// Goals of three priorities that cannot be met change each other's errors to second order, back and
// forth. A search that takes each such decrease for progress uses up 1,000 iterations in 13 of
// these sets; 3 creep.
Test(reach_levels, levels_out_of_reach_come_to_rest) {
    int budget = 0, iterations = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        Random random = random_from(12000 + seed);
        const RandomTree kinds = {12, 3, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        for (int p = 0; p < model.point_count; p++) {
            WORKS(poise_register_chain(model.tree, model.points[p], poise_null_node()));
            WORKS(poise_point_set_priority(model.tree, model.points[p], p));
            const double x = random_between(&random, -9.0, 9.0);
            const double y = random_between(&random, -9.0, 9.0);
            MAY_FAIL(poise_point_set_position(model.tree, model.points[p], poise_vec3(x, y, 4.0)));
        }
        PoiseReachDef def = poise_default_reach_def();
        def.iterations = 1000;
        const PoiseReachReport report = reach(&model, def);
        budget += report.reason == POISE_REACH_BUDGET;
        iterations += report.iterations;
        model_finish(&model);
    }
    cr_expect(budget <= 5 && iterations < 22000, "%d of 60, %d iterations", budget, iterations);
}

// The arm lies along the line to both goals, where the second has no gradient. A kick to one side
// would move the first away, so it is taken back.
Test(reach_levels, a_kick_away_from_the_first_priority_is_undone) {
    for (int x = -2; x < 3; x++) {
        Model model = planar_arm(poise_vec3(6.5, 0.0, 0.0), poise_vec3(x, 0.0, 0.0), 0, 1);
        for (int n = 0; n < LINKS; n++) {
            WORKS(poise_node_set_angle(model.tree, model.nodes[n], 0.0));
        }
        PoiseReachDef def = poise_default_reach_def();
        def.iterations = 2000;
        const PoiseReachReport report = reach(&model, def);
        cr_expect(report.reason == POISE_REACH_UNREACHABLE, "%s",
                  poise_reach_reason_name(report.reason));
        EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 6.5 - LINKS, 1e-9);
        EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[1]), 3.0 - x, 1e-6);
        model_finish(&model);
    }
}

// Makes two arms of two unit links, at the origin and at (1, 0), whose tips are joined by a closure
// that carries the point. `turn` rotates their plane and the goal (x, y).
static Model five_bar(PoiseQuat turn, double x, double y) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    for (int arm = 0; arm < 2; arm++) {
        for (int link = 0; link < 2; link++) {
            PoiseNodeDef def = poise_default_hinge_def();
            def.parent = link == 0 ? poise_null_node() : model.nodes[2 * arm];
            def.joint_in_parent.p = poise_vec3(1.0, 0.0, 0.0);
            if (link == 0) {
                def.joint_in_parent.p = poise_quat_rotate(turn, poise_vec3(arm, 0.0, 0.0));
                def.joint_in_parent.q = turn;
            }
            def.angle = arm == 0 ? (link == 0 ? 1.9 : -1.3) : (link == 0 ? 1.2 : 1.3);
            (void)model_add_node(&model, &def);
        }
    }
    cr_assert(poise_forward(model.tree) == POISE_OK);
    PoisePointDef loop = poise_default_position_def();
    loop.link = model.nodes[3];
    loop.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    loop.frame = model.nodes[1];
    loop.has_goal = true;
    loop.goal = poise_pose_identity();
    loop.goal.p = poise_vec3(1.0, 0.0, 0.0);
    loop.priority = POISE_PRIORITY_CLOSURE;
    (void)model_add_point(&model, &loop);
    for (int i = 0; i < 2; i++) {
        cr_assert(poise_register(model.tree, model.points[0], model.nodes[i]) == POISE_OK);
    }
    PoisePointDef tip = poise_default_position_def();
    tip.link = model.nodes[1];
    tip.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    tip.has_goal = true;
    tip.goal = poise_pose_identity();
    tip.goal.p = poise_quat_rotate(turn, poise_vec3(x, y, 0.0));
    (void)model_add_point(&model, &tip);
    cr_assert(poise_tree_status(model.tree) == POISE_OK);
    return model;
}

// A planar loop in a tilted plane: J's row for the loop's gap normal to the plane is rounding. This
// row must not block a motion.
Test(reach_levels, loops_stay_closed_and_reach_what_they_can) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        Random random = random_from(500 + seed);
        const double x = random_between(&random, -1.5, 2.5);
        const double y = random_between(&random, 0.3, 4.0);
        const PoiseVec3 tilt = random_vec3(&random, seed % 2 == 0 ? 0.0 : 2.0);
        Model model = five_bar(poise_quat_exp(tilt), x, y);
        PoiseReachDef def = poise_default_reach_def();
        def.iterations = 2000;
        const PoiseReachReport report = reach(&model, def);
        cr_expect(report.reason != POISE_REACH_MET || report.iterations <= 15, "seed %d: %d",
                  (int)seed, report.iterations);
        const double gap = poise_point_planned_error(model.tree, model.points[0]);
        const double miss = poise_point_planned_error(model.tree, model.points[1]);
        // The nearest place that both arms reach lies in both discs of radius 2.
        const double first = fmax(0.0, hypot(x, y) - 2.0);
        const double second = fmax(0.0, hypot(x - 1.0, y) - 2.0);
        const double top = hypot(x - 0.5, y - sqrt(3.75));
        double best = fmax(first, second);
        const PoiseVec3 centre = poise_vec3(second > first ? 1.0 : 0.0, 0.0, 0.0);
        const PoiseVec3 far = poise_sub(poise_vec3(x, y, 0.0), centre);
        const PoiseVec3 near = poise_add(centre, poise_scale(2.0 / poise_length(far), far));
        const PoiseVec3 other = poise_vec3(1.0 - centre.x, 0.0, 0.0);
        if (best > 0.0 && poise_length(poise_sub(near, other)) > 2.0) {
            best = top;
        }
        cr_expect(gap < TOLERANCE, "seed %d: open by %g", (int)seed, gap);
        cr_expect(fabs(miss - best) < 1e-5, "seed %d: (%g, %g) missed by %g, best %g", (int)seed, x,
                  y, miss, best);
        model_finish(&model);
    }
}

Test(reach_levels, the_same_call_gives_the_same_bits) {
    Model a = planar_arm(cases[0].high, cases[0].low, 0, 1);
    Model b = planar_arm(cases[0].high, cases[0].low, 0, 1);
    cr_assert(model_step(&b, NULL, NULL) == POISE_OK);
    Model c = planar_arm(cases[0].high, cases[0].low, 0, 1);
    for (int n = 0; n < LINKS; n++) {
        model_put_back(&b, b.nodes[n], model_posture(&c, c.nodes[n]));
    }
    (void)reach_once(&a);
    (void)reach_once(&b);
    cr_expect(model_hash(&a) == model_hash(&b));
    model_finish(&a);
    model_finish(&b);
    model_finish(&c);
}

// Runs the same search in slices of a few iterations on a clone, and compares.
static void expect_same_by_slices(const Model* model, const PoiseReachDef* def, int slice) {
    PoiseTree* whole = poise_tree_clone(model->tree);
    PoiseTree* sliced = poise_tree_clone(model->tree);
    PoiseReachReport once, report;
    const PoiseStatus status = poise_reach(whole, def, &once);
    int slices = 0;
    WORKS(poise_reach_begin(sliced, def));
    do {
        cr_assert(poise_reach_continue(sliced, slice, &report) >= 0);
        slices++;
    } while (report.reason == POISE_REACH_SEARCHING);
    cr_expect(report.status == status && memcmp(&report, &once, sizeof once) == 0,
              "slices of %d: %s after %d, not %s after %d", slice,
              poise_reach_reason_name(report.reason), report.iterations,
              poise_reach_reason_name(once.reason), once.iterations);
    cr_expect(2 * slice * slices > once.iterations);
    for (int n = 0; n < LINKS; n++) {
        cr_expect(poise_node_angle(sliced, model->nodes[n]) ==
                  poise_node_angle(whole, model->nodes[n]));
    }
    poise_tree_destroy(whole);
    poise_tree_destroy(sliced);
}

Test(reach_levels, a_search_in_slices_ends_with_the_same_bits) {
    for (uint64_t seed = 0; seed < 60; seed++) {
        Random random = random_from(12000 + seed);
        const Case* c = &cases[seed % 3];
        Model model = planar_arm(c->high, c->low, 0, seed % 2 == 0 ? 1 : 0);
        for (int n = 0; n < LINKS; n++) {
            WORKS(poise_node_set_angle(model.tree, model.nodes[n],
                                       random_between(&random, -1.5, 1.5)));
        }
        PoiseReachDef def = poise_default_reach_def();
        def.starts = seed % 4 < 2 ? 1 : 3;
        def.other_postures = seed % 5 != 0;
        def.iterations = 40;
        expect_same_by_slices(&model, &def, 1);
        expect_same_by_slices(&model, &def, 7);
        model_finish(&model);
    }
}
