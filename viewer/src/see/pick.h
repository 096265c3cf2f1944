// SPDX-License-Identifier: MIT
// Finds the first thing that a ray through the scene meets. This is exact for all shapes except
// hulls, whose boxes replace them.
#ifndef POISE_PICK_H
#define POISE_PICK_H

#include "camera.h"

typedef enum PoisePickKind {
    POISE_PICK_NONE = 0,
    POISE_PICK_SHAPE = 1, ///< index of the shape
    POISE_PICK_POINT = 2, ///< index of a control point, at its place on the body
    POISE_PICK_GOAL = 3   ///< index of a control point, at its goal
} PoisePickKind;

typedef struct PoisePick {
    PoisePickKind kind;
    int index;
    /// Distance from the ray's origin, m.
    double distance;
    PoiseVec3 place;
} PoisePick;

/// Computes the distance at which the ray enters a shape; 0 if it starts inside. Returns false if
/// it misses.
bool poise__ray_shape(PoiseRay ray, const PoiseShapeView* shape, double* distance);

/// Returns the radius of the marker of a goal at `place`, m: a fraction of the scene's radius,
/// within limits in window units, so that markers stay visible and hide little.
double poise__marker_radius(const PoiseCamera* camera, PoiseVec3 place);

/// Finds the thing at a position of the window. Goals have priority over things in front of them,
/// since they are visible through bodies.
PoisePick poise__pick(const PoiseSimulation* simulation, const PoiseCamera* camera, double x,
                      double y);

#endif
