// SPDX-License-Identifier: MIT
// Chooses the mesh (mesh.h) that represents a shape.
#include "shape_mesh.h"

#include <math.h>

/// Rounding of box edges and cylinder rims, as a fraction of the smallest side.
static const double BEVEL_PART = 0.07;

void poise__shape_mesh(const PoiseShapeView* shape, PoiseInstance* instance) {
    PoiseVec3 size = shape->size;
    double bevel = 0.0;
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
    case POISE_SHAPE_HULL: // its bounding box
        bevel = BEVEL_PART * fmin(size.x, fmin(size.y, size.z));
        instance->mesh = POISE_MESH_BOX;
        instance->core = poise__vec3s(
            poise_vec3(0.5 * size.x - bevel, 0.5 * size.y - bevel, 0.5 * size.z - bevel));
        break;
    case POISE_SHAPE_SPHERE:
        bevel = size.x;
        instance->mesh = POISE_MESH_BALL;
        break;
    case POISE_SHAPE_CAPSULE:
        bevel = size.x;
        instance->mesh = POISE_MESH_CAPSULE;
        instance->core = poise__vec3s(poise_vec3(0.0, 0.0, 0.5 * size.y));
        break;
    case POISE_SHAPE_CYLINDER:
        bevel = BEVEL_PART * fmin(2.0 * size.x, size.y);
        instance->mesh = POISE_MESH_CYLINDER;
        instance->core =
            poise__vec3s(poise_vec3(size.x - bevel, size.x - bevel, 0.5 * size.y - bevel));
        break;
    }
    instance->shell = (float)bevel;
}
