// SPDX-License-Identifier: MIT
// Updates of many rigs. The memory of a thousand of them is more than the processor's caches hold:
// each knows the next one, whose memory it asks for on its way (fetch.c).
#include "step.h"

static PoiseStatus update_before(PoiseRig* rig, const PoiseRig* next, double dt) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    rig->next = next;
    const PoiseStatus status = poise_rig_update(rig, dt, NULL);
    rig->next = NULL;
    return status;
}

PoiseStatus poise_rigs_update(PoiseRig* const* rigs, int count, double dt, PoiseStatus* statuses) {
    if (count < 0 || (count > 0 && !rigs)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus worst = POISE_OK;
    for (int i = 0; i < count; i++) {
        if (i + 2 < count && rigs[i + 2]) {
            poise_fetch(rigs[i + 2], sizeof *rigs[i + 2]);
        }
        const PoiseStatus status = update_before(rigs[i], i + 1 < count ? rigs[i + 1] : NULL, dt);
        if (statuses) {
            statuses[i] = status;
        }
        // the first error, or else that some rig is degraded
        worst = worst >= 0 && status != POISE_OK ? status : worst;
    }
    return worst;
}
