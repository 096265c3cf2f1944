// SPDX-License-Identifier: MIT
// Dragging a place in the plane of the screen: the place stays under the pointer at the spot where
// it was taken, at its depth.
#ifndef POISE_DRAG_H
#define POISE_DRAG_H

#include "camera.h"

typedef struct PoiseDrag {
    /// The place when the drag began.
    PoiseVec3 start;
    PoiseVec3 normal;
    /// From where the pointer's ray met the plane to the place.
    PoiseVec3 offset;
} PoiseDrag;

/// Takes `place` with the pointer. False, and no drag, when it lies behind the eye.
bool poise__drag_begin(PoiseDrag* drag, PoisePointer pointer, PoiseVec3 place);
/// Where the place is to be with the pointer there.
PoiseVec3 poise__drag_place(const PoiseDrag* drag, PoisePointer pointer);

#endif
