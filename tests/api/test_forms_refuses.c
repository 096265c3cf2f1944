// SPDX-License-Identifier: MIT
// What tables, limbs and reaches do with arguments that are no good.
#include "poise/dh.h"
#include "poise/limb.h"
#include "poise/rotation.h"
#include "refuse.h"

static const PoiseDhRow good_rows[2] = {{POISE_NODE_HINGE, 0.1, 0.2, 0.3, 0.4},
                                        {POISE_NODE_SLIDER, 0.1, 0.2, 0.3, 0.4}};

// a row of the table below: good rows with one member of the second set wrong
#define NO_ROW(member, value)                                                                      \
    do {                                                                                           \
        PoiseDhRow rows_[2] = {good_rows[0], good_rows[1]};                                        \
        rows_[1].member = (value);                                                                 \
        PoiseNodeId nodes_[2];                                                                     \
        memset(nodes_, 7, sizeof nodes_);                                                          \
        const PoiseNodeId kept_ = nodes_[0];                                                       \
        Snapshot before_ = snapshot_of(bench.tree);                                                \
        PoiseStatus status_ =                                                                      \
            poise_dh_create_nodes(bench.tree, poise_null_node(), rows_, 2, nodes_);                \
        expect_refused(&bench, &before_, POISE_ERROR_INVALID_ARGUMENT, status_,                    \
                       "a table with " #member " = " #value);                                      \
        cr_expect(memcmp(&kept_, &nodes_[0], sizeof kept_) == 0);                                  \
        PoisePose frames_[2] = {poise_pose_identity(), poise_pose_identity()};                     \
        GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_dh_forward(rows_, 2, postures, frames_));        \
        cr_expect(frames_[0].p.x == 0.0);                                                          \
    } while (0)

Test(forms_refuses, tables) {
    Bench bench;
    bench_init(&bench);
    PoiseTree* tree = bench.tree;
    const double postures[2] = {0.0, 0.0};
    NO_ROW(kind, POISE_NODE_BALL);
    NO_ROW(kind, (PoiseNodeKind)0);
    NO_ROW(kind, (PoiseNodeKind)-1);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_ROW(a, bad_numbers[i]);
        NO_ROW(alpha, bad_numbers[i]);
        NO_ROW(d, bad_numbers[i]);
        NO_ROW(theta, bad_numbers[i]);
    }
    PoiseNodeId nodes[2];
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    const PoiseNodeId base = poise_null_node();
    REFUSES(&bench, bad, poise_dh_create_nodes(tree, base, NULL, 2, nodes));
    REFUSES(&bench, bad, poise_dh_create_nodes(tree, base, good_rows, 2, NULL));
    REFUSES(&bench, bad, poise_dh_create_nodes(tree, base, good_rows, 0, nodes));
    REFUSES(&bench, bad, poise_dh_create_nodes(tree, base, good_rows, -1, nodes));
    const PoiseStatus lost = POISE_ERROR_INVALID_HANDLE;
    REFUSES(&bench, lost, poise_dh_create_nodes(tree, bench.dead_node, good_rows, 2, nodes));
    REFUSES(&bench, lost, poise_dh_create_nodes(tree, bench.foreign_node, good_rows, 2, nodes));
    GIVES(bad, poise_dh_create_nodes(NULL, base, good_rows, 2, nodes));
    PoisePose frames[2];
    GIVES(bad, poise_dh_forward(NULL, 2, postures, frames));
    GIVES(bad, poise_dh_forward(good_rows, 2, NULL, frames));
    GIVES(bad, poise_dh_forward(good_rows, 2, postures, NULL));
    GIVES(bad, poise_dh_forward(good_rows, 0, postures, frames));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        const double q[2] = {0.0, bad_numbers[i]};
        GIVES(bad, poise_dh_forward(good_rows, 2, q, frames));
    }
    const PoisePose none = poise_dh_pose(NULL, 1.0);
    cr_expect(none.p.x == 0.0 && none.q.w == 1.0);
    bench_finish(&bench);
}

static const double untouched[POISE_ARM_JOINTS] = {7, 7, 7, 7, 7, 7, 7};

static void expect_no_leg(const PoiseLegDef* def, PoisePose goal, const double* reference,
                          const char* what) {
    double angles[POISE_LEG_JOINTS];
    memcpy(angles, untouched, sizeof angles);
    PoiseLimbReport report = {(PoiseLimbReason)7, 7.0, 7.0};
    const PoiseStatus status = poise_leg_solve(def, goal, reference, angles, &report);
    cr_expect(status == POISE_ERROR_INVALID_ARGUMENT, "%s gave '%s'", what,
              poise_status_name(status));
    cr_expect(memcmp(angles, untouched, sizeof angles) == 0, "%s wrote angles", what);
    cr_expect(report.error == 7.0, "%s wrote a report", what);
}

static void expect_no_arm(const PoiseArmDef* def, PoisePose goal, const double* reference,
                          const char* what) {
    double angles[POISE_ARM_JOINTS];
    memcpy(angles, untouched, sizeof angles);
    PoiseLimbReport report = {(PoiseLimbReason)7, 7.0, 7.0};
    const PoiseStatus status = poise_arm_solve(def, goal, reference, angles, &report);
    cr_expect(status == POISE_ERROR_INVALID_ARGUMENT, "%s gave '%s'", what,
              poise_status_name(status));
    cr_expect(memcmp(angles, untouched, sizeof angles) == 0, "%s wrote angles", what);
    cr_expect(report.error == 7.0, "%s wrote a report", what);
}

