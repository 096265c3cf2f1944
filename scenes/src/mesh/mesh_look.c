// SPDX-License-Identifier: MIT
// Reads meshes for drawing only.
#include "poise/look.h"

#include <stdlib.h>
#include <string.h>

#include "mesh.h"

bool poise_look_read(const PoiseSceneLook* look, PoiseLookMesh* mesh) {
    if (!look || !mesh) {
        return false;
    }
    memset(mesh, 0, sizeof *mesh);
    Arena* arena = look->mesh && poise__mesh_is_built() ? malloc(sizeof *arena) : NULL;
    if (!arena) {
        return false;
    }
    poise__arena_init(arena, NULL);
    const MeshFile file = {look->mesh, look->fence, look->scale, NULL};
    const char* why = "";
    Mesh read;
    mesh->memory = arena;
    if (!poise__mesh_read(arena, &file, &read, &why)) {
        poise_look_finish(mesh);
        mesh->seconds = read.seconds;
        return false;
    }
    mesh->points = read.points;
    mesh->point_count = read.point_count;
    mesh->triangles = (const int(*)[3])read.triangles;
    mesh->tints = read.tints;
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
