// SPDX-License-Identifier: MIT
// The compliance of a point as an ellipsoid with six handles, two for each axis. A unit force in
// each direction moves the point to the surface. A handle that is pulled asks for another
// compliance along its axis.
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
    /// True while the person pulls a handle, and afterwards if the springs cannot give `asked`.
    bool asks;
    /// The compliance that the pull asks for, m/N; valid if `asks`.
    PoiseEllipsoid asked;
    /// End in the hand or under the pointer; -1: none. End 2 k and 2 k + 1 belong to axis k of the
    /// ellipsoid, in its direction and against it.
    int end;
    /// Length in the picture per compliance, m per m/N.
    double scale;
    /// Distance of the held handle from the point, m; 0: no handle is held.
    double held;
    /// Why there is no ellipsoid, or what the springs cannot give; empty otherwise.
    char why[POISE_FORECAST_WHY];
} PoiseYielding;

/// Returns the direction in which an end lies from the point, world, a unit vector.
PoiseVec3 poise__yielding_direction(const PoiseYielding* yielding, int end);
/// Returns the distance of an end's handle from the point, m: that of the surface, or more where
/// the surface is too near to be taken.
double poise__yielding_distance(const PoiseCamera* camera, const PoiseYielding* yielding, int end);
/// Returns the radius of a handle, m, which is the same in the picture at any distance.
double poise__yielding_radius(const PoiseCamera* camera, const PoiseYielding* yielding);
/// Returns the place of an end's handle in the world.
PoiseVec3 poise__yielding_grip(const PoiseCamera* camera, const PoiseYielding* yielding, int end);
/// Returns the end whose handle is at a position of the window; -1: none.
int poise__yielding_pick(const PoiseCamera* camera, const PoiseYielding* yielding, double x,
                         double y);

#endif
