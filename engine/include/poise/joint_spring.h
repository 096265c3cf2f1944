// SPDX-License-Identifier: MIT
// A spring and damper on one ODE joint, without a tree and without a rig. The spring is a row of
// ODE's own implicit step: stable at any stiffness and any step. ODE has no such joint; a torque p
// (target - angle) - d velocity that is added by hand diverges if p h^2 or d h nears the inertia.
//
//     PoiseJointSpring* spring = poise_spring_on_joint(hinge, NULL);
//     const PoiseHingeDrive drive = {.spring = {.stiffness = 2000, .damping = 60}, .target = 0.5};
//     poise_joint_spring_set(spring, 0, drive);
//     // in your loop
//     poise_joint_spring_update(spring, h);
//     dWorldStep(world, h);
//
// In a step of h the joint gets tau = p (target - angle at the end of the step) + d (target's
// velocity - velocity at the end). This is the implicit Euler step of the spring, solved together
// with every other constraint. The spring is a separate motor: the joint's own motor, stops and
// feedback stay as they are.
#ifndef POISE_JOINT_SPRING_H
#define POISE_JOINT_SPRING_H

#include <ode/ode.h>

#include "poise/base.h"
#include "poise/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A spring on one joint. Its members are private.
typedef struct PoiseJointSpring PoiseJointSpring;

/// The options of poise_spring_on_joint.
typedef struct PoiseJointSpringDef {
    /// Set by poise_default_joint_spring_def, and checked.
    uint32_t cookie;
    /// The body, one of the joint's two, whose motion about or along the axes is positive. NULL:
    /// the joint's first body, or the second if the first is the static environment. Default NULL.
    dBodyID child;
    /// Largest torque about each axis, N m (slider: force, N), > 0. Default infinity.
    double max_torque;
    /// Largest speed at which the spring drives the joint, rad/s (slider: m/s), > 0. Default
    /// infinity.
    double max_speed;
    /// Memory, and the log that gets the reason if poise_spring_on_joint returns NULL. Default: all
    /// zero.
    PoiseHost host;
} PoiseJointSpringDef;

/// Returns a def with the default of each member.
POISE_API PoiseJointSpringDef poise_default_joint_spring_def(void);

/// Creates a spring on a hinge, slider, universal, hinge-2 or ball. The spring gives no torque
/// until it is set. Angles start at ODE's present angles; a ball's rotation starts at the identity.
/// `def` NULL: the default. Returns NULL, with the reason in the host's log, for: NULL; a joint
/// that has no bodies, is disabled or is not finite; a joint that both turns and slides (piston,
/// PR, PU); a joint that is fixed or has no axes; a child that is not of the joint; a def not made
/// by its default function; numbers out of range; no memory.
POISE_API PoiseJointSpring* poise_spring_on_joint(dJointID joint, const PoiseJointSpringDef* def);
/// Removes the motor; joint and bodies stay. They may be destroyed already. NULL is allowed.
POISE_API void poise_joint_spring_destroy(PoiseJointSpring* spring);

/// Returns the number of axes: hinge, slider 1; universal, hinge-2 2; ball 3; 0 for NULL.
POISE_API int poise_joint_spring_axes(const PoiseJointSpring* spring);

/// Sets the spring of axis `axis` (from 0) from the next update on. Errors, with nothing changed:
/// POISE_ERROR_INVALID_ARGUMENT for NULL, no such axis, negative gains or numbers that are not
/// finite; POISE_ERROR_WRONG_KIND for a ball.
POISE_API PoiseStatus poise_joint_spring_set(PoiseJointSpring* spring, int axis,
                                             PoiseHingeDrive drive);
/// Sets the spring of a ball. The joint frame is the parent's (without a parent the world's). The
/// target is a rotation in this frame from the child's rotation at poise_spring_on_joint. Errors
/// as poise_joint_spring_set, and for a rotation of 0; POISE_ERROR_WRONG_KIND if the joint is no
/// ball.
POISE_API PoiseStatus poise_joint_spring_set_ball(PoiseJointSpring* spring, PoiseBallDrive drive);

/// Sets the motor for the next step: call this before each dWorldStep (or dWorldQuickStep) with the
/// same `dt` (s, > 0). Wakes a sleeping child if the drive has changed. Errors, with the joint left
/// as it is: POISE_ERROR_GONE if the joint or a body is destroyed or attached elsewhere;
/// POISE_ERROR_INVALID_ARGUMENT for NULL or dt. POISE_DEGRADED, with no torque in this step: bodies
/// are not finite, the joint is disabled or no body is dynamic.
POISE_API PoiseStatus poise_joint_spring_update(PoiseJointSpring* spring, double dt);

/// Reads the joint's position at the last update: one number for each axis, rad (slider: m); hinges
/// count whole turns. A ball has the rotation vector in the joint frame, rad. Writes at most 3
/// numbers and returns how many; 0 for NULL.
POISE_API int poise_joint_spring_read(const PoiseJointSpring* spring, double q[3]);
/// Reads the spring's torque on the child in the last step: N m (slider: N) for each axis, for a
/// ball about the world's axes. 0 if the spring was not driven. Returns how many numbers.
POISE_API int poise_joint_spring_given(const PoiseJointSpring* spring, double given[3]);

#ifdef __cplusplus
}
#endif

#endif
