// SPDX-License-Identifier: MIT
// Computes rays, planes and bounds for camera, pick and drag.
#include "geometry.h"

/// A ray counts as parallel to a plane if |cos| of its angle to the normal is at most this.
static const double PARALLEL = 1e-6;

PoiseVec3 poise__unit(PoiseVec3 v, PoiseVec3 fallback) {
    double length = poise_length(v);
    return length > 0.0 && isfinite(length) ? poise_scale(1.0 / length, v) : fallback;
}

PoiseVec3 poise__axis(int axis) {
    return poise_vec3(axis == 0, axis == 1, axis == 2);
}

PoiseQuat poise__turn_to(PoiseVec3 axis) {
    PoiseVec3 x = fabs(axis.x) < 0.9 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
    return poise__turn_to_with(axis, x);
}

PoiseQuat poise__turn_to_with(PoiseVec3 axis, PoiseVec3 towards) {
    PoiseVec3 across = poise_cross(axis, towards);
    double length = poise_length(across);
    if (length < 1e-9) { // the axis lies along `towards`: use another direction
        PoiseVec3 other =
            fabs(axis.x) < 0.9 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
        across = poise_cross(axis, other);
        length = poise_length(across);
    }
    PoiseVec3 y = poise_scale(1.0 / length, across);
    PoiseVec3 x = poise_cross(y, axis);
    const double rows[9] = {x.x, y.x, axis.x, x.y, y.y, axis.y, x.z, y.z, axis.z};
    return poise_quat_from_rows(rows);
}

PoiseVec3 poise__ray_at(PoiseRay ray, double distance) {
    return poise_add_scaled(ray.origin, distance, ray.direction);
}

bool poise__ray_plane(PoiseRay ray, PoiseVec3 place, PoiseVec3 normal, double* distance) {
    double slope = poise_dot(ray.direction, normal);
    if (fabs(slope) <= PARALLEL * poise_length(normal)) {
        return false;
    }
    double t = poise_dot(poise_sub(place, ray.origin), normal) / slope;
    if (t < 0.0) {
        return false;
    }
    *distance = t;
    return true;
}

