// SPDX-License-Identifier: MIT
// Any value of a simulation by name ("hand.error", "elbow.torque", "energy"), and what it was over
// the last while: for plots and CSV.
#ifndef POISE_WATCH_H
#define POISE_WATCH_H

#include <stdio.h>

#include "note.h"
#include "poise/simulation.h"
#include "timeline.h"

enum { POISE_WATCH_SAMPLES = 400, POISE_WATCH_MOST = 8, POISE_WATCH_NAME = 128 };

/// Values stand at some of the indices below this count; the name at `index`, "" where none is.
int poise__value_count(const PoiseSimulation* simulation);
void poise__value_name(const PoiseSimulation* simulation, int index, char name[POISE_WATCH_NAME]);
/// The value of that name now, NAN where it has none. False when no value is called so.
bool poise__value_of(const PoiseSimulation* simulation, const char* name, double* value);

typedef struct PoiseWatched {
    char name[POISE_WATCH_NAME];
    float samples[POISE_WATCH_SAMPLES];
} PoiseWatched;

/// A sample a frame; the newest is the last.
typedef struct PoiseWatch {
    PoiseWatched values[POISE_WATCH_MOST];
    int count;
    float times[POISE_WATCH_SAMPLES];
    int sample_count;
} PoiseWatch;

/// Begins or ends to watch a value. False when there are too many, or none is called so.
bool poise__watch_toggle(PoiseWatch* watch, const PoiseSimulation* simulation, const char* name);
/// What the last watched value was at the samples of before: the run is made again from the first
/// of them, and is then where it was, bit by bit. Left out, as where it cannot go back, they are
/// NAN.
void poise__watch_fill(PoiseWatch* watch, PoiseTimeline* timeline);
bool poise__watch_has(const PoiseWatch* watch, const char* name);
/// Takes a sample, unless time stands still; going back in time forgets what was after.
void poise__watch_sample(PoiseWatch* watch, const PoiseSimulation* simulation);
/// A header row, then a row a sample, `time` first. False, and why, when it cannot be written.
bool poise__watch_write(const PoiseWatch* watch, const char* path, PoiseNote* note);

#endif
