// SPDX-License-Identifier: MIT
// The spring motor that Poise adds to one joint of the user: a dJointAMotor (about axes) and a
// dJointLMotor (along axes) on the joint's two bodies, attached (child, parent). Their rows are
// implicit spring-dampers. Uses ODE, springs and a joint's motions, but no tree.
//
// The joint's own motor is not used for the springs: the user may use it, and ODE turns a motor at
// an active stop into an explicit force of the motor's whole limit.
#ifndef POISE_MOTOR_H
#define POISE_MOTOR_H

#include <math.h>
#include <ode/ode.h>

#include "poise/joint.h"
#include "poise/math.h"
#include "poise/spring.h"

/// The two sorts of velocities, used as indices of springs, limits, and ODE's motors.
typedef enum Sort { ABOUT = 0, ALONG = 1, SORTS = 2 } Sort;

/// The largest number of axes of an ODE motor, and of single motions of a joint.
enum { MOTOR_AXES = 3 };

/// The parameters of a row as last set in ODE; limit 0: no row.
typedef struct SentRow {
    double velocity;
    double cfm;
    double limit;
    PoiseVec3 fixed; ///< the row's axis, in the body that carries the axis
    PoiseVec3 axis;  ///< this axis in the world, at the last drive
} SentRow;

/// The motor joints of one rig, in one group. ODE destroys a joint in a group only with the group,
/// and a joint in no group with its world, without notice. Joints that a motor returns are kept in
/// `free` for the next motor, since a group for each motor would take 16 KB.
typedef struct MotorPool {
    dJointGroupID group;
    dJointID free[SORTS]; ///< detached joints; the data of each points to the next
} MotorPool;

void poise__motor_pool_make(MotorPool* pool);
/// Destroys the pool's joints, also if the world no longer exists. A pool of zeros is allowed.
void poise__motor_pool_destroy(MotorPool* pool);
/// Returns an LMotor (ALONG) or AMotor without force, stops and bodies.
dJointID poise__motor_pool_take(MotorPool* pool, dWorldID world, Sort sort);
/// Detaches a joint and returns it to the pool; also if its bodies or world no longer exist.
void poise__motor_pool_give(MotorPool* pool, dJointID joint, Sort sort);

/// A motor. `sent` and `feedback` point to memory of the caller (poise__motor_place_rows), whose
/// size depends on the joint's type.
typedef struct Motor {
    const PoiseJointType* type;
    MotorPool* pool; ///< pool of the rig's motors
    dJointID stop;   ///< added joint that holds a ball inside its cone; NULL before the first cone
    dJointID joint;  ///< the user's joint; NULL for a free node, which no joint holds
    dJointID parts[SORTS]; ///< added motors; NULL if the joint has no velocity of that sort
    dBodyID child;
    dBodyID parent;        ///< NULL: the static environment
    int place;             ///< index of the user's joint in the child's list, by poise__motor_find
    dJointType joint_type; ///< type of the user's joint
    int parent_place;      ///< index of the parent among the two bodies of the user's joint
    /// Index of the first velocity of each sort, and their number; velocities of a sort are
    /// adjacent.
    signed char first[SORTS];
    signed char count[SORTS];
    /// number of axes that poise__motor_set_axes sets: nv, or 0 if the rows use the world's axes
    signed char axis_count;
    unsigned char of_parent; ///< bit d: the parent carries the axis of row d
    // snapshots copy the members from here to `sent` as plain memory (MOTOR_PLAIN in rig.h)
    bool by_hand; ///< the child is kinematic: moved by the user (set by poise__motor_ready_at)
    bool driven;  ///< the last drive set rows
    bool has_stop;
    bool stop_rests;    ///< ODE's last stop of the cone was inactive: the ball is inside
    double speed_limit; ///< rad/s, m/s: largest driven speed (see poise__motor_drive)
    SentRow* sent;      ///< the rows as last set in ODE, one for each velocity
    dJointFeedback* feedback[SORTS]; ///< ODE writes the force of each part here
} Motor;

/// The largest number of doubles that poise__motor_place_rows needs.
enum {
    MOTOR_SENT_VALUES = sizeof(SentRow) / sizeof(double),
    MOTOR_FEEDBACK_VALUES = (sizeof(dJointFeedback) + sizeof(double) - 1) / sizeof(double),
    MOTOR_MOST_VALUES = POISE_MAX_NV * MOTOR_SENT_VALUES + SORTS * MOTOR_FEEDBACK_VALUES
};

/// Returns the sort of velocity d.
static inline Sort poise__sort(const PoiseJointType* type, int d) {
    return (type->linear >> d & 1u) != 0 ? ALONG : ABOUT;
}

/// True if ODE accepts the vector as an axis. ODE ends the process at length 0. False for NaN and
/// infinity.
static inline bool poise__is_axis(PoiseVec3 axis) {
    const double square = poise_dot(axis, axis);
    return square > 0.25 && square < HUGE_VAL;
}

/// The joint and bodies of a motor.
typedef struct MotorDef {
    const PoiseJointType* type;
    dWorldID world;
    dJointID joint; ///< the user's joint, or NULL
    dBodyID child;
    dBodyID parent; ///< NULL: the static environment
    MotorPool* pool;
} MotorDef;

