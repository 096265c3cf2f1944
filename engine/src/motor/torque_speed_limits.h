// SPDX-License-Identifier: MIT
// What a motor's rows may give at most: the torque limit, which ODE is told and clamps to, and the
// speed limit.
#ifndef POISE_TORQUE_SPEED_LIMITS_H
#define POISE_TORQUE_SPEED_LIMITS_H

#include "motor.h"

/// Of three rows that together are at their speed limit one has at least this part, 1 / sqrt(3).
static const double SHARE_OF_THREE = 0.577;

/// What a row is to be.
typedef struct RowDrive {
    double force; ///< at rest: p e + d v_ref + ff
    double damping;
    double limit;
} RowDrive;

/// Tells ODE's motor of a sort a parameter, the group of its row added.
static inline void poise__motor_tell(const Motor* motor, Sort sort, int parameter, double value) {
    if (sort == ALONG) {
        dJointSetLMotorParam(motor->parts[sort], parameter, (dReal)value);
    } else {
        dJointSetAMotorParam(motor->parts[sort], parameter, (dReal)value);
    }
}

/// The torque limit of a row, which ODE's solver clamps the row's torque to; infinity: none.
void poise__motor_tell_limit(const Motor* motor, Sort sort, int group, double limit);

/// Whether some of the rows may drive past the speed limit.
static inline bool poise__may_be_fast(const Motor* motor, const RowDrive* drives, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = poise_max(most, fabs(drives[i].force) / drives[i].damping);
    }
    return most > motor->speed_limit * (count == 3 ? SHARE_OF_THREE : 1.0);
}

/// Holds the rows of a sort to the speed limit, which three share by the direction of the pull.
void poise__motor_share_speed(const Motor* motor, Sort sort, RowDrive* drives);

#endif
