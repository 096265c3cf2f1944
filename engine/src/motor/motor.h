// SPDX-License-Identifier: MIT
// One spring motor beside one joint of the user's: a dJointAMotor (hinge, universal, ball) or
// dJointLMotor (slider, translation; a free node has both) of ours on the same two bodies, attached
// (child, parent), whose rows are implicit spring-dampers. Knows ODE and springs, nothing of trees.
//
// The springs are not in the joint's own motor: next to an active stop ODE turns that one into an
// explicit force of the whole limit, and it is the user's.
#ifndef POISE_MOTOR_H
#define POISE_MOTOR_H

#include <ode/ode.h>

#include "poise/ik.h"
#include "poise/spring.h"

/// Where a ball is in its cone, and how far it may go.
typedef struct ConeStop {
    PoiseVec3 swing_axis; ///< world, about which the swing grows; any of length 1 where it is 0
    PoiseVec3 twist_axis; ///< world
    double swing;
    double twist;
    double swing_limit;
    double twist_lower;
    double twist_upper;
} ConeStop;

/// What the rows of a motor are set to: what ODE keeps of a drive until the next. Those about axes
/// (of a slider or translation along them), then those of `linear`.
typedef struct MotorRows {
    double velocity[6];
    double cfm[6];
    double limit[6];
} MotorRows;

/// Must not move in memory while attached, or poise__motor_moved has to be called: ODE writes into
/// `feedback`.
typedef struct Motor {
    PoiseNodeKind kind;
    dJointID joint;  ///< the user's; NULL for a translation or free node, which no joint holds
    dJointID motor;  ///< ours; NULL: not attached
    dJointID linear; ///< ours: the motor along the axes, where a node has both
    dJointID stop;   ///< ours: holds a ball inside its cone; NULL while it has none
    /// Ours, for this motor alone: ODE destroys what is in a group only with the group, and what is
    /// in none with its world, behind our back.
    dJointGroupID group;
    dBodyID child;
    dBodyID parent; ///< NULL: the static environment
    int place;      ///< of the user's joint in the child's list, as of poise__motor_find
    /// Hinge, slider: +1 where the user's joint counts the child's motion as positive, -1 where its
    /// parent's, as of the last read.
    double sign;
    /// Hinge, slider: ODE's angle in the child's sense, a hinge's unwrapped.
    double turned;
    /// Hinge, slider: angle = turned + zero, as of the last read.
    double zero;
    double angle;
    bool driven;             ///< rows were set in the last drive
    MotorRows rows;          ///< as ODE was told; a limit of 0 is no row
    PoiseVec3 axis_in_child; ///< hinge, slider: the axis of the row, where it stays there
    PoiseVec3 axis_world;    ///< hinge, slider, universal: the axis of the (first) row
    PoiseVec3 axis2_world;   ///< universal: of the second
    double speed_limit;      ///< rad/s, m/s: driven no faster (see poise__motor_drive_hinge)
    bool has_cone;
    ConeStop cone; ///< as `stop` was told
    dJointFeedback feedback;
    dJointFeedback linear_feedback;
} Motor;

/// Whether a joint can be bound with `child` as the link: POISE_OK, or why not, with a message that
/// says what to do (no prefix; the caller names itself and the node). Reads nothing of ODE before
/// it is known to be safe. POISE_ERROR_INVALID_ARGUMENT: a NULL, a joint that is attached to no
/// body, does not hold `child`, or is disabled, a body or an axis that is not finite;
/// POISE_ERROR_WRONG_KIND; POISE_ERROR_FOREIGN_WORLD. `message` may be NULL.
PoiseStatus poise__motor_check(dWorldID world, dJointID joint, dBodyID child, PoiseNodeKind kind,
                               char* message, size_t capacity);

/// Makes the motor for a joint that poise__motor_check accepted, without rows yet. A zero of 0: the
/// angle is ODE's, in the child's sense.
void poise__motor_attach(Motor* motor, dWorldID world, dJointID joint, dBodyID child,
                         PoiseNodeKind kind);
/// Likewise for a translation or free node: `parent` NULL is the environment. The bodies are those
/// of poise__motor_check_free.
void poise__motor_attach_free(Motor* motor, dWorldID world, dBodyID parent, dBodyID child,
                              PoiseNodeKind kind);
/// poise__motor_check for what no joint holds.
PoiseStatus poise__motor_check_free(dWorldID world, dBodyID parent, dBodyID child, char* message,
                                    size_t capacity);
/// Destroys our motor and zeroes the struct; survives that the world, the bodies or the joint went
/// first. Nothing is done to a Motor that is all zero.
void poise__motor_detach(Motor* motor);
/// To be called after the struct has been copied to another place, before the next dWorldStep.
void poise__motor_moved(Motor* motor);

/// Remembers where the user's joint stands among the child's, so that poise__motor_alive finds it
/// at once; to be called when joints came or went. Needs a living child.
void poise__motor_find(Motor* motor);

