// SPDX-License-Identifier: MIT
// Records a run so that it can go back in time. The log has every change, its step, and the changes
// that undo it, so that any step can be reproduced bit by bit. A track records where the bodies
// were, so that an abandoned run stays visible as the ghost.
//
// The changes of one drag or one number are an edit. Undo returns to the step before the edit's
// first change, bit by bit, without the edit. Taking an edit back reverses it at the present step,
// and keeps what physics did meanwhile.
//
// After going back, the later changes are still in the log, and running on repeats them. The first
// new change cuts them off, and the run with them becomes the ghost.
#ifndef POISE_TIMELINE_H
#define POISE_TIMELINE_H

#include "change.h"
#include "session.h"

enum { POISE_TIMELINE_SNAPSHOTS = 96 };

typedef struct PoiseLogEntry {
    /// Number of steps made before the change.
    long step;
    PoiseChange change;
    /// The change in the syntax of scripts, with the names at that time; NULL for a change of a
    /// replay that has not been made yet.
    char* text;
    /// Number of the edit to which the change belongs; 0: none.
    int edit;
    /// The POISE_UNDO_CHANGES changes that undo this one; NULL if an earlier entry of the edit
    /// undoes it too, or it belongs to no edit.
    PoiseChange* undo;
} PoiseLogEntry;

/// A change of an edit that was undone, for redo.
typedef struct PoiseUndone {
    int edit;
    PoiseChange change;
    /// Index of the point that an ADD has added.
    int added;
} PoiseUndone;

/// Poses of the bodies, about 60 times a second.
typedef struct PoiseTrack {
    float (*poses)[7]; ///< position, then rotation (x, y, z, w); by frame, then by body
    int frame_count;
    int frame_capacity;
    int body_count;
    /// Number of steps between two frames.
    long stride;
} PoiseTrack;

/// A snapshot of the simulation, to which the first `log_done` changes of the log were applied.
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
    /// Number of log entries that have been applied; later ones are in the future.
    int log_done;
    /// Number of changes and of jumps back in time, including changes that replaced an entry.
    long revision;
    /// Entries with a smaller index are never replaced.
    int log_sealed;
    /// Number of the present edit (0: none), and of the last edit.
    int edit;
    int last_edit;
    /// The changes of undone edits, for redo; those of the last undone edit are at the end.
    PoiseUndone* undone;
    int undone_count;
    /// Number of steps of the run, including the future after going back.
    long end_step;
    /// Snapshots in the order of their steps, `moment_stride` steps apart. If the table is full,
    /// the stride doubles.
    PoiseMoment moments[POISE_TIMELINE_SNAPSHOTS];
    int moment_count;
    long moment_stride;
    /// poise_replay_mark of the states at the start and at each second.
    uint16_t* states;
    int state_count;
    int state_capacity;
    /// Step of the first second at which a repeated run had another state than the recorded one; 0:
    /// none.
    long first_different;
    PoiseTrack track;
    PoiseTrack ghost;
    /// Number of steps of the run that became the ghost; 0: there is no ghost.
    long ghost_end;
} PoiseTimeline;

/// Starts a timeline at the session's present step. Returns false if memory runs out.
bool poise__timeline_init(PoiseTimeline* timeline, PoiseSession* session);
void poise__timeline_finish(PoiseTimeline* timeline);

/// Applies a change, logs it, and drops the steps and changes after the present step. Returns the
/// result of poise_simulation_change.
int poise__timeline_change(PoiseTimeline* timeline, const PoiseChange* change);
/// Applies the changes that are due, then makes one step. Returns the status of
/// poise_simulation_step.
PoiseStatus poise__timeline_step(PoiseTimeline* timeline);
/// Brings the simulation to a step: forward by steps, back by poise__timeline_restore. Returns
/// false, with the reason in `note`, if the simulation stops before.
bool poise__timeline_go(PoiseTimeline* timeline, long step, PoiseNote* note);
/// Goes back: restores the last snapshot at or before `step`, or else builds the world again, and
/// repeats the run from there. The state is the same, bit by bit. No other function goes back.
bool poise__timeline_restore(PoiseTimeline* timeline, long step, PoiseNote* note);
/// Builds the world again, without a future. The present run becomes the ghost.
bool poise__timeline_restart(PoiseTimeline* timeline, PoiseNote* note);
/// Removes all that follows `step`, and the entries of the log from `log_first` on. The present run
/// becomes the ghost.
void poise__timeline_cut(PoiseTimeline* timeline, long step, int log_first);
/// Returns true, and the pose of a body in the ghost's run, if that run reached the time, s.
bool poise__timeline_ghost_pose(const PoiseTimeline* timeline, double time, int body,
                                PoisePose* pose);

// ------------------------------------------------------------------------------------------ undo.c

/// Begins an edit: the changes until poise__timeline_edit_end belong together.
void poise__timeline_edit_begin(PoiseTimeline* timeline);
/// Ends the edit, if there is one. Returns true if it can be undone: `keep` is true and the edit
/// has changed something. Earlier undone edits can then no longer be redone.
bool poise__timeline_edit_end(PoiseTimeline* timeline, bool keep);

typedef enum PoiseUndo {
    POISE_UNDO_NOTHING = 0, ///< no edit is left to undo
    POISE_UNDO_DONE,        ///< undone at the same step
    /// undone, by going back to an earlier step; the run before is the ghost
    POISE_UNDO_WENT_BACK,
    POISE_UNDO_FAILED ///< the run cannot go back; the note says why
} PoiseUndo;
PoiseUndo poise__timeline_undo(PoiseTimeline* timeline, PoiseNote* note);
/// Reverses the last edit by changes at the present step. Returns false if there is no edit.
bool poise__timeline_take_back(PoiseTimeline* timeline);
/// Repeats the last undone edit at the present step. Returns false if there is nothing to redo.
bool poise__timeline_redo(PoiseTimeline* timeline);

#endif
