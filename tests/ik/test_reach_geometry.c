// SPDX-License-Identifier: MIT
// Tests reaches of a few joints whose end is known by geometry: stretched, folded, at a limit,
// singular. Tests points without registered nodes.
#include <criterion/criterion.h>

#include "arm.h"
#include "near.h"
#include "posture.h"
#include "works.h"

#define PI 3.14159265358979323846

// Makes a straight chain along x, of hinges about z or of balls.
static Model straight(PoiseNodeKind kind, int count) {
    return model_chain(kind, count, 0.4, POISE_POINT_POSITION);
}

static PoiseReachReport reach_place(const Model* model, PoiseVec3 place) {
    PoiseReachReport report;
    cr_assert(poise_point_set_position(model->tree, model->points[0], place) == POISE_OK);
    PoiseStatus status = poise_reach(model->tree, NULL, &report);
    cr_expect(status == report.status && poise_tree_is_fresh(model->tree));
    cr_expect((status == POISE_OK) == (report.reason == POISE_REACH_MET));
    cr_expect(status != POISE_OK || !report.out_of_reach);
    return report;
}

Test(reach_geometry, beyond_reach_it_ends_stretched_toward_the_goal) {
    static const double parts[3] = {1.05, 1.3, 3.0};
    for (int k = 0; k < 6; k++) {
        for (int count = 2; count <= 5; count++) {
            Model model = straight(k < 3 ? POISE_NODE_HINGE : POISE_NODE_BALL, count);
            const double reach = 0.4 * count;
            const PoiseVec3 way = k < 3 ? poise_vec3(-0.6, 0.8, 0.0) : poise_vec3(-0.48, 0.6, 0.64);
            PoiseReachReport report = reach_place(&model, poise_scale(parts[k % 3] * reach, way));
            cr_expect(report.reason == POISE_REACH_UNREACHABLE, "%d links, %g: reason %d", count,
                      parts[k % 3], (int)report.reason);
            cr_expect(report.out_of_reach);
            // The place is farther than the arm is long: no other posture is tried.
            cr_expect_eq(report.other_postures, 0);
            EXPECT_NEAR(report.largest_error, (parts[k % 3] - 1.0) * reach, 1e-9);
            EXPECT_NEAR3(poise_point_planned_pose(model.tree, model.points[0]).p,
                         poise_scale(reach, way), 1e-5);
            model_finish(&model);
        }
    }
}

Test(reach_geometry, a_straight_arm_folds_to_a_goal_on_its_own_line) {
    for (int kind = 0; kind < 2; kind++) {
        for (int count = 2; count <= 5; count++) {
            // only links that can close to a triangle reach a goal at the root itself
            for (double part = count == 3 ? 0.4 : 0.0; part < 0.95; part += 0.3) {
                Model model = straight(kind == 0 ? POISE_NODE_HINGE : POISE_NODE_BALL, count);
                PoiseReachReport report =
                    reach_place(&model, poise_vec3(part * 0.4 * count, 0.0, 0.0));
                cr_expect(report.reason == POISE_REACH_MET, "kind %d, %d links, %g: %d, %g m", kind,
                          count, part, (int)report.reason, report.largest_error);
                model_finish(&model);
            }
        }
    }
}

// The links are 1 and 0.4 m: no place within 0.6 m of the root can be met.
Test(reach_geometry, in_the_dead_zone_it_ends_on_its_rim) {
    for (int i = 0; i < 12; i++) {
        Model model = model_chain(POISE_NODE_HINGE, 2, 1.0, POISE_POINT_POSITION);
        PoisePointDef def = poise_default_position_def();
        def.link = model.nodes[1];
        def.in_link.p = poise_vec3(0.4, 0.0, 0.0);
        WORKS(poise_point_destroy(model.tree, model.points[0]));
        model.point_count = 0;
        model_add_point(&model, &def);
        WORKS(poise_node_set_angle(model.tree, model.nodes[1], 0.7));
        const double angle = 0.5 * i;
        PoiseReachReport report =
            reach_place(&model, poise_vec3(0.3 * cos(angle), 0.3 * sin(angle), 0.0));
        cr_expect(report.reason == POISE_REACH_UNREACHABLE, "%d", (int)report.reason);
        cr_expect(report.out_of_reach);
        EXPECT_NEAR(report.largest_error, 0.3, 1e-9);
        model_finish(&model);
    }
}

