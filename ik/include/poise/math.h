// SPDX-License-Identifier: MIT
// Small values, passed and returned by value. Right-handed frames, double precision, SI units,
// radians. A quaternion is (w, x, y, z). A unit quaternion is a rotation; a * b turns by b first.
//
// Throughout: unless a comment says otherwise, arguments and result are in one frame, which the
// caller chooses. Lengths are in m, angles in rad; other vectors keep their unit. Any number is
// accepted. There are no errors.
#ifndef POISE_MATH_H
#define POISE_MATH_H

#include <math.h>

#include "poise/elementary.h"

#ifdef __cplusplus
extern "C" {
#endif

/// pi: the angle of half a turn, rad.
#define POISE_PI 3.14159265358979323846

/// A vector with components along the axes x, y and z.
typedef struct PoiseVec3 {
    double x;
    double y;
    double z;
} PoiseVec3;

/// A quaternion w + x i + y j + z k.
typedef struct PoiseQuat {
    double w;
    double x;
    double y;
    double z;
} PoiseQuat;

/// The pose of a frame in an outer frame: a position and a rotation. A point with coordinates x in
/// the frame has the coordinates p + rotate(q, x) in the outer frame.
typedef struct PoisePose {
    PoiseVec3 p;
    PoiseQuat q;
} PoisePose;

/// The lesser of two numbers of any unit; `a` if `b` is NaN. fmin is not inlined, this function is.
static inline double poise_min(double a, double b) {
    return b < a ? b : a;
}

/// The greater of two numbers of any unit; `a` if `b` is NaN.
static inline double poise_max(double a, double b) {
    return b > a ? b : a;
}

/// The vector of three numbers.
static inline PoiseVec3 poise_vec3(double x, double y, double z) {
    PoiseVec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

/// a + b
static inline PoiseVec3 poise_add(PoiseVec3 a, PoiseVec3 b) {
    return poise_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

/// a - b
static inline PoiseVec3 poise_sub(PoiseVec3 a, PoiseVec3 b) {
    return poise_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

/// s a, for any s.
static inline PoiseVec3 poise_scale(double s, PoiseVec3 a) {
    return poise_vec3(s * a.x, s * a.y, s * a.z);
}

/// a + s b, for any s.
static inline PoiseVec3 poise_add_scaled(PoiseVec3 a, double s, PoiseVec3 b) {
    return poise_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/// a . b
static inline double poise_dot(PoiseVec3 a, PoiseVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// a x b, right-handed.
static inline PoiseVec3 poise_cross(PoiseVec3 a, PoiseVec3 b) {
    return poise_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/// |a|
static inline double poise_length(PoiseVec3 a) {
    return sqrt(poise_dot(a, a));
}

/// True if all three numbers are finite.
static inline bool poise_is_finite3(PoiseVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// The quaternion of four numbers, the scalar part first, without normalisation.
static inline PoiseQuat poise_quat(double w, double x, double y, double z) {
    PoiseQuat q;
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}

/// The rotation by the angle 0.
static inline PoiseQuat poise_quat_identity(void) {
    return poise_quat(1.0, 0.0, 0.0, 0.0);
}

/// The inverse of a unit quaternion.
static inline PoiseQuat poise_quat_conjugate(PoiseQuat q) {
    return poise_quat(q.w, -q.x, -q.y, -q.z);
}

/// The rotation by b, followed by the rotation by a.
static inline PoiseQuat poise_quat_mul(PoiseQuat a, PoiseQuat b) {
    return poise_quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

/// v turned by the unit quaternion q.
static inline PoiseVec3 poise_quat_rotate(PoiseQuat q, PoiseVec3 v) {
    PoiseVec3 u = poise_vec3(q.x, q.y, q.z);
    PoiseVec3 t = poise_scale(2.0, poise_cross(u, v));
    return poise_add(poise_add_scaled(v, q.w, t), poise_cross(u, t));
}

/// v turned by the inverse of the unit quaternion q.
static inline PoiseVec3 poise_quat_unrotate(PoiseQuat q, PoiseVec3 v) {
    return poise_quat_rotate(poise_quat_conjugate(q), v);
}

/// True if all four numbers are finite.
static inline bool poise_is_finite_quat(PoiseQuat q) {
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
}

/// q scaled to length 1. The identity if q has length 0 or is not finite.
POISE_API PoiseQuat poise_quat_normalize(PoiseQuat q);

/// The rotation by any `angle`, rad, about `axis`. The axis need not have length 1. An axis of
/// length 0 gives the identity.
POISE_API PoiseQuat poise_quat_from_axis_angle(PoiseVec3 axis, double angle);

/// The rotation by the rotation vector r (axis times angle, rad). Exact to rounding at and near 0.
POISE_API PoiseQuat poise_quat_exp(PoiseVec3 r);

/// The rotation vector of q by the shortest arc, rad, length 0..pi. q and -q give the same vector.
/// Exact to rounding near 0 and near pi; at pi the axis is that of q's vector part.
POISE_API PoiseVec3 poise_quat_log(PoiseQuat q);

/// The rotation at the fraction t, any number, of the shorter arc from a to b. Exactly a at t = 0,
/// exactly b (up to its sign) at t = 1.
POISE_API PoiseQuat poise_quat_slerp(PoiseQuat a, PoiseQuat b, double t);

/// Splits q into a twist about `axis` (length 1) and a swing about an axis perpendicular to `axis`:
/// q = swing * twist. Returns the angle of the twist, rad, -pi..pi. `swing` (NULL: not wanted) gets
/// the swing, 0..pi rad. If the swing is pi, any twist fits; the twist is then 0.
POISE_API double poise_quat_twist(PoiseQuat q, PoiseVec3 axis, PoiseQuat* swing);

/// The unit quaternion of a rotation matrix, 3 x 3, row-major.
POISE_API PoiseQuat poise_quat_from_rows(const double rows[9]);

/// The frame with its origin at p, m, and the rotation q.
static inline PoisePose poise_pose(PoiseVec3 p, PoiseQuat q) {
    PoisePose pose;
    pose.p = p;
    pose.q = q;
    return pose;
}

/// The pose of a frame that coincides with the outer frame.
static inline PoisePose poise_pose_identity(void) {
    return poise_pose(poise_vec3(0.0, 0.0, 0.0), poise_quat_identity());
}

/// The coordinates, in the outer frame, of the point x of the frame.
static inline PoiseVec3 poise_pose_apply(PoisePose frame, PoiseVec3 x) {
    return poise_add(frame.p, poise_quat_rotate(frame.q, x));
}

/// The pose, in the outer frame of a, of a frame whose pose in a is b.
static inline PoisePose poise_pose_mul(PoisePose a, PoisePose b) {
    return poise_pose(poise_pose_apply(a, b.p), poise_quat_mul(a.q, b.q));
}

/// The inverse of a: if a is the pose of frame B in frame A, the pose of A in B.
static inline PoisePose poise_pose_inverse(PoisePose a) {
    return poise_pose(poise_scale(-1.0, poise_quat_unrotate(a.q, a.p)), poise_quat_conjugate(a.q));
}

/// True if all seven numbers are finite.
static inline bool poise_is_finite_pose(PoisePose a) {
    return poise_is_finite3(a.p) && poise_is_finite_quat(a.q);
}

#ifdef __cplusplus
}
#endif

#endif
