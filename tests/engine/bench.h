// SPDX-License-Identifier: MIT
// A bench with one motor on two bodies (or on one and the ground), which a hand-written integrator
// can follow exactly. Axis z, anchor and centres of mass at the origin, no gravity.
#ifndef POISE_TEST_BENCH_H
#define POISE_TEST_BENCH_H

#include <math.h>

#include "motor.h"
#include "ode_joint.h"

/// ODE's NAN is a float.
#define NOT_A_NUMBER ((double)NAN)

typedef enum Order {
    ORDER_CHILD_PARENT,
    ORDER_PARENT_CHILD,
    ORDER_CHILD_GROUND,
    ORDER_GROUND_CHILD,
    ORDER_COUNT
} Order;

typedef struct Bench {
    dWorldID world;
    dBodyID child;
    dBodyID parent; ///< NULL: the ground
    dJointID joint; ///< the user's joint, attached in the given order
    PoiseNodeKind kind;
    double angle; ///< at the last reading, unwrapped
    MotorPool pool;
    Motor motor;
    double motor_values[MOTOR_MOST_VALUES];
} Bench;

/// Mass of child and parent, kg, and their moments of inertia about any axis, kg m^2.
#define CHILD_MASS     2.0
#define PARENT_MASS    3.0
#define CHILD_INERTIA  0.2
#define PARENT_INERTIA 0.5

const char* order_name(Order order);
const char* kind_name_of(PoiseNodeKind kind);

/// Makes the bench. Bodies turn by exactly h |w| in a step (ODE's finite rotation mode), like the
/// integrators.
void bench_make(Bench* bench, PoiseNodeKind kind, Order order);
void bench_finish(Bench* bench);

/// Returns the inertia against the motor: the child's (slider: mass), reduced by the parent's.
double bench_inertia(const Bench* bench);
/// Returns the speed of the child relative to the parent, along or about z.
double bench_rate(const Bench* bench);
/// Returns the child's rotation in the parent's frame.
PoiseQuat bench_rotation(const Bench* bench);
/// Returns the rotation vector from the child to `target` (in the parent's frame), world axes.
PoiseVec3 bench_ball_error(const Bench* bench, PoiseQuat target);
/// Applies a torque about z to the child, N m (slider: a force along z), and its opposite to the
/// parent.
void bench_push(const Bench* bench, double torque);

/// The drive of a ball, about the world axes.
typedef struct BallPull {
    PoiseSpring spring;
    PoiseVec3 error_world;
    PoiseVec3 velocity_world;
    PoiseVec3 feed_forward;
    double limit;
} BallPull;

/// Reads ODE's angle on the turn nearest to the last reading.
void bench_read(Bench* bench);
PoiseVec3 bench_anchor(const Bench* bench);
PoiseVec3 bench_axis(const Bench* bench);
/// Sets the axis of the motor.
void bench_fix_axis(Bench* bench);
/// Reads the stops, in the child's sense.
void bench_range(const Bench* bench, double* lower, double* upper);
/// Returns the motor's torque: a hinge's or slider's in x, a ball's about the world's axes.
PoiseVec3 bench_torque(const Bench* bench);
/// Set the rows of a hinge or slider from the last reading; and of a ball.
bool bench_drive_hinge(Bench* bench, const PoiseHingeDrive* drive, double feed_forward,
                       double limit, double dt);
bool bench_drive_ball(Bench* bench, const BallPull* pull, double dt);

/// Returns the drive of a ball to `target` (in the parent's frame) from its present rotation,
/// without limit.
BallPull bench_ball_pull(const Bench* bench, PoiseSpring spring, PoiseQuat target);

/// Reads and drives a hinge or slider, then steps.
void bench_step(Bench* bench, const PoiseHingeDrive* drive, double feed_forward, double limit,
                double dt);

/// The state of a hinge or slider on the bench as a scalar.
typedef struct Scalar {
    double angle;
    double rate;
} Scalar;

/// Makes one implicit Euler step of inertia * rate' = p (target - angle) + d (velocity - rate) +
/// ff. Returns its torque.
double scalar_step(Scalar* scalar, double inertia, const PoiseHingeDrive* drive,
                   double feed_forward, double dt);

#endif
