// SPDX-License-Identifier: MIT
// The limits that ODE's joints do not have: a ball's cone, speeds.
#include <criterion/criterion.h>
#include <math.h>

#include "mechanism.h"
#include "near.h"
#include "random.h"

static const double DT = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

static dBodyID add_box(Mechanism* m, PoiseVec3 at) {
    return mechanism_box(m, at, poise_vec3(0.2, 0.3, 0.4), 2.0);
}

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
    set_natural_rotation(&bind, natural);
    cr_assert_eq(poise_rig_bind(m->rig, &bind), POISE_OK, "%s", poise_rig_message(m->rig));
}

static void swing_of(const Socket* socket, double* swing, double* twist) {
    PoiseQuat rest;
    *twist = poise_quat_twist(body_turn(socket->child), poise_vec3(0.0, 0.0, 1.0), &rest);
    *swing = poise_length(poise_quat_log(rest));
}

Test(joint_limits, a_balls_cone_holds_in_physics_against_pushes) {
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

Test(joint_limits, a_cone_and_a_stiff_spring_that_wants_out_of_it_get_along) {
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

Test(joint_limits, a_cone_may_come_and_go_while_it_runs) {
    Socket socket;
    PoiseQuat natural = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 1.2);
    open_socket(&socket, 200.0, 20.0, natural);
    double swing, twist;
    mechanism_run(&socket.m, DT, 300);
    swing_of(&socket, &swing, &twist);
    EXPECT_NEAR(swing, 0.8, 2e-3);
    cr_assert_eq(poise_node_set_limits(socket.m.tree, socket.node,
                                       poise_cone(HUGE_VAL, -HUGE_VAL, HUGE_VAL)),
                 POISE_OK);
    mechanism_run(&socket.m, DT, 300);
    swing_of(&socket, &swing, &twist);
    EXPECT_NEAR(swing, 1.2, 1e-6);
    cr_assert_eq(
        poise_node_set_limits(socket.m.tree, socket.node, poise_cone(0.5, -HUGE_VAL, HUGE_VAL)),
        POISE_OK);
    mechanism_run(&socket.m, DT, 300);
    swing_of(&socket, &swing, &twist);
    EXPECT_NEAR(swing, 0.5, 2e-3);
    mechanism_close(&socket.m);
}

// a stiff spring a long way off
Test(joint_limits, a_joint_is_driven_no_faster_than_its_speed_limit) {
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
            const PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(0.6, 0.0, 0.8), 1.0);
            like.natural[0] = 1.0;
            if (kinds[kind] == POISE_NODE_BALL) {
                set_natural_rotation(&like, turn);
            }
            like.speed_limit = 0.5;
            dJointID joint;
            if (kinds[kind] == POISE_NODE_UNIVERSAL) {
                joint = mechanism_universal(m.world, body, NULL, body, 0.0);
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
                EXPECT_NEAR_QUAT(quat_of(reading.q), turn, 1e-3);
            } else {
                EXPECT_NEAR(reading.q[0], 1.0, 1e-3);
            }
            mechanism_close(&m);
        }
    }
}

// the law of the spring at rest is not touched by the limit
Test(joint_limits, what_stands_under_load_stands_where_it_would_without_a_speed_limit) {
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
    EXPECT_NEAR(reading.q[0], 0.1, 1e-6);
    mechanism_close(&m);
}
