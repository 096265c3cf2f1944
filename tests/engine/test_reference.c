// SPDX-License-Identifier: MIT
// The reference posture to which IK adds its step: the rig's own, which pushes do not change, or
// the measured one, which keeps the posture after a push. The clamp keeps a blocked posture near
// the bodies.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"

static const double STEP = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};
static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

// ------------------------------------------------------------------------------------------- push

enum { LINKS = 5 };

typedef struct Pushed {
    double lost;     ///< largest rotation of a link that remains after the push, rad
    double farthest; ///< largest distance of the tip from its goal, m
    double error;    ///< error at the end, m
} Pushed;

static void push_for_five_seconds(Mechanism* m, int link, Pushed* pushed) {
    for (int i = 0; i < 500; i++) {
        dBodyAddForce(m->bodies[link], 100.0, 0.0, 0.0);
        mechanism_step(m, STEP);
        pushed->farthest = fmax(pushed->farthest, mechanism_error(m));
    }
}

// Pushes a link with 100 N, then waits 15 s.
static Pushed push(const ChainDef* def, int link) {
    Mechanism m;
    chain_open(&m, def);
    mechanism_goal(&m, poise_vec3(2.0, 3.0, 0.0));
    mechanism_run(&m, STEP, 1000);
    PoiseQuat turns[LINKS];
    for (int i = 0; i < LINKS; i++) {
        turns[i] = body_turn(m.bodies[i]);
    }
    Pushed pushed = {0.0, 0.0, 0.0};
    push_for_five_seconds(&m, link, &pushed);
    mechanism_run(&m, STEP, 1500);
    for (int i = 0; i < LINKS; i++) {
        PoiseQuat turn = poise_quat_mul(body_turn(m.bodies[i]), poise_quat_conjugate(turns[i]));
        pushed.lost = fmax(pushed.lost, poise_length(poise_quat_log(turn)));
    }
    pushed.error = mechanism_error(&m);
    mechanism_close(&m);
    return pushed;
}

// A push on the middle or the last link leaves a lasting change of the measured posture, but not of
// the own posture.
Test(reference, only_the_own_posture_forgets_a_push) {
    for (int link = LINKS / 2; link < LINKS; link += LINKS / 2) {
        for (int kind = POISE_NODE_HINGE; kind <= POISE_NODE_BALL; kind += 2) {
            for (int weighs = 0; weighs < 2; weighs++) {
                ChainDef def = chain_def((PoiseNodeKind)kind, LINKS, 1000.0, 200.0);
                def.gravity = weighs ? poise_vec3(0.0, -9.81, 0.0) : no_gravity;
                Pushed own = push(&def, link);
                def.reference = POISE_REFERENCE_MEASURED;
                Pushed measured = push(&def, link);
                cr_expect_gt(own.farthest, 0.5);
                cr_expect_leq(own.lost, 1e-9, "own: %g rad are lost", own.lost);
                cr_expect_geq(measured.lost, 0.2, "measured: only %g rad are lost", measured.lost);
                cr_expect_leq(own.error, 1e-8);
                cr_expect_leq(measured.error, 1e-8);
            }
        }
    }
}

// --------------------------------------------------------------------------------- torque limits

static const double arm_joints[8] = {0.2, 0.333, 0.5, 0.65, 0.8, 0.95, 1.05, 1.2};

// Opens seven hinges in a column, about z and y in turn; links of 3 to 1.2 kg. The torque limits
// are 87 and 12 N m times `limit`.
static void open_arm(Mechanism* m, double limit) {
    mechanism_open(m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    dBodyID before = NULL;
    for (int i = 0; i < 7; i++) {
        const double from = arm_joints[i];
        const double to = arm_joints[i + 1];
        PoiseBindDef like = mechanism_springs(4000.0, 80.0);
        like.torque_limit = limit * (i < 4 ? 87.0 : 12.0);
        const LinkDef link = {.parent = before,
                              .kind = POISE_NODE_HINGE,
                              .pivot = {{0.0, 0.0, from}, {0.0, i % 2, i % 2 == 0}},
                              .at = {0.0, 0.0, 0.5 * (from + to)},
                              .size = {0.1, 0.1, to - from},
                              .mass = 3.0 - 0.3 * i,
                              .like = &like};
        before = mechanism_link(m, &link);
    }
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, poise_vec3(0.0, 0.0, 1.2));
}

