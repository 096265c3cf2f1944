// SPDX-License-Identifier: MIT
// Edits: the changes of one drag or one number, which are undone and redone together.
#include <stdlib.h>

#include "timeline.h"

void poise__timeline_edit_begin(PoiseTimeline* timeline) {
    timeline->edit = ++timeline->last_edit;
    timeline->log_sealed = timeline->log_done;
}

/// Finds the first and last log entry of an edit. Returns false if it has none.
static bool find_edit(const PoiseTimeline* timeline, int edit, int* first, int* last) {
    *first = *last = -1;
    for (int i = 0; i < timeline->log_done; i++) {
        if (timeline->log[i].edit == edit) {
            *first = *first < 0 ? i : *first;
            *last = i;
        }
    }
    return *first >= 0;
}

/// Removes the entries from their edit, so that it cannot be undone.
static void forget_edit(PoiseTimeline* timeline, int first, int last) {
    for (int i = first; i <= last; i++) {
        timeline->log[i].edit = 0;
    }
}

bool poise__timeline_edit_end(PoiseTimeline* timeline, bool keep) {
    int first = -1, last = -1;
    const bool changed = timeline->edit != 0 && find_edit(timeline, timeline->edit, &first, &last);
    timeline->edit = 0;
    timeline->log_sealed = timeline->log_done;
    if (!changed) {
        return false;
    }
    if (!keep) {
        forget_edit(timeline, first, last);
    } else {
        timeline->undone_count = 0;
    }
    return keep;
}

/// Finds the log entries of the last edit. Returns false if there is no edit.
static bool find_last_edit(PoiseTimeline* timeline, int* first, int* last) {
    int edit = 0;
    poise__timeline_edit_end(timeline, true);
    for (int i = timeline->log_done - 1; i >= 0 && edit == 0; i--) {
        edit = timeline->log[i].edit;
    }
    return edit != 0 && find_edit(timeline, edit, first, last);
}

/// Replaces the index of a point in all that can be undone or redone, since a point that is added
/// again may get another index.
static void rename_point(PoiseTimeline* timeline, int from, int to) {
    const int of_log = POISE_UNDO_CHANGES * timeline->log_count;
    for (int i = 0; from != to && i < of_log + timeline->undone_count; i++) {
        PoiseChange* undo = i < of_log ? timeline->log[i / POISE_UNDO_CHANGES].undo : NULL;
        PoiseChange* change = i >= of_log ? &timeline->undone[i - of_log].change
                              : undo      ? &undo[i % POISE_UNDO_CHANGES]
                                          : NULL;
        if (change && poise__change_owner(change->kind) == POISE_OWNER_TARGET &&
            change->index == from) {
            change->index = to;
        }
    }
}

/// Stores an edit's last change of each value for redo. If memory runs out, there is no redo.
static void keep_undone(PoiseTimeline* timeline, int first, int last) {
    const int begin = timeline->undone_count;
    PoiseUndone* moved =
        realloc(timeline->undone, (size_t)(begin + last - first + 1) * sizeof *moved);
    if (!moved) {
        return;
    }
    timeline->undone = moved;
    for (int i = first; i <= last; i++) {
        const PoiseLogEntry* entry = &timeline->log[i];
        int at = entry->undo ? timeline->undone_count : begin;
        while (at < timeline->undone_count && (moved[at].change.kind != entry->change.kind ||
                                               moved[at].change.index != entry->change.index)) {
            at++;
        }
        timeline->undone_count += at == timeline->undone_count;
        moved[at] =
            (PoiseUndone){entry->edit, entry->change, entry->undo ? entry->undo->index : -1};
    }
}

/// Undoes the log entries `first` to `last` now, the last one first. If the first is an ADD,
/// removing its point undoes all of them.
static void reverse(PoiseTimeline* timeline, int first, int last) {
    const bool adds = timeline->log[first].change.kind == POISE_CHANGE_ADD;
    for (int i = adds ? first : last; i >= first; i--) {
        int added = -1;
        for (int k = 0; timeline->log[i].undo && k < POISE_UNDO_CHANGES; k++) {
            PoiseChange change = timeline->log[i].undo[k];
            change.index = change.index == POISE_JUST_ADDED ? added : change.index;
            const int removed = timeline->log[i].change.index;
            const int result = change.kind != POISE_CHANGE_NONE
                                   ? poise__timeline_change(timeline, &change)
                                   : POISE_OK;
            if (change.kind == POISE_CHANGE_ADD && result >= 0) {
                added = result;
                rename_point(timeline, removed, added);
            }
        }
    }
}

bool poise__timeline_take_back(PoiseTimeline* timeline) {
    int first = -1, last = -1;
    if (!find_last_edit(timeline, &first, &last)) {
        return false;
    }
    keep_undone(timeline, first, last);
    forget_edit(timeline, first, last);
    reverse(timeline, first, last);
    return true;
}

PoiseUndo poise__timeline_undo(PoiseTimeline* timeline, PoiseNote* note) {
    int first = -1, last = -1;
    if (!find_last_edit(timeline, &first, &last)) {
        return POISE_UNDO_NOTHING;
    }
    const long step = timeline->log[first].step;
    bool poses = false; // the changes put bodies at rest, and only a snapshot has their velocities
    for (int i = first; i <= last; i++) {
        const PoiseChangeKind kind = timeline->log[i].change.kind;
        poses = poses || kind == POISE_CHANGE_POSE || kind == POISE_CHANGE_PLACE;
    }
    if (step == poise_simulation_step_count(timeline->session->simulation) && !poses) {
        return poise__timeline_take_back(timeline) ? POISE_UNDO_DONE : POISE_UNDO_NOTHING;
    }
    keep_undone(timeline, first, last);
    poise__timeline_cut(timeline, step, first);
    return poise__timeline_restore(timeline, step, note) ? POISE_UNDO_WENT_BACK : POISE_UNDO_FAILED;
}

bool poise__timeline_redo(PoiseTimeline* timeline) {
    const int end = timeline->undone_count;
    int begin = end;
    while (begin > 0 && timeline->undone[begin - 1].edit == timeline->undone[end - 1].edit) {
        begin--;
    }
    if (begin == end) {
        return false;
    }
    poise__timeline_edit_begin(timeline);
    const bool adds = timeline->undone[begin].change.kind == POISE_CHANGE_ADD;
    for (int i = begin; i < end; i++) {
        const PoiseUndone undone = timeline->undone[i];
        // omits parameters of an added point, whose indices have changed
        const bool left_out = adds && undone.change.kind == POISE_CHANGE_SET;
        const int result = left_out ? POISE_OK : poise__timeline_change(timeline, &undone.change);
        if (undone.change.kind == POISE_CHANGE_ADD && result >= 0) {
            rename_point(timeline, undone.added, result);
        }
    }
    poise__timeline_edit_end(timeline, true);
    timeline->undone_count = begin;
    return true;
}
