// SPDX-License-Identifier: MIT
// Prepares the triangles of a link for rendering: simplifies them, smooths the normals except at
// edges, and sorts them into one part for each colour.
#ifndef POISE_LOOK_TRIANGLES_H
#define POISE_LOOK_TRIANGLES_H

#include "mesh.h"
#include "poise/look.h"

enum { POISE_LOOK_PARTS = 12 };

/// Triangles of one colour, as a range of PoiseLookModel.indices.
typedef struct PoiseLookPart {
    /// Colour as 0xrrggbbaa, sRGB; 0: the file gives none.
    uint32_t tint;
    int first;
    int count;
} PoiseLookPart;

typedef struct PoiseLookModel {
    PoiseMeshVertex* vertices;
    int vertex_count;
    /// Three for each triangle.
    uint32_t* indices;
    int index_count;
    /// Parts by colour. Colours that do not fit share the last part.
    PoiseLookPart parts[POISE_LOOK_PARTS];
    int part_count;
    /// True if the surface is closed and its normals point outwards: its back faces are then
    /// hidden.
    bool closed;
    /// Greatest distance of a vertex from the origin, m.
    float reach;
} PoiseLookModel;

/// Makes a model of the mesh whose surface is at most about `tolerance` m away from that of the
/// mesh; 0: a model of all triangles. Open borders and borders between colours stay closed. Returns
/// false when memory is short or no triangle is left.
bool poise__look_make(PoiseLookModel* model, const PoiseLookMesh* mesh, double tolerance);
void poise__look_drop(PoiseLookModel* model);

#endif
