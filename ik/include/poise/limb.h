// SPDX-License-Identifier: MIT
// Closed forms for the limbs of a person: a leg of six hinges and an arm of seven. They use the
// triangle of the two links and Euler angles, without iteration and without memory, so equal input
// gives equal output. Frames are those of the trunk: x ahead, y to the left, z up. At angles 0 the
// limb hangs straight down along -z. m and rad.
#ifndef POISE_LIMB_H
#define POISE_LIMB_H

#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { POISE_LEG_JOINTS = 6, POISE_ARM_JOINTS = 7 };

/// A leg. Its joints: hip about z, x, y (yaw, roll, pitch) at one point; knee about y; ankle about
/// y, x at one point. R = Rz(0) Rx(1) Ry(2) Ry(3) Ry(4) Rx(5).
typedef struct PoiseLegDef {
    /// Set by poise_default_leg_def.
    uint32_t cookie;
    /// Distances from hip to knee and from knee to ankle, m, > 0. Default 0.4 and 0.4.
    double thigh;
    double shank;
    /// Ranges of the joints, rad, lower <= upper. Default minus and plus infinity.
    double lower[POISE_LEG_JOINTS];
    double upper[POISE_LEG_JOINTS];
} PoiseLegDef;

/// An arm. Its joints: shoulder about y, x, z (pitch, roll, yaw) at one point; elbow about y; wrist
/// about z, y, x at one point. R = Ry(0) Rx(1) Rz(2) Ry(3) Rz(4) Ry(5) Rx(6). It has one degree of
/// freedom more than a pose: the elbow can swivel about the line from shoulder to wrist.
typedef struct PoiseArmDef {
    /// Set by poise_default_arm_def.
    uint32_t cookie;
    /// Distances from shoulder to elbow and from elbow to wrist, m, > 0. Default 0.3 and 0.3.
    double upper_arm;
    double forearm;
    /// Ranges of the joints, rad, lower <= upper. Default minus and plus infinity.
    double lower[POISE_ARM_JOINTS];
    double upper[POISE_ARM_JOINTS];
} PoiseArmDef;

/// A leg of 0.4 m and 0.4 m, with infinite ranges.
POISE_API PoiseLegDef poise_default_leg_def(void);
/// An arm of 0.3 m and 0.3 m, with infinite ranges.
POISE_API PoiseArmDef poise_default_arm_def(void);

/// The reason, in words, why the def cannot be used. NULL if it can.
POISE_API const char* poise_leg_def_problem(const PoiseLegDef* def);
/// The reason, in words, why the arm's def cannot be used. NULL if it can.
POISE_API const char* poise_arm_def_problem(const PoiseArmDef* def);

/// The result of a limb's closed form.
typedef enum PoiseLimbReason {
    /// The angles give the pose.
    POISE_LIMB_MET = 0,
    /// The goal is farther than both links together. The limb is straight toward the goal (knee or
    /// elbow 0) and meets the rotation.
    POISE_LIMB_TOO_FAR = 1,
    /// The goal is nearer than the difference of the links' lengths. The limb is folded (knee or
    /// elbow pi or -pi) and meets the rotation.
    POISE_LIMB_TOO_NEAR = 2,
    /// No answer is inside the ranges. The angles are those of the answer nearest to the ranges,
    /// clamped to them.
    POISE_LIMB_AT_LIMITS = 3
} PoiseLimbReason;

/// The reason as words, for example "too far"; never NULL, any value allowed.
POISE_API const char* poise_limb_reason_name(PoiseLimbReason reason);

/// The result of a limb's closed form, and the errors of its pose.
typedef struct PoiseLimbReport {
    PoiseLimbReason reason;
    /// Distance and angle from the pose of the angles to the goal, m and rad.
    double error;
    double angle_error;
} PoiseLimbReport;

/// The pose of the ankle at the angles, with the rotation of the foot, in the hip's frame, m. The
/// identity for NULL or an invalid def.
POISE_API PoisePose poise_leg_forward(const PoiseLegDef* def,
                                      const double angles[POISE_LEG_JOINTS]);
/// The pose of the wrist at the angles, with the rotation of the hand, in the shoulder's frame, m.
/// The identity for NULL or an invalid def.
POISE_API PoisePose poise_arm_forward(const PoiseArmDef* def,
                                      const double angles[POISE_ARM_JOINTS]);

/// Computes the POISE_LEG_JOINTS angles that bring the ankle to `ankle`, in the hip's frame, m.
/// There are up to eight answers: knee ahead or behind, ankle and hip turned over. Takes the answer
/// inside the ranges that is nearest to `reference` by the sum of squares, whole turns included.
/// Angles that a singular posture leaves free keep the value of the reference. `reference` NULL:
/// all 0. `report` NULL: not wanted. POISE_OK: the angles give the pose. POISE_NOT_CONVERGED: they
/// do not, but are inside the ranges; the report has the reason. POISE_ERROR_INVALID_ARGUMENT, with
/// nothing written: a NULL, an invalid def, a number that is not finite, a rotation of length 0.
POISE_API PoiseStatus poise_leg_solve(const PoiseLegDef* def, PoisePose ankle,
                                      const double reference[POISE_LEG_JOINTS],
                                      double angles[POISE_LEG_JOINTS], PoiseLimbReport* report);

/// Computes the POISE_ARM_JOINTS angles that bring the wrist to `wrist`, in the shoulder's frame,
/// as poise_leg_solve does for a leg. The swivel keeps the elbow's axis as near as possible to its
/// direction at the reference. The arm takes another swivel if no answer with this one is inside
/// the ranges, or if a joint would move by more than 0.5 rad from the reference although another
/// swivel avoids that. The new swivel is the nearest at which the solution branch of the reference
/// is inside the ranges. If there is none, the arm takes the nearest answer over all swivels,
/// searched in steps of 2 degrees. Errors: POISE_ERROR_INVALID_ARGUMENT. Or POISE_NOT_CONVERGED.
POISE_API PoiseStatus poise_arm_solve(const PoiseArmDef* def, PoisePose wrist,
                                      const double reference[POISE_ARM_JOINTS],
                                      double angles[POISE_ARM_JOINTS], PoiseLimbReport* report);

#ifdef __cplusplus
}
#endif

#endif
