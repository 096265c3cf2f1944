// SPDX-License-Identifier: MIT
// Convex shapes and the distance of two of them: spheres, capsules, boxes, cylinders and convex
// hulls.
#ifndef POISE_CONVEX_H
#define POISE_CONVEX_H

#include "poise/base.h"
#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of shapes.
typedef enum PoiseConvexKind {
    POISE_CONVEX_SPHERE = 1,
    POISE_CONVEX_CAPSULE = 2, ///< all points within `radius` of a segment along z
    POISE_CONVEX_BOX = 3,
    POISE_CONVEX_HULL = 4, ///< the smallest convex body that contains `corners`
    /// The part of a capsule between the planes through the segment's ends.
    POISE_CONVEX_CYLINDER = 5
} PoiseConvexKind;

/// Largest number of corners of one hull.
enum { POISE_CORNERS_MOST = 1024 };

/// A convex shape. Members that its kind does not use are 0.
typedef struct PoiseConvex {
    PoiseConvexKind kind;
    /// Frame of the shape in the frame of its link. A rotation of any length above 0.
    PoisePose pose;
    /// Sphere, capsule and cylinder: radius, m, > 0. Box and hull: all points within this distance
    /// of the body belong to the shape, >= 0.
    double radius;
    /// Capsule and cylinder: half the length of its segment, m, >= 0.
    double half_length;
    /// Box: half its edges, m, each > 0.
    PoiseVec3 half;
    /// Hull: its points, 1 to POISE_CORNERS_MOST, in the shape's frame. Points inside the hull are
    /// allowed and cost time.
    const PoiseVec3* corners;
    int corner_count;
} PoiseConvex;

/// Returns a sphere at the origin of its link. `radius` in m, > 0; poise_convex_problem checks the
/// value.
POISE_API PoiseConvex poise_convex_sphere(double radius);
/// Returns a capsule along z at the origin of its link: `radius` > 0 and `half_length` >= 0, m.
POISE_API PoiseConvex poise_convex_capsule(double radius, double half_length);
/// Returns a cylinder along z at the origin of its link: `radius` > 0 and `half_length` >= 0, m.
POISE_API PoiseConvex poise_convex_cylinder(double radius, double half_length);
/// Returns a box at the origin of its link with half edges > 0 along its axes, m.
POISE_API PoiseConvex poise_convex_box(PoiseVec3 half);
/// Returns the hull of 1 to POISE_CORNERS_MOST corners in the frame of its link, m. Keeps the
/// pointer; the corners must outlive the shape.
POISE_API PoiseConvex poise_convex_hull(const PoiseVec3* corners, int count);

/// The reason, in words, why the shape cannot be used. NULL if it can.
POISE_API const char* poise_convex_problem(const PoiseConvex* shape);

/// The nearest points of two shapes.
typedef struct PoiseGap {
    /// m; below 0: the depth to which the shapes overlap, that is the least move that parts them.
    double distance;
    /// Nearest points of the shapes, world. If the shapes overlap: the deepest points.
    PoiseVec3 a;
    PoiseVec3 b;
    /// Direction in which `a` moves away from `b`, length 1, world: a = b + distance * normal.
    PoiseVec3 normal;
} PoiseGap;

/// Computes the gap of two shapes, m, whose links have the given frames, world. Spheres and
/// capsules with each other, with boxes: closed form. Others: the algorithm of Gilbert, Johnson and
/// Keerthi, and an expanding polytope if they overlap; both end after finitely many corners, within
/// 1e-9 of the shapes' size. `gap` is in and out: the search begins at its normal, if that is not
/// 0. Errors: POISE_ERROR_INVALID_ARGUMENT for NULL, a shape with a problem, or a frame that is not
/// finite.
POISE_API PoiseStatus poise_convex_gap(const PoiseConvex* a, PoisePose a_link, const PoiseConvex* b,
                                       PoisePose b_link, PoiseGap* gap);

#ifdef __cplusplus
}
#endif

#endif