// a row for both limbs: a def with one member set wrong
#define NO_LIMB(leg_member, arm_member, value)                                                     \
    do {                                                                                           \
        PoiseLegDef leg_ = poise_default_leg_def();                                                \
        leg_.leg_member = (value);                                                                 \
        cr_expect_not_null(poise_leg_def_problem(&leg_));                                          \
        expect_no_leg(&leg_, goal, NULL, #leg_member " = " #value);                                \
        cr_expect(poise_leg_forward(&leg_, untouched).q.w == 1.0);                                 \
        PoiseArmDef arm_ = poise_default_arm_def();                                                \
        arm_.arm_member = (value);                                                                 \
        cr_expect_not_null(poise_arm_def_problem(&arm_));                                          \
        expect_no_arm(&arm_, goal, NULL, #arm_member " = " #value);                                \
        cr_expect(poise_arm_forward(&arm_, untouched).q.w == 1.0);                                 \
    } while (0)

Test(forms_refuses, limbs) {
    PoisePose goal = poise_pose(poise_vec3(0.1, 0.0, -0.4), poise_quat_identity());
    NO_LIMB(cookie, cookie, 0);
    NO_LIMB(thigh, upper_arm, 0.0);
    NO_LIMB(shank, forearm, -0.1);
    NO_LIMB(lower[0], lower[0], HUGE_VAL);
    NO_LIMB(upper[5], upper[6], -HUGE_VAL);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_LIMB(thigh, forearm, bad_numbers[i]);
        NO_LIMB(shank, upper_arm, bad_numbers[i]);
    }
    NO_LIMB(lower[3], lower[3], NOT_A_NUMBER);
    NO_LIMB(upper[3], upper[3], NOT_A_NUMBER);
    const PoiseLegDef leg = poise_default_leg_def();
    const PoiseArmDef arm = poise_default_arm_def();
    cr_expect_null(poise_leg_def_problem(&leg));
    cr_expect_null(poise_arm_def_problem(&arm));
    cr_expect_not_null(poise_leg_def_problem(NULL));
    cr_expect_not_null(poise_arm_def_problem(NULL));
    expect_no_leg(NULL, goal, NULL, "no def");
    expect_no_arm(NULL, goal, NULL, "no def");
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_leg_solve(&leg, goal, NULL, NULL, NULL));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_arm_solve(&arm, goal, NULL, NULL, NULL));
    cr_expect(poise_leg_forward(NULL, untouched).q.w == 1.0);
    cr_expect(poise_arm_forward(NULL, untouched).q.w == 1.0);
    cr_expect(poise_leg_forward(&leg, NULL).q.w == 1.0);
    cr_expect(poise_arm_forward(&arm, NULL).q.w == 1.0);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        const double reference[POISE_ARM_JOINTS] = {0, 0, 0, 0, 0, bad_numbers[i], bad_numbers[i]};
        expect_no_leg(&leg, goal, reference, "a reference");
        expect_no_arm(&arm, goal, reference, "a reference");
        const PoisePose place = poise_pose(bad_vec3(i), poise_quat_identity());
        expect_no_leg(&leg, place, NULL, "a place");
        expect_no_arm(&arm, place, NULL, "a place");
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        goal.q = bad_quat(i);
        expect_no_leg(&leg, goal, NULL, "a rotation");
        expect_no_arm(&arm, goal, NULL, "a rotation");
    }
}

// a place so far that its square overflows
Test(forms_refuses, places_past_all_numbers) {
    const PoisePose goal = poise_pose(poise_vec3(1e300, 0.0, 0.0), poise_quat_identity());
    const PoiseLegDef leg = poise_default_leg_def();
    const PoiseArmDef arm = poise_default_arm_def();
    double angles[POISE_ARM_JOINTS];
    PoiseLimbReport report;
    cr_expect(poise_leg_solve(&leg, goal, NULL, angles, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.reason == POISE_LIMB_TOO_FAR);
    cr_expect(poise_leg_forward(&leg, angles).p.x > 0.8 - 1e-12);
    cr_expect(poise_arm_solve(&arm, goal, NULL, angles, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.reason == POISE_LIMB_TOO_FAR);
    cr_expect(poise_arm_forward(&arm, angles).p.x > 0.6 - 1e-12);
}

// a row: the default with one member set wrong
#define NO_REACH(member, value)                                                                    \
    do {                                                                                           \
        PoiseReachDef def_ = poise_default_reach_def();                                            \
        def_.member = (value);                                                                     \
        REFUSES(&bench, POISE_ERROR_INVALID_ARGUMENT, poise_reach(bench.tree, &def_, NULL));       \
    } while (0)

Test(forms_refuses, reaches) {
    Bench bench;
    bench_init(&bench);
    NO_REACH(cookie, 0);
    NO_REACH(iterations, 0);
    NO_REACH(iterations, -1);
    NO_REACH(starts, 0);
    NO_REACH(starts, 1000001);
    NO_REACH(position_tolerance, 0.0);
    NO_REACH(position_tolerance, -1e-6);
    NO_REACH(position_tolerance, NOT_A_NUMBER);
    NO_REACH(angle_tolerance, 0.0);
    NO_REACH(angle_tolerance, NOT_A_NUMBER);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_reach(NULL, NULL, NULL));
    bench_finish(&bench);
}
