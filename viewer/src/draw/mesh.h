// SPDX-License-Identifier: MIT
// The few meshes everything is drawn with. A vertex lies at
//     core * instance core + normal * instance shell
// in the instance's frame: one capsule mesh serves every length, one box mesh every size of edge
// rounding, and normals need no correction. An arc's vertices have the part of the way in core.x
// and the normal as at its beginning, which lies on x; the instance's sweep turns both about z.
#ifndef POISE_MESH_H
#define POISE_MESH_H

#include "poise/base.h"

typedef enum PoiseMeshKind {
    POISE_MESH_BOX = 0,  ///< core: half sides less the shell
    POISE_MESH_BALL,     ///< core: 0, shell: radius
    POISE_MESH_CAPSULE,  ///< core: (0, 0, half length), shell: radius
    POISE_MESH_CYLINDER, ///< core: (radius, radius, half length) less the shell
    POISE_MESH_CONE,     ///< core: (radius, radius, height), base at the origin, tip along z
    POISE_MESH_RING,     ///< core: (radius, radius, 0), shell: of the tube
    POISE_MESH_ARC,      ///< core: (radius, 0, 0), shell: of the tube; bent by the instance's sweep
    POISE_MESH_ELLIPSOID, ///< core: half axes; its normals are a ball's
    POISE_MESH_COUNT,
    /// No mesh of the few: triangles of a robot's own, core: what they are multiplied with.
    POISE_MESH_LOOK = POISE_MESH_COUNT
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

/// Triangles, counter-clockwise from outside. `detail` >= 1: the segments of a quarter turn. False
/// when memory is short.
bool poise__mesh_init(PoiseMesh* mesh, PoiseMeshKind kind, int detail);
void poise__mesh_finish(PoiseMesh* mesh);

#endif
