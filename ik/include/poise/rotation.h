// SPDX-License-Identifier: MIT
// Rotations in other forms: matrices, roll-pitch-yaw, Euler angles of every order, and
// log-quaternions with their derivatives. poise_quat_exp and poise_quat_log are in poise/math.h.
//
// Throughout: a rotation turns vectors of the turned frame into vectors of the outer frame. The
// caller chooses both frames. Angles are in rad, positions in m. The functions have no state and no
// errors. Input that is not finite gives output that is not finite.
#ifndef POISE_ROTATION_H
#define POISE_ROTATION_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The rotation of roll x, pitch y and yaw z, rad. It turns about the fixed x axis, then the fixed
/// y axis, then the fixed z axis, as in URDF.
POISE_API PoiseQuat poise_quat_from_rpy(PoiseVec3 rpy);

/// The roll, pitch and yaw of a unit quaternion: x and z in -pi..pi, y in -pi/2..pi/2. Exact to a
/// few roundings everywhere. At a pitch of +-pi/2 only the sum or difference of roll and yaw is
/// determined; roll is then 0.
POISE_API PoiseVec3 poise_quat_to_rpy(PoiseQuat q);

/// The order of the axes of three consecutive turns. Each turn is about an axis of the frame that
/// the turns before have produced. XYZ: about x, then about the new y, then about the newest z, R =
/// Rx Ry Rz.
typedef enum PoiseEulerOrder {
    POISE_EULER_XYZ = 0,
    POISE_EULER_XZY = 1,
    POISE_EULER_YXZ = 2,
    POISE_EULER_YZX = 3,
    POISE_EULER_ZXY = 4,
    POISE_EULER_ZYX = 5,
    POISE_EULER_XYX = 6,
    POISE_EULER_XZX = 7,
    POISE_EULER_YXY = 8,
    POISE_EULER_YZY = 9,
    POISE_EULER_ZXZ = 10,
    POISE_EULER_ZYZ = 11
} PoiseEulerOrder;

/// The angles of the three turns, rad, in the order of the turns.
typedef struct PoiseEuler {
    double first;
    double second;
    double third;
} PoiseEuler;

/// The rotation of the three turns. The identity for an order that is not in PoiseEulerOrder.
POISE_API PoiseQuat poise_quat_from_euler(PoiseEulerOrder order, PoiseEuler angles);

/// The angles of a unit quaternion: first and third in -pi..pi, second in -pi/2..pi/2 (three
/// different axes) or 0..pi (the first axis again). Exact to a few roundings everywhere. At the
/// ends of the second's range (gimbal lock) the third is 0. All 0 for an order that is not in
/// PoiseEulerOrder.
POISE_API PoiseEuler poise_quat_to_euler(PoiseQuat q, PoiseEulerOrder order);

/// The triple nearest to `reference`, by the sum of squares, among all triples that give q. These
/// differ by whole turns and by the second solution of the middle angle. At gimbal lock the free
/// angle keeps the value of the reference.
POISE_API PoiseEuler poise_quat_to_euler_near(PoiseQuat q, PoiseEulerOrder order,
                                              PoiseEuler reference);

/// The matrix of a unit quaternion, 9 numbers, row-major. poise_quat_from_rows is the inverse.
POISE_API void poise_quat_to_rows(PoiseQuat q, double rows[9]);

/// The matrix of a unit quaternion for row vectors (p R), as in DirectX: 9 numbers, row-major, the
/// transpose of poise_quat_to_rows. poise_quat_from_columns is the inverse.
POISE_API void poise_quat_to_columns(PoiseQuat q, double columns[9]);
/// The unit quaternion of a matrix for row vectors, row-major. The matrix must be a rotation.
POISE_API PoiseQuat poise_quat_from_columns(const double columns[9]);

/// The angle, rad, 0..pi, of a unit quaternion. `axis` (NULL: not wanted) gets the axis, of length
/// 1. For the identity: angle 0, axis x. poise_quat_from_axis_angle is the inverse.
POISE_API double poise_quat_to_axis_angle(PoiseQuat q, PoiseVec3* axis);

/// A pose converted between a right-handed and a left-handed frame, in either direction. The z axis
/// is reversed, x and y stay. The position becomes (x, y, -z), the quaternion (w, -x, -y, z).
POISE_API PoisePose poise_pose_other_hand(PoisePose pose);

/// dq/dr of q = poise_quat_exp(r). dq[k] is the derivative of q by component k of r (x, y, z), per
/// rad. Exact to rounding everywhere, also at r = 0.
POISE_API void poise_quat_exp_derivative(PoiseVec3 r, PoiseQuat dq[3]);

/// The log-quaternion with the half angle, u = (angle / 2) axis, as some texts define it. u is half
/// of poise_quat_log(q), with a length of 0..pi/2 rad.
POISE_API PoiseVec3 poise_quat_log_half(PoiseQuat q);
/// q = (cos |u|, u sin |u| / |u|): poise_quat_exp(2 u).
POISE_API PoiseQuat poise_quat_exp_half(PoiseVec3 u);
/// dq/du of q = poise_quat_exp_half(u), as poise_quat_exp_derivative.
POISE_API void poise_quat_exp_half_derivative(PoiseVec3 u, PoiseQuat dq[3]);

/// The angular velocity, rad/s, in the outer frame, of a unit quaternion q that changes by `rate`
/// per second: the vector part of 2 rate q^*. If `rate` is dq[k] of a derivative above, the result
/// is the angular velocity while component k grows by 1 per second.
POISE_API PoiseVec3 poise_quat_angular_velocity(PoiseQuat q, PoiseQuat rate);

#ifdef __cplusplus
}
#endif

#endif
