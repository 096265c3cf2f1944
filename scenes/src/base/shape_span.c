// SPDX-License-Identifier: MIT
// Computes the extent of a shape along a direction.
#include <math.h>

#include "inertia.h"

// True for a height field, which extends below its points down to its base.
static bool is_field(const PoiseSceneShape* shape) {
    return shape->kind == POISE_SHAPE_HULL && shape->hull->rows > 0;
}

// Returns half of the extent of a symmetric shape; `along` is in the shape's axes.
static double half_span(const PoiseSceneShape* shape, PoiseVec3 along) {
    const double up = fabs(along.z);
    const PoiseVec3 size = shape->size;
    switch (is_field(shape) ? POISE_SHAPE_BOX : shape->kind) {
    case POISE_SHAPE_BOX:
        return 0.5 * (fabs(along.x) * size.x + fabs(along.y) * size.y + up * size.z);
    case POISE_SHAPE_SPHERE:
        return size.x;
    case POISE_SHAPE_CAPSULE:
        return size.x + 0.5 * up * size.y;
    case POISE_SHAPE_CYLINDER:
        return 0.5 * up * size.y + size.x * sqrt(fmax(0.0, 1.0 - up * up));
    case POISE_SHAPE_HULL:
        break;
    }
    return 0.0;
}

void poise__shape_span(const PoiseSceneShape* shape, PoisePose body, PoiseVec3 along,
                       double span[2]) {
    const PoisePose pose = poise_pose_mul(body, shape->in_body);
    const double middle = poise_dot(along, pose.p);
    const PoiseVec3 own = poise_quat_unrotate(pose.q, along);
    const double half = half_span(shape, own);
    span[0] = middle - half;
    span[1] = middle + half;
    const int points = shape->hull && !is_field(shape) ? shape->hull->point_count : 0;
    for (int i = 0; i < points; i++) {
        const double place = middle + poise_dot(own, shape->hull->points[i]);
        span[0] = fmin(span[0], place);
        span[1] = fmax(span[1], place);
    }
}
