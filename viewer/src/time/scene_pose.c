// SPDX-License-Identifier: MIT
#include "scene_pose.h"

#include <stdlib.h>
#include <string.h>

bool poise__scene_pose_init(PoiseScenePose* pose, const PoiseSimulation* simulation) {
    const size_t capacity = (size_t)(poise_simulation_body_count(simulation) +
                                     poise_simulation_joint_count(simulation)) +
                            1;
    pose->count = 0;
    pose->changes = calloc(capacity, sizeof *pose->changes);
    pose->names = calloc(capacity, sizeof *pose->names);
    if (!pose->changes || !pose->names) {
        poise__scene_pose_finish(pose);
        return false;
    }
    return true;
}

void poise__scene_pose_finish(PoiseScenePose* pose) {
    free(pose->changes);
    free(pose->names);
    memset(pose, 0, sizeof *pose);
}

void poise__scene_pose_add(PoiseScenePose* pose, const PoiseSimulation* simulation,
                           const PoiseChange* change) {
    const int capacity =
        poise_simulation_body_count(simulation) + poise_simulation_joint_count(simulation);
    const bool of_joint = change->kind == POISE_CHANGE_POSE;
    if ((!of_joint && change->kind != POISE_CHANGE_PLACE) || pose->count >= capacity) {
        return;
    }
    snprintf(pose->names[pose->count], sizeof *pose->names, "%.159s",
             of_joint ? poise_simulation_joint(simulation, change->index).name
                      : poise_simulation_body(simulation, change->index).name);
    pose->changes[pose->count++] = *change;
}

bool poise__scene_pose_take(PoiseScenePose* pose, const PoiseSimulation* simulation) {
    if (!poise__scene_pose_init(pose, simulation)) {
        return false;
    }
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        const PoiseBodyView body = poise_simulation_body(simulation, i);
        if (!body.fixed && poise_simulation_joint_node(simulation, body.joint).index1 == 0) {
            const PoiseChange change = poise__place_of_body(simulation, i);
            poise__scene_pose_add(pose, simulation, &change);
        }
    }
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        if (poise_simulation_joint_node(simulation, i).index1 != 0) {
            const PoiseChange change = poise__pose_of_joint(simulation, i);
            poise__scene_pose_add(pose, simulation, &change);
        }
    }
    return true;
}

void poise__scene_pose_put(const PoiseScenePose* pose, PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = timeline->session->simulation;
    for (int i = 0; i < pose->count; i++) {
        PoiseChange change = pose->changes[i];
        const bool of_joint = change.kind == POISE_CHANGE_POSE;
        change.index = of_joint ? poise__find(simulation, POISE_OWNER_JOINT, pose->names[i])
                                : poise__find(simulation, POISE_OWNER_LINK, pose->names[i]);
        if (change.index >= 0 &&
            (!of_joint ||
             poise__pose_of_joint(simulation, change.index).q_count == change.q_count)) {
            poise__timeline_change(timeline, &change);
        }
    }
}
