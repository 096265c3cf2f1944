// SPDX-License-Identifier: MIT
// Tests hinges and sliders that follow others: J against central differences of the whole group,
// the relation in solves and reaches, the limits of all members, and ties when nodes are added or
// destroyed.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"
#include "near.h"
#include "works.h"

enum { TREES = 100, STEPS = 40 };

static const double h = 1e-6;

// Ties about half of the nodes to another; returns their number.
static int tie_some(Model* model, Random* random) {
    int tied = 0;
    for (int i = 0; i < model->node_count; i++) {
        const int other = random_index(random, model->node_count);
        const double sign = random_unit(random) < 0.5 ? -1.0 : 1.0;
        const double ratio = sign * random_between(random, 0.3, 2.0);
        if (other != i && random_unit(random) < 0.5) {
            tied += poise_node_couple(model->tree, model->nodes[i], model->nodes[other], ratio,
                                      random_between(random, -0.3, 0.3)) == POISE_OK;
        }
    }
    poise_tree_clear_status(model->tree);
    cr_assert(poise_forward(model->tree) == POISE_OK);
    return tied;
}

static Model tied_tree(uint64_t seed, int* tied) {
    Random random = random_from(seed);
    const RandomTree kinds = {8, 4, true, true, false, true, true, POISE_BALL_THREE_AXES};
    Model model = model_random(&random, &kinds);
    *tied = tie_some(&model, &random);
    return model;
}

// Fills `out` with the point's velocity when the node moves, with all nodes that follow it.
static void difference(Model* model, PoisePointId point, PoiseNodeId node, double out[6]) {
    PoiseTree* tree = model->tree;
    const double at = poise_node_angle(tree, node);
    PoisePose side[2];
    for (int k = 0; k < 2; k++) {
        cr_assert(poise_node_set_angle(tree, node, at + (k == 0 ? -h : h)) == POISE_OK);
        cr_assert(poise_follow_leaders(tree) == POISE_OK);
        cr_assert(poise_forward(tree) == POISE_OK);
        side[k] = poise_point_planned_pose(tree, point);
    }
    cr_assert(poise_node_set_angle(tree, node, at) == POISE_OK);
    cr_assert(poise_follow_leaders(tree) == POISE_OK);
    cr_assert(poise_forward(tree) == POISE_OK);
    pose_rates(side[0], side[1], 2.0 * h, out);
}

Test(follow, a_leaders_column_matches_central_differences_of_its_group) {
    int blocks = 0;
    double worst = 0.0;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        int tied;
        Model model = tied_tree(9000 + seed, &tied);
        cr_assert(poise_stage_jacobians(model.tree) == POISE_OK);
        for (int p = 0; p < model.point_count; p++) {
            for (int n = 0; n < model.node_count; n++) {
                double block[POISE_MAX_ROWS * POISE_MAX_DOF];
                double both[6];
                const PoiseNodeId node = model.nodes[n];
                const int rows = poise_jacobian(model.tree, model.points[p], node, block);
                const bool follows = poise_node_leader(model.tree, node, NULL, NULL).index1 != 0;
                cr_expect(!follows || rows == 0, "a follower has a column");
                if (rows == 0) {
                    continue;
                }
                difference(&model, model.points[p], node, both);
                const PoisePointKind kind = poise_point_kind(model.tree, model.points[p]);
                const double* expected = kind == POISE_POINT_ORIENTATION ? &both[3] : both;
                for (int r = 0; r < rows; r++) {
                    worst = fmax(worst, fabs(block[r] - expected[r]));
                }
                blocks++;
            }
        }
        model_finish(&model);
    }
    cr_expect(worst < 1e-8, "off by %g", worst);
    cr_expect(blocks > 500, "only %d blocks", blocks);
}

// Returns half the squared error of a position point whose goal is on a link. The node is first
// moved by `way`, m or rad.
static double energy(Model* model, PoisePointId point, PoiseNodeId node, double way) {
    PoiseTree* tree = model->tree;
    const double at = poise_node_angle(tree, node);
    cr_assert(poise_node_set_angle(tree, node, at + way) == POISE_OK);
    cr_assert(poise_follow_leaders(tree) == POISE_OK);
    cr_assert(poise_forward(tree) == POISE_OK);
    const double error = poise_point_planned_error(tree, point);
    cr_assert(poise_node_set_angle(tree, node, at) == POISE_OK);
    cr_assert(poise_follow_leaders(tree) == POISE_OK);
    cr_assert(poise_forward(tree) == POISE_OK);
    return 0.5 * error * error;
}

