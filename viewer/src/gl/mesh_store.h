// SPDX-License-Identifier: MIT
// Stores all meshes in one buffer, at three levels of detail, and the instances of a frame in
// another. Instances are sorted, so that each kind of mesh needs one draw call.
#ifndef POISE_MESH_STORE_H
#define POISE_MESH_STORE_H

#include <epoxy/gl.h>

#include "camera.h"
#include "draw_list.h"
#include "note.h"

enum { POISE_MESH_LEVELS = 3 };

/// How a set of instances is rendered.
typedef enum PoiseLayer {
    POISE_LAYER_CASTERS = 0, ///< opaque, casting a shadow
    POISE_LAYER_PLAIN,       ///< opaque, casting no shadow
    POISE_LAYER_CLEAR,       ///< translucent
    POISE_LAYER_LINES,       ///< lines, for poise__mesh_store_draw_lines
    POISE_LAYER_X_RAY,       ///< rendered again, faintly, at pixels where other things hide them
    POISE_LAYER_COUNT
} PoiseLayer;

typedef struct PoiseMeshRange {
    int first_index;
    int index_count;
    /// True if the surface is closed, so that its front faces hide its back faces.
    bool closed;
} PoiseMeshRange;

/// A layer has a group of instances for each mesh and level. Its last group has the robots' own
/// triangles, with one draw call for each instance; the last group of POISE_LAYER_LINES has the
/// corners of all lines.
enum { POISE_GROUPS_PER_LAYER = POISE_MESH_COUNT * POISE_MESH_LEVELS + 1 };

/// An instance in the layout that the shaders read.
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
    GLuint line_array;
    GLuint vertices;
    GLuint indices;
    GLuint instances;
    PoiseMeshRange ranges[POISE_MESH_COUNT][POISE_MESH_LEVELS];
    PoisePackedInstance* packed;
    /// By entry of `packed`: range of indices of a robot's mesh; unused for other meshes.
    PoiseMeshRange* own;
    int packed_capacity;
    GLuint look_array;
    GLuint look_buffers[2]; ///< vertices and indices of the robots' meshes
    const void* looks_of;
    unsigned look_revision;
    /// Index in `packed` at which each group starts, layer by layer; the last entry is the end.
    int group_start[POISE_LAYER_COUNT * POISE_GROUPS_PER_LAYER + 1];
} PoiseMeshStore;

/// Makes all meshes. `detail` is the number of segments of a quarter turn in the finest level.
bool poise__mesh_store_init(PoiseMeshStore* store, int detail, PoiseNote* note);
void poise__mesh_store_finish(PoiseMeshStore* store);

/// The picture for which instances are loaded: its camera, and its pixels per window unit, at most
/// 1.
typedef struct PoiseMeshView {
    const PoiseCamera* camera;
    double scale;
    bool moves; ///< the scene moves, so that outlines may be wrong by half a pixel
} PoiseMeshView;

/// Sorts the list's instances and uploads them. Instances that are small in the picture use a
/// coarse mesh. Returns false if memory runs out.
bool poise__mesh_store_load(PoiseMeshStore* store, const PoiseDrawList* list,
                            const PoiseMeshView* view);
/// Draws all lines in one draw call, with the current program.
void poise__mesh_store_draw_lines(const PoiseMeshStore* store);
/// Draws a layer other than lines, with the current program.
void poise__mesh_store_draw(const PoiseMeshStore* store, PoiseLayer layer);

#endif
