// SPDX-License-Identifier: MIT
// Updates of many rigs. The memory of a thousand of them is more than the processor's caches hold:
// while one is updated, the memory of the next is asked for (fetch.h).
#include "fetch.h"

static PoiseStatus update_before(PoiseRig* rig, const PoiseRig* next, double dt) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Fetch fetch = poise__fetch_of(next);
    rig->beside = next ? &fetch.beside : NULL;
    poise_tree_set_beside(rig->state.tree, rig->beside);
    const PoiseStatus status = poise_rig_update(rig, dt, NULL);
    poise_tree_set_beside(rig->state.tree, NULL);
    rig->beside = NULL;
    return status;
}

PoiseStatus poise_rigs_update(PoiseRig* const* rigs, int count, double dt, PoiseStatus* statuses) {
    if (count < 0 || (count > 0 && !rigs)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus worst = POISE_OK;
    for (int i = 0; i < count; i++) {
        poise__fetch_rig(i + 2 < count ? rigs[i + 2] : NULL);
        const PoiseStatus status = update_before(rigs[i], i + 1 < count ? rigs[i + 1] : NULL, dt);
        if (statuses) {
            statuses[i] = status;
        }
        // the first error, or else that some rig is degraded
        worst = worst >= 0 && status != POISE_OK ? status : worst;
    }
    return worst;
}
