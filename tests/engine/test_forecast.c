// SPDX-License-Identifier: MIT
// Miss and compliance foreseen (sec. 5.1, section 4 of the method), against where ODE settles: ten
// random rigs, two points each, both references, weight fed forward or not, forces asked or not.
#include <criterion/criterion.h>
#include <stdio.h>

#include "mechanism.h"
#include "near.h"
#include "random.h"

static const double STEP = 0.01;
static const double LENGTH = 0.4;
static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

enum { JOINTS = 7, TRUNK = 3, POINTS = 2, SETTLE = 12000 };

typedef struct Tip {
    PoisePointId point;
    dBodyID body;
    PoiseVec3 in_body;
} Tip;

typedef struct Y {
    Mechanism m;
    Tip tips[POINTS];
} Y;

static PoiseVec3 place_of(const Tip* tip) {
    dVector3 p;
    dBodyGetRelPointPos(tip->body, tip->in_body.x, tip->in_body.y, tip->in_body.z, p);
    return poise_vec3(p[0], p[1], p[2]);
}

static PoiseBindDef random_springs(Random* random) {
    const double p = 200.0 * pow(10.0, random_between(random, 0.0, 1.0));
    PoiseBindDef like = mechanism_springs(p, 0.1 * p);
    like.original.stiffness = random_between(random, 0.05, 0.6) * p;
    like.natural_angle = random_between(random, -0.4, 0.4);
    like.natural_rotation = poise_quat_exp(random_vec3(random, 0.4));
    return like;
}

static dBodyID add_link(Y* y, Random* random, dBodyID parent, PoiseVec3 from, PoiseVec3 to) {
    Mechanism* m = &y->m;
    const PoiseVec3 way = poise_sub(to, from);
    dBodyID body =
        mechanism_box(m, poise_scale(0.5, poise_add(from, to)),
                      poise_vec3(0.1, poise_length(way), 0.12), random_between(random, 0.5, 2.0));
    const double kind = random_between(random, 0.0, 1.0);
    PoiseVec3 axis = poise_add(random_vec3(random, 1.0), poise_vec3(0.0, 0.0, 0.3));
    PoiseNodeKind node = kind < 0.5 ? POISE_NODE_HINGE : POISE_NODE_BALL;
    dJointID joint = mechanism_join(m, node, body, parent, from, axis);
    PoiseBindDef like = random_springs(random);
    cr_assert_neq(poise_rig_add(m->rig, joint, body, &like).index1, 0u);
    return body;
}

static void add_tip(Y* y, Tip* tip, dBodyID body, PoiseVec3 at) {
    tip->body = body;
    tip->in_body = poise_sub(at, body_place(body));
    tip->point = mechanism_point(&y->m, poise_rig_node_of_body(y->m.rig, body), body, at);
}

// a trunk that parts in two; goals near where the tips are
static void open_y(Y* y, uint64_t seed, PoiseReference reference) {
    Random random = random_from(seed);
    mechanism_open(&y->m, poise_vec3(1.0, -9.0, 2.0), reference);
    dBodyID parent = NULL;
    PoiseVec3 at = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < TRUNK; i++) {
        PoiseVec3 next = poise_add(at, poise_vec3(0.0, LENGTH, 0.0));
        parent = add_link(y, &random, parent, at, next);
        at = next;
    }
    for (int t = 0; t < POINTS; t++) {
        dBodyID link = parent;
        PoiseVec3 from = at;
        for (int i = 0; i < (JOINTS - TRUNK) / POINTS; i++) {
            PoiseVec3 to = poise_add(from, poise_vec3(0.0, LENGTH, 0.0));
            link = add_link(y, &random, link, from, to);
            from = to;
        }
        add_tip(y, &y->tips[t], link, from);
    }
    for (int t = 0; t < POINTS; t++) {
        PoiseVec3 off = random_vec3(&random, 0.3);
        PoiseVec3 goal = poise_add(at, poise_vec3(t == 0 ? -0.3 : 0.3, 0.5, 0.0));
        goal = poise_add(goal, off);
        cr_assert_eq(poise_point_set_position(y->m.tree, y->tips[t].point, goal), POISE_OK);
    }
    if (seed % 2 == 1) {
        cr_assert_eq(poise_rig_set_gravity(y->m.rig, false), POISE_OK);
    }
    if (seed % 3 == 0) {
        PoisePointId point = y->tips[0].point;
        cr_assert_eq(poise_point_set_yield(y->m.tree, point, POISE_YIELD_NONE, 0), POISE_OK);
        cr_assert_eq(poise_point_set_force(y->m.tree, point, random_vec3(&random, 10.0)), POISE_OK);
    }
}

