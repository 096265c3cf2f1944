// SPDX-License-Identifier: MIT
// Where the goals and the points that follow them were, over the last seconds.
#ifndef POISE_TRAILS_H
#define POISE_TRAILS_H

#include "overlay.h"

enum { POISE_TRAIL_SAMPLES = 600, POISE_TRAIL_POINTS = 16 };

/// About 60 samples a second, the newest last.
typedef struct PoiseTrails {
    float times[POISE_TRAIL_SAMPLES];
    float goals[POISE_TRAIL_POINTS][POISE_TRAIL_SAMPLES][3];
    float tips[POISE_TRAIL_POINTS][POISE_TRAIL_SAMPLES][3];
    int count;
} PoiseTrails;

/// After a step; what lies ahead, after going back, is forgotten.
void poise__trails_add(PoiseTrails* trails, const PoiseSimulation* simulation);
/// Fading paths of the points whose goals move, PoiseHighlight.trail seconds long.
void poise__overlay_trails(const PoiseOverlay* overlay, const PoiseTrails* trails);

#endif
