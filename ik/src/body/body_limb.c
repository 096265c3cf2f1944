// SPDX-License-Identifier: MIT
// Solves groups that are chains: prepares the chain's own search for its only tip.
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
    limb->search = poise__chain_search_of(limb->part->chain, target->goal, def);
    limb->search.kernel = poise__body_kernel(def->path)->chains;
    return true;
}
