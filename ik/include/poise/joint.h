// SPDX-License-Identifier: MIT
// What a joint is, for every kind: its motions in order, and the arithmetic of its coordinates.
//
// Throughout: `type` comes from poise_joint_type, arrays have its nq or nv numbers: m along axes,
// rad about them, quaternions (w, x, y, z) in the frame that the motion starts from. Nothing is
// checked.
#ifndef POISE_JOINT_H
#define POISE_JOINT_H

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most motions one joint has.
#define POISE_MAX_MOTIONS 4
/// The most coordinates one joint has.
#define POISE_MAX_NQ 7
/// The most velocities one joint has.
#define POISE_MAX_NV 6

/// The kind of a joint, by which poise_joint_type finds its row.
typedef enum PoiseNodeKind {
    /// Turns about `axis`: 1 degree of freedom, rad.
    POISE_NODE_HINGE = 1,
    /// Moves along `axis`: 1 degree of freedom, m.
    POISE_NODE_SLIDER = 2,
    /// Turns about any axis: 3 degrees of freedom.
    POISE_NODE_BALL = 3,
    /// Turns about `axis`, then about `axis2`, which the first turn carries along: 2 degrees of
    /// freedom, rad.
    POISE_NODE_UNIVERSAL = 4,
    /// Moves along any direction without turning: 3 degrees of freedom, m.
    POISE_NODE_TRANSLATION = 5,
    /// Moves and turns freely, as a floating base does: 6 degrees of freedom, 3 m, then 3 rad. It
    /// turns about the origin of the moved joint frame.
    POISE_NODE_FREE = 6,
    /// Turns about `axis` (the steering), then about `axis2` (the wheel), as a universal node does:
    /// 2 degrees of freedom, rad.
    POISE_NODE_HINGE2 = 7,
    /// Moves along `axis` and turns about it: 2 degrees of freedom, m, then rad.
    POISE_NODE_PISTON = 8,
    /// Moves along `axis`, then turns about `axis2`, which is carried along: 2 degrees of freedom,
    /// m, then rad.
    POISE_NODE_PR = 9,
    /// Moves along `axis`, then turns as a universal node does, about `axis2` and `axis3`: 3
    /// degrees
    /// of freedom, m, then twice rad.
    POISE_NODE_PU = 10
} PoiseNodeKind;

/// One motion of a joint.
typedef enum PoiseMotion {
    /// Moves along an axis: one coordinate and one velocity, m and m/s.
    POISE_PRISMATIC = 1,
    /// Turns about an axis: one coordinate and one velocity, rad and rad/s.
    POISE_REVOLUTE = 2,
    /// Turns about a point: four coordinates (w, x, y, z), three velocities, rad/s about the axes
    /// of the frame that the motion starts from.
    POISE_SPHERICAL = 3
} PoiseMotion;

/// A joint's motions, from the parent's side to the child's; each is carried along by those before
/// it. Coordinates and velocities stand in the order of the motions. Prismatic motions come first,
/// a spherical one last.
typedef struct PoiseJointType {
    PoiseNodeKind kind;
    const char* name;
    PoiseMotion motions[POISE_MAX_MOTIONS];
    int motion_count;
    /// Coordinates: 1 for a prismatic or revolute motion, 4 for a spherical one.
    int nq;
    /// Velocities: 1 for a prismatic or revolute motion, 3 for a spherical one.
    int nv;
    /// Bit d: velocity d is along an axis (m/s); else about one (rad/s).
    unsigned linear;
} PoiseJointType;

/// The row of a kind; NULL for a value that is no kind.
POISE_API const PoiseJointType* poise_joint_type(PoiseNodeKind kind);

/// v = q1 (-) q0: the velocity that leads from q0 to q1 in one second, nv numbers. The rotation of
/// a spherical motion is the shortest, v = log(q1 q0^*), in the frame that the motion starts from.
POISE_API void poise_joint_difference(const PoiseJointType* type, const double* q1,
                                      const double* q0, double* v);

/// q = q (+) v: moves the joint by v, nv numbers; a rotation is normalised. The inverse of
/// poise_joint_difference to rounding, for rotations of less than half a turn.
POISE_API void poise_joint_integrate(const PoiseJointType* type, double* q, const double* v);

/// The coordinates at which no motion has moved the child: 0, and the identity for a rotation. `q`
/// gets nq numbers.
POISE_API void poise_joint_neutral(const PoiseJointType* type, double* q);

#ifdef __cplusplus
}
#endif

#endif
