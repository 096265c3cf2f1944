// SPDX-License-Identifier: MIT
// Nodes made from existing joints: connected bodies, welds, loops; the tree's kinematics are those
// of the bodies.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "posture.h"
#include "random.h"

static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};
static const PoiseVec3 about_z = {0.0, 0.0, 1.0};

static dBodyID add_cube(Mechanism* m, double x, double y, double z) {
    return mechanism_box(m, poise_vec3(x, y, z), poise_vec3(0.2, 0.2, 0.2), 1.0);
}

static int import_all(Mechanism* m, dBodyID root) {
    PoiseBindDef like = mechanism_springs(1e4, 1e3);
    return poise_rig_import(m->rig, root, &like);
}

static bool has_node(const Mechanism* m, dJointID joint) {
    return poise_rig_node_of_joint(m->rig, joint).index1 != 0;
}

// ODE inserts new joints, also our motors, at the front of a body's list while the import reads it.
Test(import, every_branch_of_a_star_is_found) {
    for (int branches = 1; branches <= 6; branches++) {
        Mechanism m;
        mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
        dBodyID hub = add_cube(&m, 0.0, 0.0, 0.0);
        for (int i = 0; i < branches; i++) {
            dBodyID arm = add_cube(&m, 1.0, i, 0.0);
            mechanism_join(&m, POISE_NODE_HINGE, arm, hub, pivot(poise_vec3(0.5, i, 0.0), about_z));
        }
        cr_expect_eq(import_all(&m, hub), branches);
        for (int i = 0; i < branches; i++) {
            cr_expect(has_node(&m, m.joints[i]), "joint %d of %d was missed", i, branches);
        }
        mechanism_close(&m);
    }
}

// No joint can have a node: a warning names the joints, without an error.
Test(import, bodies_without_a_usable_joint_are_reported) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID body = add_cube(&m, 0.0, 0.0, 0.0);
    dBodyID wheel = add_cube(&m, 1.0, 0.0, 0.0);
    m.host.messages = 0;
    cr_expect_eq(import_all(&m, body), 0);
    cr_expect_eq(m.host.messages, 1);
    cr_expect(strstr(m.host.last_message, "there is no joint at all"), "%s", m.host.last_message);
    dJointID axle = dJointCreateDBall(m.world, 0);
    dJointAttach(axle, body, wheel);
    dJointID hinge = dJointCreateHinge(m.world, 0);
    dJointAttach(hinge, body, wheel);
    dJointDisable(hinge);
    dJointID again = dJointCreateDBall(m.world, 0);
    dJointAttach(again, body, wheel);
    cr_expect_eq(import_all(&m, body), 0);
    cr_expect_eq(m.host.messages, 2);
    // newest joint first, each once
    cr_expect(strstr(m.host.last_message, "there is dJointTypeDBall, disabled dJointTypeHinge") &&
                  strlen(strstr(m.host.last_message, "there is")) == 50,
              "%s", m.host.last_message);
    cr_expect_eq(poise_rig_status(m.rig), POISE_OK);
    // the first import adds the enabled joint; the second knows it and adds none
    dJointEnable(hinge);
    cr_expect_eq(import_all(&m, body), 1);
    cr_expect_eq(import_all(&m, body), 0);
    cr_expect(strstr(m.host.last_message, "by an import before"), "%s", m.host.last_message);
    // the rule also applies to a joint to the ground
    dJointID ground = mechanism_join(&m, POISE_NODE_HINGE, body, NULL, pivot(no_gravity, about_z));
    dJointDisable(hinge);
    cr_expect_eq(import_all(&m, body), 1);
    cr_expect_eq(import_all(&m, body), 0);
    cr_expect(has_node(&m, ground));
    mechanism_close(&m);
}

// ------------------------------------------------------------------ a humanoid, welds and a loop

// Pelvis, chest, head; arms whose forearms carry welded hands and a tool on a slider; legs whose
// shins carry welded feet; a rope between the hands that closes a loop; a belt welded to the
// pelvis.
typedef struct Humanoid {
    Mechanism m;
    dBodyID pelvis;
    dBodyID belt;
    dBodyID chest;
    dBodyID upper_arms[2];
    dBodyID forearms[2];
    dBodyID hands[2];
    dBodyID tools[2];
    dBodyID shins[2];
    dBodyID feet[2];
    dJointID loop;
} Humanoid;

