// SPDX-License-Identifier: MIT
// Reads meshes of all formats by libassimp. It sees only regular files below the mesh's own folder.
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "mesh.h"

// Largest distance of a point, m. A point farther out is a broken number.
#define FARTHEST 1e5

// ----------------------------------------------------------------------- the files that it may see

static size_t read_bytes(struct aiFile* file, char* bytes, size_t size, size_t count) {
    return fread(bytes, size, count, (FILE*)(void*)file->UserData);
}

static size_t write_nothing(struct aiFile* file, const char* bytes, size_t size, size_t count) {
    (void)file;
    (void)bytes;
    (void)size;
    (void)count;
    return 0;
}

static size_t tell(struct aiFile* file) {
    long at = ftell((FILE*)(void*)file->UserData);
    return at < 0 ? 0 : (size_t)at;
}

static enum aiReturn seek(struct aiFile* file, size_t offset, enum aiOrigin origin) {
    int from = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
    bool fine =
        offset <= MESH_MOST_BYTES && fseek((FILE*)(void*)file->UserData, (long)offset, from) == 0;
    return fine ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static size_t size_of_file(struct aiFile* file) {
    FILE* stream = (FILE*)(void*)file->UserData;
    long at = ftell(stream);
    long end = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    bool back = at >= 0 && fseek(stream, at, SEEK_SET) == 0;
    return back && end >= 0 && (size_t)end <= MESH_MOST_BYTES ? (size_t)end : 0;
}

static void flush_nothing(struct aiFile* file) {
    (void)file;
}

// The files that a mesh may read.
typedef struct Place {
    const char* folder; ///< the mesh's own folder
    const char* fence;
    Arena* arena; ///< its `failed` is set when memory is short
    int shortage; ///< errno of the first refusal, as in Mesh
} Place;

// Opens regular files below the mesh's folder only. A path with .. is refused.
static struct aiFile* open_file(struct aiFileIO* io, const char* path, const char* mode) {
    Place* place = (Place*)(void*)io->UserData;
    size_t length = strlen(place->folder);
    bool below = strncmp(path, place->folder, length) == 0 && path[length] != '/' &&
                 !strstr(path + length, "..") &&
                 poise__input_is_inside(place->fence, path + length, path);
    const char* why = NULL;
    errno = 0;
    FILE* stream =
        below && mode[0] == 'r' ? poise__input_open(path, INPUT_MESH, false, NULL, &why) : NULL;
    if (!stream && place->shortage == 0 && poise__input_is_shortage(errno)) {
        place->shortage = errno;
    }
    struct aiFile* file = stream ? poise__arena_allocate(place->arena, 1, sizeof *file) : NULL;
    if (!file) {
        return NULL; // the stream is closed when the process ends
    }
    file->ReadProc = read_bytes;
    file->WriteProc = write_nothing;
    file->TellProc = tell;
    file->FileSizeProc = size_of_file;
    file->SeekProc = seek;
    file->FlushProc = flush_nothing;
    file->UserData = (aiUserData)(void*)stream;
    return file;
}

static void close_file(struct aiFileIO* io, struct aiFile* file) {
    (void)io;
    (void)fclose((FILE*)(void*)file->UserData);
}

// ----------------------------------------------------------------------------------- the triangles

static bool add_points(const struct aiMesh* part, PoiseVec3 scale, Mesh* mesh) {
    for (unsigned i = 0; i < part->mNumVertices; i++) {
        const struct aiVector3D* v = &part->mVertices[i];
        PoiseVec3 p =
            poise_vec3(scale.x * (double)v->x, scale.y * (double)v->y, scale.z * (double)v->z);
        if (!(poise_length(p) <= FARTHEST)) {
            return false;
        }
        mesh->points[mesh->point_count++] = p;
    }
    return true;
}

static uint32_t byte_of(float part) {
    return part > 0.0f ? part < 1.0f ? (uint32_t)(255.0f * part + 0.5f) : 255u : 0u;
}

/// Returns the diffuse colour of a part's material; 0 if the file gives none.
static uint32_t tint_of(const struct aiScene* scene, const struct aiMesh* part) {
    struct aiColor4D c;
    struct aiString name;
    if (part->mMaterialIndex >= scene->mNumMaterials) {
        return 0;
    }
    const struct aiMaterial* material = scene->mMaterials[part->mMaterialIndex];
    // libassimp uses this name for the material that it adds if the file has none.
    if (aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS &&
        strcmp(name.data, AI_DEFAULT_MATERIAL_NAME) == 0) {
        return 0;
    }
    if (aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &c) != aiReturn_SUCCESS) {
        return 0;
    }
    return byte_of(c.r) << 24 | byte_of(c.g) << 16 | byte_of(c.b) << 8 | 255u;
}

