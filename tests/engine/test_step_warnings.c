// SPDX-License-Identifier: MIT
// Updates that do not match the steps give one warning; those that match give none.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "mechanism.h"
#include "random.h"
#include "works.h"

static const double STEP = 0.01;
static const double TUMBLE_STEP = 0.05;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

// Opens a chain with a circling goal, so that each step asks for torque.
static void open_moving(Mechanism* m) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 80.0);
    chain_open(m, &def);
}

static void move_goal(Mechanism* m, int step) {
    const double a = 0.02 * step;
    mechanism_goal(m, poise_vec3(0.5 + 0.5 * cos(a), 2.0 + 0.5 * sin(a), 0.0));
}

Test(step_warnings, two_updates_for_each_step_are_reported_once) {
    Mechanism m;
    open_moving(&m);
    for (int i = 0; i < 100; i++) {
        const int before = m.host.messages;
        move_goal(&m, i);
        WORKS(poise_rig_update(m.rig, STEP, NULL));
        WORKS(poise_rig_update(m.rig, STEP, NULL));
        dWorldStep(m.world, STEP);
        if (m.host.messages > before) {
            cr_expect_not_null(strstr(m.host.last_message, "called twice"), "%s",
                               m.host.last_message);
        }
    }
    cr_expect_eq(m.host.messages, 1, "%d messages", m.host.messages);
    mechanism_close(&m);
}

Test(step_warnings, a_step_of_another_length_is_reported_once) {
    static const double given_dt[] = {0.01, 0.005, 0.002, 0.01};
    static const double made[] = {0.005, 0.01, 0.01, 0.01};
    for (int k = 0; k < 4; k++) {
        Mechanism m;
        open_moving(&m);
        for (int i = 0; i < 600; i++) {
            move_goal(&m, i);
            WORKS(poise_rig_update(m.rig, given_dt[k], NULL));
            dWorldStep(m.world, made[k]);
        }
        char expected[80];
        snprintf(expected, sizeof expected, "was told %g s, but the bodies went on as in",
                 given_dt[k]);
        cr_expect_eq(m.host.messages, k < 3, "case %d: %d messages: %s", k, m.host.messages,
                     m.host.last_message);
        cr_expect(k == 3 || strstr(m.host.last_message, expected), "%s", m.host.last_message);
        mechanism_close(&m);
    }
}

// An additional update in some steps, to read the last step.
Test(step_warnings, an_additional_update_now_and_then_is_not_reported) {
    Mechanism m;
    open_moving(&m);
    for (int i = 0; i < 2000; i++) {
        move_goal(&m, i);
        WORKS(poise_rig_update(m.rig, STEP, NULL));
        if (i % 10 == 0) {
            WORKS(poise_rig_update(m.rig, STEP, NULL));
        }
        dWorldStep(m.world, STEP);
    }
    cr_expect_eq(m.host.messages, 0, "%s", m.host.last_message);
    mechanism_close(&m);
}

// The watched body is destroyed, or moved by the user, or jumps far along its velocity.
Test(step_warnings, a_watched_body_may_be_destroyed_or_moved) {
    for (int what = 0; what < 4; what++) {
        Mechanism m;
        open_moving(&m);
        for (int i = 0; i < 400; i++) {
            move_goal(&m, i);
            const double far = i % 2 == 0 ? 1e200 : -1e200;
            if (i == 200 && what == 0) {
                dBodyDestroy(m.bodies[2]);
            } else if (i == 200 && what == 1) {
                WORKS(poise_rig_unbind(m.rig, poise_tree_node(m.tree, 0)));
            } else if (i >= 200 && what == 2) {
                dBodySetKinematic(m.bodies[2]);
            } else if (i >= 200 && what == 3) {
                dBodySetPosition(m.bodies[2], far, 0.0, 0.0);
                dBodySetLinearVel(m.bodies[2], far, 0.0, 0.0);
            }
            MAY_FAIL(poise_rig_update(m.rig, STEP, NULL));
            if (i < 200 || what < 3) {
                dWorldStep(m.world, STEP);
            }
            cr_expect_null(strstr(m.host.last_message, "went on as in"), "%d: %s", what,
                           m.host.last_message);
        }
        mechanism_close(&m);
    }
}