static dBodyID add_part(Humanoid* h, double x, double y, double z, double mass) {
    return mechanism_box(&h->m, poise_vec3(x, y, z), poise_vec3(0.1, 0.1, 0.2), mass);
}

static void add_arm(Humanoid* h, int side) {
    const double y = side == 0 ? 0.3 : -0.3;
    dBodyID upper = h->upper_arms[side] = add_part(h, 0.0, y, 1.2, 2.0);
    mechanism_join(&h->m, POISE_NODE_BALL, upper, h->chest,
                   pivot(poise_vec3(0.0, y, 1.4), about_z));
    h->forearms[side] = add_part(h, 0.0, y, 0.9, 1.5);
    mechanism_join(&h->m, POISE_NODE_HINGE, upper, h->forearms[side],
                   pivot(poise_vec3(0.0, y, 1.05), poise_vec3(0.0, 1.0, 0.0)));
    h->hands[side] = add_part(h, 0.05, y, 0.7, 0.5);
    mechanism_weld(&h->m, h->forearms[side], h->hands[side]);
    h->tools[side] = add_part(h, 0.1, y, 0.5, 0.25);
    mechanism_join(&h->m, POISE_NODE_SLIDER, h->tools[side], h->hands[side],
                   pivot(about_z, about_z));
}

static void add_leg(Humanoid* h, int side) {
    const double y = side == 0 ? 0.1 : -0.1;
    dBodyID thigh = add_part(h, 0.0, y, 0.6, 4.0);
    mechanism_join(&h->m, POISE_NODE_BALL, h->pelvis, thigh,
                   pivot(poise_vec3(0.0, y, 0.8), about_z));
    h->shins[side] = add_part(h, 0.0, y, 0.3, 3.0);
    mechanism_join(&h->m, POISE_NODE_HINGE, h->shins[side], thigh,
                   pivot(poise_vec3(0.0, y, 0.45), poise_vec3(0.0, 1.0, 0.0)));
    h->feet[side] = add_part(h, 0.1, y, 0.05, 1.0);
    mechanism_weld(&h->m, h->feet[side], h->shins[side]);
}

static void open_humanoid(Humanoid* h) {
    mechanism_open(&h->m, no_gravity, POISE_REFERENCE_OWN);
    h->pelvis = add_part(h, 0.0, 0.0, 0.9, 8.0);
    h->belt = add_part(h, 0.1, 0.0, 0.9, 1.0);
    mechanism_weld(&h->m, h->belt, h->pelvis);
    h->chest = add_part(h, 0.0, 0.0, 1.25, 12.0);
    mechanism_join(&h->m, POISE_NODE_BALL, h->chest, h->pelvis,
                   pivot(poise_vec3(0.0, 0.0, 1.0), about_z));
    dBodyID head = add_part(h, 0.0, 0.0, 1.6, 4.0);
    mechanism_join(&h->m, POISE_NODE_BALL, head, h->chest,
                   pivot(poise_vec3(0.0, 0.0, 1.45), about_z));
    for (int side = 0; side < 2; side++) {
        add_arm(h, side);
        add_leg(h, side);
    }
    h->loop = mechanism_join(&h->m, POISE_NODE_BALL, h->hands[0], h->hands[1],
                             pivot(poise_vec3(0.05, 0.0, 0.7), about_z));
}

static void expect_child_of(const Mechanism* m, dBodyID child, dBodyID parent) {
    PoiseNodeId node = poise_rig_node_of_body(m->rig, child);
    PoiseNodeId on = poise_node_parent(m->tree, node);
    PoiseNodeId expected = poise_rig_node_of_body(m->rig, parent);
    cr_expect_eq(on.index1, expected.index1, "stands on node %u, not %u", on.index1,
                 expected.index1);
}

