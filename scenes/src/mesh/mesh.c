// SPDX-License-Identifier: MIT
// Computes the mass properties of a mesh, and its solid for a physics engine.
#include "mesh.h"

#include <math.h>

// Integrals over the solid between the apex and the triangles: volume, first and second moments.
typedef struct Moments {
    double volume;
    PoiseVec3 first;
    double second[6]; ///< order: xx, yy, zz, xy, xz, yz
} Moments;

// Adds the tetrahedron between the origin and a triangle. Second moments: V/20 (s s^T + a a^T + b
// b^T + c c^T), s = a + b + c.
static void add_tetrahedron(Moments* sum, PoiseVec3 a, PoiseVec3 b, PoiseVec3 c) {
    double volume = fabs(poise_dot(a, poise_cross(b, c))) / 6.0;
    PoiseVec3 s = poise_add(a, poise_add(b, c));
    const PoiseVec3 v[4] = {s, a, b, c};
    sum->volume += volume;
    sum->first = poise_add_scaled(sum->first, 0.25 * volume, s);
    for (int i = 0; i < 4; i++) {
        sum->second[0] += volume / 20.0 * v[i].x * v[i].x;
        sum->second[1] += volume / 20.0 * v[i].y * v[i].y;
        sum->second[2] += volume / 20.0 * v[i].z * v[i].z;
        sum->second[3] += volume / 20.0 * v[i].x * v[i].y;
        sum->second[4] += volume / 20.0 * v[i].x * v[i].z;
        sum->second[5] += volume / 20.0 * v[i].y * v[i].z;
    }
}

MassProperties poise__mesh_mass(const Mesh* mesh, PoiseVec3 apex) {
    Moments sum = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int* corners = mesh->triangles[i];
        add_tetrahedron(&sum, poise_sub(mesh->points[corners[0]], apex),
                        poise_sub(mesh->points[corners[1]], apex),
                        poise_sub(mesh->points[corners[2]], apex));
    }
    MassProperties body = {sum.volume, apex, {0.0}};
    if (!(sum.volume > 0.0)) {
        return body;
    }
    PoiseVec3 c = poise_scale(1.0 / sum.volume, sum.first);
    // About the centre of mass: S - V c c^T, and I = trace(S) - S.
    double xx = sum.second[0] - sum.volume * c.x * c.x;
    double yy = sum.second[1] - sum.volume * c.y * c.y;
    double zz = sum.second[2] - sum.volume * c.z * c.z;
    body.inertia[0] = yy + zz;
    body.inertia[1] = xx + zz;
    body.inertia[2] = xx + yy;
    body.inertia[3] = -(sum.second[3] - sum.volume * c.x * c.y);
    body.inertia[4] = -(sum.second[4] - sum.volume * c.x * c.z);
    body.inertia[5] = -(sum.second[5] - sum.volume * c.y * c.z);
    body.com = poise_add(apex, c);
    return body;
}

static PoiseVec3 middle_of_points(const Mesh* mesh) {
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < mesh->point_count; i++) {
        sum = poise_add_scaled(sum, 1.0 / mesh->point_count, mesh->points[i]);
    }
    return sum;
}

#if POISE_WITH_MESHES
bool poise__mesh_is_built(void) {
    return true;
}
#else
bool poise__mesh_is_built(void) {
    return false;
}

bool poise__mesh_read(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why) {
    (void)arena;
    (void)file;
    (void)mesh;
    *why = "is not read: this build has no libassimp";
    return false;
}

const char* poise__mesh_hull(Arena* arena, const Mesh* mesh, Mesh* hull) {
    (void)arena;
    (void)mesh;
    (void)hull;
    return "has no hull: this build has no qhull";
}
#endif

bool poise__mesh_solid(Arena* arena, const Mesh* hull, Arena* keep, MeshSolid* solid,
                       const char** why) {
    *why = "has no volume";
    solid->hull = poise__mesh_mass(hull, middle_of_points(hull));
    solid->shape = poise__mesh_fit(hull, &solid->hull);
    return (!keep || poise__mesh_shape(arena, hull, keep, &solid->shape)) &&
           solid->hull.mass > 0.0 && isfinite(solid->hull.mass);
}
