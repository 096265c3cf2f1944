// SPDX-License-Identifier: MIT
// The spring motor beside one joint of the user's: a dJointAMotor (about axes) and a dJointLMotor
// (along axes) of ours on the same two bodies, attached (child, parent), whose rows are implicit
// spring-dampers. Knows ODE, springs and a joint's motions; nothing of trees.
//
// The springs are not in the joint's own motor: next to an active stop ODE turns that one into an
// explicit force of the whole limit, and it is the user's.
#ifndef POISE_MOTOR_H
#define POISE_MOTOR_H

#include <math.h>
#include <ode/ode.h>

#include "poise/joint.h"
#include "poise/math.h"
#include "poise/spring.h"

/// The two sorts of velocities, as indices: of springs, limits, and ODE's motors.
typedef enum Sort { ABOUT = 0, ALONG = 1, SORTS = 2 } Sort;

/// The most axes that a motor has of its own: three rows of a sort are about or along the world's.
enum { MOTOR_AXES = 3 };

/// A row as ODE was told; a limit of 0 is no row.
typedef struct MotorTold {
    double velocity;
    double cfm;
    double limit;
    PoiseVec3 fixed; ///< its own axis, in the body that it goes with
    PoiseVec3 axis;  ///< and in the world, as of the last drive
} MotorTold;

/// Where the joints of ours for many motors are. ODE destroys a joint that is in a group only with
/// the group, and one that is in none with its world, behind our back: so there is one group, and
/// what a motor gives back is kept for the next. A group for each motor costs 16 KB.
typedef struct MotorPool {
    dJointGroupID group;
    dJointID free[SORTS]; ///< attached to nothing; the data of each is the next
} MotorPool;

void poise__motor_pool_make(MotorPool* pool);
/// Destroys its joints, whether the world is still there or not. Nothing for a pool all zero.
void poise__motor_pool_destroy(MotorPool* pool);
/// An LMotor (ALONG) or AMotor without force and stops, attached to nothing.
dJointID poise__motor_pool_take(MotorPool* pool, dWorldID world, Sort sort);
/// And back, from its bodies; survives that the bodies or the world went first.
void poise__motor_pool_give(MotorPool* pool, dJointID joint, Sort sort);

/// What `told` and `feedback` point to lies elsewhere (poise__motor_place_rows), as large as the
/// joint's type needs it.
typedef struct Motor {
    const PoiseJointType* type;
    MotorPool* pool;       ///< of ours
    dJointID stop;         ///< ours: holds a ball inside its cone; NULL while it has none
    dJointID joint;        ///< the user's; NULL for a node that no joint holds
    dJointID parts[SORTS]; ///< ours; NULL: the joint has no velocity of that sort
    dBodyID child;
    dBodyID parent;        ///< NULL: the static environment
    int place;             ///< of the user's joint in the child's list, as of poise__motor_find
    dJointType joint_type; ///< of the user's joint
    int parent_place;      ///< which of ODE's two bodies of the user's joint the parent was
    /// Velocity of each sort, which stand together, and how many there are.
    signed char first[SORTS];
    signed char count[SORTS];
    signed char axis_count;  ///< axes of its own: all of its velocities have one, or none
    unsigned char of_parent; ///< bit d: the axis of row d goes with the parent
    bool by_hand;            ///< the child is kinematic, as of poise__motor_ready
    bool driven;             ///< rows were set in the last drive
    bool has_stop;
    bool stop_rests;                 ///< ODE was told last that the ball is inside its cone
    double speed_limit;              ///< rad/s, m/s: driven no faster (see poise__motor_drive)
    MotorTold* told;                 ///< by velocity
    dJointFeedback* feedback[SORTS]; ///< of each part; ODE writes into it
} Motor;

/// The most numbers that poise__motor_place_rows needs.
enum {
    MOTOR_TOLD_VALUES = sizeof(MotorTold) / sizeof(double),
    MOTOR_FEEDBACK_VALUES = (sizeof(dJointFeedback) + sizeof(double) - 1) / sizeof(double),
    MOTOR_MOST_VALUES = POISE_MAX_NV * MOTOR_TOLD_VALUES + SORTS * MOTOR_FEEDBACK_VALUES
};

/// The sort of velocity d.
static inline Sort poise__sort(const PoiseJointType* type, int d) {
    return (type->linear >> d & 1u) != 0 ? ALONG : ABOUT;
}

/// Whether ODE takes it for an axis: it ends the process over one of length 0. Not a number is not
/// above, infinity is not below.
static inline bool poise__is_axis(PoiseVec3 axis) {
    const double square = poise_dot(axis, axis);
    return square > 0.25 && square < HUGE_VAL;
}

/// What a motor stands on.
typedef struct MotorDef {
    const PoiseJointType* type;
    dWorldID world;
    dJointID joint; ///< the user's, or NULL
    dBodyID child;
    dBodyID parent; ///< NULL: the static environment
    MotorPool* pool;
} MotorDef;

