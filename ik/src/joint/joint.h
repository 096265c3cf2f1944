// SPDX-License-Identifier: MIT
// A joint of a tree: its row of the model, its geometry, its limits, its coordinates and frames.
// The only folder that knows what kinds of joints there are.
#ifndef POISE_JOINT_PRIVATE_H
#define POISE_JOINT_PRIVATE_H

#include "base.h"
#include "poise/node.h"

// set by the poise_default_*_def functions, so that a def made by hand is noticed
enum { COOKIE_NODE = 0x504e0001 };

/// Motions with an axis that a joint has at most, and velocities with a range.
enum { POISE_MAX_AXES = 3 };

/// Sine and cosine of half an angle.
typedef struct HalfAngle {
    double sine;
    double cosine;
} HalfAngle;

/// What a step reads of a hinge stands together.
typedef struct Joint {
    uint8_t kind;      ///< PoiseNodeKind
    uint8_t free_axes; ///< bits of PoiseAxes
    bool limited;      ///< some limit is finite
    bool plain_link;   ///< link_in_joint is the identity, as in robot files
    bool parallel;     ///< joint_in_parent turns nothing, as of joints made from bodies

    // the frames as last filled, world
    PoisePose joint_world;
    PoisePose link_world;

    PoisePose link_in_joint;
    PoisePose joint_in_parent;

    /// By velocity. A ball's are its cone: 0 the swing (-swing_limit to swing_limit), 2 the twist.
    double lower[POISE_MAX_AXES];
    double upper[POISE_MAX_AXES];

    double q[POISE_MAX_NQ]; ///< the posture

    union {
        PoiseVec3 axes[POISE_MAX_AXES]; ///< by motion, joint frame
        struct {
            PoiseVec3 axis;
            HalfAngle half_swing;
            HalfAngle half_lower;
            HalfAngle half_upper;
        } cone; ///< of a ball that has one
    };
} Joint;

/// The rows by kind; row 0 is no kind.
extern const PoiseJointType poise__joint_types[];
static inline const PoiseJointType* poise__joint_type(const Joint* joint) {
    return &poise__joint_types[joint->kind];
}

/// How many of a type's velocities are along an axis; they come first.
static inline int poise__joint_moves(const PoiseJointType* type) {
    return (int)((type->linear & 1) + (type->linear >> 1 & 1) + (type->linear >> 2 & 1));
}

/// Whether its velocities are vectors, one of three numbers along the axes, one about them, or
/// both. Else each is along or about an axis of its own.
static inline bool poise__joint_is_vector(const PoiseJointType* type) {
    return type->linear == 7 || type->nq > type->nv;
}

/// Whether single axes of it can be switched off.
static inline bool poise__joint_has_switches(const PoiseJointType* type) {
    return type->linear == 7;
}

/// Whether it can have a cone.
static inline bool poise__joint_can_have_cone(const PoiseJointType* type) {
    return type->motions[0] == POISE_SPHERICAL;
}

/// Whether it can have limits: ranges or a cone.
static inline bool poise__joint_can_have_limits(const PoiseJointType* type) {
    return !poise__joint_is_vector(type) || poise__joint_can_have_cone(type);
}

static inline bool poise__joint_has_cone(const Joint* joint) {
    return joint->limited && poise__joint_can_have_cone(poise__joint_type(joint));
}

/// Whether it turns about one axis, or one point, and does nothing else.
static inline bool poise__joint_only_turns(const PoiseJointType* type) {
    return type->motion_count == 1 && type->linear == 0;
}

/// How the moved joint frame is turned, world: as the link without link_in_joint.
static inline PoiseQuat poise__joint_moved_rotation(const Joint* joint) {
    const PoiseQuat link = joint->link_world.q;
    return joint->plain_link ? link
                             : poise_quat_mul(link, poise_quat_conjugate(joint->link_in_joint.q));
}

static inline PoiseVec3 poise__unit_axis(int axis) {
    return poise_vec3(axis == 0, axis == 1, axis == 2);
}

/// A rotation among coordinates: w, x, y, z.
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
/// What is wrong with `count` coordinates of the type, or NULL.
const char* poise__coordinates_problem(const PoiseJointType* type, const double* q, int count);
/// Takes coordinates; rotations are normalised.
void poise__coordinates_set(const PoiseJointType* type, double* q, const double* from);

/// The axes of a def by motion, as they are in it.
void poise__def_axes(const PoiseNodeDef* def, PoiseVec3 axes[POISE_MAX_AXES]);

// motion.c
/// The columns the joint has when it serves a point: its free axes.
int poise__joint_dof(const Joint* joint);
/// Whether the numbers of its omega are its columns, rather than vectors put together along them.
bool poise__joint_is_direct(const Joint* joint);
/// The axis of each number of omega from the frames, world, and whether it moves along it.
void poise__joint_number_axes(const Joint* joint, PoiseVec3* axes, unsigned char* linear);
/// The same of each of its columns.
void poise__joint_column_axes(const Joint* joint, PoiseVec3* axes, unsigned char* linear);
/// Where its turning axes meet, world.
PoiseVec3 poise__joint_anchor(const Joint* joint);
/// The three numbers of omega that are a turn, NULL for a joint without; those it does not use are
/// 0.
double* poise__joint_turn_of(const PoiseJointType* type, double omega[POISE_MAX_DOF]);
/// frame = frame * the joint's motion.
void poise__joint_apply(const Joint* joint, PoisePose* frame);
/// Fills the frames from the posture and the link that carries the joint.
void poise__joint_forward(Joint* joint, const PoisePose* parent);
/// q = q (+) omega, numbers as of poise_node_omega, held inside the limits.
void poise__joint_move(Joint* joint, const double* omega);
/// reference (-) q in the numbers of poise_node_omega.
void poise__joint_difference(const Joint* joint, const double* reference,
                             double omega[POISE_MAX_DOF]);

// limits.c
/// What is wrong with limits for the type, or NULL.
const char* poise__limits_problem(const PoiseJointType* type, const PoiseLimits* limits);
/// Whether its fixed numbers are as a creator leaves them; of memory from outside.
bool poise__joint_is_sound(const Joint* joint);
/// Takes the limits that its type can have; the others are infinite.
void poise__limits_set(Joint* joint, const PoiseLimits* limits);
/// How far each column may go before it reaches its limit, from the posture; returns how many
/// columns have been filled, 0 for a joint without limits.
int poise__joint_room(const Joint* joint, double lower[POISE_MAX_AXES],
                      double upper[POISE_MAX_AXES]);
/// -1 or 1 where the posture stands on a lower or upper limit, the first that does; 0.
int poise__joint_side(const Joint* joint);
/// Brings the posture inside the limits.
void poise__joint_clip(Joint* joint);
/// A ball's axes while it has a cone, world: to swing farther, across, to twist.
void poise__cone_axes(const Joint* joint, PoiseVec3 axes[3]);
/// What the cone leaves of a ball's omega; bits 1 and 2 of the result: the swing, the twist was
/// held.
int poise__cone_hold_step(const Joint* joint, double* omega);
/// The rotation nearest by swing and twist that the cone allows; bits as above.
int poise__cone_hold(const Joint* joint, PoiseQuat* rotation);

#endif
