// SPDX-License-Identifier: MIT
// Maps between unit quaternions, rotation vectors and matrices, accurate also at 0 and half a turn.
// poise_quat_log yields the rotation error of a goal.
#include "poise/rotation.h"

#include "shared/half_turn.h"

// below this angle (rad) the first term of the series is exact to the last bit
#define SMALL_ANGLE 1e-8
// up to this angle (rad) seven terms of the series are exact to the last bit
#define SMALL_TURN 0.5
// below this angle (rad) cosine_less_sine uses its series; above it the closed form is as accurate
#define SERIES_ANGLE 0.2

static const PoiseVec3 unit_axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static double quat_dot(PoiseQuat a, PoiseQuat b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static PoiseQuat quat_scale(double s, PoiseQuat q) {
    return poise_quat(s * q.w, s * q.x, s * q.y, s * q.z);
}

PoiseQuat poise_quat_normalize(PoiseQuat q) {
    const double square = quat_dot(q, q);
    const bool within = square <= 1.0 || (fabs(q.w) <= 1.0 && fabs(q.x) <= 1.0 &&
                                          fabs(q.y) <= 1.0 && fabs(q.z) <= 1.0);
    if (square > 0.25 && within) {
        // most rotations: the largest component is between 0.25 and 1 and needs no scaling
        return quat_scale(1.0 / sqrt(square), q);
    }
    // scale first, so that the squares of huge or tiny components neither overflow nor underflow
    double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
    if (!(largest > 0.0) || !poise_is_finite_quat(q)) {
        return poise_quat_identity();
    }
    if (largest < 0.25 || largest > 1.0) {
        q = poise_quat(q.w / largest, q.x / largest, q.y / largest, q.z / largest);
    }
    return quat_scale(1.0 / sqrt(quat_dot(q, q)), q);
}

PoiseQuat poise_quat_from_axis_angle(PoiseVec3 axis, double angle) {
    double length = poise_length(axis);
    if (!(length > 0.0)) {
        return poise_quat_identity();
    }
    const PoiseSinCos half = poise_sincos(0.5 * angle);
    const double s = half.sine / length;
    return poise_quat(half.cosine, s * axis.x, s * axis.y, s * axis.z);
}

// Returns the rotation by r for an angle of at most SMALL_TURN, as in most steps. Uses the series
// of sine and cosine.
static PoiseQuat exp_of_small(PoiseVec3 r, double square) {
    const double z = 0.25 * square; // square of half the angle
    double sine = 1.0 / 362880.0 - z / 39916800.0;
    sine = -1.0 / 5040.0 + z * sine;
    sine = 1.0 / 120.0 + z * sine;
    sine = -1.0 / 6.0 + z * sine;
    double cosine = -1.0 / 3628800.0 + z / 479001600.0;
    cosine = 1.0 / 40320.0 + z * cosine;
    cosine = -1.0 / 720.0 + z * cosine;
    cosine = 1.0 / 24.0 + z * cosine;
    cosine = -0.5 + z * cosine;
    const double s = 0.5 * (1.0 + z * sine);
    return poise_quat(1.0 + z * cosine, s * r.x, s * r.y, s * r.z);
}

PoiseQuat poise_quat_exp(PoiseVec3 r) {
    const double square = poise_dot(r, r);
    if (square <= SMALL_TURN * SMALL_TURN) {
        return exp_of_small(r, square);
    }
    double angle = poise_length(r);
    const PoiseSinCos half = poise_sincos(0.5 * angle);
    const double s = half.sine / angle;
    return poise_quat(half.cosine, s * r.x, s * r.y, s * r.z);
}

PoiseVec3 poise_quat_log(PoiseQuat q) {
    // q and -q are the same rotation: the sign with an angle of at most pi is used. At pi (w = 0)
    // the first component other than 0 becomes positive.
    double sign = q.w;
    if (sign == 0.0) {
        sign = q.x != 0.0 ? q.x : q.y != 0.0 ? q.y : q.z;
    }
    q = sign < 0.0 ? quat_scale(-1.0, q) : q;
    PoiseVec3 u = poise_vec3(q.x, q.y, q.z);
    const double square = poise_dot(u, u);
    const double sum = sqrt(square + q.w * q.w) + q.w;
    if (square <= POISE_TANGENT_MOST * POISE_TANGENT_MOST * (sum * sum) && sum > 0.0) {
        // up to a quarter turn: tan(angle / 4) = |u| / sum
        const double part = 1.0 / sum;
        return poise_scale(4.0 * part * poise_arc_part(square * part * part), u);
    }
    double s = sqrt(square);
    // angle / sin(angle / 2), which tends to 2 at angle 0
    return poise_scale(s > 0.0 ? poise_turn_of_half(s, q.w) / s : 2.0, u);
}

PoiseQuat poise_quat_slerp(PoiseQuat a, PoiseQuat b, double t) {
    if (quat_dot(a, b) < 0.0) {
        b = quat_scale(-1.0, b);
    }
    if (t == 0.0 || t == 1.0) {
        return t == 0.0 ? a : b;
    }
    PoiseQuat d = poise_quat(b.w - a.w, b.x - a.x, b.y - a.y, b.z - a.z);
    PoiseQuat m = poise_quat(b.w + a.w, b.x + a.x, b.y + a.y, b.z + a.z);
    // angle between the two quaternions as vectors, accurate near 0 and near pi
    double angle = 2.0 * poise_atan2(sqrt(quat_dot(d, d)), sqrt(quat_dot(m, m)));
    double wa = 1.0 - t;
    double wb = t;
    if (angle > SMALL_ANGLE) {
        double s = poise_sin(angle);
        wa = poise_sin((1.0 - t) * angle) / s;
        wb = poise_sin(t * angle) / s;
    }
    return poise_quat(wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y,
                      wa * a.z + wb * b.z);
}

double poise_quat_twist(PoiseQuat q, PoiseVec3 axis, PoiseQuat* swing) {
    double along = poise_dot(poise_vec3(q.x, q.y, q.z), axis);
    double w = q.w;
    if (w < 0.0) {
        w = -w;
        along = -along;
        q = quat_scale(-1.0, q);
    }
    // cosine of half the swing
    const double cosine = sqrt(w * w + along * along);
    if (swing) {
        *swing = q;
        if (cosine > 0.0) {
            const double s = -along / cosine;
            *swing = poise_quat_mul(q, poise_quat(w / cosine, s * axis.x, s * axis.y, s * axis.z));
        }
    }
    return cosine > 0.0 ? poise_turn_of_half(along, w) : 0.0;
}

PoiseQuat poise_quat_from_rows(const double rows[9]) {
    double xx = rows[0];
    double yy = rows[4];
    double zz = rows[8];
    double trace = xx + yy + zz;
    PoiseQuat q;
    // the largest component comes first, because it suffers no cancellation
    if (trace >= xx && trace >= yy && trace >= zz) {
        q = poise_quat(1.0 + trace, rows[7] - rows[5], rows[2] - rows[6], rows[3] - rows[1]);
    } else if (xx >= yy && xx >= zz) {
        q = poise_quat(rows[7] - rows[5], 1.0 + xx - yy - zz, rows[1] + rows[3], rows[2] + rows[6]);
    } else if (yy >= zz) {
        q = poise_quat(rows[2] - rows[6], rows[1] + rows[3], 1.0 - xx + yy - zz, rows[5] + rows[7]);
    } else {
        q = poise_quat(rows[3] - rows[1], rows[2] + rows[6], rows[5] + rows[7], 1.0 - xx - yy + zz);
    }
    return poise_quat_normalize(q);
}

void poise_quat_to_rows(PoiseQuat q, double rows[9]) {
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 column = poise_quat_rotate(q, unit_axes[k]);
        rows[k] = column.x;
        rows[3 + k] = column.y;
        rows[6 + k] = column.z;
    }
}

