// SPDX-License-Identifier: MIT
// Batches: each thread solves a part of the targets in its lanes.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "chain.h"

/// The part of a batch that one thread solves.
typedef struct Part {
    const ChainBatch* batch;
    Share share; ///< `begin` is the next target
    int missed;
} Part;

static double* posture_at(const Chain* chain, double* postures, int i) {
    return postures + (size_t)i * (size_t)chain->posture_size;
}

static void target_done(void* user, ChainProblem* problem) {
    Part* part = user;
    const ChainBatch* batch = part->batch;
    ChainReport report;
    double* posture = posture_at(batch->search.chain, batch->postures, problem->index);
    part->missed += poise__chain_finish(&batch->search, problem, posture,
                                        batch->take ? &report : NULL) != POISE_OK;
    if (batch->take) {
        batch->take(batch->user, problem, &report);
    }
}

// Begins the next target that the lanes must search for. Those that are out of reach, or have a
// closed form, are done at once.
static bool next_target(void* user, ChainProblem* problem) {
    Part* part = user;
    const ChainBatch* batch = part->batch;
    const ChainSearch* search = &batch->search;
    // a closed form is used unless lanes find one answer in less time
    const bool closed = search->def->answers > 1;
    while (part->share.begin < part->share.end) {
        const int i = part->share.begin++;
        const PoisePose* target = (const PoisePose*)(const void*)((const char*)batch->targets +
                                                                  (size_t)i * batch->stride);
        problem->index = i;
        // all starts have been checked
        if (poise__chain_begin(search, target, posture_at(search->chain, batch->postures, i),
                               problem) &&
            !problem->is_beyond && !(closed && poise__chain_solve_closed(search, problem))) {
            return true;
        }
        target_done(part, problem);
    }
    return false;
}

static void* solve_part(void* user) {
    Part* part = user;
    const ChainQueue queue = {next_target, target_done, part};
    part->batch->kernel->solve_many(&part->batch->search, &queue);
    return NULL;
}

// ---------------------------------------------------------------------------------------- threads

Share poise__share_of(int count, int thread, int threads) {
    return (Share){(int)((int64_t)count * thread / threads),
                   (int)((int64_t)count * (thread + 1) / threads)};
}

void poise__share_work(void* (*work)(void* part), void* parts, size_t size, int count) {
    pthread_t threads[CHAIN_MOST_THREADS];
    bool started[CHAIN_MOST_THREADS] = {false};
    char* first = parts;
    for (int t = 1; t < count; t++) {
        started[t] = pthread_create(&threads[t], NULL, work, first + (size_t)t * size) == 0;
    }
    for (int t = 0; t < count; t++) {
        if (started[t]) {
            (void)pthread_join(threads[t], NULL);
        } else {
            (void)work(first + (size_t)t * size);
        }
    }
}

int poise__chain_solve_batch(const ChainBatch* batch, int count) {
    const int threads = batch->search.def->threads;
    Part parts[CHAIN_MOST_THREADS];
    int missed = 0;
    for (int t = 0; t < threads; t++) {
        parts[t] = (Part){batch, poise__share_of(count, t, threads), 0};
    }
    poise__share_work(solve_part, parts, sizeof parts[0], threads);
    for (int t = 0; t < threads; t++) {
        missed += parts[t].missed;
    }
    return missed;
}
