// SPDX-License-Identifier: MIT
// Long runs with snapshots: after random numbers of steps a random snapshot is restored or a new
// one saved. Each state must have the hash that the same step had before, and memory must not grow.
//     soak-restore STEPS SEED SCENE...
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <ode/ode.h>

#include "poise/simulation.h"

// Snapshots kept; most steps between two of them; steps between two hashes that are compared.
enum { SLOTS = 8, STRIDE = 400, EACH = 16 };

typedef struct Slot {
    void* memory;
    size_t size;
} Slot;

typedef struct Soak {
    PoiseSimulation* simulation;
    Slot slots[SLOTS];
    uint64_t* hashes; ///< of each EACH-th step; 0: not reached yet
    long hash_count;
    uint64_t random;
    long compared;
    long restored;
} Soak;

static unsigned draw(Soak* soak, unsigned count) {
    soak->random = soak->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(soak->random >> 33) % count;
}

// True if the state is the one that this step had before, or the first one of this step.
static bool is_known(Soak* soak) {
    const long step = poise_simulation_step_count(soak->simulation);
    if (step % EACH != 0 || step / EACH >= soak->hash_count) {
        return true;
    }
    uint64_t* known = &soak->hashes[step / EACH];
    const uint64_t hash = poise_simulation_state_hash(soak->simulation);
    soak->compared += *known != 0;
    if (*known != 0 && *known != hash) {
        printf("step %ld: %016" PRIx64 " after a snapshot, %016" PRIx64 " before\n", step, hash,
               *known);
        return false;
    }
    *known = hash;
    return true;
}

static bool save(Soak* soak, Slot* slot) {
    const size_t size = poise_simulation_snapshot_size(soak->simulation);
    if (size > slot->size) {
        free(slot->memory);
        *slot = (Slot){malloc(size), size};
    }
    return slot->memory &&
           poise_simulation_snapshot_save(soak->simulation, slot->memory, slot->size) == POISE_OK;
}

// Restores or replaces a random snapshot.
static bool use_snapshot(Soak* soak) {
    Slot* slot = &soak->slots[draw(soak, SLOTS)];
    if (!slot->memory || draw(soak, 2) == 0) {
        return save(soak, slot);
    }
    soak->restored++;
    return poise_simulation_snapshot_restore(soak->simulation, slot->memory, slot->size) ==
           POISE_OK;
}

static bool run(Soak* soak, long steps) {
    bool fine = true;
    for (long made = 0; fine && made < steps;) {
        for (unsigned rest = 1 + draw(soak, STRIDE); fine && rest > 0 && made < steps; rest--) {
            fine = poise_simulation_step(soak->simulation) >= POISE_OK && is_known(soak);
            made++;
        }
        fine = fine && use_snapshot(soak);
    }
    return fine;
}

static bool soak_scene(const char* path, long steps, uint64_t seed) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const PoiseSceneSource source = {.path = path, .trust = POISE_TRUST_ALL};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    Soak soak = {.simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL,
                 .hash_count = steps / EACH + 1,
                 .random = seed};
    soak.hashes = calloc((size_t)soak.hash_count, sizeof *soak.hashes);
    dRandSetSeed(0);
    const bool fine = soak.simulation && soak.hashes && run(&soak, steps);
    printf("%-60s %9ld steps, %7ld snapshots restored, %8ld states compared: %s\n", path, steps,
           soak.restored, soak.compared, fine && soak.compared > 0 ? "equal" : "FAILED");
    poise_simulation_destroy(soak.simulation);
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    for (int i = 0; i < SLOTS; i++) {
        free(soak.slots[i].memory);
    }
    free(soak.hashes);
    return fine && soak.compared > 0;
}

int main(int argc, char** argv) {
    const long steps = argc > 3 ? atol(argv[1]) : 0;
    if (steps <= 0) {
        fputs("usage: soak-restore STEPS SEED SCENE...\n", stderr);
        return 2;
    }
    bool fine = true;
    for (int i = 3; i < argc; i++) {
        fine = soak_scene(argv[i], steps, strtoull(argv[2], NULL, 10)) && fine;
        fflush(stdout);
    }
    return fine ? 0 : 1;
}
