// SPDX-License-Identifier: MIT
// Solves a whole person: closed forms of limbs, centre of mass, and the loop that moves the trunk.
#include "poise/person.h"

#define COOKIE 0x70657273u
// Largest number of iterations of the loop that moves the trunk. Each reduces the error of the
// centre of mass to about a fifth.
#define MOST_TURNS 50

static const PoiseVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

// axis of each joint, from the root to the end
static const char arm_axes[POISE_ARM_JOINTS + 1] = "YXZYZYX";
static const char leg_axes[POISE_LEG_JOINTS + 1] = "ZXYYYX";

PoisePersonDef poise_default_person_def(void) {
    PoisePersonDef def = {.cookie = COOKIE, .trunk_mass = 1.0};
    for (int side = 0; side < POISE_SIDES; side++) {
        const double out = side == POISE_RIGHT ? -0.1 : 0.1;
        def.arms[side] = poise_default_arm_def();
        def.legs[side] = poise_default_leg_def();
        def.shoulders[side] = poise_vec3(0.0, out, 0.3);
        def.hips[side] = poise_vec3(0.0, out, -0.1);
        def.hands[side] = poise_vec3(0.0, 0.0, -0.1);
        def.feet[side] = poise_vec3(0.0, 0.0, -0.05);
    }
    return def;
}

static bool masses_are_fine(const PoisePersonDef* def) {
    double sum = def->trunk_mass;
    bool fine = def->trunk_mass >= 0.0 && poise_is_finite3(def->trunk_com);
    for (int i = 0; i < POISE_ARM_JOINTS; i++) {
        fine = fine && def->arm_mass[i] >= 0.0 && poise_is_finite3(def->arm_com[i]);
        sum += 2.0 * def->arm_mass[i];
    }
    for (int i = 0; i < POISE_LEG_JOINTS; i++) {
        fine = fine && def->leg_mass[i] >= 0.0 && poise_is_finite3(def->leg_com[i]);
        sum += 2.0 * def->leg_mass[i];
    }
    return fine && sum > 0.0 && isfinite(sum);
}

const char* poise_person_def_problem(const PoisePersonDef* def) {
    if (!def || def->cookie != COOKIE) {
        return "the def was not made by poise_default_person_def";
    }
    for (int side = 0; side < POISE_SIDES; side++) {
        const char* arm = poise_arm_def_problem(&def->arms[side]);
        const char* leg = poise_leg_def_problem(&def->legs[side]);
        if (arm || leg) {
            return arm ? arm : leg;
        }
        if (!poise_is_finite3(def->shoulders[side]) || !poise_is_finite3(def->hips[side]) ||
            !poise_is_finite3(def->hands[side]) || !poise_is_finite3(def->feet[side])) {
            return "the places of shoulders, hips, hands and feet must be finite";
        }
    }
    return masses_are_fine(def) ? NULL : "masses must be at least 0, finite, and above 0 together";
}

static bool pose_is_fine(PoisePose pose) {
    const PoiseQuat q = pose.q;
    return poise_is_finite_pose(pose) && q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 0.0;
}

static bool posture_is_fine(const PoisePersonPosture* posture) {
    bool fine = pose_is_fine(posture->trunk);
    for (int i = 0; i < POISE_SIDES * POISE_ARM_JOINTS; i++) {
        fine = fine && isfinite(posture->arms[i / POISE_ARM_JOINTS][i % POISE_ARM_JOINTS]);
    }
    for (int i = 0; i < POISE_SIDES * POISE_LEG_JOINTS; i++) {
        fine = fine && isfinite(posture->legs[i / POISE_LEG_JOINTS][i % POISE_LEG_JOINTS]);
    }
    return fine;
}

// --------------------------------------------------------------------------------------- forward

/// An arm or a leg, with its masses.
typedef struct Limb {
    const char* axes;
    int count;
    double upper; ///< length to the middle joint, whose index is 3
    double lower; ///< length from the middle joint to the last joints, whose first index is `bend`
    int bend;
    const double* mass;
    const PoiseVec3* com;
} Limb;

// Returns the frame of the limb's last joint. Adds the masses of its links to `sum`, and their
// first moments to `moment`.
static PoisePose limb_forward(const Limb* limb, PoisePose root, const double* angles,
                              PoiseVec3* moment, double* sum) {
    PoisePose frame = root;
    for (int i = 0; i < limb->count; i++) {
        const double below = i == 3 ? limb->upper : i == limb->bend ? limb->lower : 0.0;
        const PoiseVec3 offset = poise_quat_rotate(frame.q, poise_vec3(0.0, 0.0, -below));
        const PoiseQuat turn = poise_quat_from_axis_angle(axes[limb->axes[i] - 'X'], angles[i]);
        frame = poise_pose(poise_add(frame.p, offset), poise_quat_mul(frame.q, turn));
        *moment = poise_add_scaled(*moment, limb->mass[i], poise_pose_apply(frame, limb->com[i]));
        *sum += limb->mass[i];
    }
    return frame;
}

static PoisePose below(PoisePose frame, PoiseVec3 place) {
    return poise_pose(poise_pose_apply(frame, place), frame.q);
}

