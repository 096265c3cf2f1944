// SPDX-License-Identifier: MIT
// Reads the meshes of a robot, each file once.
#define _XOPEN_SOURCE 700
#include <string.h>
#include <sys/stat.h>

#include "urdf.h"

// Most triangles, bytes and processor time (s) of all meshes of a scene.
#define MOST_TRIANGLES 10000000
#define MOST_BYTES     ((size_t)512 * 1024 * 1024)
#define MOST_SECONDS   60.0

// Reports an error if the system lacks resources. A box instead of the mesh would change the
// physics.
static const MeshSolid* fail(UrdfReader* reader, const Element* element, const char* uri,
                             const char* why) {
    poise__diagnose(reader->document->diagnostics, POISE_ERROR, element->mark,
                    "the mesh '%.200s' %s", uri, why);
    return NULL;
}

static const MeshSolid* refuse(UrdfReader* reader, const Element* element, const char* uri,
                               const char* why) {
    poise__diagnose_kind(reader->document->diagnostics, (FindingKind){POISE_WARNING, why},
                         element->mark, "the mesh '%.200s' %s", uri, why);
    return NULL;
}

const char* poise__robot_find_mesh(const UrdfReader* reader, const char* uri, const char** fence) {
    if (!uri) {
        return NULL; // memory is short: the arena has failed
    }
    const char* path = poise__mesh_find(reader->document, uri, fence);
    if (path || !reader->mesh_folder) {
        return path;
    }
    const char* slash = strrchr(uri, '/');
    const char* in_folder = poise__arena_format(reader->document->arena, "%s/%s",
                                                reader->mesh_folder, slash ? slash + 1 : uri);
    return in_folder ? poise__mesh_find(reader->document, in_folder, fence) : NULL;
}

static size_t size_of(const char* path) {
    struct stat about;
    return stat(path, &about) == 0 && about.st_size > 0 ? (size_t)about.st_size : 0;
}

// Returns why no further mesh is read; NULL if the budget allows it.
static const char* refusal_by_budget(const MeshCost* cost, size_t bytes) {
    if (!cost) {
        return "is left out: nothing is asked of meshes here";
    }
    if (cost->triangles >= MOST_TRIANGLES) {
        return "is left out: those before it have 10,000,000 triangles together";
    }
    if (bytes > MOST_BYTES || cost->bytes > MOST_BYTES - bytes) {
        return "is left out: with those before it, it is larger than 512 MB";
    }
    return cost->seconds >= MOST_SECONDS
               ? "is left out: those before it took 60 s of processor time together"
               : NULL;
}

// The convex hull of a file, kept for other scales of it.
typedef struct MeshHull {
    const char* path;
    PoiseVec3 scale;
    Mesh hull;
} MeshHull;

// A larger hull is read again for each scale.
enum { MOST_KEPT_POINTS = 100000 };

// Keeps a copy of the hull. A lack of memory shows in the document's arena.
static void keep_hull(UrdfReader* reader, const MeshFile* file, const Mesh* hull) {
    Arena* arena = reader->document->arena;
    if (hull->point_count > MOST_KEPT_POINTS || file->scale.x == 0.0 || file->scale.y == 0.0 ||
        file->scale.z == 0.0) {
        return;
    }
    MeshHull* hulls = poise__arena_grow(arena, &reader->hulls, reader->hull_count,
                                        &reader->hull_capacity, sizeof *hulls);
    MeshHull kept = {.path = poise__arena_copy(arena, file->path, strlen(file->path)),
                     .scale = file->scale,
                     .hull = *hull};
    kept.hull.points =
        poise__arena_allocate(arena, (size_t)hull->point_count, sizeof *kept.hull.points);
    kept.hull.triangles =
        poise__arena_allocate(arena, (size_t)hull->triangle_count, sizeof *kept.hull.triangles);
    if (hulls && kept.path && kept.hull.points && kept.hull.triangles) {
        memcpy(kept.hull.points, hull->points, (size_t)hull->point_count * sizeof *hull->points);
        memcpy(kept.hull.triangles, hull->triangles,
               (size_t)hull->triangle_count * sizeof *hull->triangles);
        hulls[reader->hull_count++] = kept;
    }
}

