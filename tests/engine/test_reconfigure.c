// SPDX-License-Identifier: MIT
// Goals that the posture cannot reach: the rig searches another posture and moves there at bounded
// speed, or proves that none exists. A crane has a turning column and a jib that leans back by 110
// degrees: it reaches a place behind it only with the column turned by half a turn.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism.h"
#include "near.h"
#include "poise/snapshot.h"

#define STEP      0.01
#define LONG_STEP 0.04
#define PI        3.14159265358979323846

// Jib raised by 30 degrees, pointing back; the second place is beyond its length.
static const PoiseVec3 behind = {-0.86494304, 0.04328323, 1.5};
static const PoiseVec3 beyond = {-1.5, 0.02, 1.8};

static void crane_put(Mechanism* m, dBodyID base) {
    dBodyID column = mechanism_box(m, poise_vec3(0.0, 0.0, 0.5), poise_vec3(0.2, 0.2, 1.0), 5.0);
    dBodyID jib = mechanism_box(m, poise_vec3(0.5, 0.0, 1.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
    mechanism_join(m, POISE_NODE_HINGE, column, base,
                   pivot(poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 0.0, 1.0)));
    dJointID lift = mechanism_join(m, POISE_NODE_HINGE, jib, column,
                                   pivot(poise_vec3(0.0, 0.0, 1.0), poise_vec3(0.0, -1.0, 0.0)));
    dJointSetHingeParam(lift, dParamLoStop, -0.5);
    dJointSetHingeParam(lift, dParamHiStop, 110.0 * PI / 180.0);
    const PoiseBindDef like = mechanism_springs(2000.0, 100.0);
    dBodyID root = base ? base : column;
    cr_assert_eq(poise_rig_import(m->rig, root, &like), base ? 3 : 2, "%s", m->host.last_message);
    mechanism_point(m, poise_rig_node_of_body(m->rig, jib), jib, poise_vec3(1.0, 0.0, 1.0));
}

static void crane_open(Mechanism* m, double speed) {
    mechanism_open(m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    RIG_SET(m->rig, reconfigure_speed, speed);
    crane_put(m, NULL);
}

// Steps until the rig reports the state, at most `most` s; returns the last report.
static PoiseRigReport run_until(Mechanism* m, PoiseReconfiguration state, double most) {
    PoiseRigReport report = mechanism_step(m, STEP);
    for (int i = 1; i < lround(most / STEP) && report.reconfiguration != state; i++) {
        report = mechanism_step(m, STEP);
    }
    cr_assert_eq(report.reconfiguration, state, "not state %d but %d", state,
                 report.reconfiguration);
    return report;
}

static const char* word(const Mechanism* m) {
    return poise_point_why_name(mechanism_read_point(m).why);
}

// Expects that a forecast meets the goal: its copy continues the search, or uses the posture found.
static void expect_foreseen(const Mechanism* m, double step, const char* when) {
    const PoiseForecast forecast = mechanism_foresee(m, step);
    cr_expect(forecast.end == POISE_FORECAST_SETTLES && forecast.miss <= 1e-5,
              "%s: %s (%s), %g m off", when, poise_forecast_end_name(forecast.end), forecast.why,
              forecast.miss);
}

Test(reconfigure, a_goal_behind_is_reached_by_another_posture) {
    Mechanism m;
    crane_open(&m, 0.0);
    mechanism_goal(&m, behind);
    mechanism_run(&m, STEP, 2000);
    const PoiseRigReport off = mechanism_step(&m, STEP);
    cr_expect_gt(mechanism_error(&m), 0.5, "reached without");
    cr_expect_eq(off.reconfiguration, POISE_RECONFIGURATION_NONE);
    mechanism_close(&m);

    crane_open(&m, 1.5);
    mechanism_goal(&m, behind);
    expect_foreseen(&m, STEP, "before");
    PoiseRigReport report = run_until(&m, POISE_RECONFIGURATION_SEARCHES, 3.0);
    cr_expect_str_eq(word(&m), "searches another posture");
    expect_foreseen(&m, STEP, "searching");
    report = run_until(&m, POISE_RECONFIGURATION_MOVES, 1.0);
    expect_foreseen(&m, STEP, "on its way");
    // half a turn, at most at 1.5 rad/s, which it reaches from rest and leaves in 0.1 s
    PoiseJointReading before, now;
    const PoiseNodeId column = poise_rig_node_of_joint(m.rig, m.joints[0]);
    double speed = 1.5 * STEP / 0.1;
    int moving = 0;
    for (; report.reconfiguration == POISE_RECONFIGURATION_MOVES && moving < 1000; moving++) {
        const char* said = word(&m);
        cr_assert_eq(poise_rig_read_joint(m.rig, column, &before), POISE_OK);
        report = mechanism_step(&m, STEP);
        cr_assert_eq(poise_rig_read_joint(m.rig, column, &now), POISE_OK);
        const bool moves = report.reconfiguration == POISE_RECONFIGURATION_MOVES;
        cr_expect(!moves || strcmp(said, "takes another posture") == 0, "%s", said);
        const double last = speed;
        speed = fabs(now.q_ik[0] - before.q_ik[0]) / STEP;
        cr_expect(!moves || speed <= 1.5 + 1e-10);
        cr_expect(!moves || fabs(speed - last) <= 1.1 * 1.5 * STEP / 0.1, "from %g to %g rad/s",
                  last, speed);
    }
    EXPECT_NEAR(moving * STEP, PI / 1.5, 0.1);
    mechanism_run(&m, STEP, 200);
    cr_expect_lt(mechanism_error(&m), 1e-5, "%g m off", mechanism_error(&m));
    // each goal is searched for once, and this one is met
    report = mechanism_step(&m, STEP);
    cr_expect_eq(report.reconfiguration, POISE_RECONFIGURATION_NONE);
    mechanism_close(&m);
}

// A second point on the jib, of another priority or the same: the other posture meets both.
Test(reconfigure, two_points_are_met_by_one_posture) {
    for (int priority = 0; priority < 2; priority++) {
        Mechanism m;
        crane_open(&m, 1.5);
        const PoisePointId tip = m.point;
        const PoiseNodeId jib = poise_rig_node_of_body(m.rig, m.bodies[1]);
        const PoisePointId middle =
            mechanism_point(&m, jib, m.bodies[1], poise_vec3(0.5, 0.0, 1.0));
        cr_assert_eq(poise_point_set_priority(m.tree, middle, priority), POISE_OK);
        mechanism_goal(&m, poise_vec3(0.5 * behind.x, 0.5 * behind.y, 1.25));
        m.point = tip;
        mechanism_goal(&m, behind);
        // the rig first rests away from the goals without a search: then the search takes longer
        // than a copy must be at rest
        RIG_SET(m.rig, reconfigure_speed, 0.0);
        mechanism_run(&m, LONG_STEP, 500);
        RIG_SET(m.rig, reconfigure_speed, 1.5);
        expect_foreseen(&m, LONG_STEP, "at rest");
        run_until(&m, POISE_RECONFIGURATION_MOVES, 10.0);
        mechanism_run(&m, STEP, 500);
        cr_expect_lt(poise_point_planned_error(m.tree, tip), 1e-5);
        cr_expect_lt(poise_point_planned_error(m.tree, middle), 1e-5);
        mechanism_close(&m);
    }
}

Test(reconfigure, unreachable_is_shown_by_the_search_and_changes_nothing) {
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        Mechanism m;
        crane_open(&m, k);
        mechanism_goal(&m, beyond);
        mechanism_run(&m, STEP, 1999);
        const PoiseRigReport report = mechanism_step(&m, STEP);
        hashes[k] = mechanism_hash(&m);
        cr_expect_eq(report.reconfiguration,
                     k == 0 ? POISE_RECONFIGURATION_NONE : POISE_RECONFIGURATION_UNREACHABLE);
        cr_expect(strcmp(word(&m), "unreachable") != 0 || k == 1);
        // the jib is 1 m long, its joint 1 m high
        const double nearest = sqrt(1.5 * 1.5 + 0.02 * 0.02 + 0.8 * 0.8) - 1.0;
        EXPECT_NEAR(report.nearest, k == 0 ? 0.0 : nearest, 1e-4);
        mechanism_close(&m);
    }
    cr_expect_eq(hashes[0], hashes[1]);
}

// A joint whose range the user set to one angle counts as fixed for the proof, unlike a joint that
// the search itself fixes.
Test(reconfigure, unreachable_is_shown_with_a_joint_of_one_angle) {
    Mechanism m;
    crane_open(&m, 2.0);
    cr_assert_eq(poise_node_set_limits(m.tree, poise_tree_node(m.tree, 0), poise_range(0.0, 0.0)),
                 POISE_OK);
    mechanism_goal(&m, poise_vec3(1.5, 0.0, 1.8));
    const PoiseRigReport report = run_until(&m, POISE_RECONFIGURATION_UNREACHABLE, 20.0);
    EXPECT_NEAR(report.nearest, sqrt(1.5 * 1.5 + 0.8 * 0.8) - 1.0, 1e-4);
    mechanism_close(&m);
}

Test(reconfigure, a_moved_goal_ends_the_reconfiguration) {
    Mechanism m;
    crane_open(&m, 1.5);
    mechanism_goal(&m, behind);
    run_until(&m, POISE_RECONFIGURATION_MOVES, 4.0);
    mechanism_run(&m, STEP, 20);
    mechanism_goal(&m, poise_vec3(0.6, 0.6, 1.5));
    const PoiseRigReport report = mechanism_step(&m, STEP);
    cr_expect_eq(report.reconfiguration, POISE_RECONFIGURATION_NONE);
    // a goal that is set at 60 Hz starts no search
    for (int i = 0; i < 500; i++) {
        mechanism_goal(&m, poise_vec3(-0.86494304, 0.04328323, 1.5 + 1e-6 * (i / 2)));
        cr_expect_eq(mechanism_step(&m, STEP).reconfiguration, POISE_RECONFIGURATION_NONE);
    }
    mechanism_close(&m);
}

// A snapshot is saved during the search and during the move. After a restore the later steps have
// the same bits, in another rig too.
Test(reconfigure, a_snapshot_keeps_search_and_posture) {
    static const PoiseReconfiguration states[] = {POISE_RECONFIGURATION_SEARCHES,
                                                  POISE_RECONFIGURATION_MOVES};
    for (int k = 0; k < 4; k++) {
        Mechanism m;
        crane_open(&m, 1.5);
        mechanism_goal(&m, behind);
        run_until(&m, states[k / 2], 4.0);
        mechanism_run(&m, STEP, k % 2 == 0 ? 1 : 4);
        PoiseSnapshotDef def = poise_default_snapshot_def();
        def.rigs = &m.rig;
        def.rig_count = 1;
        const size_t size = poise_snapshot_size(&def);
        void* memory = malloc(size);
        cr_assert_eq(poise_snapshot_save(&def, memory, size), POISE_OK);
        mechanism_run(&m, STEP, 400);
        const uint64_t hash = mechanism_hash(&m);
        cr_expect_lt(mechanism_error(&m), 1e-5);
        mechanism_close(&m);

        crane_open(&m, 1.5);
        cr_assert_eq(poise_snapshot_restore(&def, memory, size), POISE_OK);
        mechanism_run(&m, STEP, 400);
        cr_expect_eq(mechanism_hash(&m), hash, "case %d", k);
        mechanism_close(&m);
        free(memory);
    }
}

// Changes of a rig between two slices of a forecast.
typedef enum Change { FINDS_A_POSTURE, GETS_A_POINT, STOPS_TO_SEARCH, CHANGES } Change;

static void change(Mechanism* m, Change what) {
    const Mechanism before = *m;
    if (what == FINDS_A_POSTURE) {
        run_until(m, POISE_RECONFIGURATION_MOVES, 4.0);
    } else if (what == GETS_A_POINT) {
        const PoiseNodeId jib = poise_rig_node_of_body(m->rig, m->bodies[1]);
        mechanism_point(m, jib, m->bodies[1], poise_vec3(0.5, 0.0, 1.0));
        mechanism_goal(m, poise_vec3(0.5 * behind.x, 0.5 * behind.y, 1.25));
        m->point = before.point;
        m->point_in_body = before.point_in_body;
    } else {
        RIG_SET(m->rig, reconfigure_speed, 0.0);
    }
}

// A forecast that began during the search starts again with the changed rig: its end has the bits
// of a forecast in one call, and is where the rig comes to rest.
Test(reconfigure, a_forecast_starts_again_after_a_change) {
    for (int what = 0; what < CHANGES; what++) {
        Mechanism m;
        crane_open(&m, 1.5);
        mechanism_goal(&m, behind);
        run_until(&m, POISE_RECONFIGURATION_SEARCHES, 4.0);
        PoiseForecastDef def = {.points = &m.point, .count = 1, .step = STEP, .budget = 1e-3};
        PoiseForecast part, whole;
        cr_assert_eq(poise_rig_forecast(m.rig, &def, &part), POISE_NOT_CONVERGED);
        cr_assert_eq(poise_rig_forecast(m.rig, &def, &part), POISE_NOT_CONVERGED);
        const double second = part.seconds;
        change(&m, (Change)what);
        PoiseStatus status = poise_rig_forecast(m.rig, &def, &part);
        cr_expect_lt(part.seconds, second, "change %d", what);
        for (int i = 0; i < 10000 && status == POISE_NOT_CONVERGED; i++) {
            status = poise_rig_forecast(m.rig, &def, &part);
        }
        cr_expect_eq(status, POISE_OK, "change %d: %s", what, poise_status_name(status));
        def.budget = 1e3;
        cr_assert_eq(poise_rig_forecast(m.rig, &def, &whole), POISE_OK);
        cr_expect_eq(memcmp(&part, &whole, sizeof whole), 0, "change %d: %g m, not %g", what,
                     part.miss, whole.miss);
        mechanism_run(&m, STEP, 2000);
        cr_expect(whole.end == POISE_FORECAST_SETTLES &&
                      fabs(whole.miss - mechanism_error(&m)) < fmax(0.01 * whole.miss, 1e-5),
                  "change %d: %s (%s), %g m, not %g", what, poise_forecast_end_name(whole.end),
                  whole.why, whole.miss, mechanism_error(&m));
        mechanism_close(&m);
    }
}

// Later steps allocate nothing and have the same bits, also after a change of the sets.
Test(reconfigure, a_reserved_search_allocates_nothing) {
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        Mechanism m;
        crane_open(&m, 1.5);
        if (k == 1) {
            cr_assert_eq(poise_rig_reserve_search(m.rig), POISE_OK);
        }
        cr_assert_eq(poise_node_set_limits(m.tree, poise_tree_node(m.tree, 1),
                                           poise_range(-0.4, 110.0 * PI / 180.0)),
                     POISE_OK);
        mechanism_goal(&m, behind);
        mechanism_step(&m, STEP);
        const long before = m.host.allocations;
        run_until(&m, POISE_RECONFIGURATION_MOVES, 4.0);
        cr_expect_eq(m.host.allocations == before, k == 1, "%ld", m.host.allocations - before);
        mechanism_run(&m, STEP, 300);
        hashes[k] = mechanism_hash(&m);
        mechanism_close(&m);
    }
    cr_expect_eq(hashes[0], hashes[1]);
}

