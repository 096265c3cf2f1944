// SPDX-License-Identifier: MIT
#include "scene_pose.h"

#include <stdlib.h>

#include "grow.h"

void poise__scene_pose_finish(PoiseScenePose* pose) {
    free(pose->changes);
    *pose = (PoiseScenePose){.changes = NULL};
}

bool poise__scene_pose_add(PoiseScenePose* pose, const char* change) {
    if (!poise__array_grow(&pose->changes, pose->count, &pose->capacity, sizeof *pose->changes)) {
        return false;
    }
    snprintf(pose->changes[pose->count++], sizeof *pose->changes, "%s", change);
    return true;
}

bool poise__scene_pose_take(PoiseScenePose* pose, const PoiseSimulation* simulation) {
    const int bodies = poise_simulation_body_count(simulation);
    const int joints = poise_simulation_joint_count(simulation);
    bool good = true;
    for (int i = 0; good && i < bodies + joints; i++) {
        const bool is_joint = i >= bodies;
        const PoiseBodyView body = poise_simulation_body(simulation, is_joint ? 0 : i);
        const int joint = is_joint ? i - bodies : body.joint;
        const bool driven = poise_simulation_joint_node(simulation, joint).index1 != 0;
        if (is_joint ? driven : !body.fixed && !driven) {
            const PoiseChange change = is_joint ? poise__pose_of_joint(simulation, joint)
                                                : poise__place_of_body(simulation, i);
            char text[POISE_CHANGE_TEXT];
            poise__change_print(&change, simulation, text);
            good = poise__scene_pose_add(pose, text);
        }
    }
    if (!good) {
        poise__scene_pose_finish(pose);
    }
    return good;
}

void poise__scene_pose_put(const PoiseScenePose* pose, PoiseTimeline* timeline) {
    for (int i = 0; i < pose->count; i++) {
        PoiseChange change;
        if (poise__change_parse(pose->changes[i], timeline->session->simulation, &change, NULL) &&
            (change.kind == POISE_CHANGE_POSE || change.kind == POISE_CHANGE_PLACE)) {
            poise__timeline_change(timeline, &change);
        }
    }
}