// Scales the kept hull of the file, if there is one.
static bool scale_known_hull(const UrdfReader* reader, const MeshFile* file, Arena* arena,
                             Mesh* hull) {
    for (int i = 0; i < reader->hull_count; i++) {
        const MeshHull* kept = &reader->hulls[i];
        if (strcmp(kept->path, file->path) == 0) {
            *hull = kept->hull;
            hull->points =
                poise__arena_allocate(arena, (size_t)hull->point_count, sizeof *hull->points);
            for (int k = 0; hull->points && k < hull->point_count; k++) {
                const PoiseVec3 p = kept->hull.points[k];
                hull->points[k] = poise_vec3(p.x * (file->scale.x / kept->scale.x),
                                             p.y * (file->scale.y / kept->scale.y),
                                             p.z * (file->scale.z / kept->scale.z));
            }
            return hull->points != NULL;
        }
    }
    return false;
}

// Reads the mesh, counts its cost, and computes and keeps its hull. Returns NULL, or why there is
// no hull, with the shortage in `hull`.
static const char* read_hull(UrdfReader* reader, const Element* element, const MeshFile* file,
                             Arena* scratch, Mesh* hull) {
    const char* why = NULL;
    MeshCost* cost = reader->document->mesh_cost;
    Mesh mesh = {.points = NULL};
    const bool read = poise__mesh_read(scratch, file, &mesh, &why);
    cost->triangles += mesh.triangle_count;
    cost->seconds += mesh.seconds;
    if (mesh.unguarded && !cost->unguarded) {
        cost->unguarded = true;
        poise__diagnose(reader->document->diagnostics, POISE_WARNING, element->mark,
                        "meshes are read by a process that has all rights of this one: the build "
                        "or the system has no seccomp");
    }
    if (read) {
        why = poise__mesh_hull(scratch, &mesh, hull);
    } else if (!why) {
        why = ""; // the arena alone says that memory is short
    }
    if (why) {
        *hull = (Mesh){.shortage = mesh.shortage};
    } else {
        keep_hull(reader, file, hull);
    }
    return why;
}

static const MeshSolid* read_solid(UrdfReader* reader, const Element* element, const char* uri,
                                   PoiseVec3 scale) {
    Arena* arena = reader->document->arena;
    // The path is relative to the robot's own file, not to a file that it includes.
    const char* fence;
    const char* path = poise__robot_find_mesh(reader, uri, &fence);
    if (!path && !uri) {
        return NULL;
    }
    if (!path) {
        return refuse(reader, element, uri,
                      reader->document->fence
                          ? "is not found below the scene's folder, and a scene that is not "
                            "trusted reads nothing else"
                          : "is not found: put its package's folder beside the robot or above it, "
                            "or name the folder that it lies in by --packages");
    }
    MeshCost* cost = reader->document->mesh_cost;
    const size_t bytes = size_of(path);
    const char* left_out = refusal_by_budget(cost, bytes);
    if (left_out) {
        return refuse(reader, element, uri, left_out);
    }
    MeshSolid* solid = poise__arena_allocate(arena, 1, sizeof *solid);
    // Memory of the triangles, released at the end of this function.
    Arena scratch;
    poise__arena_init(&scratch, &arena->host);
    const MeshFile file = {path, fence, scale, reader->document->diagnostics};
    Mesh hull = {.points = NULL};
    const bool known = scale_known_hull(reader, &file, &scratch, &hull);
    const char* why = known ? NULL : read_hull(reader, element, &file, &scratch, &hull);
    const bool fine =
        !why && solid &&
        poise__mesh_solid(&scratch, &hull, reader->document->hulls ? arena : NULL, solid, &why);
    cost->bytes += known ? 0 : bytes;
    arena->failed = arena->failed || scratch.failed;
    if (!fine && !arena->failed) {
        (hull.shortage ? fail : refuse)(reader, element, uri, why);
    }
    poise__arena_finish(&scratch);
    return fine ? solid : NULL;
}

const MeshSolid* poise__robot_mesh(UrdfReader* reader, const Element* element, const char* uri,
                                   PoiseVec3 scale) {
    Arena* arena = reader->document->arena;
    const char* name = poise__arena_format(arena, "%.17g %.17g %.17g %s %s", scale.x, scale.y,
                                           scale.z, reader->document->file, uri);
    reader->mesh_names.arena = arena;
    int known = name ? poise__names_find(&reader->mesh_names, name) : -1;
    if (known >= 0) {
        return reader->meshes[known];
    }
    const MeshSolid** meshes = poise__arena_grow(arena, &reader->meshes, reader->mesh_count,
                                                 &reader->mesh_capacity, sizeof *meshes);
    if (!name || !meshes || !poise__names_add(&reader->mesh_names, name, reader->mesh_count)) {
        return NULL;
    }
    meshes[reader->mesh_count] = read_solid(reader, element, uri, scale);
    return meshes[reader->mesh_count++];
}
