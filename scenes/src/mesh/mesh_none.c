// SPDX-License-Identifier: MIT
// Replaces the reader of meshes in builds without libassimp or qhull: refuses every mesh.
#include "mesh.h"

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