// Returns the largest distance past the goal, as a part of the displacement, after the tip is
// released.
static double overshoot(Mechanism* m, PoiseVec3 goal, double dt, int steps) {
    PoiseVec3 displacement = poise_sub(goal, mechanism_tip(m));
    double most = 0.0;
    for (int i = 0; i < steps; i++) {
        mechanism_step(m, dt);
        PoiseVec3 past = poise_sub(mechanism_tip(m), goal);
        most = fmax(most, poise_dot(past, displacement) / poise_dot(displacement, displacement));
    }
    return most;
}

// Blocks the arm for 5 s, then releases it for 5 s.
static void block_and_let_go(PoiseReference reference, double dt) {
    const int steps = (int)lround(5.0 / dt);
    Mechanism m;
    open_arm(&m, 1.0);
    RIG_SET(m.rig, reference, reference);
    mechanism_goal(&m, poise_vec3(0.4, 0.1, 0.8));
    mechanism_run(&m, dt, steps);
    cr_assert_leq(mechanism_error(&m), 1e-6);
    dJointID hold = mechanism_weld(&m, m.bodies[6], NULL);
    const PoiseVec3 goal = poise_vec3(0.4, -0.4, 0.6);
    mechanism_goal(&m, goal);
    mechanism_run(&m, dt, steps);
    cr_expect_gt(mechanism_error(&m), 0.5);
    // theta_ik is within the torque limit of theta
    PoiseRigReport report = mechanism_step(&m, dt);
    cr_expect_gt(report.clamped, 0);
    for (int i = 0; i < 7; i++) {
        PoiseNodeId node = poise_tree_node(m.tree, i);
        const PoiseJointReading reading = mechanism_read(&m, node);
        // In the free directions of the weld seven joints move on, so the clamp is longer by their
        // lag. The torque includes the feed-forward.
        const double most = 4.0 * reading.torque_limit / 4000.0;
        const double fed = reading.feed_forward[0] / 4000.0;
        cr_expect_leq(fabs(reading.q_ik[0] - reading.q[0] + fed), most + 1e-6);
        cr_expect_leq(fabs(reading.torque[0]), reading.torque_limit * (1.0 + 1e-9));
    }
    dJointDestroy(hold);
    const double past = overshoot(&m, goal, dt, steps);
    cr_expect_leq(past, 0.05, "overshoot %g of the way at a step of %g s", past, dt);
    cr_expect_leq(mechanism_error(&m), 1e-6);
    mechanism_close(&m);
}

Test(reference, a_blocked_arm_does_not_shoot_off_when_it_is_let_go) {
    for (int r = 0; r < 2; r++) {
        block_and_let_go(references[r], 0.01);
        block_and_let_go(references[r], 0.002);
    }
}

// The clamp depends on the speed of a joint. Putting the bodies elsewhere is no speed.
Test(reference, bodies_put_elsewhere_are_not_pulled_back) {
    Mechanism m;
    open_arm(&m, 1.0);
    mechanism_goal(&m, poise_vec3(0.4, 0.1, 0.8));
    mechanism_run(&m, STEP, 500);
    for (int i = 0; i < 7; i++) {
        PoiseNodeId node = poise_tree_node(m.tree, i);
        cr_assert_eq(poise_node_set_angle(m.tree, node, 0.1 * (i + 1)), POISE_OK);
    }
    cr_assert_eq(poise_rig_place_bodies(m.rig), POISE_OK);
    for (int by_user = 0; by_user < 2; by_user++) {
        if (by_user) {
            // straight up again, without a call of the rig
            for (int i = 0; i < 7; i++) {
                const double z = 0.5 * (arm_joints[i] + arm_joints[i + 1]);
                body_put(m.bodies[i], poise_pose(poise_vec3(0.0, 0.0, z), poise_quat_identity()));
                dBodySetLinearVel(m.bodies[i], 0.0, 0.0, 0.0);
                dBodySetAngularVel(m.bodies[i], 0.0, 0.0, 0.0);
            }
            cr_assert_eq(poise_rig_take_posture(m.rig), POISE_OK);
        }
        const PoiseVec3 start = mechanism_tip(&m);
        mechanism_goal(&m, start);
        double moved = 0.0;
        for (int i = 0; i < 100; i++) {
            mechanism_step(&m, STEP);
            moved = fmax(moved, poise_length(poise_sub(mechanism_tip(&m), start)));
        }
        cr_expect_leq(moved, 1e-6, "by the user %d: moved %g m", by_user, moved);
    }
    mechanism_close(&m);
}

