// SPDX-License-Identifier: MIT
// Computes swing, twist and axes of a ball with a cone or twist range, for one posture, and clamps
// rotations to the cone. The limits equal those of joint/limits.c. The axis of the cone is z.
#include "chain.h"

// rad; rounding error of a rotation that was clamped to a limit
#define LIMIT_ROUNDING 1e-12

static double at_limit(double angle, double lower, double upper) {
    return fabs(angle - upper) < LIMIT_ROUNDING   ? upper
           : fabs(angle - lower) < LIMIT_ROUNDING ? lower
                                                  : angle;
}

void poise__chain_cone_read(const ChainJoint* joint, const double q[4], ChainCone* cone) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    // the direction of the rotated z axis
    const PoiseVec3 to =
        poise_vec3(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y));
    const double sine = sqrt(to.x * to.x + to.y * to.y);
    // at a swing of 0 or pi every axis perpendicular to z will do
    const PoiseVec3 swing =
        sine > 0.0 ? poise_vec3(-to.y / sine, to.x / sine, 0.0) : poise_vec3(1.0, 0.0, 0.0);
    const PoiseVec3 across = poise_cross(to, swing);
    const double axes[9] = {swing.x,  swing.y, swing.z, across.x, across.y,
                            across.z, to.x,    to.y,    to.z};
    memcpy(cone->axes, axes, sizeof axes);
    cone->swing = 2.0 * poise_atan2(sqrt(x * x + y * y), sqrt(w * w + z * z));
    // q and -q must give the same twist
    cone->twist = w < 0.0 ? 2.0 * poise_atan2(-z, -w) : 2.0 * poise_atan2(z, w);
    cone->swing = at_limit(cone->swing, joint[0].lower, joint[0].upper);
    cone->twist = at_limit(cone->twist, joint[2].lower, joint[2].upper);
}

// Returns the twist if it is in its range, else the nearer end of the range on the circle.
static double clamp_twist(const ChainJoint* joint, double twist) {
    if (twist >= joint->lower && twist <= joint->upper) {
        return twist;
    }
    const double below = remainder(joint->lower - twist, 2.0 * POISE_PI);
    const double above = remainder(joint->upper - twist, 2.0 * POISE_PI);
    return fabs(below) < fabs(above) ? joint->lower : joint->upper;
}

void poise__chain_cone_clamp(const ChainJoint* joint, double q[4]) {
    ChainCone cone;
    poise__chain_cone_read(joint, q, &cone);
    const double twist = clamp_twist(joint + 2, cone.twist);
    const double swing = poise__chain_clamp(cone.swing, 0.0, joint->upper);
    if (swing == cone.swing && twist == cone.twist) {
        return;
    }
    const PoiseSinCos s = poise_sincos(0.5 * swing), t = poise_sincos(0.5 * twist);
    const PoiseQuat swung = poise_quat(s.cosine, s.sine * cone.axes[0], s.sine * cone.axes[1], 0.0);
    const PoiseQuat twisted = poise_quat(t.cosine, 0.0, 0.0, t.sine);
    poise__put_quat(q, poise_quat_normalize(poise_quat_mul(swung, twisted)));
}

void poise__chain_cone_turn(const ChainJoint* joint, const double vector[3], double q[4]) {
    const PoiseQuat rotation = poise_quat_exp(poise_vec3(vector[0], vector[1], vector[2]));
    poise__put_quat(q, poise_quat_normalize(poise_quat_mul(rotation, poise__get_quat(q))));
    poise__chain_cone_clamp(joint, q);
}
