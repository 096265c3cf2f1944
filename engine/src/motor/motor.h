// SPDX-License-Identifier: MIT
// The spring motor that Poise adds to one joint of the user: a dJointAMotor (about axes) and a
// dJointLMotor (along axes) on the joint's two bodies, attached as (child, parent). Each axis has a
// constraint row that is an implicit spring-damper. Needs ODE, springs and a joint's motions, but
// no tree.
//
// The joint's own motor is not used for the springs: the user may use it, and at an active stop ODE
// turns a motor into an explicit force as large as the motor's limit.
#ifndef POISE_MOTOR_H
#define POISE_MOTOR_H

#include <math.h>
#include <ode/ode.h>

#include "poise/joint.h"
#include "poise/math.h"
#include "poise/spring.h"

/// The two sorts of a joint's velocities, about axes and along axes: indices of springs, limits and
/// ODE's motors.
typedef enum Sort { ABOUT = 0, ALONG = 1, SORTS = 2 } Sort;

/// The largest number of axes of an ODE motor, and of single motions of a joint.
enum { MOTOR_AXES = 3 };

/// The parameters of a row that ODE has, from the last call that set them; limit 0: no row.
typedef struct SentRow {
    double velocity;
    double cfm;
    double limit;
    PoiseVec3 fixed; ///< axis of the row, in the frame of the body that carries the axis
    PoiseVec3 axis;  ///< axis of the row in the world, at the last drive
} SentRow;

/// The motor joints of one rig, in one joint group of ODE. ODE destroys a joint in a group only
/// with the group, but a joint in no group with its world, without notice. The pool keeps joints
/// that a motor has returned in `free` for the next motor, since a group for each motor would take
/// 16 KB.
typedef struct MotorPool {
    dJointGroupID group;
    /// by sort: a list of detached joints, in which the user data of each joint is the next joint
    dJointID free[SORTS];
} MotorPool;

void poise__motor_pool_make(MotorPool* pool);
/// Destroys the pool's joints, even if the world no longer exists. A pool of zeros is allowed.
void poise__motor_pool_destroy(MotorPool* pool);
/// Returns an LMotor (ALONG) or AMotor (ABOUT) without force, stops and bodies.
dJointID poise__motor_pool_take(MotorPool* pool, dWorldID world, Sort sort);
/// Detaches a joint and returns it to the pool, even if its bodies or world no longer exist.
void poise__motor_pool_give(MotorPool* pool, dJointID joint, Sort sort);

/// The spring motor of a joint. `sent` and `feedback` point to memory of the caller
/// (poise__motor_place_rows), whose size depends on the joint's type.
typedef struct Motor {
    const PoiseJointType* type;
    MotorPool* pool; ///< pool of the rig's motors
    /// joint that Poise adds to hold a ball inside its cone; NULL before the first cone
    dJointID stop;
    dJointID joint; ///< the user's joint; NULL for a free node, which no joint holds
    /// motor joints that Poise adds; NULL if the joint has no velocity of that sort
    dJointID parts[SORTS];
    dBodyID child;
    dBodyID parent; ///< NULL: the static environment
    int place;      ///< index of the user's joint in the child's list of joints (poise__motor_find)
    dJointType joint_type; ///< type of the user's joint
    int parent_place;      ///< index of the parent, 0 or 1, in the two bodies of the user's joint
    /// Index of the first velocity of each sort, and number of its velocities, which are adjacent.
    signed char first[SORTS];
    signed char count[SORTS];
    /// number of axes that poise__motor_set_axes sets; 0 if the rows use the world's axes
    signed char axis_count;
    unsigned char of_parent; ///< bit d: the parent carries the axis of row d
    // snapshots copy the members from here to `sent` as plain memory (MOTOR_PLAIN in rig.h)
    bool by_hand; ///< the child is kinematic, so that the user moves it (poise__motor_ready_at)
    bool driven;  ///< the last drive has set rows
    bool has_stop;
    bool stop_rests; ///< both stops of the cone that ODE has are inactive, since the ball is inside
    /// largest speed to which the motor drives the joint, rad/s or m/s (poise__motor_drive)
    double speed_limit;
    SentRow* sent;                   ///< parameters of the rows that ODE has, by velocity
    dJointFeedback* feedback[SORTS]; ///< force of each motor joint, which ODE writes in a step
} Motor;

/// The largest number of doubles that poise__motor_place_rows needs.
enum {
    MOTOR_SENT_VALUES = sizeof(SentRow) / sizeof(double),
    MOTOR_FEEDBACK_VALUES = (sizeof(dJointFeedback) + sizeof(double) - 1) / sizeof(double),
    MOTOR_MOST_VALUES = POISE_MAX_NV * MOTOR_SENT_VALUES + SORTS * MOTOR_FEEDBACK_VALUES
};

/// Returns the sort of velocity d: ALONG or ABOUT an axis.
static inline Sort poise__sort(const PoiseJointType* type, int d) {
    return (type->linear >> d & 1u) != 0 ? ALONG : ABOUT;
}

/// True if the vector can be an axis: finite, and not near 0, at which ODE ends the process.
static inline bool poise__is_axis(PoiseVec3 axis) {
    const double square = poise_dot(axis, axis);
    return square > 0.25 && square < HUGE_VAL;
}

/// The joint and bodies for which poise__motor_attach makes a motor.
typedef struct MotorDef {
    const PoiseJointType* type;
    dWorldID world;
    dJointID joint; ///< the user's joint, or NULL
    dBodyID child;
    dBodyID parent; ///< NULL: the static environment
    MotorPool* pool;
} MotorDef;

