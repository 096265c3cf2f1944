// SPDX-License-Identifier: MIT
// Closed form of an arm of seven hinges: the public functions, and the elbow angle from the
// triangle of shoulder, elbow and wrist. arm7_swivel.c computes the other angles, arm7_choice.c
// chooses the swivel.
#include "arm7_swivel.h"

#define DEFAULT_LINK 0.3 // m, length of upper arm and forearm

enum { COOKIE_ARM = 0x50410001 };

PoiseArmDef poise_default_arm_def(void) {
    PoiseArmDef def;
    def.cookie = COOKIE_ARM;
    def.upper_arm = DEFAULT_LINK;
    def.forearm = DEFAULT_LINK;
    for (int i = 0; i < POISE_ARM_JOINTS; i++) {
        def.lower[i] = -HUGE_VAL;
        def.upper[i] = HUGE_VAL;
    }
    return def;
}

const char* poise_arm_def_problem(const PoiseArmDef* def) {
    if (!def || def->cookie != COOKIE_ARM) {
        return "the def was not made by poise_default_arm_def()";
    }
    return poise__limb_problem(def->upper_arm, def->forearm, def->lower, def->upper,
                               POISE_ARM_JOINTS);
}

PoisePose poise_arm_forward(const PoiseArmDef* def, const double angles[POISE_ARM_JOINTS]) {
    if (poise_arm_def_problem(def) || !angles) {
        return poise_pose_identity();
    }
    const PoiseEuler wrist = {angles[4], angles[5], angles[6]};
    const PoiseQuat upper_arm = poise__arm_shoulder(angles);
    const PoiseQuat hand =
        poise_quat_mul(poise__arm_elbow(angles[3]), poise_quat_from_euler(POISE_EULER_ZYX, wrist));
    const PoiseVec3 to_wrist = poise__arm_folded(def->upper_arm, def->forearm, angles[3]);
    return poise_pose(poise_quat_rotate(upper_arm, to_wrist), poise_quat_mul(upper_arm, hand));
}

PoiseStatus poise_arm_solve(const PoiseArmDef* def, PoisePose wrist,
                            const double reference[POISE_ARM_JOINTS],
                            double angles[POISE_ARM_JOINTS], PoiseLimbReport* report) {
    if (poise_arm_def_problem(def) || !angles) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Limb limb = {.joints = POISE_ARM_JOINTS,
                 .near_link = def->upper_arm,
                 .far_link = def->forearm,
                 .lower = def->lower,
                 .upper = def->upper};
    if (!poise__limb_begin(&limb, wrist, reference)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const Swivel swivel = poise__swivel_of(&limb);
    const Choice choice = poise__arm_choose(&limb, &swivel);
    poise__limb_write(&limb, &choice, angles);
    return poise__limb_end(&limb, &choice, poise_arm_forward(def, angles), report);
}