// to rest, with a load on a tip
static PoiseVec3 settled(Y* y, const Tip* tip, PoiseVec3 load) {
    for (int i = 0; i < SETTLE; i++) {
        PoiseVec3 p = tip->in_body;
        dBodyAddForceAtRelPos(tip->body, load.x, load.y, load.z, p.x, p.y, p.z);
        mechanism_step(&y->m, STEP);
        if (i > 200 && mechanism_kinetic_energy(&y->m) < 1e-19) {
            break;
        }
    }
    return place_of(tip);
}

static double goal_error(const Y* y, const Tip* tip) {
    return poise_length(poise_sub(poise_point_goal(y->m.tree, tip->point).p, place_of(tip)));
}

// C F for loads along each axis, as ODE has it: there and back, so that what bends with the square
// of the load cancels
static void expect_compliance(Y* y, const Tip* tip, const PoiseForecast* forecast,
                              const char* what) {
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(forecast->compliance[i]));
    }
    for (int axis = 0; axis < 3; axis++) {
        PoiseVec3 load = poise_scale(0.5, poise_vec3(axis == 0, axis == 1, axis == 2));
        PoiseVec3 there = settled(y, tip, load);
        PoiseVec3 back = settled(y, tip, poise_scale(-1.0, load));
        PoiseVec3 moved = poise_sub(there, back);
        const double* c = forecast->compliance;
        PoiseVec3 foreseen = poise_vec3(c[axis], c[3 + axis], c[6 + axis]);
        const double off = poise_length(poise_sub(moved, foreseen));
        cr_expect_leq(off, 0.01 * poise_length(foreseen),
                      "%s, axis %d: (%g %g %g) m/N, not (%g %g %g)", what, axis, moved.x, moved.y,
                      moved.z, foreseen.x, foreseen.y, foreseen.z);
    }
}

Test(forecast, miss_and_compliance_of_ten_random_rigs) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        for (int r = 0; r < 2; r++) {
            Y y;
            open_y(&y, seed, references[r]);
            PoiseForecast before[POINTS];
            for (int t = 0; t < POINTS; t++) {
                cr_expect_eq(poise_rig_forecast(y.m.rig, y.tips[t].point, &before[t]), POISE_OK);
                cr_expect(before[t].rests && !before[t].slack && !before[t].loose);
                cr_expect_not(before[t].yields);
            }
            (void)settled(&y, &y.tips[0], poise_vec3(0.0, 0.0, 0.0));
            for (int t = 0; t < POINTS; t++) {
                char what[64];
                snprintf(what, sizeof what, "seed %d, reference %d, point %d", (int)seed, r, t);
                const double error = goal_error(&y, &y.tips[t]);
                cr_expect_leq(fabs(before[t].miss - error), 0.01 * error, "%s: miss %g, not %g",
                              what, before[t].miss, error);
            }
            for (int t = 0; t < POINTS; t++) {
                char what[64];
                snprintf(what, sizeof what, "seed %d, reference %d, point %d", (int)seed, r, t);
                expect_compliance(&y, &y.tips[t], &before[t], what);
            }
            mechanism_close(&y.m);
        }
    }
}

// ------------------------------------------------------------------------- where it is not defined

static bool is_clean(const PoiseForecast* forecast) {
    bool clean = isfinite(forecast->miss) && isfinite(forecast->angle_miss);
    for (int i = 0; i < 9; i++) {
        clean =
            clean && isfinite(forecast->compliance[i]) && isfinite(forecast->turn_compliance[i]);
    }
    return clean;
}

// four hinges in a plane, bent, springs as given
static void open_planar(Mechanism* m, PoiseReference reference, const double stiffness[4],
                        double original) {
    static const double headings[4] = {0.4, 1.3, 2.0, 1.0};
    mechanism_open(m, poise_vec3(0.0, -9.81, 0.0), reference);
    dBodyID before = NULL;
    PoiseVec3 at = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; i++) {
        PoiseVec3 way = poise_vec3(cos(headings[i]), sin(headings[i]), 0.0);
        dBodyID body =
            mechanism_box(m, poise_add_scaled(at, 0.5, way), poise_vec3(0.2, 0.2, 0.2), 1.0);
        dJointID joint =
            mechanism_join(m, POISE_NODE_HINGE, body, before, at, poise_vec3(0.0, 0.0, 1.0));
        PoiseBindDef like = mechanism_springs(stiffness[i], 0.1 * stiffness[i]);
        like.original.stiffness = original;
        cr_assert_neq(poise_rig_add(m->rig, joint, body, &like).index1, 0u);
        at = poise_add(at, way);
        before = body;
    }
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, at);
}

