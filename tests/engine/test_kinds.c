// SPDX-License-Identifier: MIT
// Universal, translation and free nodes in physics, and the limits that ODE's joints do not have: a
// ball's cone, speeds.
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "random.h"

static const double DT = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

static void say_nothing(int number, const char* message, va_list arguments) {
    (void)number, (void)message, (void)arguments;
}

// axis x on the parent and y on the child, at the origin's height `z`. ODE speaks of axes that it
// has not been told yet
static dJointID join_universal(dWorldID world, dBodyID first, dBodyID second, dBodyID child,
                               double z) {
    dMessageFunction* before = dGetMessageHandler();
    dSetMessageHandler(say_nothing);
    dJointID joint = dJointCreateUniversal(world, NULL);
    dJointAttach(joint, first, second);
    bool child_first = first == child;
    dJointSetUniversalAnchor(joint, 0.0, 0.0, z);
    dJointSetUniversalAxis1(joint, child_first ? 0.0 : 1.0, child_first ? 1.0 : 0.0, 0.0);
    dJointSetUniversalAxis2(joint, child_first ? 1.0 : 0.0, child_first ? 0.0 : 1.0, 0.0);
    dSetMessageHandler(before);
    return joint;
}

static dBodyID add_box(Mechanism* m, PoiseVec3 at) {
    return mechanism_box(m, at, poise_vec3(0.2, 0.3, 0.4), 2.0);
}

// -------------------------------------------------------------------------------------- universal

enum { ORDERS = 4 };
static const char* const ORDER_NAMES[ORDERS] = {"(child, parent)", "(parent, child)", "(child, 0)",
                                                "(0, child)"};

// a universal joint at the origin, axis x on the parent and y on the child (by ODE's order), turned
// by hand after it was made; imported
typedef struct Cross {
    Mechanism m;
    dBodyID parent;
    dBodyID child;
    dJointID joint;
    PoiseNodeId node;
} Cross;

static void open_cross(Cross* cross, int order, double a, double b, PoiseBindDef like) {
    mechanism_open(&cross->m, no_gravity, POISE_REFERENCE_OWN);
    Mechanism* m = &cross->m;
    cross->parent = order < 2 ? add_box(m, poise_vec3(0.0, 0.0, -0.3)) : NULL;
    cross->child = add_box(m, poise_vec3(0.0, 0.0, 0.3));
    bool child_first = order % 2 == 0;
    dJointID joint = cross->joint =
        join_universal(m->world, child_first ? cross->child : cross->parent,
                       child_first ? cross->parent : cross->child, cross->child, 0.0);
    // about x, which is fixed to the parent, by a, then about the turned y by b
    PoiseQuat q = poise_quat_mul(poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), a),
                                 poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), b));
    PoiseVec3 p = poise_quat_rotate(q, poise_vec3(0.0, 0.0, 0.3));
    dQuaternion turn = {q.w, q.x, q.y, q.z};
    dBodySetQuaternion(cross->child, turn);
    dBodySetPosition(cross->child, p.x, p.y, p.z);
    if (cross->parent) {
        // heavy, and far from turning
        dMass mass;
        dMassSetBoxTotal(&mass, 1e6, 1.0, 1.0, 1.0);
        dBodySetMass(cross->parent, &mass);
    }
    cross->node = poise_rig_add(m->rig, joint, cross->child, &like);
    cr_assert_neq(cross->node.index1, 0, "%s", poise_rig_message(m->rig));
}

