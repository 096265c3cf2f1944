// SPDX-License-Identifier: MIT
#include "standing.h"

#include <stdlib.h>
#include <string.h>

bool poise__standing_init(PoiseStanding* standing, const PoiseSimulation* simulation) {
    const size_t most = (size_t)(poise_simulation_body_count(simulation) +
                                 poise_simulation_joint_count(simulation)) +
                        1;
    standing->count = 0;
    standing->changes = calloc(most, sizeof *standing->changes);
    standing->names = calloc(most, sizeof *standing->names);
    if (!standing->changes || !standing->names) {
        poise__standing_finish(standing);
        return false;
    }
    return true;
}

void poise__standing_finish(PoiseStanding* standing) {
    free(standing->changes);
    free(standing->names);
    memset(standing, 0, sizeof *standing);
}

void poise__standing_add(PoiseStanding* standing, const PoiseSimulation* simulation,
                         const PoiseChange* change) {
    const int most =
        poise_simulation_body_count(simulation) + poise_simulation_joint_count(simulation);
    const bool pose = change->kind == POISE_CHANGE_POSE;
    if ((!pose && change->kind != POISE_CHANGE_PLACE) || standing->count >= most) {
        return;
    }
    snprintf(standing->names[standing->count], sizeof *standing->names, "%.159s",
             pose ? poise_simulation_joint(simulation, change->index).name
                  : poise_simulation_body(simulation, change->index).name);
    standing->changes[standing->count++] = *change;
}

bool poise__standing_take(PoiseStanding* standing, const PoiseSimulation* simulation) {
    if (!poise__standing_init(standing, simulation)) {
        return false;
    }
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        const PoiseBodyView body = poise_simulation_body(simulation, i);
        if (!body.fixed && poise_simulation_joint_node(simulation, body.joint).index1 == 0) {
            const PoiseChange change = poise__place_of_body(simulation, i);
            poise__standing_add(standing, simulation, &change);
        }
    }
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        if (poise_simulation_joint_node(simulation, i).index1 != 0) {
            const PoiseChange change = poise__pose_of_joint(simulation, i);
            poise__standing_add(standing, simulation, &change);
        }
    }
    return true;
}

void poise__standing_put(const PoiseStanding* standing, PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = timeline->session->simulation;
    for (int i = 0; i < standing->count; i++) {
        PoiseChange change = standing->changes[i];
        const bool pose = change.kind == POISE_CHANGE_POSE;
        change.index = pose ? poise__find_joint(simulation, standing->names[i])
                            : poise__find_body(simulation, standing->names[i]);
        if (change.index >= 0 &&
            (!pose || poise__pose_of_joint(simulation, change.index).q_count == change.q_count)) {
            poise__timeline_change(timeline, &change);
        }
    }
}
