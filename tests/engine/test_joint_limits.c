// SPDX-License-Identifier: MIT
// Limits that ODE's joints do not have: a ball's cone, speeds.
#include <criterion/criterion.h>
#include <math.h>

#include "mechanism.h"
#include "near.h"
#include "random.h"

static const double DT = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

typedef struct Socket {
    Mechanism m;
    dBodyID child;
    PoiseNodeId node;
} Socket;

// Opens a ball joint at the origin, the child above it, cone about z.
static void open_socket(Socket* socket, double stiffness, double damping, PoiseQuat natural) {
    mechanism_open(&socket->m, no_gravity, POISE_REFERENCE_OWN);
    Mechanism* m = &socket->m;
    socket->child = mechanism_brick(m, poise_vec3(0.0, 0.0, 0.3));
    dJointID joint = mechanism_join(m, POISE_NODE_BALL, socket->child, NULL,
                                    pivot(poise_vec3(0.0, 0.0, 0.0), no_gravity));
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
            // the cone acts one step late, as ODE's own stops do
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

Test(joint_limits, a_cone_stops_a_stiff_spring_without_shaking) {
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
        // the ball returns when the spring does
        const double back[4] = {1.0, 0.0, 0.0, 0.0};
        cr_assert_eq(poise_rig_set_natural_posture(socket.m.rig, socket.node, back, 4), POISE_OK);
        mechanism_run(&socket.m, DT, 500);
        swing_of(&socket, &swing, &twist);
        EXPECT_NEAR(swing, 0.0, 1e-3);
        mechanism_close(&socket.m);
    }
}

Test(joint_limits, a_cone_is_added_and_removed_during_a_run) {
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

// After the ball is unbound, ODE's joint that enforced a cone drives a hinge, as a new joint would.
Test(joint_limits, a_freed_stop_stops_no_other_joint) {
    double angles[2];
    for (int again = 0; again < 2; again++) {
        Socket socket;
        open_socket(&socket, 200.0, 20.0,
                    poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 1.2));
        mechanism_run(&socket.m, DT, 300);
        if (again) {
            cr_assert_eq(poise_rig_unbind(socket.m.rig, socket.node), POISE_OK);
        }
        PoiseBindDef like = mechanism_springs(0.0, 0.0);
        like.original = (PoiseSpring){1000.0, 100.0};
        like.natural[0] = 1.5;
        (void)mechanism_add_bar(&socket.m, POISE_NODE_HINGE, &like);
        mechanism_run(&socket.m, DT, 50);
        angles[again] = dJointGetHingeAngle(socket.m.joints[1]);
        mechanism_close(&socket.m);
    }
    cr_expect_gt(angles[0], 1.0);
    EXPECT_NEAR(angles[1], angles[0], 1e-12);
}

// Lowers a box of 2 kg on a lever; gravity helps the motor. Returns its largest speed, rad/s.
static double lowered_speed(double stiffness, double damping, double limit) {
    const PoiseVec3 gravity = {0.0, 0.0, -9.81};
    Mechanism m;
    mechanism_open(&m, gravity, POISE_REFERENCE_OWN);
    dBodyID body = mechanism_brick(&m, poise_vec3(0.5, 0.0, 0.0));
    dJointID joint = mechanism_join(&m, POISE_NODE_HINGE, body, NULL,
                                    pivot(no_gravity, poise_vec3(0.0, 1.0, 0.0)));
    PoiseBindDef like = mechanism_springs(stiffness, damping);
    like.speed_limit = limit;
    const PoiseNodeId node = poise_rig_add(m.rig, joint, body, &like);
    mechanism_point(&m, node, body, poise_vec3(0.5, 0.0, 0.0));
    mechanism_goal(&m, poise_vec3(0.5 * cos(0.25), 0.0, -0.5 * sin(0.25)));
    double most = 0.0;
    for (int step = 0; step < 400; step++) {
        mechanism_step(&m, DT);
        most = fmax(most, fabs(dBodyGetAngularVel(body)[1]));
    }
    EXPECT_NEAR(mechanism_read(&m, node).q[0], 0.25, 1e-4);
    mechanism_close(&m);
    return most;
}

