// SPDX-License-Identifier: MIT
// Prints the stages of one step of a scene, for `poise info`.
#ifndef POISE_INFO_STAGES_H
#define POISE_INFO_STAGES_H

#include "console.h"

/// Largest number of joints or points that are printed for one set.
#define POISE_INFO_MOST 512

/// The tables that are printed.
typedef struct InfoStages {
    bool sets;           ///< the symbols Cp, Nd, J, alpha, beta and gamma
    bool manipulability; ///< manipulability of each point, and the ellipsoid of its position
    bool poses;          ///< positions and rotations of the points, and their goals
    int sweeps;          ///< number of sweeps of one step; 0: no table
    double seconds;      ///< simulated time before the step, s
} InfoStages;

/// Prints the tables for the simulation's present state. Returns false with a message on stderr on
/// failure.
bool poise__info_stages(PoiseSimulation* simulation, const InfoStages* wanted);

#endif
