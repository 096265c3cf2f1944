// SPDX-License-Identifier: MIT
// Triangle meshes of robots: found, read, and made what a body weighs and touches by.
#ifndef POISE_MESH_H
#define POISE_MESH_H

#include <stdbool.h>
#include <stdio.h>

#include "arena.h"
#include "document.h"
#include "inertia.h"

/// Points and the triangles between them, m, in the mesh's own frame.
typedef struct Mesh {
    PoiseVec3* points;
    int point_count;
    int (*triangles)[3];
    int triangle_count;
    /// 0xrrggbbaa of each triangle, sRGB, 0: not said; NULL: of none.
    uint32_t* tints;
    /// What reading it took, s of processor time; of one that could not be read, too.
    double seconds;
    /// Where the system refused a descriptor, a process or memory: its errno, and nothing is known
    /// of the file. 0: it did not.
    int shortage;
    /// True if the system could not shut in the process that read it.
    bool unguarded;
} Mesh;

/// What a mesh is to a physics engine.
typedef struct MeshSolid {
    /// Its convex hull, filled with density 1.
    MassProperties hull;
    /// What it touches as: the primitive round the hull that holds the least volume, or the hull.
    PoiseSceneShape shape;
} MeshSolid;

// a mesh of more than this is no part of a robot
#define MESH_MOST_BYTES     ((size_t)64 * 1024 * 1024)
#define MESH_MOST_TRIANGLES 2000000
// m; a point farther from the origin is a broken number
#define MESH_FARTHEST 1e5
// a hull that touches has at most so many corners: each costs time in each step
#define MESH_MOST_CORNERS 256

/// Whether this build reads meshes at all.
bool poise__mesh_is_built(void);

/// The file that `uri` names in the robot's file: package://NAME/PATH, file://PATH, or a path
/// from the robot's folder. A package is looked for in the document's folders of packages, then
/// upward from the robot: a folder of its name, or one whose package.xml names it. NULL: there is
/// none that the robot may name. `fence` gets what MeshFile has by that name.
const char* poise__mesh_find(const Document* robot, const char* uri, const char** fence);

/// A mesh to read.
typedef struct MeshFile {
    const char* path;
    /// What Document has by that name: parts of the mesh must lie below it, too.
    const char* fence;
    /// Of each axis.
    PoiseVec3 scale;
    /// Gets it among the files that were read; NULL: none does.
    PoiseDiagnostics* read;
} MeshFile;

/// Reads the triangles of an STL, OBJ, DAE, glTF or PLY file, told by its content. A process of its
/// own reads it, with bounds on memory (1.5 GB) and processor time (2 s, and 1 s more for each
/// 4 MB); the process opens no file and reaches no network. Returns false with `why`, which ends
/// the sentence "the mesh ...", or the arena says that memory is short; everything of the mesh but
/// the time and the shortage is then empty.
bool poise__mesh_read(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why);

// Parts of the process that reads.

/// Reads the mesh in this process, which a broken file may end. poise__mesh_ask opens the files.
bool poise__mesh_import(Arena* arena, PoiseVec3 scale, int socket, Mesh* mesh, const char** why);
/// Asks the program at the other end of the socket for the file that the mesh names as `name`; "":
/// the mesh itself. NULL with errno.
FILE* poise__mesh_ask(int socket, const char* name);
typedef enum ShutIn { SHUT_IN, SHUT_IN_NO_MEMORY, SHUT_IN_IMPOSSIBLE } ShutIn;
/// Takes every right from this process but memory, its open files, and writing to the socket.
/// SHUT_IN_IMPOSSIBLE: the build or the system has no seccomp. Under AddressSanitizer nothing is
/// taken, and SHUT_IN returned: the sanitizer's report needs files.
ShutIn poise__mesh_shut_in(int socket);

/// What the mesh weighs and touches by. False with `why`: it has no volume. `keep` gets the hull
/// that it touches as, of at most MESH_MOST_CORNERS points; NULL: it touches as a primitive.
bool poise__mesh_solid(Arena* arena, const Mesh* mesh, Arena* keep, MeshSolid* solid,
                       const char** why);

// Parts of it.

/// The convex hull: the mesh's points that are its corners, and triangles between them. NULL,
/// or why there is none: the points lie in a plane, or memory is short, as the arena says.
const char* poise__mesh_hull(Arena* arena, const Mesh* mesh, Mesh* hull);
/// Density 1 between the triangles and a point: exact where they are all seen from it from inside.
MassProperties poise__mesh_mass(const Mesh* mesh, PoiseVec3 apex);
/// The hull as a shape, in memory of `keep`: of more than MESH_MOST_CORNERS corners those that are
/// the farthest out in as many directions, spread evenly. False when memory is short.
bool poise__mesh_shape(Arena* arena, const Mesh* hull, Arena* keep, PoiseSceneShape* shape);
/// The box, capsule, cylinder or ball round all points that holds the least volume, turned as the
/// principal axes of `mass` or as the mesh itself.
PoiseSceneShape poise__mesh_fit(const Mesh* hull, const MassProperties* mass);

#endif
