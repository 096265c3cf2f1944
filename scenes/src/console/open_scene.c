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

// Warns if the step is longer than a joint can stay stable with under the weight of its links.
static void check_step(const PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const double step = poise_simulation_step_length(simulation);
    const PoiseSceneJoint* worst = NULL;
    double least = step;
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        PoiseSpringAdvice advice;
        const PoiseNodeId node = poise_simulation_joint(simulation, i).node;
        const PoiseStatus status =
            poise_rig_advise(poise_simulation_rig(simulation), node, step, &advice);
        if (status == POISE_OK && advice.longest_step < least) {
            worst = &scene->joints[i];
            least = advice.longest_step;
        }
    }
    if (worst) {
        char text[300];
        snprintf(
            text, sizeof text,
            "a step of %g s is too long for the weight behind '%.60s': joints may open and the "
            "bodies fly apart; a world.step of %.2g s or less would suit",
            step, worst->name, least);
        poise_diagnostics_add(diagnostics, POISE_WARNING, worst->mark, text);
    }
}

bool poise__open_scene(OpenScene* open, const PoiseSceneSource* source) {
    const OpenScene none = {poise__open_diagnostics(), NULL, NULL};
    *open = none;
    if (!open->diagnostics) {
        return false;
    }
    open->scene = poise_scene_load_source(source, open->diagnostics);
    open->simulation = open->scene ? poise_simulation_create(open->scene, open->diagnostics) : NULL;
    if (open->simulation) {
        check_step(open->simulation, open->diagnostics);
    }
    return open->simulation != NULL;
}

bool poise__simulate(PoiseSimulation* simulation, double seconds) {
    while (poise_simulation_time(simulation) + 1e-9 < seconds) {
        if (poise_simulation_step(simulation) < 0) {
            fprintf(stderr, "poise: %s\n", poise_simulation_trouble(simulation));
            return false;
        }
    }
    return true;
}

void poise__close_scene(OpenScene* open) {
    poise_simulation_destroy(open->simulation);
    poise_scene_destroy(open->scene);
    poise_diagnostics_destroy(open->diagnostics);
}
