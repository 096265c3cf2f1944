// SPDX-License-Identifier: MIT
#include "drag.h"

static bool meet_plane(const PoiseDrag* drag, const PoiseCamera* camera, double x, double y,
                       PoiseVec3* place) {
    PoiseRay ray = poise__camera_ray(camera, x, y);
    double distance = 0.0;
    if (!poise__ray_plane(ray, drag->start, drag->normal, &distance)) {
        return false;
    }
    *place = poise__ray_at(ray, distance);
    return true;
}

bool poise__drag_begin(PoiseDrag* drag, const PoiseCamera* camera, int point, PoiseVec3 place,
                       double x, double y) {
    PoiseDrag begun = {.point = point, .start = place, .normal = poise__camera_forward(camera)};
    PoiseVec3 taken;
    if (!meet_plane(&begun, camera, x, y, &taken)) {
        return false;
    }
    begun.offset = poise_sub(place, taken);
    begun.active = true;
    *drag = begun;
    return true;
}

PoiseVec3 poise__drag_place(const PoiseDrag* drag, const PoiseCamera* camera, double x, double y) {
    PoiseVec3 taken;
    // the camera may have turned since; where the plane is seen from the side the place stays
    if (!meet_plane(drag, camera, x, y, &taken)) {
        return drag->start;
    }
    return poise_add(taken, drag->offset);
}