Test(kinds, a_universal_joint_is_read_in_the_childs_sense_whatever_the_order) {
    for (int order = 0; order < ORDERS; order++) {
        Cross cross;
        open_cross(&cross, order, 0.4, -0.7, mechanism_springs(100.0, 10.0));
        const PoiseTree* tree = cross.m.tree;
        cr_expect_eq(poise_node_kind(tree, cross.node), POISE_NODE_UNIVERSAL);
        EXPECT_NEAR3(poise_node_axis(tree, cross.node), poise_vec3(1.0, 0.0, 0.0), 1e-12);
        EXPECT_NEAR3(poise_node_axis2(tree, cross.node), poise_vec3(0.0, 1.0, 0.0), 1e-12);
        cr_expect(fabs(poise_node_angle(tree, cross.node) - 0.4) < 1e-12, "%s: %g",
                  ORDER_NAMES[order], poise_node_angle(tree, cross.node));
        cr_expect(fabs(poise_node_angle2(tree, cross.node) + 0.7) < 1e-12, "%s: %g",
                  ORDER_NAMES[order], poise_node_angle2(tree, cross.node));
        mechanism_close(&cross.m);
    }
}

// ODE's stops, found by pushing, are the node's range
Test(kinds, a_universal_joints_stops_become_its_ranges) {
    const double lower[2] = {-0.3, -0.5};
    const double upper[2] = {0.6, 0.2};
    for (int order = 0; order < ORDERS; order++) {
        for (int axis = 0; axis < 2; axis++) {
            for (int way = -1; way <= 1; way += 2) {
                Cross cross;
                open_cross(&cross, order, 0.0, 0.0, mechanism_springs(0.0, 1.0));
                for (int i = 0; i < 2; i++) {
                    dJointSetUniversalParam(cross.joint, dParamLoStop + i * dParamGroup, lower[i]);
                    dJointSetUniversalParam(cross.joint, dParamHiStop + i * dParamGroup, upper[i]);
                }
                // import again, with the stops
                cr_assert_eq(poise_rig_unbind(cross.m.rig, cross.node), POISE_OK);
                PoiseBindDef like = mechanism_springs(0.0, 5.0);
                PoiseNodeId node = poise_rig_add(cross.m.rig, cross.joint, cross.child, &like);
                cr_assert_neq(node.index1, 0, "%s", poise_rig_message(cross.m.rig));
                for (int step = 0; step < 400; step++) {
                    mechanism_step(&cross.m, DT);
                    dBodyAddTorque(cross.child, axis == 0 ? 3.0 * way : 0.0,
                                   axis == 1 ? 3.0 * way : 0.0, 0.0);
                }
                PoiseJointReading reading;
                cr_assert_eq(poise_rig_read_joint(cross.m.rig, node, &reading), POISE_OK);
                const PoiseTree* tree = cross.m.tree;
                double low = axis ? poise_node_lower2(tree, node) : poise_node_lower(tree, node);
                double high = axis ? poise_node_upper2(tree, node) : poise_node_upper(tree, node);
                double at = axis ? reading.angle2 : reading.angle;
                cr_expect(fabs(at - (way < 0 ? low : high)) < 5e-3,
                          "%s, axis %d, way %d: stands at %g, range %g to %g", ORDER_NAMES[order],
                          axis, way, at, low, high);
                mechanism_close(&cross.m);
            }
        }
    }
}

Test(kinds, a_universal_joint_yields_by_torque_over_stiffness_about_both_axes) {
    const double stiffness = 500.0;
    for (int order = 0; order < ORDERS; order++) {
        for (int axis = 0; axis < 2; axis++) {
            Cross cross;
            open_cross(&cross, order, 0.0, 0.0, mechanism_springs(stiffness, 40.0));
            // follows the solver only with a point; the natural posture holds it without
            cr_assert_eq(
                poise_rig_set_original(cross.m.rig, cross.node, (PoiseSpring){stiffness, 40.0}),
                POISE_OK);
            for (int step = 0; step < 600; step++) {
                mechanism_step(&cross.m, DT);
                dBodyAddTorque(cross.child, axis == 0 ? 5.0 : 0.0, axis == 1 ? 5.0 : 0.0, 0.0);
            }
            PoiseJointReading reading;
            cr_assert_eq(poise_rig_read_joint(cross.m.rig, cross.node, &reading), POISE_OK);
            double at = axis ? reading.angle2 : reading.angle;
            double other = axis ? reading.angle : reading.angle2;
            cr_expect(fabs(at - 5.0 / stiffness) < 1e-6, "%s, axis %d: %.9g", ORDER_NAMES[order],
                      axis, at);
            cr_expect(fabs(other) < 1e-6, "%s, axis %d: other %.9g", ORDER_NAMES[order], axis,
                      other);
            double torque = axis ? reading.torque.y : reading.torque.x;
            // the heavy parent is turned a little, and the child with it
            cr_expect(fabs(torque + 5.0) < (order < 2 ? 2e-5 : 1e-6), "%s, axis %d: torque %g",
                      ORDER_NAMES[order], axis, torque);
            mechanism_close(&cross.m);
        }
    }
}

