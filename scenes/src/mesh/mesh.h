// SPDX-License-Identifier: MIT
// Triangle meshes of robots: finds and reads them, and computes their mass and collision shapes.
#ifndef POISE_MESH_H
#define POISE_MESH_H

#include <stdbool.h>
#include <stdio.h>

#include "arena.h"
#include "digest.h"
#include "document.h"
#include "inertia.h"

// Largest number of files that a mesh may name, and largest size of a name with its closing 0.
enum { MESH_MOST_PARTS = 64, MESH_LONGEST_NAME = 1000 };

/// A further file that a mesh names, such as its materials.
typedef struct MeshPart {
    char name[MESH_LONGEST_NAME];
    /// Digest of the file's bytes; of 0 bytes if the file was not opened.
    unsigned char digest[DIGEST_SIZE];
} MeshPart;

/// Points, m, in the mesh's own frame, and triangles between them.
typedef struct Mesh {
    PoiseVec3* points;
    int point_count;
    int (*triangles)[3];
    int triangle_count;
    /// Colour of each triangle, 0xrrggbbaa, sRGB; 0: the file gives none. NULL: no triangle has
    /// one.
    uint32_t* tints;
    /// Processor time of reading the mesh, s. It is set even if reading failed.
    double seconds;
    /// The errno by which the system refused a descriptor, a process or memory; the mesh file
    /// itself may then be valid. 0: no refusal.
    int shortage;
    /// True if the system could not isolate the process that read the mesh.
    bool unguarded;
    /// Files that the mesh names, in the order of reading. If there are more than MESH_MOST_PARTS,
    /// `part_count` is right but the list is incomplete.
    MeshPart* parts;
    int part_count;
    int part_capacity;
    /// True if the file's y axis points up (glTF). The points are rotated so that z points up.
    bool y_up;
} Mesh;

/// The properties of a mesh that the physics uses.
typedef struct MeshSummary {
    Mesh hull; ///< the convex hull: its corners and triangles
    /// Mass properties at density 1. They belong to the volume that the triangles enclose, or to
    /// the hull if the triangles enclose no volume.
    MassProperties mass;
    int file_triangles; ///< number of triangles of the file
    double margin;      ///< margin of the primitive that fits the hull, m; below 0: not computed
} MeshSummary;

/// The mesh as a physics engine uses it.
typedef struct MeshSolid {
    /// Mass properties, density 1, as in MeshSummary.
    MassProperties mass;
    /// The collision shape: the primitive of least volume around the hull, or the hull.
    PoiseSceneShape shape;
} MeshSolid;

// Largest mesh that is read: bytes and triangles. Meshes of robots are smaller.
#define MESH_MOST_BYTES     ((size_t)64 * 1024 * 1024)
#define MESH_MOST_TRIANGLES 2000000
// Largest distance of a mesh's point from the origin, m; beyond it the file is refused.
#define MESH_FARTHEST 1e5
// Largest number of points of a height field, and largest elevation in its file.
#define MESH_MOST_HEIGHTS 1000000
#define MESH_HIGHEST      1e4
// Largest number of corners of a hull that collides: each corner costs time in each step.
#define MESH_MOST_CORNERS 256

/// True if this build reads meshes.
bool poise__mesh_is_built(void);

/// Returns the path of the file that `uri` names in the robot's file: package://NAME/PATH,
/// file://PATH, or a path from the robot's folder. A package is searched in the document's package
/// folders, then upward from the robot. It is a folder of its name, or a folder whose package.xml
/// has its name. Returns NULL if there is no such file, or the robot may not name it. `fence` gets
/// the folder that the mesh's own parts must lie in (MeshFile.fence).
const char* poise__mesh_find(const Document* robot, const char* uri, const char** fence);

/// A mesh to read: its file, and how to read the file.
typedef struct MeshFile {
    const char* path;
    /// Folder that parts of the mesh must lie in, as in Document; NULL: any.
    const char* fence;
    /// Factors by which the points are scaled along x, y and z.
    PoiseVec3 scale;
    /// List of read files, to which this file is added; NULL: not recorded.
    PoiseDiagnostics* read;
    /// True if the file is a height field, and no mesh.
    bool heights;
} MeshFile;

