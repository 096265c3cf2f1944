// SPDX-License-Identifier: MIT
// Groups that are chains: the chain's search for the target of the only tip, and its results.
#include <limits.h>

#include "body.h"

bool poise__limb_of(const BodyGroup* group, const PoiseBodySolveDef* def,
                    const PoiseBodyTarget* targets, Limb* limb) {
    const PoiseBodyTarget* target = &targets[group->tips[0].number];
    for (int k = 0; k < 6; k++) {
        const bool counts =
            target->goal == POISE_BODY_POSE || (k < 3) == (target->goal == POISE_BODY_POSITION);
        if (!group->single || (counts && target->weights[k] != 1.0)) {
            return false;
        }
    }
    limb->part = &group->parts[0];
    limb->target = target->pose;
    limb->def = poise__default_chain_solve_def();
    limb->def.goal = target->goal;
    limb->def.iterations =
        def->iterations < INT_MAX / BODY_LANES ? BODY_LANES * def->iterations : INT_MAX;
    limb->def.answers = def->answers;
    limb->def.seed = def->seed;
    limb->def.position_tolerance = def->position_tolerance;
    limb->def.angle_tolerance = def->angle_tolerance;
    limb->search = poise__chain_search_of(limb->part->chain, &limb->def);
    limb->search.kernel = poise__body_kernel(def->path)->chains;
    return true;
}

void poise__limb_report(const Limb* limb, const ChainReport* found, int limiting,
                        PoiseBodyReport* report) {
    const bool limited = found->reason == POISE_REACH_AT_LIMITS;
    const int number = limited ? limb->part->chain->joints[limiting].number : 0;
    const PoiseBodyReport group = {.reason = found->reason,
                                   .beyond = found->beyond,
                                   .error = found->error,
                                   .angle_error = found->angle_error,
                                   .iterations = found->iterations,
                                   .starts = found->starts,
                                   .answers = found->answers,
                                   .limit = limited ? limb->part->number + number : -1};
    poise__body_add_report(&group, report);
}