// three links on universal joints with gravity, fed forward
Test(kinds, a_chain_of_universal_joints_reaches) {
    for (int reference = 0; reference < 2; reference++) {
        Mechanism m;
        mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), (PoiseReference)reference);
        dBodyID below = NULL;
        for (int i = 0; i < 4; i++) {
            dBodyID body = add_box(&m, poise_vec3(0.0, 0.0, 0.25 + 0.5 * i));
            (void)join_universal(m.world, i % 2 ? below : body, i % 2 ? body : below, body,
                                 0.5 * i);
            below = body;
        }
        PoiseBindDef like = mechanism_springs(2000.0, 150.0);
        cr_assert_eq(poise_rig_import(m.rig, m.bodies[0], &like), 4, "%s",
                     poise_rig_message(m.rig));
        mechanism_point(&m, poise_rig_node_of_body(m.rig, below), below, poise_vec3(0.0, 0.0, 2.0));
        mechanism_goal(&m, poise_vec3(0.7, -0.5, 1.2));
        mechanism_run(&m, DT, 800);
        cr_expect_lt(mechanism_error(&m), 1e-5, "reference %d: %g m", reference,
                     mechanism_error(&m));
        mechanism_close(&m);
    }
}

// ---------------------------------------------------------------------------- translation and free

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
        cr_assert_eq(poise_rig_set_gravity(m.rig, false), POISE_OK);
        dBodyID body = add_box(&m, poise_vec3(0.3, -0.2, 0.5));
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

Test(kinds, a_translation_node_follows_the_solver_and_carries_its_weight) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    dBodyID body = add_box(&m, poise_vec3(0.0, 0.0, 1.0));
    PoiseNodeId node = bind_free(&m, body, POISE_NODE_TRANSLATION, mechanism_springs(500.0, 40.0));
    mechanism_point(&m, node, body, poise_vec3(0.0, 0.0, 1.0));
    mechanism_goal(&m, poise_vec3(0.4, 0.2, 1.3));
    mechanism_run(&m, DT, 600);
    EXPECT_NEAR3(body_place(body), poise_vec3(0.4, 0.2, 1.3), 1e-6);
    PoiseJointReading reading;
    cr_assert_eq(poise_rig_read_joint(m.rig, node, &reading), POISE_OK);
    EXPECT_NEAR3(reading.torque, poise_vec3(0.0, 0.0, 2.0 * 9.81), 1e-6);
    mechanism_close(&m);
}

