// SPDX-License-Identifier: MIT
// Any value of a simulation by name ("hand.error", "elbow.torque", "energy"), and what it was since
// the run began: for plots and CSV.
#ifndef POISE_WATCH_H
#define POISE_WATCH_H

#include <stdio.h>

#include "note.h"
#include "poise/simulation.h"
#include "timeline.h"

enum { POISE_WATCH_SAMPLES = 1200, POISE_WATCH_MOST = 8, POISE_WATCH_NAME = 128 };

/// Values stand at some of the indices below this count; the name at `index`, "" where none is.
int poise__value_count(const PoiseSimulation* simulation);
void poise__value_name(const PoiseSimulation* simulation, int index, char name[POISE_WATCH_NAME]);
/// The value of that name now, NAN where it has none. False when no value is called so.
bool poise__value_of(const PoiseSimulation* simulation, const char* name, double* value);
/// Its unit, "" for none.
const char* poise__value_unit(const PoiseSimulation* simulation, const char* name);

typedef struct PoiseWatched {
    char name[POISE_WATCH_NAME];
    float samples[POISE_WATCH_SAMPLES];
} PoiseWatched;

/// Samples of the whole run, about 60 a second; where the table is full every second one goes. What
/// lies ahead after going back is kept, as the run is, until a change cuts it off.
typedef struct PoiseWatch {
    PoiseWatched values[POISE_WATCH_MOST];
    int count;
    float times[POISE_WATCH_SAMPLES];
    int sample_count;
    /// Steps from sample to sample; 0: none was taken yet.
    long stride;
    /// The last sample is between two of these: it gives way to the next.
    bool loose;
} PoiseWatch;

/// Begins or ends to watch a value. False when there are too many, or none is called so.
bool poise__watch_toggle(PoiseWatch* watch, const PoiseSimulation* simulation, const char* name);
/// What the last watched value was at the samples of before: the run is made again, and is then
/// where it was, bit by bit. Of a long run only what can be made again in a second or two; the rest
/// of it, and where it cannot go back, is NAN. False, and why, where it is not where it was then.
bool poise__watch_fill(PoiseWatch* watch, PoiseTimeline* timeline, PoiseNote* note);
bool poise__watch_has(const PoiseWatch* watch, const char* name);
/// After a step: a sample where one is due.
void poise__watch_step(PoiseWatch* watch, const PoiseTimeline* timeline);
/// A sample of now, whether one is due or not, unless now has been sampled already.
void poise__watch_sample(PoiseWatch* watch, const PoiseTimeline* timeline);
/// A header row, then a row a sample, `time` first. False, and why, when it cannot be written.
bool poise__watch_write(const PoiseWatch* watch, const char* path, PoiseNote* note);

#endif
