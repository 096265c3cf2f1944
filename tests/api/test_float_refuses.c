// SPDX-License-Identifier: MIT
// Bad arguments of the functions of floating bases, stances and nodes without a joint.
#include "poise/stance.h"
#include "refuse.h"

// A free body with one leg on a hinge and a foot, in its own world.
typedef struct Float {
    TestHost host;
    dWorldID world;
    dBodyID body;
    dBodyID leg;
    PoiseTree* tree;
    PoiseRig* rig;
    PoiseNodeId base;
    PoiseNodeId hip;
    PoisePointId foot;
    PoisePointId com;
} Float;

static dBodyID make_body(dWorldID world, double z) {
    dMass mass;
    dMassSetBoxTotal(&mass, 1.0, 0.2, 0.2, 0.5);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, 0.0, 0.0, z);
    return body;
}

static void float_open(Float* f) {
    memset(f, 0, sizeof *f);
    dInitODE2(0);
    f->world = dWorldCreate();
    f->body = make_body(f->world, 1.0);
    f->leg = make_body(f->world, 0.4);
    dJointID joint = dJointCreateHinge(f->world, NULL);
    dJointAttach(joint, f->leg, f->body);
    dJointSetHingeAnchor(joint, 0.0, 0.0, 0.7);
    dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
    PoiseTreeDef tree_def = poise_default_tree_def();
    f->tree = poise_tree_create(&tree_def);
    PoiseRigDef def = poise_default_rig_def();
    def.tree = f->tree;
    def.world = f->world;
    def.host = test_host(&f->host);
    f->rig = poise_rig_create(&def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik.stiffness = 0.0;
    f->base = poise_rig_add_base(f->rig, f->body, &like);
    f->hip = poise_rig_add(f->rig, joint, f->leg, &like);
    PoisePointDef point = poise_default_position_def();
    point.link = f->hip;
    f->foot = poise_point_create(f->tree, &point);
    point = poise_default_com_def();
    point.link = f->base;
    f->com = poise_point_create(f->tree, &point);
    cr_assert_eq(poise_rig_status(f->rig), POISE_OK);
}

static void float_close(Float* f) {
    poise_rig_destroy(f->rig);
    poise_tree_destroy(f->tree);
    dWorldDestroy(f->world);
    dCloseODE();
}

// A row: the call must return the status, with one message that names it.
#define ENDS(expected, f, call)                                                                    \
    do {                                                                                           \
        int before_ = (f)->host.messages;                                                          \
        PoiseStatus status_ = (call);                                                              \
        cr_expect_eq(status_, expected, "%s: %s", #call, poise_status_name(status_));              \
        cr_expect_eq((f)->host.messages, before_ + 1, "%s said it %d times", #call,                \
                     (f)->host.messages - before_);                                                \
    } while (0)

Test(float_refuses, bases) {
    Float f;
    float_open(&f);
    PoiseBindDef like = poise_default_bind_def();
    cr_expect_eq(poise_rig_add_base(NULL, f.body, &like).index1, 0);
    cr_expect_eq(poise_rig_add_base(f.rig, NULL, &like).index1, 0);
    cr_expect_eq(poise_rig_add_base(f.rig, f.leg, NULL).index1, 0);
    like.cookie = 0;
    cr_expect_eq(poise_rig_add_base(f.rig, f.leg, &like).index1, 0);
    cr_expect_eq(poise_tree_node_count(f.tree), 2, "nothing was made");
    const double bad = (double)NAN;
    const double posture[7] = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    const double turned_to_nothing[7] = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0};
    const PoiseStatus invalid = POISE_ERROR_INVALID_ARGUMENT;
    cr_expect_eq(poise_rig_set_natural_posture(NULL, f.base, posture, 7), invalid);
    ENDS(invalid, &f, poise_rig_set_natural_posture(f.rig, f.base, NULL, 7));
    ENDS(invalid, &f, poise_rig_set_natural_posture(f.rig, f.base, posture, 3));
    ENDS(invalid, &f, poise_rig_set_natural_posture(f.rig, f.base, turned_to_nothing, 7));
    ENDS(invalid, &f, poise_rig_set_natural_posture(f.rig, f.hip, &bad, 1));
    ENDS(POISE_ERROR_INVALID_HANDLE, &f,
         poise_rig_set_natural_posture(f.rig, poise_null_node(), posture, 7));
    const PoiseSpring fine = {1.0, 1.0};
    const PoiseSpring wrong = {-1.0, 1.0};
    cr_expect_eq(poise_rig_set_linear(NULL, f.base, fine, fine), invalid);
    ENDS(invalid, &f, poise_rig_set_linear(f.rig, f.base, wrong, fine));
    ENDS(invalid, &f, poise_rig_set_linear(f.rig, f.base, fine, wrong));
    ENDS(POISE_ERROR_WRONG_KIND, &f, poise_rig_set_linear(f.rig, f.hip, fine, fine));
    ENDS(invalid, &f, poise_rig_set_force_limit(f.rig, f.base, 0.0));
    ENDS(invalid, &f, poise_rig_set_force_limit(f.rig, f.base, bad));
    ENDS(POISE_ERROR_WRONG_KIND, &f, poise_rig_set_force_limit(f.rig, f.hip, 1.0));
    cr_expect_eq(poise_rig_set_speed_limit(NULL, f.hip, 1.0), invalid);
    ENDS(invalid, &f, poise_rig_set_speed_limit(f.rig, f.hip, 0.0));
    ENDS(invalid, &f, poise_rig_set_speed_limit(f.rig, f.hip, bad));
    ENDS(POISE_ERROR_INVALID_HANDLE, &f, poise_rig_set_speed_limit(f.rig, poise_null_node(), 1.0));
    float_close(&f);
}

Test(float_refuses, step_errors) {
    double error = -1.0;
    PoiseNodeId node;
    cr_expect_eq(poise_rig_step_error(NULL, &error, &node), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(error, -1.0);
    Float f;
    float_open(&f);
    cr_expect_eq(poise_rig_step_error(f.rig, NULL, NULL), POISE_OK);
    cr_expect_eq(poise_rig_step_error(f.rig, &error, &node), POISE_OK);
    cr_expect(error == 0.0 && node.index1 == 0, "nothing was driven");
    float_close(&f);
}

Test(float_refuses, claims) {
    Float f;
    float_open(&f);
    PoiseTreeClaim claim = {NULL};
    cr_expect_not(poise_tree_claim(NULL, &claim));
    cr_expect_not(poise_tree_claim(f.tree, NULL));
    cr_expect_not(poise_tree_claim(f.tree, &claim), "the rig has it");
    poise_tree_release(NULL);
    poise_tree_release(&claim);
    float_close(&f);
}

Test(float_refuses, stances) {
    Float f;
    float_open(&f);
    PoiseStanceDef def = poise_default_stance_def();
    const PoiseStatus invalid = POISE_ERROR_INVALID_ARGUMENT;
    cr_expect_eq(poise_rig_add_stance(NULL, &def), invalid);
    ENDS(invalid, &f, poise_rig_add_stance(f.rig, NULL));
    ENDS(POISE_ERROR_INVALID_HANDLE, &f, poise_rig_add_stance(f.rig, &def));
    def.point = f.com;
    ENDS(POISE_ERROR_WRONG_KIND, &f, poise_rig_add_stance(f.rig, &def));
    def.point = f.foot;
    const double bad[] = {0.0, -1.0, (double)NAN, HUGE_VAL};
    for (int i = 0; i < 4; i++) {
        def.share = bad[i];
        ENDS(invalid, &f, poise_rig_add_stance(f.rig, &def));
    }
    def.share = 1.0;
    for (int i = 1; i < 4; i++) {
        def.sole = bad[i];
        ENDS(invalid, &f, poise_rig_add_stance(f.rig, &def));
        def.sole = 0.0;
        def.slide = bad[i];
        ENDS(invalid, &f, poise_rig_add_stance(f.rig, &def));
        def.slide = 0.0;
        def.half_length = bad[i];
        ENDS(invalid, &f, poise_rig_add_stance(f.rig, &def));
        def.half_length = 0.0;
        def.half_width = bad[i];
        ENDS(invalid, &f, poise_rig_add_stance(f.rig, &def));
        def.half_width = 0.0;
        def.normal = poise_vec3(0.0, bad[i] == -1.0 ? 0.5 : 0.0, bad[i]);
        ENDS(invalid, &f, poise_rig_add_stance(f.rig, &def));
        def.normal = poise_vec3(0.0, 0.0, 0.0);
        def.friction = i == 3 ? -0.1 : bad[i];
        ENDS(invalid, &f, poise_rig_add_stance(f.rig, &def));
        def.friction = 0.8;
    }
    cr_expect_eq(poise_rig_stance_count(f.rig), 0);
    cr_expect_eq(poise_rig_stance_count(NULL), 0);
    cr_expect_eq(poise_rig_remove_stance(NULL, f.foot), invalid);
    cr_expect_eq(poise_rig_read_stance(NULL, f.foot, NULL, NULL), invalid);
    cr_expect_eq(poise_rig_read_stance(f.rig, f.foot, NULL, NULL), POISE_ERROR_INVALID_HANDLE);
    PoiseSupport support;
    cr_expect_eq(poise_rig_read_support(NULL, poise_null_node(), &support), invalid);
    cr_expect_eq(poise_rig_read_support(f.rig, poise_null_node(), NULL), invalid);
    cr_expect_eq(poise_rig_read_support(f.rig, poise_null_node(), &support),
                 POISE_ERROR_INVALID_HANDLE);
    cr_expect_str_eq(poise_support_verdict_name(0), "stands");
    cr_expect_str_eq(poise_support_verdict_name(~0u), "slides and tips over");
    cr_expect_eq(poise_rig_set_balance(NULL, f.com), invalid);
    ENDS(POISE_ERROR_WRONG_KIND, &f, poise_rig_set_balance(f.rig, f.foot));
    PoisePointId gone = f.foot;
    cr_assert_eq(poise_point_destroy(f.tree, f.foot), POISE_OK);
    ENDS(POISE_ERROR_INVALID_HANDLE, &f, poise_rig_set_balance(f.rig, gone));
    cr_expect_eq(poise_rig_set_balance(f.rig, poise_null_point()), POISE_OK);
    cr_expect_eq(poise_rig_outside_force(NULL, NULL, NULL), invalid);
    cr_expect_eq(poise_rig_outside_force(f.rig, NULL, NULL), POISE_OK);
    float_close(&f);
}
