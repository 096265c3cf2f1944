// SPDX-License-Identifier: MIT
// Prepares the triangles of a link for rendering: reduces their number, smooths the normals except
// at edges, and sorts them into one part for each colour.
#ifndef POISE_VIEWER_LOOK_H
#define POISE_VIEWER_LOOK_H

#include "mesh.h"
#include "poise/look.h"

enum { POISE_LOOK_PARTS = 12 };

/// Triangles of one colour, three vertices each.
typedef struct PoiseLookPart {
    /// Colour as 0xrrggbbaa, sRGB; 0: the file gives none.
    uint32_t tint;
    int first;
    int count;
} PoiseLookPart;

typedef struct PoiseLookModel {
    PoiseMeshVertex* vertices;
    int vertex_count;
    /// Parts by colour. Colours that do not fit share the last part.
    PoiseLookPart parts[POISE_LOOK_PARTS];
    int part_count;
} PoiseLookModel;

/// Makes a model with at most `max_triangles` triangles of the mesh, by joining points that are
/// near each other. Returns false when memory is short or no triangle is left.
bool poise__look_make(PoiseLookModel* model, const PoiseLookMesh* mesh, int max_triangles);
void poise__look_drop(PoiseLookModel* model);

#endif
