// SPDX-License-Identifier: MIT
// Makes a collision shape of a hull: reduces its corners and orients its triangles outward.
// Measures the margin of a primitive around a hull.
#include <math.h>
#include <string.h>

#include "mesh.h"
#include "number.h"
#include "poise/convex.h"

// Returns direction `index` of `count`, spread evenly over the sphere by the golden angle's spiral.
static PoiseVec3 direction(int index, int count) {
    const double golden = PI * (3.0 - sqrt(5.0));
    const double z = 1.0 - (2.0 * index + 1.0) / count;
    const double radius = sqrt(fmax(0.0, 1.0 - z * z));
    const PoiseSinCos turn = poise_sincos(golden * index);
    return poise_vec3(radius * turn.cosine, radius * turn.sine, z);
}

static int farthest(const Mesh* hull, PoiseVec3 along) {
    int best = 0;
    for (int i = 1; i < hull->point_count; i++) {
        if (poise_dot(along, hull->points[i]) > poise_dot(along, hull->points[best])) {
            best = i;
        }
    }
    return best;
}

// Returns the outermost corners of a hull, without triangles; no points when memory is short.
static Mesh outermost(Arena* arena, const Mesh* hull) {
    Mesh corners = {.points =
                        poise__arena_allocate(arena, MESH_MOST_CORNERS, sizeof *corners.points)};
    bool* taken = poise__arena_allocate(arena, (size_t)hull->point_count, sizeof *taken);
    for (int i = 0; corners.points && taken && i < MESH_MOST_CORNERS; i++) {
        const int point = farthest(hull, direction(i, MESH_MOST_CORNERS));
        if (!taken[point]) {
            taken[point] = true;
            corners.points[corners.point_count++] = hull->points[point];
        }
    }
    return corners;
}

// Computes the hull of the outermost corners. A hull with few corners stays as it is.
static bool thin_out(Arena* arena, const Mesh* hull, Mesh* thin) {
    *thin = *hull;
    if (hull->point_count <= MESH_MOST_CORNERS) {
        return true;
    }
    const Mesh corners = outermost(arena, hull);
    return !poise__mesh_hull(arena, &corners, thin);
}

// Returns the point of a primitive that lies farthest along a direction, in the mesh's frame.
static PoiseVec3 farthest_of(const PoiseSceneShape* shape, PoiseVec3 along) {
    const PoiseVec3 size = shape->size;
    const double round = hypot(along.x, along.y);
    PoiseVec3 p = poise_scale(size.x, along);
    if (shape->kind == POISE_SHAPE_BOX) {
        p = poise_vec3(copysign(0.5 * size.x, along.x), copysign(0.5 * size.y, along.y),
                       copysign(0.5 * size.z, along.z));
    } else if (shape->kind == POISE_SHAPE_CAPSULE) {
        p.z += copysign(0.5 * size.y, along.z);
    } else if (shape->kind == POISE_SHAPE_CYLINDER) {
        p = poise_vec3(size.x * along.x / round, size.x * along.y / round,
                       copysign(0.5 * size.y, along.z));
    }
    return poise_pose_apply(shape->in_body, p);
}

double poise__mesh_margin(Arena* arena, const Mesh* hull, const PoiseSceneShape* shape) {
    // A point of the primitive's surface is a ball of this radius for poise_convex_distance, m.
    const double dot = 1e-9;
    enum { SAMPLES = 400 };
    const Mesh corners = hull->point_count <= MESH_MOST_CORNERS ? *hull : outermost(arena, hull);
    const PoiseConvex mesh = poise_convex_hull(corners.points, corners.point_count);
    const PoiseConvex ball = poise_convex_sphere(dot);
    double margin = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        const PoiseVec3 p = farthest_of(shape, direction(i, SAMPLES));
        PoiseGap gap = {.distance = 0.0};
        if (poise_convex_gap(&ball, poise_pose(p, poise_quat_identity()), &mesh,
                             poise_pose_identity(), &gap) == POISE_OK) {
            margin = fmax(margin, gap.distance + dot);
        }
    }
    return margin;
}

// Orients the triangle counter-clockwise seen from outside. The origin lies inside the hull.
static void turn_outward(const PoiseVec3* points, int corners[3]) {
    const PoiseVec3 a = points[corners[0]];
    const PoiseVec3 normal =
        poise_cross(poise_sub(points[corners[1]], a), poise_sub(points[corners[2]], a));
    if (poise_dot(normal, a) < 0.0) {
        const int second = corners[1];
        corners[1] = corners[2];
        corners[2] = second;
    }
}

bool poise__mesh_shape(Arena* arena, const Mesh* hull, Arena* keep, PoiseSceneShape* shape) {
    Mesh thin;
    if (!thin_out(arena, hull, &thin)) {
        return false;
    }
    PoiseVec3 low = thin.points[0];
    PoiseVec3 high = low;
    for (int i = 1; i < thin.point_count; i++) {
        const PoiseVec3 p = thin.points[i];
        low = poise_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = poise_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    const PoiseVec3 centre = poise_scale(0.5, poise_add(low, high));
    PoiseSceneHull* kept = poise__arena_allocate(keep, 1, sizeof *kept);
    PoiseVec3* points = poise__arena_allocate(keep, (size_t)thin.point_count, sizeof *points);
    int(*triangles)[3] =
        poise__arena_allocate(keep, (size_t)thin.triangle_count, sizeof *triangles);
    if (!kept || !points || !triangles) {
        return false;
    }
    for (int i = 0; i < thin.point_count; i++) {
        points[i] = poise_sub(thin.points[i], centre);
    }
    for (int i = 0; i < thin.triangle_count; i++) {
        memcpy(triangles[i], thin.triangles[i], sizeof triangles[i]);
        turn_outward(points, triangles[i]);
    }
    *kept = (PoiseSceneHull){.points = points,
                             .point_count = thin.point_count,
                             .triangles = (const int(*)[3])triangles,
                             .triangle_count = thin.triangle_count};
    shape->kind = POISE_SHAPE_HULL;
    shape->margin = 0.0;
    shape->size = poise_sub(high, low);
    shape->in_body = poise_pose(centre, poise_quat_identity());
    shape->hull = kept;
    return true;
}
