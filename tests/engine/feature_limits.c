// SPDX-License-Identifier: MIT
// The features of a rig with one kind of joint: limits, stops and turns.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "feature_checks.h"
#include "mechanism.h"

static const double DT = 0.005;
// Load at the tip, N. It is small, because the tip is free in directions that turn when a joint
// leaves its limit.
static const double LOAD = 0.05;

// Blocks a joint. Checks that theta_ik stays so near theta that the spring's torque is at most the
// limit.
void check_clamp(const KindCase* kind) {
    const double limit = 2.0, p = 100.0;
    KindDef def = kind_def(kind, 1, 0.0);
    def.like.original = def.like.original_linear = (PoiseSpring){0.0, 0.0};
    def.like.ik = def.like.ik_linear = (PoiseSpring){p, 20.0};
    def.like.torque_limit = def.like.force_limit = limit;
    KindChain chain;
    kind_open(&chain, &def);
    (void)mechanism_point(&chain.m, chain.nodes[0], chain.links[0], poise_vec3(1.0, 0.2, 0.1));
    mechanism_goal(&chain.m, poise_vec3(0.8, 0.6, 0.5));
    // a weight that the joint cannot lift
    dMass mass;
    dMassSetBoxTotal(&mass, 1e6, 1.0, 1.0, 1.0);
    dBodySetMass(chain.links[0], &mass);
    int clamped = 0;
    for (int step = 0; step < 100; step++) {
        clamped += mechanism_step(&chain.m, DT).clamped;
        const PoiseJointReading reading = kind_read(&chain, 0);
        double off[POISE_MAX_NV];
        poise_joint_difference(chain.type, reading.q_ik, reading.q, off);
        for (int d = 0; d < chain.type->nv; d++) {
            cr_expect_leq(fabs(off[d]), limit / p * 1.01, "%s, step %d, velocity %d: %g",
                          kind->name, step, d, off[d]);
        }
    }
    cr_expect_gt(clamped, 0, "%s: never clamped", kind->name);
    kind_close(&chain);
}

static const double natural_sizes[3] = {0.4, -0.2, -0.2};

// Returns the end of a chain in its natural posture.
static PoiseVec3 natural_end(const KindCase* kind) {
    KindDef def = kind_def(kind, 3, 0.0);
    double postures[3][POISE_MAX_NQ];
    PoisePose at = poise_pose_identity();
    for (int i = 0; i < 3; i++) {
        kind_posture(poise_joint_type(kind->kind), natural_sizes[i], postures[i]);
        at = poise_pose_mul(at, kind_motion(def.kind, postures[i]));
        at = poise_pose_mul(at, poise_pose(poise_vec3(1.0, 0.0, 0.0), poise_quat_identity()));
    }
    return at.p;
}

// Returns the distance of a chain of three joints from its natural posture, after it met the goal,
// which the natural posture meets too.
static double posture_miss(const KindCase* kind, double rate, double* error) {
    KindDef def = kind_def(kind, 3, 0.0);
    double natural[POISE_MAX_NQ];
    def.like.original = def.like.original_linear = (PoiseSpring){0.0, 0.0};
    def.like.ik = (PoiseSpring){1000.0, 100.0};
    def.like.ik_linear = (PoiseSpring){10000.0, 1000.0};
    KindChain chain;
    kind_open(&chain, &def);
    RIG_SET(chain.m.rig, posture_rate, rate);
    for (int i = 0; i < 3; i++) {
        kind_posture(chain.type, natural_sizes[i], natural);
        kind_set_natural(&chain, i, natural);
    }
    (void)mechanism_point(&chain.m, chain.nodes[2], chain.links[2], poise_vec3(3.0, 0.0, 0.0));
    mechanism_goal(&chain.m, natural_end(kind));
    chain.m.host.messages = 0;
    for (int step = 0; step < 1500; step++) {
        cr_expect_eq(mechanism_step(&chain.m, DT).tree_status, POISE_OK);
    }
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        kind_posture(chain.type, natural_sizes[i], natural);
        const double off = kind_off(&chain, i, natural);
        sum += off * off;
    }
    *error = mechanism_error(&chain.m);
    kind_close(&chain);
    return sqrt(sum);
}

void check_null_space(const KindCase* kind) {
    double error[2];
    const double without = posture_miss(kind, 0.0, &error[0]);
    const double with = posture_miss(kind, 0.05, &error[1]);
    cr_expect_gt(without, 0.05, "%s: %g from its natural posture", kind->name, without);
    cr_expect_lt(with, 0.1 * without, "%s: %g from its natural posture with the pull, %g without",
                 kind->name, with, without);
    cr_expect_lt(error[1], 1e-3, "%s: the point misses by %g, without the pull %g", kind->name,
                 error[1], error[0]);
}

