// SPDX-License-Identifier: MIT
// What a ray through the scene meets first: exact for every shape, no picture needed.
#ifndef POISE_PICK_H
#define POISE_PICK_H

#include "camera.h"

typedef enum PoisePickKind {
    POISE_PICK_NONE = 0,
    POISE_PICK_SHAPE = 1, ///< index: of the shape
    POISE_PICK_POINT = 2, ///< index: of the control point, its place on the body
    POISE_PICK_GOAL = 3   ///< index: of the control point, its goal
} PoisePickKind;

typedef struct PoisePick {
    PoisePickKind kind;
    int index;
    /// From the ray's origin, m.
    double distance;
    PoiseVec3 place;
} PoisePick;

/// Where the ray enters a shape; from inside it, 0. False when it misses.
bool poise__ray_shape(PoiseRay ray, const PoiseShapeView* shape, double* distance);

/// Radius at which a marker of the point at `place` is drawn: a fixed size in the scene, but never
/// too small to see nor so large that it hides the scene, m.
double poise__marker_radius(const PoiseCamera* camera, PoiseVec3 place);

/// What is under a place of the window. Goals win over what is in front of them: they are to be
/// grabbed, and are drawn through the bodies too.
PoisePick poise__pick(const PoiseSimulation* simulation, const PoiseCamera* camera, double x,
                      double y);

#endif
