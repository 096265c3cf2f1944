// SPDX-License-Identifier: MIT
// Snapshots with any words at any positions and correct checksums: of a tree, and of a running
// scene, which contains those of the engine and of its tree. Each must be refused, or leave a state
// that can continue. The input is a list of (position, eight bytes).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demand.h"
#include "forge.h"
#include "poise/simulation.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { WORD = 8, ENTRY = 4 + WORD, STEPS = 2 };

typedef struct Memory {
    unsigned char* good;
    unsigned char* forged;
    size_t size;
} Memory;

typedef struct Fuzz {
    PoiseDiagnostics* diagnostics;
    PoiseScene* scene;
    PoiseSimulation* simulation;
    Memory tree;
    Memory whole;
    uint64_t starts[2]; ///< first words of the tree's and the engine's snapshots
} Fuzz;

static Memory make_memory(size_t size) {
    const Memory memory = {malloc(size), malloc(size), size};
    demand(memory.good && memory.forged, "memory for a snapshot");
    return memory;
}

static Fuzz open_fuzz(void) {
    Fuzz fuzz = {.diagnostics = poise_diagnostics_create(NULL)};
    fuzz.scene =
        poise_scene_load(POISE_SOURCE_DIR "/scenes/stand_and_reach.yaml", fuzz.diagnostics);
    fuzz.simulation = fuzz.scene ? poise_simulation_create(fuzz.scene, fuzz.diagnostics) : NULL;
    demand(fuzz.simulation, "a scene to take snapshots of");
    demand(poise_simulation_add_point(fuzz.simulation, 1, poise_vec3(0.1, 0.0, 1.0)) >= 0,
           "a point on a body of the scene");
    for (int i = 0; i < STEPS; i++) {
        demand(poise_simulation_step(fuzz.simulation) >= POISE_OK, "a first step");
    }
    const PoiseTree* tree = poise_simulation_tree(fuzz.simulation);
    fuzz.tree = make_memory(poise_tree_save_size(tree));
    demand(poise_tree_save(tree, fuzz.tree.good, fuzz.tree.size) == POISE_OK, "a saved tree");
    fuzz.whole = make_memory(poise_simulation_snapshot_size(fuzz.simulation));
    demand(poise_simulation_snapshot_save(fuzz.simulation, fuzz.whole.good, fuzz.whole.size) ==
               POISE_OK,
           "a saved scene");
    fuzz.starts[0] = forge_start(fuzz.tree.good);
    memcpy(&fuzz.starts[1], "POSEWRLD", sizeof fuzz.starts[1]);
    return fuzz;
}

static void close_fuzz(Fuzz* fuzz) {
    poise_simulation_destroy(fuzz->simulation);
    poise_scene_destroy(fuzz->scene);
    poise_diagnostics_destroy(fuzz->diagnostics);
    void* const memories[] = {fuzz->tree.good, fuzz->tree.forged, fuzz->whole.good,
                              fuzz->whole.forged};
    for (int i = 0; i < 4; i++) {
        free(memories[i]);
    }
    *fuzz = (Fuzz){0};
}

static void forge(Fuzz* fuzz, Memory* memory, const uint8_t* data, size_t size) {
    memcpy(memory->forged, memory->good, memory->size);
    for (; size >= ENTRY; data += ENTRY, size -= ENTRY) {
        uint32_t place;
        memcpy(&place, data, sizeof place);
        const size_t at = 4 * (place % (memory->size / 4));
        const size_t width = memory->size - at < WORD ? memory->size - at : WORD;
        memcpy(memory->forged + at, data + sizeof place, width);
    }
    forge_mend(memory->forged, memory->size, fuzz->starts, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Fuzz fuzz;
    if (!fuzz.simulation) {
        fuzz = open_fuzz();
    }
    if (size == 0) {
        return 0;
    }
    PoiseTree* tree = poise_simulation_tree(fuzz.simulation);
    PoiseStatus status;
    if (data[0] % 2 == 0) {
        forge(&fuzz, &fuzz.tree, data + 1, size - 1);
        status = poise_tree_restore(tree, fuzz.tree.forged, fuzz.tree.size);
    } else {
        forge(&fuzz, &fuzz.whole, data + 1, size - 1);
        status =
            poise_simulation_snapshot_restore(fuzz.simulation, fuzz.whole.forged, fuzz.whole.size);
    }
    const bool taken = status >= POISE_OK;
    for (int i = 0; status >= POISE_OK && i < STEPS; i++) {
        status = poise_simulation_step(fuzz.simulation);
    }
    // A refused snapshot changed nothing. Most runs continue from there, because a restore takes
    // longest.
    if (!taken && size % 8 != 0) {
        return 0;
    }
    if (poise_simulation_snapshot_restore(fuzz.simulation, fuzz.whole.good, fuzz.whole.size) < 0) {
        // restoring can fail: a rig releases nodes that have another generation in the tree
        demand(taken && data[0] % 2 == 0, "back to what was saved");
        close_fuzz(&fuzz);
    }
    return 0;
}
