// SPDX-License-Identifier: MIT
// Prepares the triangles of a link for rendering: simplifies them, smooths the normals except at
// sharp edges, and sorts them into one part for each colour.
#ifndef POISE_LOOK_TRIANGLES_H
#define POISE_LOOK_TRIANGLES_H

#include "mesh.h"
#include "poise/look.h"

enum { POISE_LOOK_PARTS = 12 };

/// Triangles of one colour, as a range of PoiseLookModel.indices.
typedef struct PoiseLookPart {
    /// Colour as 0xrrggbbaa, sRGB; 0: the file has none.
    uint32_t tint;
    int first;
    int count;
} PoiseLookPart;

typedef struct PoiseLookModel {
    PoiseMeshVertex* vertices;
    int vertex_count;
    /// Indices of vertices, three for each triangle.
    uint32_t* indices;
    int index_count;
    /// Parts, one for each colour. Colours beyond POISE_LOOK_PARTS share the last part.
    PoiseLookPart parts[POISE_LOOK_PARTS];
    int part_count;
    /// True if the surface is closed and its normals point outwards, so that its back faces are
    /// hidden.
    bool closed;
    /// Largest distance of a vertex from the origin, m.
    float reach;
} PoiseLookModel;

/// Makes a model whose surface is at most about `tolerance` m away from that of the mesh; 0: a
/// model of all triangles. Open borders, and borders between colours, stay without gaps. Returns
/// false if memory runs out or no triangle remains.
bool poise__look_make(PoiseLookModel* model, const PoiseLookMesh* mesh, double tolerance);
void poise__look_drop(PoiseLookModel* model);

#endif
