// SPDX-License-Identifier: MIT
// Replaces the cache of meshes in builds that read no meshes, and in the web page without a disk.
#include "mesh.h"

bool poise__mesh_cache_read(Arena* arena, const char* folder, const MeshFile* file, MeshSlot* slot,
                            MeshSummary* summary) {
    (void)arena;
    (void)folder;
    (void)file;
    (void)slot;
    (void)summary;
    return false;
}

void poise__mesh_cache_write(const MeshSlot* slot, const Mesh* mesh, const MeshSummary* summary) {
    (void)slot;
    (void)mesh;
    (void)summary;
}

const char* poise__mesh_cache_folder(Arena* arena) {
    (void)arena;
    return NULL;
}