// The weight accelerates the joint, while the feed-forward opposes the spring.
Test(joint_limits, a_joint_driven_by_weight_keeps_its_speed_limit) {
    for (double stiffness = 50.0; stiffness < 5000.0; stiffness *= 1.5) {
        const double free = lowered_speed(stiffness, 0.1 * stiffness, HUGE_VAL);
        cr_assert_gt(free, 0.55, "p %g: only %g rad/s", stiffness, free);
        const double held = lowered_speed(stiffness, 0.1 * stiffness, 0.5);
        cr_expect_lt(held, 0.5 * 1.001, "p %g: %g rad/s", stiffness, held);
        cr_expect_gt(held, 0.49, "p %g: %g rad/s", stiffness, held);
    }
}

Test(joint_limits, a_joint_is_driven_no_faster_than_its_speed_limit) {
    const double stiffness[] = {100.0, 1e4, 1e6};
    for (int kind = 0; kind < 4; kind++) {
        const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_SLIDER, POISE_NODE_BALL,
                                       POISE_NODE_UNIVERSAL};
        for (int i = 0; i < 3; i++) {
            Mechanism m;
            mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
            dBodyID body = mechanism_brick(&m, no_gravity);
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
                joint = mechanism_join(&m, kinds[kind], body, NULL,
                                       pivot(no_gravity, poise_vec3(0.0, 0.0, 1.0)));
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
            const PoiseJointReading reading = mechanism_read(&m, node);
            if (kinds[kind] == POISE_NODE_BALL) {
                EXPECT_NEAR_QUAT(quat_of(reading.q), turn, 1e-3);
            } else {
                EXPECT_NEAR(reading.q[0], 1.0, 1e-3);
            }
            mechanism_close(&m);
        }
    }
}

// The limit does not change the law of the spring at rest.
Test(joint_limits, a_speed_limit_does_not_move_a_rest_under_load) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
    dBodyID body = mechanism_brick(&m, no_gravity);
    dJointID joint = mechanism_join(&m, POISE_NODE_HINGE, body, NULL,
                                    pivot(no_gravity, poise_vec3(0.0, 0.0, 1.0)));
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    like.original = (PoiseSpring){1000.0, 20.0};
    like.speed_limit = 0.01; // far below the speed of the unloaded joint at 100 N m
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

typedef enum Order { CHILD_PARENT, PARENT_CHILD, CHILD_GROUND, GROUND_CHILD, ORDER_COUNT } Order;

// Pushes a joint against each of its stops, and expects it at the end of the node's range.
static void expect_range(PoiseNodeKind kind, Order order, int axis, bool up) {
    typedef void (*Set)(dJointID, int, dReal);
    const Set set = kind == POISE_NODE_HINGE    ? dJointSetHingeParam
                    : kind == POISE_NODE_SLIDER ? dJointSetSliderParam
                                                : dJointSetUniversalParam;
    const bool universal = kind == POISE_NODE_UNIVERSAL;
    // the parent of a universal joint has its axis x, the child its axis y
    const PoiseVec3 about = poise_vec3(universal && axis == 0, axis == 1, !universal);
    const PoiseVec3 size = poise_vec3(0.2, 0.2, 0.2);
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID parent = NULL;
    if (order == CHILD_PARENT || order == PARENT_CHILD) {
        parent = mechanism_box(&m, no_gravity, size, 1.0);
        dBodySetKinematic(parent);
    }
    dBodyID child = mechanism_box(&m, poise_vec3(0.0, 0.0, 0.5), size, 1.0);
    const bool child_first = order == CHILD_PARENT || order == CHILD_GROUND;
    dBodyID first = child_first ? child : parent, second = child_first ? parent : child;
    dJointID joint = universal ? mechanism_universal(m.world, first, second, child, 0.0)
                               : mechanism_join(&m, kind, first, second, pivot(no_gravity, about));
    for (int k = 0; k <= universal; k++) {
        set(joint, dParamLoStop + k * dParamGroup, k == 0 ? -0.2 : -0.5);
        set(joint, dParamHiStop + k * dParamGroup, k == 0 ? 0.6 : 0.3);
    }
    PoiseBindDef like = mechanism_springs(0.0, 0.1);
    const PoiseNodeId node = poise_rig_add(m.rig, joint, child, &like);
    cr_assert_neq(node.index1, 0u, "%s", poise_rig_message(m.rig));
    const PoiseVec3 push = poise_scale(up ? 0.1 : -0.1, about);
    for (int i = 0; i < 4000; i++) {
        (kind == POISE_NODE_SLIDER ? dBodyAddForce : dBodyAddTorque)(child, push.x, push.y, push.z);
        mechanism_step(&m, DT);
    }
    cr_assert_eq(poise_rig_update(m.rig, DT, NULL), POISE_OK);
    const PoiseLimits limits = poise_node_limits(m.tree, node);
    const double expected = up ? limits.upper[axis] : limits.lower[axis];
    EXPECT_NEAR(mechanism_read(&m, node).q[axis], expected, 1e-4);
    // the child's own motion
    const PoiseVec3 moved = kind == POISE_NODE_SLIDER
                                ? poise_sub(body_place(child), poise_vec3(0.0, 0.0, 0.5))
                                : poise_quat_log(body_turn(child));
    EXPECT_NEAR(poise_dot(moved, about), expected, 1e-4);
    mechanism_close(&m);
}

