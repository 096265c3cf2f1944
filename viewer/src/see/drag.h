// SPDX-License-Identifier: MIT
// Drags a place in the plane through it that is parallel to the screen. The place keeps its offset
// from the pointer.
#ifndef POISE_DRAG_H
#define POISE_DRAG_H

#include "camera.h"

typedef struct PoiseDrag {
    /// The place at the start of the drag.
    PoiseVec3 start;
    PoiseVec3 normal;
    /// Vector from the ray's intersection with the plane to the place, at the start.
    PoiseVec3 offset;
} PoiseDrag;

/// Begins to drag `place`. Returns false, and leaves `drag` unchanged, if the place is behind the
/// eye.
bool poise__drag_begin(PoiseDrag* drag, PoisePointer pointer, PoiseVec3 place);
/// Returns the place for this position of the pointer.
PoiseVec3 poise__drag_place(const PoiseDrag* drag, PoisePointer pointer);

#endif
