// SPDX-License-Identifier: MIT
// Opens the scene that a command works on.
#include "console.h"

PoiseSceneSource poise__source(const char* path, const Reading* reading) {
    const PoiseSceneSource source = {.path = path,
                                     .trust = reading->trust,
                                     .packages = reading->packages,
                                     .overrides = reading->overrides,
                                     .override_count = reading->override_count};
    return source;
}

PoiseDiagnostics* poise__open_diagnostics(void) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    if (!diagnostics) {
        fputs("poise: memory is short\n", stderr);
    }
    return diagnostics;
}

bool poise__open_scene(OpenScene* open, const PoiseSceneSource* source) {
    const OpenScene none = {poise__open_diagnostics(), NULL, NULL};
    *open = none;
    if (!open->diagnostics) {
        return false;
    }
    open->scene = poise_scene_load_source(source, open->diagnostics);
    open->simulation = open->scene ? poise_simulation_create(open->scene, open->diagnostics) : NULL;
    return open->simulation != NULL;
}

void poise__close_scene(OpenScene* open) {
    poise_simulation_destroy(open->simulation);
    poise_scene_destroy(open->scene);
    poise_diagnostics_destroy(open->diagnostics);
}
