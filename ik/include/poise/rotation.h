// SPDX-License-Identifier: MIT
// Rotations in other words: matrices, roll-pitch-yaw, Euler angles of every order, and
// log-quaternions with their derivatives. poise_quat_exp and poise_quat_log stand in math.h.
//
// Throughout: a rotation leads from the turned frame to the outer one, whichever these are; angles
// are in rad, places in m. Functions of values: no state, no errors; what is not finite comes out
// not finite.
#ifndef POISE_ROTATION_H
#define POISE_ROTATION_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Roll, pitch and yaw, rad, as x, y and z: a turn by x about the fixed x axis, then by y about the
/// fixed y, then by z about the fixed z. As in URDF.
POISE_API PoiseQuat poise_quat_from_rpy(PoiseVec3 rpy);

/// The roll, pitch and yaw of a unit quaternion: x and z in -pi..pi, y in -pi/2..pi/2. Exact to a
/// few roundings everywhere; at a pitch of a quarter turn, where only a sum or difference of roll
/// and yaw counts, roll is 0.
POISE_API PoiseVec3 poise_quat_to_rpy(PoiseQuat q);

/// About which axes three turns follow each other, each axis as the turns before have left it.
/// XYZ: about x, then about the new y, then about the newest z, R = Rx Ry Rz.
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

/// The angles of the three turns, rad, in the order in which they follow each other.
typedef struct PoiseEuler {
    double first;
    double second;
    double third;
} PoiseEuler;

/// The rotation of the three turns; the identity for an order that is none.
POISE_API PoiseQuat poise_quat_from_euler(PoiseEulerOrder order, PoiseEuler angles);

/// The three turns that make a unit quaternion: first and third in -pi..pi, second in -pi/2..pi/2
/// (three different axes) or 0..pi (the first axis again). Exact to a few roundings everywhere; at
/// the ends of the second's range (gimbal lock) the third is 0. All 0 for an order that is none.
POISE_API PoiseEuler poise_quat_to_euler(PoiseQuat q, PoiseEulerOrder order);

/// Of all triples that make q, whole turns and the second's other side included, the one nearest to
/// `reference` by the sum of squares. At gimbal lock, what is free stays with the reference.
POISE_API PoiseEuler poise_quat_to_euler_near(PoiseQuat q, PoiseEulerOrder order,
                                              PoiseEuler reference);

/// The matrix of a unit quaternion, by rows; poise_quat_from_rows goes back.
POISE_API void poise_quat_to_rows(PoiseQuat q, double rows[9]);

/// The matrix of a unit quaternion for row vectors, p R, by rows: the transpose of the other, as
/// DirectX has it; poise_quat_from_columns goes back.
POISE_API void poise_quat_to_columns(PoiseQuat q, double columns[9]);
/// The unit quaternion of such a matrix, by rows; of a matrix that turns and does nothing else.
POISE_API PoiseQuat poise_quat_from_columns(const double columns[9]);

/// The angle, rad, 0..pi, and the axis, of length 1, that a unit quaternion turns by and about. No
/// turn: 0 about x. `axis` NULL: not wanted. poise_quat_from_axis_angle goes back.
POISE_API double poise_quat_to_axis_angle(PoiseQuat q, PoiseVec3* axis);

/// A pose in a frame of the other hand: right-handed to left-handed or back, the z axis turned
/// round, x and y as they are. Place (x, y, -z), quaternion (w, -x, -y, z).
POISE_API PoisePose poise_pose_other_hand(PoisePose pose);

/// dq/dr of q = poise_quat_exp(r): dq[k] is the change of q with component k of r (x, y, z), per
/// rad. Right at r = 0 and everywhere else.
POISE_API void poise_quat_exp_derivative(PoiseVec3 r, PoiseQuat dq[3]);

/// The log-quaternion with the half angle, u = (angle / 2) axis, as some texts have it: u is half
/// of poise_quat_log(q), its length 0..pi/2.
POISE_API PoiseVec3 poise_quat_log_half(PoiseQuat q);
/// q = (cos |u|, u sin |u| / |u|): poise_quat_exp(2 u).
POISE_API PoiseQuat poise_quat_exp_half(PoiseVec3 u);
/// dq/du of q = poise_quat_exp_half(u), as poise_quat_exp_derivative.
POISE_API void poise_quat_exp_half_derivative(PoiseVec3 u, PoiseQuat dq[3]);

/// The angular velocity, rad/s, in the outer frame, of a unit quaternion that changes by `rate` a
/// second: 2 rate q^*, vector part. With a column of a derivative above as the rate: the velocity
/// of the turn as that component grows by 1 a second.
POISE_API PoiseVec3 poise_quat_angular_velocity(PoiseQuat q, PoiseQuat rate);

#ifdef __cplusplus
}
#endif

#endif
