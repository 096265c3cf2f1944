// SPDX-License-Identifier: MIT
// The values of a simulation by name ("hand.error", "elbow.torque", "energy"). Watched values are
// recorded from the start of the run, for plots and CSV.
#ifndef POISE_WATCHED_VALUES_H
#define POISE_WATCHED_VALUES_H

#include "note.h"
#include "poise/simulation.h"
#include "timeline.h"

enum { POISE_WATCH_SAMPLES = 1200, POISE_WATCH_CAPACITY = 8, POISE_WATCH_NAME = 128 };

/// Values of a simulation have indices from 0 to the count. An index without a value has the name
/// "".
int poise__value_count(const PoiseSimulation* simulation);
void poise__value_name(const PoiseSimulation* simulation, int index, char name[POISE_WATCH_NAME]);
/// Returns true, and the present value, if a value has this name; NAN if the value is undefined
/// now.
bool poise__value_of(const PoiseSimulation* simulation, const char* name, double* value);
/// Returns the unit of a value; "" if it has none.
const char* poise__value_unit(const PoiseSimulation* simulation, const char* name);

typedef struct PoiseWatched {
    char name[POISE_WATCH_NAME];
    float samples[POISE_WATCH_SAMPLES];
} PoiseWatched;

/// Samples of the whole run, about 60 a second. A full table discards every other sample. Samples
/// after the present time stay, like the run itself, until a change cuts them off.
typedef struct PoiseWatch {
    PoiseWatched values[POISE_WATCH_CAPACITY];
    int count;
    float times[POISE_WATCH_SAMPLES];
    int sample_count;
    /// Number of steps between two samples; 0 before the first.
    long stride;
    /// True if the last sample is between two multiples of `stride`, so that the next one replaces
    /// it.
    bool last_is_provisional;
} PoiseWatch;

/// Starts or ends watching a value. Returns false if too many are watched, or no value has this
/// name.
bool poise__watch_toggle(PoiseWatch* watch, const PoiseSimulation* simulation, const char* name);
/// Computes the earlier samples of the value that was watched last by repeating the run, which ends
/// in the same state, bit by bit. A long run is repeated for a second or two only, and earlier
/// samples become NAN. Returns false, with the reason in `note`, if the run does not return to its
/// step.
bool poise__watch_fill(PoiseWatch* watch, PoiseTimeline* timeline, PoiseNote* note);
bool poise__watch_has(const PoiseWatch* watch, const char* name);
/// Adds a sample if the step is a multiple of the stride. Call this after each step.
void poise__watch_step(PoiseWatch* watch, const PoiseTimeline* timeline);
/// Adds a sample of the present step, unless there is one.
void poise__watch_sample(PoiseWatch* watch, const PoiseTimeline* timeline);
/// Writes a header row and a row for each sample, beginning with the time. Returns false, with the
/// reason in `note`, if the file cannot be written.
bool poise__watch_write(const PoiseWatch* watch, const char* path, PoiseNote* note);

#endif
