// SPDX-License-Identifier: MIT
// A whole person in one call, as vnoid's IkSolver::Comp: a trunk, two arms of seven hinges and two
// legs of six, in closed forms (poise/limb.h). Hands, feet and the trunk in, all joints out; and a
// trunk that is moved until the centre of mass is where it should be. No memory, no state: the same
// answer every time. m, rad, kg; x ahead, y to the left, z up.
#ifndef POISE_PERSON_H
#define POISE_PERSON_H

#include "poise/limb.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Right, then left, as the article counts.
enum { POISE_RIGHT = 0, POISE_LEFT = 1, POISE_SIDES = 2 };

/// The limbs of a person, where they are on the trunk, and the masses.
typedef struct PoisePersonDef {
    /// Set by poise_default_person_def.
    uint32_t cookie;
    PoiseArmDef arms[POISE_SIDES];
    PoiseLegDef legs[POISE_SIDES];
    /// Where the shoulders and hips are in the trunk's frame, m. Default 0.1 m to the sides, 0.3 m
    /// above and 0.1 m below its origin.
    PoiseVec3 shoulders[POISE_SIDES];
    PoiseVec3 hips[POISE_SIDES];
    /// Where the hands' and feet's points are, in the frames of the last joints of the limbs, m.
    /// Default 0.1 m and 0.05 m below.
    PoiseVec3 hands[POISE_SIDES];
    PoiseVec3 feet[POISE_SIDES];
    /// Masses, kg, >= 0, of the trunk and of the link behind each joint, with their centres in that
    /// link's frame, m; their sum must be above 0. Default 1 kg in the trunk's origin, 0 elsewhere.
    double trunk_mass;
    PoiseVec3 trunk_com;
    double arm_mass[POISE_ARM_JOINTS];
    PoiseVec3 arm_com[POISE_ARM_JOINTS];
    double leg_mass[POISE_LEG_JOINTS];
    PoiseVec3 leg_com[POISE_LEG_JOINTS];
} PoisePersonDef;

/// A posture: the trunk's frame, world, m, and the angles of all joints, rad.
typedef struct PoisePersonPosture {
    PoisePose trunk;
    double arms[POISE_SIDES][POISE_ARM_JOINTS];
    double legs[POISE_SIDES][POISE_LEG_JOINTS];
} PoisePersonPosture;

/// Where the ends are, world, m.
typedef struct PoisePersonEnds {
    PoisePose hands[POISE_SIDES];
    PoisePose feet[POISE_SIDES];
    PoiseVec3 com; ///< the centre of mass of all
} PoisePersonEnds;

/// How the limbs and the centre of mass came about.
typedef struct PoisePersonReport {
    PoiseLimbReport arms[POISE_SIDES];
    PoiseLimbReport legs[POISE_SIDES];
    /// Distance of the centre of mass from where it should be, m; and how often the trunk was moved
    /// for it (0: poise_person_solve).
    double com_error;
    int turns;
} PoisePersonReport;

/// A def with the defaults named above.
POISE_API PoisePersonDef poise_default_person_def(void);
/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_person_def_problem(const PoisePersonDef* def);

/// Forward kinematics: where hands, feet and the centre of mass are.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing written: a NULL, a def that is no good, a number that
/// is not finite, a rotation of length 0.
POISE_API PoiseStatus poise_person_forward(const PoisePersonDef* def,
                                           const PoisePersonPosture* posture,
                                           PoisePersonEnds* ends);

/// All joints for hands, feet and the trunk: `posture` holds the trunk's frame and the angles that
/// the answers should be near, and gets the answers, as poise_arm_solve and poise_leg_solve give
/// them (wrist = trunk^-1 hand - shoulder). `ends->com` is not looked at, but for the report
/// (NULL: none). POISE_OK: all are had; POISE_NOT_CONVERGED: some limb is not, the report says
/// which and why. Errors as poise_person_forward.
POISE_API PoiseStatus poise_person_solve(const PoisePersonDef* def, const PoisePersonEnds* ends,
                                         PoisePersonPosture* posture, PoisePersonReport* report);

/// The same with the centre of mass at `ends->com`: the base-feedback loop. The trunk begins there,
/// all joints are solved, and what the centre of mass is off is added to the trunk's place, until
/// it is within `tolerance`, m, > 0, of where it should be. The trunk keeps the rotation it has in
/// `posture`, whose angles are the reference of each turn. POISE_OK: the centre of mass and all
/// ends are had; POISE_NOT_CONVERGED: not within 50 turns, or some limb is not. Errors as
/// poise_person_forward.
POISE_API PoiseStatus poise_person_balance(const PoisePersonDef* def, const PoisePersonEnds* ends,
                                           double tolerance, PoisePersonPosture* posture,
                                           PoisePersonReport* report);

#ifdef __cplusplus
}
#endif

#endif
