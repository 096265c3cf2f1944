// SPDX-License-Identifier: MIT
// Standing on one's own feet. A body that nothing holds (a free node without springs of its own,
// see poise_rig_add_base) stands on points of it: the ground carries it there, and the joints
// between there and everywhere else have to know how much. While a rig has stance points its
// floating bases take part in the solve (feet stay, hands reach, the pelvis follows), and its
// weight is fed forward through them; without any the base is where its body is and no weight is
// fed forward.
//
// Nothing of this acts on a body from outside: the motors between its links are all there is.
#ifndef POISE_STANCE_H
#define POISE_STANCE_H

#include "poise/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point that the ground carries a body by.
typedef struct PoiseStanceDef {
    /// Set by poise_default_stance_def.
    uint32_t cookie;
    /// Where it stands: any point of the rig's tree with a place on a bound link. Its goal is where
    /// the foot is to stay.
    PoisePointId point;
    /// > 0. Of two points one of share 2 carries twice as much, as far as balance leaves it open.
    /// Default 1.
    double share;
    /// m, >= 0. How far from the point, in the middle of the sole, the ground's force may act: with
    /// it a point carries moments too. 0: it acts at the point. Default 0.
    double sole;
    /// m, >= 0. A sole that is no disc: half its length and width, along x and y of the point's own
    /// frame. Default 0: a disc.
    double half_length;
    double half_width;
    /// Coulomb's coefficient between sole and ground, >= 0: a point rubs by this part of its push
    /// at most. INFINITY: it sticks. Default 0.8, as that of a world of ours.
    double friction;
    /// The way the ground pushes, world, of length 1. Default 0: against gravity; where there is
    /// none either, a point may push and pull as it needs.
    PoiseVec3 normal;
    /// 1/s, >= 0. How readily the goal goes along where the foot slides or turns on the ground
    /// (across gravity and about it; its height and tilt stay as they are): so that what the tree
    /// has for its feet is where they are. 0: it stays. Default 10. Only for goals in the world.
    double slide;
} PoiseStanceDef;

/// A def with the defaults named above, but for the point, which is the caller's to set.
POISE_API PoiseStanceDef poise_default_stance_def(void);

/// Lets the point carry, or carry otherwise. Its goal is the rig's from then on: its velocity is
/// not taken from its own motion (poise_point_follow), nor is that of a balance.
/// POISE_ERROR_INVALID_ARGUMENT for a number out of its range, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_WRONG_KIND for a centre of mass or a point whose link stands on no floating base of
/// the rig.
POISE_API PoiseStatus poise_rig_add_stance(PoiseRig* rig, const PoiseStanceDef* def);
/// Lets it carry no more: a foot about to be lifted. A point that carries nothing is allowed.
/// POISE_ERROR_INVALID_HANDLE for one that is null, destroyed, or of another tree;
/// POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_rig_remove_stance(PoiseRig* rig, PoisePointId point);
/// Keeps the goal of a centre of mass over the middle of the points that carry, by their shares
/// (its height stays as it is), and leans it against the forces that points are asked to press
/// with, as far as the shortest sole: null: of none. POISE_ERROR_WRONG_KIND for a point of another
/// kind.
POISE_API PoiseStatus poise_rig_set_balance(PoiseRig* rig, PoisePointId com);
/// How many points carry.
POISE_API int poise_rig_stance_count(const PoiseRig* rig);

/// What the ground was taken to give at the point in the last update, world, N and N m: of all that
/// the points can give (they push, rub by friction times that at most, and act within their soles),
/// what holds the body and answers to the forces asked of its other points with the least sum of
/// force^2 / share + moment^2 / (share sole^2). Where none does, what comes nearest to it. Either
/// may be NULL. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_read_stance(const PoiseRig* rig, PoisePointId point,
                                            PoiseVec3* force, PoiseVec3* moment);

/// What is missing of what the ground is asked for, as bits of PoiseSupport.verdict.
typedef enum PoiseSupportVerdict {
    /// Force along the ground, or moment about its normal: feet would slide or twist.
    POISE_SUPPORT_SLIDES = 1,
    /// Force against it, or moment about axes along it: the body would tip over its soles.
    POISE_SUPPORT_TIPS = 2
} PoiseSupportVerdict;

/// What a floating base asks of the ground, as of the last update, and whether it can give it.
typedef struct PoiseSupport {
    /// Bits of PoiseSupportVerdict; 0: it stands.
    unsigned verdict;
    /// What the weight, and the forces asked of its points, need: force, N, and moment about
    /// `centre`, the middle of the points that carry, N m.
    PoiseVec3 force;
    PoiseVec3 moment;
    PoiseVec3 centre;
    /// What of that the points cannot give; 0 where it stands.
    PoiseVec3 missing_force;
    PoiseVec3 missing_moment;
    /// The most that a point rubs, as a part of what its friction lets it: 1 is on the point of
    /// sliding.
    double friction;
    /// So many times could the forces that are asked be carried: below 1 they are too much, 0: the
    /// weight is too, by itself. At most 1000; infinite above that, or where none is asked.
    double part;
} PoiseSupport;

/// Of the base `base`; null: the first that stands. POISE_OK when it is carried, POISE_DEGRADED
/// when it is not, POISE_ERROR_INVALID_HANDLE for a node that is no floating base, or that stood on
/// no point in the last update. For between steps: it tries some forty loads.
POISE_API PoiseStatus poise_rig_read_support(PoiseRig* rig, PoiseNodeId base,
                                             PoiseSupport* support);
/// The verdict in words: "stands", "slides", "tips over", "slides and tips over".
POISE_API const char* poise_support_verdict_name(unsigned verdict);

/// The sum of what the rig's motors gave to the bodies from outside in the last dWorldStep, N, and
/// its moment about the world's origin, N m: what joints to the static environment, and springs of
/// free and translation nodes to it, gave. 0 for a rig whose bases all float. Either may be NULL.
/// Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_rig_outside_force(const PoiseRig* rig, PoiseVec3* force,
                                              PoiseVec3* moment);

#ifdef __cplusplus
}
#endif

#endif
