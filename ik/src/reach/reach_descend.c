// SPDX-License-Identifier: MIT
// The descent from a posture: on all points together (reach_step.c), or by priority, one level
// after another. reach.c and reach_body.c choose the posture.
#include "reach.h"

void poise__reach_begin_descent(Search* search) {
    for (int l = 0; l < search->level_count && search->level_count > 1; l++) {
        search->levels[l].error = HUGE_VAL;
        search->levels[l].met = false;
    }
    search->first_reason = POISE_REACH_MET;
    search->level = 0;
    poise__reach_begin_level(search);
}

// Descends on the present level, and kicks it if that can help.
static bool descend_and_kick(Search* search) {
    if (!search->level_kicks) {
        if (!poise__reach_descend_level(search)) {
            return false;
        }
        const bool still = search->rests && search->stationary;
        search->rested = search->rests;
        search->whole = search->reason == POISE_REACH_MET || still;
        search->level_kicks = still && !search->hurried;
    }
    search->level_kicks = search->level_kicks && !poise__reach_kick_off(search);
    return !search->level_kicks;
}

// Descends on the levels one after another. The first unmet level gives the reason.
static bool descend_levels(Search* search) {
    for (bool continues = true; continues;) {
        if (!descend_and_kick(search)) {
            return false;
        }
        ReachLevel* level = &search->levels[search->level];
        level->error = search->error;
        level->met = search->reason == POISE_REACH_MET;
        search->first_reason =
            search->first_reason == POISE_REACH_MET ? search->reason : search->first_reason;
        // later levels wait if another posture may improve this level
        continues = (search->whole || (search->rested && !search->hurried)) &&
                    search->level + 1 < search->level_count;
        if (continues) {
            search->level++;
            poise__reach_begin_level(search);
        }
    }
    search->reason = search->first_reason;
    search->level = 0;
    search->rests = search->reason != POISE_REACH_MET && search->reason != POISE_REACH_BUDGET;
    return true;
}

bool poise__reach_descend(Search* search) {
    return search->level_count == 1 ? poise__reach_descend_level(search) : descend_levels(search);
}
