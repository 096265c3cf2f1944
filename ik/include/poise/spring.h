// SPDX-License-Identifier: MIT
// A joint's spring-dampers and how two of them become one (sec. 5.1 of the paper, eqs. 24-26).
#ifndef POISE_SPRING_H
#define POISE_SPRING_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// torque = stiffness (target - angle) + damping (target velocity - velocity).
typedef struct PoiseSpring {
    /// p >= 0. N m/rad; a slider's: N/m.
    double stiffness;
    /// d >= 0. N m s/rad; a slider's: N s/m.
    double damping;
} PoiseSpring;

/// What pulls a joint of one degree of freedom (hinge, slider).
typedef struct PoiseHingeDrive {
    PoiseSpring spring;
    /// theta, rad (slider: m), not wrapped: 2 pi apart are two turns of the joint.
    double target;
    /// The target's own velocity, rad/s (slider: m/s).
    double velocity;
} PoiseHingeDrive;

/// What pulls a ball joint. Everything is seen from the joint frame, which is fixed to the parent.
typedef struct PoiseBallDrive {
    PoiseSpring spring;
    /// The child's rotation in the joint frame.
    PoiseQuat target;
    /// The target's own angular velocity, rad/s.
    PoiseVec3 velocity;
} PoiseBallDrive;

/// The one spring that two springs on the same joint are together: target
/// (1 - w) theta_orig + w theta_ik with w = p_ik / (p_orig + p_ik) (eq. 24, exact where either
/// stiffness is 0), stiffness p_orig + p_ik (eq. 25), damping d_orig + d_ik (eq. 26), and as
/// velocity the mean of the two weighted by damping. Both stiffnesses 0: target theta_ik; both
/// dampings 0: velocity 0. Never divides by zero.
POISE_API PoiseHingeDrive poise_blend_hinge(PoiseHingeDrive original, PoiseHingeDrive ik);

/// The same for a ball, whose target and velocity are seen from the joint frame: the target is
/// slerp(theta_orig, theta_ik, w), where the two springs balance exactly. Of two targets half a
/// turn apart the arc is chosen that slerp's axis names.
POISE_API PoiseBallDrive poise_blend_ball(PoiseBallDrive original, PoiseBallDrive ik);

/// poise_blend_ball for a joint that is driven step after step: where the targets are so near to
/// half a turn apart that either arc would do, the arc that passes nearer to `previous` (the
/// blended target of the step before, in the joint frame) is taken, so that the drive does not jump
/// from side to side.
POISE_API PoiseBallDrive poise_blend_ball_near(PoiseBallDrive original, PoiseBallDrive ik,
                                               PoiseQuat previous);

#ifdef __cplusplus
}
#endif

#endif
