// SPDX-License-Identifier: MIT
// The functions of scene_looks.c that scene_view.c calls.
#ifndef POISE_SCENE_LOOKS_H
#define POISE_SCENE_LOOKS_H

#include "scene_view.h"

void poise__scene_looks_finish(PoiseSceneView* view);
void poise__scene_looks_draw(PoiseSceneView* view, const PoiseOverlay* overlay);
/// Draws the body's looks as a ghost at `pose`.
void poise__scene_looks_ghost(PoiseSceneView* view, const PoiseOverlay* overlay, int body,
                              PoisePose pose, vec4s colour);
/// True if looks, not collision shapes, show the body now.
bool poise__scene_looks_cover(const PoiseSceneView* view, const PoiseOverlay* overlay, int body);
/// Returns the body's index in the palette of bodies.
int poise__scene_looks_colour(const PoiseSceneView* view, int body);

#endif
