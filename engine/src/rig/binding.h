// SPDX-License-Identifier: MIT
// A bound joint. Its Binding has the values that steps do not change: node, ODE joint or body,
// springs, motor and geometry. Its JointState has the values that steps change; a forecast has a
// second one.
//
// Velocities are in the joint frame, as in poise_joint_difference, or along and about the world's
// axes, as in poise_node_omega. The two differ for blocks of three axes: three prismatic motions,
// or a spherical one.
#ifndef POISE_BINDING_H
#define POISE_BINDING_H

#include <string.h>

#include "convert.h"
#include "motor.h"
#include "poise/rig.h"

enum { NO_BINDING = -1 };
/// Largest number of ranges of a joint; velocities 3 to 5 have none.
enum { RANGES = 3 };
/// Number of doubles of an inertia: xx, yy, zz, xy, xz, yz.
enum { INERTIAS = 6 };

/// A group of a joint's velocities, for a single motion, a spherical motion or three prismatic
/// motions.
typedef struct Block {
    signed char first; ///< index of the first velocity
    signed char count; ///< number of velocities, 1 or 3
    signed char sort;  ///< ALONG or ABOUT the axes (Sort)
    signed char q;     ///< index of the first coordinate
} Block;

/// True if the block is a spherical motion; the other blocks of three velocities are translations.
static inline bool poise__block_is_rotation(const Block* block) {
    return block->count == 3 && block->sort == ABOUT;
}

/// Number of arrays of JointState with nq doubles each (coordinates), and with nv doubles each
/// (velocities).
enum { JOINT_COORDINATES = 4, JOINT_VELOCITIES = 10 };

/// The part of a joint that only the user or the tree's sets change. Its arrays, whose sizes are
/// those of the joint's type, are placed by storage.c one after another from `natural` on. Members
/// that most steps read are adjacent, because a thousand rigs do not fit into the caches.
typedef struct Binding {
    // handles, addresses, and properties of the bodies that are read at binding
    double* natural; ///< coordinates of theta_orig
    // centre of mass of the link in the child body's frame, m, and the inertia about it, kg m^2
    PoiseVec3 centre;
    double inertia[INERTIAS];
    /// index of the first binding of the chain from the base to this one; its own if it is the
    /// first
    int root;
    bool finite_rotation_was; ///< ODE's finite rotation mode of the body before the rig set it
    bool finite_rotation_set;

    Motor motor;
    const PoiseJointType* type;
    PoiseNodeId node;
    PoiseVec3* axes; ///< axes of the single motions in order, or axis of a ball's cone; joint frame
    int parent;      ///< index of the parent node's binding; NO_BINDING on the base
    Block blocks[POISE_MAX_MOTIONS];
    signed char block_count;
    bool on_base;    ///< its node has no parent node
    double friction; ///< dry friction of a joint of one velocity, N m or N
    /// Lower ends of the ranges, rad or m; the index is that of the joint's velocity. A ball has
    /// the ranges of its cone: [0] swing, [2] twist.
    double* lower;
    double* upper; ///< upper ends of the ranges

    // Snapshots copy the members from here on as plain memory (BINDING_PLAIN). moved_in_link is the
    // joint frame after the joint's motion, in the link's frame.
    PoisePose moved_in_link;
    bool has_cone;
    /// the joint frame has the rotation of the parent body: joint_in_parent_body has none
    bool parallel;
    bool plain_link;  ///< link_in_body is the identity
    bool plain_moved; ///< moved_in_link is the identity
    bool follows_ik;  ///< the solve drives it: p_ik > 0, and it is registered with a point
    bool looped;      ///< its joint is part of a closed loop

    // springs and limits
    PoiseSpring original[SORTS];
    PoiseSpring ik[SORTS];
    double force_limit[SORTS];

    PoisePose joint_in_parent_body;
    PoisePose link_in_body;
    PoisePose base_in_body;
    // mass of the link and of the bodies fixed to it, kg, and its centre in the link's frame, m
    double mass;
    PoiseVec3 com_link;
    /// the node's first coordinate in the tree at binding, whose whole turns the measured angle
    /// keeps
    double unbound;
    double zero; ///< PoiseBindDef.zero
} Binding;

