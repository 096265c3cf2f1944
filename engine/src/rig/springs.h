// SPDX-License-Identifier: MIT
// The two springs of a driven joint, natural and IK, and their blend (equations 24 to 26).
#ifndef POISE_SPRINGS_H
#define POISE_SPRINGS_H

#include "range_stops.h"

/// Sets theta_orig from nq coordinates; a quaternion of zeros becomes the identity.
void poise__binding_set_natural(Binding* binding, const double* natural);
/// Fills the coordinates theta_orig. Angles without a range are moved by whole turns to be nearest
/// to `near`.
void poise__binding_natural(const Binding* binding, const double* near,
                            double natural[POISE_MAX_NQ]);
/// The blended target: theta_new (eq. 24) inside the ranges, and its velocity, joint frame.
typedef struct Blend {
    double target[POISE_MAX_NQ];
    double velocity[POISE_MAX_NV];
} Blend;
void poise__joint_blend(const JointState* joint, Blend* blend);
/// The blended target and its velocity for a single motion.
typedef struct SingleBlend {
    double target;
    double velocity;
} SingleBlend;
SingleBlend poise__joint_blend_single(const JointState* joint, const Block* block);
/// Computes the displacement v from the measured posture to `to`, joint frame. `wound`: chooses of
/// the two arcs of a rotation the one that is nearer to the error of the last drive.
void poise__joint_error_any(const JointState* joint, const double* to, bool wound, double* v);
static inline void poise__joint_error(const JointState* joint, const double* to, bool wound,
                                      double* v) {
    if (joint->of->type->nv == 1) {
        v[0] = to[0] - joint->q[0];
    } else {
        poise__joint_error_any(joint, to, wound, v);
    }
}
/// Fills torques at the measured posture, by velocity, world: `spring`, of the IK spring;
/// `posture`, which the natural spring adds to it.
void poise__joint_pull(const JointState* joint, double spring[POISE_MAX_NV],
                       double posture[POISE_MAX_NV]);
/// Fills the torques that the motor exerted in the last step, by velocity, world.
void poise__joint_given(const JointState* joint, double given[POISE_MAX_NV]);
/// True if the motor exerted its largest torque about some axis in the last step.
bool poise__binding_is_saturated(const Binding* binding);

#endif
