// SPDX-License-Identifier: MIT
// Computes the mass properties of a mesh, and its solid for a physics engine.
#include "mesh.h"

#include <math.h>
#include <string.h>

#include "diagnostics.h"

// Integrals over the solid between the apex and the triangles: volume, first and second moments.
typedef struct Moments {
    double volume;
    PoiseVec3 first;
    double second[6]; ///< order: xx, yy, zz, xy, xz, yz
} Moments;

// Adds the integrals over the tetrahedron between the origin and the triangle a b c, of volume V.
// Second moments: V/20 (s s^T + a a^T + b b^T + c c^T), s = a + b + c.
static void add_tetrahedron(Moments* sum, PoiseVec3 a, PoiseVec3 b, PoiseVec3 c, double sign) {
    double volume = poise_dot(a, poise_cross(b, c)) / 6.0;
    volume = sign != 0.0 ? sign * volume : fabs(volume);
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

// Returns the mass properties at density 1. `sign`: 1 if each triangle's corners run
// counter-clockwise seen from outside, -1 if clockwise, 0 if the apex sees the inner side of each
// triangle.
static MassProperties mass_of(const Mesh* mesh, PoiseVec3 apex, double sign) {
    Moments sum = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int* corners = mesh->triangles[i];
        add_tetrahedron(&sum, poise_sub(mesh->points[corners[0]], apex),
                        poise_sub(mesh->points[corners[1]], apex),
                        poise_sub(mesh->points[corners[2]], apex), sign);
    }
    MassProperties body = {sum.volume, apex, {0.0}};
    if (!(sum.volume > 0.0)) {
        return body;
    }
    PoiseVec3 c = poise_scale(1.0 / sum.volume, sum.first);
    // S = sum.second: the second moments about the centre of mass c are S - V c c^T, and the
    // inertia is trace(S) - S.
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

MassProperties poise__mesh_mass(const Mesh* mesh, PoiseVec3 apex) {
    return mass_of(mesh, apex, 0.0);
}

static PoiseVec3 middle_of_points(const Mesh* mesh) {
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < mesh->point_count; i++) {
        sum = poise_add_scaled(sum, 1.0 / mesh->point_count, mesh->points[i]);
    }
    return sum;
}

// -------------------------------------------------------------------------------- closed meshes

// Returns a pseudo-random number for the edge, which depends on every bit of both ends.
static uint64_t edge_number(const double low[3], const double high[3]) {
    uint64_t n = poise__hash(POISE_HASH_BEGIN, low, 3 * sizeof *low);
    n = poise__hash(n, high, 3 * sizeof *high);
    // The plain hashes of an edge and of its mirror image differ by a constant, so that sums over
    // both could cancel. The mixing of splitmix64 prevents that.
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}

// True if each edge runs through equally many triangles in both directions: the triangles then
// enclose a volume. Adds an edge's pseudo-random number for one direction and subtracts it for the
// other. The sum for an open mesh is 0 with a probability of 2^-64.
static bool is_closed(const Mesh* mesh) {
    uint64_t sum = 0;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const PoiseVec3 a = mesh->points[mesh->triangles[i / 3][i % 3]];
        const PoiseVec3 b = mesh->points[mesh->triangles[i / 3][(i + 1) % 3]];
        // Adding 0 turns -0 into 0. memcmp decides which end of an edge is its first.
        const double from[3] = {a.x + 0.0, a.y + 0.0, a.z + 0.0};
        const double to[3] = {b.x + 0.0, b.y + 0.0, b.z + 0.0};
        const int order = memcmp(from, to, sizeof from);
        sum += order < 0 ? edge_number(from, to) : order > 0 ? -edge_number(to, from) : 0;
    }
    return sum == 0;
}

bool poise__mesh_stretch(Arena* arena, MeshSummary* summary, PoiseVec3 factor) {
    Mesh* hull = &summary->hull;
    const PoiseVec3* points = hull->points;
    hull->points = poise__arena_allocate(arena, (size_t)hull->point_count, sizeof *hull->points);
    for (int i = 0; hull->points && i < hull->point_count; i++) {
        hull->points[i] =
            poise_vec3(points[i].x * factor.x, points[i].y * factor.y, points[i].z * factor.z);
    }
    summary->mass = poise__mass_stretched(summary->mass, factor);
    summary->margin = -1.0;
    return hull->points != NULL;
}

const char* poise__mesh_summarize(Arena* arena, const Mesh* mesh, MeshSummary* summary) {
    const char* why = poise__mesh_hull(arena, mesh, &summary->hull);
    if (why) {
        return why;
    }
    const PoiseVec3 middle = middle_of_points(&summary->hull);
    summary->file_triangles = mesh->triangle_count;
    summary->mass = poise__mesh_mass(&summary->hull, middle);
    const PoiseSceneShape fitted = poise__mesh_fit(&summary->hull, &summary->mass);
    summary->margin = poise__mesh_margin(arena, &summary->hull, &fitted);
    MassProperties enclosed = mass_of(mesh, middle, 1.0);
    enclosed = enclosed.mass > 0.0 ? enclosed : mass_of(mesh, middle, -1.0);
    // Shells that overlap may have a larger sum than the hull's volume.
    if (enclosed.mass > 0.0 && enclosed.mass < summary->mass.mass && is_closed(mesh)) {
        summary->mass = enclosed;
    }
    return NULL;
}

bool poise__mesh_solid(Arena* arena, const MeshSummary* summary, Arena* keep, MeshSolid* solid,
                       const char** why) {
    const Mesh* hull = &summary->hull;
    *why = "has no volume";
    const MassProperties filled = poise__mesh_mass(hull, middle_of_points(hull));
    solid->mass = summary->mass;
    solid->shape = poise__mesh_fit(hull, &filled);
    solid->shape.margin = summary->margin >= 0.0 || keep
                              ? summary->margin
                              : poise__mesh_margin(arena, hull, &solid->shape);
    return (!keep || poise__mesh_shape(arena, hull, keep, &solid->shape)) && filled.mass > 0.0 &&
           isfinite(filled.mass);
}
