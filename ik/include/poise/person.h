// SPDX-License-Identifier: MIT
// A whole person in one call, like vnoid's IkSolver::Comp: a trunk, two arms of seven hinges and
// two legs of six, in closed forms (poise/limb.h). Input: the poses of hands, feet and trunk.
// Output: the angles of all joints. A second call moves the trunk until the centre of mass is at
// its goal. No memory and no state: equal input gives equal output. m, rad, kg; x ahead, y to the
// left, z up.
#ifndef POISE_PERSON_H
#define POISE_PERSON_H

#include "poise/limb.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Index of a side; right comes first.
enum { POISE_RIGHT = 0, POISE_LEFT = 1, POISE_SIDES = 2 };

/// The limbs of a person, their positions on the trunk, and the masses.
typedef struct PoisePersonDef {
    /// Set by poise_default_person_def.
    uint32_t cookie;
    PoiseArmDef arms[POISE_SIDES];
    PoiseLegDef legs[POISE_SIDES];
    /// Positions of the shoulders and hips in the trunk's frame, m. Default 0.1 m to the sides, 0.3
    /// m above and 0.1 m below its origin.
    PoiseVec3 shoulders[POISE_SIDES];
    PoiseVec3 hips[POISE_SIDES];
    /// Positions of the hands' and feet's points in the frames of the last joints of the limbs, m.
    /// Default 0.1 m and 0.05 m below.
    PoiseVec3 hands[POISE_SIDES];
    PoiseVec3 feet[POISE_SIDES];
    /// Masses, kg, >= 0, of the trunk and of the link after each joint. Their centres are in that
    /// link's frame, m. The sum must be above 0. Default 1 kg at the trunk's origin, 0 elsewhere.
    double trunk_mass;
    PoiseVec3 trunk_com;
    double arm_mass[POISE_ARM_JOINTS];
    PoiseVec3 arm_com[POISE_ARM_JOINTS];
    double leg_mass[POISE_LEG_JOINTS];
    PoiseVec3 leg_com[POISE_LEG_JOINTS];
} PoisePersonDef;

/// A posture: the trunk's frame in the world, m, and the angles of all joints, rad.
typedef struct PoisePersonPosture {
    PoisePose trunk;
    double arms[POISE_SIDES][POISE_ARM_JOINTS];
    double legs[POISE_SIDES][POISE_LEG_JOINTS];
} PoisePersonPosture;

/// Poses of the hands and feet, and the centre of mass, world, m.
typedef struct PoisePersonEnds {
    PoisePose hands[POISE_SIDES];
    PoisePose feet[POISE_SIDES];
    PoiseVec3 com; ///< the centre of mass of the whole person
} PoisePersonEnds;

/// The results of each limb and of the centre of mass.
typedef struct PoisePersonReport {
    PoiseLimbReport arms[POISE_SIDES];
    PoiseLimbReport legs[POISE_SIDES];
    /// Distance of the centre of mass from its goal, m. `turns` counts the solves of the limbs,
    /// each after a move of the trunk (0 from poise_person_solve).
    double com_error;
    int turns;
} PoisePersonReport;

/// A def with the defaults named above.
POISE_API PoisePersonDef poise_default_person_def(void);
/// The reason, in words, why the def cannot be used. NULL if it can.
POISE_API const char* poise_person_def_problem(const PoisePersonDef* def);

/// Forward kinematics: writes the poses of hands and feet, and the centre of mass.
/// POISE_ERROR_INVALID_ARGUMENT, with nothing written: a NULL, an invalid def, a number that is not
/// finite, a rotation of length 0.
POISE_API PoiseStatus poise_person_forward(const PoisePersonDef* def,
                                           const PoisePersonPosture* posture,
                                           PoisePersonEnds* ends);

/// Computes all joint angles from hands, feet and trunk. On entry `posture` has the trunk's frame
/// and the reference angles. On return it has the answers of poise_arm_solve and poise_leg_solve
/// (wrist = trunk^-1 hand - shoulder). `ends->com` is used only for the report (NULL: not wanted).
/// POISE_OK: all limbs reach their poses. POISE_NOT_CONVERGED: a limb does not; its report says
/// why. Errors as poise_person_forward.
POISE_API PoiseStatus poise_person_solve(const PoisePersonDef* def, const PoisePersonEnds* ends,
                                         PoisePersonPosture* posture, PoisePersonReport* report);

/// Computes all joint angles as poise_person_solve, and moves the trunk until the centre of mass is
/// at `ends->com` (the base-feedback loop). The trunk starts at `ends->com`. Each iteration solves
/// the joints and adds the error of the centre of mass to the trunk's position, until the error is
/// below `tolerance`, m, > 0. The trunk keeps the rotation of `posture`, whose angles are the
/// reference of every iteration. POISE_OK: the centre of mass and all ends are at their goals.
/// POISE_NOT_CONVERGED: not within 50 iterations, or a limb does not reach its pose. Errors as
/// poise_person_forward.
POISE_API PoiseStatus poise_person_balance(const PoisePersonDef* def, const PoisePersonEnds* ends,
                                           double tolerance, PoisePersonPosture* posture,
                                           PoisePersonReport* report);

#ifdef __cplusplus
}
#endif

#endif
