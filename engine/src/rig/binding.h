// SPDX-License-Identifier: MIT
// One driven joint: a node, the joint or body that it stands for, its springs and its motor, by
// coordinates (nq) and velocities (nv) of its joint type, whatever its kind; and apart from it what
// a step changes, of which a forecast has one of its own.
//
// Velocities stand in the joint frame, as poise_joint_difference has them, or along and about the
// world's axes, as poise_node_omega has them: these differ where three prismatic motions, or a
// spherical one, are a block of three axes.
#ifndef POISE_BINDING_H
#define POISE_BINDING_H

#include <string.h>

#include "motor.h"
#include "poise/rig.h"

#define POISE_TWO_PI 6.28318530717958647693

enum { NO_BINDING = -1 };
/// Velocities that can have a range: single motions are among the first ones.
enum { RANGES = 3 };
/// Numbers of an inertia: xx, yy, zz, xy, xz, yz.
enum { INERTIAS = 6 };

/// Velocities that count together: one motion, or three prismatic ones in a row.
typedef struct Block {
    signed char first; ///< velocity
    signed char count; ///< 1 or 3
    signed char sort;  ///< Sort
    signed char q;     ///< its first coordinate
} Block;

/// Whether it is a rotation about any axis: other blocks of three are translations.
static inline bool poise__block_is_rotation(const Block* block) {
    return block->count == 3 && block->sort == ABOUT;
}

/// Arrays of coordinates and of velocities that a joint's state has, and the most numbers in them;
/// and the most of a binding, with its motor's.
enum {
    JOINT_COORDINATES = 4,
    JOINT_VELOCITIES = 10,
    JOINT_MOST_VALUES = JOINT_COORDINATES * POISE_MAX_NQ + JOINT_VELOCITIES * POISE_MAX_NV,
    BINDING_MOST_VALUES = POISE_MAX_NQ + MOTOR_MOST_VALUES + 3 * MOTOR_AXES + 2 * RANGES
};

/// What stays from step to step, until the user or the tree's sets change it. Its arrays have as
/// many numbers as the joint's type and lie one behind the other, from `natural` on and with the
/// motor's behind it, where storage.c has put them. What most steps read of it stands together, in
/// the middle: of a thousand rigs no cache holds all.
typedef struct Binding {
    double* natural; ///< coordinates
    double unbound;  ///< the tree's first angle before it was bound: on which turn it is
    double zero;     ///< PoiseBindDef's
    // mass of the link and what is welded to it, and its centre in the link's frame
    double mass;
    PoiseVec3 com_link;
    // of the same, in the child body's frame: its centre, and the inertia about that, kg m^2
    PoiseVec3 centre;
    double inertia[INERTIAS];
    int root; ///< binding at the bottom of its chain, itself where it is the bottom

    // fixed geometry: the base that the tree knows in the body it stands on, the link in the child
    // body, the moved joint frame in the link, and below the joint frame in the parent body
    PoisePose base_in_body;
    PoisePose link_in_body;
    PoisePose moved_in_link;

    Motor motor;
    const PoiseJointType* type;
    PoiseNodeId node;
    PoiseVec3* axes; ///< of the motions in turn; a ball's: of its cone; joint frame
    int parent;      ///< binding of the node this one stands on, or NO_BINDING on the base
    Block blocks[POISE_MAX_MOTIONS];
    signed char block_count;
    bool on_base; ///< its node stands on no other

    bool has_cone;
    bool parallel;    ///< joint_in_parent_body turns nothing
    bool plain_link;  ///< link_in_body is the identity
    bool plain_moved; ///< moved_in_link is
    bool follows_ik;  ///< the solver's answer is for it: p_ik > 0 and registered with a point
    bool looped;      ///< a closure moves it
    bool finite_rotation_was; ///< the body's mode before us
    bool finite_rotation_set;

    // springs and limits
    PoiseSpring original[SORTS];
    PoiseSpring ik[SORTS];
    double force_limit[SORTS];
    double friction; ///< of a joint of one velocity
    /// Of single motions, by velocity. A ball's are its cone: 0 the swing, 2 the twist.
    double* lower;
    double* upper;

    PoisePose joint_in_parent_body;
} Binding;

/// What a step changes of a joint: as of the rig's last update, or on a forecast's way. Arrays as
/// those of a binding, from `lag` on.
typedef struct JointState {
    // velocities that few steps need
    double* lag;         ///< of its damper, as a part of the clamp (anti_windup.c)
    double* integral;    ///< torques that have been added up, joint frame
    double* pressing;    ///< what the drive must add while a point presses, world
    double* closing;     ///< what a loop's closing joint adds to it, world
    double* carrying;    ///< what the ground's forces take of it: -J_s^T f_s, world
    double* before;      ///< velocity of the update before, where goals move; out of a clamp: now
    double* motion_feed; ///< fed forward too: inertia and dry friction of the motion asked, world

    const Binding* of;
    // coordinates
    double* q;        ///< measured
    double* q_last;   ///< the step before
    double* q_ik;     ///< theta_ik
    double* q_target; ///< theta_new
    // velocities
    double* velocity;     ///< of theta_ik, joint frame
    double* error;        ///< of the last drive: a rotation does not flip past half a turn
    double* feed_forward; ///< world

    PoisePose joint_world;
    PoisePose link_world;
    PoiseSpring spring[SORTS]; ///< p_new, d_new of the last drive

    bool weighs;      ///< the mass counts: the body feels gravity and is not kinematic
    bool base_moves;  ///< by hand: the tree was told how
    bool bounds_step; ///< the tree was told a range of its step
    bool ready;
    bool lost;     ///< was not ready in the last step, so that the solver leaves it out
    bool cut;      ///< it, or what it stands on, has come off
    bool anchored; ///< of a root: the base stands firm, so gravity can be fed forward
    bool has_last;
    bool has_driven;
    bool clamped; ///< its torque limit held theta_ik back in this step
    unsigned
        stops; ///< bit d: pushed against the end of velocity d's range; a ball's: see range_stops.h
} JointState;

