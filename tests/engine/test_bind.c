// SPDX-License-Identifier: MIT
// Binding nodes to joints: the geometry found from the bodies' poses, and the joints left
// unchanged. Binding in other orders, unbinding, and nodes destroyed in the tree.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "posture.h"
#include "random.h"

static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};
static const double STEP = 0.01;

// ------------------------------------------------------------------ an arm bound by hand

enum { ARM_JOINTS = 4 };

// Ball, hinge, slider and hinge on the ground. The tree is written by hand, and the bodies have a
// bent posture that the tree does not have yet.
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

// Returns a random pose, rotated by up to 2 rad.
static PoisePose place_of(Random* random, double size) {
    const PoiseQuat turn = random_turn(random, 2.0);
    return poise_pose(random_vec3(random, size), turn);
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
        def.joint_in_parent = place_of(&random, 0.5);
        def.link_in_joint = place_of(&random, 0.5);
        parent = arm->nodes[i] = poise_node_create(arm->m.tree, &def);
        arm->link_in_body[i] = place_of(&random, 0.2);
    }
    PoisePose base = place_of(&random, 1.0);
    cr_assert_eq(poise_node_set_base(arm->m.tree, arm->nodes[0], base), POISE_OK);
}

static void set_arm_posture(const Arm* arm, double share) {
    PoiseTree* tree = arm->m.tree;
    PoiseVec3 turn = poise_scale(share, poise_quat_log(arm_rotation()));
    cr_assert_eq(set_rotation(tree, arm->nodes[0], poise_quat_exp(turn)), POISE_OK);
    for (int i = 1; i < ARM_JOINTS; i++) {
        cr_assert_eq(poise_node_set_angle(tree, arm->nodes[i], share * arm_angles[i]), POISE_OK);
    }
    cr_assert_eq(poise_forward(tree), POISE_OK);
}

static void put_arm_bodies(Arm* arm) {
    for (int i = 0; i < ARM_JOINTS; i++) {
        PoisePose link = poise_node_link_world(arm->m.tree, arm->nodes[i]);
        PoisePose body = poise_pose_mul(link, poise_pose_inverse(arm->link_in_body[i]));
        body_put(arm->m.bodies[i], body);
    }
}

// Opens the arm. Its joints are made in the straight posture, so that ODE's angles are 0 there, or
// in the bent posture.
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
        PoiseVec3 axis = poise_quat_rotate(joint.q, poise_node_axis(arm->m.tree, arm->nodes[i]));
        dBodyID below = i > 0 ? arm->m.bodies[i - 1] : NULL;
        bool child_first = i % 2 == 0;
        mechanism_join(&arm->m, arm_kinds[i], child_first ? arm->m.bodies[i] : below,
                       child_first ? below : arm->m.bodies[i], pivot(joint.p, axis));
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
        const PoiseJointReading reading = mechanism_read(&arm->m, arm->nodes[i]);
        if (arm_kinds[i] == POISE_NODE_BALL) {
            EXPECT_NEAR_QUAT(quat_of(reading.q), arm_rotation(), tolerance);
        } else {
            EXPECT_NEAR(reading.q[0], arm_angles[i], tolerance);
        }
    }
}

static const int orders[][ARM_JOINTS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};

Test(bind, angles_are_measured_from_the_bodies) {
    for (int bent = 0; bent < 2; bent++) {
        Arm arm;
        open_arm(&arm, bent == 1);
        bind_arm(&arm, orders[0]);
        expect_arm_angles(&arm, 1e-12);
        mechanism_close(&arm.m);
    }
}

// The readings after the first update, compared to the bit, and the tip at the end.
typedef struct Outcome {
    PoiseJointReading readings[ARM_JOINTS];
    PoiseVec3 tip;
} Outcome;

static Outcome run_arm(const int* order, bool tree_is_there) {
    Arm arm;
    open_arm(&arm, false);
    if (tree_is_there) {
        set_arm_posture(&arm, 1.0);
    }
    bind_arm(&arm, order);
    expect_arm_angles(&arm, 1e-12);
    PoiseVec3 tip = body_place(arm.m.bodies[3]);
    mechanism_point(&arm.m, arm.nodes[3], arm.m.bodies[3], tip);
    mechanism_goal(&arm.m, poise_add(tip, poise_vec3(0.1, -0.2, 0.1)));
    Outcome outcome = {0};
    cr_assert_eq(poise_rig_update(arm.m.rig, STEP, NULL), POISE_OK);
    for (int i = 0; i < ARM_JOINTS; i++) {
        cr_assert_eq(poise_rig_read_joint(arm.m.rig, arm.nodes[i], &outcome.readings[i]), POISE_OK);
    }
    mechanism_run(&arm.m, STEP, 200);
    cr_expect_leq(mechanism_error(&arm.m), 1e-3);
    outcome.tip = mechanism_tip(&arm.m);
    mechanism_close(&arm.m);
    return outcome;
}

