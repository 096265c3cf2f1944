// SPDX-License-Identifier: MIT
// Simulates an ODE in single precision below a library built for double: the linker replaces ODE's
// function by the one below. Steppers and worlds must refuse before they read a number of ODE's.
#include <ode/ode.h>
#include <stdio.h>
#include <string.h>

#include "poise/step.h"
#include "poise/world.h"

int __wrap_dCheckConfiguration(const char* name);

int __wrap_dCheckConfiguration(const char* name) {
    return strcmp(name, "ODE_single_precision") == 0;
}

int main(void) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    const PoiseWorldDef def = poise_default_world_def();
    PoiseStepper* stepper = poise_stepper_create(world, NULL);
    PoiseWorld* ours = poise_world_create(&def);
    const bool refused = !stepper && !ours;
    if (!refused) {
        fprintf(stderr, "an ODE of another precision is taken by the %s\n",
                stepper ? "stepper" : "world");
    }
    poise_stepper_destroy(stepper);
    poise_world_destroy(ours);
    dWorldDestroy(world);
    dCloseODE();
    return refused ? 0 : 1;
}
