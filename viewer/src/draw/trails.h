// SPDX-License-Identifier: MIT
// The recent paths of the goals and of the points that follow them.
#ifndef POISE_TRAILS_H
#define POISE_TRAILS_H

#include "overlay.h"

enum { POISE_TRAIL_SAMPLES = 600, POISE_TRAIL_POINTS = 16 };

/// Samples of goals and points, about 60 a second, the newest last.
typedef struct PoiseTrails {
    float times[POISE_TRAIL_SAMPLES];
    float goals[POISE_TRAIL_POINTS][POISE_TRAIL_SAMPLES][3];
    float tips[POISE_TRAIL_POINTS][POISE_TRAIL_SAMPLES][3];
    int count;
} PoiseTrails;

/// Adds a sample after a step. After a jump back in time, forgets later samples.
void poise__trails_add(PoiseTrails* trails, const PoiseSimulation* simulation);
/// Draws fading paths, PoiseHighlight.trail seconds long, for the points whose goals move.
void poise__overlay_trails(const PoiseOverlay* overlay, const PoiseTrails* trails);

#endif