// J^T v is the gradient of the energy, for a goal on another link and for the centre of mass of all
// links.
Test(follow, columns_of_frames_and_centres_of_mass_are_gradients) {
    int blocks = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        Random random = random_from(9100 + seed);
        const RandomTree kinds = {7, 1, true, true, false, true, false, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        PoiseTree* tree = model.tree;
        (void)tie_some(&model, &random);
        const bool com = seed % 2 == 0;
        PoisePointDef def = com ? poise_default_com_def() : poise_default_position_def();
        def.link = model.nodes[com ? 0 : 6];
        def.frame = com ? poise_null_node() : model.nodes[5];
        const PoisePointId point = poise_point_create(tree, &def);
        cr_assert(poise_register_all(tree, point) == POISE_OK);
        const PoiseVec3 goal = random_vec3(&random, 0.5);
        cr_assert(poise_point_set_position(tree, point, goal) == POISE_OK);
        cr_assert(poise_stage_jacobians(tree) == POISE_OK);
        const PoiseVec3 to =
            com ? goal : poise_pose_apply(poise_node_link_world(tree, def.frame), goal);
        const PoiseVec3 v = poise_sub(to, poise_point_planned_pose(tree, point).p);
        for (int n = 0; n < model.node_count; n++) {
            double j[POISE_MAX_ROWS * POISE_MAX_DOF];
            if (poise_jacobian(tree, point, model.nodes[n], j) == 3) {
                const double up = energy(&model, point, model.nodes[n], h);
                const double down = energy(&model, point, model.nodes[n], -h);
                EXPECT_NEAR(j[0] * v.x + j[1] * v.y + j[2] * v.z, 0.5 * (down - up) / h, 1e-7);
                blocks++;
            }
        }
        model_finish(&model);
    }
    cr_expect(blocks > 80, "only %d blocks", blocks);
}

Test(follow, the_relation_holds_in_every_solver) {
    const PoiseSolver solvers[] = {POISE_SOLVER_AUTO, POISE_SOLVER_GAUSS_SEIDEL, POISE_SOLVER_BOX,
                                   POISE_SOLVER_CGLS};
    int ties = 0;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        int tied;
        Random random = random_from(seed);
        Model model = tied_tree(9200 + seed, &tied);
        ties += tied;
        for (int n = 0; n < model.node_count; n += 2) {
            WORKS(poise_node_set_limits(model.tree, model.nodes[n], poise_range(-0.8, 0.9)));
        }
        for (int p = 0; p < model.point_count; p++) {
            const double y = random_between(&random, -0.3, 0.3);
            const PoiseVec3 away = poise_vec3(random_between(&random, -0.3, 0.3), y, 0.2);
            const PoisePose now = poise_point_planned_pose(model.tree, model.points[p]);
            MAY_FAIL(poise_point_set_position(model.tree, model.points[p], poise_add(now.p, away)));
        }
        poise_tree_clear_status(model.tree);
        PoiseSolveDef def = poise_default_solve_def();
        def.solver = solvers[seed % 4];
        for (int step = 0; step < STEPS; step++) {
            cr_assert(model_step(&model, &def, NULL) >= POISE_OK);
            cr_expect(model_relation_error(model.tree) <= 1e-12, "off by %g",
                      model_relation_error(model.tree));
            for (int n = 0; n < model.node_count; n++) {
                const PoiseLimits limits = poise_node_limits(model.tree, model.nodes[n]);
                const double q = poise_node_angle(model.tree, model.nodes[n]);
                const bool moves = poise_node_points(model.tree, model.nodes[n], NULL, 0) > 0;
                cr_expect(!moves || (q >= limits.lower[0] - 1e-12 && q <= limits.upper[0] + 1e-12),
                          "%g is outside of %g to %g", q, limits.lower[0], limits.upper[0]);
            }
        }
        PoiseReachReport report;
        cr_assert(poise_reach(model.tree, NULL, &report) >= POISE_OK);
        cr_expect(model_relation_error(model.tree) <= 1e-12);
        model_finish(&model);
    }
    cr_expect(ties > 100, "only %d ties", ties);
}

// Makes a planar finger: two links, the outer joint turned by `ratio` times the inner one.
static Model finger(double ratio, PoisePointId* tip) {
    Model model = model_chain(POISE_NODE_HINGE, 2, 1.0, POISE_POINT_POSITION);
    cr_assert(poise_node_couple(model.tree, model.nodes[1], model.nodes[0], ratio, 0.1) ==
              POISE_OK);
    *tip = model.points[0];
    return model;
}

