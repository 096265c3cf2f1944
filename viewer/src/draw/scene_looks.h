// SPDX-License-Identifier: MIT
// What scene_view.c asks of scene_looks.c.
#ifndef POISE_SCENE_LOOKS_H
#define POISE_SCENE_LOOKS_H

#include "scene_view.h"

/// Mesh, core and shell of a shape.
void poise__shape_mesh(const PoiseShapeView* shape, PoiseInstance* instance);

void poise__scene_looks_finish(PoiseSceneView* view);
void poise__scene_looks_draw(PoiseSceneView* view, const PoiseOverlay* overlay);
/// Whether a body is drawn by its looks now.
bool poise__scene_looks_cover(const PoiseSceneView* view, const PoiseOverlay* overlay, int body);
/// Of the palette of bodies.
int poise__scene_looks_colour(const PoiseSceneView* view, int body);

#endif