// the paper's base: springs to the world along and about all axes
Test(kinds, a_free_node_with_springs_holds_its_pose_and_yields_by_load_over_stiffness) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    dBodyID body = add_box(&m, poise_vec3(0.1, 0.2, 1.0));
    PoiseBindDef def = mechanism_springs(0.0, 0.0);
    def.original = (PoiseSpring){200.0, 10.0};
    def.original_linear = (PoiseSpring){1000.0, 60.0};
    def.natural_translation = poise_vec3(0.0, 0.0, 1.2);
    def.natural_rotation = poise_quat_from_axis_angle(poise_vec3(0.6, 0.0, 0.8), 0.5);
    PoiseNodeId node = bind_free(&m, body, POISE_NODE_FREE, def);
    mechanism_run(&m, DT, 800);
    EXPECT_NEAR3(body_place(body), poise_vec3(0.0, 0.0, 1.2), 1e-6);
    EXPECT_NEAR_QUAT(body_turn(body), def.natural_rotation, 1e-6);
    for (int step = 0; step < 800; step++) {
        mechanism_step(&m, DT);
        dBodyAddForce(body, 5.0, 0.0, 0.0);
        dBodyAddTorque(body, 1.2, 0.0, 1.6);
    }
    EXPECT_NEAR3(body_place(body), poise_vec3(0.005, 0.0, 1.2), 1e-6);
    // about the axis it is turned about already
    EXPECT_NEAR_QUAT(body_turn(body),
                     poise_quat_from_axis_angle(poise_vec3(0.6, 0.0, 0.8), 0.5 + 2.0 / 200.0),
                     1e-6);
    PoiseJointReading reading;
    cr_assert_eq(poise_rig_read_joint(m.rig, node, &reading), POISE_OK);
    EXPECT_NEAR3(reading.force, poise_vec3(-5.0, 0.0, 2.0 * 9.81), 1e-5);
    EXPECT_NEAR3(reading.torque, poise_vec3(-1.2, 0.0, -1.6), 1e-5);
    mechanism_close(&m);
}

Test(kinds, a_driven_free_base_takes_its_part_in_the_solve) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    dBodyID body = add_box(&m, poise_vec3(0.0, 0.0, 1.0));
    dBodyID arm = add_box(&m, poise_vec3(0.5, 0.0, 1.0));
    mechanism_join(&m, POISE_NODE_HINGE, arm, body, poise_vec3(0.25, 0.0, 1.0),
                   poise_vec3(0.0, 1.0, 0.0));
    PoiseBindDef like = mechanism_springs(800.0, 60.0);
    like.ik_linear = (PoiseSpring){4000.0, 300.0};
    cr_assert_neq(poise_rig_add_base(m.rig, body, &like).index1, 0, "%s", poise_rig_message(m.rig));
    cr_assert_eq(poise_rig_import(m.rig, body, &like), 1, "%s", poise_rig_message(m.rig));
    mechanism_point(&m, poise_rig_node_of_body(m.rig, arm), arm, poise_vec3(0.75, 0.0, 1.0));
    // out of the arm's reach: the base has to come
    mechanism_goal(&m, poise_vec3(1.6, 0.4, 1.5));
    mechanism_run(&m, DT, 800);
    cr_expect_lt(mechanism_error(&m), 1e-5, "%g", mechanism_error(&m));
    mechanism_close(&m);
}

Test(kinds, a_floating_base_is_not_driven_at_all) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    dBodyID body = add_box(&m, poise_vec3(0.0, 0.0, 1.0));
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    PoiseNodeId base = poise_rig_add_base(m.rig, body, &like);
    cr_assert_neq(base.index1, 0);
    const double g = 9.81;
    for (int step = 1; step <= 100; step++) {
        mechanism_step(&m, DT);
        EXPECT_NEAR(dBodyGetPosition(body)[2], 1.0 - g * DT * DT * step * (step + 1) / 2.0, 1e-12);
    }
    // the tree knows where it is
    EXPECT_NEAR(poise_node_pose(m.tree, base).p.z, dBodyGetPosition(body)[2], 0.1);
    mechanism_close(&m);
}

// ------------------------------------------------------------------------------------------ limits

typedef struct Socket {
    Mechanism m;
    dBodyID child;
    PoiseNodeId node;
} Socket;

