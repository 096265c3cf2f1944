// SPDX-License-Identifier: MIT
// A ball with a cone or twist range, one posture at a time: its axes, as in the tree (limits.c)
// those along which swing and twist grow, and its limits. The cone stands about z.
#include "chain_internal.h"

#define PI 3.14159265358979323846

void poise__chain_cone_look(const double q[4], ChainCone* cone) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    // where the rotation brings z
    const PoiseVec3 to =
        poise_vec3(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y));
    double sine = sqrt(to.x * to.x + to.y * to.y);
    // not swung, or right over: any way across is farther, or back
    const PoiseVec3 swing =
        sine > 0.0 ? poise_vec3(-to.y / sine, to.x / sine, 0.0) : poise_vec3(1.0, 0.0, 0.0);
    const PoiseVec3 across = poise_cross(to, swing);
    const double axes[9] = {swing.x,  swing.y, swing.z, across.x, across.y,
                            across.z, to.x,    to.y,    to.z};
    memcpy(cone->axes, axes, sizeof axes);
    cone->swing = 2.0 * atan2(sqrt(x * x + y * y), sqrt(w * w + z * z));
    // of a rotation and its negative alike
    cone->twist = w < 0.0 ? 2.0 * atan2(-z, -w) : 2.0 * atan2(z, w);
}

// the twist, or the end of its range that is nearer round the circle
static double held_twist(const ChainJoint* joint, double twist) {
    if (twist >= joint->lower && twist <= joint->upper) {
        return twist;
    }
    const double below = remainder(joint->lower - twist, 2.0 * PI);
    const double above = remainder(joint->upper - twist, 2.0 * PI);
    return fabs(below) < fabs(above) ? joint->lower : joint->upper;
}

void poise__chain_cone_hold(const ChainJoint* joint, double q[4]) {
    ChainCone cone;
    poise__chain_cone_look(q, &cone);
    const double twist = held_twist(joint + 2, cone.twist);
    if (cone.swing <= joint->upper && twist == cone.twist) {
        return;
    }
    const double swing = poise__chain_clamp(cone.swing, 0.0, joint->upper);
    const double c = cos(0.5 * swing);
    const double s = sin(0.5 * swing);
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2]);
    const PoiseVec3 axis =
        sine > 0.0 ? poise_vec3(cone.axes[0], cone.axes[1], 0.0) : poise_vec3(1.0, 0.0, 0.0);
    const PoiseQuat held = poise_quat_normalize(
        poise_quat_mul(poise_quat(c, s * axis.x, s * axis.y, 0.0),
                       poise_quat(cos(0.5 * twist), 0.0, 0.0, sin(0.5 * twist))));
    q[0] = held.w;
    q[1] = held.x;
    q[2] = held.y;
    q[3] = held.z;
}

void poise__chain_cone_turn(const ChainJoint* joint, const double turn[3], double q[4]) {
    const PoiseQuat turned = poise_quat_normalize(poise_quat_mul(
        poise_quat_exp(poise_vec3(turn[0], turn[1], turn[2])), poise_quat(q[0], q[1], q[2], q[3])));
    q[0] = turned.w;
    q[1] = turned.x;
    q[2] = turned.y;
    q[3] = turned.z;
    poise__chain_cone_hold(joint, q);
}
