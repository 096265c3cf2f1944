// SPDX-License-Identifier: MIT
// Standing on one's own feet. A floating base (a free node without springs of its own, see
// poise_rig_add_base) is carried by the ground at stance points. The rig computes the contact
// forces there and feeds the torques forward that pass the weight to the feet. While a rig has
// stance points its floating bases take part in the solve: feet stay, hands reach, the pelvis
// follows. If it has none, the base follows its body and no weight is fed forward.
//
// No force of the rig acts from outside: only the motors between the links give torques.
#ifndef POISE_STANCE_H
#define POISE_STANCE_H

#include "poise/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point at which the ground carries a floating base.
typedef struct PoiseStanceDef {
    /// Set by poise_default_stance_def, and checked.
    uint32_t cookie;
    /// Any point of the rig's tree with a place on a bound link. Its goal is the place of the foot.
    PoisePointId point;
    /// Share of the load, > 0, default 1. A point of share 2 carries twice the load of a point of
    /// share 1, if balance permits.
    double share;
    /// Radius of the sole, m, >= 0: the ground's force may act this far from the point, so the
    /// point carries moments too. 0: the force acts at the point. Default 0.
    double sole;
    /// Rectangular sole: half its length and width, m, >= 0, along x and y of the point's frame.
    /// Default 0: a disc of radius `sole`.
    double half_length;
    double half_width;
    /// Coulomb's coefficient between sole and ground, >= 0: friction is at most this fraction of
    /// the normal force. INFINITY: the sole sticks. Default 0.8, as in a world made by Poise.
    double friction;
    /// The direction of the ground's normal force, world, length 1. Default 0: against gravity. If
    /// gravity is 0 too, the point may push and pull in any direction.
    PoiseVec3 normal;
    /// Rate at which the goal follows a foot that slides or turns on the ground, 1/s, >= 0. The
    /// goal moves horizontally and turns about the vertical; its height and tilt stay as they are.
    /// 0: the goal stays. Default 10. Only for goals in the world.
    double slide;
} PoiseStanceDef;

/// Returns a def with the default of each member. The caller sets the point.
POISE_API PoiseStanceDef poise_default_stance_def(void);

/// Makes the point a stance point, or changes its numbers. The rig then moves its goal, and no goal
/// velocity is computed for the point (poise_point_estimate_velocity). Errors:
/// POISE_ERROR_INVALID_ARGUMENT for a number out of its range; POISE_ERROR_INVALID_HANDLE;
/// POISE_ERROR_OUT_OF_MEMORY; POISE_ERROR_WRONG_KIND for a centre of mass or a point whose link is
/// on no floating base of the rig.
POISE_API PoiseStatus poise_rig_add_stance(PoiseRig* rig, const PoiseStanceDef* def);
/// Ends the stance of a point, such as a foot about to be lifted. A point without a stance is
/// allowed. Errors: POISE_ERROR_INVALID_HANDLE for a point that is null, destroyed, or of another
/// tree; POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_rig_remove_stance(PoiseRig* rig, PoisePointId point);
/// Keeps the goal of a centre of mass over the mean of the stance points, weighted by their shares;
/// the height stays as it is. The goal is shifted against the forces that points are asked to press
/// with, by at most 0.9 of the shortest sole. Null: no point keeps the balance. Errors:
/// POISE_ERROR_INVALID_ARGUMENT for a NULL rig, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND
/// for a point of another kind.
POISE_API PoiseStatus poise_rig_set_balance(PoiseRig* rig, PoisePointId com);
/// Returns the number of stance points; 0 for NULL.
POISE_API int poise_rig_stance_count(const PoiseRig* rig);

/// Reads the contact force and moment that the last update assigned to the point, world, N and N m.
/// The forces of all stance points are within their friction cones and soles, and carry the weight
/// and the forces asked of other points. They minimize the sum of force^2 / share + moment^2 /
/// (share sole^2). If the cones cannot carry the load, the forces nearest to it are used. Either
/// may be NULL. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_read_stance(const PoiseRig* rig, PoisePointId point,
                                            PoiseVec3* force, PoiseVec3* moment);

/// The parts of a load that the ground cannot give, as bits of PoiseSupport.verdict.
typedef enum PoiseSupportVerdict {
    /// A force along the ground, or a moment about its normal, is missing: feet would slide or
    /// twist.
    POISE_SUPPORT_SLIDES = 1,
    /// A force along the normal, or a moment about axes in the ground, is missing: the body would
    /// tip over its soles.
    POISE_SUPPORT_TIPS = 2
} PoiseSupportVerdict;

/// The load of a floating base on the ground in the last update, and the part that the ground
/// cannot carry.
typedef struct PoiseSupport {
    /// Bits of PoiseSupportVerdict; 0: the base stands.
    unsigned verdict;
    /// Force, N, and moment about `centre`, N m: they carry the weight and the forces asked of
    /// points. `centre` is the mean of the stance points weighted by their shares, m.
    PoiseVec3 force;
    PoiseVec3 moment;
    PoiseVec3 centre;
    /// The part of the load that the points cannot give; 0 if the base stands.
    PoiseVec3 missing_force;
    PoiseVec3 missing_moment;
    /// The largest friction force of a point over its friction limit: at 1 the point starts to
    /// slide.
    double friction;
    /// The multiple of the asked forces that the ground could carry. Below 1 they are too large; 0:
    /// the ground cannot carry the weight alone. At most 1000; infinite above, or without asked
    /// forces.
    double part;
} PoiseSupport;

/// Reads the load of the floating base `base`. A null handle stands for the first base with a
/// stance. Returns POISE_OK if the ground carries it, POISE_DEGRADED if not. Errors:
/// POISE_ERROR_INVALID_ARGUMENT; POISE_ERROR_INVALID_HANDLE for a node that is no floating base, or
/// had no stance point in the last update. It computes about forty distributions of loads, so do
/// not call it in each step.
POISE_API PoiseStatus poise_rig_read_support(PoiseRig* rig, PoiseNodeId base,
                                             PoiseSupport* support);
/// Returns the verdict in words: "stands", "slides", "tips over" or "slides and tips over".
POISE_API const char* poise_support_verdict_name(unsigned verdict);

/// Reads the sum of the motors' forces on the bodies from outside in the last dWorldStep, N, and
/// their moment about the world's origin, N m. Joints to the static environment, and springs of
/// free and translation nodes to it, act from outside. 0 for a rig whose bases all float. Either
/// may be NULL. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_rig_outside_force(const PoiseRig* rig, PoiseVec3* force,
                                              PoiseVec3* moment);

#ifdef __cplusplus
}
#endif

#endif