/// Makes the motor, without rows yet, for a joint and bodies that were checked (ode_joint.h).
/// poise__motor_place_rows and poise__motor_moved are to follow.
void poise__motor_attach(Motor* motor, const MotorDef* def);
/// How many numbers the rows of a type take.
int poise__motor_value_count(const PoiseJointType* type);
/// Puts the rows of a motor of this type into as many numbers, which are 0, or those of before
/// copied.
void poise__motor_place_rows(Motor* motor, const PoiseJointType* type, double* values);
/// The axes of the rows that are not about or along the world's, as the bodies stand, world, length
/// 1. Each goes with the child or, bit d of `of_parent`, with the parent. To be called once before
/// the first drive, and when the geometry has changed.
void poise__motor_set_axes(Motor* motor, const PoiseVec3* axes, unsigned of_parent);
/// The body that the axis of row d goes with.
static inline dBodyID poise__motor_carrier(const Motor* motor, int d) {
    return (motor->of_parent >> d & 1u) != 0 ? motor->parent : motor->child;
}
/// Finds where the bodies have brought them.
void poise__motor_follow_axes(Motor* motor);
/// Gives our joints back and zeroes the struct; survives that the world, the bodies or the joint
/// went first. Nothing is done to a Motor that is all zero.
void poise__motor_detach(Motor* motor);
/// Tells ODE where the feedback is; to be called after it was placed, before the next dWorldStep.
void poise__motor_moved(Motor* motor);

/// Remembers where the user's joint stands among the child's, so that poise__motor_alive finds it
/// at once; to be called when joints came or went. Needs a living child.
void poise__motor_find(Motor* motor);
/// Whether the bodies are still there and the user's joint still joins them. A joint that was
/// destroyed is noticed: it is looked for among those of the child, not followed.
bool poise__motor_alive(const Motor* motor);
/// Whether driving makes sense now: alive, the user's joint enabled, bodies finite, one of the two
/// dynamic. Sleeping bodies are ready: rows do not wake them. `sound`: the parent is known to be
/// finite. Sees whether the child is moved by hand, and where it is (_at; set where it is alive and
/// the joint enabled).
bool poise__motor_ready_at(Motor* motor, bool sound, PoisePose* child);
static inline bool poise__motor_ready(Motor* motor, bool sound) {
    PoisePose child;
    return poise__motor_ready_at(motor, sound, &child);
}

/// One row: implicit Euler over `dt` of tau = p error + d (velocity - rate) + feed_forward,
/// |tau| <= limit, where the rate is that of the end of the step.
typedef struct MotorRow {
    PoiseSpring spring;
    double error;
    double velocity; ///< the target's
    double feed_forward;
    double limit;
} MotorRow;

/// Sets the rows, one for each velocity of the joint, in their order. p = d = 0 leaves feed_forward
/// alone. The rows of a sort are released where all of it is 0 in all of them, or where a number is
/// not usable in one (negative gains, a limit that is not above 0, not finite, more than 1e30).
/// `driven` says whether any were set. Linear rows act at poise__motor_place.
///
/// A row that would drive the joint, unloaded, past its speed limit becomes one that keeps the
/// limit with at most the torque the spring has at rest. Three rows of a sort share it.
void poise__motor_drive(Motor* motor, const MotorRow* rows, double dt);

/// The same for a joint of one velocity, a hinge or a slider, as most are; dt is finite and above
/// 0.
void poise__motor_drive_single(Motor* motor, const MotorRow* row, double dt);

/// No rows: the joint is left alone.
void poise__motor_release(Motor* motor);

/// Tells ODE of the rows again, after the struct has been overwritten with one of another time.
void poise__motor_put_rows(const Motor* motor);

/// What each row gave in the last dWorldStep, on the child, N m and N. 0 where it was not driven,
/// or the bodies slept.
void poise__motor_given(const Motor* motor, double given[POISE_MAX_NV]);
/// True if a step has written what it gave since it was driven.
bool poise__motor_gave(const Motor* motor);
/// Where linear rows act on both bodies: at the child's centre of mass, or the middle between it
/// and that of a parent body, so that they are no couple.
PoiseVec3 poise__motor_place(const Motor* motor);
/// The force on the child of the rows along axes, N.
PoiseVec3 poise__motor_force(const Motor* motor);
/// Adds what it gave to the child and its moment about the world's origin.
void poise__motor_add_outside(const Motor* motor, PoiseVec3* force, PoiseVec3* moment);
/// The world axis of the row of velocity d, as it was driven.
PoiseVec3 poise__motor_row_axis(const Motor* motor, int d);

/// A stop of a ball in its cone: where it is, and how far it may go.
typedef struct ConeStop {
    PoiseVec3 axis; ///< world, about which the angle grows; any of length 1 where that is 0
    double angle;
    double lower;
    double upper;
} ConeStop;

/// motor_cone.c: holds the child inside the cone, swing and twist, by rows of ODE's stops, which
/// take hold one step late; makes the joint for it the first time. ODE is not told again while it
/// stays inside.
void poise__motor_hold_cone(Motor* motor, const ConeStop stops[2]);
/// No stop any more.
void poise__motor_free_cone(Motor* motor);

#endif
