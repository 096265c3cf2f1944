// SPDX-License-Identifier: MIT
// The limits of a motor's rows. A torque is clamped by ODE, which is told how much a row may give
// (FMax); a speed limit is kept here.
#include "torque_speed_limits.h"

#include <math.h>

#include "convert.h"

// how much stiffer than its spring a row is that keeps a speed
static const double SPEED_STIFFNESS = 1e6;
// a joint stands under load when its row gave at least this part of what its spring pulls with, and
// it goes at less than this part of its speed limit
static const double LOADED = 0.5;
// and may then be given so much more
static const double MORE = 1.1;

// what its joint did in the last step
typedef struct Motion {
    double most;  // speed
    double rate;  // along or about its axis
    double given; // what the row gave
} Motion;

void poise__motor_tell_limit(const Motor* motor, Sort sort, int group, double limit) {
    poise__motor_tell(motor, sort, dParamFMax + group, isinf(limit) ? (double)dInfinity : limit);
}

static PoiseVec3 velocity_of(dBodyID body, Sort sort) {
    return body ? poise__vec3_from(sort == ALONG ? dBodyGetLinearVel(body)
                                                 : dBodyGetAngularVel(body))
                : poise_vec3(0.0, 0.0, 0.0);
}

// A row that would drive an unloaded joint past its speed limit keeps the limit instead, with no
// more than the torque its spring has at rest. One that stands under load keeps its spring, and
// with it its damping; when the load lets go it is held back one step late.
static void keep_speed(RowDrive* drive, const Motion* motion) {
    const double force = fabs(drive->force);
    if (!(force > motion->most * drive->damping)) {
        return;
    }
    const double sign = drive->force < 0.0 ? -1.0 : 1.0;
    if (sign * motion->given >= LOADED * poise_min(force, drive->limit) &&
        sign * motion->rate <= LOADED * motion->most) {
        drive->limit = poise_min(drive->limit, MORE * sign * motion->given);
    } else {
        drive->limit = poise_min(drive->limit, force);
        drive->damping *= SPEED_STIFFNESS;
        drive->force = sign * motion->most * drive->damping;
    }
}

// three rows share the speed limit by the direction of the pull
void poise__motor_share_speed(const Motor* motor, Sort sort, RowDrive* drives) {
    const int first = motor->first[sort];
    const int count = motor->count[sort];
    double square = 0.0;
    for (int i = 0; i < count; i++) {
        square += drives[i].force * drives[i].force;
    }
    const PoiseVec3 rate =
        poise_sub(velocity_of(motor->child, sort), velocity_of(motor->parent, sort));
    double given[POISE_MAX_NV];
    poise__motor_given(motor, given);
    for (int i = 0; i < count; i++) {
        const double part = count == 3 ? fabs(drives[i].force) / sqrt(square) : 1.0;
        const Motion motion = {part > 0.0 ? part * motor->speed_limit : HUGE_VAL,
                               poise_dot(rate, poise__motor_row_axis(motor, first + i)),
                               given[first + i]};
        keep_speed(&drives[i], &motion);
    }
}
