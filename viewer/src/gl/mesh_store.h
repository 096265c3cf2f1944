// SPDX-License-Identifier: MIT
// All meshes in one buffer, at two levels of detail, and the instances of a frame in another,
// sorted so that each kind of mesh takes one draw call.
#ifndef POISE_MESH_STORE_H
#define POISE_MESH_STORE_H

#include <epoxy/gl.h>

#include "camera.h"
#include "draw_list.h"
#include "note.h"

enum { POISE_MESH_LEVELS = 2 };

/// What a set of instances is drawn as.
typedef enum PoiseLayer {
    POISE_LAYER_CASTERS = 0, ///< opaque, with a shadow
    POISE_LAYER_PLAIN,       ///< opaque, without
    POISE_LAYER_CLEAR,       ///< translucent
    POISE_LAYER_X_RAY,       ///< again, where hidden
    POISE_LAYER_COUNT
} PoiseLayer;

typedef struct PoiseMeshRange {
    int first_index;
    int index_count;
} PoiseMeshRange;

/// The last are the robots' own triangles, an instance at a time.
enum { POISE_GROUPS_PER_LAYER = POISE_MESH_COUNT * POISE_MESH_LEVELS + 1 };

/// Of an instance's own triangles.
typedef struct PoiseVertexRange {
    int first;
    int count;
} PoiseVertexRange;

/// An instance as the shaders read it.
typedef struct PoisePackedInstance {
    float place[3];
    float turn[4];
    float size[4];
    float colour[4];
    float look[3];
    uint32_t id;
} PoisePackedInstance;

typedef struct PoiseMeshStore {
    GLuint array;
    GLuint vertices;
    GLuint indices;
    GLuint instances;
    PoiseMeshRange ranges[POISE_MESH_COUNT][POISE_MESH_LEVELS];
    PoisePackedInstance* packed;
    /// Beside it; of the others nothing.
    PoiseVertexRange* own;
    int packed_capacity;
    GLuint look_array;
    GLuint look_vertices;
    const void* looks_of;
    unsigned look_revision;
    /// Where each group of a layer begins in `packed`; one more for the end.
    int group_start[POISE_LAYER_COUNT * POISE_GROUPS_PER_LAYER + 1];
} PoiseMeshStore;

/// `detail`: segments of a quarter turn of what is large in the picture.
bool poise__mesh_store_init(PoiseMeshStore* store, int detail, PoiseNote* note);
void poise__mesh_store_finish(PoiseMeshStore* store);

/// Sorts the list's instances and sends them to the graphics card; what is small in the picture
/// gets the coarse mesh. False when memory is short.
bool poise__mesh_store_load(PoiseMeshStore* store, const PoiseDrawList* list,
                            const PoiseCamera* camera);
/// Draws a layer with the program in use.
void poise__mesh_store_draw(const PoiseMeshStore* store, PoiseLayer layer);

#endif
