// SPDX-License-Identifier: MIT
// Reads the meshes of a robot, each file once.
#define _XOPEN_SOURCE 700
#include <string.h>
#include <sys/stat.h>

#include "robot.h"

// Largest number of triangles, of bytes and of seconds of processor time of all meshes of a scene.
#define MAX_MESH_TRIANGLES 10000000
#define MAX_MESH_BYTES     ((size_t)512 * 1024 * 1024)
#define MAX_MESH_SECONDS   60.0

// Reports why a mesh is not read: an error if the system lacks resources, since a box instead of
// the mesh would change the physics.
static void refuse(const RobotReader* reader, const Element* element, const char* uri,
                   const char* why, PoiseSeverity severity) {
    poise__diagnose_kind(reader->document->diagnostics, (FindingKind){severity, why}, element->mark,
                         "the %s '%.200s' %s",
                         poise__tag_is(element, "hfield") ? "height field" : "mesh", uri, why);
}

const char* poise__robot_find_mesh(const RobotReader* reader, const char* uri, const char** fence) {
    if (!uri) {
        return NULL; // The arena lacked memory, and records that.
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
    if (cost->triangles >= MAX_MESH_TRIANGLES) {
        return "is left out: those before it have 10,000,000 triangles together";
    }
    if (bytes > MAX_MESH_BYTES || cost->bytes > MAX_MESH_BYTES - bytes) {
        return "is left out: with those before it, it is larger than 512 MB";
    }
    return cost->seconds >= MAX_MESH_SECONDS
               ? "is left out: those before it took 60 s of processor time together"
               : NULL;
}

// A mesh, and the element that names it.
typedef struct MeshSource {
    const Element* element;
    MeshFile file;
} MeshSource;

// The summary of a file, kept to compute summaries at other scales without reading the file again.
typedef struct MeshHull {
    const char* path;
    PoiseVec3 scale;
    MeshSummary summary;
} MeshHull;

// Largest number of points of a summary that is kept in memory. The file of a larger hull is read
// again for each scale.
enum { MAX_KEPT_POINTS = 100000 };

// Keeps a copy of the summary. When memory is short the document's arena records the failure.
static void keep_summary(RobotReader* reader, const MeshFile* file, const MeshSummary* summary) {
    Arena* arena = reader->document->arena;
    const Mesh* hull = &summary->hull;
    if (hull->point_count > MAX_KEPT_POINTS || file->scale.x == 0.0 || file->scale.y == 0.0 ||
        file->scale.z == 0.0) {
        return;
    }
    MeshHull kept = {.path = poise__arena_copy(arena, file->path, strlen(file->path)),
                     .scale = file->scale,
                     .summary = *summary};
    Mesh* own = &kept.summary.hull;
    own->points = poise__arena_allocate(arena, (size_t)hull->point_count, sizeof *own->points);
    own->triangles =
        poise__arena_allocate(arena, (size_t)hull->triangle_count, sizeof *own->triangles);
    if (kept.path && own->points && own->triangles && ARENA_GROW(arena, reader, hulls, hull)) {
        memcpy(own->points, hull->points, (size_t)hull->point_count * sizeof *hull->points);
        memcpy(own->triangles, hull->triangles,
               (size_t)hull->triangle_count * sizeof *hull->triangles);
        reader->hulls[reader->hull_count++] = kept;
    }
}

// Computes the summary of the mesh from the kept summary of its file. Returns false if none is
// kept.
static bool scale_known(const RobotReader* reader, const MeshFile* file, Arena* arena,
                        MeshSummary* summary) {
    for (int i = 0; i < reader->hull_count; i++) {
        const MeshHull* kept = &reader->hulls[i];
        if (strcmp(kept->path, file->path) == 0) {
            *summary = kept->summary;
            return poise__mesh_stretch(arena, summary,
                                       poise_vec3(file->scale.x / kept->scale.x,
                                                  file->scale.y / kept->scale.y,
                                                  file->scale.z / kept->scale.z));
        }
    }
    return false;
}

// Warns, once for all meshes, if the system could not isolate the process that read the mesh.
static void warn_unguarded(const RobotReader* reader, const Element* element, const Mesh* mesh) {
    MeshCost* cost = reader->document->mesh_cost;
    if (mesh->unguarded && !cost->unguarded) {
        cost->unguarded = true;
        WARN(reader->document, element->mark,
             "meshes are read by a process that has all rights of this one: the build "
             "or the system has no seccomp");
    }
}

// Reads the mesh in a process of its own, and adds its cost to the scene's. Returns NULL, or why
// there is no summary; summary->hull.shortage is then set if the system lacks resources.
static const char* read_file(RobotReader* reader, const MeshSource* source, const MeshSlot* slot,
                             Arena* scratch, MeshSummary* summary) {
    const char* why = NULL;
    MeshCost* cost = reader->document->mesh_cost;
    Mesh mesh = {.points = NULL};
    const bool read = poise__mesh_read(scratch, &source->file, &mesh, &why);
    cost->seconds += mesh.seconds;
    warn_unguarded(reader, source->element, &mesh);
    if (read) {
        why = poise__mesh_summarize(scratch, &mesh, summary);
    } else if (!why) {
        why = ""; // "": only the arena records that memory is short
    }
    summary->file_triangles = mesh.triangle_count;
    if (!why) {
        poise__mesh_cache_write(slot, &mesh, summary);
    } else {
        summary->hull = (Mesh){.shortage = mesh.shortage};
    }
    return why;
}

// Reads the mesh's summary from the cache, or computes it from the file.
static const char* read_summary(RobotReader* reader, const MeshSource* source, Arena* scratch,
                                MeshSummary* summary) {
    MeshSlot slot;
    const char* why = NULL;
    if (!poise__mesh_cache_read(scratch, reader->document->mesh_cache, &source->file, &slot,
                                summary)) {
        *summary = (MeshSummary){.file_triangles = 0};
        why = read_file(reader, source, &slot, scratch, summary);
    }
    reader->document->mesh_cost->triangles += summary->file_triangles;
    if (!why) {
        keep_summary(reader, &source->file, summary);
    }
    return why;
}

// Finds the file that `uri` names. Returns false with a warning if it is missing or the files
// before used up the budget; false without a warning if meshes are not read or memory is short.
static bool find_within_budget(const RobotReader* reader, const char* uri, MeshSource* source) {
    const Document* document = reader->document;
    if (!document->mesh_cost || !uri) {
        return false;
    }
    // The path is relative to the robot's own file, not to a file that it includes.
    MeshFile* file = &source->file;
    file->path = poise__robot_find_mesh(reader, uri, &file->fence);
    file->read = document->diagnostics;
    const char* why =
        file->path ? refusal_by_budget(document->mesh_cost, size_of(file->path))
        : document->fence
            ? "is not found below the scene's folder, and a scene that is not trusted reads "
              "nothing "
              "else"
            : "is not found: put its package's folder beside the robot or above it, or name the "
              "folder that it lies in by --packages";
    if (why) {
        refuse(reader, source->element, uri, why, POISE_WARNING);
    }
    return !why;
}

bool poise__robot_heights(RobotReader* reader, const Element* element, const char* uri,
                          Mesh* mesh) {
    Arena* arena = reader->document->arena;
    MeshSource source = {.element = element, .file = {.heights = true}};
    const char* why = NULL;
    if (!find_within_budget(reader, uri, &source)) {
        return false;
    }
    const bool read = poise__mesh_read(arena, &source.file, mesh, &why);
    warn_unguarded(reader, element, mesh);
    MeshCost* cost = reader->document->mesh_cost;
    cost->seconds += mesh->seconds;
    cost->bytes += size_of(source.file.path);
    // A broken file may control its reader, so the points must be checked to form a complete grid.
    const int count = read ? mesh->point_count : 0;
    const PoiseVec3 last = count > 0 ? mesh->points[count - 1] : poise_vec3(0.0, 0.0, 0.0);
    bool whole = last.x >= 1.0 && last.y >= 1.0 && (last.x + 1.0) * (last.y + 1.0) == (double)count;
    for (int i = 0; whole && i < count; i++) {
        const int columns = (int)last.x + 1;
        whole = mesh->points[i].x == i % columns && mesh->points[i].y == i / columns;
    }
    if (!whole && why && !arena->failed) {
        refuse(reader, element, uri, why, mesh->shortage ? POISE_ERROR : POISE_WARNING);
    }
    return whole;
}

static const MeshSolid* read_solid(RobotReader* reader, const Element* element, const char* uri,
                                   PoiseVec3 scale) {
    Arena* arena = reader->document->arena;
    MeshSource source = {.element = element, .file = {.scale = scale}};
    if (!find_within_budget(reader, uri, &source)) {
        return NULL;
    }
    MeshSolid* solid = poise__arena_allocate(arena, 1, sizeof *solid);
    // Memory of the triangles, released at the end of this function.
    Arena scratch;
    poise__arena_init(&scratch, &arena->host);
    MeshSummary summary = {.file_triangles = 0};
    const bool known = scale_known(reader, &source.file, &scratch, &summary);
    const char* why = known ? NULL : read_summary(reader, &source, &scratch, &summary);
    const bool fine =
        !why && solid &&
        poise__mesh_solid(&scratch, &summary, reader->document->hulls ? arena : NULL, solid, &why);
    reader->document->mesh_cost->bytes += known ? 0 : size_of(source.file.path);
    arena->failed = arena->failed || scratch.failed;
    if (!fine && !arena->failed) {
        refuse(reader, element, uri, why, summary.hull.shortage ? POISE_ERROR : POISE_WARNING);
    }
    poise__arena_finish(&scratch);
    return fine ? solid : NULL;
}

const MeshSolid* poise__robot_mesh(RobotReader* reader, const Element* element, const char* uri,
                                   PoiseVec3 scale) {
    Arena* arena = reader->document->arena;
    const char* name = poise__arena_format(arena, "%.17g %.17g %.17g %s %s", scale.x, scale.y,
                                           scale.z, reader->document->file, uri);
    reader->mesh_names.arena = arena;
    int known = name ? poise__names_find(&reader->mesh_names, name) : -1;
    if (known >= 0) {
        return reader->meshes[known];
    }
    if (!name || !ARENA_GROW(arena, reader, meshes, mesh) ||
        !poise__names_add(&reader->mesh_names, name, reader->mesh_count)) {
        return NULL;
    }
    reader->meshes[reader->mesh_count] = read_solid(reader, element, uri, scale);
    return reader->meshes[reader->mesh_count++];
}

void poise__robot_add_look(RobotReader* reader, RobotLink* link, const PoiseSceneLook* look,
                           const char* uri) {
    const char* fence = NULL;
    const char* path = poise__robot_find_mesh(reader, uri, &fence);
    if (path) {
        PoiseSceneLook* added = &link->looks[link->look_count++];
        *added = *look;
        added->mesh = path;
        added->fence = fence;
        // The mesh is read later, when the robot is drawn. No output may replace the file until
        // then.
        poise_diagnostics_add_file(reader->diagnostics, path);
    }
}
