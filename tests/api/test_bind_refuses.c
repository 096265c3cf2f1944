// SPDX-License-Identifier: MIT
// Bad arguments of binding, adding and importing joints.
#include "yard.h"

static PoiseBindDef unbound_def(const Yard* yard) {
    PoiseBindDef def = poise_default_bind_def();
    def.node = yard->unbound_node;
    def.joint = yard->unbound_joint;
    def.body = yard->unbound_body;
    return def;
}

// A row of the tables below: a good binding with one wrong member.
#define NO_BIND(expected, member, value)                                                           \
    do {                                                                                           \
        PoiseBindDef def_ = unbound_def(yard);                                                     \
        def_.member = (value);                                                                     \
        Snapshot before_ = yard_snapshot(yard);                                                    \
        PoiseStatus status_ = poise_rig_bind(yard->rig, &def_);                                    \
        yard_expect_refused(yard, &before_, expected, status_, "bind: " #member " = " #value);     \
    } while (0)

YARD_TEST(bind_refuses, bind_numbers) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    NO_BIND(expected, cookie, 0);
    NO_BIND(expected, original.stiffness, -1.0);
    NO_BIND(expected, original.damping, -1.0);
    NO_BIND(expected, ik.stiffness, -1.0);
    NO_BIND(expected, ik.damping, -1.0);
    NO_BIND(expected, torque_limit, 0.0);
    NO_BIND(expected, torque_limit, -1.0);
    NO_BIND(expected, torque_limit, NOT_A_NUMBER);
    NO_BIND(expected, zero, HUGE_VAL);
    NO_BIND(expected, force_limit, 0.0);
    NO_BIND(expected, speed_limit, NOT_A_NUMBER);
    NO_BIND(expected, friction, NOT_A_NUMBER);
    NO_BIND(expected, friction, (double)INFINITY);
    NO_BIND(expected, friction, -1.0);
    NO_BIND(expected, original_linear.stiffness, -1.0);
    NO_BIND(expected, ik_linear.damping, -1.0);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_BIND(expected, original.stiffness, bad_numbers[i]);
        NO_BIND(expected, original.damping, bad_numbers[i]);
        NO_BIND(expected, ik.stiffness, bad_numbers[i]);
        NO_BIND(expected, ik.damping, bad_numbers[i]);
        NO_BIND(expected, natural[i % POISE_MAX_NQ], bad_numbers[i]);
        NO_BIND(expected, link_in_body.p, bad_vec3(i));
        NO_BIND(expected, cone_axis, bad_vec3(i));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        NO_BIND(expected, link_in_body.q, bad_quat(i));
    }
}

YARD_TEST(bind_refuses, bind_objects) {
    PoiseBindDef good = unbound_def(yard);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(NULL, &good));
    RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(yard->rig, NULL));
    NO_BIND(POISE_ERROR_INVALID_HANDLE, node, poise_null_node());
    NO_BIND(POISE_ERROR_INVALID_HANDLE, node, yard->foreign_node);
    NO_BIND(POISE_ERROR_ALREADY_BOUND, node, yard->nodes[0]);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, joint, NULL);
    NO_BIND(POISE_ERROR_WRONG_KIND, joint, yard->fixed_joint);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, joint, yard->open_joint);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, body, NULL);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, body, yard->bodies[2]); // not a body of this joint
    PoiseBindDef def = good;
    def.joint = yard->foreign_joint;
    def.body = yard->foreign_body;
    RIG_REFUSES(POISE_ERROR_FOREIGN_WORLD, poise_rig_bind(yard->rig, &def));
    def.joint = yard->joints[0];
    def.body = yard->bodies[1];
    RIG_REFUSES(POISE_ERROR_ALREADY_BOUND, poise_rig_bind(yard->rig, &def));
    def.joint = yard->joints[2]; // a ball joint for a hinge node
    def.body = yard->bodies[3];
    RIG_REFUSES(POISE_ERROR_WRONG_KIND, poise_rig_bind(yard->rig, &def));
}