// The second tree, for the search, is made once. If there is no memory for it, the rig works
// without a search.
Test(reconfigure, no_memory_for_the_search_is_said_once) {
    Mechanism m;
    crane_open(&m, 1.5);
    mechanism_goal(&m, behind);
    mechanism_run(&m, STEP, 10);
    const long before = m.host.allocations;
    m.host.fail_in = 2;
    mechanism_run(&m, STEP, 300);
    cr_expect_eq(m.host.messages, 1, "%s", m.host.last_message);
    cr_expect(strstr(m.host.last_message, "not searched: out of memory"));
    m.host.fail_in = 0;
    mechanism_goal(&m, poise_vec3(-0.86494304, 0.04328323, 1.50001));
    run_until(&m, POISE_RECONFIGURATION_MOVES, 4.0);
    const long made = m.host.allocations;
    cr_expect_gt(made, before);
    mechanism_run(&m, STEP, 400);
    mechanism_goal(&m, poise_vec3(0.86494304, 0.04328323, 1.5));
    run_until(&m, POISE_RECONFIGURATION_MOVES, 4.0);
    cr_expect_eq(m.host.allocations, made, "%ld more", m.host.allocations - made);
    mechanism_close(&m);
}

// Opens a torso of 10 kg and 1 m on a hinge with a torque limit of 15 N m.
static void torso_open(Mechanism* m) {
    mechanism_open(m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    dBodyID torso = mechanism_box(m, poise_vec3(0.0, 0.0, 0.5), poise_vec3(0.1, 0.1, 1.0), 10.0);
    dJointID waist = mechanism_join(m, POISE_NODE_HINGE, torso, NULL,
                                    pivot(poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 1.0, 0.0)));
    dJointSetHingeParam(waist, dParamLoStop, -1.4);
    dJointSetHingeParam(waist, dParamHiStop, 1.4);
    const PoiseBindDef like = mechanism_springs(600.0, 120.0);
    cr_assert_eq(poise_rig_import(m->rig, torso, &like), 1, "%s", m->host.last_message);
    const PoiseNodeId hinge = poise_rig_node_of_joint(m->rig, waist);
    cr_assert_eq(poise_rig_set_torque_limit(m->rig, hinge, 15.0), POISE_OK);
    mechanism_point(m, hinge, torso, poise_vec3(0.0, 0.0, 1.0));
}

