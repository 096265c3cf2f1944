// SPDX-License-Identifier: MIT
// The triangles of a link made ready to be drawn: fewer where there are too many, normals that are
// smooth but at edges, one part for each colour.
#ifndef POISE_VIEWER_LOOK_H
#define POISE_VIEWER_LOOK_H

#include "mesh.h"
#include "poise/look.h"

enum { POISE_LOOK_PARTS = 12 };

/// Triangles of one colour, three vertices each.
typedef struct PoiseLookPart {
    /// 0xrrggbbaa, sRGB; 0: the file does not say.
    uint32_t tint;
    int first;
    int count;
} PoiseLookPart;

typedef struct PoiseLookModel {
    PoiseMeshVertex* vertices;
    int vertex_count;
    /// Of more colours the rest have the last's.
    PoiseLookPart parts[POISE_LOOK_PARTS];
    int part_count;
} PoiseLookModel;

/// At most `most` triangles of the mesh: points that are close together become one. False when
/// memory is short or nothing is left.
bool poise__look_make(PoiseLookModel* model, const PoiseLookMesh* mesh, int most);
void poise__look_drop(PoiseLookModel* model);

#endif
