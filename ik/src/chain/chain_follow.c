// SPDX-License-Identifier: MIT
// Targets in a row: each answer from the one before it.
#include <string.h>

#include "poise/chain.h"

// steps after a target, and of so many answers the nearest where they do not lead to it
enum { STEPS = 50, ANSWERS = 16 };

static PoiseStatus follow(const PoiseChain* chain, const PoiseChainSolveDef* def, PoisePose target,
                          double* posture, PoiseChainReport* report) {
    double last[POISE_CHAIN_MOST_POSTURE];
    const size_t size = (size_t)poise_chain_posture_size(chain) * sizeof *posture;
    memcpy(last, posture, size);
    PoiseStatus status = POISE_NOT_CONVERGED;
    for (int step = 0; step < STEPS && status == POISE_NOT_CONVERGED; step++) {
        status = poise_chain_track(chain, def, target, posture, report);
    }
    if (status != POISE_NOT_CONVERGED) {
        return status;
    }
    PoiseChainSolveDef several = *def;
    several.answers = def->answers > ANSWERS ? def->answers : ANSWERS;
    memcpy(posture, last, size);
    return poise_chain_solve(chain, &several, target, posture, report);
}

PoiseStatus poise_chain_follow_batch(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                     const PoiseChainBatch* batch) {
    const PoiseChainSolveDef usual = poise_default_chain_solve_def();
    def = def ? def : &usual;
    if (poise_chain_solve_def_problem(def) || !chain || !batch || batch->count < 0 ||
        (batch->count > 0 && (!batch->targets || !batch->postures))) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const size_t size = (size_t)poise_chain_posture_size(chain);
    // one by one: only the first start has to be one, and all is checked before anything is changed
    double start[POISE_CHAIN_MOST_POSTURE];
    for (int i = 0; i < batch->count; i++) {
        memcpy(start, batch->postures, size * sizeof *start);
        const PoiseChainBatch one = {1, &batch->targets[i], start, NULL};
        if (poise_chain_batch_problem(chain, &one, NULL)) {
            return POISE_ERROR_INVALID_ARGUMENT;
        }
    }
    PoiseStatus all = POISE_OK;
    for (int i = 0; i < batch->count; i++) {
        double* posture = batch->postures + (size_t)i * size;
        if (i > 0) {
            memcpy(posture, posture - size, size * sizeof *posture);
        }
        PoiseChainReport* report = batch->reports ? &batch->reports[i] : NULL;
        const PoiseStatus status = follow(chain, def, batch->targets[i], posture, report);
        all = status != POISE_OK ? status : all;
    }
    return all;
}
