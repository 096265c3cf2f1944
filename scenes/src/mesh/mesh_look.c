// SPDX-License-Identifier: MIT
// Reads the meshes that a robot's links look like, which are drawn but have no contacts.
#include "poise/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"

// Returns how far a box is from the look's box, m: the distance of their low corners plus that of
// their high corners.
static double between(PoiseVec3 low, PoiseVec3 high, const PoiseSceneLook* look) {
    return poise_length(poise_sub(low, look->low)) + poise_length(poise_sub(high, look->high));
}

// Returns the point of a glTF file as the file has it: before its quarter turn about x.
static PoiseVec3 unturned(PoiseVec3 p, PoiseVec3 scale) {
    return poise_vec3(p.x, scale.y * (p.z / scale.z), -scale.z * (p.y / scale.y));
}

static void widen(PoiseVec3 p, PoiseVec3* low, PoiseVec3* high) {
    *low = poise_vec3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
    *high = poise_vec3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
}

// Undoes the turn of a glTF file whose author has z up, as the link's collision shapes show.
static void fit_up_axis(const PoiseSceneLook* look, Mesh* mesh) {
    const double far = (double)INFINITY;
    PoiseVec3 low[2] = {{far, far, far}, {far, far, far}};
    PoiseVec3 high[2] = {{-far, -far, -far}, {-far, -far, -far}};
    const bool boxed = poise_length(poise_sub(look->high, look->low)) > 0.0;
    if (!mesh->y_up || !boxed || look->scale.y == 0.0 || look->scale.z == 0.0) {
        return;
    }
    for (int i = 0; i < mesh->point_count; i++) {
        widen(mesh->points[i], &low[0], &high[0]);
        widen(unturned(mesh->points[i], look->scale), &low[1], &high[1]);
    }
    const bool better = between(low[1], high[1], look) < between(low[0], high[0], look);
    for (int i = 0; i < mesh->point_count && better; i++) {
        mesh->points[i] = unturned(mesh->points[i], look->scale);
    }
}

bool poise_look_read(const PoiseSceneLook* look, PoiseLookMesh* mesh) {
    if (!look || !mesh) {
        return false;
    }
    memset(mesh, 0, sizeof *mesh);
    if (look->hull) {
        mesh->points = look->hull->points;
        mesh->point_count = look->hull->point_count;
        mesh->triangles = look->hull->triangles;
        mesh->triangle_count = look->hull->triangle_count;
        return true;
    }
    Arena* arena = look->mesh && poise__mesh_is_built() ? malloc(sizeof *arena) : NULL;
    if (!arena) {
        return false;
    }
    poise__arena_init(arena, NULL);
    const MeshFile file = {.path = look->mesh, .fence = look->fence, .scale = look->scale};
    const char* why = "";
    Mesh read;
    mesh->memory = arena;
    if (!poise__mesh_read(arena, &file, &read, &why)) {
        poise_look_finish(mesh);
        mesh->seconds = read.seconds;
        return false;
    }
    fit_up_axis(look, &read);
    mesh->points = read.points;
    mesh->point_count = read.point_count;
    mesh->triangles = (const int(*)[3])read.triangles;
    mesh->tints = look->plain ? NULL : read.tints;
    mesh->triangle_count = read.triangle_count;
    mesh->seconds = read.seconds;
    return true;
}

void poise_look_finish(PoiseLookMesh* mesh) {
    if (!mesh) {
        return;
    }
    if (mesh->memory) {
        poise__arena_finish(mesh->memory);
        free(mesh->memory);
    }
    memset(mesh, 0, sizeof *mesh);
}