static void add_triangles(const struct aiMesh* part, int first, uint32_t tint, Mesh* mesh) {
    for (unsigned i = 0; i < part->mNumFaces; i++) {
        const struct aiFace* face = &part->mFaces[i];
        bool inside = face->mNumIndices == 3;
        for (unsigned k = 0; inside && k < 3; k++) {
            inside = face->mIndices[k] < part->mNumVertices;
        }
        if (inside) {
            mesh->tints[mesh->triangle_count] = tint;
            int* corners = mesh->triangles[mesh->triangle_count++];
            for (int k = 0; k < 3; k++) {
                corners[k] = first + (int)face->mIndices[k];
            }
        }
    }
}

static bool take_scene(Arena* arena, const struct aiScene* scene, PoiseVec3 scale, Mesh* mesh,
                       const char** why) {
    size_t points = 0, triangles = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        points += scene->mMeshes[i]->mNumVertices;
        triangles += scene->mMeshes[i]->mNumFaces;
    }
    *why = triangles == 0 ? "holds no triangles" : "holds more than 2,000,000 triangles";
    if (triangles == 0 || triangles > MESH_MOST_TRIANGLES || points > 3 * MESH_MOST_TRIANGLES) {
        return false;
    }
    mesh->points = poise__arena_allocate(arena, points, sizeof *mesh->points);
    mesh->triangles = poise__arena_allocate(arena, triangles, sizeof *mesh->triangles);
    mesh->tints = poise__arena_allocate(arena, triangles, sizeof *mesh->tints);
    *why = "has a point that is no number, or farther out than 1e5 m";
    bool fine = !arena->failed;
    for (unsigned i = 0; fine && i < scene->mNumMeshes; i++) {
        int first = mesh->point_count;
        fine = add_points(scene->mMeshes[i], scale, mesh);
        add_triangles(scene->mMeshes[i], first, tint_of(scene, scene->mMeshes[i]), mesh);
    }
    return fine;
}

static const struct aiScene* import(const char* path, struct aiFileIO* io) {
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    // Ignores the up axis of .dae files, as RViz and MoveIt do; otherwise their meshes lie on their
    // side.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const struct aiScene* scene =
        aiImportFileExWithProperties(path,
                                     aiProcess_Triangulate | aiProcess_JoinIdenticalVertices |
                                         aiProcess_PreTransformVertices | aiProcess_SortByPType,
                                     io, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

// True if the file is a pointer of Git LFS: a text in place of the large file.
static bool is_pointer(const char* path) {
    static const char first[] = "version https://git-lfs";
    char bytes[sizeof first - 1] = {0};
    const char* why = NULL;
    FILE* file = poise__input_open(path, INPUT_MESH, false, NULL, &why);
    const bool read = file && fread(bytes, sizeof bytes, 1, file) == 1;
    if (file) {
        (void)fclose(file);
    }
    return read && memcmp(bytes, first, sizeof bytes) == 0;
}

bool poise__mesh_import(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why) {
    memset(mesh, 0, sizeof *mesh);
    const char* path = file->path;
    const char* slash = strrchr(path, '/');
    Place place = {poise__arena_copy(arena, path, slash ? (size_t)(slash - path) + 1 : 0),
                   file->fence, arena, 0};
    if (!place.folder) {
        return false;
    }
    struct aiFileIO io = {open_file, close_file, (aiUserData)(void*)&place};
    const struct aiScene* scene = import(path, &io);
    // A mesh that was read without one of its files is incomplete.
    mesh->shortage = place.shortage;
    if (mesh->shortage) {
        aiReleaseImport(scene);
        return false;
    }
    *why = "cannot be read: its format is broken, or none of STL, OBJ, DAE, glTF and PLY";
    if (!scene && is_pointer(path)) {
        *why = "is only where Git LFS keeps it: 'git lfs pull' fetches it";
    }
    if (!scene) {
        // the reader's message when memory is short
        arena->failed = arena->failed || strstr(aiGetErrorString(), "bad_alloc");
        return false;
    }
    const bool fine = take_scene(arena, scene, file->scale, mesh, why);
    aiReleaseImport(scene);
    return fine;
}
