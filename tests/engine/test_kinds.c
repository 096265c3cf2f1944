// SPDX-License-Identifier: MIT
// Translation and free nodes in physics.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"

static const double DT = 0.01;

// Opens a world with gravity and adds a brick. Returns the brick.
static dBodyID open_brick(Mechanism* m, PoiseVec3 at) {
    mechanism_open(m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    return mechanism_brick(m, at);
}

static PoiseNodeId bind_free(Mechanism* m, dBodyID body, PoiseNodeKind kind, PoiseBindDef def) {
    PoiseNodeDef node =
        kind == POISE_NODE_FREE ? poise_default_free_def() : poise_default_translation_def();
    node.translation = body_place(body);
    node.rotation = body_turn(body);
    def.node = poise_node_create(m->tree, &node);
    def.body = body;
    cr_assert_eq(poise_rig_bind(m->rig, &def), POISE_OK, "%s", poise_rig_message(m->rig));
    return def.node;
}

Test(kinds, a_translation_node_is_an_implicit_spring_along_each_axis) {
    const double p = 300.0, d = 8.0, mass = 2.0;
    for (int gravity = 0; gravity < 2; gravity++) {
        Mechanism m;
        mechanism_open(&m, poise_vec3(0.0, 0.0, gravity ? -9.81 : 0.0), POISE_REFERENCE_OWN);
        RIG_SET(m.rig, gravity, false);
        dBodyID body = mechanism_brick(&m, poise_vec3(0.3, -0.2, 0.5));
        PoiseBindDef def = mechanism_springs(0.0, 0.0);
        def.original = (PoiseSpring){p, d};
        (void)bind_free(&m, body, POISE_NODE_TRANSLATION, def);
        double x[3] = {0.3, -0.2, 0.5}, v[3] = {0.0, 0.0, 0.0};
        for (int step = 0; step < 300; step++) {
            mechanism_step(&m, DT);
            for (int i = 0; i < 3; i++) {
                double force = -p * x[i] - (i == 2 && gravity ? mass * 9.81 : 0.0);
                v[i] = (mass * v[i] + DT * force) / (mass + DT * d + DT * DT * p);
                x[i] += DT * v[i];
            }
            EXPECT_NEAR3(body_place(body), poise_vec3(x[0], x[1], x[2]), 1e-11);
        }
        mechanism_close(&m);
    }
}

// The paper's base: springs to the world along and about all axes.
Test(kinds, a_free_node_with_springs_holds_its_pose_and_yields_by_load_over_stiffness) {
    Mechanism m;
    dBodyID body = open_brick(&m, poise_vec3(0.1, 0.2, 1.0));
    PoiseBindDef def = mechanism_springs(0.0, 0.0);
    def.original = (PoiseSpring){200.0, 10.0};
    def.original_linear = (PoiseSpring){1000.0, 60.0};
    def.natural[2] = 1.2;
    const PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(0.6, 0.0, 0.8), 0.5);
    const double rotation[4] = {turn.w, turn.x, turn.y, turn.z};
    memcpy(&def.natural[3], rotation, sizeof rotation);
    PoiseNodeId node = bind_free(&m, body, POISE_NODE_FREE, def);
    mechanism_run(&m, DT, 800);
    EXPECT_NEAR3(body_place(body), poise_vec3(0.0, 0.0, 1.2), 1e-6);
    EXPECT_NEAR_QUAT(body_turn(body), turn, 1e-6);
    for (int step = 0; step < 800; step++) {
        mechanism_step(&m, DT);
        dBodyAddForce(body, 5.0, 0.0, 0.0);
        dBodyAddTorque(body, 1.2, 0.0, 1.6);
    }
    EXPECT_NEAR3(body_place(body), poise_vec3(0.005, 0.0, 1.2), 1e-6);
    // about the axis of its present rotation
    EXPECT_NEAR_QUAT(body_turn(body),
                     poise_quat_from_axis_angle(poise_vec3(0.6, 0.0, 0.8), 0.5 + 2.0 / 200.0),
                     1e-6);
    const PoiseJointReading reading = mechanism_read(&m, node);
    const double given[6] = {-5.0, 0.0, 2.0 * 9.81, -1.2, 0.0, -1.6};
    for (int d = 0; d < 6; d++) {
        EXPECT_NEAR(reading.torque[d], given[d], 1e-5);
    }
    mechanism_close(&m);
}

Test(kinds, a_driven_free_base_takes_its_part_in_the_solve) {
    Mechanism m;
    dBodyID body = open_brick(&m, poise_vec3(0.0, 0.0, 1.0));
    dBodyID arm = mechanism_brick(&m, poise_vec3(0.5, 0.0, 1.0));
    mechanism_join(&m, POISE_NODE_HINGE, arm, body,
                   pivot(poise_vec3(0.25, 0.0, 1.0), poise_vec3(0.0, 1.0, 0.0)));
    PoiseBindDef like = mechanism_springs(800.0, 60.0);
    like.ik_linear = (PoiseSpring){4000.0, 300.0};
    cr_assert_neq(poise_rig_add_base(m.rig, body, &like).index1, 0, "%s", poise_rig_message(m.rig));
    cr_assert_eq(poise_rig_import(m.rig, body, &like), 1, "%s", poise_rig_message(m.rig));
    mechanism_point(&m, poise_rig_node_of_body(m.rig, arm), arm, poise_vec3(0.75, 0.0, 1.0));
    // out of the arm's reach: the base must move
    mechanism_goal(&m, poise_vec3(1.6, 0.4, 1.5));
    mechanism_run(&m, DT, 800);
    cr_expect_lt(mechanism_error(&m), 1e-5, "%g", mechanism_error(&m));
    mechanism_close(&m);
}

Test(kinds, a_base_is_held_at_its_posture_or_without_one_where_it_is) {
    for (int given = 0; given < 2; given++) {
        Mechanism m;
        const PoiseVec3 at = poise_vec3(0.1, 0.2, 1.0);
        dBodyID body = open_brick(&m, at);
        PoiseBindDef like = mechanism_springs(0.0, 0.0);
        like.original = (PoiseSpring){200.0, 10.0};
        like.original_linear = (PoiseSpring){1000.0, 80.0};
        like.natural[2] = given ? 1.2 : 0.0;
        like.natural[3] = given ? 1.0 : 0.0;
        cr_assert_neq(poise_rig_add_base(m.rig, body, &like).index1, 0);
        mechanism_run(&m, DT, 800);
        EXPECT_NEAR3(body_place(body), given ? poise_vec3(0.0, 0.0, 1.2) : at, 1e-6);
        mechanism_close(&m);
    }
}

Test(kinds, a_floating_base_is_not_driven_at_all) {
    Mechanism m;
    dBodyID body = open_brick(&m, poise_vec3(0.0, 0.0, 1.0));
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    PoiseNodeId base = poise_rig_add_base(m.rig, body, &like);
    cr_assert_neq(base.index1, 0);
    const double g = 9.81;
    for (int step = 1; step <= 100; step++) {
        mechanism_step(&m, DT);
        EXPECT_NEAR(dBodyGetPosition(body)[2], 1.0 - g * DT * DT * step * (step + 1) / 2.0, 1e-12);
    }
    // the tree has the pose of the body
    EXPECT_NEAR(poise_node_pose(m.tree, base).p.z, dBodyGetPosition(body)[2], 0.1);
    mechanism_close(&m);
}