// a ball joint at the origin, child above, cone about z
static void open_socket(Socket* socket, double stiffness, double damping, PoiseQuat natural) {
    mechanism_open(&socket->m, no_gravity, POISE_REFERENCE_OWN);
    Mechanism* m = &socket->m;
    socket->child = add_box(m, poise_vec3(0.0, 0.0, 0.3));
    dJointID joint = mechanism_join(m, POISE_NODE_BALL, socket->child, NULL,
                                    poise_vec3(0.0, 0.0, 0.0), no_gravity);
    PoiseNodeDef def = poise_default_ball_def();
    def.link_in_joint.p = poise_vec3(0.0, 0.0, 0.3);
    def.swing_limit = 0.8;
    def.twist_lower = -0.3;
    def.twist_upper = 0.5;
    PoiseBindDef bind = mechanism_springs(0.0, 0.0);
    bind.node = socket->node = poise_node_create(m->tree, &def);
    bind.joint = joint;
    bind.body = socket->child;
    bind.original = (PoiseSpring){stiffness, damping};
    bind.natural_rotation = natural;
    cr_assert_eq(poise_rig_bind(m->rig, &bind), POISE_OK, "%s", poise_rig_message(m->rig));
}

static void swing_of(const Socket* socket, double* swing, double* twist) {
    PoiseQuat rest;
    *twist = poise_quat_twist(body_turn(socket->child), poise_vec3(0.0, 0.0, 1.0), &rest);
    *swing = poise_length(poise_quat_log(rest));
}

Test(kinds, a_balls_cone_holds_in_physics_against_pushes) {
    Random random = random_from(3);
    for (int trial = 0; trial < 20; trial++) {
        Socket socket;
        open_socket(&socket, 0.0, 2.0, poise_quat_identity());
        PoiseVec3 torque = poise_scale(4.0, random_direction(&random));
        double swing = 0.0, twist = 0.0;
        for (int step = 0; step < 800; step++) {
            mechanism_step(&socket.m, DT);
            dBodyAddTorque(socket.child, torque.x, torque.y, torque.z);
            swing_of(&socket, &swing, &twist);
            // one step of travel late, as ODE's own stops
            double travel = DT * poise_length(poise_vec3(dBodyGetAngularVel(socket.child)[0],
                                                         dBodyGetAngularVel(socket.child)[1],
                                                         dBodyGetAngularVel(socket.child)[2]));
            cr_assert_lt(swing, 0.8 + 2.0 * travel + 0.02, "trial %d, step %d: %g", trial, step,
                         swing);
            cr_assert_lt(twist, 0.5 + 2.0 * travel + 0.02, "trial %d, step %d: %g", trial, step,
                         twist);
            cr_assert_gt(twist, -0.3 - 2.0 * travel - 0.02, "trial %d, step %d: %g", trial, step,
                         twist);
        }
        cr_expect(swing < 0.801 && twist < 0.501 && twist > -0.301, "trial %d: rests at %g, %g",
                  trial, swing, twist);
        mechanism_close(&socket.m);
    }
}

Test(kinds, a_cone_and_a_stiff_spring_that_wants_out_of_it_get_along) {
    const double stiffness[] = {50.0, 1e4, 1e6};
    for (int i = 0; i < 3; i++) {
        Socket socket;
        PoiseQuat natural = poise_quat_from_axis_angle(poise_vec3(0.6, 0.8, 0.0), 1.3);
        open_socket(&socket, stiffness[i], 0.05 * stiffness[i], natural);
        double swing = 0.0, twist = 0.0;
        for (int step = 0; step < 500; step++) {
            mechanism_step(&socket.m, DT);
            swing_of(&socket, &swing, &twist);
            cr_assert_lt(swing, 1.3, "p %g, step %d: %g", stiffness[i], step, swing);
        }
        EXPECT_NEAR(swing, 0.8, 2e-3);
        // and comes back when the spring does
        const double back[4] = {1.0, 0.0, 0.0, 0.0};
        cr_assert_eq(poise_rig_set_natural_posture(socket.m.rig, socket.node, back, 4), POISE_OK);
        mechanism_run(&socket.m, DT, 500);
        swing_of(&socket, &swing, &twist);
        EXPECT_NEAR(swing, 0.0, 1e-3);
        mechanism_close(&socket.m);
    }
}

