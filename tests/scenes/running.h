// SPDX-License-Identifier: MIT
// A scene of the test's own that runs.
#ifndef POISE_TEST_RUNNING_H
#define POISE_TEST_RUNNING_H

#include "loaded.h"
#include "poise/simulation.h"

typedef struct Running {
    Loaded loaded;
    PoiseSimulation* simulation;
} Running;

/// The scene of the text, in a world; the test ends where it is not good.
Running running_start(const char* text);
void running_finish(Running* running);
/// Steps for so long, s; the test ends where a step fails.
void running_steps(const Running* running, double seconds);

#endif