Test(import, a_humanoid_with_welds_and_a_loop) {
    Humanoid h;
    open_humanoid(&h);
    // chest, head, 3 in each arm and 2 in each leg; the joint that closes the loop has no node
    cr_expect_eq(import_all(&h.m, h.pelvis), 2 + 2 * 3 + 2 * 2, "%s", poise_rig_message(h.m.rig));
    int left = 0;
    for (int i = 0; i < h.m.joint_count; i++) {
        left += has_node(&h.m, h.m.joints[i]) ? 0 : 1;
    }
    cr_expect_eq(left, 1);
    cr_expect_not(has_node(&h.m, h.loop));
    // welded bodies belong to the link
    for (int side = 0; side < 2; side++) {
        PoiseNodeId forearm = poise_rig_node_of_body(h.m.rig, h.forearms[side]);
        PoiseNodeId hand = poise_rig_node_of_body(h.m.rig, h.hands[side]);
        cr_expect(forearm.index1 != 0 && forearm.index1 == hand.index1);
        cr_expect_eq(poise_rig_node_of_body(h.m.rig, h.feet[side]).index1,
                     poise_rig_node_of_body(h.m.rig, h.shins[side]).index1);
    }
    cr_expect_eq(poise_rig_node_of_body(h.m.rig, h.pelvis).index1, 0u);
    cr_expect_eq(poise_rig_node_of_body(h.m.rig, h.belt).index1, 0u);
    expect_child_of(&h.m, h.chest, h.pelvis);
    expect_child_of(&h.m, h.forearms[0], h.upper_arms[0]);
    expect_child_of(&h.m, h.tools[0], h.hands[0]);
    expect_child_of(&h.m, h.upper_arms[0], h.chest);
    mechanism_close(&h.m);
}

// The mass of a link includes that of bodies at its fixed joints.
Test(import, a_welded_mass_is_held_up_too) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -10.0), POISE_REFERENCE_OWN);
    dBodyID arm = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), poise_vec3(1.0, 0.1, 0.1), 2.0);
    dJointID joint = mechanism_join(&m, POISE_NODE_HINGE, arm, NULL,
                                    pivot(poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 1.0, 0.0)));
    dBodyID hand = mechanism_box(&m, poise_vec3(1.2, 0.0, 0.1), poise_vec3(0.2, 0.1, 0.1), 1.0);
    mechanism_weld(&m, hand, arm);
    dBodyID ring = mechanism_box(&m, poise_vec3(1.4, 0.0, 0.1), poise_vec3(0.1, 0.1, 0.1), 0.5);
    mechanism_weld(&m, hand, ring);
    cr_assert_eq(import_all(&m, arm), 1);
    PoiseNodeId node = poise_rig_node_of_joint(m.rig, joint);
    mechanism_point(&m, node, arm, poise_vec3(1.0, 0.0, 0.0));
    mechanism_step(&m, 0.01);
    const PoiseJointReading reading = mechanism_read(&m, node);
    EXPECT_NEAR(reading.feed_forward[0], -10.0 * (2.0 * 0.5 + 1.0 * 1.2 + 0.5 * 1.4), 1e-9);
    mechanism_close(&m);
}

// --------------------------------------------------------------------------- there and back again

static PoisePose body_pose(dBodyID body) {
    return poise_pose(body_place(body), body_turn(body));
}

static PoisePose seen_from(dBodyID body, dBodyID other) {
    return poise_pose_mul(poise_pose_inverse(body_pose(body)), body_pose(other));
}

static void expect_same_pose(PoisePose actual, PoisePose expected) {
    EXPECT_NEAR3(actual.p, expected.p, 1e-12);
    EXPECT_NEAR_QUAT(actual.q, expected.q, 1e-12);
}

static void scatter(const Mechanism* m, Random* random, double* angles, PoiseQuat* turns) {
    for (int i = 0; i < poise_tree_node_count(m->tree); i++) {
        PoiseNodeId node = poise_tree_node(m->tree, i);
        angles[i] = random_between(random, -2.5, 2.5);
        turns[i] = random_turn(random, 2.5);
        if (poise_node_kind(m->tree, node) == POISE_NODE_BALL) {
            cr_assert_eq(set_rotation(m->tree, node, turns[i]), POISE_OK);
        } else {
            cr_assert_eq(poise_node_set_angle(m->tree, node, angles[i]), POISE_OK);
        }
    }
}

