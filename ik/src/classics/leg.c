// SPDX-License-Identifier: MIT
// Closed form of a leg of six hinges. The triangle of hip, knee and ankle determines the knee
// angle. The position of the hip in the frame of the foot determines the ankle angles. The
// remaining rotation has the hip's angles as Euler angles.
#include "classics.h"

#define DEFAULT_LINK 0.4 // m, length of thigh and shank
// the hip is on an axis of the ankle if its distance is below this fraction of the leg's length
#define ON_AXIS 1e-13

enum { COOKIE_LEG = 0x504c0001 };

PoiseLegDef poise_default_leg_def(void) {
    PoiseLegDef def;
    def.cookie = COOKIE_LEG;
    def.thigh = DEFAULT_LINK;
    def.shank = DEFAULT_LINK;
    for (int i = 0; i < POISE_LEG_JOINTS; i++) {
        def.lower[i] = -HUGE_VAL;
        def.upper[i] = HUGE_VAL;
    }
    return def;
}

const char* poise_leg_def_problem(const PoiseLegDef* def) {
    if (!def || def->cookie != COOKIE_LEG) {
        return "the def was not made by poise_default_leg_def()";
    }
    return poise__limb_problem(def->thigh, def->shank, def->lower, def->upper, POISE_LEG_JOINTS);
}

static PoiseQuat about_x(double angle) {
    return poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), angle);
}

static PoiseQuat about_y(double angle) {
    return poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), angle);
}

PoisePose poise_leg_forward(const PoiseLegDef* def, const double angles[POISE_LEG_JOINTS]) {
    if (poise_leg_def_problem(def) || !angles) {
        return poise_pose_identity();
    }
    const PoiseEuler hip = {angles[0], angles[1], angles[2]};
    const PoiseQuat thigh = poise_quat_from_euler(POISE_EULER_ZXY, hip);
    const PoiseQuat shank = poise_quat_mul(thigh, about_y(angles[3]));
    const PoiseQuat foot =
        poise_quat_mul(shank, poise_quat_mul(about_y(angles[4]), about_x(angles[5])));
    const PoiseVec3 knee = poise_quat_rotate(thigh, poise_vec3(0.0, 0.0, -def->thigh));
    const PoiseVec3 below = poise_quat_rotate(shank, poise_vec3(0.0, 0.0, -def->shank));
    return poise_pose(poise_add(knee, below), foot);
}

// Computes the two ankle angles for the knee angle in `angles`. `side`: the hip is above (1) or
// below (-1) the foot.
static void turn_ankle(const Limb* limb, double side, double* angles) {
    const double knee = angles[3];
    const double size = limb->near_link + limb->far_link;
    // the vector from ankle to hip, in the frame of the shank and in the frame of the foot
    const PoiseSinCos bent = poise_sincos(knee);
    const double ahead = -limb->near_link * bent.sine;
    const double up = limb->near_link * bent.cosine + limb->far_link;
    const PoiseVec3 hip = poise_scale(-1.0, poise_quat_unrotate(limb->goal.q, limb->goal.p));
    const double across = poise_hypot(hip.y, hip.z);
    angles[5] = limb->reference[5];
    if (across > ON_AXIS * size) {
        angles[5] = poise_atan2(side * hip.y, side * hip.z);
    }
    angles[4] = limb->reference[4];
    if (poise_hypot(ahead, up) > ON_AXIS * size && poise_length(hip) > 0.0) {
        // a rotation about y increases atan2(x, z) of every vector by its angle
        angles[4] = poise_atan2(ahead, up) - poise_atan2(hip.x, side * across);
    }
}

static void offer_hips(const Limb* limb, double* angles, Choice* choice) {
    const PoiseQuat below = poise_quat_mul(about_y(angles[3] + angles[4]), about_x(angles[5]));
    const PoiseQuat hip = poise_quat_mul(limb->goal.q, poise_quat_conjugate(below));
    const PoiseEuler near_to = {limb->reference[0], limb->reference[1], limb->reference[2]};
    PoiseEuler both[2];
    poise__euler_both(hip, POISE_EULER_ZXY, near_to, both);
    for (int k = 0; k < 2; k++) {
        angles[0] = both[k].first;
        angles[1] = both[k].second;
        angles[2] = both[k].third;
        const Choice answer = poise__limb_judge(limb, angles);
        *choice = poise__limb_is_better(&answer, choice) ? answer : *choice;
    }
}

PoiseStatus poise_leg_solve(const PoiseLegDef* def, PoisePose ankle,
                            const double reference[POISE_LEG_JOINTS],
                            double angles[POISE_LEG_JOINTS], PoiseLimbReport* report) {
    if (poise_leg_def_problem(def) || !angles) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Limb limb = {.joints = POISE_LEG_JOINTS,
                 .near_link = def->thigh,
                 .far_link = def->shank,
                 .lower = def->lower,
                 .upper = def->upper};
    if (!poise__limb_begin(&limb, ankle, reference)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Choice choice = {.outside = HUGE_VAL};
    for (int k = 0; k < 4; k++) {
        double answer[LIMB_JOINTS];
        answer[3] = k % 2 == 0 ? limb.bend : -limb.bend;
        turn_ankle(&limb, k < 2 ? 1.0 : -1.0, answer);
        offer_hips(&limb, answer, &choice);
    }
    poise__limb_write(&limb, &choice, angles);
    return poise__limb_end(&limb, &choice, poise_leg_forward(def, angles), report);
}
