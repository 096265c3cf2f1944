// SPDX-License-Identifier: MIT
// Tests every kind of node in one tree with reach, priorities and null-space vectors. Oracles:
// central differences, and goals taken from a posture.
#include <criterion/criterion.h>

#include "near.h"
#include "poise/ik.h"
#include "random.h"

enum { NODES = 6, POINTS = 2 };

typedef struct Body {
    PoiseTree* tree;
    PoiseNodeId nodes[NODES];
    PoisePointId points[POINTS];
} Body;

static PoiseNodeDef def_of(int i) {
    PoiseNodeDef defs[NODES] = {poise_default_free_def(),        poise_default_universal_def(),
                                poise_default_ball_def(),        poise_default_hinge_def(),
                                poise_default_translation_def(), poise_default_slider_def()};
    PoiseNodeDef def = defs[i];
    def.joint_in_parent.p = poise_vec3(0.1, 0.2, 0.5);
    if (i == 0) {
        def.free_axes &= ~(2u | 16u); // not along y, not about y
    }
    if (i == 1) {
        def.lower = -1.0;
        def.upper = 1.0;
        def.lower2 = -0.8;
        def.upper2 = 0.8;
    }
    if (i == 2) {
        def.axis = poise_vec3(0.0, 0.0, 1.0);
        def.swing_limit = 0.9;
        def.twist_lower = -0.4;
        def.twist_upper = 0.4;
    }
    if (i == 5) {
        def.lower = -0.2;
        def.upper = 0.2;
    }
    return def;
}

// Makes a chain of all kinds with a pose point at its end and a position point half way.
static Body make_body(void) {
    Body body = {0};
    PoiseTreeDef def = poise_default_tree_def();
    body.tree = poise_tree_create(&def);
    for (int i = 0; i < NODES; i++) {
        PoiseNodeDef node = def_of(i);
        node.parent = i > 0 ? body.nodes[i - 1] : poise_null_node();
        body.nodes[i] = poise_node_create(body.tree, &node);
    }
    for (int p = 0; p < POINTS; p++) {
        PoisePointDef point = p == 0 ? poise_default_pose_def() : poise_default_position_def();
        point.link = body.nodes[p == 0 ? NODES - 1 : 2];
        point.in_link.p = poise_vec3(0.1, 0.0, 0.3);
        body.points[p] = poise_point_create(body.tree, &point);
        poise_register_chain(body.tree, body.points[p], poise_null_node());
    }
    cr_assert(poise_tree_status(body.tree) == POISE_OK, "%s", poise_tree_message(body.tree));
    return body;
}

// Brings the body to a random posture inside the ranges, by many steps to random goals.
static void wander(Body* body, Random* random) {
    for (int step = 0; step < 20; step++) {
        const double z = random_between(random, 1, 3);
        const double y = random_between(random, -0.5, 0.5);
        PoiseVec3 to = poise_vec3(random_between(random, -0.5, 0.5), y, z);
        cr_assert(poise_point_set_position(body->tree, body->points[0], to) == POISE_OK);
        cr_assert(poise_forward(body->tree) == POISE_OK);
        cr_assert(poise_solve(body->tree, NULL, NULL) == POISE_OK);
        cr_assert(poise_advance(body->tree) == POISE_OK);
    }
    cr_assert(poise_forward(body->tree) == POISE_OK);
}

static void take_goals(Body* body) {
    for (int p = 0; p < POINTS; p++) {
        PoisePose pose = poise_point_planned_pose(body->tree, body->points[p]);
        cr_assert(poise_point_set_position(body->tree, body->points[p], pose.p) == POISE_OK);
        if (p == 0) {
            cr_assert(poise_point_set_orientation(body->tree, body->points[p], pose.q) == POISE_OK);
        }
    }
}

static void expect_inside(const Body* body) {
    double q[POISE_MAX_POSTURE];
    cr_assert(poise_node_posture(body->tree, body->nodes[1], q) == 2);
    cr_expect(fabs(q[0]) <= 1.0 && fabs(q[1]) <= 0.8, "universal at %g %g", q[0], q[1]);
    cr_expect(fabs(poise_node_angle(body->tree, body->nodes[5])) <= 0.2);
    // Swing is the angle between the cone's axis and its direction now.
    PoiseVec3 axis =
        poise_quat_rotate(poise_node_pose(body->tree, body->nodes[2]).q, poise_vec3(0.0, 0.0, 1.0));
    cr_expect(acos(fmin(axis.z, 1.0)) <= 0.9 + 1e-7, "swing %.17g", acos(axis.z));
}