/// Reads the triangles of an STL, OBJ, DAE, glTF or PLY file; the content decides the format. A
/// separate process reads the file, with bounds on memory (1.5 GB) and processor time (2 s, and 1 s
/// more for each 4 MB). This process opens no file and has no network access. Returns false with
/// `why`, which ends the sentence "the mesh ...", or the arena records that memory is short. After
/// a failure only `seconds` and `shortage` are set.
bool poise__mesh_read(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why);

// Functions of the process that reads a mesh.

/// How a reader of a mesh opens the files that the mesh names.
typedef struct MeshOpener {
    int socket; ///< connection to the program
    /// Asks the program for the file that the mesh names as `name`; "": the mesh itself. NULL with
    /// errno.
    FILE* (*ask)(int socket, const char* name);
} MeshOpener;
/// Reads the mesh in this process, which a broken file may end. Reads only a height field if `file`
/// says that it is one.
bool poise__mesh_import(Arena* arena, const MeshFile* file, const MeshOpener* opener, Mesh* mesh,
                        const char** why);
/// Reads the points of a height field: column, row, elevation. Rows begin at the least y.
bool poise__mesh_read_heights(Arena* arena, FILE* file, Mesh* mesh, const char** why);
typedef enum ShutIn { SHUT_IN, SHUT_IN_NO_MEMORY, SHUT_IN_IMPOSSIBLE } ShutIn;
/// Forbids this process all system calls except those for memory, for its open files, and for
/// writing to the socket. Returns SHUT_IN_IMPOSSIBLE if the build or the system has no seccomp.
/// Under AddressSanitizer, which needs files for its report, forbids nothing and returns SHUT_IN.
ShutIn poise__mesh_shut_in(int socket);

/// Opens a file that a mesh names, if the robot may name it; NULL with errno. "": the mesh itself.
FILE* poise__mesh_open_part(Arena* arena, const MeshFile* file, const char* name);

/// Computes the hull and the mass of a mesh. Returns NULL, or why it has no volume.
const char* poise__mesh_summarize(Arena* arena, const Mesh* mesh, MeshSummary* summary);
/// Scales the summary by a factor along each axis. `hull` gets new points.
bool poise__mesh_stretch(Arena* arena, MeshSummary* summary, PoiseVec3 factor);
/// Computes mass and collision shape of a summary. Returns false and `why` if the hull has no
/// volume. `keep` gets the hull for collision, with at most MESH_MOST_CORNERS points; NULL: a
/// primitive collides.
bool poise__mesh_solid(Arena* arena, const MeshSummary* summary, Arena* keep, MeshSolid* solid,
                       const char** why);
/// Computes the convex hull: its corners and triangles. Returns NULL, or why there is no hull: the
/// points lie in a plane, or memory is short (the arena has failed).
const char* poise__mesh_hull(Arena* arena, const Mesh* mesh, Mesh* hull);
/// Mass properties, with density 1, of the solid between the triangles and the point `apex`. Exact
/// if the apex sees the inner side of every triangle.
MassProperties poise__mesh_mass(const Mesh* mesh, PoiseVec3 apex);
/// Stores the hull as a collision shape, in memory of `keep`. If the hull has more than
/// MESH_MOST_CORNERS corners, keeps the farthest corner in each of that many evenly spread
/// directions. Returns false when memory is short.
bool poise__mesh_shape(Arena* arena, const Mesh* hull, Arena* keep, PoiseSceneShape* shape);
/// Returns the box, capsule, cylinder or ball of least volume around all points. Its axes are the
/// principal axes of `mass`, or the mesh's own.
PoiseSceneShape poise__mesh_fit(const Mesh* hull, const MassProperties* mass);
/// Returns the margin of a primitive around the hull, m: the largest distance of its surface from
/// the hull. Uses at most 256 corners of the hull; fewer corners give a larger margin. The relative
/// error of round shapes is below 1 %. 0 when memory is short.
double poise__mesh_margin(Arena* arena, const Mesh* hull, const PoiseSceneShape* shape);

// The cache stores the hulls and masses of meshes, so that a second import need not read the files.
// An entry's name is the digest of the mesh file, its scale and the libraries' versions: a changed
// file has another entry. An entry is valid only if this user owns it, no other user may write it,
// and its digest is right. If there is no valid entry the mesh is read, with the same result.

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
