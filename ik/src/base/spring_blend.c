// SPDX-License-Identifier: MIT
// Combines two springs on one joint into one: eqs. 24-26.
#include "shared/spring_blend.h"

// Rotations nearer than 0.2 rad to half a turn may be blended along either arc. The constant is the
// cosine of half that angle: sin(0.1).
#define EITHER_ARC 0.09983341664682815

PoiseHingeDrive poise_blend_hinge(PoiseHingeDrive original, PoiseHingeDrive ik) {
    return poise_hinge_blended(original, ik);
}

static PoiseBallDrive blend_ball_but_target(PoiseBallDrive original, PoiseBallDrive ik) {
    PoiseBallDrive blended;
    blended.spring = poise_spring_sum(original.spring, ik.spring);
    double u = poise_second_part(original.spring.damping, ik.spring.damping);
    blended.velocity =
        blended.spring.damping > 0.0
            ? poise_add(poise_scale(1.0 - u, original.velocity), poise_scale(u, ik.velocity))
            : poise_vec3(0.0, 0.0, 0.0);
    blended.target = ik.target;
    return blended;
}

PoiseBallDrive poise_blend_ball(PoiseBallDrive original, PoiseBallDrive ik) {
    PoiseBallDrive blended = blend_ball_but_target(original, ik);
    double w = poise_second_part(original.spring.stiffness, ik.spring.stiffness);
    blended.target = poise_quat_slerp(original.target, ik.target, w);
    return blended;
}

static double angle_between(PoiseQuat a, PoiseQuat b) {
    return poise_length(poise_quat_log(poise_quat_mul(poise_quat_conjugate(a), b)));
}

PoiseBallDrive poise_blend_ball_near(PoiseBallDrive original, PoiseBallDrive ik,
                                     PoiseQuat previous) {
    PoiseBallDrive blended = poise_blend_ball(original, ik);
    double w = poise_second_part(original.spring.stiffness, ik.spring.stiffness);
    // w = 0 or 1: only one spring acts, so the target is exactly its own
    if (w <= 0.0 || w >= 1.0) {
        return blended;
    }
    const PoiseQuat between = poise_quat_mul(ik.target, poise_quat_conjugate(original.target));
    if (fabs(between.w) > EITHER_ARC) {
        return blended;
    }
    const PoiseVec3 turn = poise_quat_log(between);
    const double angle = poise_length(turn);
    // the arc in the other sense about the same axis has the angle angle - 2 pi
    PoiseVec3 other_turn = poise_scale(w * (angle - 2.0 * POISE_PI) / angle, turn);
    PoiseQuat other = poise_quat_mul(poise_quat_exp(other_turn), original.target);
    if (angle_between(previous, other) < angle_between(previous, blended.target)) {
        blended.target = other;
    }
    return blended;
}