static PoisePersonEnds forward(const PoisePersonDef* def, const PoisePersonPosture* posture) {
    PoisePersonEnds ends;
    const PoisePose trunk = {posture->trunk.p, poise_quat_normalize(posture->trunk.q)};
    double sum = def->trunk_mass;
    PoiseVec3 moment = poise_scale(def->trunk_mass, poise_pose_apply(trunk, def->trunk_com));
    for (int side = 0; side < POISE_SIDES; side++) {
        const PoiseArmDef* a = &def->arms[side];
        const PoiseLegDef* l = &def->legs[side];
        const Limb arm = {arm_axes, POISE_ARM_JOINTS, a->upper_arm, a->forearm,
                          4,        def->arm_mass,    def->arm_com};
        const Limb leg = {leg_axes, POISE_LEG_JOINTS, l->thigh,    l->shank,
                          4,        def->leg_mass,    def->leg_com};
        const PoisePose wrist = limb_forward(&arm, below(trunk, def->shoulders[side]),
                                             posture->arms[side], &moment, &sum);
        const PoisePose ankle =
            limb_forward(&leg, below(trunk, def->hips[side]), posture->legs[side], &moment, &sum);
        ends.hands[side] = below(wrist, def->hands[side]);
        ends.feet[side] = below(ankle, def->feet[side]);
    }
    ends.com = poise_scale(1.0 / sum, moment);
    return ends;
}

PoiseStatus poise_person_forward(const PoisePersonDef* def, const PoisePersonPosture* posture,
                                 PoisePersonEnds* ends) {
    if (poise_person_def_problem(def) || !posture || !ends || !posture_is_fine(posture)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    *ends = forward(def, posture);
    return POISE_OK;
}

// --------------------------------------------------------------------------------------- inverse

// Returns the goal of the limb's last joint in the frame of its root. `place`: position of the hand
// or foot in the frame of that joint.
static PoisePose target_of(PoisePose trunk, PoiseVec3 root, PoisePose end, PoiseVec3 place) {
    const PoiseQuat q = poise_quat_normalize(end.q);
    const PoiseVec3 joint = poise_sub(end.p, poise_quat_rotate(q, place));
    const PoiseQuat back = poise_quat_conjugate(poise_quat_normalize(trunk.q));
    const PoiseVec3 seen = poise_quat_rotate(back, poise_sub(joint, trunk.p));
    return poise_pose(poise_sub(seen, root), poise_quat_mul(back, q));
}

// Solves all limbs for the trunk of `posture`, near the angles of `reference`. True if all limbs
// meet their goals.
static bool solve_limbs(const PoisePersonDef* def, const PoisePersonEnds* ends,
                        const PoisePersonPosture* reference, PoisePersonPosture* posture,
                        PoisePersonReport* report) {
    bool had = true;
    for (int side = 0; side < POISE_SIDES; side++) {
        const PoisePose wrist =
            target_of(posture->trunk, def->shoulders[side], ends->hands[side], def->hands[side]);
        const PoisePose ankle =
            target_of(posture->trunk, def->hips[side], ends->feet[side], def->feet[side]);
        had = poise_arm_solve(&def->arms[side], wrist, reference->arms[side], posture->arms[side],
                              &report->arms[side]) == POISE_OK &&
              had;
        had = poise_leg_solve(&def->legs[side], ankle, reference->legs[side], posture->legs[side],
                              &report->legs[side]) == POISE_OK &&
              had;
    }
    return had;
}

static bool ends_are_fine(const PoisePersonEnds* ends) {
    bool fine = true;
    for (int side = 0; side < POISE_SIDES; side++) {
        fine = fine && pose_is_fine(ends->hands[side]) && pose_is_fine(ends->feet[side]);
    }
    return fine;
}

static bool call_is_fine(const PoisePersonDef* def, const PoisePersonEnds* ends,
                         const PoisePersonPosture* posture) {
    return !poise_person_def_problem(def) && ends && posture && ends_are_fine(ends) &&
           posture_is_fine(posture);
}

PoiseStatus poise_person_solve(const PoisePersonDef* def, const PoisePersonEnds* ends,
                               PoisePersonPosture* posture, PoisePersonReport* report) {
    if (!call_is_fine(def, ends, posture)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoisePersonReport made = {0};
    const PoisePersonPosture reference = *posture;
    const bool had = solve_limbs(def, ends, &reference, posture, &made);
    made.com_error = poise_length(poise_sub(ends->com, forward(def, posture).com));
    if (report) {
        *report = made;
    }
    return had ? POISE_OK : POISE_NOT_CONVERGED;
}

PoiseStatus poise_person_balance(const PoisePersonDef* def, const PoisePersonEnds* ends,
                                 double tolerance, PoisePersonPosture* posture,
                                 PoisePersonReport* report) {
    if (!call_is_fine(def, ends, posture) || !poise_is_finite3(ends->com) || !(tolerance > 0.0)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoisePersonReport made = {0};
    // all iterations have the same reference, so that the loop has a single fixed point
    const PoisePersonPosture reference = *posture;
    bool had = false;
    posture->trunk.p = ends->com;
    do {
        had = solve_limbs(def, ends, &reference, posture, &made);
        const PoiseVec3 off = poise_sub(ends->com, forward(def, posture).com);
        made.com_error = poise_length(off);
        made.turns++;
        if (made.com_error >= tolerance && made.turns < MOST_TURNS) {
            posture->trunk.p = poise_add(posture->trunk.p, off);
        }
    } while (made.com_error >= tolerance && made.turns < MOST_TURNS);
    if (report) {
        *report = made;
    }
    return had && made.com_error < tolerance ? POISE_OK : POISE_NOT_CONVERGED;
}