Test(kinds, a_cone_may_come_and_go_while_it_runs) {
    Socket socket;
    PoiseQuat natural = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 1.2);
    open_socket(&socket, 200.0, 20.0, natural);
    double swing, twist;
    mechanism_run(&socket.m, DT, 300);
    swing_of(&socket, &swing, &twist);
    EXPECT_NEAR(swing, 0.8, 2e-3);
    cr_assert_eq(poise_node_set_cone(socket.m.tree, socket.node, HUGE_VAL, -HUGE_VAL, HUGE_VAL),
                 POISE_OK);
    mechanism_run(&socket.m, DT, 300);
    swing_of(&socket, &swing, &twist);
    EXPECT_NEAR(swing, 1.2, 1e-6);
    cr_assert_eq(poise_node_set_cone(socket.m.tree, socket.node, 0.5, -HUGE_VAL, HUGE_VAL),
                 POISE_OK);
    mechanism_run(&socket.m, DT, 300);
    swing_of(&socket, &swing, &twist);
    EXPECT_NEAR(swing, 0.5, 2e-3);
    mechanism_close(&socket.m);
}

// a stiff spring a long way off
Test(kinds, a_joint_is_driven_no_faster_than_its_speed_limit) {
    const double stiffness[] = {100.0, 1e4, 1e6};
    for (int kind = 0; kind < 4; kind++) {
        const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_SLIDER, POISE_NODE_BALL,
                                       POISE_NODE_UNIVERSAL};
        for (int i = 0; i < 3; i++) {
            Mechanism m;
            mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
            dBodyID body = add_box(&m, no_gravity);
            PoiseBindDef like = mechanism_springs(0.0, 0.0);
            like.original = (PoiseSpring){stiffness[i], 0.02 * stiffness[i]};
            like.natural_angle = 1.0;
            like.natural_rotation = poise_quat_from_axis_angle(poise_vec3(0.6, 0.0, 0.8), 1.0);
            like.speed_limit = 0.5;
            dJointID joint;
            if (kinds[kind] == POISE_NODE_UNIVERSAL) {
                joint = join_universal(m.world, body, NULL, body, 0.0);
            } else {
                joint = mechanism_join(&m, kinds[kind], body, NULL, no_gravity,
                                       poise_vec3(0.0, 0.0, 1.0));
            }
            PoiseNodeId node = poise_rig_add(m.rig, joint, body, &like);
            cr_assert_neq(node.index1, 0, "%s", poise_rig_message(m.rig));
            bool fast = false;
            for (int step = 0; step < 1000; step++) {
                mechanism_step(&m, DT);
                const dReal* v = kinds[kind] == POISE_NODE_SLIDER ? dBodyGetLinearVel(body)
                                                                  : dBodyGetAngularVel(body);
                double speed = poise_length(poise_vec3(v[0], v[1], v[2]));
                cr_assert_lt(speed, 0.5 * 1.001, "kind %d, p %g, step %d: %g", kind, stiffness[i],
                             step, speed);
                fast = fast || speed > 0.49;
            }
            cr_expect(fast, "kind %d, p %g: never at the limit", kind, stiffness[i]);
            PoiseJointReading reading;
            cr_assert_eq(poise_rig_read_joint(m.rig, node, &reading), POISE_OK);
            if (kinds[kind] == POISE_NODE_BALL) {
                EXPECT_NEAR_QUAT(reading.rotation, like.natural_rotation, 1e-3);
            } else {
                EXPECT_NEAR(reading.angle, 1.0, 1e-3);
            }
            mechanism_close(&m);
        }
    }
}