/// The part of a joint that steps change: one in the rig and one in each forecast. storage.c places
/// its arrays one after another from `lag` on.
typedef struct JointState {
    // arrays with one double for each velocity that most steps do not use
    double* lag;      ///< displacement of the IK spring that balances its damper, by velocity
    double* integral; ///< torque of the integral (step/integral.c), joint frame
    double* pressing; ///< torque that is added while a point presses, world (press.c)
    double* closing; ///< torque that a closed loop adds to the feed-forward, world (loop_torques.c)
    double* carrying; ///< torque of the ground's forces f_s at the stances: -J_s^T f_s, world
    /// velocity of theta_ik in the last update, while goals move; after a clamp the velocity in
    /// this update
    double* last_velocity;
    double* motion_feed; ///< feed-forward of inertia and dry friction for the goal's motion, world

    const Binding* of;
    // arrays by coordinate
    double* q;        ///< measured coordinates
    double* q_last;   ///< measured coordinates at the last update
    double* q_ik;     ///< theta_ik, the tree's coordinates
    double* q_target; ///< theta_new, the target of the blended spring
    // arrays by velocity
    double* velocity; ///< velocity of theta_ik, joint frame
    /// theta_new - theta of a joint of several velocities at the last drive. A rotation continues
    /// past half a turn instead of jumping to the shorter arc.
    double* error;
    double* feed_forward; ///< torque fed forward, world

    // snapshots copy the members from here on as plain memory (JOINT_PLAIN)
    PoisePose joint_world;
    PoisePose link_world;
    PoiseSpring spring[SORTS]; ///< p_new, d_new of the last drive

    /// the tree has the link's mass: its body has gravity, is not kinematic and not broken off
    bool weighs;
    bool base_moves;  ///< the user moves the base, and the tree has the base's velocity
    bool bounds_step; ///< the tree has a bound for the joint's displacement in a step
    bool ready;
    bool lost; ///< not `ready` in the last step, so that the solve leaves the joint out
    bool cut;  ///< this joint, or a joint between it and the base, is broken
    /// the joint's weight can be fed forward: its base is fixed, stands on feet or is moved by the
    /// user
    bool anchored;
    bool has_last;
    bool has_driven;
    bool clamped; ///< its torque limit kept theta_ik near theta in this step (anti_windup.c)
    /// bit d: the joint presses on an end of velocity d's range; of a ball: STOP_SWING, STOP_TWIST
    unsigned stops;
} JointState;

/// True if a joint of a loop is at a stop of velocity d, and therefore rigid.
static inline bool poise__joint_stopped_in_loop(const JointState* joint, int d) {
    return joint->of->looped && (joint->stops >> d & 1u) != 0;
}