static PoiseVec3 finger_tip(double ratio, double angle) {
    const double outer = angle + ratio * angle + 0.1;
    return poise_vec3(cos(angle) + cos(outer), sin(angle) + sin(outer), 0.0);
}

Test(follow, reach_finds_the_nearest_of_a_scan) {
    for (int i = 0; i < 40; i++) {
        PoisePointId tip;
        const double ratio = -1.2 + 0.06 * i;
        if (fabs(ratio) < 1e-9) {
            continue;
        }
        Model model = finger(ratio, &tip);
        const double goal = 0.2 + 0.02 * i;
        cr_assert(poise_point_set_position(model.tree, tip, finger_tip(ratio, goal)) == POISE_OK);
        PoiseReachReport report;
        cr_expect(poise_reach(model.tree, NULL, &report) == POISE_OK, "ratio %g: %s", ratio,
                  poise_reach_reason_name(report.reason));
        const double at = poise_node_angle(model.tree, model.nodes[0]);
        EXPECT_NEAR3(finger_tip(ratio, at), finger_tip(ratio, goal), 2e-6);
        // A target off the path of the tip is approached as closely as by the best of a scan.
        const PoiseVec3 off = poise_add(finger_tip(ratio, 0.4), poise_vec3(0.03, 0.02, 0.0));
        double least = HUGE_VAL;
        for (double a = -0.6; a < 1.4; a += 1e-5) {
            least = fmin(least, poise_length(poise_sub(finger_tip(ratio, a), off)));
        }
        cr_assert(poise_node_set_angle(model.tree, model.nodes[0], 0.4) == POISE_OK);
        cr_assert(poise_point_set_position(model.tree, tip, off) == POISE_OK);
        WORKS(poise_reach(model.tree, NULL, &report));
        EXPECT_NEAR(report.largest_error, least, 1e-8);
        cr_expect(model_relation_error(model.tree) <= 1e-12);
        model_finish(&model);
    }
}

Test(follow, a_followers_limit_and_speed_are_its_leaders_too) {
    PoisePointId tip;
    Model model = finger(2.0, &tip);
    PoiseTree* tree = model.tree;
    cr_assert(poise_node_set_limits(tree, model.nodes[1], poise_range(-1.0, 0.6)) == POISE_OK);
    cr_assert(poise_point_set_position(tree, tip, finger_tip(2.0, 0.5)) == POISE_OK);
    for (int i = 0; i < 30; i++) {
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
    }
    // the follower's limit: 2 a + 0.1 <= 0.6
    EXPECT_NEAR(poise_node_angle(tree, model.nodes[0]), 0.25, 1e-12);
    EXPECT_NEAR(poise_node_angle(tree, model.nodes[1]), 0.6, 1e-12);
    cr_expect_eq(poise_node_at_limit(tree, model.nodes[0]), 1);
    cr_expect_eq(poise_node_at_limit(tree, model.nodes[1]), 1);
    cr_expect_eq(poise_point_state(tree, tip), POISE_POINT_AT_LIMITS);
    PoiseNodeId by;
    cr_assert_eq(poise_point_limited_by(tree, tip, &by, 1), 1);
    cr_expect_eq(by.index1, model.nodes[0].index1);
    // Each node reports the range that it was given.
    cr_expect_eq(poise_node_limits(tree, model.nodes[0]).upper[0], HUGE_VAL);
    cr_expect_eq(poise_node_limits(tree, model.nodes[1]).upper[0], 0.6);
    // A range that leaves no common angle to the group is refused.
    cr_expect_eq(poise_node_set_limits(tree, model.nodes[0], poise_range(0.3, 0.4)),
                 POISE_ERROR_INVALID_ARGUMENT);
    poise_tree_clear_status(tree);
    // A follower's 1 rad/s limits its leader to 0.5 rad/s.
    cr_assert(poise_node_set_max_speed(tree, model.nodes[1], 1.0) == POISE_OK);
    cr_assert(poise_point_set_position(tree, tip, finger_tip(2.0, -0.3)) == POISE_OK);
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.01;
    cr_assert(model_step(&model, &def, NULL) == POISE_OK);
    EXPECT_NEAR(poise_node_angle(tree, model.nodes[0]), 0.25 - 0.005, 1e-12);
    // A follower's step range holds for the leader too.
    cr_assert(poise_node_set_step_range(tree, model.nodes[1], -0.002, 0.0) == POISE_OK);
    cr_assert(model_step(&model, &def, NULL) == POISE_OK);
    EXPECT_NEAR(poise_node_angle(tree, model.nodes[1]), 0.59 - 0.002, 1e-12);
    // Untied, both nodes are free again.
    cr_assert(poise_node_couple(tree, model.nodes[1], poise_null_node(), 0.0, 0.0) == POISE_OK);
    cr_expect_eq(poise_node_leader(tree, model.nodes[1], NULL, NULL).index1, 0u);
    cr_expect(poise_node_couple(tree, model.nodes[1], model.nodes[0], -1.0, 0.0) == POISE_OK);
    cr_expect(poise_node_dof(tree, model.nodes[0]) == 1 &&
              poise_node_dof(tree, model.nodes[1]) == 0);
    model_finish(&model);
}

