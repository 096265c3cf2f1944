// SPDX-License-Identifier: MIT
// Counts the physics steps that are due. An accumulator keeps the simulation's time with the wall
// clock's, at any frame rate.
#ifndef POISE_PACING_H
#define POISE_PACING_H

#include "poise/base.h"

typedef struct PoisePacing {
    bool paused;
    /// Simulated seconds per second: 2 to the power of -6 .. 2.
    double speed;
    /// Time that the simulation is behind the clock, s.
    double due;
    /// Number of steps that were asked for one by one.
    int single_steps;
} PoisePacing;

/// Returns a clock that runs in real time.
PoisePacing poise__pacing_default(void);
/// Adds the wall-clock time of a frame (s, at most one second) times the speed. The bound keeps the
/// simulation from racing to catch up after the process was stopped.
void poise__pacing_advance(PoisePacing* pacing, double wall_seconds);
/// Returns true, and subtracts a step of `step_length` s from the due time, if the simulation is
/// behind by a step.
bool poise__pacing_take_step(PoisePacing* pacing, double step_length);
/// Sets the due time to 0, for steps that cost more than the time they simulate.
void poise__pacing_drop_backlog(PoisePacing* pacing);

void poise__pacing_toggle_pause(PoisePacing* pacing);
/// Pauses; requests one step if paused already.
void poise__pacing_step(PoisePacing* pacing);
/// Multiplies the speed by 2 to the power of `doublings`, within its range.
void poise__pacing_change_speed(PoisePacing* pacing, int doublings);

#endif