/// Makes the motor, without rows yet, for a joint and bodies that ode_joint.h has checked. Call
/// poise__motor_place_rows and poise__motor_moved next.
void poise__motor_attach(Motor* motor, const MotorDef* def);
/// Returns how many doubles the rows of a joint type need.
int poise__motor_value_count(const PoiseJointType* type);
/// Makes `sent` and `feedback` point into `values`, which contain zeros or a copy of earlier rows.
void poise__motor_place_rows(Motor* motor, const PoiseJointType* type, double* values);
/// Sets the axes (world, length 1, in the present poses) of rows that do not use the world's axes.
/// An axis turns with the child, or with the parent if bit d of `of_parent` is set. Call this
/// before the first drive, and after a change of the geometry.
void poise__motor_set_axes(Motor* motor, const PoiseVec3* axes, unsigned of_parent);
/// Returns the body with which the axis of row d turns.
static inline dBodyID poise__motor_carrier(const Motor* motor, int d) {
    return (motor->of_parent >> d & 1u) != 0 ? motor->parent : motor->child;
}
/// Updates the world axes of the rows from the bodies' rotations.
void poise__motor_follow_axes(Motor* motor);
/// Returns the motor joints to the pool and zeroes the struct, even if the world, the bodies or the
/// user's joint no longer exist. A motor of zeros is allowed.
void poise__motor_detach(Motor* motor);
/// Gives ODE the address of the feedback. Call it after poise__motor_place_rows, before the next
/// dWorldStep.
void poise__motor_moved(Motor* motor);

/// Stores the index of the user's joint in the child's list of joints, where poise__motor_alive
/// then looks first. Call it when joints were added or removed. The child must exist.
void poise__motor_find(Motor* motor);
/// True if the bodies still exist and the user's joint still joins them. Searches the joint in the
/// child's list without reading it, so that a destroyed joint is only missing.
bool poise__motor_alive(const Motor* motor);
/// True if the motor can be driven: it is alive, the user's joint is enabled, and the bodies are
/// finite, one of them dynamic. Sleeping bodies are ready; rows do not wake them. `sound`: the
/// parent is already known to be finite. Sets by_hand and, if the motor is alive and the joint
/// enabled, `child`, the child's pose.
bool poise__motor_ready_at(Motor* motor, bool sound, PoisePose* child);

/// A row: an implicit Euler step over `dt` with the torque tau = p error + d (velocity - rate) +
/// feed_forward, |tau| <= limit. `rate` is the joint's velocity at the end of the step.
typedef struct MotorRow {
    PoiseSpring spring;
    double error;
    double velocity; ///< velocity of the target, rad/s or m/s
    double feed_forward;
    double limit;
} MotorRow;

/// Sets the rows, one for each velocity of the joint. If p = d = 0, a row has the torque
/// feed_forward alone. All rows of a sort are released if all their numbers are 0, or if a number
/// is not usable: negative gains, a limit not above 0, a number not finite or above 1e30.
/// motor->driven is true if rows are set. Rows along axes act at poise__motor_place.
///
/// If a row would drive the unloaded joint faster than its speed limit, that limit becomes its
/// target velocity. Its torque is then at most that of the spring at rest. Three rows of a sort
/// share the speed limit.
void poise__motor_drive(Motor* motor, const MotorRow* rows, double dt);

/// Drives a joint of one velocity, a hinge or a slider, like poise__motor_drive. dt must be finite
/// and > 0.
void poise__motor_drive_single(Motor* motor, const MotorRow* row, double dt);

/// Releases all rows: the motor exerts no torque, and the joint moves freely.
void poise__motor_release(Motor* motor);

/// Returns why a spring is invalid, or NULL if it is valid.
const char* poise__spring_check(PoiseSpring spring);
/// Sets all parameters of the rows in ODE, after `sent` was overwritten by a saved state.
void poise__motor_put_rows(const Motor* motor);

/// Reads the torque of each row on the child in the last dWorldStep, N m or N. Writes 0 if the row
/// was not driven, or the bodies slept.
void poise__motor_given(const Motor* motor, double given[POISE_MAX_NV]);
/// True if a dWorldStep has written the feedback since the last drive.
bool poise__motor_has_feedback(const Motor* motor);
/// Returns the position where rows along axes act on both bodies: the child's centre of mass, or
/// the middle between the two centres of mass, so that the two forces make no couple.
PoiseVec3 poise__motor_place(const Motor* motor);
/// Returns the velocity of the child relative to the parent, world: the angular velocity for ABOUT,
/// rad/s; the linear velocity at `place` for ALONG, m/s.
PoiseVec3 poise__motor_velocity(const Motor* motor, PoiseVec3 place, Sort sort);
/// Returns the force on the child of the rows along axes in the last dWorldStep, N.
PoiseVec3 poise__motor_force(const Motor* motor);
/// Adds the force of the rows along axes on the child, N, and its moment about the world's origin,
/// N m.
void poise__motor_add_outside(const Motor* motor, PoiseVec3* force, PoiseVec3* moment);
/// Returns the world axis of the row of velocity d, at the last drive.
PoiseVec3 poise__motor_row_axis(const Motor* motor, int d);

/// A stop of a ball in its cone: the axis, angle and bounds of the swing or of the twist, rad.
typedef struct ConeStop {
    /// world, length 1: rotation about it increases the angle; any axis if the angle is 0
    PoiseVec3 axis;
    double angle;
    double lower;
    double upper;
} ConeStop;

/// motor_cone.c: keeps swing and twist of the child inside the cone, by ODE's stops, which act one
/// step late. The first call makes the joint with the stops. ODE is not called while the child
/// stays inside.
void poise__motor_hold_cone(Motor* motor, const ConeStop stops[2]);
/// Removes the stops of the cone.
void poise__motor_free_cone(Motor* motor);

#endif