static double anchor_gap(dJointID joint) {
    dVector3 a = {0.0, 0.0, 0.0, 0.0};
    dVector3 b = {0.0, 0.0, 0.0, 0.0};
    if (dJointGetType(joint) == dJointTypeBall) {
        dJointGetBallAnchor(joint, a);
        dJointGetBallAnchor2(joint, b);
    } else if (dJointGetType(joint) == dJointTypeHinge) {
        dJointGetHingeAnchor(joint, a);
        dJointGetHingeAnchor2(joint, b);
    }
    return dCalcPointsDistance3(a, b);
}

// Returns ODE's angle in the sense of the child's motion.
static double odes_angle(const Mechanism* m, PoiseNodeId node, int joint) {
    dJointID j = m->joints[joint];
    double sign =
        poise_rig_node_of_body(m->rig, dJointGetBody(j, 0)).index1 == node.index1 ? 1 : -1;
    return sign * (dJointGetType(j) == dJointTypeHinge ? dJointGetHingeAngle(j)
                                                       : dJointGetSliderPosition(j));
}

static void expect_placed(const Humanoid* h, const double* angles) {
    const Mechanism* m = &h->m;
    for (int i = 0; i < m->joint_count; i++) {
        PoiseNodeId node = poise_rig_node_of_joint(m->rig, m->joints[i]);
        if (node.index1 == 0) {
            continue; // closes the loop
        }
        EXPECT_NEAR(anchor_gap(m->joints[i]), 0.0, 1e-12);
        for (int n = 0; n < poise_tree_node_count(m->tree); n++) {
            bool same = poise_tree_node(m->tree, n).index1 == node.index1;
            if (same && poise_node_kind(m->tree, node) != POISE_NODE_BALL) {
                EXPECT_NEAR(odes_angle(m, node, i), angles[n], 1e-12);
            }
        }
    }
}

static void expect_taken(const Mechanism* m, const double* angles, const PoiseQuat* turns) {
    for (int i = 0; i < poise_tree_node_count(m->tree); i++) {
        PoiseNodeId node = poise_tree_node(m->tree, i);
        if (poise_node_kind(m->tree, node) == POISE_NODE_BALL) {
            EXPECT_NEAR_QUAT(poise_node_pose(m->tree, node).q, turns[i], 1e-12);
        } else {
            EXPECT_NEAR(poise_node_angle(m->tree, node), angles[i], 1e-12);
        }
    }
}

Test(import, bodies_go_where_the_posture_is_and_back) {
    Humanoid h;
    open_humanoid(&h);
    cr_assert_gt(import_all(&h.m, h.pelvis), 0);
    dBodySetPosition(h.pelvis, 3.0, -2.0, 1.0);
    dQuaternion q = {0.5, -0.5, 0.5, 0.5};
    dBodySetQuaternion(h.pelvis, q);
    const PoisePose base = body_pose(h.pelvis);
    const PoisePose hand = seen_from(h.forearms[0], h.hands[0]);
    const PoisePose foot = seen_from(h.shins[1], h.feet[1]);
    Random random = random_from(7);
    for (int round = 0; round < 50; round++) {
        double angles[MECHANISM_BODIES];
        PoiseQuat turns[MECHANISM_BODIES];
        double others[MECHANISM_BODIES];
        PoiseQuat other_turns[MECHANISM_BODIES];
        scatter(&h.m, &random, angles, turns);
        cr_assert_eq(poise_rig_place_bodies(h.m.rig), POISE_OK);
        expect_placed(&h, angles);
        expect_same_pose(body_pose(h.pelvis), base);
        expect_same_pose(seen_from(h.forearms[0], h.hands[0]), hand);
        expect_same_pose(seen_from(h.shins[1], h.feet[1]), foot);
        scatter(&h.m, &random, others, other_turns);
        cr_assert_eq(poise_rig_take_posture(h.m.rig), POISE_OK);
        expect_taken(&h.m, angles, turns);
    }
    mechanism_close(&h.m);
}

// ------------------------------------------------------------------------------- edges of import

