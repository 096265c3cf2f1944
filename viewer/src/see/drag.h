// SPDX-License-Identifier: MIT
// Dragging a place in the plane of the screen: the place stays under the pointer at the spot where
// it was taken, at its depth.
#ifndef POISE_DRAG_H
#define POISE_DRAG_H

#include "camera.h"

typedef struct PoiseDrag {
    bool active;
    /// Of the control point whose goal is dragged.
    int point;
    /// The place when the drag began.
    PoiseVec3 start;
    PoiseVec3 normal;
    /// From where the pointer's ray met the plane to the place.
    PoiseVec3 offset;
    /// Whether the goal was held already when the drag began.
    bool was_held;
} PoiseDrag;

/// Takes `place` at the window's x, y. False, and no drag, when it lies behind the eye.
bool poise__drag_begin(PoiseDrag* drag, const PoiseCamera* camera, int point, PoiseVec3 place,
                       double x, double y);
/// Where the place is to be with the pointer at x, y.
PoiseVec3 poise__drag_place(const PoiseDrag* drag, const PoiseCamera* camera, double x, double y);

#endif