// A child that is bound before its parent uses the parent's pose in the tree until the parent is
// bound. ODE works in the order of its joints, which include the rig's motors: 200 steps differ in
// the last digits.
Test(bind, the_order_of_binding_does_not_matter) {
    for (int there = 0; there < 2; there++) {
        Outcome expected = run_arm(orders[0], there == 1);
        for (int i = 1; i < (int)(sizeof orders / sizeof orders[0]); i++) {
            Outcome outcome = run_arm(orders[i], there == 1);
            cr_expect_eq(memcmp(outcome.readings, expected.readings, sizeof outcome.readings), 0,
                         "order %d", i);
            EXPECT_NEAR3(outcome.tip, expected.tip, 1e-12);
        }
    }
}

// ------------------------------------------------------------------------- the user's own things

typedef struct Joint {
    dReal parameters[dParamsInGroup];
    void* data;
    dJointFeedback* feedback;
    dBodyID bodies[2];
    int enabled;
} Joint;

static Joint look_at(dJointID joint) {
    Joint seen = {0};
    for (int i = 0; i < dParamsInGroup; i++) {
        seen.parameters[i] = dJointGetHingeParam(joint, i);
    }
    seen.data = dJointGetData(joint);
    seen.feedback = dJointGetFeedback(joint);
    seen.bodies[0] = dJointGetBody(joint, 0);
    seen.bodies[1] = dJointGetBody(joint, 1);
    seen.enabled = dJointIsEnabled(joint);
    return seen;
}

static void expect_untouched(dJointID joint, const Joint* before, const char* when) {
    Joint now = look_at(joint);
    cr_expect_eq(memcmp(&now, before, sizeof now), 0, "the joint was changed %s", when);
}

Test(bind, a_rig_changes_no_parameter_of_its_joints) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 2, 1e4, 1e3);
    Mechanism m;
    chain_open(&m, &def);
    poise_rig_destroy(m.rig);
    int mark = 0;
    dJointFeedback feedback;
    dJointID joint = m.joints[1];
    dJointSetHingeParam(joint, dParamLoStop, -2.0);
    dJointSetHingeParam(joint, dParamHiStop, 2.5);
    dJointSetHingeParam(joint, dParamVel, 0.125);
    dJointSetHingeParam(joint, dParamFMax, 0.25);
    dJointSetHingeParam(joint, dParamBounce, 0.5);
    dJointSetHingeParam(joint, dParamStopERP, 0.7);
    dJointSetData(joint, &mark);
    dJointSetFeedback(joint, &feedback);
    dBodySetData(m.bodies[1], &mark);
    dWorldSetData(m.world, &mark);
    const Joint before = look_at(joint);
    const int joints[2] = {dBodyGetNumJoints(m.bodies[0]), dBodyGetNumJoints(m.bodies[1])};

    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.tree = tree;
    rig_def.world = m.world;
    rig_def.finite_rotation = true;
    PoiseRig* rig = poise_rig_create(&rig_def);
    cr_assert_eq(poise_rig_import(rig, m.bodies[0], &def.like), 2);
    expect_untouched(joint, &before, "by binding");
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(poise_rig_update(rig, STEP, NULL), POISE_OK);
        dWorldStep(m.world, STEP);
    }
    expect_untouched(joint, &before, "by driving");
    poise_rig_destroy(rig);
    poise_tree_destroy(tree);
    m.rig = NULL;
    expect_untouched(joint, &before, "by the end");
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(dBodyGetNumJoints(m.bodies[i]), joints[i]);
    }
    cr_expect_eq(dBodyGetData(m.bodies[1]), &mark);
    cr_expect_eq(dWorldGetData(m.world), &mark);
    mechanism_close(&m);
}

