// SPDX-License-Identifier: MIT
#include "yielding.h"

#include <math.h>

/// Least distance of a handle from the point, window units, which puts it beyond the arrows of a
/// target.
static const double LEAST_DISTANCE = 96.0;
/// Radius of a handle, and the largest distance at which the pointer grabs one, window units.
static const double RADIUS = 6.0;
static const double PICK_RADIUS = 10.0;

/// Returns the ellipsoid at whose axes the handles are.
static const PoiseEllipsoid* pulled(const PoiseYielding* yielding) {
    return yielding->asks ? &yielding->asked : &yielding->has;
}

PoiseVec3 poise__yielding_direction(const PoiseYielding* yielding, int end) {
    const double sign = end % 2 == 0 ? 1.0 : -1.0;
    return poise_quat_rotate(pulled(yielding)->turn, poise_scale(sign, poise__axis(end / 2)));
}

double poise__yielding_distance(const PoiseCamera* camera, const PoiseYielding* yielding, int end) {
    const double least = LEAST_DISTANCE * poise__camera_unit_at(camera, yielding->place);
    if (yielding->held > 0.0 && end / 2 == yielding->end / 2) {
        return yielding->held;
    }
    return fmax(least, yielding->scale * pulled(yielding)->half[end / 2]);
}

double poise__yielding_radius(const PoiseCamera* camera, const PoiseYielding* yielding) {
    return RADIUS * poise__camera_unit_at(camera, yielding->place);
}

PoiseVec3 poise__yielding_grip(const PoiseCamera* camera, const PoiseYielding* yielding, int end) {
    return poise_add_scaled(yielding->place, poise__yielding_distance(camera, yielding, end),
                            poise__yielding_direction(yielding, end));
}

int poise__yielding_pick(const PoiseCamera* camera, const PoiseYielding* yielding, double x,
                         double y) {
    double nearest = PICK_RADIUS;
    int best = -1;
    for (int end = 0; yielding->point >= 0 && end < POISE_YIELDING_ENDS; end++) {
        double gx = 0.0, gy = 0.0;
        if (poise__camera_project(camera, poise__yielding_grip(camera, yielding, end), &gx, &gy) &&
            hypot(x - gx, y - gy) < nearest) {
            nearest = hypot(x - gx, y - gy);
            best = end;
        }
    }
    return best;
}
