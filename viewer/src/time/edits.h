// SPDX-License-Identifier: MIT
// Undo and redo: a stack of edits. Each has a few changes, the changes that reverse them, and the
// step it began at. Undo returns to that step, bit by bit, without the edit. Taking an edit back
// reverses it from now on, and keeps what the physics did meanwhile.
#ifndef POISE_EDITS_H
#define POISE_EDITS_H

#include "timeline.h"

enum { POISE_EDITS_CAPACITY = 128 };

typedef struct PoiseEdits {
    PoiseEdit edits[POISE_EDITS_CAPACITY];
    int count;
    /// Number of edits that are done; the entries from this index on are undone.
    int done;
} PoiseEdits;

/// Records the step and the log entry at which the edit begins. Call it before the first change.
void poise__edit_begin(PoiseEdit* edit, PoiseTimeline* timeline);
/// Adds an edit that has been done. Forgets undone edits, and the oldest when the stack is full.
void poise__edits_push(PoiseEdits* edits, const PoiseEdit* edit, const PoiseTimeline* timeline);

typedef enum PoiseUndo {
    POISE_UNDO_NOTHING = 0, ///< no edit is left to undo
    POISE_UNDO_DONE,        ///< undone at the same step
    /// undone, and the run is at an earlier step; the run before is the ghost
    POISE_UNDO_WENT_BACK,
    POISE_UNDO_FAILED ///< the run cannot go back; the note says why
} PoiseUndo;
PoiseUndo poise__edits_undo(PoiseEdits* edits, PoiseTimeline* timeline, PoiseNote* note);
/// Reverses the last edit by changes of now. Returns false when there is no edit.
bool poise__edits_take_back(PoiseEdits* edits, PoiseTimeline* timeline);
/// Applies the edit that was undone last again, now. Returns false when there is nothing to redo.
bool poise__edits_redo(PoiseEdits* edits, PoiseTimeline* timeline);
/// Forgets edits that lie in the future, after the run went back.
void poise__edits_keep_past(PoiseEdits* edits, const PoiseTimeline* timeline);
void poise__edits_clear(PoiseEdits* edits);

#endif