static PoiseForecast forecast_of(Mechanism* m) {
    PoiseForecast forecast;
    cr_expect_eq(poise_rig_forecast(m->rig, m->point, &forecast), POISE_OK);
    cr_expect(is_clean(&forecast));
    return forecast;
}

static const double even[4] = {1000.0, 1000.0, 1000.0, 1000.0};
static const double uneven[4] = {3000.0, 300.0, 1000.0, 500.0};

// measured, without p_orig: nothing holds what moves no point. Even springs: the tip gives as with
// the own posture; uneven ones creep on under any load, so there is nothing to be said
Test(forecast, measured_without_a_natural_posture_says_so) {
    Mechanism m;
    open_planar(&m, POISE_REFERENCE_OWN, even, 0.0);
    PoiseForecast own = forecast_of(&m);
    cr_expect(own.rests && !own.slack && !own.loose);
    mechanism_close(&m);
    open_planar(&m, POISE_REFERENCE_MEASURED, even, 0.0);
    PoiseForecast measured = forecast_of(&m);
    cr_expect(measured.rests && measured.slack && !measured.loose);
    for (int i = 0; i < 9; i++) {
        EXPECT_NEAR(measured.compliance[i], own.compliance[i], 1e-3 * own.compliance[0]);
    }
    mechanism_close(&m);
    open_planar(&m, POISE_REFERENCE_MEASURED, uneven, 0.0);
    PoiseForecast creeping = forecast_of(&m);
    cr_expect(creeping.rests && creeping.slack && creeping.loose);
    cr_expect(creeping.compliance[0] == 0.0);
    mechanism_close(&m);
    open_planar(&m, POISE_REFERENCE_MEASURED, uneven, 50.0);
    PoiseForecast held = forecast_of(&m);
    cr_expect(held.rests && !held.slack && !held.loose);
    mechanism_close(&m);
}

Test(forecast, a_joint_without_a_spring_says_so) {
    const double soft[4] = {1000.0, 0.0, 1000.0, 1000.0};
    Mechanism m;
    open_planar(&m, POISE_REFERENCE_OWN, soft, 0.0);
    // its weight would let it fall
    cr_assert_eq(poise_rig_set_gravity(m.rig, true), POISE_OK);
    dWorldSetGravity(m.world, 0.0, 0.0, 0.0);
    PoiseForecast forecast = forecast_of(&m);
    cr_expect(forecast.rests && forecast.slack && forecast.loose && forecast.turns_loose);
    mechanism_close(&m);
}

// along the force the contact holds it; across it the springs give as ever
Test(forecast, a_point_that_presses) {
    for (int r = 0; r < 2; r++) {
        Mechanism m;
        open_planar(&m, references[r], uneven, 50.0);
        PoiseVec3 goal = mechanism_tip(&m);
        goal.x -= 0.02;
        mechanism_goal(&m, goal);
        cr_assert_eq(poise_point_set_force(m.tree, m.point, poise_vec3(20.0, 0.0, 0.0)), POISE_OK);
        PoiseForecast forecast = forecast_of(&m);
        cr_expect(forecast.rests && forecast.yields && !forecast.loose);
        // no part of the pull to the natural posture is left at the point
        EXPECT_NEAR(forecast.miss, 0.0, 1e-3);
        EXPECT_NEAR(forecast.compliance[0], 0.0, 1e-9);
        cr_expect_gt(forecast.compliance[4], 1e-5);
        mechanism_close(&m);
    }
}

// too weak a limit for its weight: it finds no rest, and says so
Test(forecast, no_rest_is_said) {
    Mechanism m;
    open_planar(&m, POISE_REFERENCE_OWN, even, 0.0);
    for (int i = 0; i < 4; i++) {
        PoiseNodeId node = poise_tree_node(m.tree, i);
        cr_assert_eq(poise_rig_set_torque_limit(m.rig, node, 1.0), POISE_OK);
    }
    PoiseForecast forecast;
    PoiseStatus status = poise_rig_forecast(m.rig, m.point, &forecast);
    cr_expect(is_clean(&forecast));
    // it may come to hang, but then it hangs far from its goal
    cr_expect(status == POISE_NOT_CONVERGED ? !forecast.rests : forecast.miss > 0.5);
    mechanism_close(&m);
}