/// Copies `count` doubles. The counts of hinges and balls (1, 3, 4) need no call of memcpy.
static inline void poise__numbers_copy(double* to, const double* from, int count) {
    if (count == 1) {
        *to = *from;
    } else if (count == 3) {
        memcpy(to, from, 3 * sizeof *to);
    } else if (count == 4) {
        memcpy(to, from, 4 * sizeof *to);
    } else {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

/// Returns the angle that differs from `angle` by whole turns and is nearest to `near`, rad.
static inline double poise__on_turn_of(double angle, double near) {
    const double off = near - angle;
    return fabs(off) < POISE_PI ? angle : angle + 2.0 * POISE_PI * round(off / (2.0 * POISE_PI));
}

/// Sets v, an array by velocity of the joint, to 0.
static inline void poise__joint_clear(const JointState* joint, double* v) {
    memset(v, 0, (size_t)joint->of->type->nv * sizeof *v);
}

// -------------------------------------------------------------------------------- joint type

/// Fills the joint type and the blocks of a binding.
void poise__binding_set_type(Binding* binding, PoiseNodeKind kind);
/// True if the joint's velocities are one or two vectors of three, along or about the world's axes.
static inline bool poise__binding_is_vector(const Binding* binding) {
    return binding->blocks[0].count == 3;
}
/// True if the node is free: translations along three axes and a spherical motion.
bool poise__binding_is_free(const Binding* binding);
/// poise__binding_ik returns the IK spring along or about axes; zeros if the solve does not drive
/// the joint. poise__binding_spring returns the sum of the natural and the IK spring.
static inline PoiseSpring poise__binding_ik(const Binding* binding, Sort sort) {
    const PoiseSpring none = {0.0, 0.0};
    return binding->follows_ik ? binding->ik[sort] : none;
}
static inline PoiseSpring poise__binding_spring(const Binding* binding, Sort sort) {
    PoiseSpring sum = poise__binding_ik(binding, sort);
    sum.stiffness += binding->original[sort].stiffness;
    sum.damping += binding->original[sort].damping;
    return sum;
}
/// Returns the sort of velocities to which PoiseBindDef.ik and torque_limit apply: ABOUT, or ALONG
/// if the joint only slides.
static inline Sort poise__binding_main_sort(const Binding* binding) {
    return binding->motor.count[ABOUT] > 0 ? ABOUT : ALONG;
}
/// True if the binding has an IK spring.
bool poise__binding_is_driven(const Binding* binding);
/// True if the joint can carry the links after it: it is an ODE joint, or has springs along and
/// about all axes.
bool poise__binding_holds_up(const Binding* binding);
/// True if the binding is a floating base.
bool poise__base_floats(const Binding* binding);
/// True if springs hold the joint, so that weight can be fed forward.
bool poise__binding_is_sprung(const Binding* binding);

/// Returns how many velocities of a type have a range; a ball has 3, for its cone.
int poise__binding_range_count(const PoiseJointType* type);
/// storage.c: poise__binding_place and poise__joint_place set the addresses of the arrays of a
/// binding and of a joint's state in `values`. poise__joint_value_count returns the number of
/// doubles of a state.
void poise__binding_place(Binding* binding, double* values);
void poise__joint_place(JointState* joint, double* values);
int poise__joint_value_count(const PoiseJointType* type);
/// Returns a copy of the state, with its arrays in `values`.
JointState poise__joint_copy(const JointState* from, double* values);

/// Detaches the motor and restores the body's rotation mode, if both still exist.
void poise__binding_finish(Binding* binding);

// ---------------------------------------------------------------------------- measured posture

/// Returns the present frame of the binding's link, from its body, which must exist.
static inline PoisePose poise__binding_link(const Binding* binding) {
    return poise_pose_mul(poise__body_pose(binding->motor.child), binding->link_in_body);
}

/// Measures frames and coordinates from the bodies. `child`: pose of the child body. `below`: state
/// of the joint that carries the parent body, whose link frame is reused; or NULL.
void poise__joint_measure(JointState* joint, const PoisePose* child, const JointState* below);
/// poise__binding_read_posture reads the node's posture from the tree into `q`, nq doubles;
/// poise__joint_from_tree its frames and posture into `joint`; poise__joint_ik_from_tree its
/// posture into joint->q_ik.
void poise__binding_read_posture(const Binding* binding, const PoiseTree* tree, double* q);
void poise__joint_from_tree(JointState* joint, const PoiseTree* tree);
void poise__joint_ik_from_tree(JointState* joint, const PoiseTree* tree);
/// Writes the measured posture into a tree.
PoiseStatus poise__joint_to_tree(const JointState* joint, PoiseTree* tree);
/// Reads ranges and cone from a tree.
void poise__binding_read_limits(Binding* binding, const PoiseTree* tree);

/// Convert velocities in place from the joint frame to the world's axes, and back. `frame` is the
/// rotation of the joint frame, world.
void poise__joint_to_world(const JointState* joint, double* v);
void poise__world_to_joint(const Binding* binding, PoiseQuat frame, double* v);
/// Fills the world axis of each velocity; a block of three has the world's axes.
void poise__joint_axes(const JointState* joint, PoiseVec3 axes[POISE_MAX_NV]);
/// Returns the centre of the joint's rotations, world.
PoiseVec3 poise__joint_pivot(const JointState* joint);
/// Fills J^T (force, moment): the joint's torques for a force at `place` and a moment on the link,
/// world.
void poise__joint_torques(const JointState* joint, PoiseVec3 place, PoiseVec3 force,
                          PoiseVec3 moment, double torque[POISE_MAX_NV]);

/// Sets the motor's axes, in the present poses. `joint` is the state of the binding.
void poise__binding_fix_axes(Binding* binding, const JointState* joint);

#endif
