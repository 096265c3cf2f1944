// SPDX-License-Identifier: MIT
// Enforces the speed limit of a motor's rows. ODE itself clamps their torque to the limit FMax.
#include "torque_speed_limits.h"

#include <math.h>

#include "convert.h"

// Factor on the damping D of a row whose target velocity is the speed limit, so that loads hardly
// change the speed.
static const double SPEED_STIFFNESS = 1e6;
// A joint slower than SLOW times its speed limit is loaded if its last torque was at least this
// fraction of the lesser of RowDrive.force and the torque limit.
static const double MIN_LOAD = 0.5;
// The speed limit acts on a row whose expected speed exceeds this fraction of the limit: torques of
// other joints change speeds by about 2 % from step to step.
static const double NEARLY = 0.98;
// A row that the speed limit held in the last step stays held down to this fraction: joints that
// are held and let go in turn would push each other beyond their limits.
static const double HELD_NEARLY = 0.95;
// Factor by which the torque of a slow loaded row may grow in a step.
static const double MORE = 1.1;

// The motion of a row's joint in the last step.
typedef struct Motion {
    double most;        // speed limit of the row, rad/s or m/s
    double rate;        // speed along or about the axis, m/s or rad/s
    double last_torque; // torque of the row in the last step, N m or N
    bool was_held;      // the speed limit was the row's target velocity in the last step
} Motion;

void poise__motor_set_limit(const Motor* motor, Sort sort, int group, double limit) {
    poise__motor_set(motor, sort, dParamFMax + group, isinf(limit) ? (double)dInfinity : limit);
}

static PoiseVec3 velocity_of(dBodyID body, Sort sort) {
    return body ? poise__vec3_from(sort == ALONG ? dBodyGetLinearVel(body)
                                                 : dBodyGetAngularVel(body))
                : poise_vec3(0.0, 0.0, 0.0);
}

// Limits the speed of a row: the speed limit becomes its target velocity in three cases. First, the
// row's force would drive the unloaded joint faster than the limit. Second, the force without
// feed-forward would (`is_fast`): the joint sinks under a load. Third, other joints push it
// (`is_pushed`): if they push as in the last step, its speed (force - last torque) / D is near the
// limit. The row then has the torque of its spring at the present speed, plus the push of weight or
// other joints; above the speed limit it has all its torque. A slow row under load keeps its
// spring, and its torque may grow by the factor MORE: the joint is slowed one step after the load
// ends.
static void keep_speed(RowDrive* drive, const Motion* motion) {
    const double most = motion->most * drive->damping;
    const double spring = drive->force - drive->feed_forward;
    const bool is_fast = fabs(spring) > most;
    const double force = fabs(drive->force);
    const double sign = (is_fast ? spring : drive->force) < 0.0 ? -1.0 : 1.0;
    const double rate = sign * motion->rate;
    const double last_torque = sign * motion->last_torque;
    const double nearly = motion->was_held ? HELD_NEARLY : NEARLY;
    const bool is_slow = rate <= SLOW * motion->most;
    const bool is_pushed = !is_slow && force - last_torque > nearly * most;
    if (!is_fast && !(force > most) && !is_pushed) {
        return;
    }
    if (is_slow && last_torque >= MIN_LOAD * poise_min(force, drive->limit)) {
        drive->limit = poise_min(drive->limit, MORE * last_torque);
        return;
    }
    const double pull = fabs(sign * drive->force - rate * drive->damping);
    const double push = poise_max(poise_max(-sign * drive->feed_forward, -last_torque), 0.0);
    const double brake = rate > motion->most ? HUGE_VAL : pull + push;
    drive->limit = poise_min(drive->limit, brake);
    drive->damping *= SPEED_STIFFNESS;
    drive->force = sign * motion->most * drive->damping;
}

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
                               given[first + i],
                               2.0 * motor->sent[first + i].cfm * drives[i].damping < 1.0};
        keep_speed(&drives[i], &motion);
    }
}
