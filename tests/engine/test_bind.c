// SPDX-License-Identifier: MIT
// Tying nodes to joints: what it finds out from where the bodies are, what it leaves alone, and what
// happens when things are bound in another order, taken away, or destroyed behind the rig's back.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "poise/world.h"
#include "random.h"

static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};
static const double STEP = 0.01;

// ------------------------------------------------------------------ an arm bound by hand

enum { ARM_JOINTS = 4 };

// ball, hinge, slider, hinge on the ground: a tree written by hand, bodies put into a bent posture
// that the tree is not in
typedef struct Arm {
    Mechanism m;
    PoiseNodeId nodes[ARM_JOINTS];
    PoisePose link_in_body[ARM_JOINTS];
} Arm;

static const PoiseNodeKind arm_kinds[ARM_JOINTS] = {POISE_NODE_BALL, POISE_NODE_HINGE,
                                                    POISE_NODE_SLIDER, POISE_NODE_HINGE};
static const double arm_angles[ARM_JOINTS] = {0.0, 0.7, 0.2, -1.1};

static PoiseQuat arm_rotation(void) {
    return poise_quat_exp(poise_vec3(0.3, -0.4, 0.5));
}

static void make_arm_nodes(Arm* arm) {
    Random random = random_from(11);
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < ARM_JOINTS; i++) {
        PoiseNodeDef def = arm_kinds[i] == POISE_NODE_BALL     ? poise_default_ball_def()
                           : arm_kinds[i] == POISE_NODE_SLIDER ? poise_default_slider_def()
                                                               : poise_default_hinge_def();
        def.parent = parent;
        def.axis = random_direction(&random);
        def.joint_in_parent = poise_pose(random_vec3(&random, 0.5), random_turn(&random, 2.0));
        def.link_in_joint = poise_pose(random_vec3(&random, 0.5), random_turn(&random, 2.0));
        parent = arm->nodes[i] = poise_node_create(arm->m.tree, &def);
        arm->link_in_body[i] = poise_pose(random_vec3(&random, 0.2), random_turn(&random, 2.0));
    }
    PoisePose base = poise_pose(random_vec3(&random, 1.0), random_turn(&random, 2.0));
    cr_assert_eq(poise_node_set_base(arm->m.tree, arm->nodes[0], base), POISE_OK);
}

static void set_arm_posture(const Arm* arm, double share) {
    PoiseTree* tree = arm->m.tree;
    PoiseVec3 turn = poise_scale(share, poise_quat_log(arm_rotation()));
    cr_assert_eq(poise_node_set_rotation(tree, arm->nodes[0], poise_quat_exp(turn)), POISE_OK);
    for (int i = 1; i < ARM_JOINTS; i++) {
        cr_assert_eq(poise_node_set_angle(tree, arm->nodes[i], share * arm_angles[i]), POISE_OK);
    }
    cr_assert_eq(poise_forward(tree), POISE_OK);
}

static void put_arm_bodies(Arm* arm) {
    for (int i = 0; i < ARM_JOINTS; i++) {
        PoisePose link = poise_node_link_world(arm->m.tree, arm->nodes[i]);
        PoisePose body = poise_pose_mul(link, poise_pose_inverse(arm->link_in_body[i]));
        dBodySetPosition(arm->m.bodies[i], body.p.x, body.p.y, body.p.z);
        dQuaternion q = {body.q.w, body.q.x, body.q.y, body.q.z};
        dBodySetQuaternion(arm->m.bodies[i], q);
    }
}