// Checks that a joint with its limit below a weight that is not fed forward settles where the
// forecast says.
void check_stop(const KindCase* kind) {
    KindDef def = kind_def(kind, 1, 0.0);
    def.gravity = 9.81;
    def.range = 0.2;
    def.like.original = def.like.original_linear = (PoiseSpring){0.0, 0.0};
    def.like.ik = (PoiseSpring){20.0, 5.0};
    def.like.ik_linear = (PoiseSpring){20.0, 5.0};
    KindChain chain;
    kind_open(&chain, &def);
    RIG_SET(chain.m.rig, gravity, false);
    const PoisePointId point =
        mechanism_point(&chain.m, chain.nodes[0], chain.links[0], poise_vec3(1.0, 0.0, 0.0));
    mechanism_run(&chain.m, DT, 3000);
    const double miss = mechanism_error(&chain.m);
    const PoiseVec3 at = mechanism_tip(&chain.m);
    const PoiseForecast forecast = foresee(chain.m.rig, point, DT);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s: %s", kind->name, forecast.why);
    cr_expect_leq(fabs(forecast.miss - miss), 0.02 * miss, "%s: miss %g foreseen, %g", kind->name,
                  forecast.miss, miss);
    const PoiseVec3 load = poise_vec3(0.0, LOAD, -LOAD);
    const PoiseVec3 moved = poise_sub(mechanism_settle(&chain.m, load, DT, 3000), at);
    const double* c = forecast.compliance;
    const PoiseVec3 foreseen =
        poise_vec3(LOAD * (c[1] - c[2]), LOAD * (c[4] - c[5]), LOAD * (c[7] - c[8]));
    // ODE's stops yield a little
    cr_expect_leq(poise_length(poise_sub(moved, foreseen)), 0.05 * poise_length(foreseen) + 1e-4,
                  "%s: a load moves it by (%g %g %g), not (%g %g %g)", kind->name, moved.x, moved.y,
                  moved.z, foreseen.x, foreseen.y, foreseen.z);
    kind_close(&chain);
}

// Presses on a wall with two joints while the natural posture holds the first on its stop. Checks
// that the force on the wall is the asked one. The chain is bent, because a straight arm cannot
// press along itself.
static void check_stop_force_from(const KindCase* kind, const double* bent) {
    const double asked = 10.0, gap = 0.03;
    KindDef def = kind_def(kind, 3, 500.0);
    def.posture = bent;
    def.range = 0.45;
    def.first_range = true;
    def.like.ik = (PoiseSpring){2000.0, 200.0};
    def.like.ik_linear = (PoiseSpring){20000.0, 2000.0};
    KindChain chain;
    kind_open(&chain, &def);
    for (int i = 0; i < 3; i++) {
        double natural[POISE_MAX_NQ];
        double step[POISE_MAX_NV] = {0.0};
        step[kind->stop] = i == 0 ? kind->stop_sign : 0.0;
        memcpy(natural, bent, sizeof natural);
        poise_joint_integrate(chain.type, natural, step);
        kind_set_natural(&chain, i, natural);
    }
    const PoisePose end = {body_place(chain.links[2]), body_turn(chain.links[2])};
    (void)mechanism_point(&chain.m, chain.nodes[2], chain.links[2],
                          poise_pose_apply(end, poise_vec3(0.5, 0.0, 0.0)));
    const PoiseVec3 n = kind->stop_push;
    const PoiseVec3 force = poise_scale(asked, n);
    const Plane plane = {n, poise_dot(n, mechanism_tip(&chain.m)) + gap, 0.0, NULL};
    cr_assert_eq(poise_point_set_force(chain.m.tree, chain.m.point, force), POISE_OK);
    dJointFeedback wall = {0};
    PoiseRigReport report = {0};
    for (int i = 0; i < 6000; i++) {
        cr_assert_eq(poise_rig_update(chain.m.rig, DT, &report), POISE_OK);
        memset(&wall, 0, sizeof wall);
        dJointID touch = mechanism_touch(&chain.m, &plane, chain.links[2], mechanism_tip(&chain.m));
        if (touch) {
            dJointSetFeedback(touch, &wall);
        }
        dWorldStep(chain.m.world, DT);
        if (touch) {
            dJointDestroy(touch);
        }
    }
    const double pressed = -poise_dot(n, poise_vec3(wall.f1[0], wall.f1[1], wall.f1[2]));
    cr_expect_leq(fabs(pressed - asked), 0.01 * asked, "%s: the wall feels %g N, not %g",
                  kind->name, pressed, asked);
    cr_expect_eq(report.pressing, 1);
    kind_close(&chain);
}

void check_stop_force(const KindCase* kind) {
    double bent[POISE_MAX_NQ];
    kind_posture(poise_joint_type(kind->kind), 0.4 * kind->stop_sign, bent);
    check_stop_force_from(kind, bent);
}

// Winds a joint past half a turn from outside. Checks that the spring still pulls back in the same
// sense.
void check_winding(const KindCase* kind) {
    const double p = 10.0, turn = 3.5;
    KindDef def = kind_def(kind, 1, p);
    def.like.original.damping = 3.0;
    def.like.original_linear = (PoiseSpring){1000.0, 100.0};
    if (kind->joint == dJointTypeNone) {
        def.like.natural[0] = 0.0;
    }
    KindChain chain;
    kind_open(&chain, &def);
    enum { STEPS = 6000 };
    for (int step = 0; step < STEPS; step++) {
        const double torque = p * turn * fmin(step / (0.7 * STEPS), 1.0);
        mechanism_step(&chain.m, DT);
        const PoiseVec3 a = poise_scale(torque, kind->wind_axis);
        dBodyAddTorque(chain.links[0], a.x, a.y, a.z);
    }
    const double given = kind_read(&chain, 0).torque[kind->winds];
    cr_expect_leq(fabs(given + p * turn), 0.02 * p * turn, "%s: %g N m, not %g", kind->name, given,
                  -p * turn);
    kind_close(&chain);
}
