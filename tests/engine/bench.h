// SPDX-License-Identifier: MIT
// A joint on the bench: one motor, two bodies (or one and the ground) that a hand-written
// integrator can follow exactly. Axis z, anchor and centres of mass at the origin, no gravity.
#ifndef POISE_TEST_BENCH_H
#define POISE_TEST_BENCH_H

#include <math.h>

#include "motor.h"
#include "ode_joint.h"

/// NAN is a float.
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
    dJointID joint; ///< the user's, attached in the order asked for
    PoiseNodeKind kind;
    double angle; ///< as last read, unwrapped
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

/// Bodies turn by exactly h |w| in a step (ODE's finite rotation mode), as the integrators do.
void bench_make(Bench* bench, PoiseNodeKind kind, Order order);
void bench_finish(Bench* bench);

/// What resists the motor: the child's inertia (slider: mass), reduced by the parent's.
double bench_inertia(const Bench* bench);
/// Speed of the child against the parent along or about z.
double bench_rate(const Bench* bench);
/// Turn of the child as the parent sees it.
PoiseQuat bench_rotation(const Bench* bench);
/// Rotation vector from the child to `target` (seen from the parent), world axes.
PoiseVec3 bench_ball_error(const Bench* bench, PoiseQuat target);
/// A torque about z on the child, N m (slider: a force along z), and its opposite on the parent.
void bench_push(const Bench* bench, double torque);

/// What pulls a ball, about the world axes.
typedef struct BallPull {
    PoiseSpring spring;
    PoiseVec3 error_world;
    PoiseVec3 velocity_world;
    PoiseVec3 feed_forward;
    double limit;
} BallPull;

/// Reads ODE's angle on the turn of the value before.
void bench_read(Bench* bench);
PoiseVec3 bench_anchor(const Bench* bench);
PoiseVec3 bench_axis(const Bench* bench);
/// Tells the motor of it.
void bench_fix_axis(Bench* bench);
/// The stops, in the child's sense.
void bench_range(const Bench* bench, double* lower, double* upper);
/// What the motor gave: a hinge's or slider's in x, a ball's about the world's axes.
PoiseVec3 bench_torque(const Bench* bench);
/// Sets the rows of a hinge or slider from where it was last read; of a ball.
bool bench_drive_hinge(Bench* bench, const PoiseHingeDrive* drive, double feed_forward,
                       double limit, double dt);
bool bench_drive_ball(Bench* bench, const BallPull* pull, double dt);

/// A pull of the spring to `target` (seen from the parent) from where the bench is, without limit.
BallPull bench_ball_pull(const Bench* bench, PoiseSpring spring, PoiseQuat target);

/// Reads and drives a hinge or slider, then steps.
void bench_step(Bench* bench, const PoiseHingeDrive* drive, double feed_forward, double limit,
                double dt);

/// The scalar that a hinge or slider on the bench is.
typedef struct Scalar {
    double angle;
    double rate;
} Scalar;

/// One implicit Euler step of inertia * rate' = p (target - angle) + d (velocity - rate) + ff, and
/// the torque in it.
double scalar_step(Scalar* scalar, double inertia, const PoiseHingeDrive* drive,
                   double feed_forward, double dt);

#endif