PoiseVec3 poise_quat_log_half(PoiseQuat q) {
    return poise_scale(0.5, poise_quat_log(q));
}

PoiseQuat poise_quat_exp_half(PoiseVec3 u) {
    return poise_quat_exp(poise_scale(2.0, u));
}

// Returns (cos t - sin t / t) / t^2, which tends to -1/3 at t = 0.
static double cosine_less_sine(double t) {
    const double s = t * t;
    if (t < SERIES_ANGLE) {
        const double last = 1.0 / 45360.0 - s / 3991680.0;
        return -1.0 / 3.0 + s * (1.0 / 30.0 - s * (1.0 / 840.0 - s * last));
    }
    const PoiseSinCos turn = poise_sincos(t);
    return (turn.cosine - turn.sine / t) / s;
}

void poise_quat_exp_half_derivative(PoiseVec3 u, PoiseQuat dq[3]) {
    const double length = poise_length(u);
    const double sine = length > 0.0 ? poise_sin(length) / length : 1.0;
    const double coefficient = cosine_less_sine(length);
    const double component[3] = {u.x, u.y, u.z};
    for (int k = 0; k < 3; k++) {
        // d(sin t / t) / du_k = u_k (cos t - sin t / t) / t^2
        const PoiseVec3 along = poise_scale(coefficient * component[k], u);
        const PoiseVec3 d = poise_add_scaled(along, sine, unit_axes[k]);
        dq[k] = poise_quat(-sine * component[k], d.x, d.y, d.z);
    }
}

void poise_quat_exp_derivative(PoiseVec3 r, PoiseQuat dq[3]) {
    poise_quat_exp_half_derivative(poise_scale(0.5, r), dq);
    for (int k = 0; k < 3; k++) {
        dq[k] = poise_quat(0.5 * dq[k].w, 0.5 * dq[k].x, 0.5 * dq[k].y, 0.5 * dq[k].z);
    }
}

PoiseVec3 poise_quat_angular_velocity(PoiseQuat q, PoiseQuat rate) {
    const PoiseQuat turn = poise_quat_mul(rate, poise_quat_conjugate(q));
    return poise_scale(2.0, poise_vec3(turn.x, turn.y, turn.z));
}

void poise_quat_to_columns(PoiseQuat q, double columns[9]) {
    poise_quat_to_rows(poise_quat_conjugate(q), columns);
}

PoiseQuat poise_quat_from_columns(const double columns[9]) {
    return poise_quat_conjugate(poise_quat_from_rows(columns));
}

double poise_quat_to_axis_angle(PoiseQuat q, PoiseVec3* axis) {
    const PoiseVec3 r = poise_quat_log(q);
    const double angle = poise_length(r);
    if (axis) {
        *axis = angle > 0.0 ? poise_scale(1.0 / angle, r) : unit_axes[0];
    }
    return angle;
}

PoisePose poise_pose_other_hand(PoisePose pose) {
    return poise_pose(poise_vec3(pose.p.x, pose.p.y, -pose.p.z),
                      poise_quat(pose.q.w, -pose.q.x, -pose.q.y, pose.q.z));
}
