// SPDX-License-Identifier: MIT
// All that is on the screen: the picture of the scene, letters on it, panels over it.
#ifndef POISE_SCREEN_H
#define POISE_SCREEN_H

#include "app.h"

/// The draw list of now, and with `ui` the panels; the app keeps both.
const PoiseDrawList* poise__screen_draw(PoiseApp* app);
/// Tells the camera what the panels cover of the picture now.
void poise__screen_inset(PoiseApp* app);

#endif
