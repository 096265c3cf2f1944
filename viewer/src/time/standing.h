// SPDX-License-Identifier: MIT
// How all bodies of a scene stand, by names: to be put back in the same scene, or in one that has
// most of them too.
#ifndef POISE_STANDING_H
#define POISE_STANDING_H

#include "timeline.h"

typedef struct PoiseStanding {
    /// POSE of each driven joint, PLACE of each body that nothing carries; and whose.
    PoiseChange* changes;
    char (*names)[160];
    int count;
} PoiseStanding;

/// Room for that of this simulation, none yet; false when memory is short.
bool poise__standing_init(PoiseStanding* standing, const PoiseSimulation* simulation);
/// As everything stands now; false when memory is short.
bool poise__standing_take(PoiseStanding* standing, const PoiseSimulation* simulation);
/// Adds what a change of these two kinds says; others, and more than there is room for, are left
/// out.
void poise__standing_add(PoiseStanding* standing, const PoiseSimulation* simulation,
                         const PoiseChange* change);
/// Puts everything there, at rest, as changes of now. What the scene has not, or has otherwise, is
/// left out.
void poise__standing_put(const PoiseStanding* standing, PoiseTimeline* timeline);
/// All zero is allowed.
void poise__standing_finish(PoiseStanding* standing);

#endif