// -------------------------------------------------------------------------------- change of mind

// A change of the reference during a motion: the bodies do not jump, and the goal is met with
// either.
Test(reference, the_kind_of_reference_is_changed_during_a_run) {
    ChainDef def = chain_def(POISE_NODE_BALL, LINKS, 1e4, 1e3);
    Mechanism m;
    chain_open(&m, &def);
    mechanism_goal(&m, poise_vec3(2.0, 3.0, 1.0));
    mechanism_run(&m, STEP, 600);
    const PoiseVec3 tip = mechanism_tip(&m);
    for (int i = 0; i < 6; i++) {
        RIG_SET(m.rig, reference, references[(i + 1) % 2]);
        for (int k = 0; k < 50; k++) {
            mechanism_step(&m, STEP);
            EXPECT_NEAR3(mechanism_tip(&m), tip, 1e-6);
        }
    }
    mechanism_close(&m);
}

// --------------------------------------------------------------------------------- natural posture

typedef struct Drift {
    /// Largest change of a joint between the ends of the first and the last lap, rad.
    double posture;
    double error; ///< root mean square of the distance from the second lap on, m
} Drift;

// Moves the arm's tip around a circle in 4 s, for 60 s.
static Drift laps(PoiseReference reference, double pull) {
    Mechanism m;
    open_arm(&m, 1.0);
    RIG_SET(m.rig, reference, reference);
    RIG_SET(m.rig, posture_rate, pull);
    for (int i = 0; i < 7; i++) {
        const double natural = i % 2 == 0 ? 0.0 : 0.5;
        const PoiseNodeId node = poise_tree_node(m.tree, i);
        cr_assert_eq(poise_rig_set_natural_posture(m.rig, node, &natural, 1), POISE_OK);
    }
    const double h = 0.005;
    const double turning = 6.28318530717958647693 / 4.0;
    const double radius = 0.15;
    double posture[7] = {0.0};
    Drift drift = {0.0, 0.0};
    int counted = 0;
    for (int i = 1; i <= 12000; i++) {
        const double angle = turning * h * i;
        mechanism_goal(&m, poise_vec3(0.35, radius * cos(angle), 0.75 + radius * sin(angle)));
        cr_assert_eq(poise_point_set_velocity(m.tree, m.point,
                                              poise_vec3(0.0, -radius * turning * sin(angle),
                                                         radius * turning * cos(angle))),
                     POISE_OK);
        mechanism_step(&m, h);
        drift.error += i > 1600 ? mechanism_error(&m) * mechanism_error(&m) : 0.0;
        counted += i > 1600;
        for (int k = 0; k < 7 && (i == 1600 || i == 12000); k++) {
            const PoiseJointReading reading = mechanism_read(&m, poise_tree_node(m.tree, k));
            drift.posture = i == 12000 ? fmax(drift.posture, fabs(reading.q[0] - posture[k])) : 0.0;
            posture[k] = reading.q[0];
        }
    }
    drift.error = sqrt(drift.error / counted);
    mechanism_close(&m);
    return drift;
}

// Measured: from the first lap to the last a joint drifts by 2.3 rad (own) and 0.86 rad (measured)
// without the pull; by 0.003 and 0.07 rad with it. The RMS error is 0.10 and 0.05 mm without the
// pull, 0.12 and 0.06 mm with it, because the posture moves more in each lap.
Test(reference, a_pull_in_the_null_space_ends_drift) {
    for (int r = 0; r < 2; r++) {
        Drift without = laps(references[r], 0.0);
        Drift with = laps(references[r], 0.01);
        cr_expect_gt(without.posture, 0.5);
        cr_expect_leq(with.posture, r == 0 ? 0.01 : 0.1, "reference %d: %g rad", r, with.posture);
        cr_expect_leq(with.error, 2e-4, "reference %d: RMS %g m", r, with.error);
    }
}

// ---------------------------------------------------------------------------------- unknown loads