// ODE joints that no kind of node represents, and the reasons.
Test(bind_refuses, joints_that_are_none_of_a_trees) {
    static const struct {
        dJointID (*make)(dWorldID world, dJointGroupID group);
        bool second; ///< the link is ODE's second body
        const char* why;
    } rows[] = {{dJointCreateDBall, false, "keeps a distance"},
                {dJointCreateDHinge, false, "keeps a distance"},
                {dJointCreatePR, false, "must be ODE's second body"},
                {dJointCreatePU, false, "must be ODE's second body"},
                {dJointCreateFixed, false, "passes through"},
                {dJointCreatePlane2D, false, "no motions of its own"},
                {dJointCreateAMotor, false, "no motions of its own"},
                {dJointCreatePR, true, "attach it (body, 0)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Yard yard;
        yard_init(&yard);
        const PoiseBindDef like = poise_default_bind_def();
        dBodyID body = dBodyCreate(yard.world);
        dJointID joint = rows[i].make(yard.world, NULL);
        dJointAttach(joint, rows[i].second ? NULL : body, rows[i].second ? body : NULL);
        cr_expect_eq(poise_rig_add(yard.rig, joint, body, &like).index1, 0u, "row %zu", i);
        cr_expect(strstr(poise_rig_message(yard.rig), rows[i].why), "row %zu: %s", i,
                  poise_rig_message(yard.rig));
        yard_finish(&yard);
    }
}

// A node without a joint: its body and its parent are checked.
YARD_TEST(bind_refuses, floating_bodies) {
    PoiseNodeDef free_def = poise_default_free_def();
    PoiseBindDef def = poise_default_bind_def();
    def.node = poise_node_create(yard->tree, &free_def);
    def.body = dBodyCreate(yard->world);
    ((dReal*)dBodyGetPosition(def.body))[0] = (dReal)NAN;
    RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(yard->rig, &def));
    free_def.parent = yard->nodes[0];
    def.node = poise_node_create(yard->tree, &free_def);
    def.body = yard->bodies[1];
    RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(yard->rig, &def));
    free_def.parent = yard->unbound_node;
    def.node = poise_node_create(yard->tree, &free_def);
    RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(yard->rig, &def));
    GIVES(POISE_OK, poise_rig_unbind(yard->rig, poise_null_node()));
}

YARD_TEST(bind_refuses, a_node_destroyed_before_it_was_bound) {
    GIVES(POISE_OK, poise_node_destroy(yard->tree, yard->unbound_node));
    NO_BIND(POISE_ERROR_INVALID_HANDLE, node, yard->unbound_node);
}

YARD_TEST(bind_refuses, a_joint_that_another_rig_has) {
    PoiseRigDef def = yard_rig_def(yard);
    def.tree = yard->other_tree;
    PoiseRig* other = poise_rig_create(&def);
    cr_assert_not_null(other);
    PoiseBindDef bind = poise_default_bind_def();
    bind.node = yard->foreign_node;
    bind.joint = yard->joints[0];
    bind.body = yard->bodies[1];
    GIVES(POISE_ERROR_ALREADY_BOUND, poise_rig_bind(other, &bind));
    poise_rig_destroy(other);
}

YARD_TEST(bind_refuses, add_and_import) {
    PoiseRig* rig = yard->rig;
    PoiseBindDef like = poise_default_bind_def();
    PoiseBindDef made_by_hand = like;
    made_by_hand.cookie = 0;
    const PoiseStatus argument = POISE_ERROR_INVALID_ARGUMENT;
    dJointID joint = yard->unbound_joint;
    dBodyID body = yard->unbound_body;
    cr_expect_eq(poise_rig_add(NULL, joint, body, &like).index1, 0u);
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, NULL, body, &like));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, NULL, &like));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, body, NULL));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, body, &made_by_hand));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, yard->bodies[3], &like));
    RIG_MAKES_NOTHING(POISE_ERROR_WRONG_KIND, poise_rig_add(rig, yard->fixed_joint, body, &like));
    RIG_MAKES_NOTHING(POISE_ERROR_FOREIGN_WORLD,
                      poise_rig_add(rig, yard->foreign_joint, yard->foreign_body, &like));
    RIG_MAKES_NOTHING(POISE_ERROR_ALREADY_BOUND,
                      poise_rig_add(rig, yard->joints[0], yard->bodies[1], &like));
    GIVES(argument, (PoiseStatus)poise_rig_import(NULL, yard->bodies[0], &like));
    RIG_REFUSES(argument, poise_rig_import(rig, NULL, &like));
    RIG_REFUSES(argument, poise_rig_import(rig, yard->bodies[0], NULL));
    RIG_REFUSES(argument, poise_rig_import(rig, yard->bodies[0], &made_by_hand));
    RIG_REFUSES(POISE_ERROR_FOREIGN_WORLD, poise_rig_import(rig, yard->foreign_body, &like));
}