/// Makes the motor, without rows yet, for a joint and bodies that were checked (ode_joint.h). Call
/// poise__motor_place_rows and poise__motor_moved next.
void poise__motor_attach(Motor* motor, const MotorDef* def);
/// Returns how many doubles the rows of a joint type need.
int poise__motor_value_count(const PoiseJointType* type);
/// Points `sent` and `feedback` into `values`, which hold zeros or a copy of earlier rows.
void poise__motor_place_rows(Motor* motor, const PoiseJointType* type, double* values);
/// Sets the axes of rows that do not use the world's axes, in the present poses, world, length 1.
/// The child carries each axis; bit d of `of_parent`: the parent. Call it before the first drive,
/// and after a change of the geometry.
void poise__motor_set_axes(Motor* motor, const PoiseVec3* axes, unsigned of_parent);
/// Returns the body that carries the axis of row d.
static inline dBodyID poise__motor_carrier(const Motor* motor, int d) {
    return (motor->of_parent >> d & 1u) != 0 ? motor->parent : motor->child;
}
/// Updates the axes in the world from the bodies' rotations.
void poise__motor_follow_axes(Motor* motor);
/// Returns the joints to the pool and zeroes the struct; also if the world, the bodies or the joint
/// no longer exist. A motor of zeros is allowed.
void poise__motor_detach(Motor* motor);
/// Sets the address of the feedback in ODE; call it after poise__motor_place_rows, before the next
/// dWorldStep.
void poise__motor_moved(Motor* motor);

/// Stores the index of the user's joint in the child's list, so that poise__motor_alive finds it
/// first; call it when joints were added or removed. Needs an existing child.
void poise__motor_find(Motor* motor);
/// True if the bodies still exist and the user's joint still joins them. The joint is searched in
/// the child's list and not dereferenced, so a destroyed joint is found missing.
bool poise__motor_alive(const Motor* motor);
/// True if the motor can be driven: alive, the user's joint enabled, the bodies finite, one of them
/// dynamic. Sleeping bodies are ready; rows do not wake them. `sound`: the parent was already found
/// finite. Sets by_hand and, if the motor is alive and the joint enabled, the child's pose.
bool poise__motor_ready_at(Motor* motor, bool sound, PoisePose* child);

/// One row: an implicit Euler step over `dt` with the torque tau = p error + d (velocity - rate) +
/// feed_forward, |tau| <= limit. `rate` is the joint's velocity at the end of the step.
typedef struct MotorRow {
    PoiseSpring spring;
    double error;
    double velocity; ///< velocity of the target
    double feed_forward;
    double limit;
} MotorRow;

/// Sets the rows, one for each velocity of the joint. If p = d = 0, a row has the torque
/// feed_forward alone. The rows of a sort are released if all numbers of all of them are 0. They
/// are also released if a number is not usable: negative gains, a limit not above 0, a number not
/// finite or above 1e30. `driven` says whether rows were set. Rows along axes act at
/// poise__motor_place.
///
/// If a row would drive the unloaded joint faster than its speed limit, the limit becomes its
/// target velocity. Its torque is then at most that of the spring at rest. Three rows of a sort
/// share the limit.
void poise__motor_drive(Motor* motor, const MotorRow* rows, double dt);

/// Drives a joint of one velocity, a hinge or a slider, like poise__motor_drive; dt must be finite
/// and > 0.
void poise__motor_drive_single(Motor* motor, const MotorRow* row, double dt);

/// Removes the motor's torque; the joint moves freely.
void poise__motor_release(Motor* motor);

/// Returns the fault of a spring, or NULL.
const char* poise__spring_check(PoiseSpring spring);
/// Sets all parameters of the rows in ODE, after the struct was overwritten by a saved one.
void poise__motor_put_rows(const Motor* motor);

/// Reads the torque of each row on the child in the last dWorldStep, N m and N. 0 if the row was
/// not driven, or the bodies slept.
void poise__motor_given(const Motor* motor, double given[POISE_MAX_NV]);
/// True if a dWorldStep has written the feedback since the last drive.
bool poise__motor_has_feedback(const Motor* motor);
/// Returns the point where rows along axes act on both bodies: the child's centre of mass, or the
/// middle between it and that of the parent, so that the two forces make no couple.
PoiseVec3 poise__motor_place(const Motor* motor);
/// Returns the velocity of the child relative to the parent, world: ABOUT the angular velocity,
/// rad/s; ALONG the linear velocity at `place`, m/s.
PoiseVec3 poise__motor_velocity(const Motor* motor, PoiseVec3 place, Sort sort);
/// Returns the force on the child of the rows along axes in the last dWorldStep, N.
PoiseVec3 poise__motor_force(const Motor* motor);
/// Adds the force of the rows along axes on the child, and its moment about the world's origin.
void poise__motor_add_outside(const Motor* motor, PoiseVec3* force, PoiseVec3* moment);
/// Returns the world axis of the row of velocity d, at the last drive.
PoiseVec3 poise__motor_row_axis(const Motor* motor, int d);

/// A stop of a ball in its cone: its angle and bounds, rad.
typedef struct ConeStop {
    PoiseVec3 axis; ///< world, length 1: the angle grows by rotation about it; any axis if the
                    ///< angle is 0
    double angle;
    double lower;
    double upper;
} ConeStop;

/// motor_cone.c: holds the child inside the cone, swing and twist, by rows of ODE's stops, which
/// act one step late. Makes the joint for the stops at the first call. ODE is not called while the
/// child stays inside.
void poise__motor_hold_cone(Motor* motor, const ConeStop stops[2]);
/// Removes the stops.
void poise__motor_free_cone(Motor* motor);

#endif
