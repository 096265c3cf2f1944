// SPDX-License-Identifier: MIT
// Computes the answers of an arm at one swivel: one rotation of the elbow about the line from
// shoulder to wrist. This line, and the elbow's axis perpendicular to the line, determine the
// rotation of the shoulder. The wrist makes the rotation that is then missing to the goal.
#include "arm7_swivel.h"

// a length below this fraction of the arm defines no direction
#define OPEN 1e-9
// rad; an elbow with a smaller angle is straight and bent to neither side
#define STRAIGHT 1e-9

PoiseQuat poise__arm_shoulder(const double* angles) {
    return poise_quat_from_euler(POISE_EULER_YXZ, (PoiseEuler){angles[0], angles[1], angles[2]});
}

PoiseQuat poise__arm_elbow(double angle) {
    return poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), angle);
}

PoiseVec3 poise__arm_folded(double upper_arm, double forearm, double elbow) {
    const PoiseSinCos bent = poise_sincos(elbow);
    return poise_vec3(-forearm * bent.sine, 0.0, -upper_arm - forearm * bent.cosine);
}

// Returns v without its component along n (length 1).
static PoiseVec3 across(PoiseVec3 v, PoiseVec3 n) {
    return poise_add_scaled(v, -poise_dot(v, n), n);
}

// Returns the side, 1 or -1, to which the elbow of the reference is bent. If it is straight,
// returns the side of the middle of its range; if that is straight too, -1, as people bend.
static double bent_side(const Limb* limb) {
    const double elbow = poise__angle_near(limb->reference[3], 0.0);
    if (fabs(elbow) > STRAIGHT) {
        return elbow > 0.0 ? 1.0 : -1.0;
    }
    return limb->lower[3] + limb->upper[3] > 0.0 ? 1.0 : -1.0;
}

Swivel poise__swivel_of(const Limb* limb) {
    const double size = limb->near_link + limb->far_link;
    const PoiseVec3 down = poise_vec3(0.0, 0.0, -1.0);
    Swivel swivel = {.shoulder = poise__arm_shoulder(limb->reference)};
    const PoiseVec3 upper_arm = poise_quat_rotate(swivel.shoulder, down);
    if (limb->distance > OPEN * size) {
        swivel.line = poise_scale(1.0 / limb->distance, limb->goal.p);
    } else {
        // the goal is at the shoulder: use the direction of the reference's upper arm
        swivel.line = poise_scale(limb->near_link >= limb->far_link ? 1.0 : -1.0, upper_arm);
    }
    swivel.open =
        poise_length(poise__arm_folded(limb->near_link, limb->far_link, limb->bend)) < OPEN * size;
    const PoiseVec3 hinge = poise_quat_rotate(swivel.shoulder, poise_vec3(0.0, 1.0, 0.0));
    PoiseVec3 axis = poise_scale(bent_side(limb), across(hinge, swivel.line));
    if (poise_length(axis) < OPEN) {
        // the goal is on the elbow's axis, so the line to the goal defines no such axis
        axis = poise_cross(upper_arm, swivel.line);
    }
    swivel.axis = poise_scale(1.0 / poise_length(axis), axis);
    return swivel;
}

// Returns the rotation of the frame whose y axis is `hinge` and whose z axis is `line`. Both must
// have length 1 and be perpendicular.
static PoiseQuat frame_of(PoiseVec3 hinge, PoiseVec3 line) {
    const PoiseVec3 x = poise_cross(hinge, line);
    const double rows[9] = {x.x, hinge.x, line.x, x.y, hinge.y, line.y, x.z, hinge.z, line.z};
    return poise_quat_from_rows(rows);
}

static void judge_wrists(const Limb* limb, PoiseQuat shoulder, double* angles, Choice* answers) {
    const PoiseQuat below = poise_quat_mul(shoulder, poise__arm_elbow(angles[3]));
    const PoiseQuat hand = poise_quat_mul(poise_quat_conjugate(below), limb->goal.q);
    const PoiseEuler near_to = {limb->reference[4], limb->reference[5], limb->reference[6]};
    PoiseEuler both[2];
    poise__euler_both(hand, POISE_EULER_ZYX, near_to, both);
    for (int k = 0; k < 2; k++) {
        angles[4] = both[k].first;
        angles[5] = both[k].second;
        angles[6] = both[k].third;
        answers[k] = poise__limb_judge(limb, angles);
    }
}

void poise__swivel_answers(const Limb* limb, const Swivel* swivel, double turn, Choice* answers) {
    const PoiseVec3 axis =
        poise_quat_rotate(poise_quat_from_axis_angle(swivel->line, turn), swivel->axis);
    const PoiseEuler near_to = {limb->reference[0], limb->reference[1], limb->reference[2]};
    for (int side = -1; side <= 1; side += 2, answers += BRANCHES / 2) {
        double angles[LIMB_JOINTS];
        angles[3] = side * limb->bend;
        const PoiseVec3 to_wrist = poise__arm_folded(limb->near_link, limb->far_link, angles[3]);
        PoiseQuat shoulder = swivel->shoulder;
        if (!swivel->open) {
            const PoiseVec3 line = poise_scale(1.0 / poise_length(to_wrist), to_wrist);
            const PoiseQuat inner = frame_of(poise_vec3(0.0, 1.0, 0.0), line);
            const PoiseQuat outer = frame_of(poise_scale(side, axis), swivel->line);
            shoulder = poise_quat_mul(outer, poise_quat_conjugate(inner));
        }
        PoiseEuler both[2];
        poise__euler_both(shoulder, POISE_EULER_YXZ, near_to, both);
        for (int k = 0; k < 2; k++) {
            angles[0] = both[k].first;
            angles[1] = both[k].second;
            angles[2] = both[k].third;
            judge_wrists(limb, shoulder, angles, answers + 2 * k);
        }
    }
}
