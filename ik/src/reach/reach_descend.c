// SPDX-License-Identifier: MIT
// The descent from a posture: on all points at once (reach_step.c), or where they have priorities
// on one level after another. reach.c and reach_turn.c say from which posture.
#include "reach.h"

// the levels one after another, each to where its reason says; the first that is not met says why
static void descend_levels(Search* search) {
    PoiseReachReason reason = POISE_REACH_MET;
    for (int l = 0; l < search->level_count; l++) {
        search->levels[l].error = HUGE_VAL;
        search->levels[l].met = false;
    }
    bool goes_on = true;
    for (int l = 0; goes_on && l < search->level_count; l++) {
        search->level = l;
        poise__reach_descend_level(search);
        const bool rests = search->rests;
        const bool whole = search->reason == POISE_REACH_MET || (rests && search->stationary);
        if (rests && search->stationary && !search->hurried) {
            poise__reach_kick_off(search);
        }
        // those after wait for a level that other postures may do better in
        goes_on = whole || (rests && !search->hurried);
        search->levels[l].error = search->error;
        search->levels[l].met = search->reason == POISE_REACH_MET;
        reason = reason == POISE_REACH_MET ? search->reason : reason;
    }
    search->reason = reason;
    search->level = 0;
    search->rests = reason != POISE_REACH_MET && reason != POISE_REACH_BUDGET;
}

void poise__reach_descend(Search* search) {
    if (search->level_count == 1) {
        poise__reach_descend_level(search);
    } else {
        descend_levels(search);
    }
}
