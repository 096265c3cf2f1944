// SPDX-License-Identifier: MIT
#include "drag.h"

static bool meet_plane(const PoiseDrag* drag, PoisePointer pointer, PoiseVec3* place) {
    PoiseRay ray = poise__camera_ray(pointer.camera, pointer.x, pointer.y);
    double distance = 0.0;
    if (!poise__ray_plane(ray, drag->start, drag->normal, &distance)) {
        return false;
    }
    *place = poise__ray_at(ray, distance);
    return true;
}

bool poise__drag_begin(PoiseDrag* drag, PoisePointer pointer, PoiseVec3 place) {
    PoiseDrag begun = {.start = place, .normal = poise__camera_forward(pointer.camera)};
    PoiseVec3 taken;
    if (!meet_plane(&begun, pointer, &taken)) {
        return false;
    }
    begun.offset = poise_sub(place, taken);
    *drag = begun;
    return true;
}

PoiseVec3 poise__drag_place(const PoiseDrag* drag, PoisePointer pointer) {
    PoiseVec3 taken;
    // if the camera has rotated until the plane is edge-on, the place returns to its start
    return meet_plane(drag, pointer, &taken) ? poise_add(taken, drag->offset) : drag->start;
}
