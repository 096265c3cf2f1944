// SPDX-License-Identifier: MIT
// Restores snapshots of running scenes with one forged number and corrected checksums inside. Each
// is refused, or the scene continues to run.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forge.h"
#include "running.h"
#include "sample.h"
#include "works.h"

static const char SCENE[] =
    "poise: 1\n"
    "bodies:\n"
    "  a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}\n"
    "  b: {capsule: 0.05, from: [0, 0, 1], to: [0, 0, 2]}\n"
    "joints:\n"
    "  j: {ball: [0, 0, 0], between: [world, a], ik: {spring: 5000, damper: 300}}\n"
    "  k: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [a, b], ik: {spring: 5000, damper: 300}}\n"
    "control_points: {tip: {body: b, at: [0, 0, 0.5], position: [0.8, 0.3, 1.1]}}\n";

typedef struct Trial {
    Running running;
    uint64_t starts[2]; ///< first words of the engine's snapshot and of the tree's inside it
    size_t size;
    unsigned char* good;
    unsigned char* forged;
    long refused;
    long taken;
} Trial;

// Returns the words at the beginning of an inner snapshot, found by their letters.
static uint64_t start_of(const Trial* trial, const char* letters) {
    for (size_t at = 0; at + 8 <= trial->size; at += 4) {
        if (memcmp(trial->good + at, letters, 8) == 0) {
            return forge_start(trial->good + at);
        }
    }
    cr_assert_fail("no snapshot inside begins with %s", letters);
    return 0;
}

static void open_trial(Trial* trial) {
    memset(trial, 0, sizeof *trial);
    trial->running = running_start(SCENE);
    PoiseSimulation* simulation = trial->running.simulation;
    running_steps(&trial->running, 0.02);
    cr_assert_geq(poise_simulation_add_point(simulation, 0, poise_vec3(0.0, 0.0, 0.5)), 0);
    running_steps(&trial->running, 0.02);
    trial->size = poise_simulation_snapshot_size(simulation);
    trial->good = malloc(trial->size);
    trial->forged = malloc(trial->size);
    cr_assert_eq(poise_simulation_snapshot_save(simulation, trial->good, trial->size), POISE_OK);
    trial->starts[0] = start_of(trial, "POSEWRLD");
    trial->starts[1] = start_of(trial, "POSETREE");
}

static void try_forged(Trial* trial) {
    PoiseSimulation* simulation = trial->running.simulation;
    forge_mend(trial->forged, trial->size, trial->starts, 2);
    const PoiseStatus status =
        poise_simulation_snapshot_restore(simulation, trial->forged, trial->size);
    trial->refused += status < 0;
    trial->taken += status >= 0;
    // the numbers may be anything: a step may report that it cannot be computed
    for (int i = 0; i < 2 && poise_simulation_step(simulation) >= POISE_OK; i++) {
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        MAY_FAIL(poise_simulation_point(simulation, i));
    }
    cr_assert_eq(poise_simulation_snapshot_restore(simulation, trial->good, trial->size), POISE_OK);
}

Test(forged, every_number_of_a_snapshot_is_refused_or_harmless) {
    Trial trial;
    open_trial(&trial);
    for (size_t at = 0; at < trial.size; at += 4) {
        for (int value = 0; value < sample_of(3 * SAMPLE_PART, FORGE_VALUES); value++) {
            memcpy(trial.forged, trial.good, trial.size);
            forge_put(trial.forged, trial.size, at, ((int)at / 4 + value) % FORGE_VALUES);
            try_forged(&trial);
        }
    }
    fprintf(stderr, "%ld refused, %ld taken of %zu bytes\n", trial.refused, trial.taken,
            trial.size);
    cr_expect_gt(trial.refused, 1000);
    cr_expect_gt(trial.taken, 1000);
    free(trial.forged);
    free(trial.good);
}
