// SPDX-License-Identifier: MIT
// Where a joint stops: the ends of its ranges, and a ball's cone.
#ifndef POISE_RANGE_STOPS_H
#define POISE_RANGE_STOPS_H

#include "binding.h"

/// Bits of `stops` of a ball with a cone: its swing, its twist.
enum { STOP_SWING = 1, STOP_TWIST = 2 };

/// A single motion's target, which the drive leads no farther than to the ends of its range.
static inline double poise__stop_target(const Binding* binding, int velocity, double target) {
    return poise_min(poise_max(target, binding->lower[velocity]), binding->upper[velocity]);
}

/// Tells ODE where a ball is in its cone, or that it has none. `joint` is the state of the binding.
void poise__binding_hold_cone(Binding* binding, const JointState* joint);

/// The directions, over its velocities (world), in which it stands on a stop as `stops` says:
/// orthonormal; returns how many.
int poise__joint_stop_rows(const JointState* joint, double rows[POISE_MAX_NV][POISE_MAX_NV]);
/// Takes those directions out of v, world.
void poise__joint_hold_stops(const JointState* joint, double* v);
/// Finds the stops that `push` (torques, world) presses it against, being nearer to them than
/// `near` (rad, m).
unsigned poise__joint_find_stops(const JointState* joint, const double* push, double near);

#endif
