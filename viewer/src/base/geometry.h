// SPDX-License-Identifier: MIT
// Rays, planes and bounds, in double precision and world coordinates (m).
#ifndef POISE_GEOMETRY_H
#define POISE_GEOMETRY_H

#include "poise/simulation.h"

typedef struct PoiseRay {
    PoiseVec3 origin;
    /// Of length 1.
    PoiseVec3 direction;
} PoiseRay;

/// An axis-aligned box; `lower` above `upper` is the empty one.
typedef struct PoiseBounds {
    PoiseVec3 lower;
    PoiseVec3 upper;
} PoiseBounds;

/// v scaled to length 1; a zero vector gives `fallback`.
PoiseVec3 poise__unit(PoiseVec3 v, PoiseVec3 fallback);

/// The principal axes of a symmetric matrix, as a turn that lays x, y, z along them, and its value
/// along each (Jacobi's rotations).
PoiseQuat poise__principal_axes(double m[3][3], double values[3]);

/// A turn that lays z along `axis` (of length 1).
PoiseQuat poise__turn_to(PoiseVec3 axis);
/// A turn that lays z along `axis` and x as near to `towards` as can be.
PoiseQuat poise__turn_to_with(PoiseVec3 axis, PoiseVec3 towards);

PoiseVec3 poise__ray_at(PoiseRay ray, double distance);
/// Where the ray meets the plane through `place` with the normal `normal`. False when it runs
/// beside the plane or away from it.
bool poise__ray_plane(PoiseRay ray, PoiseVec3 place, PoiseVec3 normal, double* distance);

PoiseBounds poise__bounds_empty(void);
bool poise__bounds_is_empty(PoiseBounds bounds);
/// Grown to hold the ball of `radius` m about `place`; places that are not finite are left out.
PoiseBounds poise__bounds_add(PoiseBounds bounds, PoiseVec3 place, double radius);
PoiseBounds poise__bounds_add_shape(PoiseBounds bounds, const PoiseShapeView* shape);
/// `corner` 0..7: bits for the upper x, y, z.
PoiseVec3 poise__bounds_corner(PoiseBounds bounds, int corner);
/// Of the box round a shape that lies along its own axes.
PoiseVec3 poise__shape_corner(const PoiseShapeView* shape, int corner);
PoiseVec3 poise__bounds_centre(PoiseBounds bounds);
/// Half the diagonal; 0 when empty.
double poise__bounds_radius(PoiseBounds bounds);

/// All shapes of the simulation and all goals that have a place.
PoiseBounds poise__bounds_of_simulation(const PoiseSimulation* simulation);

#endif