Test(import, an_import_leaves_disabled_joints_alone) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID hub = add_cube(&m, 0.0, 0.0, 0.0);
    for (int i = 0; i < 3; i++) {
        dBodyID arm = add_cube(&m, 1.0, i, 0.0);
        mechanism_join(&m, POISE_NODE_HINGE, arm, hub, pivot(poise_vec3(0.5, i, 0.0), about_z));
    }
    dJointDisable(m.joints[1]);
    dBodyID hand = add_cube(&m, 2.0, 0.0, 0.0);
    dJointDisable(mechanism_weld(&m, m.bodies[1], hand));
    cr_expect_eq(import_all(&m, hub), 2, "%s", poise_rig_message(m.rig));
    cr_expect_not(has_node(&m, m.joints[1]));
    cr_expect_eq(poise_rig_node_of_body(m.rig, hand).index1, 0u);
    mechanism_close(&m);
}

Test(import, an_import_passes_through_bound_links) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 1e4, 1e3);
    Mechanism m;
    chain_open(&m, &def);
    cr_expect_eq(import_all(&m, m.bodies[0]), 0, "%s", poise_rig_message(m.rig));
    dBodyID hand = add_cube(&m, 0.0, 3.6, 0.0);
    mechanism_join(&m, POISE_NODE_BALL, hand, m.bodies[2],
                   pivot(poise_vec3(0.0, 3.4, 0.0), about_z));
    cr_expect_eq(import_all(&m, m.bodies[0]), 1, "%s", poise_rig_message(m.rig));
    PoiseNodeId node = poise_rig_node_of_body(m.rig, hand);
    cr_expect_eq(poise_node_parent(m.tree, node).index1,
                 poise_rig_node_of_body(m.rig, m.bodies[2]).index1);
    mechanism_close(&m);
}

// The rig gets no notice of the destroyed body, and must not dereference it.
Test(import, a_welded_body_that_is_destroyed) {
    Humanoid h;
    open_humanoid(&h);
    cr_assert_gt(import_all(&h.m, h.pelvis), 0);
    dBodyDestroy(h.hands[0]);
    cr_expect_eq(poise_rig_place_bodies(h.m.rig), POISE_ERROR_GONE); // the tool's joint hung there
    dBodyDestroy(h.feet[1]);
    PoiseNodeId tool = poise_rig_node_of_body(h.m.rig, h.tools[0]);
    cr_assert_eq(poise_rig_unbind(h.m.rig, tool), POISE_OK);
    cr_assert_eq(poise_node_destroy(h.m.tree, tool), POISE_OK);
    poise_rig_clear_status(h.m.rig);
    // a new body is likely to get the same memory
    dBodyID bystander = dBodyCreate(h.m.world);
    const PoisePose pose = body_pose(bystander);
    cr_expect_eq(poise_rig_place_bodies(h.m.rig), POISE_OK, "%s", poise_rig_message(h.m.rig));
    expect_same_pose(body_pose(bystander), pose);
    mechanism_close(&h.m);
}

// The welds of an unbound link are forgotten.
Test(import, a_link_that_was_unbound_leaves_its_welds) {
    Humanoid h;
    open_humanoid(&h);
    cr_assert_gt(import_all(&h.m, h.pelvis), 0);
    PoiseNodeId shin = poise_rig_node_of_body(h.m.rig, h.shins[0]);
    cr_assert_eq(poise_rig_unbind(h.m.rig, shin), POISE_OK);
    cr_expect_eq(poise_rig_node_of_body(h.m.rig, h.feet[0]).index1, 0u);
    PoiseBindDef again = mechanism_springs(1e4, 1e3);
    again.node = shin;
    again.body = h.shins[0];
    for (int i = 0; i < h.m.joint_count; i++) {
        dJointID joint = h.m.joints[i];
        if (dJointGetType(joint) == dJointTypeHinge && dJointGetBody(joint, 0) == h.shins[0]) {
            again.joint = joint;
        }
    }
    cr_assert_eq(poise_rig_bind(h.m.rig, &again), POISE_OK, "%s", poise_rig_message(h.m.rig));
    const PoisePose foot = body_pose(h.feet[0]);
    dBodySetPosition(h.pelvis, 5.0, 0.0, 0.0);
    cr_assert_eq(poise_rig_place_bodies(h.m.rig), POISE_OK);
    expect_same_pose(body_pose(h.feet[0]), foot);
    mechanism_close(&h.m);
}
