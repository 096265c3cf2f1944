// SPDX-License-Identifier: MIT
#include "poise/ode_memory.h"
#include "shell.h"

int main(int argc, char** argv) {
    poise_ode_memory_guard("poise-view", POISE_EXIT_SCENE);
    const int code = poise__view_main(argc, argv);
    if (code == POISE_EXIT_DONE && poise_ode_memory_was_short()) {
        fputs("poise-view: memory is short\n", stderr);
        return POISE_EXIT_SCENE;
    }
    return code;
}
