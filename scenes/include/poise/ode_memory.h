// SPDX-License-Identifier: MIT
// Keeps programs alive when memory is short: ODE uses the memory of small requests unchecked.
#ifndef POISE_ODE_MEMORY_H
#define POISE_ODE_MEMORY_H

#include <stdbool.h>

/// Installs ODE's memory handlers. Call it before any object of ODE exists. Small requests then
/// always succeed: a reserve serves them if memory is short. When the reserve is used up, the
/// process prints a message with `program` and ends with `exit_code`. The defaults
/// are "poise" and 3.
void poise_ode_memory_guard(const char* program, int exit_code);
/// True if ODE took memory from the reserve; the program should then end.
bool poise_ode_memory_was_short(void);

#endif
