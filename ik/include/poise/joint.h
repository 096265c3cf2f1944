// SPDX-License-Identifier: MIT
// Joints of every kind: the motions of a joint in order, and the arithmetic of its coordinates.
//
// Throughout: `type` comes from poise_joint_type. Arrays have its nq or nv numbers: m along axes,
// rad about axes, quaternions (w, x, y, z) in the frame before the motion. Arguments are not
// checked.
#ifndef POISE_JOINT_H
#define POISE_JOINT_H

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest number of motions of one joint.
#define POISE_MAX_MOTIONS 4
/// Largest number of coordinates of one joint.
#define POISE_MAX_NQ 7
/// Largest number of velocities of one joint.
#define POISE_MAX_NV 6

/// The kind of a joint. poise_joint_type returns its description.
typedef enum PoiseNodeKind {
    /// Turns about `axis`: 1 degree of freedom, rad.
    POISE_NODE_HINGE = 1,
    /// Moves along `axis`: 1 degree of freedom, m.
    POISE_NODE_SLIDER = 2,
    /// Turns about any axis: 3 degrees of freedom.
    POISE_NODE_BALL = 3,
    /// Turns about `axis`, then about `axis2`, which the first turn moves: 2 degrees of freedom,
    /// rad.
    POISE_NODE_UNIVERSAL = 4,
    /// Moves along any direction without turning: 3 degrees of freedom, m.
    POISE_NODE_TRANSLATION = 5,
    /// Moves and turns freely, like a floating base: 6 degrees of freedom, 3 m, then 3 rad. Turns
    /// are about the origin of the moved joint frame.
    POISE_NODE_FREE = 6,
    /// Turns about `axis` (the steering), then about `axis2` (the wheel), whose angle to `axis` is
    /// free: 2 degrees of freedom, rad.
    POISE_NODE_HINGE2 = 7,
    /// Moves along `axis` and turns about it: 2 degrees of freedom, m, then rad.
    POISE_NODE_PISTON = 8,
    /// Moves along `axis`, then turns about `axis2`, which moves along: 2 degrees of freedom, m,
    /// then rad.
    POISE_NODE_PR = 9,
    /// Moves along `axis`, then turns about `axis2` and `axis3`, as a universal node does: 3
    /// degrees of freedom, m, then rad twice.
    POISE_NODE_PU = 10
} PoiseNodeKind;

/// A motion of a joint.
typedef enum PoiseMotion {
    /// Moves along an axis, with a coordinate, m, and a velocity, m/s.
    POISE_PRISMATIC = 1,
    /// Turns about an axis, with a coordinate, rad, and a velocity, rad/s.
    POISE_REVOLUTE = 2,
    /// Turns about a point: four coordinates (w, x, y, z) and three velocities, rad/s about the
    /// axes of the frame before the motion.
    POISE_SPHERICAL = 3
} PoiseMotion;

/// The motions of a joint, from the parent's side to the child's. Each motion moves the motions
/// after it. Coordinates and velocities are in the order of the motions. Prismatic motions come
/// first, a spherical motion last.
typedef struct PoiseJointType {
    PoiseNodeKind kind;
    const char* name;
    PoiseMotion motions[POISE_MAX_MOTIONS];
    int motion_count;
    /// Coordinates: 1 for a prismatic or revolute motion, 4 for a spherical one.
    int nq;
    /// Velocities: 1 for a prismatic or revolute motion, 3 for a spherical one.
    int nv;
    /// Bit d is set if velocity d is along an axis (m/s), clear if it is about an axis (rad/s).
    unsigned linear;
} PoiseJointType;

/// The description of a kind. NULL for a value that is not a kind.
POISE_API const PoiseJointType* poise_joint_type(PoiseNodeKind kind);

/// v = q1 (-) q0: the constant velocity, nv numbers, that moves q0 to q1 in one second. A spherical
/// motion takes the shortest rotation, v = log(q1 q0^*), in the frame before the motion.
POISE_API void poise_joint_difference(const PoiseJointType* type, const double* q1,
                                      const double* q0, double* v);

/// q = q (+) v: moves the joint by v, nv numbers, and normalises a rotation. Inverse of
/// poise_joint_difference to rounding, for rotations of less than half a turn.
POISE_API void poise_joint_integrate(const PoiseJointType* type, double* q, const double* v);

/// Writes the coordinates, nq numbers, at which the child is not moved: 0, and the identity for a
/// rotation.
POISE_API void poise_joint_neutral(const PoiseJointType* type, double* q);

#ifdef __cplusplus
}
#endif

#endif
