// SPDX-License-Identifier: MIT
// Keeps what the physics needs of mesh files, so that a second import need not read them. An entry
// is named by the digest of the mesh file, its scale and the libraries' versions: a changed file
// has another entry. A file in the cache counts only if it belongs to this user, nobody else may
// write it, and its own digest fits. Without an entry the mesh is read, with the same result.
#ifndef POISE_MESH_CACHE_H
#define POISE_MESH_CACHE_H

#include "digest.h"
#include "mesh.h"

/// The place of a mesh in the cache.
typedef struct MeshSlot {
    const char* folder; ///< NULL: the mesh is not kept
    char name[2 * DIGEST_SIZE + 1];
} MeshSlot;

/// Returns the folder $XDG_CACHE_HOME/poise/meshes (default ~/.cache); NULL without a home, or when
/// memory is short.
const char* poise__mesh_cache_folder(Arena* arena);
/// Finds the mesh's place in the folder, and reads its entry. The mesh's file and the files that
/// the mesh names are recorded as read. Returns false if there is no valid entry.
bool poise__mesh_cache_read(Arena* arena, const char* folder, const MeshFile* file, MeshSlot* slot,
                            MeshSummary* summary);
/// Writes an entry. Does nothing if that fails: the cache is read-only, full, or not this user's.
void poise__mesh_cache_write(const MeshSlot* slot, const Mesh* mesh, const MeshSummary* summary);

#endif
