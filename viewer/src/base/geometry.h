// SPDX-License-Identifier: MIT
// Rays, planes and bounds, in double precision and world coordinates (m).
#ifndef POISE_GEOMETRY_H
#define POISE_GEOMETRY_H

#include "poise/simulation.h"

typedef struct PoiseRay {
    PoiseVec3 origin;
    /// Unit vector.
    PoiseVec3 direction;
} PoiseRay;

/// An axis-aligned box; empty if `lower` is above `upper` along some axis.
typedef struct PoiseBounds {
    PoiseVec3 lower;
    PoiseVec3 upper;
} PoiseBounds;

/// Scales v to length 1; returns `fallback` for a zero vector.
PoiseVec3 poise__unit(PoiseVec3 v, PoiseVec3 fallback);

/// Returns the unit vector of axis 0, 1 or 2.
PoiseVec3 poise__axis(int axis);

/// Diagonalises a symmetric matrix by Jacobi rotations. Returns the rotation of x, y, z to its
/// principal axes; `values` gets the value along each axis.
PoiseQuat poise__principal_axes(double m[3][3], double values[3]);

/// An ellipsoid: `turn` rotates x, y and z to its half axes, the longest first.
typedef struct PoiseEllipsoid {
    double half[3];
    PoiseQuat turn;
} PoiseEllipsoid;

/// Returns the ellipsoid whose half axes are the principal values and axes of a symmetric matrix;
/// values below 0 count as 0.
PoiseEllipsoid poise__ellipsoid_from(double m[3][3]);
/// Returns v^T M v for a unit vector v, where M is the symmetric matrix of the ellipsoid.
double poise__ellipsoid_along(const PoiseEllipsoid* ellipsoid, PoiseVec3 v);

/// Returns a rotation of z to `axis`, a unit vector.
PoiseQuat poise__turn_to(PoiseVec3 axis);
/// Returns the rotation of z to `axis` that takes x as near to `towards` as possible.
PoiseQuat poise__turn_to_with(PoiseVec3 axis, PoiseVec3 towards);

PoiseVec3 poise__ray_at(PoiseRay ray, double distance);
/// Returns true, and the distance, if the ray meets the plane through `place` with this normal.
/// Returns false if the ray is parallel to the plane or points away from it.
bool poise__ray_plane(PoiseRay ray, PoiseVec3 place, PoiseVec3 normal, double* distance);

PoiseBounds poise__bounds_empty(void);
bool poise__bounds_is_empty(PoiseBounds bounds);
/// Extends the bounds by the ball of `radius` m about `place`. A place that is not finite is
/// ignored.
PoiseBounds poise__bounds_add(PoiseBounds bounds, PoiseVec3 place, double radius);
PoiseBounds poise__bounds_add_shape(PoiseBounds bounds, const PoiseShapeView* shape);
/// Returns a corner of the bounds; bits 0 to 2 of `corner` select the upper x, y, z.
PoiseVec3 poise__bounds_corner(PoiseBounds bounds, int corner);
/// Returns a corner, world coordinates, of the box around a shape along the shape's own axes.
PoiseVec3 poise__shape_corner(const PoiseShapeView* shape, int corner);
PoiseVec3 poise__bounds_centre(PoiseBounds bounds);
/// Returns half the diagonal of the bounds; 0 if they are empty.
double poise__bounds_radius(PoiseBounds bounds);

/// Returns the bounds of the shapes of all bodies that are not fixed, and of the control points.
PoiseBounds poise__bounds_of_moving(const PoiseSimulation* simulation);
/// True if a picture with this fixed shape would show the moving bodies too small.
bool poise__shape_is_scenery(const PoiseShapeView* shape, PoiseBounds moving);
/// Returns the bounds of all shapes except scenery, and of all goals with a position.
PoiseBounds poise__bounds_of_simulation(const PoiseSimulation* simulation);

#endif
