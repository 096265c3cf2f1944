// SPDX-License-Identifier: MIT
#include "yard.h"

dBodyID yard_body(dWorldID world, double x) {
    dMass mass;
    dMassSetBoxTotal(&mass, 1.0, 0.5, 0.1, 0.1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, (dReal)x, 0.0, 0.0);
    return body;
}

dJointID yard_hinge(dWorldID world, dBodyID parent, dBodyID child, double x) {
    dJointID joint = dJointCreateHinge(world, 0);
    dJointAttach(joint, child, parent);
    dJointSetHingeAnchor(joint, (dReal)x, 0.0, 0.0);
    dJointSetHingeAxis(joint, 0.0, 0.0, 1.0);
    return joint;
}

static void make_chain(Yard* yard) {
    dWorldID world = yard->world = dWorldCreate();
    for (int i = 0; i < 4; i++) {
        yard->bodies[i] = yard_body(world, 1.0 * i);
    }
    yard->joints[0] = yard_hinge(world, yard->bodies[0], yard->bodies[1], 0.5);
    yard->joints[1] = dJointCreateSlider(world, 0);
    dJointAttach(yard->joints[1], yard->bodies[2], yard->bodies[1]);
    dJointSetSliderAxis(yard->joints[1], 1.0, 0.0, 0.0);
    yard->joints[2] = dJointCreateBall(world, 0);
    dJointAttach(yard->joints[2], yard->bodies[3], yard->bodies[2]);
    dJointSetBallAnchor(yard->joints[2], 2.5, 0.0, 0.0);
    yard->unbound_body = yard_body(world, -1.0);
    yard->unbound_joint = yard_hinge(world, yard->bodies[0], yard->unbound_body, -0.5);
    yard->fixed_joint = dJointCreateFixed(world, 0);
    dJointAttach(yard->fixed_joint, yard_body(world, -2.0), yard->unbound_body);
    yard->open_joint = dJointCreateHinge(world, 0);
    yard->other_world = dWorldCreate();
    yard->foreign_body = yard_body(yard->other_world, 1.0);
    yard->foreign_joint = yard_hinge(yard->other_world, 0, yard->foreign_body, 0.5);
}

PoiseRigDef yard_rig_def(Yard* yard) {
    PoiseRigDef def = poise_default_rig_def();
    def.tree = yard->tree;
    def.world = yard->world;
    def.host = test_host(&yard->host);
    return def;
}

void yard_init(Yard* yard) {
    memset(yard, 0, sizeof *yard);
    dInitODE2(0);
    make_chain(yard);
    PoiseTreeDef tree_def = poise_default_tree_def();
    yard->tree = poise_tree_create(&tree_def);
    yard->other_tree = poise_tree_create(&tree_def);
    PoiseNodeDef node_def = poise_default_hinge_def();
    yard->foreign_node = poise_node_create(yard->other_tree, &node_def);
    PoiseRigDef def = yard_rig_def(yard);
    yard->rig = poise_rig_create(&def);
    cr_assert_not_null(yard->rig);
    PoiseBindDef bind = poise_default_bind_def();
    for (int i = 0; i < 3; i++) {
        yard->nodes[i] = poise_rig_add(yard->rig, yard->joints[i], yard->bodies[i + 1], &bind);
    }
    yard->unbound_node = poise_node_create(yard->tree, &node_def);
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = yard->nodes[2];
    yard->point = poise_point_create(yard->tree, &point_def);
    cr_assert_eq(poise_rig_status(yard->rig), POISE_OK, "%s", poise_rig_message(yard->rig));
    cr_assert_eq(poise_tree_status(yard->tree), POISE_OK, "%s", poise_tree_message(yard->tree));
    yard->host.messages = 0;
}

void yard_finish(Yard* yard) {
    poise_rig_destroy(yard->rig);
    poise_tree_destroy(yard->tree);
    poise_tree_destroy(yard->other_tree);
    dWorldDestroy(yard->world);
    dWorldDestroy(yard->other_world);
    dCloseODE();
    cr_expect_eq(yard->host.live_blocks, 0, "%ld blocks leaked", yard->host.live_blocks);
}

Snapshot yard_snapshot(Yard* yard) {
    Snapshot snapshot = snapshot_of(yard->tree);
    for (int i = 0; i < 3; i++) {
        PoiseJointReading reading = {0};
        snapshot_int(&snapshot, poise_rig_read_joint(yard->rig, yard->nodes[i], &reading));
        snapshot_int(&snapshot, (int)reading.kind);
        snapshot_number(&snapshot, reading.q[0]);
        snapshot_number(&snapshot, reading.q_ik[0]);
        snapshot_number(&snapshot, reading.q_target[0]);
        snapshot_number(&snapshot, reading.spring.stiffness);
        snapshot_number(&snapshot, reading.spring.damping);
        snapshot_number(&snapshot, reading.torque_limit);
    }
    dBodyID bodies[] = {yard->bodies[0], yard->bodies[1], yard->bodies[2], yard->bodies[3],
                        yard->unbound_body};
    for (int i = 0; i < 5; i++) {
        snapshot_int(&snapshot, dBodyGetNumJoints(bodies[i]));
        snapshot_add(&snapshot, dBodyGetPosition(bodies[i]), 3 * sizeof(dReal));
        snapshot_add(&snapshot, dBodyGetQuaternion(bodies[i]), 4 * sizeof(dReal));
        snapshot_add(&snapshot, dBodyGetLinearVel(bodies[i]), 3 * sizeof(dReal));
    }
    return snapshot;
}

void yard_expect_refused(Yard* yard, const Snapshot* before, PoiseStatus expected,
                         PoiseStatus status, const char* call) {
    Snapshot after = yard_snapshot(yard);
    const char* message = poise_rig_message(yard->rig);
    cr_expect_eq(status, expected, "%s gave '%s', not '%s': %s", call, poise_status_name(status),
                 poise_status_name(expected), message);
    cr_expect(before->used == after.used && memcmp(before->bytes, after.bytes, after.used) == 0,
              "%s changed something", call);
    cr_expect_eq(poise_rig_status(yard->rig), expected, "%s left the status '%s'", call,
                 poise_status_name(poise_rig_status(yard->rig)));
    cr_expect_eq(yard->host.messages, 1, "%s said %d messages", call, yard->host.messages);
    cr_expect_gt(strlen(message), 10u, "%s said '%s'", call, message);
    poise_rig_clear_status(yard->rig);
    poise_tree_clear_status(yard->tree);
    yard->host.messages = 0;
}
