// SPDX-License-Identifier: MIT
// A rig in a world of the user: joints break, limbs are destroyed, bases are moved by the user.
#include <criterion/criterion.h>
#include <math.h>

#include "box_person.h"
#include "mechanism.h"
#include "near.h"

static const double DT = 0.01;

static bool is_finite_body(dBodyID body) {
    const dReal* p = dBodyGetPosition(body);
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

// Two points on a chain, one on each side of a joint that breaks.
Test(embedding, links_before_a_broken_joint_keep_their_goal_and_those_behind_fall) {
    Mechanism m;
    ChainDef def = chain_def(POISE_NODE_HINGE, 6, 1000.0, 60.0);
    def.gravity = poise_vec3(0.0, -9.81, 0.0);
    def.scale = 0.3;
    chain_open(&m, &def);
    // the mechanism's point is at the tip; this one is on the third link
    const PoisePointId middle = mechanism_add_point(&m, poise_default_position_def(), m.bodies[2],
                                                    poise_vec3(0.0, 0.15, 0.0));
    const PoiseVec3 goal = poise_vec3(0.5, 0.6, 0.0);
    cr_assert_eq(poise_point_set_position(m.tree, middle, goal), POISE_OK);
    mechanism_goal(&m, poise_vec3(0.9, 0.9, 0.0));
    mechanism_run(&m, DT, 300);
    dJointDisable(m.joints[3]);
    cr_assert_eq(poise_point_set_enabled(m.tree, m.point, false), POISE_OK, "its limb is lost");
    PoiseRigReport report;
    for (int i = 0; i < 600; i++) {
        cr_assert_eq(poise_rig_update(m.rig, DT, &report), POISE_DEGRADED);
        cr_assert_eq(report.skipped, 1);
        cr_assert_eq(report.driven, 5);
        dWorldStep(m.world, DT);
    }
    EXPECT_NEAR3(body_point(m.bodies[2], poise_vec3(0.0, 0.15, 0.0)), goal, 1e-4);
    cr_expect_lt(dBodyGetPosition(m.bodies[5])[1], -50.0, "it fell");
    for (int i = 0; i < 6; i++) {
        cr_expect(is_finite_body(m.bodies[i]));
    }
    mechanism_close(&m);
}

Test(embedding, a_joint_enabled_again_is_driven_again) {
    Mechanism m;
    ChainDef def = chain_def(POISE_NODE_BALL, 3, 1000.0, 60.0);
    chain_open(&m, &def);
    mechanism_goal(&m, poise_vec3(1.0, 2.0, 0.5));
    mechanism_run(&m, DT, 200);
    cr_expect_lt(mechanism_error(&m), 1e-3);
    dJointDisable(m.joints[2]);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(poise_rig_update(m.rig, DT, NULL), POISE_DEGRADED);
        dWorldStep(m.world, DT);
        cr_expect_eq(poise_node_enabled(m.tree, poise_tree_node(m.tree, 2)), false);
    }
    dJointEnable(m.joints[2]);
    mechanism_goal(&m, poise_vec3(-0.5, 2.2, 0.0));
    mechanism_run(&m, DT, 600);
    cr_expect(poise_node_enabled(m.tree, poise_tree_node(m.tree, 2)));
    cr_expect_lt(mechanism_error(&m), 1e-3, "%g", mechanism_error(&m));
    mechanism_close(&m);
}

// A hand and its forearm are destroyed without a call to the rig: the figure keeps standing, and
// the other hand reaches.
Test(embedding, a_limb_that_is_destroyed_leaves_the_rest_standing) {
    Figure f;
    figure_open(&f, figure_def());
    figure_run(&f, 1.0);
    dGeomDestroy(dBodyGetFirstGeom(f.hands[LEFT]));
    dGeomDestroy(dBodyGetFirstGeom(f.forearms[LEFT]));
    dBodyDestroy(f.hands[LEFT]);
    dBodyDestroy(f.forearms[LEFT]);
    PoiseVec3 goal = poise_vec3(0.4, -0.2, 1.1);
    cr_assert_eq(poise_point_set_position(f.m.tree, f.hand_points[RIGHT], goal), POISE_OK);
    cr_assert_eq(poise_point_set_enabled(f.m.tree, f.hand_points[LEFT], false), POISE_OK);
    for (int i = 0; i < 800; i++) {
        PoiseRigReport report;
        cr_assert_eq(poise_rig_update(f.m.rig, 0.005, &report), POISE_DEGRADED, "%s",
                     poise_rig_message(f.m.rig));
        cr_assert_eq(report.skipped, 2);
        cr_assert_eq(poise_world_step(f.m.own, 0.005), POISE_OK);
    }
    cr_expect_gt(dBodyGetRotation(f.pelvis)[10], 0.99);
    EXPECT_NEAR3(figure_hand(&f, RIGHT), goal, 0.005);
    figure_close(&f);
}

