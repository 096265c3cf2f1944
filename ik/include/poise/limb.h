// SPDX-License-Identifier: MIT
// Closed forms for the limbs of a person: a leg of six hinges and an arm of seven, by the triangle
// of two links and Euler angles. No iteration, no memory: the same answer every time. Frames as the
// trunk has them: x ahead, y to the left, z up; at angles 0 the limb hangs straight down along -z.
// m and rad.
#ifndef POISE_LIMB_H
#define POISE_LIMB_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { POISE_LEG_JOINTS = 6, POISE_ARM_JOINTS = 7 };

/// Hip about z, x, y (yaw, roll, pitch), all in one place; knee about y; ankle about y, x, in one
/// place: R = Rz(0) Rx(1) Ry(2) Ry(3) Ry(4) Rx(5).
typedef struct PoiseLegDef {
    /// Set by poise_default_leg_def.
    uint32_t cookie;
    /// Hip to knee and knee to ankle, m, > 0. Default 0.4 and 0.4.
    double thigh;
    double shank;
    /// Ranges of the joints, rad, lower <= upper. Default minus and plus infinity.
    double lower[POISE_LEG_JOINTS];
    double upper[POISE_LEG_JOINTS];
} PoiseLegDef;

/// Shoulder about y, x, z (pitch, roll, yaw), all in one place; elbow about y; wrist about z, y, x,
/// in one place: R = Ry(0) Rx(1) Rz(2) Ry(3) Rz(4) Ry(5) Rx(6). One freedom more than a pose needs:
/// the elbow can swivel about the line from shoulder to wrist.
typedef struct PoiseArmDef {
    /// Set by poise_default_arm_def.
    uint32_t cookie;
    /// Shoulder to elbow and elbow to wrist, m, > 0. Default 0.3 and 0.3.
    double upper_arm;
    double forearm;
    /// Ranges of the joints, rad, lower <= upper. Default minus and plus infinity.
    double lower[POISE_ARM_JOINTS];
    double upper[POISE_ARM_JOINTS];
} PoiseArmDef;

/// A leg of 0.4 m and 0.4 m without ranges.
POISE_API PoiseLegDef poise_default_leg_def(void);
/// An arm of 0.3 m and 0.3 m without ranges.
POISE_API PoiseArmDef poise_default_arm_def(void);

/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_leg_def_problem(const PoiseLegDef* def);
/// The same of an arm's.
POISE_API const char* poise_arm_def_problem(const PoiseArmDef* def);

/// How a limb's angles came about.
typedef enum PoiseLimbReason {
    /// The pose is had.
    POISE_LIMB_MET = 0,
    /// Farther than both links: stretched toward it, knee or elbow 0, the rotation had.
    POISE_LIMB_TOO_FAR = 1,
    /// Nearer than the links' difference: folded, knee or elbow pi (or -pi), the rotation had.
    POISE_LIMB_TOO_NEAR = 2,
    /// No answer is inside the ranges: the one least outside, held on them.
    POISE_LIMB_AT_LIMITS = 3
} PoiseLimbReason;

/// The reason as words, "too far" say; never NULL, any value allowed.
POISE_API const char* poise_limb_reason_name(PoiseLimbReason reason);

/// How a limb's angles came about, and what they miss.
typedef struct PoiseLimbReport {
    PoiseLimbReason reason;
    /// From the pose that the angles have to the one asked for, m and rad.
    double error;
    double angle_error;
} PoiseLimbReport;

/// Where the ankle is at the angles, in the hip's frame, turned as the foot. The identity for a
/// NULL or a def that is no good.
POISE_API PoisePose poise_leg_forward(const PoiseLegDef* def,
                                      const double angles[POISE_LEG_JOINTS]);
/// Where the wrist is at the angles, in the shoulder's frame, turned as the hand.
POISE_API PoisePose poise_arm_forward(const PoiseArmDef* def,
                                      const double angles[POISE_ARM_JOINTS]);

/// The angles that bring the ankle to `ankle` (in the hip's frame). Of the up to eight answers
/// (knee ahead or behind, ankle and hip turned over) inside the ranges the one nearest to
/// `reference` by the sum of squares, whole turns included; what is free in a singular posture
/// stays with the reference. `reference` NULL: all 0. POISE_OK: the pose is had;
/// POISE_NOT_CONVERGED: the report's reason, the angles are inside the ranges all the same.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing written: a NULL, a def that is no good, a number that
/// is not finite, a rotation of length 0. `report` NULL: none.
POISE_API PoiseStatus poise_leg_solve(const PoiseLegDef* def, PoisePose ankle,
                                      const double reference[POISE_LEG_JOINTS],
                                      double angles[POISE_LEG_JOINTS], PoiseLimbReport* report);

/// The same for the wrist, with the POISE_ARM_JOINTS angles of an arm and the same errors. The
/// swivel is the reference's: the elbow's axis, across the line to the wrist, lies as near to where
/// the reference has it as it can. Where no answer with that swivel is inside the ranges, or a
/// joint would leap by more than 0.5 rad from the reference though with another swivel none does,
/// the elbow swivels: by as little as brings the reference's own branch back inside, else to the
/// nearest answer of all swivels (looked for in steps of 2 degrees). Errors:
/// POISE_ERROR_INVALID_ARGUMENT. Or POISE_NOT_CONVERGED.
POISE_API PoiseStatus poise_arm_solve(const PoiseArmDef* def, PoisePose wrist,
                                      const double reference[POISE_ARM_JOINTS],
                                      double angles[POISE_ARM_JOINTS], PoiseLimbReport* report);

#ifdef __cplusplus
}
#endif

#endif
