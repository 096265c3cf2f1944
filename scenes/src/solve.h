// SPDX-License-Identifier: MIT
// `poise solve`: what was found for one target, and how it is said.
#ifndef POISE_SOLVE_COMMAND_H
#define POISE_SOLVE_COMMAND_H

#include "command.h"

typedef struct Solution {
    PoisePointId point;
    /// What is left, m and rad.
    double error;
    double angle_error;
    bool reached;
    PoiseReachReport report;
} Solution;

/// On stdout: how near it came, why not nearer, and the angles of all joints; as JSON, or as text
/// that ends with `pose:` lines for a scene.
void poise__solution_print(const PoiseSimulation* simulation, const Solution* solution, bool json);

#endif