/// Whether a joint of a loop stands on a stop of velocity d, and is as stiff as that.
static inline bool poise__joint_stopped_in_loop(const JointState* joint, int d) {
    return joint->of->looped && (joint->stops >> d & 1u) != 0;
}

/// Copies the numbers of an array; those of hinges and balls without a call.
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

/// The angle, by so many whole turns that it is nearest to another.
static inline double poise__on_turn_of(double angle, double near) {
    const double off = near - angle;
    return fabs(off) < 0.5 * POISE_TWO_PI ? angle
                                          : angle + POISE_TWO_PI * round(off / POISE_TWO_PI);
}

// -------------------------------------------------------------------------------- what it is

/// Fills type and blocks.
void poise__binding_set_type(Binding* binding, PoiseNodeKind kind);
/// Whether its velocities are vectors, three along or about the world's axes each.
static inline bool poise__binding_is_vector(const Binding* binding) {
    return binding->blocks[0].count == 3;
}
/// Whether it floats freely: translations along three axes and a spherical motion.
bool poise__binding_is_free(const Binding* binding);
/// The spring to theta_ik of velocity d, 0 where the solver's answer is not for it; the blended
/// spring; the limit, N m and N.
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
/// Whether springs of its own drive it towards theta_ik, rather than what it stands on.
bool poise__binding_is_driven(const Binding* binding);
/// Whether it can carry what hangs on it: a joint, or springs along and about all axes.
bool poise__binding_holds_up(const Binding* binding);
/// Whether it is a base that nothing holds.
bool poise__base_floats(const Binding* binding);
/// Whether two springs or a torque hold it, so that the weight can be fed forward to it.
bool poise__binding_is_sprung(const Binding* binding);

/// How many velocities of a type have a range, a ball's cone counting as three.
int poise__binding_range_count(const PoiseJointType* type);
/// storage.c: how many numbers the arrays of a binding have in all, and to put them into `values`;
/// likewise of a joint's state.
int poise__binding_value_count(const PoiseJointType* type);
void poise__binding_place(Binding* binding, double* values);
int poise__joint_value_count(const PoiseJointType* type);
void poise__joint_place(JointState* joint, double* values);
/// The same state with numbers of its own, which are put into `values`.
JointState poise__joint_copy(const JointState* from, double* values);

/// Becomes what another binding, of the same node of another rig or time, is, with its numbers
/// (poise__binding_value_count), all but what names things of one world or tree: the motor's joints
/// and bodies and the axes in these stay its own.
void poise__binding_resume(Binding* binding, const Binding* from, const double* values);
/// Likewise a joint's state (poise__joint_value_count numbers, from `lag` on).
void poise__joint_resume(JointState* joint, const JointState* from, const double* values);

/// Takes the motor away and puts back what was changed on the body, as far as they are there.
void poise__binding_finish(Binding* binding);

// ---------------------------------------------------------------------------- where it is

/// Frames and coordinates from the bodies. `child`: where the child is. `below`: the joint whose
/// body it stands on where that has just been measured, so that it is not read twice; or NULL.
void poise__joint_measure(JointState* joint, const PoisePose* child, const JointState* below);
/// Likewise from a tree's frames and posture; and theta_ik out of it.
/// The posture of the node in the tree, nq numbers.
void poise__binding_read_posture(const Binding* binding, const PoiseTree* tree, double* q);
void poise__joint_from_tree(JointState* joint, const PoiseTree* tree);
void poise__joint_ik_from_tree(JointState* joint, const PoiseTree* tree);
/// The measured posture into a tree.
PoiseStatus poise__joint_to_tree(const JointState* joint, PoiseTree* tree);
/// Ranges and cone out of a tree.
void poise__binding_read_limits(Binding* binding, const PoiseTree* tree);

/// Velocities of the joint frame along and about the world's axes, in place; and back, for a joint
/// frame that is turned like `frame`.
void poise__joint_to_world(const JointState* joint, double* v);
void poise__world_to_joint(const Binding* binding, PoiseQuat frame, double* v);
/// World axis of each velocity, in the sense of the world's axes where three are a block.
void poise__joint_axes(const JointState* joint, PoiseVec3 axes[POISE_MAX_NV]);
/// The point that its rotations are about, world.
PoiseVec3 poise__joint_pivot(const JointState* joint);
/// The torques of a force at a place and a moment on the link: J^T (force, moment), world.
void poise__joint_torques(const JointState* joint, PoiseVec3 place, PoiseVec3 force,
                          PoiseVec3 moment, double torque[POISE_MAX_NV]);

/// Tells the motor of the axes, as the bodies stand. `joint` is the state of the binding.
void poise__binding_fix_axes(Binding* binding, const JointState* joint);

#endif