/// Whether the bodies are still there and the user's joint still joins them. A joint that was
/// destroyed is noticed (it is looked for among those of the child, not followed); call this before
/// anything below that reads the user's joint: ready, read, axis, anchor, range and the two drives
/// do not look again, but for ready.
bool poise__motor_alive(const Motor* motor);
/// Whether driving makes sense now: alive, the user's joint enabled, bodies finite, one of the two
/// dynamic. Sleeping bodies are ready: rows do not wake them.
bool poise__motor_ready(const Motor* motor);
/// The same where its parent is known to be finite.
bool poise__motor_ready_on_sound(const Motor* motor);

/// Reads ODE's angle (hinge, slider): `turned`, a hinge's to within pi of the value before, and
/// `angle`. Leaves both as they are where ODE's is not finite.
void poise__motor_read(Motor* motor);
/// World axis of a hinge or slider, in the sense that the child moves positively along or about it;
/// 0 for a ball.
PoiseVec3 poise__motor_axis(const Motor* motor);
/// Hinge, ball: the anchor on the parent's side, from which the child's differs by the joint's
/// drift; slider: the child's origin.
PoiseVec3 poise__motor_anchor(const Motor* motor);
/// The user's stops as a range of `angle` (hinge, slider), infinite where ODE knows none or ignores
/// them.
void poise__motor_range(const Motor* motor, double* lower, double* upper);

/// Universal: its axes, world: the one fixed to the parent, then that fixed to the child; and the
/// stops of the angles about them, in the child's sense, counted from where ODE counts them.
void poise__motor_universal_axes(const Motor* motor, PoiseVec3 axes[2]);
void poise__motor_universal_ranges(const Motor* motor, double lower[2], double upper[2]);
/// ODE's angles in the child's sense.
void poise__motor_universal_angles(const Motor* motor, double angles[2]);

/// Sets the row of a hinge or slider: implicit Euler of
/// tau = p (target - angle) + d (velocity - rate) + feed_forward over `dt`, |tau| <= limit, with
/// `angle` as last read and the rate at the end of the step. p = d = 0 leaves feed_forward alone;
/// all three 0, a limit of 0 and numbers that are not usable (negative gains, not finite, more than
/// 1e30) release the motor. Says whether the row was set.
///
/// A row that would drive the joint, unloaded, past its speed limit becomes one that keeps the
/// limit with at most the torque the spring has at rest.
bool poise__motor_drive_hinge(Motor* motor, const PoiseHingeDrive* drive, double feed_forward,
                              double limit, double dt);

/// The same for the two angles of a universal joint, whose axes (world) are given, as are its
/// angles; both rows, or none.
bool poise__motor_drive_universal(Motor* motor, const PoiseHingeDrive drives[2],
                                  const PoiseVec3 axes[2], const double angles[2],
                                  const double feed_forward[2], double limit, double dt);

/// What pulls a ball, about the world axes.
typedef struct BallPull {
    PoiseSpring spring;
    PoiseVec3 error_world;    ///< rotation vector from where the child is to its target
    PoiseVec3 velocity_world; ///< the target's angular velocity relative to the parent
    PoiseVec3 feed_forward;   ///< on the child, N m
    double limit;             ///< about each axis, N m
} BallPull;

/// The same for a ball.
bool poise__motor_drive_ball(Motor* motor, const BallPull* pull, double dt);
/// The same along the world axes, for a translation or free node: `error_world` is from the child's
/// centre of mass to where that should be, and so on. It acts at the two bodies' centres of mass.
typedef struct LinearPull {
    PoiseSpring spring;
    PoiseVec3 error_world;
    PoiseVec3 velocity_world;
    PoiseVec3 feed_forward;
    double limit;
} LinearPull;
bool poise__motor_drive_linear(Motor* motor, const LinearPull* pull, double dt);

/// motor_stop.c: holds the child inside the cone by rows of ODE's stops, which take hold one step
/// late; makes the joint for it the first time.
void poise__motor_hold_cone(Motor* motor, const ConeStop* cone);
/// No stop any more.
void poise__motor_free_cone(Motor* motor);

/// No rows: the joint is left alone.
void poise__motor_release(Motor* motor);

/// Tells ODE of `rows` again, and of the axes that do not stay in the child, after the struct has
/// been overwritten with one of another time; for the bodies being where they were when it was
/// driven.
void poise__motor_put_rows(Motor* motor);

/// What the motor gave in the last dWorldStep, on the child: hinge, slider in x, universal in x and
/// y; else world axes, a translation's in N. 0 where it was not driven, or the bodies slept.
PoiseVec3 poise__motor_torque(const Motor* motor);
/// Adds what it gave to the child and its moment about the world's origin.
void poise__motor_add_outside(const Motor* motor, PoiseVec3* force, PoiseVec3* moment);
/// The force of a free node's motor likewise, N.
PoiseVec3 poise__motor_force(const Motor* motor);

#endif