// the joints are made in the straight posture, so that ODE's angle is 0 there, or in the bent one
static void open_arm(Arm* arm, bool made_bent) {
    mechanism_open(&arm->m, no_gravity, POISE_REFERENCE_OWN);
    make_arm_nodes(arm);
    for (int i = 0; i < ARM_JOINTS; i++) {
        mechanism_box(&arm->m, no_gravity, poise_vec3(0.3, 0.2, 0.1), 1.0);
    }
    set_arm_posture(arm, made_bent ? 1.0 : 0.0);
    put_arm_bodies(arm);
    for (int i = 0; i < ARM_JOINTS; i++) {
        PoisePose joint = poise_node_joint_world(arm->m.tree, arm->nodes[i]);
        PoiseVec3 axis =
            poise_quat_rotate(joint.q, poise_node_axis(arm->m.tree, arm->nodes[i]));
        dBodyID below = i > 0 ? arm->m.bodies[i - 1] : NULL;
        bool child_first = i % 2 == 0;
        mechanism_join(&arm->m, arm_kinds[i], child_first ? arm->m.bodies[i] : below,
                       child_first ? below : arm->m.bodies[i], joint.p, axis);
    }
    set_arm_posture(arm, 1.0);
    put_arm_bodies(arm);
    set_arm_posture(arm, 0.0);
}

static PoiseBindDef arm_bind(const Arm* arm, int i) {
    PoiseBindDef def = mechanism_springs(1e4, 1e3);
    def.node = arm->nodes[i];
    def.joint = arm->m.joints[i];
    def.body = arm->m.bodies[i];
    def.link_in_body = arm->link_in_body[i];
    return def;
}

static void bind_arm(Arm* arm, const int* order) {
    for (int i = 0; i < ARM_JOINTS; i++) {
        PoiseBindDef def = arm_bind(arm, order[i]);
        cr_assert_eq(poise_rig_bind(arm->m.rig, &def), POISE_OK, "%s",
                     poise_rig_message(arm->m.rig));
    }
}

static void expect_arm_angles(const Arm* arm, double tolerance) {
    for (int i = 0; i < ARM_JOINTS; i++) {
        PoiseJointReading reading;
        cr_assert_eq(poise_rig_read_joint(arm->m.rig, arm->nodes[i], &reading), POISE_OK);
        if (arm_kinds[i] == POISE_NODE_BALL) {
            EXPECT_NEAR_QUAT(reading.rotation, arm_rotation(), tolerance);
        } else {
            EXPECT_NEAR(reading.angle, arm_angles[i], tolerance);
        }
    }
}

static const int orders[][ARM_JOINTS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};

Test(bind, angles_are_found_from_where_the_bodies_are) {
    for (int bent = 0; bent < 2; bent++) {
        Arm arm;
        open_arm(&arm, bent == 1);
        bind_arm(&arm, orders[0]);
        expect_arm_angles(&arm, 1e-12);
        mechanism_close(&arm.m);
    }
}

static uint64_t run_arm(const int* order, bool at_rest) {
    Arm arm;
    open_arm(&arm, false);
    if (at_rest) {
        set_arm_posture(&arm, 1.0);
    }
    bind_arm(&arm, order);
    expect_arm_angles(&arm, 1e-12);
    PoiseVec3 tip = body_place(arm.m.bodies[3]);
    mechanism_point(&arm.m, arm.nodes[3], arm.m.bodies[3], tip);
    mechanism_goal(&arm.m, poise_add(tip, poise_vec3(0.1, -0.2, 0.1)));
    mechanism_run(&arm.m, STEP, 200);
    cr_expect_leq(mechanism_error(&arm.m), 1e-3);
    uint64_t hash = mechanism_hash(&arm.m);
    mechanism_close(&arm.m);
    return hash;
}

Test(bind, the_order_of_binding_does_not_matter) {
    uint64_t expected = run_arm(orders[0], true);
    for (int i = 1; i < 3; i++) {
        cr_expect_eq(run_arm(orders[i], true), expected, "order %d, tree where the bodies are", i);
    }
}

// a child bound before its parent: the tree does not know yet where the parent is
Test(bind, the_order_of_binding_does_not_matter_with_the_tree_elsewhere) {
    uint64_t expected = run_arm(orders[0], false);
    for (int i = 1; i < 3; i++) {
        cr_expect_eq(run_arm(orders[i], false), expected, "order %d", i);
    }
}
