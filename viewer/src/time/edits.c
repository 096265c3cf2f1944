// SPDX-License-Identifier: MIT
#include "edits.h"

#include <string.h>

void poise__edits_clear(PoiseEdits* edits) {
    edits->count = 0;
    edits->done = 0;
}

void poise__edit_begin(PoiseEdit* edit, PoiseTimeline* timeline) {
    edit->step = poise_simulation_step_count(timeline->session->simulation);
    edit->log_first = poise__timeline_seal(timeline);
    edit->log_end = edit->log_first;
}

void poise__edits_push(PoiseEdits* edits, const PoiseEdit* edit, const PoiseTimeline* timeline) {
    if (edit->undo[0].kind == POISE_CHANGE_NONE && !edit->whole) {
        return;
    }
    if (edits->done == POISE_EDITS_CAPACITY) {
        memmove(edits->edits, edits->edits + 1, (POISE_EDITS_CAPACITY - 1) * sizeof *edits->edits);
        edits->done--;
    }
    edits->edits[edits->done] = *edit;
    edits->edits[edits->done++].log_end = timeline->log_done;
    edits->count = edits->done;
}

void poise__edits_keep_past(PoiseEdits* edits, const PoiseTimeline* timeline) {
    while (edits->done > 0 && edits->edits[edits->done - 1].log_end > timeline->log_done) {
        edits->done--;
    }
    edits->count = edits->done;
}

/// Replaces the index of a point in all edits. A point that is added again may get another index.
static void rename_point(PoiseEdits* edits, int from, int to) {
    for (int i = 0; from != to && i < edits->count; i++) {
        PoiseChange* both[2] = {edits->edits[i].undo, edits->edits[i].redo};
        for (int k = 0; k < 2 * POISE_EDIT_CHANGES; k++) {
            PoiseChange* change = &both[k / POISE_EDIT_CHANGES][k % POISE_EDIT_CHANGES];
            bool of_point =
                change->kind == POISE_CHANGE_HOLD || change->kind == POISE_CHANGE_TURN ||
                change->kind == POISE_CHANGE_RELEASE || change->kind == POISE_CHANGE_REMOVE;
            if (of_point && change->index == from) {
                change->index = to;
            }
        }
    }
}

/// Returns the point that these changes remove; -1: none.
static int removed_point(const PoiseChange* changes) {
    for (int i = 0; i < POISE_EDIT_CHANGES; i++) {
        if (changes[i].kind == POISE_CHANGE_REMOVE) {
            return changes[i].index;
        }
    }
    return -1;
}

static void carry_out(PoiseEdits* edits, PoiseTimeline* timeline, const PoiseChange* changes,
                      int other_point) {
    int added = -1;
    for (int i = 0; i < POISE_EDIT_CHANGES && changes[i].kind != POISE_CHANGE_NONE; i++) {
        PoiseChange change = changes[i];
        if (change.index == POISE_JUST_ADDED) {
            change.index = added;
        }
        int result = poise__timeline_change(timeline, &change);
        if (change.kind == POISE_CHANGE_ADD && result >= 0) {
            added = result;
            rename_point(edits, other_point, added);
        }
    }
}

bool poise__edits_take_back(PoiseEdits* edits, PoiseTimeline* timeline) {
    if (edits->done == 0 || edits->edits[edits->done - 1].whole) {
        return false;
    }
    PoiseEdit edit = edits->edits[--edits->done];
    poise__timeline_seal(timeline);
    carry_out(edits, timeline, edit.undo, removed_point(edit.redo));
    return true;
}

PoiseUndo poise__edits_undo(PoiseEdits* edits, PoiseTimeline* timeline, PoiseNote* note) {
    if (edits->done == 0) {
        return POISE_UNDO_NOTHING;
    }
    const PoiseEdit* edit = &edits->edits[edits->done - 1];
    if (edit->whole) {
        edits->count = --edits->done;
    } else if (edit->step == poise_simulation_step_count(timeline->session->simulation)) {
        poise__edits_take_back(edits, timeline);
        return POISE_UNDO_DONE;
    } else {
        edits->done--;
    }
    return poise__timeline_unmake(timeline, edit->step, edit->log_first, note)
               ? POISE_UNDO_WENT_BACK
               : POISE_UNDO_FAILED;
}

bool poise__edits_redo(PoiseEdits* edits, PoiseTimeline* timeline) {
    if (edits->done == edits->count) {
        return false;
    }
    PoiseEdit* kept = &edits->edits[edits->done++];
    PoiseEdit edit = *kept;
    poise__edit_begin(kept, timeline);
    carry_out(edits, timeline, edit.redo, removed_point(edit.undo));
    kept->log_end = timeline->log_done;
    return true;
}