Test(reach_geometry, a_limit_that_holds_it_back_is_named) {
    Model model = model_chain(POISE_NODE_HINGE, 1, 2.0, POISE_POINT_POSITION);
    cr_assert(poise_node_set_limits(model.tree, model.nodes[0], poise_range(-1.0, 0.5)) ==
              POISE_OK);
    PoiseReachReport report = reach_place(&model, poise_vec3(0.0, 2.0, 0.0));
    cr_expect(report.reason == POISE_REACH_AT_LIMITS && report.limited_nodes == 1);
    cr_expect(poise_node_at_limit(model.tree, model.nodes[0]) == 1);
    EXPECT_NEAR(report.largest_error, 4.0 * sin(0.5 * (0.5 * PI - 0.5)), 1e-12);
    EXPECT_NEAR(report.error, 0.5 * report.largest_error * report.largest_error, 1e-12);
    report = reach_place(&model, poise_vec3(2.0 * cos(0.2), -2.0 * sin(0.2), 0.0));
    cr_expect(report.reason == POISE_REACH_MET && report.limited_nodes == 0);
    cr_expect(poise_node_at_limit(model.tree, model.nodes[0]) == 0);
    report = reach_place(&model, poise_vec3(0.0, -2.0, 0.0));
    cr_expect(poise_node_at_limit(model.tree, model.nodes[0]) == -1);
    model_finish(&model);
}

// A ball is swung, and twisted, to the end of its cone.
Test(reach_geometry, a_cone_that_holds_it_back_is_named) {
    Model model = model_chain(POISE_NODE_BALL, 1, 0.5, POISE_POINT_DIRECTION);
    PoiseTree* tree = model.tree;
    const PoiseNodeId ball = model.nodes[0];
    cr_assert(poise_node_set_limits(tree, ball, poise_cone(0.2, -HUGE_VAL, HUGE_VAL)) == POISE_OK);
    PoiseReachReport report;
    const PoiseVec3 inside = poise_vec3(sin(0.1), 0.0, cos(0.1));
    cr_assert(poise_point_set_direction(tree, model.points[0], inside) == POISE_OK);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_OK && report.limited_nodes == 0);
    cr_expect(poise_node_at_limit(tree, ball) == 0);
    const PoiseVec3 outside = poise_vec3(sin(1.0), 0.0, cos(1.0));
    cr_assert(poise_point_set_direction(tree, model.points[0], outside) == POISE_OK);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_NOT_CONVERGED);
    EXPECT_NEAR(report.largest_angle_error, 0.8, 1e-6);
    cr_expect(report.reason == POISE_REACH_AT_LIMITS && report.limited_nodes == 1, "%d, %d",
              (int)report.reason, report.limited_nodes);
    cr_expect(poise_node_at_limit(tree, ball) == 1);
    // twist about the cone's axis, z
    cr_assert(poise_node_set_limits(tree, ball, poise_cone(0.2, -0.3, 0.4)) == POISE_OK);
    for (int side = -1; side <= 1; side++) {
        const double twist = side < 0 ? -0.3 : side > 0 ? 0.4 : 0.1;
        PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), twist);
        cr_assert(set_rotation(tree, ball, turn) == POISE_OK);
        cr_expect(poise_node_at_limit(tree, ball) == side, "%d", side);
    }
    model_finish(&model);
}

Test(reach_geometry, a_posture_outside_its_range_is_brought_inside) {
    Model model = straight(POISE_NODE_HINGE, 3);
    cr_assert(poise_node_set_limits(model.tree, model.nodes[1], poise_range(0.5, 1.0)) == POISE_OK);
    PoiseReachReport report = reach_place(&model, poise_vec3(0.3, 0.6, 0.0));
    cr_expect(report.reason == POISE_REACH_MET);
    const double angle = poise_node_angle(model.tree, model.nodes[1]);
    cr_expect(angle >= 0.5 && angle <= 1.0);
    model_finish(&model);
}

// Half a turn about any axis is made by a ball; a hinge that cannot contribute is singular.
Test(reach_geometry, half_turns_are_made_or_called_singular) {
    Random random = random_from(5);
    for (int i = 0; i < 20; i++) {
        Model model = model_chain(POISE_NODE_BALL, 1 + i % 3, 0.3, POISE_POINT_ORIENTATION);
        const PoiseVec3 axis = random_direction(&random);
        WORKS(poise_point_set_orientation(model.tree, model.points[0],
                                          poise_quat_from_axis_angle(axis, PI)));
        PoiseReachReport report;
        cr_expect(poise_reach(model.tree, NULL, &report) == POISE_OK);
        model_finish(&model);
    }
    Model model = model_chain(POISE_NODE_HINGE, 1, 0.3, POISE_POINT_ORIENTATION);
    PoiseReachReport report;
    WORKS(poise_point_set_orientation(model.tree, model.points[0], poise_quat(0.0, 1.0, 0.0, 0.0)));
    cr_expect(poise_reach(model.tree, NULL, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.reason == POISE_REACH_SINGULAR, "%d", (int)report.reason);
    EXPECT_NEAR(report.largest_angle_error, PI, 1e-12);
    model_finish(&model);
}

Test(reach_geometry, a_hinge_whose_goal_is_on_its_axis_is_called_singular) {
    Model model = model_chain(POISE_NODE_HINGE, 1, 0.3, POISE_POINT_POSITION);
    PoiseReachReport report = reach_place(&model, poise_vec3(0.0, 0.0, 0.2));
    cr_expect(report.reason == POISE_REACH_SINGULAR, "%d", (int)report.reason);
    EXPECT_NEAR(report.largest_error, hypot(0.3, 0.2), 1e-12);
    EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[0]), 0.0, 0.0);
    model_finish(&model);
}

