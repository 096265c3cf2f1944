// SPDX-License-Identifier: MIT
// A spring and damper on one joint of ODE's, stepped implicitly with ODE's own constraints: stable
// at any stiffness and any step, without a tree and without a rig. ODE has no such joint of its
// own; a torque p (target - angle) - d velocity that is added by hand blows up once p h^2 or d h
// nears the inertia.
//
//     PoiseJointSpring* spring = poise_spring_on_joint(hinge, NULL);
//     const PoiseHingeDrive drive = {.spring = {.stiffness = 2000, .damping = 60}, .target = 0.5};
//     poise_joint_spring_set(spring, 0, drive);
//     // in your loop
//     poise_joint_spring_update(spring, h);
//     dWorldStep(world, h);
//
// Over a step of h the joint gets tau = p (target - angle at the end of the step) + d (target's
// velocity - velocity at its end): the implicit Euler step of the spring, together with every other
// constraint. The joint's own motor, stops and feedback stay as they are: the spring is a motor of
// its own beside it.
#ifndef POISE_JOINT_SPRING_H
#define POISE_JOINT_SPRING_H

#include <ode/ode.h>

#include "poise/base.h"
#include "poise/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A spring on one joint; its parts are its own.
typedef struct PoiseJointSpring PoiseJointSpring;

/// What poise_spring_on_joint makes a spring of.
typedef struct PoiseJointSpringDef {
    /// Set by poise_default_joint_spring_def.
    uint32_t cookie;
    /// Whose motion the angles are of: one of the joint's two bodies. NULL: its first, or its
    /// second where the first is the static environment. Default NULL.
    dBodyID child;
    /// The most each axis gives, N m (slider: N), above 0. Default infinity.
    double max_torque;
    /// The spring alone drives the joint no faster, rad/s (slider: m/s), above 0. Default infinity.
    double max_speed;
    /// Default: all zero. Its memory, and where poise_spring_on_joint says what it refuses.
    PoiseHost host;
} PoiseJointSpringDef;

/// A def with the defaults named above.
POISE_API PoiseJointSpringDef poise_default_joint_spring_def(void);

/// A spring beside a hinge, a slider, a universal, a hinge-2 or a ball, slack until it is set.
/// NULL, with the reason in the host's log, for: NULL, a joint that has no bodies, is disabled or
/// is not finite; a joint that both turns and slides (piston, PR, PU), is fixed, or has no axes; a
/// child that is not of the joint; a def not made by its default function; numbers out of range; no
/// memory. `def` NULL: the default. Angles begin where ODE counts them now; a ball's rotation
/// begins at the identity.
POISE_API PoiseJointSpring* poise_spring_on_joint(dJointID joint, const PoiseJointSpringDef* def);
/// Takes the motor away; joint and bodies stay. They may be gone already. NULL is allowed.
POISE_API void poise_joint_spring_destroy(PoiseJointSpring* spring);

/// How many axes it has: hinge, slider 1, universal, hinge-2 2, ball 3; 0 for NULL.
POISE_API int poise_joint_spring_axes(const PoiseJointSpring* spring);

/// What pulls axis `axis` (from 0) from the next update on. POISE_ERROR_INVALID_ARGUMENT, and
/// nothing changed: NULL, no such axis, negative gains, numbers that are not finite;
/// POISE_ERROR_WRONG_KIND: a ball.
POISE_API PoiseStatus poise_joint_spring_set(PoiseJointSpring* spring, int axis,
                                             PoiseHingeDrive drive);
/// What pulls a ball. The joint frame is the parent's own (without one the world), and the child's
/// rotation in it is counted from how it stood when the spring was made. Errors likewise, and for a
/// rotation of 0; POISE_ERROR_WRONG_KIND: no ball.
POISE_API PoiseStatus poise_joint_spring_set_ball(PoiseJointSpring* spring, PoiseBallDrive drive);

/// To be called before each dWorldStep (or dWorldQuickStep) with the same `dt` (s, > 0). Wakes a
/// sleeping child when what pulls it has changed. POISE_ERROR_GONE: the joint or a body has been
/// destroyed or attached elsewhere; POISE_ERROR_INVALID_ARGUMENT: NULL, dt; the joint is left alone
/// then. POISE_DEGRADED: bodies are not finite, the joint is disabled or no body is dynamic:
/// nothing pulls in this step.
POISE_API PoiseStatus poise_joint_spring_update(PoiseJointSpring* spring, double dt);

/// Where the joint is, as of the last update: one number an axis, rad (slider: m), hinges counted
/// on over whole turns; a ball's rotation vector in the joint frame, rad. Writes at most 3 and
/// returns how many; 0 for NULL.
POISE_API int poise_joint_spring_read(const PoiseJointSpring* spring, double q[3]);
/// What it gave in the last step, on the child: N m (slider: N) an axis; a ball's about the world's
/// axes. 0 where it did not pull. Returns how many.
POISE_API int poise_joint_spring_given(const PoiseJointSpring* spring, double given[3]);

#ifdef __cplusplus
}
#endif

#endif
