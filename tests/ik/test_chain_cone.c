// SPDX-License-Identifier: MIT
// Tests balls with a cone or twist range in compiled chains: the tree's frames, and answers inside
// the ranges.
#include <criterion/criterion.h>

#include "chains.h"
#include "near.h"
#include "works.h"

#define PI 3.14159265358979323846

enum { CHAINS = 40, TARGETS = 25, NODES = 4, SIZE = 16 };

// Makes three balls with cones, and between them a hinge, a plain ball or a slider.
static Model coned_model(Random* random, int which) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < NODES; i++) {
        PoiseNodeDef def = poise_default_ball_def();
        if (i == which % NODES) {
            def = which % 3 == 0   ? poise_default_hinge_def()
                  : which % 3 == 1 ? poise_default_slider_def()
                                   : poise_default_ball_def();
            def.lower = def.kind == POISE_NODE_SLIDER ? -0.2 : -2.0;
            def.upper = -def.lower;
        } else {
            def.swing_limit = random_between(random, 0.3, 2.5);
            def.twist_lower = random_between(random, -3.0, 0.1);
            def.twist_upper = def.twist_lower + random_between(random, 0.5, 3.0);
        }
        def.parent = parent;
        def.axis = random_direction(random);
        def.joint_in_parent = random_pose(random, 0.4, 3.0);
        def.link_in_joint = random_pose(random, 0.2, 3.0);
        parent = model_add_node(&model, &def);
        if (i == 0) {
            WORKS(poise_node_set_base(model.tree, parent, random_pose(random, 1.0, 3.0)));
        }
    }
    model_add_pose(&model, parent, random_pose(random, 0.3, 3.0));
    return model;
}

// True if the node is a ball with a cone; here both swing and twist of such a ball are limited.
static bool has_cone(const PoiseTree* tree, PoiseNodeId node, PoiseLimits* limits) {
    *limits = poise_node_limits(tree, node);
    return poise_node_kind(tree, node) == POISE_NODE_BALL && isfinite(limits->upper[0]);
}

// Returns how far the balls are outside their cones, rad, computed by vectors and angles of the
// test's own.
static double outside(const Model* model, Chain chain, const double* posture) {
    double most = 0.0;
    for (int i = 0; i < poise_body_posture_size(chain.body); i++) {
        const PoiseNodeId node = poise_body_node(chain.body, i);
        PoiseLimits limits;
        if (!has_cone(model->tree, node, &limits)) {
            continue;
        }
        const PoiseVec3 axis = poise_node_axis(model->tree, node);
        const double* q = &posture[i];
        const PoiseVec3 to = poise_quat_rotate(poise_quat(q[0], q[1], q[2], q[3]), axis);
        const double angle = atan2(poise_length(poise_cross(axis, to)), poise_dot(axis, to));
        const double along = q[1] * axis.x + q[2] * axis.y + q[3] * axis.z;
        const double twist = remainder(2.0 * atan2(along, q[0]), 2.0 * PI);
        most = fmax(most, angle - limits.upper[0]);
        most = fmax(most, fmax(twist - limits.upper[2], limits.lower[2] - twist));
        i += 3;
    }
    return most;
}

// Draws a twist about the axis, followed by a swing about an axis across it.
static PoiseQuat draw_rotation(Random* random, const Model* model, PoiseNodeId node) {
    PoiseLimits limits;
    if (!has_cone(model->tree, node, &limits)) {
        return random_turn(random, 3.0);
    }
    const PoiseVec3 axis = poise_node_axis(model->tree, node);
    const PoiseVec3 across = poise_cross(axis, random_direction(random));
    const double swing = random_between(random, 0.0, limits.upper[0]);
    const double twist = random_between(random, limits.lower[2], limits.upper[2]);
    return poise_quat_mul(poise_quat_from_axis_angle(across, swing),
                          poise_quat_from_axis_angle(axis, twist));
}

static void draw_inside(Random* random, const Model* model, Chain chain, double* posture) {
    for (int i = 0; i < NODES; i++) {
        double numbers[POISE_MAX_POSTURE];
        const int count = poise_node_posture(model->tree, model->nodes[i], numbers);
        if (count == 4) {
            const PoiseQuat q = draw_rotation(random, model, model->nodes[i]);
            const double all[4] = {q.w, q.x, q.y, q.z};
            WORKS(poise_node_set_posture(model->tree, model->nodes[i], all, 4));
        } else {
            numbers[0] = random_between(random, -0.2, 0.2);
            WORKS(poise_node_set_posture(model->tree, model->nodes[i], numbers, count));
        }
    }
    cr_assert(poise_body_read(chain.body, model->tree, posture) == POISE_OK);
}