Test(whole_body, reach_brings_every_kind_to_its_goals) {
    Random random = random_from(77);
    for (int round = 0; round < 20; round++) {
        Body body = make_body();
        wander(&body, &random);
        take_goals(&body);
        Body start = make_body();
        for (int p = 0; p < POINTS; p++) {
            PoisePose goal = poise_point_goal(body.tree, body.points[p]);
            cr_assert(poise_point_set_position(start.tree, start.points[p], goal.p) == POISE_OK);
            if (p == 0) {
                cr_assert(poise_point_set_orientation(start.tree, start.points[p], goal.q) ==
                          POISE_OK);
            }
        }
        PoiseReachDef def = poise_default_reach_def();
        def.starts = 20;
        PoiseReachReport report;
        PoiseStatus status = poise_reach(start.tree, &def, &report);
        cr_expect(status == POISE_OK, "round %d: %s, reason %d, %g m", round,
                  poise_status_name(status), (int)report.reason, report.largest_error);
        cr_assert(poise_forward(start.tree) == POISE_OK);
        for (int p = 0; p < POINTS; p++) {
            cr_expect(poise_point_planned_error(start.tree, start.points[p]) < 1e-5);
            cr_expect(poise_point_planned_angle_error(start.tree, start.points[p]) < 1e-5);
        }
        expect_inside(&start);
        poise_tree_destroy(start.tree);
        poise_tree_destroy(body.tree);
    }
}

// Fills the points' poses after the nodes have moved by `size` times the numbers of x, in the order
// of poise_node_omega.
static void moved_places(const Body* body, const double* x, double size, PoisePose out[POINTS]) {
    PoiseTree* copy = poise_tree_clone(body->tree);
    const double* at = x;
    for (int n = 0; n < NODES; n++) {
        double q[POISE_MAX_POSTURE];
        int count = poise_node_posture(copy, body->nodes[n], q);
        PoiseQuat joint = poise_node_joint_world(body->tree, body->nodes[n]).q;
        PoiseVec3 first = poise_quat_unrotate(joint, poise_vec3(at[0], at[1], at[2]));
        PoiseNodeKind kind = poise_node_kind(copy, body->nodes[n]);
        if (kind == POISE_NODE_BALL || kind == POISE_NODE_FREE) {
            double* turned = kind == POISE_NODE_FREE ? &q[3] : q;
            PoiseVec3 turn = kind == POISE_NODE_FREE
                                 ? poise_quat_unrotate(joint, poise_vec3(at[3], at[4], at[5]))
                                 : first;
            PoiseQuat r = poise_quat(turned[0], turned[1], turned[2], turned[3]);
            r = poise_quat_mul(poise_quat_exp(poise_scale(size, turn)), r);
            turned[0] = r.w;
            turned[1] = r.x;
            turned[2] = r.y;
            turned[3] = r.z;
        }
        if (kind == POISE_NODE_TRANSLATION || kind == POISE_NODE_FREE) {
            q[0] += size * first.x;
            q[1] += size * first.y;
            q[2] += size * first.z;
        } else if (kind != POISE_NODE_BALL) {
            q[0] += size * at[0];
            q[1] += kind == POISE_NODE_UNIVERSAL ? size * at[1] : 0.0;
        }
        cr_assert(poise_node_set_posture(copy, body->nodes[n], q, count) == POISE_OK);
        at += poise_node_omega(copy, body->nodes[n], NULL);
    }
    cr_assert(poise_forward(copy) == POISE_OK);
    for (int p = 0; p < POINTS; p++) {
        out[p] = poise_point_planned_pose(copy, body->points[p]);
    }
    poise_tree_destroy(copy);
}

Test(whole_body, null_space_vectors_of_every_kind_move_no_point) {
    enum { NUMBERS = 6 + 2 + 3 + 1 + 3 + 1 };
    const double size = 1e-6;
    Random random = random_from(78);
    for (int round = 0; round < 20; round++) {
        Body body = make_body();
        wander(&body, &random);
        cr_assert(poise_stage_jacobians(body.tree) == POISE_OK);
        // space past the end, since numbers are read three at a time
        double x[NUMBERS + POISE_MAX_DOF] = {0.0};
        for (int i = 0; i < NUMBERS; i++) {
            x[i] = random_between(&random, -1.0, 1.0);
        }
        cr_assert(poise_null_space_project(body.tree, x, NUMBERS, x) == POISE_OK);
        double length = 0.0;
        for (int i = 0; i < NUMBERS; i++) {
            length += x[i] * x[i];
        }
        cr_expect(length > 0.1, "nothing is left to move: %g", length);
        PoisePose ahead[POINTS], behind[POINTS];
        moved_places(&body, x, size, ahead);
        moved_places(&body, x, -size, behind);
        for (int p = 0; p < POINTS; p++) {
            PoiseVec3 way = poise_scale(0.5 / size, poise_sub(ahead[p].p, behind[p].p));
            EXPECT_NEAR3(way, poise_vec3(0.0, 0.0, 0.0), 1e-8);
        }
        PoiseQuat turn = poise_quat_mul(ahead[0].q, poise_quat_conjugate(behind[0].q));
        EXPECT_NEAR3(poise_scale(0.5 / size, poise_quat_log(turn)), poise_vec3(0.0, 0.0, 0.0),
                     1e-8);
        poise_tree_destroy(body.tree);
    }
}