PoiseBounds poise__bounds_empty(void) {
    return (PoiseBounds){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

bool poise__bounds_is_empty(PoiseBounds bounds) {
    return bounds.lower.x > bounds.upper.x;
}

static PoiseBounds add_box(PoiseBounds bounds, PoiseVec3 centre, PoiseVec3 half) {
    if (!poise_is_finite3(centre) || !poise_is_finite3(half)) {
        return bounds;
    }
    PoiseVec3 lower = poise_sub(centre, half);
    PoiseVec3 upper = poise_add(centre, half);
    bounds.lower = poise_vec3(fmin(bounds.lower.x, lower.x), fmin(bounds.lower.y, lower.y),
                              fmin(bounds.lower.z, lower.z));
    bounds.upper = poise_vec3(fmax(bounds.upper.x, upper.x), fmax(bounds.upper.y, upper.y),
                              fmax(bounds.upper.z, upper.z));
    return bounds;
}

PoiseBounds poise__bounds_add(PoiseBounds bounds, PoiseVec3 place, double radius) {
    return add_box(bounds, place, poise_vec3(radius, radius, radius));
}

static PoiseBounds add_turned_box(PoiseBounds bounds, const PoiseShapeView* shape) {
    // the half extent along a world axis is the sum of those of the box's sides along it
    PoiseVec3 x = poise_quat_rotate(shape->pose_world.q, poise_vec3(0.5 * shape->size.x, 0.0, 0.0));
    PoiseVec3 y = poise_quat_rotate(shape->pose_world.q, poise_vec3(0.0, 0.5 * shape->size.y, 0.0));
    PoiseVec3 z = poise_quat_rotate(shape->pose_world.q, poise_vec3(0.0, 0.0, 0.5 * shape->size.z));
    PoiseVec3 half =
        poise_vec3(fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                   fabs(x.z) + fabs(y.z) + fabs(z.z));
    return add_box(bounds, shape->pose_world.p, half);
}

static PoiseBounds add_round_shape(PoiseBounds bounds, const PoiseShapeView* shape, double radius,
                                   double length) {
    PoiseVec3 half = poise_quat_rotate(shape->pose_world.q, poise_vec3(0.0, 0.0, 0.5 * length));
    bounds = poise__bounds_add(bounds, poise_add(shape->pose_world.p, half), radius);
    return poise__bounds_add(bounds, poise_sub(shape->pose_world.p, half), radius);
}

static PoiseBounds add_cylinder(PoiseBounds bounds, const PoiseShapeView* shape) {
    PoiseVec3 axis = poise_quat_rotate(shape->pose_world.q, poise_vec3(0.0, 0.0, 1.0));
    double radius = shape->size.x;
    double half = 0.5 * shape->size.y;
    // a disc extends radius * sin(angle to the world axis) along it
    double reach[3] = {axis.x, axis.y, axis.z};
    for (int i = 0; i < 3; i++) {
        reach[i] = half * fabs(reach[i]) + radius * sqrt(fmax(0.0, 1.0 - reach[i] * reach[i]));
    }
    return add_box(bounds, shape->pose_world.p, poise_vec3(reach[0], reach[1], reach[2]));
}

PoiseBounds poise__bounds_add_shape(PoiseBounds bounds, const PoiseShapeView* shape) {
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
    case POISE_SHAPE_HULL: // bounds of its box
        return add_turned_box(bounds, shape);
    case POISE_SHAPE_SPHERE:
        return poise__bounds_add(bounds, shape->pose_world.p, shape->size.x);
    case POISE_SHAPE_CAPSULE:
        return add_round_shape(bounds, shape, shape->size.x, shape->size.y);
    case POISE_SHAPE_CYLINDER:
        return add_cylinder(bounds, shape);
    }
    return bounds;
}

PoiseVec3 poise__bounds_corner(PoiseBounds bounds, int corner) {
    return poise_vec3((corner & 1) ? bounds.upper.x : bounds.lower.x,
                      (corner & 2) ? bounds.upper.y : bounds.lower.y,
                      (corner & 4) ? bounds.upper.z : bounds.lower.z);
}

PoiseVec3 poise__shape_corner(const PoiseShapeView* shape, int corner) {
    PoiseVec3 half = poise_scale(0.5, shape->size); // half the size of a box
    if (shape->kind == POISE_SHAPE_SPHERE) {
        half = poise_vec3(shape->size.x, shape->size.x, shape->size.x);
    } else if (shape->kind == POISE_SHAPE_CAPSULE) {
        half = poise_vec3(shape->size.x, shape->size.x, 0.5 * shape->size.y + shape->size.x);
    } else if (shape->kind == POISE_SHAPE_CYLINDER) {
        half = poise_vec3(shape->size.x, shape->size.x, 0.5 * shape->size.y);
    }
    PoiseBounds box = {poise_scale(-1.0, half), half};
    return poise_pose_apply(shape->pose_world, poise__bounds_corner(box, corner));
}

PoiseVec3 poise__bounds_centre(PoiseBounds bounds) {
    if (poise__bounds_is_empty(bounds)) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    return poise_scale(0.5, poise_add(bounds.lower, bounds.upper));
}

double poise__bounds_radius(PoiseBounds bounds) {
    if (poise__bounds_is_empty(bounds)) {
        return 0.0;
    }
    return 0.5 * poise_length(poise_sub(bounds.upper, bounds.lower));
}

// A fixed shape is scenery if its distance from the middle of the moving bodies exceeds this many
// times their radius. The walls of the scenes, and the stands and bases of the robots that were
// tried, are within 3.05 radii; rooms that were built around robots are beyond 12.
static const double SCENERY_PART = 4.0;

bool poise__shape_is_scenery(const PoiseShapeView* shape, PoiseBounds moving) {
    const PoiseVec3 middle = poise__bounds_centre(moving);
    double far = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        far = fmax(far, poise_length(poise_sub(poise__shape_corner(shape, corner), middle)));
    }
    return shape->fixed && !poise__bounds_is_empty(moving) &&
           far > SCENERY_PART * poise__bounds_radius(moving);
}

