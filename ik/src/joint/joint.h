// SPDX-License-Identifier: MIT
// A joint of a tree: kind, geometry, limits, coordinates and frames. Only the files of this folder
// distinguish the kinds of joints.
#ifndef POISE_JOINT_PRIVATE_H
#define POISE_JOINT_PRIVATE_H

#include "base.h"
#include "poise/node.h"

// Value of PoiseNodeDef.cookie. A def with another value was not made by a poise_default_*_def
// function and is refused.
enum { COOKIE_NODE = 0x504e0001 };

/// Largest number of motions with axes in one joint, and of velocities with ranges.
enum { POISE_MAX_AXES = 3 };
// rad or m; a joint this near to a limit counts as on it
#define LIMIT_CLOSE 1e-9

/// Sine and cosine of half an angle.
typedef struct HalfAngle {
    double sine;
    double cosine;
} HalfAngle;

/// A joint. The members that a step of a hinge reads are adjacent in memory.
typedef struct Joint {
    uint8_t kind;      ///< PoiseNodeKind
    uint8_t free_axes; ///< bits of PoiseAxes
    bool limited;      ///< some limit is finite
    bool plain_link;   ///< link_in_joint is the identity, as in most robot files
    bool parallel;     ///< the rotation of joint_in_parent is the identity

    // frames of the joint before its motion and of the link after it, world, as last filled
    PoisePose joint_world;
    PoisePose link_world;

    PoisePose link_in_joint;
    PoisePose joint_in_parent;

    /// Limits by velocity. A ball has its cone here: [0] the swing, from -swing_limit to
    /// swing_limit, [2] the twist.
    double lower[POISE_MAX_AXES];
    double upper[POISE_MAX_AXES];

    double q[POISE_MAX_NQ]; ///< the coordinates

    union {
        PoiseVec3 axes[POISE_MAX_AXES]; ///< in the joint frame, by motion
        struct {
            PoiseVec3 axis;
            HalfAngle half_swing;
            HalfAngle half_lower;
            HalfAngle half_upper;
        } cone; ///< only of a ball with a cone
    };
} Joint;

/// The descriptions of the kinds, by PoiseNodeKind. Row 0 is unused.
extern const PoiseJointType poise__joint_types[];
static inline const PoiseJointType* poise__joint_type(const Joint* joint) {
    return &poise__joint_types[joint->kind];
}

/// Returns the number of a type's translational velocities, which precede the rotational ones.
static inline int poise__joint_moves(const PoiseJointType* type) {
    return (int)((type->linear & 1) + (type->linear >> 1 & 1) + (type->linear >> 2 & 1));
}

/// True if the velocities form a linear vector, an angular vector or both. False if each velocity
/// is along or about an axis of its own.
static inline bool poise__joint_is_vector(const PoiseJointType* type) {
    return type->linear == 7 || type->nq > type->nv;
}

/// True if the axes of the kind can be switched off one by one (PoiseNodeDef.free_axes).
static inline bool poise__joint_has_switches(const PoiseJointType* type) {
    return type->linear == 7;
}

/// True if the type can have a cone.
static inline bool poise__joint_can_have_cone(const PoiseJointType* type) {
    return type->motions[0] == POISE_SPHERICAL;
}

/// True if the kind can have limits: ranges or a cone.
static inline bool poise__joint_can_have_limits(const PoiseJointType* type) {
    return !poise__joint_is_vector(type) || poise__joint_can_have_cone(type);
}

static inline bool poise__joint_has_cone(const Joint* joint) {
    return joint->limited && poise__joint_can_have_cone(poise__joint_type(joint));
}

/// True if the kind has only rotations, about one axis or one point.
static inline bool poise__joint_only_turns(const PoiseJointType* type) {
    return type->motion_count == 1 && type->linear == 0;
}

/// Returns the rotation, world, of the joint frame after the motion: the link's rotation times the
/// inverse of link_in_joint's.
static inline PoiseQuat poise__joint_moved_rotation(const Joint* joint) {
    const PoiseQuat link = joint->link_world.q;
    return joint->plain_link ? link
                             : poise_quat_mul(link, poise_quat_conjugate(joint->link_in_joint.q));
}