Test(reach_geometry, from_the_nearest_answer_nothing_moves) {
    for (int kind = 0; kind < 2; kind++) {
        Model model = straight(kind == 0 ? POISE_NODE_HINGE : POISE_NODE_BALL, 4);
        const PoiseVec3 place = poise_vec3(1.0, 1.5, kind);
        (void)reach_place(&model, place);
        double angles[4];
        PoiseQuat turns[4];
        arm_get(&model, angles);
        for (int n = 0; n < 4; n++) {
            turns[n] = poise_node_pose(model.tree, model.nodes[n]).q;
        }
        for (int call = 0; call < 10; call++) {
            (void)reach_place(&model, place);
        }
        for (int n = 0; n < 4; n++) {
            EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[n]), angles[n], 1e-6);
            EXPECT_NEAR_QUAT(poise_node_pose(model.tree, model.nodes[n]).q, turns[n], 1e-6);
        }
        model_finish(&model);
    }
}

// Of two points, the one without registered nodes is not met, the other one is.
Test(reach_geometry, a_point_that_no_node_serves_is_not_called_met) {
    Model model = straight(POISE_NODE_HINGE, 3);
    PoiseTree* tree = model.tree;
    PoisePointDef def = poise_default_position_def();
    def.link = model.nodes[2];
    def.in_link.p = poise_vec3(0.4, 0.0, 0.0);
    const PoisePointId idle = poise_point_create(tree, &def);
    PoiseReachReport report;
    const PoiseVec3 place = poise_vec3(0.5, 0.6, 0.0);
    cr_assert(poise_point_set_position(tree, model.points[0], place) == POISE_OK);
    // The goal is the point's place.
    cr_expect(poise_reach(tree, NULL, &report) == POISE_DEGRADED && report.idle_points == 1);
    const PoiseVec3 there = poise_point_planned_pose(tree, idle).p;
    cr_assert(poise_point_set_position(tree, idle, poise_add(there, poise_vec3(0.0, 0.0, 0.56))) ==
              POISE_OK);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_DEGRADED);
    cr_expect(report.status == POISE_DEGRADED && report.reason == POISE_REACH_MET);
    cr_expect(report.idle_points == 1 && report.frozen_points == 0);
    EXPECT_NEAR(report.largest_error, 0.56, 1e-6);
    // The point is at its goal without any node.
    cr_assert(poise_point_set_position(tree, idle, there) == POISE_OK);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_OK && report.idle_points == 1);
    // An orientation point without nodes is idle too.
    PoisePointDef turned = poise_default_orientation_def();
    turned.link = model.nodes[1];
    turned.has_goal = true;
    turned.goal.q = poise_quat_from_axis_angle(poise_vec3(0.6, 0.8, 0.0), 3.0);
    const PoisePointId other = poise_point_create(tree, &turned);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_DEGRADED && report.idle_points == 2);
    EXPECT_NEAR(report.largest_angle_error, poise_point_planned_angle_error(tree, other), 1e-15);
    cr_expect(report.largest_angle_error > 1.0);
    // A point of weight 0 or a disabled point is not idle, and a point with nodes is solved for.
    cr_assert(poise_point_set_weight(tree, other, 0.0) == POISE_OK);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_OK && report.idle_points == 1);
    cr_assert(poise_point_set_enabled(tree, idle, false) == POISE_OK);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_OK && report.idle_points == 0);
    cr_assert(poise_point_set_enabled(tree, idle, true) == POISE_OK);
    cr_assert(poise_register_all(tree, idle) == POISE_OK);
    cr_expect(poise_reach(tree, NULL, &report) == POISE_OK && report.idle_points == 0);
    // A point whose nodes are all disabled is idle.
    for (int i = 0; i < 3; i++) {
        cr_assert(poise_node_set_enabled(tree, model.nodes[i], false) == POISE_OK);
    }
    cr_expect(poise_reach(tree, NULL, &report) >= POISE_OK && report.idle_points == 2);
    model_finish(&model);
}
