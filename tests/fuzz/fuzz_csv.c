// SPDX-License-Identifier: MIT
// Tables of targets or of a chain. Any input must give findings or a table, and all memory must be
// freed. The first byte selects the reader. The readers need a file, so the text is written to one.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "chain_file.h"
#include "demand.h"
#include "target_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { POSTURE = 7, PATH = 64 };

static bool read_targets(const char* path, PoiseDiagnostics* diagnostics) {
    TargetFile targets;
    const bool fine = poise__target_file_read(
        &targets, path, &(TargetUnits){.posture_size = POSTURE, .angle = 1.0}, diagnostics);
    for (int i = 0; fine && i < targets.count; i++) {
        demand(poise_is_finite3(targets.poses[i].p), "a target that is not finite");
    }
    poise__target_file_finish(&targets);
    return fine;
}

static bool read_chain(const char* path, PoiseDiagnostics* diagnostics) {
    ChainFile chain;
    const bool fine = poise__chain_file_read(&chain, path, diagnostics);
    demand(!fine || poise_node_is_valid(chain.tree, chain.tip), "a chain without a tip");
    poise__chain_file_finish(&chain);
    return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const int file = memfd_create("targets", 0);
    demand(file >= 0 && write(file, data + 1, size - 1) == (ssize_t)(size - 1), "a file");
    char path[PATH];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const bool fine =
        data[0] % 2 == 0 ? read_targets(path, diagnostics) : read_chain(path, diagnostics);
    demand(fine == (poise_diagnostics_count(diagnostics, POISE_ERROR) == 0),
           "a table and errors, or neither");
    poise_diagnostics_destroy(diagnostics);
    close(file);
    return 0;
}