static inline PoiseVec3 poise__unit_axis(int axis) {
    return poise_vec3(axis == 0, axis == 1, axis == 2);
}

/// Returns the four coordinates of a rotation as a quaternion.
static inline PoiseQuat poise__get_quat(const double* q) {
    return poise_quat(q[0], q[1], q[2], q[3]);
}

static inline void poise__put_quat(double* q, PoiseQuat from) {
    q[0] = from.w;
    q[1] = from.x;
    q[2] = from.y;
    q[3] = from.z;
}

// kinds.c
/// Returns the error in the `count` coordinates of a joint of this type, in words, or NULL.
const char* poise__coordinates_problem(const PoiseJointType* type, const double* q, int count);
/// Copies coordinates, and normalises the rotation among them.
void poise__coordinates_set(const PoiseJointType* type, double* q, const double* from);

/// Writes the axes of a def, one for each motion, not normalised.
void poise__def_axes(const PoiseNodeDef* def, PoiseVec3 axes[POISE_MAX_AXES]);

// motion.c
/// Returns the number of columns that the joint has if it serves a point: one per free axis.
int poise__joint_dof(const Joint* joint);
/// True if each number of omega is the step of one column of J. False if omega is a vector: the sum
/// of the columns' axes times their steps.
bool poise__joint_is_direct(const Joint* joint);
/// Writes the world axis of each number of omega, from the frames. `linear`: 1 for a translation
/// along the axis, 0 for a rotation about it.
void poise__joint_number_axes(const Joint* joint, PoiseVec3* axes, unsigned char* linear);
/// Writes the world axis of each column of J. `linear`: 1 for a translation, 0 for a rotation.
void poise__joint_column_axes(const Joint* joint, PoiseVec3* axes, unsigned char* linear);
/// Returns the point through which all axes of rotation pass, world.
PoiseVec3 poise__joint_anchor(const Joint* joint);
/// Returns the address of the rotation vector in `omega`, three numbers; those a hinge does not use
/// are 0. NULL for a joint without rotation.
double* poise__joint_turn_of(const PoiseJointType* type, double omega[POISE_MAX_DOF]);
/// Computes frame = frame * M, where M is the motion of the joint at its coordinates.
void poise__joint_apply(const Joint* joint, PoisePose* frame);
/// Fills the joint's frames from its coordinates. `parent`: frame of the parent's link.
void poise__joint_forward(Joint* joint, const PoisePose* parent);
/// Computes q = q (+) omega, in the numbers of poise_node_omega, and clamps q to the limits.
void poise__joint_move(Joint* joint, const double* omega);
/// Computes reference (-) q in the numbers of poise_node_omega.
void poise__joint_difference(const Joint* joint, const double* reference,
                             double omega[POISE_MAX_DOF]);

// limits.c
/// Returns the error in limits for the type, in words, or NULL.
const char* poise__limits_problem(const PoiseJointType* type, const PoiseLimits* limits);
/// True if the constants of a joint from a saved state are such as poise_node_create makes.
bool poise__joint_is_sound(const Joint* joint);
/// Sets the limits that the type can have; all others become infinite.
void poise__limits_set(Joint* joint, const PoiseLimits* limits);
/// Writes the distances from the present coordinates to the lower and upper limits, by column.
/// Returns the number of columns; 0 for a joint without limits.
int poise__joint_room(const Joint* joint, double lower[POISE_MAX_AXES],
                      double upper[POISE_MAX_AXES]);
/// Returns -1 or 1 if some coordinate is on its lower or upper limit, else 0. The first one
/// decides.
int poise__joint_side(const Joint* joint);
/// Clamps the coordinates to the limits.
void poise__joint_clip(Joint* joint);
/// Writes the axes, world, of a ball with a cone. A rotation about axis 0 increases the swing,
/// about axis 2 the twist; axis 1 is perpendicular to both.
void poise__cone_axes(const Joint* joint, PoiseVec3 axes[3]);
/// Clamps a ball's omega so that it stays in its cone. Returns 1 if the swing was clamped plus 2 if
/// the twist was.
int poise__cone_hold_step(const Joint* joint, double* omega);

#endif
