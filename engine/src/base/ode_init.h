// SPDX-License-Identifier: MIT
// Counts the owners of ODE worlds, so that ODE stays initialised until the last of these worlds is
// destroyed.
#ifndef POISE_ODE_INIT_H
#define POISE_ODE_INIT_H

#include <stdbool.h>

/// Initialises ODE for the owner of one more world, with ODE's data for this thread. False if ODE
/// fails.
bool poise__count_ode_user(void);
/// Ends the use of ODE by the owner of a world, after its dWorldDestroy.
void poise__uncount_ode_user(void);

#endif
