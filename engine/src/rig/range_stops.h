// SPDX-License-Identifier: MIT
// The stops of a joint: the ends of its ranges, and a ball's cone.
#ifndef POISE_RANGE_STOPS_H
#define POISE_RANGE_STOPS_H

#include "binding.h"

/// Bits of JointState.stops of a ball with a cone: its swing or twist is at the end of the range.
enum { STOP_SWING = 1, STOP_TWIST = 2 };

/// Clamps a single motion's target to its range.
static inline double poise__stop_target(const Binding* binding, int velocity, double target) {
    return poise_min(poise_max(target, binding->lower[velocity]), binding->upper[velocity]);
}

/// Sets ODE's stops of a ball's cone, or removes them if the ball has no cone. `joint` is the state
/// of the binding.
void poise__binding_hold_cone(Binding* binding, const JointState* joint);

/// Fills an orthonormal basis of the directions that active stops (JointState.stops) forbid, over
/// the joint's velocities, world. Returns its number of rows.
int poise__joint_stop_rows(const JointState* joint, double rows[POISE_MAX_NV][POISE_MAX_NV]);
/// Removes the directions of the active stops from `v`, by velocity, world.
void poise__joint_hold_stops(const JointState* joint, double* v);
/// Returns the active stops as bits. A stop is active if the torques `push` (by velocity, world)
/// press the joint against it and the joint is within 1e-4 rad or m of it, since ODE's stops yield
/// a little.
unsigned poise__joint_find_stops(const JointState* joint, const double* push);

#endif
