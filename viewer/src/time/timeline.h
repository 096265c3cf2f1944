// SPDX-License-Identifier: MIT
// A run that can go back in time. It logs every change with its step, so that any step can be
// reproduced bit by bit. It also records where the bodies were, so that an abandoned run stays
// visible.
//
// After going back, the changes that follow are still there, and running on repeats them. The first
// new change cuts them off, and the run as it was becomes the ghost.
#ifndef POISE_TIMELINE_H
#define POISE_TIMELINE_H

#include "change.h"
#include "session.h"

enum { POISE_TIMELINE_SNAPSHOTS = 96 };

typedef struct PoiseLogEntry {
    /// Number of steps made before the change.
    long step;
    PoiseChange change;
    /// The change in the syntax of scripts, with the names of that time; NULL until a change that
    /// was read from a replay is made.
    char* text;
} PoiseLogEntry;

/// Poses of the bodies, about 60 times a second.
typedef struct PoiseTrack {
    float (*poses)[7]; ///< position, then x y z w of the rotation; frame by frame, body by body
    int frame_count;
    int frame_capacity;
    int body_count;
    /// Steps between two frames.
    long stride;
} PoiseTrack;

/// A snapshot of the simulation, with the first `log_done` changes of the log applied.
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
    /// Number of entries applied; the rest lie in the future.
    int log_done;
    /// Number of changes that were made and of jumps back in time, also of changes that replaced
    /// an entry.
    long revision;
    /// Entries before this index are never replaced.
    int log_sealed;
    /// Number of steps of the run, with the future after going back.
    long end_step;
    /// In the order of their steps, `moment_stride` steps apart. The stride doubles when the table
    /// is full.
    PoiseMoment moments[POISE_TIMELINE_SNAPSHOTS];
    int moment_count;
    long moment_stride;
    /// poise_replay_mark of the start and of each second that was reached.
    uint16_t* states;
    int state_count;
    int state_capacity;
    /// Step of the first second at which a repeated run had another state than before; 0: none.
    long first_different;
    PoiseTrack track;
    PoiseTrack ghost;
    /// Number of steps of the run that became the ghost; 0: there is no ghost.
    long ghost_end;
} PoiseTimeline;

/// Starts a timeline at the session's present step. Returns false when memory is short.
bool poise__timeline_init(PoiseTimeline* timeline, PoiseSession* session);
void poise__timeline_finish(PoiseTimeline* timeline);

/// Applies a change and logs it; cuts the future off. Returns the result of
/// poise_simulation_change.
int poise__timeline_change(PoiseTimeline* timeline, const PoiseChange* change);
/// Protects the present entries: a later change does not replace them. Returns the number of
/// applied entries.
int poise__timeline_seal(PoiseTimeline* timeline);
/// Undoes all entries of the log from `log_first` on: goes back to `step`, where it was. The run
/// before becomes the ghost. Returns false, with the reason in `note`, if the run cannot go back.
bool poise__timeline_unmake(PoiseTimeline* timeline, long step, int log_first, PoiseNote* note);
/// Applies the changes that are due, then makes one step. Returns the status of
/// poise_simulation_step.
PoiseStatus poise__timeline_step(PoiseTimeline* timeline);
/// Brings the simulation to that step: forward by steps, back by poise__timeline_restore. Returns
/// false, with the reason in `note`, if the simulation stops before.
bool poise__timeline_go(PoiseTimeline* timeline, long step, PoiseNote* note);
/// Goes back: restores the last snapshot up to `step`, or else builds the world anew, and repeats
/// the run from there. Gives the same state, bit by bit. No other function goes back.
bool poise__timeline_restore(PoiseTimeline* timeline, long step, PoiseNote* note);
/// Starts again without a future; the run before becomes the ghost.
bool poise__timeline_restart(PoiseTimeline* timeline, PoiseNote* note);
/// Returns true, and the pose of the ghost's body, if the ghost has that time, s.
bool poise__timeline_ghost_pose(const PoiseTimeline* timeline, double time, int body,
                                PoisePose* pose);

#endif
