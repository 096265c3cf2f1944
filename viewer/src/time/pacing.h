// SPDX-License-Identifier: MIT
// How many physics steps are due: an accumulator that keeps the simulation's time with the wall
// clock's, whatever the frame rate is.
#ifndef POISE_PACING_H
#define POISE_PACING_H

#include "poise/base.h"

typedef struct PoisePacing {
    bool paused;
    /// Simulated seconds per second: 2 to the power of -6 .. 2.
    double speed;
    /// Simulated time that is due and not stepped yet, s.
    double due;
    /// Steps asked for one by one.
    int single_steps;
} PoisePacing;

/// Runs in real time.
PoisePacing poise__pacing_default(void);
/// Adds the wall-clock time of a frame, s, so that time goes at its own pace however long a frame
/// takes to draw. More than a second (a stopped process) counts as one: the simulation never races
/// to catch up.
void poise__pacing_advance(PoisePacing* pacing, double wall_seconds);
/// Whether a step of `step_length` s is due; takes it off when it is.
bool poise__pacing_take_step(PoisePacing* pacing, double step_length);
/// Forgets what is due: the steps cost more than the time they stand for.
void poise__pacing_drop_backlog(PoisePacing* pacing);

void poise__pacing_toggle_pause(PoisePacing* pacing);
/// Pauses, or when paused asks for one step.
void poise__pacing_step(PoisePacing* pacing);
/// Doubles (halvings < 0: halves) the speed so many times, within its range.
void poise__pacing_change_speed(PoisePacing* pacing, int doublings);

#endif