Test(follow, a_step_of_a_follower_is_never_more_than_the_joint_cap) {
    PoisePointId tip;
    Model model = finger(4.0, &tip);
    cr_assert(poise_point_set_position(model.tree, tip, finger_tip(4.0, 1.5)) == POISE_OK);
    for (int i = 0; i < 10; i++) {
        const double before = poise_node_angle(model.tree, model.nodes[1]);
        cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        cr_expect(fabs(poise_node_angle(model.tree, model.nodes[1]) - before) <= 0.5 + 1e-12);
    }
    model_finish(&model);
}

Test(follow, a_measured_follower_returns_to_the_relation) {
    PoisePointId tip;
    Model model = finger(0.5, &tip);
    PoiseTree* tree = model.tree;
    cr_assert(poise_point_set_position(tree, tip, finger_tip(0.5, 0.3)) == POISE_OK);
    cr_assert(poise_node_set_angle(tree, model.nodes[1], 0.4) == POISE_OK);
    cr_assert(poise_forward(tree) == POISE_OK);
    cr_assert(poise_solve(tree, NULL, NULL) == POISE_OK);
    double leads[POISE_MAX_DOF];
    double follows[POISE_MAX_DOF];
    cr_assert(poise_node_omega(tree, model.nodes[0], leads) == 1);
    cr_assert(poise_node_omega(tree, model.nodes[1], follows) == 1);
    const double led = poise_node_angle(tree, model.nodes[0]) + leads[0];
    EXPECT_NEAR(0.4 + follows[0], 0.5 * led + 0.1, 1e-12);
    model_finish(&model);
}

Test(follow, groups_merge_split_and_end_with_their_leader) {
    Model model = model_chain(POISE_NODE_HINGE, 5, 1.0, POISE_POINT_POSITION);
    PoiseTree* tree = model.tree;
    const PoiseNodeId* n = model.nodes;
    double ratio, offset;
    cr_assert(poise_node_couple(tree, n[3], n[2], 2.0, 0.1) == POISE_OK);
    cr_assert(poise_node_couple(tree, n[2], n[1], -1.0, 0.2) == POISE_OK);
    // The ratios and offsets are composed: 2 (-a + 0.2) + 0.1
    cr_expect_eq(poise_node_leader(tree, n[3], &ratio, &offset).index1, n[1].index1);
    EXPECT_NEAR(ratio, -2.0, 1e-15);
    EXPECT_NEAR(offset, 0.5, 1e-15);
    // A follower of a follower gets the first leader: 3 (2 (-a + 0.2) + 0.1) + 1
    cr_assert(poise_node_couple(tree, n[4], n[3], 3.0, 1.0) == POISE_OK);
    cr_expect_eq(poise_node_leader(tree, n[4], &ratio, &offset).index1, n[1].index1);
    EXPECT_NEAR(ratio, -6.0, 1e-15);
    EXPECT_NEAR(offset, 2.5, 1e-15);
    cr_expect_eq(poise_node_couple(tree, n[1], n[4], 1.0, 0.0), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_node_couple(tree, n[1], n[1], 1.0, 0.0), POISE_ERROR_INVALID_ARGUMENT);
    // The tie to the same leader is replaced, with another ratio.
    cr_assert(poise_node_couple(tree, n[4], n[1], 0.5, 0.0) == POISE_OK);
    cr_expect_eq(poise_node_leader(tree, n[4], &ratio, NULL).index1, n[1].index1);
    cr_expect_eq(ratio, 0.5);
    // A disabled follower holds the whole group.
    cr_assert(poise_node_set_enabled(tree, n[4], false) == POISE_OK);
    cr_expect_eq(poise_node_dof(tree, n[1]), 0);
    cr_assert(poise_node_set_enabled(tree, n[4], true) == POISE_OK);
    cr_expect_eq(poise_node_dof(tree, n[1]), 1);
    cr_assert(poise_node_destroy(tree, n[4]) == POISE_OK);
    cr_expect_eq(poise_node_leader(tree, n[3], NULL, NULL).index1, n[1].index1);
    cr_assert(poise_node_destroy(tree, n[2]) == POISE_OK);
    cr_expect_eq(poise_node_dof(tree, n[1]), 0, "its point went with the links");
    model_finish(&model);
}

