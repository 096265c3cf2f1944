// SPDX-License-Identifier: MIT
// The stages of one step of a scene, for `poise info`.
#ifndef POISE_INFO_STAGES_H
#define POISE_INFO_STAGES_H

#include "console.h"

/// The most joints or points that one set is shown with.
#define POISE_INFO_MOST 512

/// Which tables.
typedef struct InfoStages {
    bool sets;           ///< Cp, Nd, J, alpha, beta, gamma
    bool manipulability; ///< of each point, with the ellipsoid of its place
    bool poses;          ///< where the points are, and their goals
    int sweeps;          ///< of one step; 0: none
    double seconds;      ///< of the simulation, before
} InfoStages;

/// Prints them as the simulation stands; false with a message on stderr.
bool poise__info_stages(PoiseSimulation* simulation, const InfoStages* wanted);

#endif