// A goal needs a lean of 49 degrees, but the hinge can hold only 15. The torso does not fall, and
// the hinge is named.
Test(reconfigure, a_load_above_the_torque_limit_is_the_cause) {
    Mechanism m;
    torso_open(&m);
    mechanism_goal(&m, poise_vec3(0.75, 0.0, 0.6614));
    mechanism_run(&m, STEP, 1000);
    const PoisePointReading reading = mechanism_read_point(&m);
    cr_expect_eq(reading.why, POISE_WHY_TORQUE_LIMIT, "%s", word(&m));
    cr_expect_eq(reading.joint_count, 1);
    // 0.95 of its limit: sin(lean) = 0.95 * 15 / (10 * 9.81 * 0.5)
    EXPECT_NEAR(fabs(dJointGetHingeAngle(m.joints[0])), asin(0.95 * 15.0 / 49.05), 1e-3);
    // the goal is not called unreachable
    cr_expect_eq(mechanism_step(&m, STEP).reconfiguration, POISE_RECONFIGURATION_NONE);
    mechanism_close(&m);
}

// The crane is mounted on a plank. The plank's hinge is at its stop and too weak to lift the crane.
Test(reconfigure, a_joint_that_lies_on_its_stop_does_not_prevent_the_search) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    RIG_SET(m.rig, reconfigure_speed, 1.5);
    dBodyID plank = mechanism_box(&m, poise_vec3(-0.5, 0.0, -0.05), poise_vec3(1.0, 0.1, 0.1), 1.0);
    dJointID hinge = mechanism_join(&m, POISE_NODE_HINGE, plank, NULL,
                                    pivot(poise_vec3(-1.0, 0.0, 0.0), poise_vec3(0.0, 1.0, 0.0)));
    dJointSetHingeParam(hinge, dParamLoStop, -1.0);
    dJointSetHingeParam(hinge, dParamHiStop, 0.0);
    crane_put(&m, plank);
    const PoiseNodeId weak = poise_rig_node_of_joint(m.rig, hinge);
    cr_assert_eq(poise_rig_set_torque_limit(m.rig, weak, 20.0), POISE_OK);
    mechanism_goal(&m, behind);
    run_until(&m, POISE_RECONFIGURATION_MOVES, 6.0);
    mechanism_run(&m, STEP, 600);
    cr_expect_lt(mechanism_error(&m), 1e-3, "%g m off", mechanism_error(&m));
    EXPECT_NEAR(dJointGetHingeAngle(hinge), 0.0, 1e-3);
    mechanism_close(&m);
}
