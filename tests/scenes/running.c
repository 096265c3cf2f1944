// SPDX-License-Identifier: MIT
#include "running.h"

Running running_start(const char* text) {
    Running running = {load_text("t.yaml", text), NULL};
    REQUIRE_SCENE(running.loaded);
    running.simulation = poise_simulation_create(running.loaded.scene, running.loaded.diagnostics);
    char found_text[1000];
    cr_assert_not_null(running.simulation, "%s",
                       findings(&running.loaded, found_text, sizeof found_text));
    return running;
}

void running_finish(Running* running) {
    poise_simulation_destroy(running->simulation);
    unload(&running->loaded);
}

void running_steps(const Running* running, double seconds) {
    double h = poise_simulation_step_length(running->simulation);
    for (int i = 0; i < (int)(seconds / h + 0.5); i++) {
        cr_assert(poise_simulation_step(running->simulation) >= 0, "%s",
                  poise_simulation_trouble(running->simulation));
        // each update follows a step
        cr_assert_eq(poise_simulation_report(running->simulation)->unstepped, 0);
    }
}