Test(follow, copies_and_snapshots_keep_the_couplings) {
    int tied;
    Model model = tied_tree(9300, &tied);
    cr_assert_gt(tied, 1);
    PoiseTree* copy = poise_tree_clone(model.tree);
    const size_t size = poise_tree_save_size(model.tree);
    void* memory = malloc(size);
    cr_assert(poise_tree_save(model.tree, memory, size) == POISE_OK);
    for (int i = 0; i < 5; i++) {
        cr_assert(model_step(&model, NULL, NULL) >= POISE_OK);
    }
    const uint64_t hash = model_hash(&model);
    cr_assert(poise_tree_restore(model.tree, memory, size) == POISE_OK);
    for (int i = 0; i < 5; i++) {
        cr_assert(model_step(&model, NULL, NULL) >= POISE_OK);
    }
    cr_expect_eq(model_hash(&model), hash);
    Model second = model;
    second.tree = copy;
    for (int i = 0; i < 5; i++) {
        cr_assert(model_step(&second, NULL, NULL) >= POISE_OK);
    }
    cr_expect_eq(model_hash(&second), hash);
    poise_tree_destroy(copy);
    free(memory);
    model_finish(&model);
}

// A tie whose ratio overflows, or that leaves no common angle to the group, is refused and changes
// nothing.
Test(follow, couplings_that_leave_no_angle_are_refused) {
    Model model = model_chain(POISE_NODE_HINGE, 4, 1.0, POISE_POINT_POSITION);
    PoiseTree* tree = model.tree;
    const PoiseNodeId* n = model.nodes;
    cr_assert(poise_node_set_limits(tree, n[0], poise_range(0.0, 1.0)) == POISE_OK);
    cr_assert(poise_node_set_limits(tree, n[1], poise_range(5.0, 6.0)) == POISE_OK);
    cr_expect_eq(poise_node_couple(tree, n[1], n[0], 1.0, 0.0), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_not_null(strstr(poise_tree_message(tree), "no place"), "%s",
                       poise_tree_message(tree));
    cr_expect_eq(poise_node_leader(tree, n[1], NULL, NULL).index1, 0u);
    cr_expect_eq(poise_node_at_limit(tree, n[1]), -1);
    poise_tree_clear_status(tree);
    // The product of two ratios of 1e-200 underflows; 1e200 times an offset of 1e200 overflows.
    static const double ratios[] = {1e-200, 1e200};
    for (int i = 0; i < 2; i++) {
        cr_assert(poise_node_couple(tree, n[3], n[2], ratios[i], 1e200) == POISE_OK);
        cr_expect_eq(poise_node_couple(tree, n[1], n[3], ratios[i], 0.0),
                     POISE_ERROR_INVALID_ARGUMENT);
        cr_expect_eq(poise_node_couple(tree, n[2], n[1], ratios[i], 1e200),
                     POISE_ERROR_INVALID_ARGUMENT);
        cr_expect_eq(poise_node_leader(tree, n[1], NULL, NULL).index1, 0u);
        cr_expect_eq(poise_node_leader(tree, n[3], NULL, NULL).index1, n[2].index1);
        poise_tree_clear_status(tree);
    }
    // The ratio is negative, so the leader's upper end is the follower's lower end.
    cr_assert(poise_node_couple(tree, n[3], poise_null_node(), 0.0, 0.0) == POISE_OK);
    cr_assert(poise_node_set_angle(tree, n[0], 1.0) == POISE_OK);
    cr_assert(poise_node_couple(tree, n[3], n[0], -2.0, 0.0) == POISE_OK);
    cr_expect_eq(poise_node_at_limit(tree, n[0]), 1);
    cr_expect_eq(poise_node_at_limit(tree, n[3]), -1);
    // A handle of another tree differs from the null handle.
    PoiseNodeId foreign = n[0];
    foreign.index1 = 0;
    cr_expect_eq(poise_node_couple(tree, n[3], foreign, 1.0, 0.0), POISE_ERROR_INVALID_HANDLE);
    model_finish(&model);
}
