// SPDX-License-Identifier: MIT
// scene-steps SCENE STEPS [KEY=VALUE]: runs a scene for this number of steps under an instruction
// counter, with a value of the scene overridden. The world is stepped by dWorldStep, the reference
// for the cost of an update.
#include <stdio.h>
#include <stdlib.h>

#include "poise/simulation.h"

static int run(const PoiseScene* scene, PoiseDiagnostics* diagnostics, int steps) {
    PoiseSimulation* simulation = poise_simulation_create(scene, diagnostics);
    int done = 0;
    while (simulation && done < steps && poise_simulation_step(simulation) >= POISE_OK) {
        done++;
    }
    poise_simulation_destroy(simulation);
    return done == steps ? 0 : 1;
}

int main(int argc, char** argv) {
    const int steps = argc == 3 || argc == 4 ? atoi(argv[2]) : 0;
    if (steps < 1) {
        fprintf(stderr, "usage: scene-steps SCENE STEPS [KEY=VALUE]\n");
        return 2;
    }
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const char* const overrides[] = {"world.stepper=ode", argv[3]};
    const PoiseSceneSource source = {.path = argv[1],
                                     .overrides = overrides,
                                     .override_count = argc - 2,
                                     .trust = POISE_TRUST_ALL};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    const int code = scene ? run(scene, diagnostics, steps) : 1;
    if (code != 0) {
        fprintf(stderr, "scene-steps: %s does not run for %d steps\n", argv[1], steps);
    }
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    return code;
}