// Builds an arm of four balls on a base that the user moves, with a goal near it; returns the base.
static dBodyID arm_on_a_base(Mechanism* m, PoiseBindDef like) {
    dBodyID base = mechanism_box(m, poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.3, 0.3, 0.1), 5.0);
    dBodySetKinematic(base);
    dBodyID below = base;
    for (int i = 0; i < 4; i++) {
        double z = 0.05 + 0.3 * i;
        const LinkDef link = {.parent = below,
                              .kind = POISE_NODE_BALL,
                              .pivot = {.anchor = {0.0, 0.0, z}},
                              .at = {0.0, 0.0, z + 0.15},
                              .size = {0.06, 0.06, 0.28}};
        below = mechanism_link(m, &link);
    }
    cr_assert_eq(poise_rig_import(m->rig, base, &like), 4, "%s", poise_rig_message(m->rig));
    mechanism_point(m, poise_rig_node_of_body(m->rig, below), below, poise_vec3(0.0, 0.0, 1.25));
    mechanism_goal(m, poise_vec3(0.4, 0.3, 0.8));
    return base;
}

// Returns the largest distance of an arm with strong dampers from its goal. The goal is fixed in
// the world; the user moves the base to and fro.
static double farthest_on_a_moving_base(PoiseReference reference, bool turning) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, 0.0), reference);
    dBodyID base = arm_on_a_base(&m, mechanism_springs(500.0, 100.0));
    mechanism_run(&m, DT, 1500);
    double farthest = 0.0;
    for (int i = 0; i < 1500; i++) {
        const double t = DT * i;
        dBodySetLinearVel(base, 0.2 * sin(t), 0.2 * sin(2.0 * t), 0.0);
        dBodySetAngularVel(base, 0.0, 0.0, turning ? 0.5 * sin(1.5 * t) : 0.0);
        mechanism_step(&m, DT);
        farthest = fmax(farthest, mechanism_error(&m));
    }
    mechanism_close(&m);
    return farthest;
}

// d / p is 0.2 s. Dampers that act against the world would pull the hand along by 5 cm (7 if the
// base turns), since they hold the joints while the base moves.
Test(embedding, the_dampers_do_not_drag_what_stands_on_a_base_that_is_moved_by_hand) {
    for (int r = 0; r < 2; r++) {
        const PoiseReference reference = r == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
        for (int turning = 0; turning < 2; turning++) {
            const double farthest = farthest_on_a_moving_base(reference, turning == 1);
            cr_expect_lt(farthest, 0.005, "reference %d, turning %d: %g m", r, turning, farthest);
        }
    }
}

// A link in the middle is kinematic and held by the user. The links that hang from it are held up.
// Then the user lets go.
Test(embedding, links_behind_a_kinematic_link_do_not_sag) {
    Mechanism m;
    ChainDef def = chain_def(POISE_NODE_HINGE, 5, 300.0, 20.0);
    def.gravity = poise_vec3(-9.81, 0.0, 0.0);
    def.scale = 0.3;
    chain_open(&m, &def);
    dBodySetKinematic(m.bodies[0]);
    dBodySetKinematic(m.bodies[1]);
    PoiseRigReport report;
    for (int i = 0; i < 400; i++) {
        cr_assert_geq(poise_rig_update(m.rig, DT, &report), 0);
        dWorldStep(m.world, DT);
    }
    // the first joint is between the environment and a held body, the second between two
    cr_expect_eq(report.skipped, 2);
    cr_expect_lt(mechanism_error(&m), 1e-4, "%g", mechanism_error(&m));
    dBodySetDynamic(m.bodies[0]);
    dBodySetDynamic(m.bodies[1]);
    cr_expect_eq(mechanism_step(&m, DT).driven, 5);
    mechanism_close(&m);
}