PoiseBounds poise__bounds_of_moving(const PoiseSimulation* simulation) {
    PoiseBounds bounds = poise__bounds_empty();
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        bounds = shape.fixed ? bounds : poise__bounds_add_shape(bounds, &shape);
    }
    // Arms whose meshes are missing have points, but no shapes.
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        bounds = point.enabled ? poise__bounds_add(bounds, point.pose_world.p, 0.0) : bounds;
    }
    return bounds;
}

PoiseBounds poise__bounds_of_simulation(const PoiseSimulation* simulation) {
    const PoiseBounds moving = poise__bounds_of_moving(simulation);
    PoiseBounds bounds = moving;
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        if (!poise__shape_is_scenery(&shape, moving)) {
            bounds = poise__bounds_add_shape(bounds, &shape);
        }
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (point.enabled && point.has_position) {
            bounds = poise__bounds_add(bounds, point.goal_world.p, 0.0);
        }
    }
    return bounds;
}

PoiseQuat poise__principal_axes(double m[3][3], double values[3]) {
    PoiseQuat q = poise_quat_identity();
    for (int sweep = 0; sweep < 24; sweep++) {
        const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
        const int a = pairs[sweep % 3][0];
        const int b = pairs[sweep % 3][1];
        const double angle = 0.5 * atan2(2.0 * m[a][b], m[a][a] - m[b][b]);
        const double c = cos(angle);
        const double s = sin(angle);
        for (int k = 0; k < 3; k++) { // rotates first the columns, then the rows
            const double x = m[k][a];
            m[k][a] = c * x + s * m[k][b];
            m[k][b] = c * m[k][b] - s * x;
        }
        for (int k = 0; k < 3; k++) {
            const double x = m[a][k];
            m[a][k] = c * x + s * m[b][k];
            m[b][k] = c * m[b][k] - s * x;
        }
        // rotating x to y is about z, y to z about x, x to z about -y
        const double about[3] = {a == 1 ? angle : 0.0, b - a == 2 ? -angle : 0.0,
                                 b == 1 ? angle : 0.0};
        q = poise_quat_mul(q, poise_quat_exp(poise_vec3(about[0], about[1], about[2])));
    }
    for (int k = 0; k < 3; k++) {
        values[k] = m[k][k];
    }
    return q;
}

PoiseEllipsoid poise__ellipsoid_from(double m[3][3]) {
    double values[3];
    int order[3] = {0, 1, 2}; // indices of the values by size, the largest first
    PoiseEllipsoid ellipsoid;
    const PoiseQuat turn = poise__principal_axes(m, values);
    for (int i = 0; i < 3; i++) {
        for (int k = i + 1; k < 3; k++) {
            if (values[order[k]] > values[order[i]]) {
                const int other = order[i];
                order[i] = order[k];
                order[k] = other;
            }
        }
    }
    const PoiseVec3 x = poise_quat_rotate(turn, poise__axis(order[0]));
    const PoiseVec3 y = poise_quat_rotate(turn, poise__axis(order[1]));
    ellipsoid.turn = poise__turn_to_with(poise_cross(x, y), x);
    for (int i = 0; i < 3; i++) {
        ellipsoid.half[i] = fmax(0.0, values[order[i]]);
    }
    return ellipsoid;
}

double poise__ellipsoid_along(const PoiseEllipsoid* ellipsoid, PoiseVec3 v) {
    const PoiseVec3 own = poise_quat_unrotate(ellipsoid->turn, v);
    return ellipsoid->half[0] * own.x * own.x + ellipsoid->half[1] * own.y * own.y +
           ellipsoid->half[2] * own.z * own.z;
}