Test(joint_limits, ranges_are_the_stops_in_every_order_of_attaching) {
    for (int i = 0; i < 2 * ORDER_COUNT; i++) {
        const Order order = (Order)(i / 2);
        const bool up = i % 2 == 1;
        expect_range(POISE_NODE_HINGE, order, 0, up);
        expect_range(POISE_NODE_SLIDER, order, 0, up);
        expect_range(POISE_NODE_UNIVERSAL, order, 0, up);
        expect_range(POISE_NODE_UNIVERSAL, order, 1, up);
    }
}

// ODE has no stop beyond half a turn, and ignores a lower stop above the upper stop.
Test(joint_limits, stops_that_ode_never_reaches_are_no_range) {
    static const double rows[][4] = {{-HUGE_VAL, HUGE_VAL, -HUGE_VAL, HUGE_VAL},
                                     {-0.5, HUGE_VAL, -0.5, HUGE_VAL},
                                     {-4.0, 0.5, -HUGE_VAL, 0.5},
                                     {1.0, -1.0, -HUGE_VAL, HUGE_VAL}};
    for (int i = 0; i < 4; i++) {
        Mechanism m;
        mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
        dBodyID bar = mechanism_add_bar(&m, POISE_NODE_HINGE, NULL);
        joint_set_stops(m.joints[0], rows[i][0], rows[i][1]);
        const PoiseBindDef like = mechanism_springs(100.0, 10.0);
        const PoiseNodeId node = poise_rig_add(m.rig, m.joints[0], bar, &like);
        const PoiseLimits limits = poise_node_limits(m.tree, node);
        cr_expect(limits.lower[0] == rows[i][2] && limits.upper[0] == rows[i][3],
                  "row %d: %g .. %g", i, limits.lower[0], limits.upper[0]);
        mechanism_close(&m);
    }
}

// A stop acts when the joint has passed it a little.
Test(joint_limits, a_stop_acts_on_a_joint_slightly_beyond_it) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID body = mechanism_box(&m, poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.2, 0.2, 0.2), 1.0);
    dJointID joint = mechanism_join(&m, POISE_NODE_HINGE, body, NULL,
                                    pivot(poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 0.0, 1.0)));
    dJointSetHingeParam(joint, dParamLoStop, -0.5);
    dJointSetHingeParam(joint, dParamHiStop, 0.5);
    dQuaternion turn;
    dQFromAxisAndAngle(turn, 0.0, 0.0, 1.0, 0.51);
    dBodySetQuaternion(body, turn);
    const PoiseBindDef like = mechanism_springs(1e4, 1e3);
    cr_expect_eq(poise_rig_import(m.rig, body, &like), 1, "%s", poise_rig_message(m.rig));
    PoiseNodeId node = poise_rig_node_of_joint(m.rig, joint);
    EXPECT_NEAR(poise_node_angle(m.tree, node), 0.51, 1e-12);
    EXPECT_NEAR(poise_node_limits(m.tree, node).upper[0], 0.5, 0.0);
    mechanism_close(&m);
}
