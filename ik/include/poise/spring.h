// SPDX-License-Identifier: MIT
// The spring-dampers of a joint, and the sum of two of them (sec. 5.1 of the paper, eqs. 24-26).
#ifndef POISE_SPRING_H
#define POISE_SPRING_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// torque = stiffness (target - angle) + damping (target velocity - velocity).
typedef struct PoiseSpring {
    /// Stiffness p >= 0, N m/rad; slider: N/m.
    double stiffness;
    /// Damping d >= 0, N m s/rad; slider: N s/m.
    double damping;
} PoiseSpring;

/// The spring-damper of a joint of one degree of freedom (hinge, slider).
typedef struct PoiseHingeDrive {
    PoiseSpring spring;
    /// Target theta, rad (slider: m), not wrapped: 2 pi is one turn of the joint.
    double target;
    /// Velocity of the target, rad/s (slider: m/s).
    double velocity;
} PoiseHingeDrive;

/// The spring-damper of a ball joint, in the joint frame, which is fixed to the parent.
typedef struct PoiseBallDrive {
    PoiseSpring spring;
    /// Target rotation of the child, in the joint frame.
    PoiseQuat target;
    /// Angular velocity of the target, rad/s, in the joint frame.
    PoiseVec3 velocity;
} PoiseBallDrive;

/// The one spring that equals two springs on the same joint. The target is (1 - w) theta_orig + w
/// theta_ik with w = p_ik / (p_orig + p_ik) (eq. 24, exact if either stiffness is 0). The stiffness
/// is p_orig + p_ik (eq. 25), the damping d_orig + d_ik (eq. 26). The velocity is the mean of the
/// two, weighted by damping. If both stiffnesses are 0, the target is theta_ik; if both dampings
/// are 0, the velocity is 0. Never divides by zero.
POISE_API PoiseHingeDrive poise_blend_hinge(PoiseHingeDrive original, PoiseHingeDrive ik);

/// The sum of two springs of a ball, target and velocity in the joint frame, as poise_blend_hinge.
/// The target is slerp(theta_orig, theta_ik, w), at which the two springs balance exactly. If two
/// targets are half a turn apart, the arc is that of poise_quat_slerp.
POISE_API PoiseBallDrive poise_blend_ball(PoiseBallDrive original, PoiseBallDrive ik);

/// The sum of two springs of a ball that is driven step after step, as poise_blend_ball. Two
/// targets near half a turn apart have two arcs of nearly the same length. This function takes the
/// arc that passes nearer to `previous`, the blended target of the step before, in the joint frame.
/// The drive then does not alternate between the arcs.
POISE_API PoiseBallDrive poise_blend_ball_near(PoiseBallDrive original, PoiseBallDrive ik,
                                               PoiseQuat previous);

#ifdef __cplusplus
}
#endif

#endif
