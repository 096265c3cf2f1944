// SPDX-License-Identifier: MIT
#include "fuzz_load.h"

#include <stdio.h>
#include <stdlib.h>

#include "demand.h"
#include "host.h"
#include "poise/simulation.h"

// larger scenes are read but not run, to save time
enum { MOST_BODIES = 40, MOST_POINTS = 20, STEPS = 4 };

static void run(const PoiseScene* scene, PoiseDiagnostics* diagnostics) {
    const int before = poise_diagnostics_count(diagnostics, POISE_ERROR);
    PoiseSimulation* simulation = poise_simulation_create(scene, diagnostics);
    if (!simulation) {
        demand(poise_diagnostics_count(diagnostics, POISE_ERROR) > before, "refused, not said why");
        return;
    }
    for (int step = 0; step < STEPS; step++) {
        if (poise_simulation_step(simulation) < POISE_OK) {
            demand(poise_simulation_trouble(simulation)[0] != '\0', "blew up, not said where");
            break;
        }
    }
    poise_simulation_destroy(simulation);
}

void fuzz_load(const FuzzSource* input) {
    TestHost counter = {0};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const PoiseSceneSource source = {.path = input->path,
                                     .text = (const char*)input->text,
                                     .text_size = input->size,
                                     .overrides = input->overrides,
                                     .override_count = input->override_count,
                                     .host = test_host(&counter)};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    const int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    demand((scene != NULL) == (errors == 0), "a scene and errors, or neither");
    for (int i = 0; i < poise_diagnostics_size(diagnostics); i++) {
        const PoiseDiagnostic finding = poise_diagnostics_at(diagnostics, i);
        demand(finding.text && finding.text[0] != '\0', "a finding without words");
        demand(finding.mark.line >= 0 && finding.mark.column >= 0, "a finding off the file");
    }
    if (scene && scene->body_count <= MOST_BODIES && scene->point_count <= MOST_POINTS) {
        run(scene, diagnostics);
    }
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    demand(counter.live_blocks == 0 && counter.live_bytes == 0, "memory that was not given back");
}
