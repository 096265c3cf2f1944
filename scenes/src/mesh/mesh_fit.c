// SPDX-License-Identifier: MIT
// Finds the primitive of least volume around a hull.
#include <math.h>

#include "mesh.h"

// Least side, length or radius of a shape, m.
#define THINNEST 1e-4

typedef struct Axes {
    PoiseQuat turn; ///< rotation from these axes to the mesh's frame
    PoiseVec3 low;  ///< least coordinates of all points in these axes, m
    PoiseVec3 high;
} Axes;

static PoiseVec3 seen(const Axes* axes, PoiseVec3 point) {
    return poise_quat_rotate(poise_quat_conjugate(axes->turn), point);
}

static Axes axes_of(const Mesh* hull, PoiseQuat turn) {
    double most = (double)INFINITY;
    Axes axes = {turn, {most, most, most}, {-most, -most, -most}};
    for (int i = 0; i < hull->point_count; i++) {
        PoiseVec3 p = seen(&axes, hull->points[i]);
        axes.low = poise_vec3(fmin(axes.low.x, p.x), fmin(axes.low.y, p.y), fmin(axes.low.z, p.z));
        axes.high =
            poise_vec3(fmax(axes.high.x, p.x), fmax(axes.high.y, p.y), fmax(axes.high.z, p.z));
    }
    return axes;
}

static double volume_of(const PoiseSceneShape* shape) {
    return poise__mass_of_shape(shape, 1.0).mass;
}

static void keep_smaller(PoiseSceneShape* best, PoiseSceneShape shape) {
    shape.size = poise_vec3(fmax(shape.size.x, THINNEST),
                            shape.kind == POISE_SHAPE_BOX || shape.kind == POISE_SHAPE_CYLINDER
                                ? fmax(shape.size.y, THINNEST)
                                : shape.size.y,
                            shape.kind == POISE_SHAPE_BOX ? fmax(shape.size.z, THINNEST) : 0.0);
    if (best->kind == 0 || volume_of(&shape) < volume_of(best)) {
        *best = shape;
    }
}

static PoiseSceneShape shape_at(PoiseShapeKind kind, const Axes* axes, PoiseVec3 centre) {
    PoiseSceneShape shape = {.kind = kind};
    shape.in_body = poise_pose(poise_quat_rotate(axes->turn, centre), axes->turn);
    return shape;
}

// Fits a ball, a cylinder and a capsule along z of the axes. The capsule's half balls are moved
// towards the middle until they touch a point.
static void fit_round(const Mesh* hull, const Axes* axes, PoiseSceneShape* best) {
    PoiseVec3 centre = poise_scale(0.5, poise_add(axes->low, axes->high));
    double radius = 0.0, reach = 0.0;
    for (int i = 0; i < hull->point_count; i++) {
        PoiseVec3 p = poise_sub(seen(axes, hull->points[i]), centre);
        radius = fmax(radius, sqrt(p.x * p.x + p.y * p.y));
        reach = fmax(reach, poise_length(p));
    }
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    for (int i = 0; i < hull->point_count; i++) {
        PoiseVec3 p = poise_sub(seen(axes, hull->points[i]), centre);
        double cap = sqrt(fmax(0.0, radius * radius - p.x * p.x - p.y * p.y));
        low = fmin(low, p.z + cap);
        high = fmax(high, p.z - cap);
    }
    PoiseSceneShape ball = shape_at(POISE_SHAPE_SPHERE, axes, centre);
    ball.size = poise_vec3(reach, 0.0, 0.0);
    keep_smaller(best, ball);
    PoiseSceneShape cylinder = shape_at(POISE_SHAPE_CYLINDER, axes, centre);
    cylinder.size = poise_vec3(radius, axes->high.z - axes->low.z, 0.0);
    keep_smaller(best, cylinder);
    if (high > low) {
        centre.z += 0.5 * (low + high);
        PoiseSceneShape capsule = shape_at(POISE_SHAPE_CAPSULE, axes, centre);
        capsule.size = poise_vec3(radius, high - low, 0.0);
        keep_smaller(best, capsule);
    }
}

static void fit_in_axes(const Mesh* hull, PoiseQuat turn, PoiseSceneShape* best) {
    Axes axes = axes_of(hull, turn);
    PoiseSceneShape box =
        shape_at(POISE_SHAPE_BOX, &axes, poise_scale(0.5, poise_add(axes.low, axes.high)));
    box.size = poise_sub(axes.high, axes.low);
    keep_smaller(best, box);
    // Rotations that turn z to each of the three axes.
    const PoiseQuat along[3] = {
        poise_quat_identity(),
        poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), 1.5707963267948966),
        poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 1.5707963267948966)};
    for (int i = 0; i < 3; i++) {
        Axes turned = axes_of(hull, poise_quat_mul(turn, along[i]));
        fit_round(hull, &turned, best);
    }
}

PoiseSceneShape poise__mesh_fit(const Mesh* hull, const MassProperties* mass) {
    PoiseSceneShape best = {
        .kind = (PoiseShapeKind)0, .category = UINT32_MAX, .collide = UINT32_MAX};
    fit_in_axes(hull, poise_quat_identity(), &best);
    fit_in_axes(hull, poise__inertia_turn(mass->inertia), &best);
    best.category = UINT32_MAX;
    best.collide = UINT32_MAX;
    return best;
}
