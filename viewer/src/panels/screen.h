// SPDX-License-Identifier: MIT
// Draws the whole screen: the picture of the scene, labels on it, and panels over it.
#ifndef POISE_SCREEN_H
#define POISE_SCREEN_H

#include "app.h"

/// Makes the draw list of the present state and, if there is a `ui`, the panels. The app owns both.
const PoiseDrawList* poise__screen_draw(PoiseApp* app);
/// Sets the camera's insets to the width and height that panels cover.
void poise__screen_inset(PoiseApp* app);

#endif
