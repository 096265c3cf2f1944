// SPDX-License-Identifier: MIT
// Undo and redo: a stack of edits, each a few changes and those that take them back. What the
// physics did meanwhile stays; to undo that, go back in time.
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

/// Remembers what has been done; forgets what was undone, and the oldest when there are too many.
void poise__edits_push(PoiseEdits* edits, const PoiseEdit* edit);
/// Carries changes of an edit out, through the timeline; false when there is nothing to undo
/// (redo).
bool poise__edits_undo(PoiseEdits* edits, PoiseTimeline* timeline);
bool poise__edits_redo(PoiseEdits* edits, PoiseTimeline* timeline);
void poise__edits_clear(PoiseEdits* edits);

#endif
