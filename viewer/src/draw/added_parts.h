// SPDX-License-Identifier: MIT
// Parts of the picture that the scene lacks, and of which the simulation knows nothing.
#ifndef POISE_ADDED_PARTS_H
#define POISE_ADDED_PARTS_H

#include "overlay.h"

/// Connects a body without looks to the joint that carries it and to the parent body, since heads
/// and chests of figures would float otherwise.
void poise__add_neck(const PoiseOverlay* overlay, int index, vec4s colour);
/// Draws the nose of a figure's head, which shows where its front is.
void poise__add_nose(const PoiseOverlay* overlay, int index, vec4s colour);
/// Draws legs under a fixed box that floats over the ground: four under a table, one under a wall.
void poise__add_legs(const PoiseOverlay* overlay, const PoiseGround* ground,
                     const PoiseShapeView* shape, PoiseInstance look);
/// Darkens the ground under a shape that is near it, most at the place where they touch.
void poise__add_contact_shadow(const PoiseOverlay* overlay, const PoiseGround* ground,
                               const PoiseShapeView* shape);

#endif