// Destroying the rig restores the body's rotation mode, which finite_rotation changes.
Test(bind, destroying_a_rig_restores_the_rotation_mode) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID bodies[2];
    for (int i = 0; i < 2; i++) {
        bodies[i] =
            mechanism_box(&m, poise_vec3(1.0 * i, 0.0, 0.0), poise_vec3(0.2, 0.2, 0.2), 1.0);
        dBodySetFiniteRotationMode(bodies[i], i);
        mechanism_join(&m, POISE_NODE_BALL, bodies[i], NULL,
                       pivot(poise_vec3(1.0 * i, 0.0, 0.0), poise_vec3(0.0, 0.0, 1.0)));
    }
    poise_rig_destroy(m.rig);
    PoiseRigDef def = mechanism_rig_def(&m);
    def.finite_rotation = true;
    m.rig = poise_rig_create(&def);
    PoiseBindDef like = mechanism_springs(1e3, 1e2);
    for (int i = 0; i < 2; i++) {
        cr_assert_neq(poise_rig_add(m.rig, m.joints[i], bodies[i], &like).index1, 0u);
        cr_expect_eq(dBodyGetFiniteRotationMode(bodies[i]), 1);
    }
    poise_rig_destroy(m.rig);
    m.rig = NULL;
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(dBodyGetFiniteRotationMode(bodies[i]), i);
    }
    mechanism_close(&m);
}

// --------------------------------------------------------------------- taken away in the middle

static void expect_bound(const Mechanism* m, int joint, bool bound) {
    cr_expect_eq(poise_rig_node_of_joint(m->rig, m->joints[joint]).index1 != 0, bound, "joint %d",
                 joint);
}

Test(bind, unbind_in_the_middle_and_bind_again) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 5, 1e5, 2e3);
    Mechanism m;
    chain_open(&m, &def);
    mechanism_goal(&m, poise_vec3(2.0, 3.0, 0.0));
    mechanism_run(&m, STEP, 300);
    PoiseNodeId node = poise_rig_node_of_joint(m.rig, m.joints[2]);
    const int joints = dBodyGetNumJoints(m.bodies[2]);
    const PoiseJointReading before = mechanism_read(&m, node);
    cr_assert_eq(poise_rig_unbind(m.rig, node), POISE_OK);
    cr_expect_eq(dBodyGetNumJoints(m.bodies[2]), joints - 1);
    expect_bound(&m, 2, false);
    PoiseRigReport report = mechanism_step(&m, STEP);
    cr_expect_eq(report.driven, 4);
    cr_expect_eq(report.skipped, 0);
    PoiseBindDef again = def.like;
    again.node = node;
    again.joint = m.joints[2];
    again.body = m.bodies[2];
    cr_assert_eq(poise_rig_bind(m.rig, &again), POISE_OK, "%s", poise_rig_message(m.rig));
    PoiseJointReading after;
    mechanism_step(&m, STEP);
    cr_assert_eq(poise_rig_read_joint(m.rig, node, &after), POISE_OK);
    EXPECT_NEAR(after.q[0], before.q[0], 1e-3);
    mechanism_goal(&m, poise_vec3(-2.0, 3.0, 0.0));
    mechanism_run(&m, STEP, 600);
    cr_expect_leq(mechanism_error(&m), 1e-8);
    mechanism_close(&m);
}

// The user may destroy a bound node of the tree at any time, and a new node may get its index.
Test(bind, a_bound_node_that_was_destroyed_is_unbound) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 4, 1e5, 2e3);
    Mechanism m;
    chain_open(&m, &def);
    mechanism_run(&m, STEP, 10);
    const int joints = dBodyGetNumJoints(m.bodies[2]);
    // the last node and the point are destroyed with it
    PoiseNodeId node = poise_rig_node_of_joint(m.rig, m.joints[2]);
    cr_assert_eq(poise_node_destroy(m.tree, node), POISE_OK);
    PoiseRigReport report = mechanism_step(&m, STEP);
    cr_expect_eq(report.driven, 2);
    cr_expect_eq(report.skipped, 0);
    cr_expect_eq(dBodyGetNumJoints(m.bodies[2]), joints - 2);
    expect_bound(&m, 2, false);
    // import again at once, without an update in between
    cr_assert_eq(poise_node_destroy(m.tree, poise_rig_node_of_joint(m.rig, m.joints[1])), POISE_OK);
    cr_assert_eq(poise_rig_import(m.rig, m.bodies[0], &def.like), 3, "%s",
                 poise_rig_message(m.rig));
    for (int i = 0; i < 4; i++) {
        expect_bound(&m, i, true);
    }
    mechanism_point(&m, poise_rig_node_of_body(m.rig, m.bodies[3]), m.bodies[3],
                    poise_vec3(0.0, 4.1, 0.0));
    mechanism_goal(&m, poise_vec3(2.0, 2.0, 0.0));
    mechanism_run(&m, STEP, 600);
    cr_expect_leq(mechanism_error(&m), 1e-8);
    mechanism_close(&m);
}

