// SPDX-License-Identifier: MIT
// The compliance of a point as an ellipsoid with six handles, two for each axis: its surface is
// where unit forces displace the point. Pulling a handle asks for another compliance along its
// axis.
#ifndef POISE_YIELDING_H
#define POISE_YIELDING_H

#include "camera.h"
#include "poise/forecast.h"

enum { POISE_YIELDING_ENDS = 6 };

typedef struct PoiseYielding {
    /// Index of the point; -1: no ellipsoid is shown.
    int point;
    /// The point in the world, m.
    PoiseVec3 place;
    /// Compliance of the point with the present springs, m/N.
    PoiseEllipsoid has;
    /// True while the person pulls a handle, and afterwards if the springs cannot give the
    /// compliance `asked`.
    bool asks;
    /// The compliance for which the pull asks, m/N; valid if `asks`.
    PoiseEllipsoid asked;
    /// The end that is grabbed or under the pointer; -1: none. Ends 2 k and 2 k + 1 are those of
    /// axis k, in its direction and against it.
    int end;
    /// Length in the picture per compliance: m per m/N.
    double scale;
    /// Distance of the grabbed handle from the point, m; 0: no handle is grabbed.
    double held;
    /// Why there is no ellipsoid, or which compliance the springs cannot give; empty otherwise.
    char why[POISE_FORECAST_WHY];
} PoiseYielding;

/// Returns the direction from the point to an end, world, unit vector.
PoiseVec3 poise__yielding_direction(const PoiseYielding* yielding, int end);
/// Returns the distance of an end's handle from the point, m: the distance of the surface, or more
/// if the surface is too near for the pointer.
double poise__yielding_distance(const PoiseCamera* camera, const PoiseYielding* yielding, int end);
/// Returns the radius of a handle, m, which has the same size in the picture at any distance.
double poise__yielding_radius(const PoiseCamera* camera, const PoiseYielding* yielding);
/// Returns the position of an end's handle in the world, m.
PoiseVec3 poise__yielding_grip(const PoiseCamera* camera, const PoiseYielding* yielding, int end);
/// Returns the end whose handle is at a position of the window; -1: none.
int poise__yielding_pick(const PoiseCamera* camera, const PoiseYielding* yielding, double x,
                         double y);

#endif
