// SPDX-License-Identifier: MIT
// Chooses the side from which a scene is shown when it opens.
#ifndef POISE_VIEWPOINT_H
#define POISE_VIEWPOINT_H

#include "camera.h"

/// Counts the enabled control points and their bodies that no fixed body, such as a wall, hides
/// from the eye.
int poise__viewpoint_seen(const PoiseCamera* camera, const PoiseSimulation* simulation);

/// Frames the scene, at the camera's azimuth if no wall hides control points there. Otherwise it
/// chooses among steps of 45 degrees the one that shows most; the nearest if several do.
void poise__viewpoint_choose(PoiseCamera* camera, const PoiseSimulation* simulation,
                             double goal_margin);

#endif
