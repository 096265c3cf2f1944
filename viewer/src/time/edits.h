// SPDX-License-Identifier: MIT
// Undo and redo: a stack of edits, each a few changes and those that take them back, with the
// moment it began at. To undo one is to be at that moment again, bit by bit, without the edit; to
// take one back is to let it be otherwise from now on, and what the physics did meanwhile stays.
#ifndef POISE_EDITS_H
#define POISE_EDITS_H

#include "timeline.h"

enum { POISE_EDITS_MOST = 128 };

typedef struct PoiseEdits {
    PoiseEdit edits[POISE_EDITS_MOST];
    int count;
    /// Those before this one are done, those from it on are undone.
    int done;
} PoiseEdits;

/// The edit begins now: before the first of its changes.
void poise__edit_begin(PoiseEdit* edit, PoiseTimeline* timeline);
/// Remembers what has been done; forgets what was undone, and the oldest when there are too many.
void poise__edits_push(PoiseEdits* edits, const PoiseEdit* edit, const PoiseTimeline* timeline);

typedef enum PoiseUndo {
    POISE_UNDO_NOTHING = 0, ///< there is nothing to undo
    POISE_UNDO_DONE,        ///< the moment is the same
    POISE_UNDO_WENT_BACK,   ///< to an earlier moment; the run that was left is the ghost
    POISE_UNDO_FAILED       ///< it cannot go back, the note says why
} PoiseUndo;
PoiseUndo poise__edits_undo(PoiseEdits* edits, PoiseTimeline* timeline, PoiseNote* note);
/// Takes the last edit back by changes of now; false when there is none.
bool poise__edits_take_back(PoiseEdits* edits, PoiseTimeline* timeline);
/// Carries out again, now, what was undone last; false when there is nothing.
bool poise__edits_redo(PoiseEdits* edits, PoiseTimeline* timeline);
/// After going back in time: edits that lie ahead are forgotten.
void poise__edits_keep_past(PoiseEdits* edits, const PoiseTimeline* timeline);
void poise__edits_clear(PoiseEdits* edits);

#endif
