// SPDX-License-Identifier: MIT
// Counts the physics steps that are due, so that the simulation's time follows the wall clock at
// any frame rate.
#ifndef POISE_PACING_H
#define POISE_PACING_H

#include "poise/base.h"

typedef struct PoisePacing {
    bool paused;
    /// Simulated seconds per second of wall clock: a power of 2 from 1/64 to 4.
    double speed;
    /// Time by which the simulation is behind the clock, s.
    double due;
    /// Number of requested single steps that are not yet made.
    int single_steps;
} PoisePacing;

/// Returns the pacing of a simulation in real time.
PoisePacing poise__pacing_default(void);
/// Adds to the due time the wall-clock time of a frame (s, at most one second) times the speed.
/// The bound keeps the simulation from racing to catch up after the process was stopped.
void poise__pacing_advance(PoisePacing* pacing, double wall_seconds);
/// Returns true, and subtracts a step of `step_length` s from the due time, if the simulation is
/// behind by a step.
bool poise__pacing_take_step(PoisePacing* pacing, double step_length);
/// Sets the due time to 0, because steps cost more than the time that they simulate.
void poise__pacing_drop_backlog(PoisePacing* pacing);

void poise__pacing_toggle_pause(PoisePacing* pacing);
/// Pauses. If paused already, requests a single step.
void poise__pacing_step(PoisePacing* pacing);
/// Multiplies the speed by 2 to the power of `doublings`, within its range.
void poise__pacing_change_speed(PoisePacing* pacing, int doublings);

#endif
