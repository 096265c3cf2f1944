// SPDX-License-Identifier: MIT
// A convex shape in the world, as a core and a radius around it.
#ifndef POISE_CONVEX_PRIVATE_H
#define POISE_CONVEX_PRIVATE_H

#include "base.h"
#include "poise/convex.h"

/// The core of a shape: a segment (of length 0 for a sphere), a box, a cylinder, or a hull's
/// points.
typedef struct Core {
    PoiseConvexKind kind;
    PoisePose pose; ///< world, m; segments use only the position
    double radius;
    PoiseVec3 half; ///< half sizes, m; segment: (0, 0, half length); cylinder: (radius, radius,
                    ///< half length)
    PoiseVec3 axis; ///< segment: vector from its middle to its end, world, m
    const PoiseVec3* corners;
    int corner_count;
} Core;

/// A point of the difference a - b of two cores, with its points of a and of b.
typedef struct Corner {
    PoiseVec3 at;
    PoiseVec3 a;
    PoiseVec3 b;
} Corner;

/// A simplex of such points. Their weights give its point nearest to the origin.
typedef struct Simplex {
    int count;
    Corner corner[4];
    double weight[4];
} Simplex;

/// convex.c: places a shape's core on a link with the world frame `link`. shape->pose.q has
/// length 1.
Core poise__core(const PoiseConvex* shape, PoisePose link);
/// Returns the radius of a ball around the origin of the core that contains the shape, m.
double poise__convex_reach(const PoiseConvex* shape);
/// True if the ball is farther than `bound`, m, from the core. False if it may be nearer.
bool poise__is_clear_of_ball(const Core* core, PoiseVec3 centre, double radius, double bound);
/// Computes the gap of two cores, with their radii.
void poise__core_gap(const Core* a, const Core* b, PoiseGap* gap);

/// gjk.c: returns the point of a - b that is farthest along a direction.
Corner poise__support(const Core* a, const Core* b, PoiseVec3 along);
/// Finds the nearest points of two cores; the search begins at gap->normal (poise_convex_gap).
/// False if the cores overlap: the simplex then contains the origin.
bool poise__gjk(const Core* a, const Core* b, PoiseGap* gap, Simplex* simplex);
/// depth.c: finds how deeply two cores overlap. `simplex` contains the origin.
void poise__depth(const Core* a, const Core* b, Simplex* simplex, PoiseGap* gap);

#endif
