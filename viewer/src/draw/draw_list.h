// SPDX-License-Identifier: MIT
// What a picture shows, as plain data: the renderer draws it, tests read it. Colours are linear
// light, not sRGB.
#ifndef POISE_DRAW_LIST_H
#define POISE_DRAW_LIST_H

#include "linear.h"
#include "mesh.h"

/// What a pixel of the id picture says: a kind in the upper 4 bits, an index below. 0: nothing.
typedef enum PoiseDrawKind {
    POISE_DRAW_NOTHING = 0,
    POISE_DRAW_SHAPE = 1,
    POISE_DRAW_POINT = 2,
    POISE_DRAW_GOAL = 3,
    POISE_DRAW_TETHER = 4,
    POISE_DRAW_GROUND = 5,
    POISE_DRAW_JOINT = 6,     ///< index: of the scene's joint
    POISE_DRAW_GIZMO = 7,     ///< index: PoiseGizmoPart
    POISE_DRAW_FORCE = 8,     ///< index: of the point, or of the body + 0x1000000
    POISE_DRAW_GHOST = 9,     ///< index: of the shape
    POISE_DRAW_TRAIL = 10,    ///< index: of the point
    POISE_DRAW_COIL = 11,     ///< index: of the scene's joint
    POISE_DRAW_BODY = 12,     ///< index: of the body
    POISE_DRAW_CONTACT = 13,  ///< index: of the contact point
    POISE_DRAW_ELLIPSOID = 14 ///< index: of the point
} PoiseDrawKind;

static inline uint32_t poise__draw_id(PoiseDrawKind kind, int index) {
    return ((uint32_t)kind << 28) | ((uint32_t)index & 0x0fffffffu);
}

static inline PoiseDrawKind poise__draw_id_kind(uint32_t id) {
    return (PoiseDrawKind)(id >> 28);
}

static inline int poise__draw_id_index(uint32_t id) {
    return (int)(id & 0x0fffffffu);
}

enum {
    /// Throws no shadow.
    POISE_DRAW_NO_SHADOW = 1,
    /// Shines through what stands before it, faintly.
    POISE_DRAW_X_RAY = 2
};

typedef struct PoiseInstance {
    PoiseMeshKind mesh;
    unsigned flags;
    uint32_t id;
    vec3s place;
    /// x, y, z, w.
    vec4s turn;
    /// See mesh.h.
    vec3s core;
    float shell;
    /// Below 1 in `a`: translucent, and without a shadow.
    vec4s colour;
    /// Light of its own, 0..1, so that markers keep their colour in shadow.
    float glow;
    /// 0: plaster, 1: polished.
    float gloss;
    /// Of an arc: how far it goes about z from x, rad.
    float sweep;
    /// Of POISE_MESH_LOOK: its vertices, counted over all models of PoiseDrawList.looks.
    int first_vertex;
    int vertex_count;
} PoiseInstance;

typedef struct PoiseLine {
    vec3s from;
    vec3s to;
    vec4s colour;
    /// Window units.
    float width;
    /// Length of a dash and of a gap, window units; 0: a whole line.
    float dash;
    uint32_t id;
} PoiseLine;

/// Letters at a place of the world.
typedef struct PoiseLabel {
    vec3s place;
    /// From there, window units.
    float down;
    uint32_t colour; ///< 0xrrggbbaa, sRGB
    /// Shown wherever the pointer is; others only near it, where there is one.
    bool always;
    char text[64];
} PoiseLabel;

typedef struct PoiseGround {
    bool visible;
    /// A plane one can stand on; else only something to see places by, which hides nothing.
    bool solid;
    float height;
    /// Side of a cell of the grid, m.
    float cell;
    /// Fades out round here, over this distance, m.
    vec3s centre;
    float fade;
} PoiseGround;

typedef struct PoiseDrawList {
    PoiseInstance* instances;
    int instance_count;
    int instance_capacity;
    PoiseLine* lines;
    int line_count;
    int line_capacity;
    PoiseLabel* labels;
    int label_count;
    int label_capacity;
    PoiseGround ground;
    /// Vertices of the models that instances of POISE_MESH_LOOK show, and a number that is another
    /// when these are. Borrowed.
    const PoiseMeshVertex* look_vertices;
    int look_vertex_count;
    unsigned look_revision;
    /// A ball round all that throws shadows.
    vec3s centre;
    float radius;
    /// Memory was short: something is missing.
    bool incomplete;
} PoiseDrawList;

/// All zero is an empty list. `clear` keeps the memory for the next frame.
void poise__draw_list_clear(PoiseDrawList* list);
void poise__draw_list_finish(PoiseDrawList* list);

/// They copy; when memory is short they leave it out and set `incomplete`.
void poise__draw_instance(PoiseDrawList* list, const PoiseInstance* instance);
void poise__draw_line(PoiseDrawList* list, const PoiseLine* line);
void poise__draw_label(PoiseDrawList* list, const PoiseLabel* label);

/// A ball at a place, seen through what stands before it; the rest as `look` has it. m.
void poise__draw_ball(PoiseDrawList* list, PoiseVec3 place, double radius,
                      const PoiseInstance* look);
/// A ring about z of `frame`, likewise; `radius` m. Without a `shell` in the look the tube is 0.09
/// of it.
void poise__draw_ring(PoiseDrawList* list, PoisePose frame, double radius,
                      const PoiseInstance* look);
/// A shaft and a head from `from` to `to`, `radius` m thick; the rest as `look` has it. Nothing
/// when it has no length.
void poise__draw_arrow(PoiseDrawList* list, PoiseVec3 from, PoiseVec3 to, double radius,
                       const PoiseInstance* look);

/// A bow about z of `frame`, from its x, `sweep` rad far; at most a whole turn is drawn. m.
typedef struct PoiseArc {
    PoisePose frame;
    double radius;
    double thickness;
    double sweep;
} PoiseArc;
void poise__draw_arc(PoiseDrawList* list, const PoiseArc* arc, const PoiseInstance* look);

/// Adds a frame of three arrows, x red, y green, z blue, each `length` m long. `strength` 0..1 dims
/// the colours; `look` has the id and the flags.
void poise__draw_axes(PoiseDrawList* list, PoisePose pose, double length, float strength,
                      const PoiseInstance* look);

#endif