// Solves for targets that are the tree's poses of postures inside the ranges.
static void solve_on(PoiseBodyPath path) {
    Random random = random_from(62);
    for (int c = 0; c < CHAINS; c++) {
        Model model = coned_model(&random, c);
        Chain chain = chain_of(&model, path);
        for (int t = 0; t < TARGETS; t++) {
            double posture[SIZE];
            draw_inside(&random, &model, chain, posture);
            cr_assert_leq(outside(&model, chain, posture), 1e-12);
            WORKS(poise_forward(model.tree));
            const PoisePose target = poise_point_planned_pose(model.tree, model.points[0]);
            double distance;
            double angle;
            chain_miss(chain, posture, target, &distance, &angle);
            cr_expect(distance <= 1e-14 && angle <= 1e-14, "the tree is %g m off", distance);
            cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
            cr_expect_leq(outside(&model, chain, posture), 1e-12, "the middle");
            PoiseBodyReport report;
            const PoiseStatus status = chain_solve(chain, NULL, target, posture, &report);
            chain_miss(chain, posture, target, &distance, &angle);
            cr_expect(status == POISE_OK && distance <= 1e-9 && angle <= 1e-9,
                      "chain %d, target %d: %s after %d iterations, %g m and %g rad off", c, t,
                      poise_status_name(status), report.iterations, distance, angle);
            cr_expect_leq(outside(&model, chain, posture), 1e-12);
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

Test(chain_cone, meets_what_can_be_met_on_every_path) {
    solve_on(POISE_BODY_EXACT);
    solve_on(POISE_BODY_FUSED);
}

// One ball with an arm of 1 m: the nearest point on the edge of the cone is known.
Test(chain_cone, rests_on_the_edge_nearest_to_what_is_outside) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_ball_def();
    def.axis = poise_vec3(1.0, 0.0, 0.0);
    def.swing_limit = 0.7;
    def.twist_lower = -0.2;
    def.twist_upper = 0.3;
    def.link_in_joint.p = poise_vec3(1.0, 0.0, 0.0);
    (void)model_add_node(&model, &def);
    for (int p = 0; p < CHAIN_PATHS; p++) {
        Chain chain = chain_of(&model, chain_paths[p]);
        ChainSolveDef solve = chain_goal_def(POISE_BODY_POSITION);
        double posture[4];
        PoiseBodyReport report;
        PoisePose target = poise_pose_identity();
        // 1.3 rad from the x axis, in the plane of x and an oblique direction
        const PoiseVec3 way = poise_vec3(0.0, 0.6, 0.8);
        target.p = poise_add_scaled(poise_vec3(cos(1.3), 0.0, 0.0), sin(1.3), way);
        cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
        cr_expect(chain_solve(chain, &solve, target, posture, &report) == POISE_NOT_CONVERGED);
        cr_expect(report.reason == POISE_REACH_AT_LIMITS, "%s",
                  poise_reach_reason_name(report.reason));
        cr_expect_geq(report.limited_dofs, 1);
        const PoiseVec3 edge = poise_add_scaled(poise_vec3(cos(0.7), 0.0, 0.0), sin(0.7), way);
        EXPECT_NEAR3(poise_body_forward(chain.body, posture, 0).p, edge, 1e-7);
        EXPECT_NEAR(report.error, 2.0 * sin(0.3), 1e-7);
        chain_destroy(chain);
    }
    model_finish(&model);
}

// The target leaves the cone and returns: each step stays inside, and the tip meets the target
// again.
Test(chain_cone, tracks_along_the_edge) {
    Random random = random_from(63);
    Model model = coned_model(&random, 4);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    double posture[SIZE];
    cr_assert(poise_body_middle(chain.body, posture) == POISE_OK);
    const PoisePose centre = poise_body_forward(chain.body, posture, 0);
    for (int i = 0; i <= 2000; i++) {
        PoisePose target = centre;
        const double phase = 2.0 * PI * i / 2000.0;
        target.p = poise_add(target.p, poise_vec3(2.0 * sin(phase), sin(phase) * cos(phase), 0.0));
        WORKS(chain_track(chain, NULL, target, posture, NULL));
        cr_assert_leq(outside(&model, chain, posture), 1e-12, "step %d", i);
    }
    for (int i = 0; i < 50; i++) {
        WORKS(chain_track(chain, NULL, centre, posture, NULL));
    }
    double distance;
    double angle;
    chain_miss(chain, posture, centre, &distance, &angle);
    cr_expect(distance <= 1e-9 && angle <= 1e-9, "%g m, %g rad", distance, angle);
    chain_destroy(chain);
    model_finish(&model);
}
