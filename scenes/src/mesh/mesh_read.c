// SPDX-License-Identifier: MIT
// Reads a mesh by libassimp, in the process that mesh_process.c starts. The content decides the
// format. libassimp sees the mesh under a file name of this format, so that it uses this format's
// reader only.
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "mesh.h"

// The folder in which libassimp sees the mesh, and the other files that the mesh names.
#define FOLDER "/mesh/"

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

typedef struct Place {
    Arena* arena;     ///< fails if memory is short
    const char* mesh; ///< the name under which libassimp sees the mesh, with its folder
    const MeshOpener* opener;
    int shortage;  ///< errno of the first file that the system refused, as in Mesh
    bool material; ///< True once libassimp opened another file than the mesh
} Place;

static struct aiFile* open_file(struct aiFileIO* io, const char* path, const char* mode) {
    Place* place = (Place*)(void*)io->UserData;
    const size_t length = strlen(FOLDER);
    const bool below = strncmp(path, FOLDER, length) == 0 && path[length] && mode[0] == 'r';
    const char* name = !below || strcmp(path, place->mesh) == 0 ? "" : path + length;
    errno = 0;
    FILE* stream = below ? place->opener->ask(place->opener->socket, name) : NULL;
    place->material = place->material || (stream && name[0]);
    if (!stream && place->shortage == 0 && poise__input_is_shortage(errno)) {
        place->shortage = errno;
    }
    struct aiFile* file = stream ? poise__arena_allocate(place->arena, 1, sizeof *file) : NULL;
    if (!file) {
        return NULL; // the stream closes when the process ends
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
        const double y = (double)(mesh->y_up ? -v->z : v->y);
        const double z = (double)(mesh->y_up ? v->y : v->z);
        PoiseVec3 p = poise_vec3(scale.x * (double)v->x, scale.y * y, scale.z * z);
        if (!(poise_length(p) <= MESH_FARTHEST)) {
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

static bool copy_scene(Arena* arena, const struct aiScene* scene, PoiseVec3 scale, Mesh* mesh,
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

// ---------------------------------------------------------------------------------- the format

#define BROKEN "cannot be read: its format is broken, or none of STL, OBJ, DAE, glTF and PLY"
static const char broken[] = BROKEN;

// True if the first line that is no comment begins with a word of OBJ.
static bool is_obj(FILE* file) {
    static const char* const words[] = {"v", "vn", "vt", "vp",     "f",      "o",
                                        "g", "s",  "l",  "mtllib", "usemtl", "usemap"};
    char line[256], word[16];
    bool begins = true; // true at the start of a line, which may be longer than the array
    while (fgets(line, sizeof line, file)) {
        if (begins && line[0] != '#' && sscanf(line, "%15s", word) == 1) {
            for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
                if (strcmp(word, words[i]) == 0) {
                    return true;
                }
            }
            return false;
        }
        begins = strchr(line, '\n') != NULL;
    }
    return false;
}

// True if the length in the head of a binary STL fits the file: 80 bytes, a count, 50 bytes each.
static bool is_binary_stl(FILE* file, const unsigned char* head, size_t got) {
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    const unsigned long long count =
        (unsigned long long)head[80] | (unsigned long long)head[81] << 8 |
        (unsigned long long)head[82] << 16 | (unsigned long long)head[83] << 24;
    return got >= 84 && size >= 84 && 84 + 50 * count <= (unsigned long long)size;
}

// Returns the name, in FOLDER, under which libassimp gets the mesh: its ending is that of the
// format. NULL with `why`.
static const char* detect_format(FILE* file, const char** why) {
    char head[4097] = "";
    const size_t got = fread(head, 1, sizeof head - 1, file);
    const char* text = head + (memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    text += strspn(text, " \t\r\n");
    // Git LFS stores large files elsewhere and leaves a text in their place.
    static const char pointer[] = "version https://git-lfs";
    if (strncmp(text, pointer, sizeof pointer - 1) == 0) {
        *why = "is only where Git LFS keeps it: 'git lfs pull' fetches it";
        return NULL;
    }
    *why = broken;
    if (memcmp(head, "glTF", 4) == 0) {
        return FOLDER "mesh.glb";
    }
    if (text[0] == '{') {
        return FOLDER "mesh.gltf";
    }
    if (strncmp(text, "ply", 3) == 0 && isspace((unsigned char)text[3])) {
        return FOLDER "mesh.ply";
    }
    if (text[0] == '<') {
        return strstr(text, "<COLLADA") ? FOLDER "mesh.dae" : NULL;
    }
    if (strncmp(text, "solid", 5) == 0 || is_binary_stl(file, (const unsigned char*)head, got)) {
        return FOLDER "mesh.stl";
    }
    rewind(file);
    return is_obj(file) ? FOLDER "mesh.obj" : NULL;
}

bool poise__mesh_import(Arena* arena, const MeshFile* source, const MeshOpener* opener, Mesh* mesh,
                        const char** why) {
    memset(mesh, 0, sizeof *mesh);
    Place place = {.arena = arena, .opener = opener};
    FILE* file = opener->ask(opener->socket, "");
    if (!file) {
        mesh->shortage = poise__input_is_shortage(errno) ? errno : 0;
        *why = broken;
        return false;
    }
    if (source->heights) {
        return poise__mesh_read_heights(arena, file, mesh, why);
    }
    place.mesh = detect_format(file, why);
    (void)fclose(file);
    if (!place.mesh) {
        return false;
    }
    struct aiFileIO io = {open_file, close_file, (aiUserData)(void*)&place};
    const struct aiScene* scene = import(place.mesh, &io);
    // A mesh that lacks one of its files would have another shape.
    mesh->shortage = place.shortage;
    if (mesh->shortage) {
        aiReleaseImport(scene);
        return false;
    }
    if (!scene) {
        *why = strstr(place.mesh, ".obj") ? BROKEN "; OBJ: 0.1 is a number, .1 is none" : broken;
        // libassimp's reader reports a refusal of memory.
        arena->failed = arena->failed || strstr(aiGetErrorString(), "bad_alloc");
        return false;
    }
    mesh->y_up = strstr(place.mesh, ".gl") != NULL;
    const bool fine = copy_scene(arena, scene, source->scale, mesh, why);
    aiReleaseImport(scene);
    // Without its .mtl an OBJ has no colours: libassimp then makes up a grey material.
    if (fine && strstr(place.mesh, ".obj") && !place.material) {
        memset(mesh->tints, 0, (size_t)mesh->triangle_count * sizeof *mesh->tints);
    }
    return fine;
}
