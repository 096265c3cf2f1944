// SPDX-License-Identifier: MIT
// From which side a scene is looked at when it opens.
#ifndef POISE_VIEWPOINT_H
#define POISE_VIEWPOINT_H

#include "camera.h"

/// How many of the enabled control points, and of the bodies they are on, no fixed body (a wall)
/// hides from the eye.
int poise__viewpoint_seen(const PoiseCamera* camera, const PoiseSimulation* simulation);

/// Frames the scene, from the azimuth the camera has; where walls hide control points from there,
/// from the nearest side, in steps of 45 degrees, that most are seen from.
void poise__viewpoint_choose(PoiseCamera* camera, const PoiseSimulation* simulation,
                             double round_goals);

#endif