// An unknown load of 3 kg hangs from the tip of a chain: the integral brings the tip back without
// oscillation, and returns to 0 when the load is removed. If the chain is blocked, its sum is
// bounded.
Test(reference, an_integral_takes_an_unknown_load) {
    for (int kind = POISE_NODE_HINGE; kind <= POISE_NODE_BALL; kind += 2) {
        for (int on = 0; on < 2; on++) {
            ChainDef chain = chain_def((PoiseNodeKind)kind, 3, 2000.0, 200.0);
            chain.gravity = poise_vec3(0.0, -9.81, 0.0);
            Mechanism m;
            chain_open(&m, &chain);
            RIG_SET(m.rig, integral, on ? 0.5 : 0.0);
            mechanism_goal(&m, poise_vec3(1.0, 1.8, 0.0));
            mechanism_run(&m, STEP, 1500);
            for (int i = 0; i < 4000; i++) {
                dBodyAddForceAtRelPos(m.point_body, 0.0, -3.0 * 9.81, 0.0, m.point_in_body.x,
                                      m.point_in_body.y, m.point_in_body.z);
                mechanism_step(&m, STEP);
            }
            const double loaded = mechanism_error(&m);
            mechanism_run(&m, STEP, 4000);
            const double rid = mechanism_error(&m);
            if (on) {
                cr_expect_leq(loaded, 1e-4, "kind %d: %g m off under the load", kind, loaded);
                cr_expect_leq(rid, 1e-4, "kind %d: %g m off without it", kind, rid);
            } else {
                cr_expect_geq(loaded, 1e-2, "kind %d: only %g m off", kind, loaded);
            }
            mechanism_close(&m);
        }
    }
}

// Row 0.13: the stiffer the natural spring, the less the joints leave the natural posture, in both
// modes.
Test(reference, a_stiffer_natural_posture_is_kept_better) {
    static const double stiffness[] = {0.0, 1e2, 1e3, 1e4, 1e5, 1e6};
    for (int r = 0; r < 2; r++) {
        double last = HUGE_VAL;
        for (int i = 0; i < 6; i++) {
            ChainDef def = chain_def(POISE_NODE_HINGE, LINKS, 1e4, 1e3);
            def.reference = references[r];
            def.like.original.stiffness = stiffness[i];
            def.like.original.damping = 0.1 * stiffness[i];
            Mechanism m;
            chain_open(&m, &def);
            mechanism_goal(&m, poise_vec3(2.0, 3.0, 0.0));
            mechanism_run(&m, STEP, 2000);
            double away = 0.0;
            for (int k = 0; k < LINKS; k++) {
                PoiseNodeId node = poise_rig_node_of_body(m.rig, m.bodies[k]);
                const PoiseJointReading reading = mechanism_read(&m, node);
                away += reading.q[0] * reading.q[0];
            }
            away = sqrt(away);
            cr_expect_lt(away, last, "reference %d, %g N m/rad: %g rad away, before %g", r,
                         stiffness[i], away, last);
            last = away;
            mechanism_close(&m);
        }
        cr_expect_lt(last, 0.05, "reference %d: still %g rad away", r, last);
    }
}

// The dampers have different d / p, and the first joint is slow. Dampers that damp the whole
// velocity, not its difference from the reference's, would make each joint lag by another time:
// while the own posture creeps, the tip would be 13 mm off instead of 4.
Test(reference, a_creep_keeps_a_point_on_its_goal) {
    static const double angles[3] = {0.6, 0.7, 0.2}, dampers[3] = {40.0, 400.0, 100.0};
    PoiseBindDef likes[3];
    for (int i = 0; i < 3; i++) {
        likes[i] = mechanism_springs(1000.0, dampers[i]);
        likes[i].natural[0] = angles[i] + (i == 1 ? -2.0 : 1.0);
    }
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    mechanism_planar(&m, angles, likes);
    RIG_SET(m.rig, posture_rate, 0.002);
    const PoiseNodeId slow = poise_rig_node_of_body(m.rig, m.bodies[0]);
    cr_assert_eq(poise_node_set_max_speed(m.tree, slow, 0.005), POISE_OK);
    mechanism_run(&m, STEP, 200);
    const double before = mechanism_read(&m, slow).q[0];
    double off = 0.0;
    for (int i = 0; i < 300; i++) {
        mechanism_step(&m, STEP);
        off = fmax(off, mechanism_error(&m));
    }
    cr_expect_gt(fabs(mechanism_read(&m, slow).q[0] - before), 0.01, "it does not creep");
    cr_expect_leq(off, 5e-3, "%g m off", off);
    mechanism_close(&m);
}