// Moves a body at random, m and rad.
static void put_elsewhere(dBodyID body, Random* random) {
    const double x = random_between(random, -0.1, 0.1), y = random_between(random, -0.1, 0.1);
    const double z = random_between(random, -0.1, 0.1);
    const PoiseVec3 place = poise_add(body_place(body), poise_vec3(x, y, z));
    dMatrix3 turn;
    dMatrix3 turned;
    dRFromAxisAndAngle(turn, 0.5 - 5.0 * x, 5.0 * y, 5.0 * z, 3.0 * (x + y));
    dMultiply0(turned, dBodyGetRotation(body), turn, 3, 3, 3);
    dBodySetRotation(body, turned);
    dBodySetPosition(body, place.x, place.y, place.z);
}

// Runs ODE's demo_slider: two boxes on a slider, or another joint, tumble freely, driven around and
// pulled together by a force. Every 21 steps one of them is placed elsewhere, before or after the
// update. Expects that each step solves the joint's spring, without a warning.
static void tumble(PoiseNodeKind kind, PoiseSpring spring, bool put_after_update) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    const PoiseVec3 size = poise_vec3(0.5, 0.5, 0.5);
    dBodyID a = mechanism_box(&m, poise_vec3(0.0, 0.0, 1.0), size, 1.0);
    dBodyID b = mechanism_box(&m, poise_vec3(0.2, 0.2, 1.2), size, 1.0);
    const PoiseVec3 axis = poise_scale(1.0 / sqrt(3.0), poise_vec3(1.0, 1.0, 1.0));
    (void)(kind == POISE_NODE_UNIVERSAL
               ? mechanism_universal(m.world, a, b, b, 1.0)
               : mechanism_join(&m, kind, a, b, pivot(poise_vec3(0.0, 0.0, 1.0), axis)));
    PoiseBindDef like = mechanism_springs(spring.stiffness, spring.damping);
    like.original = spring;
    cr_assert_gt(poise_rig_import(m.rig, a, &like), 0);
    (void)mechanism_point(&m, poise_rig_node_of_body(m.rig, b), b, body_place(b));
    Random random = random_from(7);
    bool warned = false;
    double worst = 0.0;
    for (int i = 0; i < 4000; i++) {
        const dReal* w = dBodyGetAngularVel(a);
        const PoiseVec3 half_gap = poise_scale(0.5, poise_sub(body_place(b), body_place(a)));
        dBodyAddForce(a, half_gap.x, half_gap.y, half_gap.z);
        dBodyAddForce(b, -half_gap.x, -half_gap.y, -half_gap.z);
        dBodyAddTorque(a, -0.3 * w[0], -0.3 * w[1] + 0.1 * cos(0.01 * i),
                       -0.3 * w[2] + 0.1 * sin(0.01 * i));
        if (!put_after_update && i % 21 == 0) {
            put_elsewhere(a, &random);
        }
        WORKS(poise_rig_update(m.rig, TUMBLE_STEP, NULL));
        warned = warned || strstr(m.host.last_message, "dWorldStep") != NULL;
        if (put_after_update && i % 21 == 0) {
            put_elsewhere(a, &random);
        }
        dWorldStep(m.world, TUMBLE_STEP);
        double error;
        cr_assert_eq(poise_rig_step_error(m.rig, &error, NULL), POISE_OK);
        worst = fmax(worst, error);
    }
    cr_expect(worst < 1e-6 && !warned, "kind %d, p %g, d %g, put elsewhere %s the update: %g, %s",
              (int)kind, spring.stiffness, spring.damping, put_after_update ? "after" : "before",
              worst, m.host.last_message);
    mechanism_close(&m);
}

Test(step_warnings, a_tumbling_pair_is_not_reported) {
    static const PoiseSpring springs[] = {{2.0, 0.5}, {10.0, 1.0}, {100.0, 20.0}, {1e4, 500.0}};
    static const PoiseNodeKind kinds[] = {POISE_NODE_SLIDER, POISE_NODE_HINGE, POISE_NODE_BALL,
                                          POISE_NODE_UNIVERSAL};
    for (int i = 0; i < 32; i++) {
        tumble(kinds[i / 8], springs[i / 2 % 4], i % 2 > 0);
    }
}
