// SPDX-License-Identifier: MIT
// Finds the joints of a scene's motion by name, and makes goals that pass one place or rotation a
// frame.
#include "motions.h"

int poise__tracks_need_joint(const Tracks* tracks, PoiseRef* named) {
    named->index = poise__motion_find(tracks->motion, named->name);
    if (named->index < 0) {
        char guess[160];
        Suggestion suggestion = poise__suggestion_for(tracks->builder->diagnostics, named->name);
        for (int i = 0; i < tracks->motion->joint_count; i++) {
            poise__suggestion_offer(&suggestion, tracks->motion->joints[i].name);
        }
        REFUSE(tracks->builder, named->mark, "the motion has no joint '%.60s'%s", named->name,
               poise__suggestion_text(&suggestion, guess, sizeof guess));
    }
    return named->index;
}

int poise__tracks_count(const Tracks* tracks) {
    return tracks->motion->frame_count - tracks->first;
}

void poise__tracks_lead_place(const Tracks* tracks, const PoiseVec3* places,
                              PoisePositionGoal* goal) {
    goal->count = poise__tracks_count(tracks);
    goal->kind = goal->count > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->between = POISE_BETWEEN_STRAIGHT;
    goal->repeat = tracks->repeat;
    goal->places = places;
    goal->stations = tracks->times;
}

void poise__tracks_lead_turn(const Tracks* tracks, const PoiseQuat* turns,
                             PoiseOrientationGoal* goal) {
    goal->count = poise__tracks_count(tracks);
    goal->kind = goal->count > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->between = POISE_BETWEEN_STRAIGHT;
    goal->repeat = tracks->repeat;
    goal->rotations = turns;
    goal->stations = tracks->times;
}
