// SPDX-License-Identifier: MIT
// A run that can be wound back: every change with the step it was made at, so that any moment is
// made again bit by bit; and where the bodies were, so that a run that was left stays to be seen.
//
// After going back the changes that follow are still there: running on repeats them. The first new
// change cuts them off, and the run as it was becomes the ghost.
#ifndef POISE_TIMELINE_H
#define POISE_TIMELINE_H

#include "change.h"
#include "session.h"

enum { POISE_TIMELINE_MARKS = 32, POISE_TIMELINE_SNAPSHOTS = 96 };

typedef struct PoiseLogEntry {
    /// Made when so many steps had been.
    long step;
    PoiseChange change;
    /// As a script has it, by the names there were then.
    char* text;
} PoiseLogEntry;

/// Where the bodies were, about 60 times a second.
typedef struct PoiseTrack {
    float (*poses)[7]; ///< place, then x y z w; frame by frame, body by body
    int frame_count;
    int frame_capacity;
    int body_count;
    /// Steps from frame to frame.
    long stride;
} PoiseTrack;

/// The simulation as it was, with as many changes of the log in it.
typedef struct PoiseMoment {
    long step;
    int log_done;
    void* memory;
    size_t size;
} PoiseMoment;

typedef struct PoiseTimeline {
    PoiseSession* session;
    PoiseLogEntry* log;
    int log_count;
    int log_capacity;
    /// Entries carried out; the rest lies in the future.
    int log_done;
    /// Entries before this one are never replaced.
    int log_sealed;
    /// Steps of the run so far, the future after going back included.
    long end_step;
    double marks[POISE_TIMELINE_MARKS];
    int mark_count;
    /// In order of their steps, `moment_stride` steps apart: twice as far when the table is full.
    PoiseMoment moments[POISE_TIMELINE_SNAPSHOTS];
    int moment_count;
    long moment_stride;
    PoiseTrack track;
    PoiseTrack ghost;
    /// Of the run that became the ghost; 0: there is none.
    long ghost_end;
} PoiseTimeline;

/// False when memory is short.
bool poise__timeline_init(PoiseTimeline* timeline, PoiseSession* session);
void poise__timeline_finish(PoiseTimeline* timeline);

/// Carries a change out and writes it down; cuts the future off. As poise__change_apply.
int poise__timeline_change(PoiseTimeline* timeline, const PoiseChange* change);
/// A change that comes is not written over those before it. Returns how many were carried out.
int poise__timeline_seal(PoiseTimeline* timeline);
/// As if nothing had been done from that entry of the log on: goes back to `step`, where it was.
/// The run that is left becomes the ghost. As poise__timeline_restore.
bool poise__timeline_unmake(PoiseTimeline* timeline, long step, int log_first, PoiseNote* note);
/// One step, after the changes that were made before it. As poise_simulation_step.
PoiseStatus poise__timeline_step(PoiseTimeline* timeline);
/// Brings the simulation to that step: forward by stepping, back by poise__timeline_restore. False,
/// and why, when it stopped before.
bool poise__timeline_go(PoiseTimeline* timeline, long step, PoiseNote* note);
/// The one function that goes back: to the nearest snapshot before `step`, or where there is none
/// by building the world anew; from there the run is repeated. The same state, bit by bit.
bool poise__timeline_restore(PoiseTimeline* timeline, long step, PoiseNote* note);
/// From the start, without a future; what was is the ghost.
bool poise__timeline_restart(PoiseTimeline* timeline, PoiseNote* note);
/// Cuts off what lies ahead, which becomes the ghost.
void poise__timeline_branch(PoiseTimeline* timeline);
/// Forgets the ghost.
void poise__timeline_drop_ghost(PoiseTimeline* timeline);

/// Sets a mark here, or takes the one here away; a full table forgets its first.
void poise__timeline_toggle_mark(PoiseTimeline* timeline);
/// The nearest mark before (-1) or after (+1) now; the start or the end where there is none.
double poise__timeline_next_mark(const PoiseTimeline* timeline, int direction);

/// Where the ghost's body was at that time; false when there is none or it was over by then.
bool poise__timeline_ghost_pose(const PoiseTimeline* timeline, double time, int body,
                                PoisePose* pose);

#endif
