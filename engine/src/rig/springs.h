// SPDX-License-Identifier: MIT
// The two springs of a driven joint, original and IK, as one (equations 24 to 26).
#ifndef POISE_SPRINGS_H
#define POISE_SPRINGS_H

#include "range_stops.h"

/// Sets theta_orig from nq coordinates; a rotation of 0 is the identity.
void poise__binding_set_natural(Binding* binding, const double* natural);
/// theta_orig on the turns of `near`, where no range says which turn is meant.
void poise__binding_natural(const Binding* binding, const double* near,
                            double natural[POISE_MAX_NQ]);
/// The two springs as one: theta_new (eq. 24) inside the ranges, and its velocity, joint frame.
typedef struct Blend {
    double target[POISE_MAX_NQ];
    double velocity[POISE_MAX_NV];
} Blend;
void poise__joint_blend(const JointState* joint, Blend* blend);
/// The same of a single motion.
typedef struct SingleBlend {
    double target;
    double velocity;
} SingleBlend;
SingleBlend poise__joint_blend_single(const JointState* joint, const Block* block);
/// v = to (-) q, joint frame; `wound`: of the two ways round of a rotation the one nearer to
/// the error of the last drive.
void poise__joint_error_any(const JointState* joint, const double* to, bool wound, double* v);
static inline void poise__joint_error(const JointState* joint, const double* to, bool wound,
                                      double* v) {
    if (joint->of->type->nv == 1) {
        v[0] = to[0] - joint->q[0];
    } else {
        poise__joint_error_any(joint, to, wound, v);
    }
}
/// What the spring to theta_ik gives at the measured posture, and what the pull to the natural one
/// adds to it, world.
void poise__joint_pull(const JointState* joint, double spring[POISE_MAX_NV],
                       double posture[POISE_MAX_NV]);
/// What the motor gave in the last step, as torques of its velocities, world.
void poise__joint_given(const JointState* joint, double given[POISE_MAX_NV]);
/// Whether the motor gave its limit in the last step.
bool poise__binding_is_saturated(const Binding* binding);

#endif