// ------------------------------------------------------------------------------ refused by name

// Makes one property of a bar, its joint or its def invalid, by the number `what`.
static void spoil(Mechanism* m, PoiseBindDef* def, int what, dWorldID other) {
    dReal* turn = (dReal*)(uintptr_t)dBodyGetRotation(m->bodies[0]);
    const PoiseNodeDef ball = poise_default_ball_def();
    PoiseNodeDef free_node = poise_default_free_def();
    switch (what) {
    case 0:
        def->node = poise_node_create(m->tree, &ball);
        break;
    case 1:
        def->joint = mechanism_universal(m->world, def->body, NULL, NULL, 0.0);
        break;
    case 2:
        def->body = dBodyCreate(m->world);
        break;
    case 3:
        def->body = dBodyCreate(other);
        def->joint = dJointCreateHinge(other, NULL);
        dJointAttach(def->joint, def->body, NULL);
        break;
    case 4:
        def->joint = dJointCreateHinge(m->world, NULL);
        break;
    case 5:
        dJointDisable(def->joint);
        break;
    case 6:
        dBodySetPosition(def->body, (double)NAN, 0.0, 0.0);
        break;
    case 7:
        dBodySetAngularVel(def->body, 0.0, HUGE_VAL, 0.0);
        break;
    case 8:
        // ODE keeps the axis in the body and rotates it by the body's matrix
        memset(turn, 0, 12 * sizeof *turn);
        break;
    case 9:
        dJointSetBallAnchor2(def->joint, (double)NAN, 0.0, 0.0);
        break;
    case 10:
        def->node = poise_node_create(m->tree, &free_node);
        break;
    default:
        // on a node that is not bound
        free_node.parent = def->node;
        def->node = poise_node_create(m->tree, &free_node);
        def->joint = NULL;
        break;
    }
}

Test(bind, joints_that_cannot_be_driven_are_refused_by_name) {
    static const struct {
        PoiseNodeKind kind;
        PoiseStatus status;
        const char* word;
    } rows[] = {
        {POISE_NODE_HINGE, POISE_ERROR_WRONG_KIND, "poise_default_hinge_def()"},
        {POISE_NODE_HINGE, POISE_ERROR_WRONG_KIND, "dJointTypeUniversal"},
        {POISE_NODE_HINGE, POISE_ERROR_INVALID_ARGUMENT, "not one of the two"},
        {POISE_NODE_HINGE, POISE_ERROR_FOREIGN_WORLD, "another world"},
        {POISE_NODE_HINGE, POISE_ERROR_INVALID_ARGUMENT, "dJointAttach"},
        {POISE_NODE_HINGE, POISE_ERROR_INVALID_ARGUMENT, "dJointEnable"},
        {POISE_NODE_HINGE, POISE_ERROR_INVALID_ARGUMENT, "not finite"},
        {POISE_NODE_HINGE, POISE_ERROR_INVALID_ARGUMENT, "not finite"},
        {POISE_NODE_SLIDER, POISE_ERROR_INVALID_ARGUMENT, "dJointSetSliderAxis"},
        {POISE_NODE_BALL, POISE_ERROR_INVALID_ARGUMENT, "dJointSetBallAnchor"},
        {POISE_NODE_HINGE, POISE_ERROR_WRONG_KIND, "leave the joint NULL"},
        {POISE_NODE_HINGE, POISE_ERROR_INVALID_ARGUMENT, "not bound"},
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++) {
        Mechanism m;
        mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
        PoiseBindDef def = mechanism_springs(1e3, 1e2);
        const PoiseNodeDef node = rows[i].kind == POISE_NODE_BALL     ? poise_default_ball_def()
                                  : rows[i].kind == POISE_NODE_SLIDER ? poise_default_slider_def()
                                                                      : poise_default_hinge_def();
        def.body = mechanism_add_bar(&m, rows[i].kind, NULL);
        def.joint = m.joints[0];
        def.node = poise_node_create(m.tree, &node);
        dWorldID other = dWorldCreate();
        spoil(&m, &def, i, other);
        cr_expect_eq(poise_rig_bind(m.rig, &def), rows[i].status, "row %d: %s", i,
                     poise_rig_message(m.rig));
        cr_expect(strstr(poise_rig_message(m.rig), rows[i].word), "row %d: %s", i,
                  poise_rig_message(m.rig));
        dWorldDestroy(other);
        mechanism_close(&m);
    }
}
