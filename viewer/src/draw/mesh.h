// SPDX-License-Identifier: MIT
// The few meshes of which all pictures consist. A vertex is at
//     core * instance core + normal * instance shell
// in the instance's frame. Thus one capsule mesh serves every length, one box mesh serves every
// rounding of edges, and normals need no correction. A vertex of an arc has its fraction of the
// sweep, 0..1, in core.x. Its normal is that at the start of the arc, which lies on x. The shader
// rotates both about z by that fraction of the instance's sweep.
#ifndef POISE_MESH_H
#define POISE_MESH_H

#include "poise/base.h"

typedef enum PoiseMeshKind {
    POISE_MESH_BOX = 0,   ///< core: half sides minus the shell
    POISE_MESH_BALL,      ///< core: 0, shell: radius
    POISE_MESH_CAPSULE,   ///< core: (0, 0, half length), shell: radius
    POISE_MESH_CYLINDER,  ///< core: (radius, radius, half length) minus the shell
    POISE_MESH_CONE,      ///< core: (radius, radius, height), base at the origin, tip along z
    POISE_MESH_RING,      ///< core: (radius, radius, 0), shell: radius of the tube
    POISE_MESH_ARC,       ///< core: (radius, 0, 0), shell: radius of the tube
    POISE_MESH_ELLIPSOID, ///< core: half axes; its normals are those of a ball
    POISE_MESH_COUNT,
    /// Triangles of a robot's own mesh. core: factors of their coordinates.
    POISE_MESH_LOOK = POISE_MESH_COUNT,
    /// A line in the picture from the instance's place to `core`, world. shell: width; sweep:
    /// length of dashes and gaps, window units. Its shader makes the vertices.
    POISE_MESH_LINE
} PoiseMeshKind;

typedef struct PoiseMeshVertex {
    float core[3];
    float normal[3];
} PoiseMeshVertex;

typedef struct PoiseMesh {
    PoiseMeshVertex* vertices;
    uint16_t* indices;
    int vertex_count;
    int index_count;
} PoiseMesh;

/// Makes a mesh of triangles, which are counter-clockwise seen from outside. `detail`, 1 to 24, is
/// the number of segments of a quarter turn. Returns false for a larger `detail`, or if memory runs
/// out.
bool poise__mesh_init(PoiseMesh* mesh, PoiseMeshKind kind, int detail);
void poise__mesh_finish(PoiseMesh* mesh);

#endif
