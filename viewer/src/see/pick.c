// SPDX-License-Identifier: MIT
// Intersects rays with shapes, in the frame of each shape, and with the markers of goals.
#include "pick.h"

/// Radius of a marker as a fraction of the scene's radius, and its range in window units.
static const double MARKER_PART = 0.02;
static const double MARKER_SMALLEST = 5.0;
static const double MARKER_LARGEST = 22.0;
/// Distance outside of its marker at which a goal can still be picked, window units.
static const double GRAB_MARGIN = 5.0;

/// Interval of a ray: the part that is inside all slabs and quadrics by which it was cut.
typedef struct Span {
    double enter;
    double leave;
} Span;

static Span no_span(void) {
    return (Span){HUGE_VAL, -HUGE_VAL};
}

static bool end_span(Span span, double* distance) {
    if (span.enter > span.leave || span.leave < 0.0) {
        return false;
    }
    *distance = fmax(0.0, span.enter);
    return true;
}

/// Reduces the span to the parameters t with |origin + t direction| <= half.
static Span cut_slab(Span span, double origin, double direction, double half) {
    if (direction == 0.0) {
        return fabs(origin) > half ? no_span() : span;
    }
    double a = (-half - origin) / direction;
    double b = (half - origin) / direction;
    span.enter = fmax(span.enter, fmin(a, b));
    span.leave = fmin(span.leave, fmax(a, b));
    return span;
}

/// Reduces the span to the parameters t with a t^2 + 2 b t + c <= 0.
static Span cut_quadric(Span span, double a, double b, double c) {
    if (a <= 0.0) { // a ray along a cylinder's axis is inside everywhere or nowhere
        return c > 0.0 ? no_span() : span;
    }
    double root = b * b - a * c;
    if (root < 0.0) {
        return no_span();
    }
    root = sqrt(root);
    span.enter = fmax(span.enter, (-b - root) / a);
    span.leave = fmin(span.leave, (-b + root) / a);
    return span;
}

static Span whole_ray(void) {
    return (Span){-HUGE_VAL, HUGE_VAL};
}

static Span sphere_span(PoiseRay ray, PoiseVec3 centre, double radius) {
    PoiseVec3 out = poise_sub(ray.origin, centre);
    return cut_quadric(whole_ray(), poise_dot(ray.direction, ray.direction),
                       poise_dot(out, ray.direction), poise_dot(out, out) - radius * radius);
}

static Span cylinder_span(PoiseRay ray, double radius, double length) {
    PoiseVec3 o = ray.origin;
    PoiseVec3 d = ray.direction;
    Span span = cut_quadric(whole_ray(), d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y,
                            o.x * o.x + o.y * o.y - radius * radius);
    return cut_slab(span, o.z, d.z, 0.5 * length);
}

static Span join(Span a, Span b) {
    if (a.enter > a.leave) {
        return b;
    }
    if (b.enter > b.leave) {
        return a;
    }
    return (Span){fmin(a.enter, b.enter), fmax(a.leave, b.leave)};
}

static Span capsule_span(PoiseRay ray, double radius, double length) {
    // a capsule is convex, so that the union of its cylinder and balls is one span
    Span span = cylinder_span(ray, radius, length);
    span = join(span, sphere_span(ray, poise_vec3(0.0, 0.0, 0.5 * length), radius));
    return join(span, sphere_span(ray, poise_vec3(0.0, 0.0, -0.5 * length), radius));
}

static Span box_span(PoiseRay ray, PoiseVec3 size) {
    Span span = cut_slab(whole_ray(), ray.origin.x, ray.direction.x, 0.5 * size.x);
    span = cut_slab(span, ray.origin.y, ray.direction.y, 0.5 * size.y);
    return cut_slab(span, ray.origin.z, ray.direction.z, 0.5 * size.z);
}

static bool ray_sphere(PoiseRay ray, PoiseVec3 centre, double radius, double* distance) {
    return end_span(sphere_span(ray, centre, radius), distance);
}

bool poise__ray_shape(PoiseRay ray, const PoiseShapeView* shape, double* distance) {
    PoiseRay local = {
        poise_quat_unrotate(shape->pose_world.q, poise_sub(ray.origin, shape->pose_world.p)),
        poise_quat_unrotate(shape->pose_world.q, ray.direction)};
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
    case POISE_SHAPE_HULL: // its bounding box
        return end_span(box_span(local, shape->size), distance);
    case POISE_SHAPE_SPHERE:
        return ray_sphere(ray, shape->pose_world.p, shape->size.x, distance);
    case POISE_SHAPE_CAPSULE:
        return end_span(capsule_span(local, shape->size.x, shape->size.y), distance);
    case POISE_SHAPE_CYLINDER:
        return end_span(cylinder_span(local, shape->size.x, shape->size.y), distance);
    }
    return false;
}

double poise__marker_radius(const PoiseCamera* camera, PoiseVec3 place) {
    double unit = poise__camera_unit_at(camera, place);
    double radius = MARKER_PART * camera->scene_radius;
    return fmax(MARKER_SMALLEST * unit, fmin(MARKER_LARGEST * unit, radius));
}

static void keep_nearest(PoisePick* best, PoisePickKind kind, int index, double distance,
                         PoiseRay ray) {
    if (best->kind == POISE_PICK_NONE || distance < best->distance) {
        best->kind = kind;
        best->index = index;
        best->distance = distance;
        best->place = poise__ray_at(ray, distance);
    }
}

static PoisePick pick_goal(const PoiseSimulation* simulation, const PoiseCamera* camera,
                           PoiseRay ray) {
    PoisePick best = {POISE_PICK_NONE, -1, 0.0, {0.0, 0.0, 0.0}};
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (!point.enabled || !point.has_position) {
            continue;
        }
        PoiseVec3 goal = point.goal_world.p;
        double grab =
            poise__marker_radius(camera, goal) + GRAB_MARGIN * poise__camera_unit_at(camera, goal);
        double distance = 0.0;
        if (ray_sphere(ray, goal, grab, &distance)) {
            keep_nearest(&best, POISE_PICK_GOAL, i, distance, ray);
        }
    }
    return best;
}

PoisePick poise__pick(const PoiseSimulation* simulation, const PoiseCamera* camera, double x,
                      double y) {
    PoiseRay ray = poise__camera_ray(camera, x, y);
    PoisePick best = pick_goal(simulation, camera, ray);
    if (best.kind != POISE_PICK_NONE) {
        return best;
    }
    double distance = 0.0;
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        if (poise__ray_shape(ray, &shape, &distance)) {
            keep_nearest(&best, POISE_PICK_SHAPE, i, distance, ray);
        }
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        double radius = poise__marker_radius(camera, point.pose_world.p);
        if (point.enabled && ray_sphere(ray, point.pose_world.p, radius, &distance)) {
            keep_nearest(&best, POISE_PICK_POINT, i, distance, ray);
        }
    }
    return best;
}