// the law of the spring at rest is not touched by the limit
Test(kinds, what_stands_under_load_stands_where_it_would_without_a_speed_limit) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
    dBodyID body = add_box(&m, no_gravity);
    dJointID joint =
        mechanism_join(&m, POISE_NODE_HINGE, body, NULL, no_gravity, poise_vec3(0.0, 0.0, 1.0));
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    like.original = (PoiseSpring){1000.0, 20.0};
    like.speed_limit = 0.01; // far below what 100 N m would drive it at unloaded
    PoiseNodeId node = poise_rig_add(m.rig, joint, body, &like);
    PoiseJointReading reading;
    for (int step = 0; step < 4000; step++) {
        mechanism_step(&m, DT);
        dBodyAddTorque(body, 0.0, 0.0, 100.0);
    }
    cr_assert_eq(poise_rig_read_joint(m.rig, node, &reading), POISE_OK);
    EXPECT_NEAR(reading.angle, 0.1, 1e-6);
    mechanism_close(&m);
}

// --------------------------------------------------------------------------------------- refusals

static void expect_refused(Mechanism* m, PoiseBindDef def, PoiseStatus status, const char* word) {
    poise_rig_clear_status(m->rig);
    cr_expect_eq(poise_rig_bind(m->rig, &def), status, "%s: %s", word, poise_rig_message(m->rig));
    cr_expect(strstr(poise_rig_message(m->rig), word), "%s: %s", word, poise_rig_message(m->rig));
}

Test(kinds, what_cannot_be_bound_is_refused_with_advice) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID a = add_box(&m, no_gravity);
    dBodyID b = add_box(&m, poise_vec3(1.0, 0.0, 0.0));
    dJointID hinge =
        mechanism_join(&m, POISE_NODE_HINGE, a, b, no_gravity, poise_vec3(0.0, 0.0, 1.0));
    PoiseNodeDef free_def = poise_default_free_def();
    PoiseBindDef def = mechanism_springs(0.0, 0.0);
    def.node = poise_node_create(m.tree, &free_def);
    def.body = a;
    def.joint = hinge;
    expect_refused(&m, def, POISE_ERROR_WRONG_KIND, "leave the joint NULL");
    def.joint = NULL;
    def.body = NULL;
    expect_refused(&m, def, POISE_ERROR_INVALID_ARGUMENT, "body is NULL");
    def.body = a;
    def.speed_limit = 0.0;
    expect_refused(&m, def, POISE_ERROR_INVALID_ARGUMENT, "speed_limit");
    def.speed_limit = HUGE_VAL;
    def.ik_linear.stiffness = -1.0;
    expect_refused(&m, def, POISE_ERROR_INVALID_ARGUMENT, "stiffness");
    def.ik_linear.stiffness = 0.0;
    cr_assert_eq(poise_rig_bind(m.rig, &def), POISE_OK);
    free_def.parent = def.node;
    PoiseNodeDef loose_def = poise_default_hinge_def();
    loose_def.parent = def.node;
    free_def.parent = poise_node_create(m.tree, &loose_def);
    def.node = poise_node_create(m.tree, &free_def);
    def.body = b;
    expect_refused(&m, def, POISE_ERROR_INVALID_ARGUMENT, "not bound");
    // a body floats once
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    poise_rig_clear_status(m.rig);
    cr_expect_eq(poise_rig_add_base(m.rig, a, &like).index1, 0);
    cr_expect_eq(poise_rig_status(m.rig), POISE_ERROR_ALREADY_BOUND);
    cr_expect_eq(poise_rig_add_base(m.rig, NULL, &like).index1, 0);
    cr_expect_eq(poise_rig_add_base(m.rig, b, NULL).index1, 0);
    cr_expect_eq(poise_rig_set_linear(m.rig, poise_tree_node(m.tree, 1), like.ik, like.ik),
                 POISE_ERROR_INVALID_HANDLE);
    mechanism_close(&m);
}
