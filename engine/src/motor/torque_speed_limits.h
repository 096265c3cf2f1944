// SPDX-License-Identifier: MIT
// The limits of a motor's rows: the torque limit, to which ODE clamps, and the speed limit.
#ifndef POISE_TORQUE_SPEED_LIMITS_H
#define POISE_TORQUE_SPEED_LIMITS_H

#include "motor.h"

/// If three rows together reach their speed limit, the fastest of them has at least 1 / sqrt(3) of
/// that limit; this is a little less.
static const double SHARE_OF_THREE = 0.577;
/// Other joints can push a joint to its speed limit only if two speeds exceed this fraction of the
/// limit: the joint's speed, and the speed force / D to which its row alone would drive it.
static const double SLOW = 0.5;

/// The parameters of a row for one step.
typedef struct RowDrive {
    double force;        ///< torque at zero velocity: p e + d v_ref + ff
    double damping;      ///< D: the torque of the row is force - D v at the velocity v
    double limit;        ///< largest torque of the row
    double feed_forward; ///< ff: the part of `force` that is fed forward against the load
} RowDrive;

/// Sets a parameter of ODE's motor joint of a sort. `parameter` includes the group of its row.
static inline void poise__motor_set(const Motor* motor, Sort sort, int parameter, double value) {
    if (sort == ALONG) {
        dJointSetLMotorParam(motor->parts[sort], parameter, (dReal)value);
    } else {
        dJointSetAMotorParam(motor->parts[sort], parameter, (dReal)value);
    }
}

/// Sets the torque limit of a row in ODE, whose solver clamps the row's torque to it; infinity: no
/// limit.
void poise__motor_set_limit(const Motor* motor, Sort sort, int group, double limit);

/// True if some row may reach its speed limit.
static inline bool poise__may_be_fast(const Motor* motor, const RowDrive* drives, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        const RowDrive* drive = &drives[i];
        const double force =
            poise_max(fabs(drive->force), fabs(drive->force - drive->feed_forward));
        most = poise_max(most, force / drive->damping);
    }
    return most > SLOW * motor->speed_limit * (count == 3 ? SHARE_OF_THREE : 1.0);
}

/// Limits the rows of a sort to the speed limit. Three rows share it in the ratio of their forces.
void poise__motor_share_speed(const Motor* motor, Sort sort, RowDrive* drives);

#endif
