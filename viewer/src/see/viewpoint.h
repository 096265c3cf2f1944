// SPDX-License-Identifier: MIT
// Chooses the side from which a scene is shown when it opens.
#ifndef POISE_VIEWPOINT_H
#define POISE_VIEWPOINT_H

#include "camera.h"

/// Returns the number of enabled control points and of their bodies that no fixed body, such as a
/// wall, hides from the eye.
int poise__viewpoint_seen(const PoiseCamera* camera, const PoiseSimulation* simulation);

/// Frames the scene at the camera's azimuth if no wall hides control points there. Otherwise
/// chooses among steps of 45 degrees the azimuth that shows most of them; if several do, the
/// nearest.
void poise__viewpoint_choose(PoiseCamera* camera, const PoiseSimulation* simulation,
                             double goal_margin);

#endif
