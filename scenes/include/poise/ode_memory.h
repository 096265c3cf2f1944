// SPDX-License-Identifier: MIT
// ODE does not look whether it got memory: for the programs that use it here.
#ifndef POISE_ODE_MEMORY_H
#define POISE_ODE_MEMORY_H

#include <stdbool.h>

/// From here on ODE always gets the memory it asks for, its small things from a reserve when there
/// is none; before anything of ODE's is made. When the reserve is at its end, too, the program says
/// so under its name and ends with this code. Before this call: as "poise", with 3.
void poise_ode_memory_guard(const char* program, int exit_code);
/// Whether it took from the reserve, so that the program is to end.
bool poise_ode_memory_was_short(void);

#endif
