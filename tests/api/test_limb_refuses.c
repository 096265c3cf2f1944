// SPDX-License-Identifier: MIT
// Bad arguments of the closed forms of limbs.
#include "poise/limb.h"
#include "refuse.h"

static const struct {
    const char* (*problem_of)(const PoiseLegDef* def);
    PoisePose (*forward)(const PoiseLegDef* def, const double* angles);
    PoiseStatus (*solve)(const PoiseLegDef* def, PoisePose ankle, const double* reference,
                         double* angles, PoiseLimbReport* report);
} leg_calls = {
    poise_leg_def_problem,
    poise_leg_forward,
    poise_leg_solve,
};

static const struct {
    const char* (*problem_of)(const PoiseArmDef* def);
    PoisePose (*forward)(const PoiseArmDef* def, const double* angles);
    PoiseStatus (*solve)(const PoiseArmDef* def, PoisePose wrist, const double* reference,
                         double* angles, PoiseLimbReport* report);
} arm_calls = {
    poise_arm_def_problem,
    poise_arm_forward,
    poise_arm_solve,
};

// Defines the rows for a leg or an arm, whose functions differ only in their names.
#define LIMB_ROWS(Limb, limb, LIMB, length)                                                        \
    static void expect_no_##limb(const Limb* def, const char* what) {                              \
        double angles[LIMB] = {0.25};                                                              \
        PoiseLimbReport report = {.error = 7.0};                                                   \
        PoisePose goal = poise_pose_identity();                                                    \
        cr_expect_not_null(limb##_calls.problem_of(def), "%s", what);                              \
        GIVES(POISE_ERROR_INVALID_ARGUMENT, limb##_calls.solve(def, goal, NULL, angles, &report)); \
        cr_expect_eq(angles[0], 0.25, "%s was written", what);                                     \
        cr_expect_eq(report.error, 7.0, "%s was reported", what);                                  \
        PoisePose identity = poise_pose_identity();                                                \
        PoisePose pose = limb##_calls.forward(def, angles);                                        \
        cr_expect_eq(memcmp(&pose, &identity, sizeof pose), 0, "%s has a pose", what);             \
    }                                                                                              \
    Test(limb_refuses, limb##_defs) {                                                              \
        const Limb good = poise_default_##limb##_def();                                            \
        cr_expect_null(limb##_calls.problem_of(&good));                                            \
        expect_no_##limb(NULL, "NULL");                                                            \
        Limb def = good;                                                                           \
        def.cookie = 0;                                                                            \
        expect_no_##limb(&def, "a def made by hand");                                              \
        for (int i = 0; i < BAD_NUMBERS; i++) {                                                    \
            def = good;                                                                            \
            def.length = bad_numbers[i];                                                           \
            expect_no_##limb(&def, #length);                                                       \
        }                                                                                          \
        def = good;                                                                                \
        def.length = 0.0;                                                                          \
        expect_no_##limb(&def, #length " 0");                                                      \
        def = good;                                                                                \
        def.lower[1] = 1.0;                                                                        \
        def.upper[1] = 0.5;                                                                        \
        expect_no_##limb(&def, "a range turned over");                                             \
        def = good;                                                                                \
        def.upper[2] = NOT_A_NUMBER;                                                               \
        expect_no_##limb(&def, "a range without an end");                                          \
    }                                                                                              \
    Test(limb_refuses, limb##_goals) {                                                             \
        const Limb def = poise_default_##limb##_def();                                             \
        const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;                                 \
        double angles[LIMB] = {0.25};                                                              \
        double reference[LIMB] = {0.0};                                                            \
        PoisePose goal = poise_pose_identity();                                                    \
        GIVES(expected, limb##_calls.solve(&def, goal, NULL, NULL, NULL));                         \
        for (int i = 0; i < BAD_NUMBERS; i++) {                                                    \
            PoisePose bad = goal;                                                                  \
            bad.p = bad_vec3(i);                                                                   \
            GIVES(expected, limb##_calls.solve(&def, bad, NULL, angles, NULL));                    \
            reference[1] = bad_numbers[i];                                                         \
            GIVES(expected, limb##_calls.solve(&def, goal, reference, angles, NULL));              \
        }                                                                                          \
        for (int i = 0; i <= BAD_NUMBERS; i++) {                                                   \
            PoisePose bad = goal;                                                                  \
            bad.q = bad_quat(i);                                                                   \
            GIVES(expected, limb##_calls.solve(&def, bad, NULL, angles, NULL));                    \
        }                                                                                          \
        cr_expect_eq(angles[0], 0.25);                                                             \
    }

LIMB_ROWS(PoiseLegDef, leg, POISE_LEG_JOINTS, thigh)
LIMB_ROWS(PoiseArmDef, arm, POISE_ARM_JOINTS, forearm)

Test(limb_refuses, reasons_that_are_none) {
    const char* const names[] = {"met", "too far", "too near", "at limits"};
    for (int i = 0; i < 4; i++) {
        cr_expect_str_eq(poise_limb_reason_name((PoiseLimbReason)i), names[i]);
    }
    cr_expect_str_eq(poise_limb_reason_name((PoiseLimbReason)4), "unknown");
    cr_expect_str_eq(poise_limb_reason_name((PoiseLimbReason)-1), "unknown");
}

// A goal whose squared distance overflows.
Test(limb_refuses, places_past_all_numbers) {
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
